//! Streams that clients lose and come back for, and the server's own streams.

use axum::body::Body;
use futures_util::FutureExt;
use http::StatusCode;
use http_body_util::BodyExt;
use insta::assert_snapshot;
use serde_json::json;
use tokio::sync::{Mutex, mpsc};

use super::{Endpoint, run};
use crate::server::reference::everything;
use crate::server::{Call, Server};
use crate::transport::Fault;

const CALL: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}}"#;

/// A server whose tool ends the connection before it answers.
fn polled() -> Server {
    everything().on("tools/call", |call: Call| async move {
        call.end_stream().await.unwrap();
        json!({"content": []})
    })
}

/// A server whose tool sends each word that it receives from the test, and then waits for more.
fn talking() -> (Server, mpsc::UnboundedSender<&'static str>) {
    let (tell, words) = mpsc::unbounded_channel();
    let words = std::sync::Arc::new(Mutex::new(words));
    let server = everything().on("tools/call", move |call: Call| {
        let words = std::sync::Arc::clone(&words);
        async move {
            while let Some(word) = words.lock().await.recv().await {
                if word == "end" {
                    break;
                }
                call.notify("notifications/message", json!({"level": "info", "data": word}))
                    .await
                    .unwrap();
            }
            json!({"content": []})
        }
    });
    (server, tell)
}

async fn event(body: &mut Body) -> String {
    let frame = body.frame().await.expect("the stream has ended").unwrap();
    String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap()
}

async fn rest(body: Body) -> String {
    String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap()
}

#[test]
fn a_reply_is_fetched_after_the_server_ended_the_connection() {
    run(async {
        let session = Endpoint::new(&polled()).session("2025-11-25").await;
        assert_snapshot!(session.post(CALL).await.shown(), @"
        200 text/event-stream
        id: 2-0
        retry: 100
        data:
        ");
        let fetched = session.with("last-event-id", "2-0").call("GET", "").await;
        assert_snapshot!(fetched.shown(), @r#"
        200 text/event-stream
        id: 2-1
        data: {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
        "#);
        let again = session.with("last-event-id", "2-0").call("GET", "").await;
        assert_eq!(again.body, fetched.body);
    });
}

#[test]
fn no_connection_is_ended_where_clients_do_not_poll() {
    run(async {
        let session = Endpoint::new(&polled()).session("2025-06-18").await;
        assert_snapshot!(session.post(CALL).await.shown(), @r#"
        200 application/json
        {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
        "#);
    });
}

#[test]
fn a_lost_stream_goes_on_where_it_was() {
    let (server, tell) = talking();
    run(async {
        let session = Endpoint::new(&server).session("2025-03-26").await;
        tell.send("one").unwrap();
        tell.send("two").unwrap();
        let mut lost = session.open("POST", CALL).await.into_body();
        assert_snapshot!(event(&mut lost).await, @r#"
        id: 2-0
        data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"one","level":"info"}}
        "#);
        drop(lost);
        tell.send("three").unwrap();
        let resumed = session.with("last-event-id", "2-0").open("GET", "").await;
        let mut body = resumed.into_body();
        assert_snapshot!(event(&mut body).await + &event(&mut body).await, @r#"
        id: 2-1
        data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"two","level":"info"}}

        id: 2-2
        data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"three","level":"info"}}
        "#);
        tell.send("end").unwrap();
        assert_snapshot!(rest(body).await, @r#"
        id: 2-3
        data: {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
        "#);
    });
}

#[test]
fn one_reader_takes_over_from_another() {
    let (server, tell) = talking();
    run(async {
        let session = Endpoint::new(&server).session("2025-03-26").await;
        tell.send("one").unwrap();
        let mut first = session.open("POST", CALL).await.into_body();
        event(&mut first).await;
        let second = session.with("last-event-id", "2-0").open("GET", "").await.into_body();
        assert!(first.frame().await.is_none());
        tell.send("end").unwrap();
        assert_eq!(rest(second).await.matches("data:").count(), 1);
    });
}

#[test]
fn what_cannot_be_resumed_is_refused() {
    run(async {
        let broken = everything().streaming_replies().faults([Fault::close_on("tools/call")]);
        let session = Endpoint::new(&broken).session("2025-11-25").await;
        assert!(session.post(CALL).await.body.is_err());
        for id in ["", "x", "2-0", "2-99", "99-0", "-", "2-"] {
            let refused = session.with("last-event-id", id).call("GET", "").await;
            assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{id}");
        }
    });
}

#[test]
fn events_have_no_ids_where_no_stream_can_be_resumed() {
    run(async {
        let endpoint = Endpoint::new(&everything().streaming_replies());
        let session = endpoint.session("2024-11-05").await;
        let reply = session.post(super::PING).await;
        assert_snapshot!(reply.body.unwrap(), @r#"data: {"jsonrpc":"2.0","id":2,"result":{}}"#);
    });
}

#[test]
fn what_is_apart_from_a_call_comes_on_one_stream_of_the_server() {
    let server = everything().on("tools/call", |call: Call| async move {
        let apart = call.on_standalone_stream();
        apart.notify("notifications/tools/list_changed", json!({})).await.unwrap();
        json!({"content": []})
    });
    run(async {
        let session = Endpoint::new(&server).session("2025-11-25").await;
        // Nobody listens yet: it waits for the first who does.
        assert_eq!(session.post(CALL).await.header("content-type"), "application/json");
        let mut first = session.open("GET", "").await.into_body();
        assert_snapshot!(event(&mut first).await, @r#"
        id: 3-0
        data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}
        "#);
        let mut second = session.open("GET", "").await.into_body();
        session.post(CALL).await;
        assert_snapshot!(event(&mut second).await, @r#"
        id: 4-0
        data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}
        "#);
        assert!(first.frame().now_or_never().is_none());
        drop(second);
        session.post(CALL).await;
        event(&mut first).await;
        session.call("DELETE", "").await;
        assert!(first.frame().await.is_none());
    });
}
