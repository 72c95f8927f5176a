//! Conversations over an event stream and POSTs, and the ways in which they fail.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Response, header};
use axum::routing::{get, post};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use tokio::sync::mpsc;

use crate::clock::{self, Deadline};
use crate::trace::{EventKind, Recorder};
use crate::transport::{Connection, Incoming, Limits, Target, TransportKind};
use crate::wire::{Id, Message, Notification, Request};

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(20))
}

fn ping() -> Message {
    Message::Request(Request { id: Id::from(1), method: "ping".to_owned(), params: None })
}

fn note() -> Message {
    Message::Notification(Notification { method: "notifications/x".to_owned(), params: None })
}

/// Serves a router until the runtime of the test ends; returns its URL.
async fn serve(router: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}/sse")
}

fn events(body: Body) -> Response<Body> {
    let builder = Response::builder().header(header::CONTENT_TYPE, "text/event-stream");
    builder.body(body).unwrap_or_default()
}

/// A server whose stream begins with `first`, that answers a POST with this status and body, and pushes an event onto the stream.
fn server(first: &'static str, status: u16, body: &'static str, pushed: &'static str) -> Router {
    let (push, pushes) = mpsc::unbounded_channel::<&'static str>();
    let pushes = Arc::new(Mutex::new(Some(pushes)));
    let listening = move || async move {
        let pushes = pushes.lock().unwrap().take().unwrap();
        let later = stream::unfold(pushes, |mut pushes| async move {
            pushes.recv().await.map(|text| (text, pushes))
        });
        let all = stream::iter([first]).chain(later);
        events(Body::from_stream(all.map(|text| Ok::<_, std::io::Error>(Bytes::from(text)))))
    };
    let posting = move || async move {
        let _ = push.send(pushed);
        Response::builder().status(status).body(Body::from(body)).unwrap_or_default()
    };
    Router::new().route("/sse", get(listening)).route("/messages", post(posting))
}

async fn open(url: &str, recorder: &Recorder) -> Connection {
    Target::sse(url).open(TransportKind::Sse, recorder, Limits::default()).await.unwrap()
}

fn show(incoming: Incoming) -> String {
    match incoming {
        Incoming::Message { origin, message, .. } => {
            assert_eq!(origin.exchange, None);
            message.to_value().to_string()
        }
        Incoming::Invalid { head, why, kind, .. } => format!("{kind:?}: {head} ({why})"),
        Incoming::Ended { status, how, .. } => format!("{status:?}: {how}"),
        Incoming::Closed { how, .. } => how,
    }
}

/// The first observation after a message is sent to the server at `url`.
async fn first(url: &str, message: Message, deadline: Deadline) -> String {
    let mut connection = open(url, &Recorder::new()).await;
    connection.send(message, deadline).await;
    let incoming = clock::within(soon(), connection.next()).await.unwrap().unwrap();
    show(incoming).replace(url.trim_end_matches("/sse"), "[server]")
}

const ENDPOINT: &str = "event: endpoint\ndata: /messages?session_id=1\n\n";
const REPLY: &str = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n";

#[tokio::test]
async fn replies_arrive_on_the_stream() {
    let recorder = Recorder::new();
    let url = serve(server(ENDPOINT, 202, "Accepted", REPLY)).await;
    let mut connection = open(&url, &recorder).await;
    let sent = connection.send(ping(), soon()).await;
    let incoming = clock::within(soon(), connection.next()).await.unwrap().unwrap();
    assert_eq!(show(incoming), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    let posted = recorder.trace().events.into_iter().find_map(|event| match event.kind {
        EventKind::HttpRequest { method, path, .. } if event.exchange == sent.exchange => {
            Some((method, path))
        }
        _ => None,
    });
    let path = url.replace("/sse", "/messages?session_id=1");
    assert_eq!(posted, Some(("POST".to_owned(), path)));
    assert_eq!(connection.end(Duration::from_secs(1)).await.how, "the event stream was closed");
}

#[tokio::test]
async fn an_accepted_notification_ends_its_exchange() {
    let url = serve(server(ENDPOINT, 202, "Accepted", "")).await;
    assert_eq!(first(&url, note(), soon()).await, "Some(202): ended with HTTP 202");
}

#[tokio::test]
async fn a_post_that_is_refused_is_show() {
    let url = serve(server(ENDPOINT, 400, "", "")).await;
    let refused = first(&url, ping(), soon()).await;
    assert_eq!(refused, "Some(400): ended with HTTP 400, an empty body");
}

#[tokio::test]
async fn a_reply_in_the_wrong_place_or_of_another_type_does_not_count() {
    let reply = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let url = serve(server(ENDPOINT, 200, reply, "")).await;
    insta::assert_snapshot!(first(&url, ping(), soon()).await, @r#"BrokenMessage: "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}" (a message in the response to a POST, not on the event stream)"#);
    let url = serve(server(ENDPOINT, 202, "", "event: reply\ndata: {\"id\":1}\n\n")).await;
    insta::assert_snapshot!(first(&url, ping(), soon()).await, @r#"BrokenMessage: "{\"id\":1}" (an event of type "reply", not `message`)"#);
}

#[tokio::test]
async fn without_an_endpoint_messages_cannot_be_posted() {
    let url = serve(Router::new()).await;
    insta::assert_snapshot!(first(&url, ping(), soon()).await, @"Some(404): could not be made: the event stream ended with HTTP 404, an empty body");
    let url = serve(Router::new().route("/sse", get(|| async { events(Body::from(REPLY)) }))).await;
    let mut connection = open(&url, &Recorder::new()).await;
    connection.send(ping(), soon()).await;
    let mut all = Vec::new();
    for _ in 0..2 {
        all.push(show(clock::within(soon(), connection.next()).await.unwrap().unwrap()));
    }
    insta::assert_snapshot!(all.join("\n"), @r#"
    {"jsonrpc":"2.0","id":1,"result":{}}
    Some(200): could not be made: the event stream came to its end without an `endpoint` event
    "#);
    let url = serve(server(": nothing\n\n", 202, "", "")).await;
    let brief = Deadline::after(Duration::from_millis(100));
    let silent = first(&url, ping(), brief).await;
    assert!(silent.contains("no `endpoint` event came within 100 ms"), "{silent}");
    let url = serve(server("event: endpoint\ndata: http://evil.example/\n\n", 202, "", "")).await;
    insta::assert_snapshot!(first(&url, ping(), soon()).await, @"Some(200): could not be made: the event stream names an endpoint of another server: http://evil.example/");
    let url = serve(server("event: endpoint\ndata:\n\n", 202, "", "")).await;
    insta::assert_snapshot!(first(&url, ping(), soon()).await, @r#"Some(200): could not be made: the event stream has no valid URL in its `endpoint` event: """#);
}

#[tokio::test]
async fn the_end_of_the_stream_is_the_end_of_the_connection() {
    let once = || async { events(Body::from(ENDPOINT)) };
    let url =
        serve(Router::new().route("/sse", get(once)).route("/messages", post(|| async {}))).await;
    let mut connection = open(&url, &Recorder::new()).await;
    let closed = clock::within(soon(), connection.next()).await.unwrap().unwrap();
    assert_eq!(show(closed), "the server's event stream came to its end");
}
