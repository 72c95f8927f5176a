//! What is sent is exactly what was written, and what comes is read as far as is asked for.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Response, Uri, header};
use futures_util::{StreamExt, stream};
use serde_json::json;

use super::{HttpFailure, HttpRequest};
use crate::clock::Deadline;
use crate::trace::{Party, Recorder, What};
use crate::transport::{CarrierKind, Limits, Link, Target};
use crate::wire::{Message, Notification};

const SOON: Duration = Duration::from_secs(20);

fn soon() -> Deadline {
    Deadline::after(SOON)
}

/// A server that tells what it was asked.
fn mirror() -> Router {
    Router::new().fallback(
        |method: Method, uri: Uri, headers: HeaderMap, body: String| async move {
            let headers: Vec<String> =
                headers.iter().map(|(name, value)| format!("{name}: {value:?}")).collect();
            let told =
                json!({"asked": format!("{method} {uri}"), "headers": headers, "body": body});
            Response::builder()
                .status(418)
                .header("X-Twice", "1")
                .header("X-Twice", "2")
                .header(header::CONTENT_TYPE, "application/json; charset=utf-8")
                .body(Body::from(told.to_string()))
                .unwrap_or_default()
        },
    )
}

/// A server whose stream goes on for ever after two events.
fn endless() -> Router {
    Router::new().fallback(|| async {
        let begin = "id: 1\nretry: 5\ndata:\n\nid: 2\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\n";
        let body = stream::iter([Ok::<_, std::io::Error>(begin)]).chain(stream::pending());
        Response::builder()
            .header(header::CONTENT_TYPE, "text/event-stream")
            .body(Body::from_stream(body))
            .unwrap_or_default()
    })
}

async fn open(target: &Target, recorder: &Recorder) -> Link {
    target.open(CarrierKind::Router, recorder, Limits::default()).await.unwrap()
}

