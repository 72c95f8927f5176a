//! Conversations over HTTP: the rules of both eras, and the faults that only HTTP has.

use axum::{body::Body, extract::Request, response::Response};
use futures_util::FutureExt;
use http::StatusCode;
use http_body_util::BodyExt;
use insta::assert_snapshot;
use serde_json::json;
use tower::ServiceExt;

use crate::{
    server::{Call, Server, reference::everything},
    spec::{Revision, Revisions},
    transport::{Fault, Limits},
};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// An endpoint to talk to, with the headers that are sent each time.
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
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap_or("unreadable"))
    }

    /// Status, content type and body.
    fn shown(&self) -> String {
        let body = match &self.body {
            Ok(body) => body.clone(),
            Err(error) => format!("broken: {error}"),
        };
        format!(
            "{} {}\n{body}",
            self.status.as_u16(),
            self.header("content-type")
        )
    }
}

impl Endpoint {
    fn new(server: &Server) -> Self {
        let headers = [
            ("accept", "application/json, text/event-stream"),
            ("content-type", "application/json"),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self {
            router: server.router(),
            headers: headers.into(),
        }
    }

    fn with(&self, name: &str, value: &str) -> Self {
        let mut headers = self.without(name).headers;
        headers.push((name.to_owned(), value.to_owned()));
        Self {
            router: self.router.clone(),
            headers,
        }
    }

    fn without(&self, name: &str) -> Self {
        let headers = self
            .headers
            .iter()
            .filter(|(own, _)| own != name)
            .cloned()
            .collect();
        Self {
            router: self.router.clone(),
            headers,
        }
    }

    /// The headers of a stateless request.
    fn stateless(&self, method: &str) -> Self {
        self.with("mcp-protocol-version", "2026-07-28")
            .with("mcp-method", method)
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
            Ok(body) => Ok(String::from_utf8(body.to_bytes().to_vec()).unwrap()),
            Err(error) => Err(error.to_string()),
        };
        Reply {
            status: head.status,
            headers: head.headers,
            body,
        }
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
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(future)
}

/// A request of the stateless era.
fn request(method: &str, params: &str) -> String {
    let comma = if params.is_empty() { "" } else { "," };
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}{comma}{META}}}}}"#)
}

#[test]
fn a_session_from_initialize_to_delete() {
    run(async {
        let endpoint = Endpoint::new(&everything());
        let opened = endpoint.post(INITIALIZE).await;
        let id = opened.header("mcp-session-id");
        assert!(
            id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "{id}"
        );
        assert_eq!(
            (opened.status, opened.header("content-type")),
            (StatusCode::OK, "application/json")
        );

        let session = endpoint
            .with("mcp-session-id", id)
            .with("mcp-protocol-version", "2025-11-25");
        let initialized = session
            .post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await;
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

        assert_eq!(
            session.call("DELETE", "").await.status,
            StatusCode::NO_CONTENT
        );
        assert_snapshot!(session.post(PING).await.shown(), @r#"
        404 application/json
        {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"there is no such session"}}
        "#);
        assert_eq!(session.call("GET", "").await.status, StatusCode::NOT_FOUND);
    });
}

