//! What the server announces, on GET streams and on subscriptions; sessions that it ends.

use std::time::Duration;

use axum::body::Body;
use futures_util::FutureExt;
use http::StatusCode;
use http_body_util::BodyExt;
use insta::assert_snapshot;
use serde_json::json;

use super::{Endpoint, PING, run};
use crate::clock;
use crate::clock::Deadline;
use crate::server::Server;
use crate::server::reference::everything;

const TOOLS: &str = "notifications/tools/list_changed";
const PROMPTS: &str = "notifications/prompts/list_changed";
const UPDATED: &str = "notifications/resources/updated";

/// A server that tells of changes of its tools, its prompts and its resources.
fn changing() -> Server {
    everything().capabilities(json!({
        "tools": {"listChanged": true},
        "prompts": {"listChanged": true},
        "resources": {"subscribe": true},
    }))
}

fn listen(id: &str, filter: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"subscriptions/listen","params":{{"notifications":{filter},{}}}}}"#,
        super::META
    )
}

async fn event(body: &mut Body) -> String {
    let frame = body.frame().await.expect("the stream has ended").unwrap();
    String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap()
}

#[test]
fn a_session_hears_of_changes_on_its_get_stream() {
    let server = changing().on("resources/subscribe", async |_| json!({}));
    run(async {
        let session = Endpoint::new(&server).session("2025-06-18").await;
        let mut stream = session.open("GET", "").await.into_body();
        server.announce(UPDATED, json!({"uri": "test://a"}));
        let subscribe = r#"{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"test://a"}}"#;
        assert_eq!(session.post(subscribe).await.status, StatusCode::OK);
        server.announce(UPDATED, json!({"uri": "test://b"}));
        server.announce("notifications/resources/list_changed", json!({}));
        server.announce(UPDATED, json!({"uri": "test://a"}));
        server.announce(TOOLS, json!({}));
        assert_snapshot!(event(&mut stream).await + &event(&mut stream).await, @r#"
        id: 2-0
        data: {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://a"}}

        id: 2-1
        data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}
        "#);
    });
}

#[test]
fn a_subscription_gets_what_it_asks_for() {
    let server = changing();
    run(async {
        let endpoint = Endpoint::new(&server).stateless("subscriptions/listen");
        let filter = r#"{"toolsListChanged":true,"resourcesListChanged":true,"promptsListChanged":false,"resourceSubscriptions":["test://a",7]}"#;
        let opened = endpoint.open("POST", &listen("\"s\"", filter)).await;
        assert_eq!(opened.headers()["content-type"], "text/event-stream");
        let mut stream = opened.into_body();
        assert_snapshot!(event(&mut stream).await, @r#"data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["test://a"]},"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}"#);
        server.announce(PROMPTS, json!({}));
        server.announce(UPDATED, json!({"uri": "test://b"}));
        server.announce(UPDATED, json!({"uri": "test://a"}));
        server.announce(TOOLS, json!({}));
        assert_snapshot!(event(&mut stream).await + &event(&mut stream).await, @r#"
        data: {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://a","_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}

        data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}
        "#);

        // Another one, under a number, is independent of it.
        let other = endpoint.open("POST", &listen("7", r#"{"promptsListChanged":true}"#)).await;
        let mut other = other.into_body();
        event(&mut other).await;
        server.announce(PROMPTS, json!({}));
        assert_snapshot!(event(&mut other).await, @r#"data: {"jsonrpc":"2.0","method":"notifications/prompts/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}"#);
        assert!(stream.frame().now_or_never().is_none());

        server.end_subscriptions();
        assert_snapshot!(event(&mut stream).await, @r#"data: {"jsonrpc":"2.0","id":"s","result":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s","io.modelcontextprotocol/serverInfo":{"name":"mcp-test-everything","version":"0.1.0"}},"resultType":"complete"}}"#);
        assert!(stream.frame().await.is_none());
        event(&mut other).await;
        assert!(other.frame().await.is_none());
    });
}

#[test]
fn a_subscription_without_a_filter_is_refused() {
    run(async {
        let endpoint = Endpoint::new(&changing()).stateless("subscriptions/listen");
        assert_snapshot!(endpoint.post(&listen("1", "true")).await.shown(), @r#"
        200 application/json
        {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"`notifications` must be an object, got a boolean"}}
        "#);
    });
}

#[test]
fn the_end_of_a_listener_ends_subscriptions_in_good_order() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    runtime.block_on(async {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let listening = changing().listen("127.0.0.1:0").await.unwrap();
        let mut client = tokio::net::TcpStream::connect(listening.address()).await.unwrap();
        let body = listen("1", "{}");
        let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: subscriptions/listen";
        let request = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        client.write_all(request.as_bytes()).await.unwrap();
        let mut said = String::new();
        let mut chunk = [0; 4096];
        while !said.contains("acknowledged") {
            let read = client.read(&mut chunk).await.unwrap();
            assert!(read > 0, "{said}");
            said.push_str(&String::from_utf8_lossy(&chunk[..read]));
        }
        listening.end().await;
        let patience = Deadline::after(Duration::from_secs(20));
        clock::within(patience, client.read_to_string(&mut said)).await.unwrap().unwrap();
        assert!(said.contains(r#""resultType":"complete""#), "{said}");
    });
}

#[test]
fn a_session_that_the_server_ended_is_unknown() {
    let server = changing();
    run(async {
        let session = Endpoint::new(&server).session("2025-11-25").await;
        let mut stream = session.open("GET", "").await.into_body();
        server.expire_sessions();
        assert!(stream.frame().await.is_none());
        assert_eq!(session.post(PING).await.status, StatusCode::NOT_FOUND);
        assert_eq!(session.call("GET", "").await.status, StatusCode::NOT_FOUND);
        let next = session.without("mcp-session-id").session("2025-11-25").await;
        assert_eq!(next.post(PING).await.status, StatusCode::OK);
    });
}
