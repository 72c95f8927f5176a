//! Requests are sent exactly as written, and responses are read as far as needed.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Response, Uri, header};
use futures_util::{StreamExt, stream};
use serde_json::json;

use super::{HttpFailure, HttpRequest};
use crate::clock::Deadline;
use crate::trace::{EventKind, Party, Recorder};
use crate::transport::{Connection, Limits, Target, TransportKind};
use crate::wire::{Message, Notification};

const SOON: Duration = Duration::from_secs(20);

fn soon() -> Deadline {
    Deadline::after(SOON)
}

/// A server that answers with the request that it received.
fn mirror() -> Router {
    Router::new().fallback(
        |method: Method, uri: Uri, headers: HeaderMap, body: String| async move {
            let headers: Vec<String> =
                headers.iter().map(|(name, value)| format!("{name}: {value:?}")).collect();
            let echo =
                json!({"request": format!("{method} {uri}"), "headers": headers, "body": body});
            Response::builder()
                .status(418)
                .header("X-Twice", "1")
                .header("X-Twice", "2")
                .header(header::CONTENT_TYPE, "application/json; charset=utf-8")
                .body(Body::from(echo.to_string()))
                .unwrap_or_default()
        },
    )
}

/// A server whose stream stays open after two events.
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

async fn open(target: &Target, recorder: &Recorder) -> Connection {
    target.open(TransportKind::Router, recorder, Limits::default()).await.unwrap()
}

#[tokio::test]
async fn a_request_has_the_headers_that_were_given_and_no_others() {
    let recorder = Recorder::new();
    let connection = open(&Target::router(mirror).header("X-Key", "k"), &recorder).await;
    let request = HttpRequest::post("{}").header("Accept", "a/b").header("Accept", "c/d");
    let answer = connection.http(request.clone(), soon()).await.unwrap();
    let echo = answer.json().unwrap().value.to_serde();
    assert_eq!(echo["request"], "POST /mcp");
    assert_eq!(
        echo["headers"],
        json!([r#"accept: "a/b""#, r#"accept: "c/d""#, r#"x-key: "k""#, r#"host: "localhost""#])
    );
    assert_eq!((answer.status, answer.header("x-twice")), (418, Some("1")));
    assert!(answer.complete && answer.events.is_empty());

    let request = request.with("Host", "evil.example").with("x-key", "own").at("/other?a=b");
    let echo = connection.http(request, soon()).await.unwrap().json().unwrap().value.to_serde();
    assert_eq!(echo["request"], "POST /other?a=b");
    assert!(echo["headers"].to_string().contains("evil.example"));
    assert!(!echo["headers"].to_string().contains(r#"\"k\""#));

    let trace = recorder.trace();
    let heads =
        trace.events.iter().filter(|event| matches!(event.kind, EventKind::HttpResponse { .. }));
    assert_eq!(heads.map(|event| event.exchange).collect::<Vec<_>>(), [Some(1), Some(2)]);
    assert!(trace.event(answer.sent).is_some_and(|event| event.party == Party::Client));
}

#[tokio::test]
async fn a_stream_is_read_until_an_event_is_enough() {
    let recorder = Recorder::new();
    let connection = open(&Target::router(endless), &recorder).await;
    let enough = |event: &crate::wire::sse::SseEvent| event.id.as_deref() == Some("2");
    let answer = connection.http_until(HttpRequest::get(), soon(), enough).await.unwrap();
    assert_eq!(answer.events.len(), 2);
    assert_eq!(answer.events[0].retry, Some(5));
    assert!(answer.reply(&7.into()).is_some() && !answer.complete);
    assert_eq!(answer.how, "still open when mcp-test closed it");
    assert!(!recorder.trace().deadline_fired());

    // Messages that were already read count, and are not returned again.
    let mut exchange = connection.open_http(HttpRequest::get(), soon()).await.unwrap();
    assert!(exchange.read_until_message(soon(), |message| message.id() == Some(&7.into())).await);
    assert!(exchange.read_until_message(soon(), Message::is_reply).await);
    let brief = Deadline::after(Duration::from_millis(1));
    assert!(!exchange.read_until_message(brief, |_| false).await && exchange.is_open());
    assert_eq!(exchange.event(brief).await, None);

    // Two streams at once, event by event.
    let (one, two) = tokio::join!(
        connection.open_http(HttpRequest::get(), soon()),
        connection.open_http(HttpRequest::get(), soon()),
    );
    let (mut one, mut two) = (one.unwrap(), two.unwrap());
    assert_eq!(one.event(soon()).await, two.event(soon()).await);
    assert!(one.is_open() && one.answer().events.len() == 2);
    assert_eq!(two.close().events.len(), 2);
}

#[tokio::test]
async fn events_are_read_up_to_a_limit() {
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
    let connection = target.open(TransportKind::Router, &recorder, limits).await.unwrap();
    let answer = connection.http(HttpRequest::get(), Deadline::never()).await.unwrap();
    assert!((10..200).contains(&answer.events.len()), "{}", answer.events.len());
    assert!(!answer.complete);
    assert_eq!(answer.how, "longer than the 10000 bytes that mcp-test reads");
}

#[tokio::test]
async fn a_response_that_does_not_end_in_time_contains_what_was_read() {
    let recorder = Recorder::new();
    let connection = open(&Target::router(endless), &recorder).await;
    let mut exchange = connection.open_http(HttpRequest::get(), soon()).await.unwrap();
    while exchange.answer().events.len() < 2 {
        exchange.event(soon()).await.unwrap();
    }
    let answer = exchange.finish(Deadline::after(Duration::from_millis(50))).await;
    assert_eq!((answer.events.len(), answer.complete), (2, false));
    assert_eq!(recorder.trace().deadlines_fired(), ["the rest of the response within 50 ms"]);
}

#[tokio::test]
async fn a_missing_response_is_an_error_with_its_reason() {
    let recorder = Recorder::new();
    let panics = || Router::new().fallback(|| async { panic!("no luck") as String });
    let connection = open(&Target::router(panics), &recorder).await;
    let failure = connection.http(HttpRequest::delete(), soon()).await.unwrap_err();
    insta::assert_snapshot!(failure, @"the DELETE request failed without an HTTP response: the service panicked: no luck");
    assert_eq!(failure.evidence().len(), 2);

    let silent = || Router::new().fallback(|| async { std::future::pending::<String>().await });
    let connection = open(&Target::router(silent), &recorder).await;
    let soon = Deadline::after(Duration::from_millis(50));
    let failure = connection.http(HttpRequest::get(), soon).await.unwrap_err();
    insta::assert_snapshot!(failure, @"the GET request was not answered within 50 ms");

    let lines = Target::duplex(|_| async { Ok(()) });
    let connection = lines.open(TransportKind::Duplex, &recorder, Limits::default()).await.unwrap();
    let failure = connection.http(HttpRequest::get(), soon).await.unwrap_err();
    assert_eq!(failure, HttpFailure::NoHttp { transport: TransportKind::Duplex });
}

#[tokio::test]
async fn the_request_of_the_transport_can_be_modified() {
    let connection = open(&Target::router(mirror), &Recorder::new()).await;
    let ping = Message::Notification(Notification {
        method: "notifications/initialized".to_owned(),
        params: None,
    });
    let request = connection.as_http(ping).unwrap().without("accept");
    assert_eq!(request.headers, [("Content-Type".to_owned(), "application/json".to_owned())]);
    assert_eq!(connection.session(), None);
}