#[test]
fn what_http_does_not_let_in() {
    run(async {
        let endpoint = Endpoint::new(&everything());
        let session = endpoint.session("2025-11-25").await;
        let mut limits = Limits::default();
        limits.body = 10;
        let small = Endpoint::new(&everything().limits(limits));
        let replies = [
            ("no session", endpoint.post(PING).await),
            (
                "unknown session",
                endpoint.with("mcp-session-id", "x").post(PING).await,
            ),
            (
                "bad version",
                session
                    .with("mcp-protocol-version", "1999-01-01")
                    .post(PING)
                    .await,
            ),
            (
                "foreign origin",
                session
                    .with("origin", "http://evil.example")
                    .post(PING)
                    .await,
            ),
            (
                "own origin",
                session
                    .with("origin", "http://localhost:80")
                    .post(PING)
                    .await,
            ),
            (
                "not JSON",
                session.with("content-type", "text/plain").post(PING).await,
            ),
            (
                "no streams",
                session.with("accept", "application/json").post(PING).await,
            ),
            ("PUT", session.call("PUT", "").await),
            ("too large", small.post(PING).await),
            ("garbage", session.post("{").await),
            ("no message", session.post("{}").await),
            (
                "a faulty reply",
                session
                    .post(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#)
                    .await,
            ),
            ("a batch", session.post(&format!("[{PING}]")).await),
            ("GET without session", endpoint.call("GET", "").await),
            (
                "GET of JSON",
                session
                    .with("accept", "application/json")
                    .call("GET", "")
                    .await,
            ),
            ("DELETE without session", endpoint.call("DELETE", "").await),
        ];
        let shown: Vec<_> = replies
            .iter()
            .map(|(what, reply)| format!("{what}: {}", reply.shown().replace('\n', " ")))
            .collect();
        assert_snapshot!(shown.join("\n"), @r#"
        no session: 400 application/json {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"the header `Mcp-Session-Id` is missing"}}
        unknown session: 404 application/json {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"there is no such session"}}
        bad version: 400 application/json {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"the version in `MCP-Protocol-Version` is not supported"}}
        foreign origin: 403 text/plain; charset=utf-8 this origin is not allowed
        own origin: 200 application/json {"jsonrpc":"2.0","id":2,"result":{}}
        not JSON: 415 text/plain; charset=utf-8 the body must be `application/json`
        no streams: 406 text/plain; charset=utf-8 `Accept` must list `application/json` and `text/event-stream`
        PUT: 405 text/plain; charset=utf-8 the endpoint does not have this method
        too large: 413 text/plain; charset=utf-8 the body is too large, or broke off
        garbage: 400 application/json {"jsonrpc":"2.0","error":{"code":-32700,"message":"line 1, column 2: expected a member name in double quotes, found the end of the text"}}
        no message: 400 application/json {"jsonrpc":"2.0","error":{"code":-32600,"message":"expected /jsonrpc is \"2.0\", got nothing"}}
        a faulty reply: 400 text/plain; charset=utf-8 the body is no JSON-RPC message
        a batch: 400 application/json {"jsonrpc":"2.0","error":{"code":-32600,"message":"expected one message, got an array"}}
        GET without session: 400 text/plain; charset=utf-8 the header `Mcp-Session-Id` is missing
        GET of JSON: 406 text/plain; charset=utf-8 `Accept` must list `text/event-stream`
        DELETE without session: 400 text/plain; charset=utf-8 the header `Mcp-Session-Id` is missing
        "#);
        assert_eq!(replies[7].1.header("allow"), "GET, POST, DELETE");
    });
}

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
fn batches_over_http() {
    run(async {
        let session = Endpoint::new(&everything()).session("2025-03-26").await;
        assert_snapshot!(session.post(&format!("[{PING},{{\"jsonrpc\":\"2.0\",\"method\":\"x\"}}]")).await.shown(), @r#"
        200 application/json
        [{"jsonrpc":"2.0","id":2,"result":{}}]
        "#);
        let told = session.post(r#"[{"jsonrpc":"2.0","method":"x"}]"#).await;
        assert_eq!(told.status, StatusCode::ACCEPTED);
    });
}

#[test]
fn a_call_that_says_something_meanwhile_is_a_stream() {
    let server = everything().on("tools/call", |call: Call| async move {
        call.notify(
            "notifications/message",
            json!({"level": "info", "data": "hello"}),
        )
        .await
        .unwrap();
        json!({"content": []})
    });
    run(async {
        let session = Endpoint::new(&server).session("2025-06-18").await;
        let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}}"#;
        assert_snapshot!(session.post(call).await.shown(), @r#"
        200 text/event-stream
        data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"hello","level":"info"}}

        data: {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
        "#);
    });
}

