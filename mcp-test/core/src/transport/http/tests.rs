//! Streams from the client's side: opened, resumed and closed; and the headers of each request.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Response, header};
use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, stream};
use tokio::sync::oneshot;

use crate::clock::{self, Deadline};
use crate::spec::Revision;
use crate::trace::{EventKind, Recorder};
use crate::transport::{Connection, Incoming, Limits, Outgoing, Sent, Target, TransportKind};
use crate::wire::{Id, Message, Notification, Request};

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(20))
}

fn respond(status: u16, media: &str, body: impl Into<Body>) -> Response<Body> {
    let builder = Response::builder().status(status).header(header::CONTENT_TYPE, media);
    builder.body(body.into()).unwrap_or_default()
}

fn events(text: impl Into<Body>) -> Response<Body> {
    respond(200, "text/event-stream", text)
}

/// Events on a stream that stays open.
fn endless(text: &'static str) -> Response<Body> {
    let first = stream::iter([Ok::<_, std::io::Error>(text)]);
    events(Body::from_stream(first.chain(stream::pending())))
}

/// A server that answers each request by its number, counted from 1, and its method and headers.
fn server<F>(answer: F) -> Target
where
    F: Fn(usize, &Method, &HeaderMap) -> Response<Body> + Send + Sync + 'static,
{
    let (answer, count) = (Arc::new(answer), Arc::new(Mutex::new(0)));
    Target::router(move || {
        let (answer, count) = (answer.clone(), count.clone());
        Router::new().fallback(move |method: Method, headers: HeaderMap| {
            let mut count = count.lock().unwrap();
            *count += 1;
            let response = answer(*count, &method, &headers);
            async move { response }
        })
    })
}

async fn open(target: &Target, recorder: &Recorder) -> Connection {
    target.open(TransportKind::Router, recorder, Limits::default()).await.unwrap()
}

fn request(id: i64, method: &str) -> Message {
    Message::Request(Request { id: Id::from(id), method: method.to_owned(), params: None })
}

async fn next(connection: &mut Connection) -> Incoming {
    clock::within(soon(), connection.next()).await.unwrap().unwrap()
}

/// The observations until the exchange ends, one per line.
async fn until_ended(connection: &mut Connection, sent: Sent) -> String {
    let mut lines = Vec::new();
    loop {
        match next(connection).await {
            Incoming::Message { origin, message, .. } => {
                lines.push(format!("in {:?}: {}", origin.exchange, message.to_value()));
            }
            Incoming::Invalid { origin, head, .. } => {
                lines.push(format!("in {:?}: {head}", origin.exchange));
            }
            Incoming::Ended { exchange, how, .. } => {
                assert_eq!(Some(exchange), sent.exchange);
                lines.push(how);
                return lines.join("\n");
            }
            Incoming::Closed { how, .. } => panic!("closed: {how}"),
        }
    }
}

/// Posts a request to `target` and returns the observations.
async fn post(target: &Target, recorder: &Recorder, deadline: Deadline) -> String {
    let mut connection = open(target, recorder).await;
    let sent = connection.send(request(1, "tools/call"), deadline).await;
    until_ended(&mut connection, sent).await
}

fn requests(recorder: &Recorder) -> Vec<(String, Vec<(String, String)>)> {
    let heads = recorder.trace().events.into_iter().filter_map(|event| match event.kind {
        EventKind::HttpRequest { method, headers, .. } => Some((method, headers)),
        _ => None,
    });
    heads.collect()
}

const REPLY: &str = "id: b\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n";

