//! Sessions of the handshake era, and what HTTP lets in.

use std::future::pending;
use std::time::Duration;

use http::StatusCode;
use insta::assert_snapshot;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use super::{Endpoint, INITIALIZE, PING, run};
use crate::clock;
use crate::clock::Deadline;
use crate::server::reference::everything;
use crate::server::{Call, Server};
use crate::spec::{Revision, Revisions};
use crate::transport::Limits;

#[test]
fn a_session_from_initialize_to_delete() {
    run(async {
        let endpoint = Endpoint::new(&everything());
        let opened = endpoint.post(INITIALIZE).await;
        let id = opened.header("mcp-session-id");
        assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
        assert_eq!(
            (opened.status, opened.header("content-type")),
            (StatusCode::OK, "application/json")
        );

        let session =
            endpoint.with("mcp-session-id", id).with("mcp-protocol-version", "2025-11-25");
        let initialized =
            session.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        assert_eq!(
            (initialized.status, initialized.body.as_deref()),
            (StatusCode::ACCEPTED, Ok(""))
        );
        assert_snapshot!(session.post(PING).await.shown(), @r#"
        200 application/json
        {"jsonrpc":"2.0","id":2,"result":{}}
        "#);
        let tool = r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"nope"}}"#;
        assert_snapshot!(session.post(tool).await.shown(), @r#"
        200 application/json
        {"jsonrpc":"2.0","id":"x","error":{"code":-32602,"message":"unknown tool: nope"}}
        "#);

        assert_eq!(session.call("DELETE", "").await.status, StatusCode::NO_CONTENT);
        assert_snapshot!(session.post(PING).await.shown(), @r#"
        404 application/json
        {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"unknown session"}}
        "#);
        assert_eq!(session.call("GET", "").await.status, StatusCode::NOT_FOUND);
    });
}

#[test]
fn what_http_does_not_let_in() {
    run(async {
        let endpoint = Endpoint::new(&everything());
        let session = endpoint.session("2025-11-25").await;
        let limits = Limits { body: 10, ..Limits::default() };
        let small = Endpoint::new(&everything().limits(limits));
        let replies = [
            ("no session", endpoint.post(PING).await),
            ("unknown session", endpoint.with("mcp-session-id", "x").post(PING).await),
            ("bad version", session.with("mcp-protocol-version", "1999-01-01").post(PING).await),
            ("foreign origin", session.with("origin", "http://evil.example").post(PING).await),
            ("foreign host", session.with("host", "evil.example").post(PING).await),
            ("own host", session.with("host", "127.0.0.1:80").post(PING).await),
            ("own origin", session.with("origin", "http://localhost:80").post(PING).await),
            ("not JSON", session.with("content-type", "text/plain").post(PING).await),
            ("no streams", session.with("accept", "application/json").post(PING).await),
            ("PUT", session.call("PUT", "").await),
            ("too large", small.post(PING).await),
            ("garbage", session.post("{").await),
            ("no message", session.post("{}").await),
            (
                "a faulty reply",
                session.post(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#).await,
            ),
            ("a batch", session.post(&format!("[{PING}]")).await),
            ("GET without session", endpoint.call("GET", "").await),
            ("GET of JSON", session.with("accept", "application/json").call("GET", "").await),
            ("DELETE without session", endpoint.call("DELETE", "").await),
        ];
        let shown: Vec<_> = replies
            .iter()
            .map(|(what, reply)| format!("{what}: {}", reply.shown().replace('\n', " ")))
            .collect();
        assert_snapshot!(shown.join("\n"), @r#"
        no session: 400 application/json {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"the header `Mcp-Session-Id` is missing"}}
        unknown session: 404 application/json {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"unknown session"}}
        bad version: 400 application/json {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"the version in `MCP-Protocol-Version` is not supported"}}
        foreign origin: 403 text/plain; charset=utf-8 this origin is not allowed
        foreign host: 403 text/plain; charset=utf-8 this host is not allowed
        own host: 200 application/json {"jsonrpc":"2.0","id":2,"result":{}}
        own origin: 200 application/json {"jsonrpc":"2.0","id":2,"result":{}}
        not JSON: 415 text/plain; charset=utf-8 the body must be `application/json`
        no streams: 406 text/plain; charset=utf-8 `Accept` must list `application/json` and `text/event-stream`
        PUT: 405 text/plain; charset=utf-8 the endpoint does not support this method
        too large: 413 text/plain; charset=utf-8 the body is too large
        garbage: 400 application/json {"jsonrpc":"2.0","error":{"code":-32700,"message":"line 1, column 2: expected a member name in double quotes, found the end of the text"}}
        no message: 400 application/json {"jsonrpc":"2.0","error":{"code":-32600,"message":"expected /jsonrpc is \"2.0\", got nothing"}}
        a faulty reply: 400 text/plain; charset=utf-8 the body is not a JSON-RPC message
        a batch: 400 application/json {"jsonrpc":"2.0","error":{"code":-32600,"message":"expected one message, got an array"}}
        GET without session: 400 text/plain; charset=utf-8 the header `Mcp-Session-Id` is missing
        GET of JSON: 406 text/plain; charset=utf-8 `Accept` must list `text/event-stream`
        DELETE without session: 400 text/plain; charset=utf-8 the header `Mcp-Session-Id` is missing
        "#);
        assert_eq!(replies[9].1.header("allow"), "GET, POST, DELETE");
    });
}

