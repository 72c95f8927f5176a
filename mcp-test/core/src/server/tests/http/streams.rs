//! Streams: of replies, of the server's own account, and in the trace.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use http::StatusCode;
use http_body_util::BodyExt;
use insta::assert_snapshot;
use serde_json::json;

use super::{Endpoint, PING, run};
use crate::server::reference::everything;
use crate::server::{Call, Server};
use crate::trace::{EventKind, Recorder};
use crate::wire::Message;

#[test]
fn a_get_stream_lasts_as_long_as_its_session() {
    run(async {
        let session = Endpoint::new(&everything()).session("2025-06-18").await;
        let stream = session.open("GET", "").await;
        assert_eq!(stream.headers()["content-type"], "text/event-stream");
        let mut body = stream.into_body();
        let mut waiting = Box::pin(body.frame());
        assert!((&mut waiting).now_or_never().is_none());
        session.call("DELETE", "").await;
        assert!(waiting.await.is_none());
    });
}

#[test]
fn a_call_that_says_something_meanwhile_is_a_stream() {
    let server = everything().on("tools/call", |call: Call| async move {
        call.notify("notifications/message", json!({"level": "info", "data": "hello"}))
            .await
            .unwrap();
        json!({"content": []})
    });
    run(async {
        let session = Endpoint::new(&server).session("2025-06-18").await;
        let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}}"#;
        assert_snapshot!(session.post(call).await.shown(), @r#"
        200 text/event-stream
        id: 2-0
        data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"hello","level":"info"}}

        id: 2-1
        data: {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
        "#);
    });
}

#[test]
fn a_stream_is_primed_where_clients_may_poll() {
    run(async {
        let server = everything().streaming_replies();
        let primed =
            Endpoint::new(&server).session("2025-11-25").await.post(PING).await.body.unwrap();
        let (first, rest) = primed.split_once("\n\n").unwrap();
        assert!(first.starts_with("id: ") || first.contains("\nid: "), "{first}");
        assert!(rest.contains("data: {"), "{rest}");
        let plain =
            Endpoint::new(&server).session("2025-06-18").await.post(PING).await.body.unwrap();
        assert_snapshot!(plain, @r#"
        id: 2-0
        data: {"jsonrpc":"2.0","id":2,"result":{}}
        "#);
    });
}

#[test]
fn a_question_is_asked_on_the_stream_and_answered_by_a_post() {
    let server = everything().on("tools/call", |call: Call| async move {
        let roots = call.request("roots/list", json!({})).await.unwrap();
        json!({"content": [], "roots": roots.to_serde()})
    });
    run(async {
        let session = Endpoint::new(&server).session("2025-06-18").await;
        let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}}"#;
        let mut stream = session.open("POST", call).await.into_body();
        let question = stream.frame().await.unwrap().unwrap().into_data().unwrap();
        assert!(String::from_utf8_lossy(&question).contains(r#""method":"roots/list""#));
        let answer =
            session.post(r#"{"jsonrpc":"2.0","id":"server-1","result":{"roots":[]}}"#).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED);
        let rest = stream.collect().await.unwrap().to_bytes();
        assert_snapshot!(String::from_utf8_lossy(&rest), @r#"
        id: 2-1
        data: {"jsonrpc":"2.0","id":2,"result":{"content":[],"roots":{"roots":[]}}}
        "#);
    });
}

/// A server that sends a message on each notification. It counts the notifications, and adds ten when it is done.
fn talkative() -> (Server, Arc<AtomicUsize>) {
    let said = Arc::new(AtomicUsize::new(0));
    let saying = Arc::clone(&said);
    let server = everything().on("notifications/roots/list_changed", move |call: Call| {
        let said = Arc::clone(&saying);
        async move {
            if said.fetch_add(1, Ordering::Relaxed) == 0 {
                let hello = json!({"level": "info", "data": "hello"});
                call.notify("notifications/message", hello).await.unwrap();
                said.fetch_add(10, Ordering::Relaxed);
            }
            json!({})
        }
    });
    (server, said)
}

#[test]
fn what_is_said_to_a_notification_is_no_refusal_of_it() {
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#;
    run(async {
        let (server, said) = talkative();
        let session = Endpoint::new(&server).session("2025-06-18").await;
        assert_eq!(session.post(notification).await.shown().trim_end(), "202");
        assert_eq!(said.load(Ordering::Relaxed), 11);

        let (server, said) = talkative();
        let endpoint = Endpoint::new(&server).stateless("notifications/roots/list_changed");
        assert_eq!(endpoint.post(notification).await.shown().trim_end(), "202");
        assert_eq!(said.load(Ordering::Relaxed), 11);
    });
}

#[test]
fn the_server_side_of_a_session_is_recorded() {
    let recorder = Recorder::new();
    let server = everything().record(recorder.clone()).streaming_replies();
    run(async { Endpoint::new(&server).session("2025-06-18").await.post(PING).await });
    let trace = recorder.trace();
    let recorded: Vec<_> = trace
        .events
        .iter()
        .map(|event| {
            let what = match &event.kind {
                EventKind::HttpRequest { method, path, .. } => format!("{method} {path}"),
                EventKind::HttpResponse { status, .. } => status.to_string(),
                EventKind::Message { parsed, .. } => parsed.messages().map(Message::kind).collect(),
                EventKind::SseEvent { .. } => "event".to_owned(),
                other => format!("{other:?}"),
            };
            format!(
                "{} {} {what}",
                event.exchange.map_or("-".to_owned(), |number| number.to_string()),
                event.party
            )
        })
        .collect();
    assert_snapshot!(recorded.join("\n"), @r#"
    - harness Opened { transport: "http" }
    0 client POST /mcp
    0 client a request
    0 server 200
    0 server event
    0 server a response
    1 client POST /mcp
    1 client a request
    1 server 200
    1 server event
    1 server a response
    "#);
}
