//! The HTTP with SSE of 2024-11-05, beside the endpoint of newer revisions.

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use futures_util::FutureExt;
use http::StatusCode;
use http_body_util::BodyExt;
use insta::assert_snapshot;
use serde_json::json;
use tower::ServiceExt;

use super::{INITIALIZE, PING, run};
use crate::server::Server;
use crate::server::reference::everything;
use crate::spec::{Revision, Revisions};
use crate::transport::Fault;

pub(super) async fn send(router: &axum::Router, method: &str, path: &str, body: &str) -> Response {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("accept", "text/event-stream")
        .header("content-type", "application/json")
        .body(Body::from(body.to_owned()))
        .unwrap();
    router.clone().oneshot(request).await.unwrap()
}

async fn event(body: &mut Body) -> String {
    let frame = body.frame().await.expect("the stream has ended").unwrap();
    String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap()
}

/// Opens the stream of a server: its router, the stream, and where to post to.
async fn listen(server: &Server) -> (axum::Router, Body, String) {
    let router = server.router();
    let (stream, path) = listen_at(&router).await;
    (router, stream, path)
}

/// Opens a stream: its body, and where to post to.
pub(super) async fn listen_at(router: &axum::Router) -> (Body, String) {
    let opened = send(router, "GET", "/sse", "").await;
    assert_eq!(opened.headers()["content-type"], "text/event-stream");
    let mut stream = opened.into_body();
    let first = event(&mut stream).await;
    let path = first.strip_prefix("event: endpoint\ndata: ").unwrap().trim_end().to_owned();
    (stream, path)
}

#[test]
fn posts_are_answered_on_the_stream() {
    let server = everything();
    run(async {
        let (router, mut stream, path) = listen(&server).await;
        assert!(path.starts_with("/messages?session_id="), "{path}");
        let initialize = INITIALIZE.replace("2025-11-25", "2024-11-05");
        let accepted = send(&router, "POST", &path, &initialize).await;
        assert_eq!(accepted.status(), StatusCode::ACCEPTED);
        assert!(event(&mut stream).await.contains(r#""protocolVersion":"2024-11-05""#));
        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert_eq!(send(&router, "POST", &path, initialized).await.status(), StatusCode::ACCEPTED);
        send(&router, "POST", &path, PING).await;
        assert_snapshot!(event(&mut stream).await, @r#"
        event: message
        data: {"jsonrpc":"2.0","id":2,"result":{}}
        "#);
        server.announce("notifications/tools/list_changed", json!({}));
        assert_snapshot!(event(&mut stream).await, @r#"
        event: message
        data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}
        "#);
        assert!(stream.frame().now_or_never().is_none());
        drop(stream);
        let gone = send(&router, "POST", &path, PING).await;
        assert_eq!(gone.status(), StatusCode::NOT_FOUND);
    });
}

#[test]
fn what_is_not_let_in() {
    run(async {
        let (router, _stream, path) = listen(&everything()).await;
        for (method, to, body, status) in [
            ("POST", "/messages", PING, StatusCode::BAD_REQUEST),
            ("POST", "/messages?session_id=x", PING, StatusCode::NOT_FOUND),
            ("POST", path.as_str(), "{", StatusCode::BAD_REQUEST),
            ("GET", path.as_str(), "", StatusCode::METHOD_NOT_ALLOWED),
            ("POST", "/sse", PING, StatusCode::METHOD_NOT_ALLOWED),
        ] {
            assert_eq!(send(&router, method, to, body).await.status(), status, "{method} {to}");
        }
        let modern = everything().revisions(Revisions::from(Revision::V2025_03_26)).router();
        assert_eq!(send(&modern, "GET", "/sse", "").await.status(), StatusCode::NOT_FOUND);
    });
}

#[test]
fn faults_show_on_the_stream() {
    run(async {
        let (router, mut stream, path) = listen(&everything().faults([Fault::twice("ping")])).await;
        send(&router, "POST", &path, PING).await;
        assert_eq!(event(&mut stream).await, event(&mut stream).await);
        let (router, mut stream, path) =
            listen(&everything().faults([Fault::close_on("ping")])).await;
        send(&router, "POST", &path, PING).await;
        assert!(stream.frame().await.unwrap().is_err());
    });
}
