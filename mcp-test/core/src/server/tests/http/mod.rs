//! Conversations over HTTP, in process.

mod announcing;
mod faults;
mod given;
mod legacy;
mod memory;
mod misbehavior;
mod resumption;
mod sessions;
mod stateless;
mod streams;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use http::StatusCode;
use http_body_util::BodyExt;
use tower::ServiceExt;

use crate::server::Server;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// An endpoint to send requests to, with the headers that are sent each time.
struct Endpoint {
    router: axum::Router,
    headers: Vec<(String, String)>,
}

/// What came back.
struct Reply {
    status: StatusCode,
    headers: http::HeaderMap,
    body: Result<String, String>,
}

impl Reply {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap_or("unreadable"))
    }

    /// Status, content type and body.
    fn shown(&self) -> String {
        let body = match &self.body {
            Ok(body) => body.clone(),
            Err(error) => format!("broken: {error}"),
        };
        format!("{} {}\n{body}", self.status.as_u16(), self.header("content-type"))
    }
}

impl Endpoint {
    fn new(server: &Server) -> Self {
        Self::at(server.router())
    }

    fn at(router: axum::Router) -> Self {
        let headers = [
            ("accept", "application/json, text/event-stream"),
            ("content-type", "application/json"),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self { router, headers: headers.into() }
    }

    fn with(&self, name: &str, value: &str) -> Self {
        let mut headers = self.without(name).headers;
        headers.push((name.to_owned(), value.to_owned()));
        Self { router: self.router.clone(), headers }
    }

    fn without(&self, name: &str) -> Self {
        let headers = self.headers.iter().filter(|(own, _)| own != name).cloned().collect();
        Self { router: self.router.clone(), headers }
    }

    /// The headers of a stateless request.
    fn stateless(&self, method: &str) -> Self {
        self.with("mcp-protocol-version", "2026-07-28").with("mcp-method", method)
    }

    async fn open(&self, method: &str, body: &str) -> Response {
        let mut request = Request::builder().method(method).uri("/mcp");
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let request = request.body(Body::from(body.to_owned())).unwrap();
        self.router.clone().oneshot(request).await.unwrap()
    }

    async fn call(&self, method: &str, body: &str) -> Reply {
        let (head, body) = self.open(method, body).await.into_parts();
        let body = match body.collect().await {
            Ok(body) => Ok(String::from_utf8_lossy(&body.to_bytes()).into_owned()),
            Err(error) => Err(error.to_string()),
        };
        Reply { status: head.status, headers: head.headers, body }
    }

    async fn post(&self, body: &str) -> Reply {
        self.call("POST", body).await
    }

    /// The endpoint inside of a new session.
    async fn session(&self, version: &str) -> Self {
        let opened = self.post(&INITIALIZE.replace("2025-11-25", version)).await;
        self.with("mcp-session-id", opened.header("mcp-session-id"))
    }
}

fn run<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}