#[tokio::test]
async fn a_polled_stream_is_resumed_until_its_reply() {
    let target = server(|number, method, headers| match (number, method.as_str()) {
        (1, "POST") => events("id: a\nretry: 1\ndata:\n\n"),
        (2, "GET") if headers["last-event-id"] == "a" => {
            let note = r#"{"jsonrpc":"2.0","method":"notifications/message"}"#;
            events(format!("id: a2\ndata: {note}\n\n"))
        }
        (3, "GET") if headers["last-event-id"] == "a2" => events(REPLY),
        _ => respond(500, "text/plain", "unexpected"),
    });
    let recorder = Recorder::new();
    insta::assert_snapshot!(post(&target, &recorder, soon()).await, @r#"
    in Some(1): {"jsonrpc":"2.0","method":"notifications/message"}
    in Some(1): {"jsonrpc":"2.0","id":1,"result":{}}
    ended with HTTP 200, the event stream complete after 1 event, resumed 2 times after event id "b"
    "#);
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let resumed = vec![pair("Accept", "text/event-stream"), pair("Last-Event-ID", "a")];
    assert_eq!(requests(&recorder)[1], ("GET".to_owned(), resumed));
    // Each continuation is an exchange of its own in the trace.
    let of_third = recorder.trace().messages().any(|(event, _)| event.exchange == Some(3));
    assert!(of_third);
}

#[tokio::test]
async fn a_broken_stream_is_resumed() {
    let broken = || {
        let pieces = [Ok(REPLY.replace("\"id\":1,\"result\":{}", "\"method\":\"m\"")), Err("cut")];
        let pieces = pieces.map(|piece| piece.map_err(std::io::Error::other));
        events(Body::from_stream(stream::iter(pieces)))
    };
    let target = server(move |number, _, headers| match number {
        1 => broken(),
        _ if headers["last-event-id"] == "b" => events(format!("retry: 1\n{REPLY}")),
        _ => respond(500, "text/plain", "unexpected"),
    });
    insta::assert_snapshot!(post(&target, &Recorder::new(), soon()).await, @r#"
    in Some(1): {"jsonrpc":"2.0","method":"m"}
    in Some(1): {"jsonrpc":"2.0","id":1,"result":{}}
    ended with HTTP 200, the event stream broken off: cut after 1 event, resumed once after event id "b"
    "#);
}

#[tokio::test]
async fn a_stream_that_cannot_be_resumed_is_explained() {
    const PRIMED: &str = "id: a\nretry: 1\ndata:\n\n";
    let refused = server(|number, _, _| match number {
        1 => events(PRIMED),
        _ => respond(405, "text/plain", "no GET here"),
    });
    insta::assert_snapshot!(post(&refused, &Recorder::new(), soon()).await, @r#"
    in Some(1): "no GET here"
    ended with HTTP 200, the event stream complete after 1 event, whose continuation ended with HTTP 405, a body of type text/plain
    "#);

    let recorder = Recorder::new();
    let forgetful = server(|_, _, _| events(PRIMED));
    insta::assert_snapshot!(post(&forgetful, &recorder, soon()).await, @r#"ended with HTTP 200, the event stream complete after 1 event, resumed 3 times after event id "a", without anything new"#);
    assert_eq!(requests(&recorder).len(), 4);

    let late = server(|_, _, _| events("id: a\nretry: 3600000\ndata:\n\n"));
    insta::assert_snapshot!(post(&late, &Recorder::new(), soon()).await, @"ended with HTTP 200, the event stream complete after 1 event, to be resumed only after 3600 s, which is after the deadline of the reply");
}

#[tokio::test]
async fn streams_without_ids_or_of_the_stateless_era_are_not_resumed() {
    let recorder = Recorder::new();
    let unnumbered = server(|_, _, _| events("retry: 1\ndata:\n\n"));
    insta::assert_snapshot!(post(&unnumbered, &recorder, soon()).await, @"ended with HTTP 200, the event stream complete after 1 event");
    assert_eq!(requests(&recorder).len(), 1);

    let recorder = Recorder::new();
    let mut connection =
        open(&server(|_, _, _| events("id: a\nretry: 1\ndata:\n\n")), &recorder).await;
    connection.set_revision(Revision::V2026_07_28);
    let sent = connection.send(request(1, "tools/call"), soon()).await;
    until_ended(&mut connection, sent).await;
    assert_eq!(requests(&recorder).len(), 1);
    assert!(connection.listen(soon()).await.is_none());
}

#[tokio::test]
async fn unsolicited_messages_arrive_on_the_get_stream() {
    let target = server(|number, method, headers| match (number, method.as_str()) {
        (1, "GET") if headers["mcp-protocol-version"] == "2025-11-25" => {
            events("id: 7\nretry: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"first\"}\n\n")
        }
        (2, "GET") if headers["last-event-id"] == "7" => {
            endless("data: {\"jsonrpc\":\"2.0\",\"method\":\"second\"}\n\n")
        }
        _ => respond(405, "text/plain", ""),
    });
    let mut connection = open(&target, &Recorder::new()).await;
    connection.set_revision(Revision::V2025_11_25);
    let sent = connection.listen(soon()).await.unwrap();
    assert!(sent.written);
    for method in ["first", "second"] {
        let Incoming::Message { origin, message, .. } = next(&mut connection).await else {
            panic!("a message should come")
        };
        assert_eq!((origin.exchange, message.method()), (sent.exchange, Some(method)));
    }
    let refused = connection.resume("unknown", soon()).await.unwrap();
    assert_eq!(until_ended(&mut connection, refused).await, "ended with HTTP 405, an empty body");
    assert!(connection.close_exchange(sent.exchange.unwrap()));
    assert!(!connection.close_exchange(refused.exchange.unwrap()));
}

#[tokio::test]
async fn an_open_get_stream_does_not_delay_the_end() {
    let target = server(|_, _, _| endless("data: {\"jsonrpc\":\"2.0\",\"method\":\"first\"}\n\n"));
    let recorder = Recorder::new();
    let mut connection = open(&target, &recorder).await;
    connection.set_revision(Revision::V2025_11_25);
    assert!(connection.listen(soon()).await.unwrap().written);
    assert!(matches!(next(&mut connection).await, Incoming::Message { .. }));
    assert!(connection.end(Duration::from_secs(20)).now_or_never().is_some(), "it waits");
    let stayed = |event: &crate::trace::Event| matches!(event.kind, EventKind::Lingered { .. });
    assert!(!recorder.trace().events.iter().any(stayed));
}

#[tokio::test]
async fn closing_an_exchange_closes_the_response() {
    /// Signals its drop.
    struct Held(#[allow(dead_code, reason = "its drop is what counts")] oneshot::Sender<()>);
    let (held, dropped) = oneshot::channel();
    let held = Mutex::new(Some(Held(held)));
    let target = server(move |_, _, _| {
        let held = held.lock().unwrap().take();
        let first = stream::iter([Ok::<_, std::io::Error>(Bytes::from(REPLY))]);
        let rest = stream::pending().map(move |piece| {
            let _ = &held;
            piece
        });
        events(Body::from_stream(first.chain(rest)))
    });
    let recorder = Recorder::new();
    let mut connection = open(&target, &recorder).await;
    let sent = connection.send(request(1, "tools/call"), soon()).await;
    let exchange = sent.exchange.unwrap();
    assert!(matches!(next(&mut connection).await, Incoming::Message { .. }));
    assert!(connection.close_exchange(exchange));
    assert!(!connection.close_exchange(exchange));
    assert!(clock::within(soon(), dropped).await.unwrap().is_err());
    let closed = |event: &crate::trace::Event| {
        event.exchange == Some(exchange) && matches!(event.kind, EventKind::Closed { .. })
    };
    assert!(recorder.trace().events.iter().any(closed));
}

#[tokio::test]
async fn all_replies_of_a_batch_are_awaited() {
    let target = server(|number, _, _| match number {
        1 => events(format!("retry: 1\n{REPLY}")),
        2 => events(REPLY.replace("\"id\":1", "\"id\":2")),
        _ => respond(500, "text/plain", "unexpected"),
    });
    let recorder = Recorder::new();
    let mut connection = open(&target, &recorder).await;
    let note = Message::Notification(Notification { method: "n".to_owned(), params: None });
    let batch = Outgoing::batch([request(1, "a"), note, request(2, "b")]);
    let sent = connection.send(batch, soon()).await;
    let lines = until_ended(&mut connection, sent).await;
    assert!(lines.contains("\"id\":1") && lines.contains("\"id\":2"), "{lines}");
    assert_eq!(requests(&recorder).len(), 2);
}

#[tokio::test]
async fn a_new_conversation_does_not_send_the_old_session_id() {
    let target = server(|number, _, _| {
        let mut response = respond(200, "application/json", "{}");
        if number == 1 {
            response.headers_mut().insert("mcp-session-id", "s1".parse().unwrap());
        }
        response
    });
    let recorder = Recorder::new();
    let mut connection = open(&target, &recorder).await;
    let sent = connection.send(request(1, "initialize"), soon()).await;
    until_ended(&mut connection, sent).await;
    connection.set_revision(Revision::V2025_11_25);
    assert_eq!(connection.session().as_deref(), Some("s1"));
    for method in ["ping", "initialize"] {
        let sent = connection.send(request(2, method), soon()).await;
        until_ended(&mut connection, sent).await;
    }
    // The second conversation was given no session.
    assert_eq!(connection.session(), None);
    let named = |(_, headers): &(String, Vec<(String, String)>)| {
        let names = headers.iter().map(|(name, _)| name.as_str());
        names.filter(|name| name.to_ascii_lowercase().starts_with("mcp-")).count()
    };
    assert_eq!(requests(&recorder).iter().map(named).collect::<Vec<_>>(), [0, 2, 0]);
}