#[test]
fn a_stream_is_primed_where_clients_may_poll() {
    run(async {
        let server = everything().streaming_replies();
        let primed = Endpoint::new(&server)
            .session("2025-11-25")
            .await
            .post(PING)
            .await
            .body
            .unwrap();
        let (first, rest) = primed.split_once("\n\n").unwrap();
        assert!(
            first.starts_with("id: ") || first.contains("\nid: "),
            "{first}"
        );
        assert!(rest.contains("data: {"), "{rest}");
        let plain = Endpoint::new(&server)
            .session("2025-06-18")
            .await
            .post(PING)
            .await
            .body
            .unwrap();
        assert_snapshot!(plain, @r#"data: {"jsonrpc":"2.0","id":2,"result":{}}"#);
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
        let answer = session
            .post(r#"{"jsonrpc":"2.0","id":"server-1","result":{"roots":[]}}"#)
            .await;
        assert_eq!(answer.status, StatusCode::ACCEPTED);
        let rest = stream.collect().await.unwrap().to_bytes();
        assert_snapshot!(String::from_utf8_lossy(&rest), @r#"data: {"jsonrpc":"2.0","id":2,"result":{"content":[],"roots":{"roots":[]}}}"#);
    });
}

#[test]
fn stateless_requests_stand_by_themselves() {
    run(async {
        let endpoint = Endpoint::new(&everything());
        let call = request("tools/call", r#""name":"test_simple_text""#);
        let served = endpoint
            .stateless("tools/call")
            .with("mcp-name", "test_simple_text")
            .post(&call)
            .await;
        assert_snapshot!(served.shown(), @r#"
        200 application/json
        {"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"This is a simple text response for testing.","type":"text"}],"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mcp-test-everything","version":"0.1.0"}}}}
        "#);
        assert!(served.headers.get("mcp-session-id").is_none());
        let told = endpoint
            .stateless("x")
            .post(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#)
            .await;
        assert_eq!(
            (told.status, told.body.as_deref()),
            (StatusCode::ACCEPTED, Ok(""))
        );
        for method in ["GET", "DELETE"] {
            let refused = endpoint.stateless("x").call(method, "").await;
            assert_eq!(
                (refused.status, refused.header("allow")),
                (StatusCode::METHOD_NOT_ALLOWED, "POST")
            );
        }
    });
}

#[test]
fn stateless_headers_mirror_the_body() {
    run(async {
        let endpoint = Endpoint::new(&everything());
        let list = request("tools/list", "");
        let call = request("tools/call", r#""name":"test_simple_text""#);
        let good = endpoint.stateless("tools/list");
        let calling = endpoint.stateless("tools/call");
        let v999 = list.replace("2026-07-28", "v999");
        let mut replies = vec![
            (
                "no version",
                good.without("mcp-protocol-version").post(&list).await,
            ),
            (
                "other version",
                good.with("mcp-protocol-version", "2025-11-25")
                    .post(&list)
                    .await,
            ),
            (
                "unsupported version",
                good.with("mcp-protocol-version", "v999").post(&v999).await,
            ),
            ("no method", good.without("mcp-method").post(&list).await),
            (
                "other method",
                good.with("mcp-method", "TOOLS/LIST").post(&list).await,
            ),
            ("no name", calling.post(&call).await),
            (
                "other name",
                calling.with("mcp-name", "x").post(&call).await,
            ),
            (
                "garbled name",
                calling.with("mcp-name", "=?base64?!?=").post(&call).await,
            ),
            (
                "no _meta",
                good.post(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#)
                    .await,
            ),
            (
                "a reply",
                good.post(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await,
            ),
            ("a batch", good.post(&format!("[{list}]")).await),
            ("garbage", good.post("{").await),
        ];
        for method in [
            "initialize",
            "ping",
            "logging/setLevel",
            "resources/subscribe",
            "unknown/method",
        ] {
            replies.push((
                method,
                endpoint.stateless(method).post(&request(method, "")).await,
            ));
        }
        let shown: Vec<_> = replies
            .iter()
            .map(|(what, reply)| format!("{what}: {}", reply.shown().replace('\n', " ")))
            .collect();
        assert_snapshot!(shown.join("\n"), @r#"
        no version: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `MCP-Protocol-Version` is missing"}}
        other version: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `MCP-Protocol-Version` is `2025-11-25`, but the body says `2026-07-28`"}}
        unsupported version: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"unsupported protocol version; this server speaks 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05","data":{"requested":"v999","supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]}}}
        no method: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `Mcp-Method` is missing"}}
        other method: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `Mcp-Method` is `TOOLS/LIST`, but the body says `tools/list`"}}
        no name: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `Mcp-Name` is missing"}}
        other name: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `Mcp-Name` is `x`, but the body says `test_simple_text`"}}
        garbled name: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `Mcp-Name` cannot be read"}}
        no _meta: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"`_meta` must hold a string as `io.modelcontextprotocol/protocolVersion`, got nothing"}}
        a reply: 400 text/plain; charset=utf-8 a client sends no replies in this revision
        a batch: 400 application/json {"jsonrpc":"2.0","error":{"code":-32600,"message":"expected one message, got an array"}}
        garbage: 400 application/json {"jsonrpc":"2.0","error":{"code":-32700,"message":"line 1, column 2: expected a member name in double quotes, found the end of the text"}}
        initialize: 404 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: initialize"}}
        ping: 404 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: ping"}}
        logging/setLevel: 404 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: logging/setLevel"}}
        resources/subscribe: 404 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: resources/subscribe"}}
        unknown/method: 404 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: unknown/method"}}
        "#);
        for name in [
            "test_simple_text",
            "=?base64?dGVzdF9zaW1wbGVfdGV4dA==?=",
            " test_simple_text ",
        ] {
            assert_eq!(
                calling.with("mcp-name", name).post(&call).await.status,
                StatusCode::OK,
                "{name}"
            );
        }
    });
}

#[test]
fn a_modern_server_has_no_sessions() {
    run(async {
        let endpoint =
            Endpoint::new(&everything().revisions(Revisions::only(Revision::V2026_07_28)));
        assert_snapshot!(endpoint.post(INITIALIZE).await.shown(), @r#"
        400 application/json
        {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"unsupported protocol version; this server speaks 2026-07-28","data":{"requested":"2025-11-25","supported":["2026-07-28"]}}}
        "#);
        assert_eq!(
            endpoint.call("GET", "").await.status,
            StatusCode::METHOD_NOT_ALLOWED
        );
    });
}

#[test]
fn an_old_server_knows_nothing_of_meta() {
    run(async {
        let old = everything().revisions(Revisions::until(Revision::V2025_11_25));
        let endpoint = Endpoint::new(&old);
        let refused = endpoint
            .stateless("tools/list")
            .post(&request("tools/list", ""))
            .await;
        assert_snapshot!(refused.shown(), @r#"
        400 application/json
        {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"the version in `MCP-Protocol-Version` is not supported"}}
        "#);
    });
}

/// What a ping comes to when this fault is on the server.
fn ping_with(fault: &str) -> String {
    let server = everything().faults([fault.parse::<Fault>().unwrap()]);
    run(async {
        Endpoint::new(&server)
            .session("2025-06-18")
            .await
            .post(PING)
            .await
            .shown()
    })
}

#[test]
fn faults_show_over_http() {
    let faults = [
        "status:ping:500",
        "content-type:ping:text/plain",
        "html:ping",
        "empty-body:ping",
        "truncate:ping",
        "close:ping",
        "twice:ping",
        "wrong-id:ping",
    ];
    let shown: Vec<_> = faults
        .into_iter()
        .map(|fault| format!("{fault}\n{}", ping_with(fault)))
        .collect();
    assert_snapshot!(shown.join("\n"), @r#"
    status:ping:500
    500 application/json
    {"jsonrpc":"2.0","id":2,"result":{}}
    content-type:ping:text/plain
    200 text/plain
    {"jsonrpc":"2.0","id":2,"result":{}}
    html:ping
    200 text/html; charset=utf-8
    <!DOCTYPE html>
    <html><head><title>Welcome</title></head><body><h1>It works</h1></body></html>

    empty-body:ping
    200 application/json

    truncate:ping
    200 application/json
    {"jsonrpc":"2.0","
    close:ping
    200 application/json
    broken: connection aborted
    twice:ping
    200 text/event-stream
    data: {"jsonrpc":"2.0","id":2,"result":{}}

    data: {"jsonrpc":"2.0","id":2,"result":{}}


    wrong-id:ping
    200 application/json
    {"jsonrpc":"2.0","id":1002,"result":{}}
    "#);
}

#[test]
fn a_reply_that_never_comes_waits() {
    run(async {
        let server = everything().faults([Fault::never("ping")]);
        let session = Endpoint::new(&server).session("2025-06-18").await;
        let mut waiting = Box::pin(session.post(PING));
        for _ in 0..10 {
            tokio::task::yield_now().await;
            assert!((&mut waiting).now_or_never().is_none());
        }
    });
}

#[test]
fn a_faulty_session_id_still_names_its_session() {
    run(async {
        let endpoint = Endpoint::new(&everything().faults([Fault::session_id(" ")]));
        let opened = endpoint.post(INITIALIZE).await;
        let id = opened.header("mcp-session-id");
        assert!(id.contains(' '), "{id}");
        assert_eq!(
            endpoint.with("mcp-session-id", id).post(PING).await.status,
            StatusCode::OK
        );
    });
}

#[test]
fn a_listener_serves_until_it_is_ended() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .unwrap();
    runtime.block_on(async {
        let listening = everything().listen("127.0.0.1:0").await.unwrap();
        assert_eq!(
            listening.url(),
            format!("http://{}/mcp", listening.address())
        );
        let mut client = tokio::net::TcpStream::connect(listening.address())
            .await
            .unwrap();
        client
            .write_all(b"PUT /mcp HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            .await
            .unwrap();
        let mut said = String::new();
        client.read_to_string(&mut said).await.unwrap();
        assert!(said.starts_with("HTTP/1.1 405"), "{said}");
        let address = listening.address();
        listening.end().await;
        assert!(tokio::net::TcpStream::connect(address).await.is_err());
    });
}