#[test]
fn the_version_header_is_ignored_where_it_is_not_defined() {
    run(async {
        // `initialize` proposes its version in the body.
        let named = |server: &Server| {
            Endpoint::new(server).with("mcp-protocol-version", Revision::V2025_11_25.as_str())
        };
        let of_2025_06_18 = everything().revisions(Revisions::until(Revision::V2025_06_18));
        let endpoint = named(&of_2025_06_18);
        let opened = endpoint.post(INITIALIZE).await;
        assert_eq!(opened.status, StatusCode::OK);
        let session = endpoint.with("mcp-session-id", opened.header("mcp-session-id"));
        assert_eq!(session.post(PING).await.status, StatusCode::BAD_REQUEST);
        let of_2025_03_26 = everything().revisions(Revisions::until(Revision::V2025_03_26));
        let session = named(&of_2025_03_26).session("2025-11-25").await;
        assert_eq!(session.post(PING).await.status, StatusCode::OK);
    });
}

#[test]
fn batches_over_http() {
    run(async {
        let session = Endpoint::new(&everything()).session("2025-03-26").await;
        assert_snapshot!(session.post(&format!("[{PING},{{\"jsonrpc\":\"2.0\",\"method\":\"x\"}}]")).await.shown(), @r#"
        200 application/json
        [{"jsonrpc":"2.0","id":2,"result":{}}]
        "#);
        let received = session.post(r#"[{"jsonrpc":"2.0","method":"x"}]"#).await;
        assert_eq!(received.status, StatusCode::ACCEPTED);
    });
}

#[test]
fn a_listener_serves_until_it_is_ended() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    runtime.block_on(async {
        let listening = everything().listen("127.0.0.1:0").await.unwrap();
        assert_eq!(listening.url(), format!("http://{}/mcp", listening.address()));
        let mut client = TcpStream::connect(listening.address()).await.unwrap();
        client
            .write_all(b"PUT /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
            .await
            .unwrap();
        let mut said = String::new();
        client.read_to_string(&mut said).await.unwrap();
        assert!(said.starts_with("HTTP/1.1 405"), "{said}");
        let address = listening.address();
        listening.end().await;
        assert!(TcpStream::connect(address).await.is_err());
    });
}

/// Says when it is dropped.
struct Witness(mpsc::UnboundedSender<&'static str>);

impl Drop for Witness {
    fn drop(&mut self) {
        self.0.send("gone").ok();
    }
}

/// Opens a connection to a server that never answers, ends the server, and returns what the client got to hear.
async fn cut_off(server: Server, mut received: mpsc::UnboundedReceiver<&'static str>) -> String {
    let patience = Deadline::after(Duration::from_secs(20));
    let listening = server.listen("127.0.0.1:0").await.unwrap();
    let mut client = TcpStream::connect(listening.address()).await.unwrap();
    let body = INITIALIZE;
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json";
    let request = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    client.write_all(request.as_bytes()).await.unwrap();
    assert_eq!(received.recv().await, Some("begun"));
    listening.end().await;
    assert_eq!(clock::within(patience, received.recv()).await, Ok(Some("gone")));
    let mut said = String::new();
    let reading = clock::within(patience, client.read_to_string(&mut said)).await;
    assert!(reading.is_ok(), "the connection stays open");
    said
}

#[test]
fn the_end_of_a_listener_cuts_off_what_does_not_end() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    runtime.block_on(async {
        let (tell, received) = mpsc::unbounded_channel();
        let silent = everything().on("initialize", move |_: Call| {
            let witness = Witness(tell.clone());
            async move {
                witness.0.send("begun").ok();
                pending::<serde_json::Value>().await
            }
        });
        let said = cut_off(silent, received).await;
        assert!(said.starts_with("HTTP/1.1 503"), "{said}");

        let (tell, received) = mpsc::unbounded_channel();
        let talking = everything().on("initialize", move |call: Call| {
            let witness = Witness(tell.clone());
            async move {
                call.notify("notifications/message", json!({"data": "wait"})).await.unwrap();
                witness.0.send("begun").ok();
                pending::<serde_json::Value>().await
            }
        });
        let said = cut_off(talking, received).await;
        assert!(said.starts_with("HTTP/1.1 200") && said.contains("wait"), "{said}");
    });
}