#[tokio::test]
async fn a_request_has_the_headers_that_were_given_and_no_others() {
    let recorder = Recorder::new();
    let link = open(&Target::router(mirror).header("X-Key", "k"), &recorder).await;
    let request = HttpRequest::post("{}").header("Accept", "a/b").header("Accept", "c/d");
    let answer = link.http(request.clone(), soon()).await.unwrap();
    let told = answer.json().unwrap().value.to_serde();
    assert_eq!(told["asked"], "POST /mcp");
    assert_eq!(
        told["headers"],
        json!([r#"accept: "a/b""#, r#"accept: "c/d""#, r#"x-key: "k""#, r#"host: "localhost""#])
    );
    assert_eq!((answer.status, answer.header("x-twice")), (418, Some("1")));
    assert!(answer.complete && answer.events.is_empty());

    let request = request.with("Host", "evil.example").with("x-key", "own").at("/other?a=b");
    let told = link.http(request, soon()).await.unwrap().json().unwrap().value.to_serde();
    assert_eq!(told["asked"], "POST /other?a=b");
    assert!(told["headers"].to_string().contains("evil.example"));
    assert!(!told["headers"].to_string().contains(r#"\"k\""#));

    let trace = recorder.trace();
    let heads = trace.events.iter().filter(|event| matches!(event.what, What::HttpResponse { .. }));
    assert_eq!(heads.map(|event| event.exchange).collect::<Vec<_>>(), [Some(1), Some(2)]);
    assert!(trace.event(answer.sent).is_some_and(|event| event.party == Party::Client));
}

#[tokio::test]
async fn a_stream_is_read_until_something_is_enough() {
    let recorder = Recorder::new();
    let link = open(&Target::router(endless), &recorder).await;
    let enough = |event: &crate::wire::sse::SseEvent| event.id.as_deref() == Some("2");
    let answer = link.http_until(HttpRequest::get(), soon(), enough).await.unwrap();
    assert_eq!(answer.events.len(), 2);
    assert_eq!(answer.events[0].retry, Some(5));
    assert!(answer.reply(&7.into()).is_some() && !answer.complete);
    assert_eq!(answer.how, "still open when mcp-test closed it");
    assert!(!recorder.trace().deadline_fired());

    // A message that was read counts, and what was looked at is not handed out again.
    let mut exchange = link.open_http(HttpRequest::get(), soon()).await.unwrap();
    assert!(exchange.until_said(soon(), |message| message.id() == Some(&7.into())).await);
    assert!(exchange.until_said(soon(), Message::is_reply).await);
    let brief = Deadline::after(Duration::from_millis(1));
    assert!(!exchange.until_said(brief, |_| false).await && exchange.is_open());
    assert_eq!(exchange.event(brief).await, None);

    // Two streams at once, event by event.
    let (one, two) = tokio::join!(
        link.open_http(HttpRequest::get(), soon()),
        link.open_http(HttpRequest::get(), soon()),
    );
    let (mut one, mut two) = (one.unwrap(), two.unwrap());
    assert_eq!(one.event(soon()).await, two.event(soon()).await);
    assert!(one.is_open() && one.answer().events.len() == 2);
    assert_eq!(two.close().events.len(), 2);
}

#[tokio::test]
async fn a_flood_of_events_is_read_up_to_a_limit() {
    let flood = || {
        Router::new().fallback(|| async {
            let body = stream::repeat_with(|| Ok::<_, std::io::Error>("data: again\n\n"));
            Response::builder()
                .header(header::CONTENT_TYPE, "text/event-stream")
                .body(Body::from_stream(body))
                .unwrap_or_default()
        })
    };
    let limits = Limits { body: 10_000, ..Limits::default() };
    let recorder = Recorder::new();
    let target = Target::router(flood);
    let link = target.open(CarrierKind::Router, &recorder, limits).await.unwrap();
    let answer = link.http(HttpRequest::get(), Deadline::never()).await.unwrap();
    assert!((10..200).contains(&answer.events.len()), "{}", answer.events.len());
    assert!(!answer.complete);
    assert_eq!(answer.how, "longer than the 10000 bytes that mcp-test reads");
}

#[tokio::test]
async fn what_does_not_end_in_time_is_told_with_what_came() {
    let recorder = Recorder::new();
    let link = open(&Target::router(endless), &recorder).await;
    let mut exchange = link.open_http(HttpRequest::get(), soon()).await.unwrap();
    while exchange.answer().events.len() < 2 {
        exchange.event(soon()).await.unwrap();
    }
    let answer = exchange.finish(Deadline::after(Duration::from_millis(50))).await;
    assert_eq!((answer.events.len(), answer.complete), (2, false));
    assert_eq!(recorder.trace().deadlines_fired(), ["the rest of the response within 50 ms"]);
}

#[tokio::test]
async fn no_response_is_a_failure_with_its_reason() {
    let recorder = Recorder::new();
    let panics = || Router::new().fallback(|| async { panic!("no luck") as String });
    let link = open(&Target::router(panics), &recorder).await;
    let failure = link.http(HttpRequest::delete(), soon()).await.unwrap_err();
    insta::assert_snapshot!(failure, @"the DELETE request failed without an HTTP response: the service panicked: no luck");
    assert_eq!(failure.evidence().len(), 2);

    let silent = || Router::new().fallback(|| async { std::future::pending::<String>().await });
    let link = open(&Target::router(silent), &recorder).await;
    let soon = Deadline::after(Duration::from_millis(50));
    let failure = link.http(HttpRequest::get(), soon).await.unwrap_err();
    insta::assert_snapshot!(failure, @"the GET request was not answered within 50 ms");

    let lines = Target::duplex(|_| async { Ok(()) });
    let link = lines.open(CarrierKind::Duplex, &recorder, Limits::default()).await.unwrap();
    let failure = link.http(HttpRequest::get(), soon).await.unwrap_err();
    assert_eq!(failure, HttpFailure::NoHttp { carrier: CarrierKind::Duplex });
}

#[tokio::test]
async fn the_request_of_the_carrier_itself_can_be_changed() {
    let link = open(&Target::router(mirror), &Recorder::new()).await;
    let ping = Message::Notification(Notification {
        method: "notifications/initialized".to_owned(),
        params: None,
    });
    let request = link.as_http(ping).unwrap().without("accept");
    assert_eq!(request.headers, [("Content-Type".to_owned(), "application/json".to_owned())]);
    assert_eq!(link.session(), None);
}
