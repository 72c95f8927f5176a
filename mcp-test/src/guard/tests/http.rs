//! The layer on Streamable HTTP: statuses, bodies, sessions, batches and streams.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::response::Response;
use axum::routing::any;
use futures_util::{StreamExt, stream};
use http::{HeaderMap, Method, Request, header};
use http_body_util::BodyExt;
use mcp_test_core::json::arbitrary;
use mcp_test_core::spec::Revision;
use mcp_test_core::spec::schema::{Authority, json_schema};
use proptest::prelude::*;
use tower::ServiceExt;

use super::Reported;
use crate::guard::Guard;

/// What a handler has seen.
type Seen = Arc<Mutex<Vec<(Method, HeaderMap, Bytes)>>>;

/// A router behind the guard that answers all requests alike; and what it has seen.
fn endpoint(guard: &Guard, respond: fn() -> Response) -> (Router, Seen) {
    let seen = Seen::default();
    let sees = Arc::clone(&seen);
    let handler = any(move |method: Method, headers: HeaderMap, body: Bytes| {
        sees.lock().unwrap().push((method, headers, body));
        async move { respond() }
    });
    (Router::new().route("/mcp", handler).layer(guard.layer()), seen)
}

fn post(body: impl Into<Body>) -> Request<Body> {
    let request =
        Request::post("/mcp").header(header::CONTENT_TYPE, "application/json; charset=utf-8");
    request.body(body.into()).unwrap()
}

/// Status, media type and body of the response.
async fn answer(router: &Router, request: Request<Body>) -> String {
    let response = router.clone().oneshot(request).await.unwrap();
    let kind = response.headers().get(header::CONTENT_TYPE).cloned();
    let kind = kind.as_ref().map_or("", |kind| kind.to_str().unwrap());
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    format!("{status} {kind}\n{}\n", String::from_utf8_lossy(&body))
}

fn accepted() -> Response {
    Response::builder().status(202).body(Body::empty()).unwrap()
}

fn json(text: &'static str) -> Response {
    Response::builder().header("content-type", "application/json").body(Body::from(text)).unwrap()
}

fn bodies(seen: &Seen) -> Vec<String> {
    let seen = seen.lock().unwrap();
    seen.iter().map(|(_, _, body)| String::from_utf8_lossy(body).into_owned()).collect()
}

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;

#[tokio::test]
async fn refusals_have_the_status_of_the_specification() {
    let mut reported = String::new();
    for revision in [Revision::V2025_03_26, Revision::V2025_11_25, Revision::V2026_07_28] {
        let guard = Guard::new(revision).reject_unknown_methods().max_bytes(400);
        let (router, seen) = endpoint(&guard, accepted);
        reported += &format!("--- {revision}\n");
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
        for body in [
            "Hello?".to_owned(),
            "7".to_owned(),
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{meta}}}}}"#),
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#.to_owned(),
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"acme/sum","params":{{{meta}}}}}"#),
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":5}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":1,"result":5}"#.to_owned(),
            " ".repeat(401),
        ] {
            reported += &answer(&router, post(body)).await;
        }
        assert_eq!(bodies(&seen), [""; 0]);
    }
    insta::assert_snapshot!(reported, @r#"
    --- 2025-03-26
    400 application/json
    {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: no JSON at line 1, column 1: expected a value","data":{"pointer":"","reason":"no JSON at line 1, column 1: expected a value"}}}
    400 application/json
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: expected a JSON-RPC message, got a number","data":{"pointer":"","reason":"expected a JSON-RPC message, got a number"}}}
    200 application/json
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: expected `/params/name` is a string, got nothing","data":{"pointer":"/params/name","reason":"expected a string, got nothing","shape":"CallToolRequestParams","keyword":"required"}}}
    200 application/json
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: expected `/params/name` is a string, got nothing","data":{"pointer":"/params/name","reason":"expected a string, got nothing","shape":"CallToolRequestParams","keyword":"required"}}}
    200 application/json
    {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: expected `/method` is a method of 2025-03-26, got another","data":{"pointer":"/method","reason":"expected a method of 2025-03-26, got another"}}}
    400 application/json
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: expected `/params` is an object or an array, got a number","data":{"pointer":"/params","reason":"expected an object or an array, got a number"}}}
    400 application/json
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: expected `/result` is an object, got a number","data":{"pointer":"/result","reason":"expected an object, got a number","shape":"Result","keyword":"type"}}}
    413 application/json
    {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the message is longer than 400 bytes","data":{"pointer":"","reason":"the message is longer than 400 bytes"}}}
    --- 2025-11-25
    400 application/json
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: no JSON at line 1, column 1: expected a value","data":{"pointer":"","reason":"no JSON at line 1, column 1: expected a value"}}}
    400 application/json
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: expected a JSON-RPC message, got a number","data":{"pointer":"","reason":"expected a JSON-RPC message, got a number"}}}
    200 application/json
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: expected `/params/name` is a string, got nothing","data":{"pointer":"/params/name","reason":"expected a string, got nothing","shape":"CallToolRequestParams","keyword":"required"}}}
    200 application/json
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: expected `/params/name` is a string, got nothing","data":{"pointer":"/params/name","reason":"expected a string, got nothing","shape":"CallToolRequestParams","keyword":"required"}}}
    200 application/json
    {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: expected `/method` is a method of 2025-11-25, got another","data":{"pointer":"/method","reason":"expected a method of 2025-11-25, got another"}}}
    400 application/json
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: expected `/params` is an object or an array, got a number","data":{"pointer":"/params","reason":"expected an object or an array, got a number"}}}
    400 application/json
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: expected `/result` is an object, got a number","data":{"pointer":"/result","reason":"expected an object, got a number","shape":"Result","keyword":"type"}}}
    413 application/json
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: the message is longer than 400 bytes","data":{"pointer":"","reason":"the message is longer than 400 bytes"}}}
    --- 2026-07-28
    400 application/json
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: no JSON at line 1, column 1: expected a value","data":{"pointer":"","reason":"no JSON at line 1, column 1: expected a value"}}}
    400 application/json
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: expected a JSON-RPC message, got a number","data":{"pointer":"","reason":"expected a JSON-RPC message, got a number"}}}
    200 application/json
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: expected `/params/name` is a string, got nothing","data":{"pointer":"/params/name","reason":"expected a string, got nothing","shape":"CallToolRequestParams","keyword":"required"}}}
    400 application/json
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: expected `/params/_meta` is a RequestMetaObject, got nothing","data":{"pointer":"/params/_meta","reason":"expected a RequestMetaObject, got nothing","shape":"CallToolRequestParams","keyword":"required","causes":[{"pointer":"/params/name","reason":"expected a string, got nothing","shape":"CallToolRequestParams","keyword":"required"}]}}}
    404 application/json
    {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: expected `/method` is a method of 2026-07-28, got another","data":{"pointer":"/method","reason":"expected a method of 2026-07-28, got another"}}}
    400 application/json
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: expected `/params` is an object or an array, got a number","data":{"pointer":"/params","reason":"expected an object or an array, got a number"}}}
    400 application/json
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: a client sends no replies at 2026-07-28","data":{"pointer":"","reason":"a client sends no replies at 2026-07-28"}}}
    413 application/json
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: the message is longer than 400 bytes","data":{"pointer":"","reason":"the message is longer than 400 bytes"}}}
    "#);
}

#[tokio::test]
async fn what_is_valid_passes_with_its_headers() {
    let (router, seen) = endpoint(&Guard::new(Revision::V2025_06_18), || json("[ 1]"));
    let body = format!(" {PING}\r\n");
    let mut request = post(body.clone());
    request.headers_mut().insert("content-length", body.len().into());
    request.headers_mut().insert("mcp-session-id", "s".parse().unwrap());
    let headers = request.headers().clone();
    insta::assert_snapshot!(answer(&router, request).await, @"
    200 application/json
    [ 1]
    ");
    assert_eq!(*seen.lock().unwrap(), [(Method::POST, headers, Bytes::from(body))]);
}

#[tokio::test]
async fn a_body_is_judged_whatever_the_headers_say() {
    let guard = Guard::new(Revision::V2025_06_18);
    let (router, seen) = endpoint(&guard, accepted);
    let wrong = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#;
    let with = |lines: &[(&'static str, &str)]| {
        let mut request = post(wrong);
        request.headers_mut().clear();
        for (name, value) in lines {
            let value = http::HeaderValue::from_bytes(value.as_bytes()).unwrap();
            request.headers_mut().append(*name, value);
        }
        request
    };
    let (kind, encoding) = ("content-type", "content-encoding");
    for lines in [
        &[][..],
        &[(kind, "application/json;x=ÿ")],
        &[(kind, " APPLICATION/JSON\t")],
        &[(kind, "text/plain"), (kind, "application/json")],
        &[(kind, "application/vnd+json")],
        &[(kind, "ÿ")],
        &[(encoding, "")],
        &[(encoding, "identity, Identity ,,")],
        &[(encoding, "identity"), (encoding, " ")],
    ] {
        let answer = answer(&router, with(lines)).await;
        assert!(answer.starts_with("200 ") && answer.contains("-32602"), "{lines:?}: {answer}");
    }
    for encoding_line in ["gzip", "identity, br", "xÿ", "identity;q=1"] {
        let request = with(&[(kind, "application/json"), (encoding, encoding_line)]);
        let response = router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), 415, "{encoding_line:?}");
        assert_eq!(response.headers()["accept-encoding"], "identity");
    }
    for method in [Method::PUT, Method::PATCH, Method::GET, Method::DELETE] {
        let mut request = with(&[]);
        *request.method_mut() = method;
        assert!(answer(&router, request).await.contains("-32602"));
    }
    assert_eq!(bodies(&seen), [""; 0]);
    assert_eq!((guard.stats().messages, guard.stats().rejected), (17, 17));
}

#[tokio::test]
async fn what_has_no_body_is_not_judged() {
    let guard = Guard::new(Revision::V2025_06_18);
    let (router, seen) = endpoint(&guard, accepted);
    for method in [Method::GET, Method::DELETE, Method::OPTIONS] {
        // Of a stream it is not known beforehand that it is empty.
        let empty = stream::empty::<Result<Bytes, std::io::Error>>();
        for body in [Body::empty(), Body::from_stream(empty)] {
            let request = Request::builder().method(&method).uri("/mcp").body(body).unwrap();
            assert!(answer(&router, request).await.starts_with("202 "));
        }
    }
    assert_eq!(bodies(&seen), [""; 6]);
    assert_eq!(guard.stats().messages, 0);
}

#[tokio::test]
async fn headers_that_contradict_each_other_are_refused() {
    let (router, seen) = endpoint(&Guard::negotiated(), accepted);
    for name in ["mcp-session-id", "mcp-protocol-version"] {
        for (second, status) in [("2025-06-18", "202"), ("2025-03-26", "400")] {
            let mut request = post(PING);
            request.headers_mut().append(name, "2025-06-18".parse().unwrap());
            request.headers_mut().append(name, second.parse().unwrap());
            assert_eq!(&answer(&router, request).await[..3], status, "{name}: {second}");
        }
    }
    assert_eq!(bodies(&seen), [PING; 2]);
}

#[tokio::test]
async fn the_length_is_that_of_what_was_judged() {
    let (router, seen) = endpoint(&Guard::negotiated(), accepted);
    let mut request = post(PING);
    request.headers_mut().append("content-length", "2".parse().unwrap());
    request.headers_mut().append("content-length", "x".parse().unwrap());
    assert!(answer(&router, request).await.starts_with("202 "));
    let headers = &seen.lock().unwrap()[0].1;
    let lengths: Vec<_> = headers.get_all("content-length").iter().collect();
    assert_eq!(lengths, [&PING.len().to_string()]);
}

#[tokio::test]
async fn a_body_that_breaks_off_is_refused() {
    let guard = Guard::negotiated();
    let (router, seen) = endpoint(&guard, accepted);
    let broken = Err(std::io::Error::from(std::io::ErrorKind::ConnectionReset));
    let pieces = stream::iter([Ok(Bytes::from_static(b"{")), broken]);
    insta::assert_snapshot!(answer(&router, post(Body::from_stream(pieces))).await, @r#"
    400 application/json
    {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the body broke off","data":{"pointer":"","reason":"the body broke off"}}}
    "#);
    assert_eq!(bodies(&seen), [""; 0]);
    assert_eq!((guard.stats().messages, guard.stats().rejected), (1, 1));
}

#[tokio::test]
async fn the_revision_is_that_of_the_header_or_of_the_session() {
    let guard = Guard::negotiated();
    let (router, seen) = endpoint(&guard, || {
        let mut response = json(
            r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#,
        );
        response.headers_mut().insert("mcp-session-id", "one".parse().unwrap());
        response
    });
    let batch = format!("[{PING}]");
    let sent = async |session: Option<&str>, version: Option<&str>| {
        let mut request = post(batch.clone());
        let headers = [("mcp-session-id", session), ("mcp-protocol-version", version)];
        for (name, value) in headers {
            if let Some(value) = value {
                request.headers_mut().insert(name, value.parse().unwrap());
            }
        }
        answer(&router, request).await[..3].to_owned()
    };
    // Without any knowledge, it is the revision that has batches.
    assert_eq!(sent(None, None).await, "200");
    assert_eq!(sent(None, Some("2025-11-25")).await, "400");
    assert_eq!(sent(None, Some("2042-01-01")).await, "200");
    answer(&router, post(INITIALIZE)).await;
    assert_eq!(sent(Some("one"), None).await, "400");
    // A header does not loosen what the session has agreed on.
    assert_eq!(sent(Some("one"), Some("2025-03-26")).await, "400");
    assert_eq!(sent(Some("one"), Some("2042-01-01")).await, "400");
    assert_eq!(sent(Some("two"), None).await, "200");
    let end = Request::delete("/mcp").header("mcp-session-id", "one").body(Body::empty());
    answer(&router, end.unwrap()).await;
    assert_eq!(sent(Some("one"), None).await, "200");
    assert_eq!(bodies(&seen).len(), 6);
}

/// A handler that opens the session, and agrees on the revision, that the id of `initialize` names.
fn sessions(guard: &Guard) -> (Router, Seen) {
    let seen = Seen::default();
    let sees = Arc::clone(&seen);
    let handler = any(move |method: Method, headers: HeaderMap, body: Bytes| {
        let value = mcp_test_core::json::Value::parse(&body).unwrap().value;
        sees.lock().unwrap().push((method, headers, body));
        let opens =
            value.get("method").and_then(mcp_test_core::json::Value::as_str) == Some("initialize");
        let id = value.get("id").and_then(mcp_test_core::json::Value::as_str).unwrap_or_default();
        let result = format!(
            r#"{{"jsonrpc":"2.0","id":"{id}","result":{{"protocolVersion":"{id}","capabilities":{{}},"serverInfo":{{"name":"s","version":"1"}}}}}}"#
        );
        let response = Response::builder().header("content-type", "application/json");
        let response = if opens { response.header("mcp-session-id", id) } else { response };
        async move { response.body(Body::from(if opens { result } else { String::new() })).unwrap() }
    });
    (Router::new().route("/mcp", handler).layer(guard.layer()), seen)
}

/// The id of `initialize` as the revision that is to be agreed on.
fn initialize(revision: Revision) -> String {
    INITIALIZE.replace("\"id\":1", &format!("\"id\":\"{revision}\""))
}

#[tokio::test]
async fn no_name_lets_a_message_pass_that_its_session_forbids() {
    let guard = Guard::negotiated().reject_unknown_methods();
    let (router, seen) = sessions(&guard);
    for revision in [Revision::V2025_11_25, Revision::V2024_11_05] {
        answer(&router, post(initialize(revision))).await;
    }
    let key = "io.modelcontextprotocol/protocolVersion";
    let metas =
        ["", "5", "{}"]
            .map(str::to_owned)
            .into_iter()
            .chain(["\"2024-11-05\"", "\"2026-07-28\"", "\"nonsense\"", "\"\"", "null", "7"].map(
            |version| {
                format!(
                    "{{\"{key}\":{version},\"io.modelcontextprotocol/clientCapabilities\":{{}}}}"
                )
            },
        ));
    let headers = [
        &[][..],
        &["2024-11-05"],
        &["2026-07-28"],
        &["nonsense"],
        &[""],
        &["\u{ff}"],
        &["2025-11-25", "x"],
    ];
    // One that only 2025-11-25 forbids, one that only it has, and one that no revision has.
    let wrong = [
        ("tools/call", r#""name":"x","task":5"#),
        ("tasks/get", r#""x":5"#),
        ("acme/x", r#""x":5"#),
    ];
    seen.lock().unwrap().clear();
    for meta in metas {
        for names in headers {
            for (method, params) in wrong {
                let meta =
                    if meta.is_empty() { String::new() } else { format!(",\"_meta\":{meta}") };
                let body = format!(
                    r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}{meta}}}}}"#
                );
                let mut request = post(body.clone());
                request.headers_mut().insert("mcp-session-id", "2025-11-25".parse().unwrap());
                for name in names {
                    let name = http::HeaderValue::from_bytes(name.as_bytes()).unwrap();
                    request.headers_mut().append("mcp-protocol-version", name);
                }
                let answer = answer(&router, request).await;
                assert!(answer.contains("\"error\""), "{names:?} {body}: {answer}");
            }
        }
    }
    assert_eq!(bodies(&seen), [""; 0]);
    // A second `initialize`, within the session, opens another one, and changes nothing about the first.
    let mut second = post(initialize(Revision::V2025_03_26));
    second.headers_mut().insert("mcp-session-id", "2025-11-25".parse().unwrap());
    answer(&router, second).await;
    let batch = format!("[{PING}]");
    for (session, passes) in [("2025-11-25", false), ("2025-03-26", true)] {
        let mut request = post(batch.clone());
        request.headers_mut().insert("mcp-session-id", session.parse().unwrap());
        assert_eq!(answer(&router, request).await.starts_with("200 application/json\n\n"), passes);
    }
    // Another session has agreed on something else, and its own revision applies.
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","task":5}}"#;
    for (session, passes) in [("2025-11-25", false), ("2024-11-05", true), ("unknown", false)] {
        let mut request = post(call);
        request.headers_mut().insert("mcp-session-id", session.parse().unwrap());
        assert_eq!(answer(&router, request).await.starts_with("200 application/json\n\n"), passes);
    }
}

#[tokio::test]
async fn names_that_differ_are_both_judged() {
    let (router, seen) = endpoint(&Guard::negotiated(), accepted);
    let call = |params: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"x"{params},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
        )
    };
    // The first is wrong by the header alone, the second by `_meta` alone.
    for (params, passes) in [(r#","task":5"#, false), (r#","inputResponses":5"#, false), ("", true)]
    {
        let mut request = post(call(params));
        request.headers_mut().insert("mcp-protocol-version", "2025-11-25".parse().unwrap());
        let answer = answer(&router, request).await;
        assert_eq!(answer.starts_with("202 "), passes, "{params}: {answer}");
    }
    assert_eq!(bodies(&seen).len(), 1);
}

#[tokio::test]
async fn a_session_that_begins_is_judged_by_all_that_it_may_agree_on() {
    // The result is still under way when the client has the id of the session.
    let (router, seen) = endpoint(&Guard::negotiated(), || {
        let response = Response::builder().header("content-type", "text/event-stream");
        response
            .header("mcp-session-id", "s")
            .body(Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>()))
            .unwrap()
    });
    let opened =
        router.clone().oneshot(post(INITIALIZE.replace("2025-06-18", "2024-11-05"))).await.unwrap();
    let mut request =
        post(r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","task":5}}"#);
    request.headers_mut().insert("mcp-session-id", "s".parse().unwrap());
    request.headers_mut().insert("mcp-protocol-version", "2024-11-05".parse().unwrap());
    assert!(answer(&router, request).await.contains("-32602"));
    assert_eq!(bodies(&seen).len(), 1);
    drop(opened);
}

#[tokio::test]
async fn a_schema_that_is_loaded_applies_to_a_layer_in_use() {
    let guard = Guard::new(Revision::V2025_06_18);
    let (router, _) = endpoint(&guard, accepted);
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}"#;
    assert!(answer(&router, post(call)).await.starts_with("202 "));
    let mut document = json_schema(Revision::V2025_06_18, Authority::Schema);
    document["$defs"]["CallToolRequestParams"]["required"] = serde_json::json!(["title"]);
    guard.load_schema(Revision::V2025_06_18, document.to_string().as_bytes()).unwrap();
    assert!(answer(&router, post(call)).await.contains("/params/title"));
    guard.load_schema(Revision::V2025_06_18, b"[]").unwrap_err();
    assert!(answer(&router, post(call)).await.contains("/params/title"));
}

#[tokio::test]
async fn what_is_left_of_a_batch_is_answered_together_with_the_rest() {
    let guard = Guard::new(Revision::V2025_03_26);
    let batch = format!("[{PING}, 5, {PING}]");
    let shortened = format!("[{PING},{PING}]");
    let responses: [fn() -> Response; 6] = [
        || json(" [{\"id\":1},{\"id\":1}] "),
        || json("{\"id\":1}"),
        || json("[]"),
        accepted,
        || {
            let events = Body::from("id: 1\ndata: [{\"id\":1}]\n\n");
            Response::builder().header("content-type", "text/event-stream").body(events).unwrap()
        },
        || Response::builder().status(404).body("no such session".into()).unwrap(),
    ];
    let mut reported = String::new();
    for respond in responses {
        let (router, seen) = endpoint(&guard, respond);
        let mut request = post(batch.clone());
        request.headers_mut().insert("content-length", batch.len().into());
        reported += &answer(&router, request).await;
        assert_eq!(bodies(&seen), [shortened.as_str()]);
        let length = seen.lock().unwrap()[0].1["content-length"].clone();
        assert_eq!(length, shortened.len().to_string());
    }
    let (router, _) = endpoint(&guard, accepted);
    let wrong = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call"}"#;
    reported += &answer(&router, post(format!("[{wrong},{wrong}]"))).await;
    reported += &answer(&router, post(format!("[{wrong},5]"))).await;
    reported += &answer(&router, post(r#"[{"method":"notifications/initialized"}]"#)).await;
    insta::assert_snapshot!(reported, @r#"
    200 application/json
    [{"id":1},{"id":1},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: expected a JSON-RPC message, got a number","data":{"pointer":"","reason":"expected a JSON-RPC message, got a number"}}}]
    200 application/json
    [{"id":1},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: expected a JSON-RPC message, got a number","data":{"pointer":"","reason":"expected a JSON-RPC message, got a number"}}}]
    200 application/json
    [{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: expected a JSON-RPC message, got a number","data":{"pointer":"","reason":"expected a JSON-RPC message, got a number"}}}]
    200 application/json
    [{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: expected a JSON-RPC message, got a number","data":{"pointer":"","reason":"expected a JSON-RPC message, got a number"}}}]
    200 text/event-stream
    data: [{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: expected a JSON-RPC message, got a number","data":{"pointer":"","reason":"expected a JSON-RPC message, got a number"}}}]

    id: 1
    data: [{"id":1}]


    404 
    no such session
    200 application/json
    [{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Invalid params: expected `/params` is a CallToolRequestParams, got nothing","data":{"pointer":"/params","reason":"expected a CallToolRequestParams, got nothing","shape":"CallToolRequest","keyword":"required"}}},{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Invalid params: expected `/params` is a CallToolRequestParams, got nothing","data":{"pointer":"/params","reason":"expected a CallToolRequestParams, got nothing","shape":"CallToolRequest","keyword":"required"}}}]
    400 application/json
    [{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Invalid params: expected `/params` is a CallToolRequestParams, got nothing","data":{"pointer":"/params","reason":"expected a CallToolRequestParams, got nothing","shape":"CallToolRequest","keyword":"required"}}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: expected a JSON-RPC message, got a number","data":{"pointer":"","reason":"expected a JSON-RPC message, got a number"}}}]
    400 application/json
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: expected `/jsonrpc` is \"2.0\", got nothing","data":{"pointer":"/jsonrpc","reason":"expected \"2.0\", got nothing"}}}
    "#);
}

#[tokio::test]
async fn a_response_that_is_encoded_is_neither_read_nor_added_to() {
    let reported = Reported::default();
    let encoded: fn() -> Response = || {
        let response = Response::builder().header("content-type", "text/event-stream");
        response.header("content-encoding", "gzip").body("data: noise\n\n".into()).unwrap()
    };
    let guard = Guard::new(Revision::V2025_03_26).judge_outgoing(reported.callback());
    let (router, _) = endpoint(&guard, encoded);
    assert_eq!(answer(&router, post(PING)).await, "200 text/event-stream\ndata: noise\n\n\n");
    let partly = answer(&router, post(format!("[{PING}, 5]"))).await;
    assert!(partly.starts_with("500 ") && partly.contains("cannot be completed"), "{partly}");
    assert_eq!(reported.lines(), "");
}

#[tokio::test]
async fn what_goes_out_is_read_along_event_by_event() {
    let reported = Reported::default();
    let guard = Guard::new(Revision::V2025_06_18).judge_outgoing(reported.callback());
    let (router, _) = endpoint(&guard, || {
        let pieces = [
            ": hello\n\nid: 0\ndata:\n\nda",
            "ta: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\n",
            "data: \"params\":{\"progressToken\":1}}\n\n",
            "data: {\"jsonrpc\":\"2.0\",\"id\":\"r\",\"method\":\"roots/list\"}\n\n",
            "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":5}}\n\n",
        ];
        let pieces = stream::iter(pieces.map(|piece| Ok::<_, std::io::Error>(Bytes::from(piece))));
        // After its events the stream stays open.
        let body = Body::from_stream(pieces.chain(stream::pending()));
        let response = Response::builder().header("content-type", "text/event-stream");
        response.header("mcp-session-id", "s").body(body).unwrap()
    });
    let response = router.clone().oneshot(post(INITIALIZE)).await.unwrap();
    let mut body = response.into_body().into_data_stream();
    let first = body.next().await.unwrap().unwrap();
    assert_eq!(first, ": hello\n\nid: 0\ndata:\n\nda");
    assert_eq!(reported.lines(), "");
    for _ in 0..4 {
        body.next().await.unwrap().unwrap();
    }
    insta::assert_snapshot!(reported.lines(), @"
    the server's notifications/progress: expected `/params/progress` is a number, got nothing (passed on)
    the server's initialize 1: expected `/result/protocolVersion` is a string, got nothing (passed on)
    ");

    // The request of the stream is answered by a POST of its own.
    let mut request = post(r#"{"jsonrpc":"2.0","id":"r","result":{"roots":5}}"#);
    request.headers_mut().insert("mcp-session-id", "s".parse().unwrap());
    insta::assert_snapshot!(answer(&router, request).await, @r#"
    400 application/json
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: expected `/result/roots` is an array of Roots, got a number","data":{"pointer":"/result/roots","reason":"expected an array of Roots, got a number","shape":"ListRootsResult","keyword":"type"}}}
    "#);
}

#[tokio::test]
async fn a_response_of_known_length_keeps_it_and_is_judged() {
    let reported = Reported::default();
    let guard =
        Guard::new(Revision::V2025_06_18).judge_outgoing(reported.callback()).max_bytes(100);
    let (router, _) = endpoint(&guard, || json(r#"{"jsonrpc":"2.0","id":1,"result":5}"#));
    let response = router.oneshot(post(PING)).await.unwrap();
    assert_eq!(response.headers()["content-length"], "35");
    response.into_body().collect().await.unwrap();
    let (router, _) = endpoint(&guard, || json(Box::leak("x".repeat(101).into_boxed_str())));
    answer(&router, post(PING)).await;
    insta::assert_snapshot!(reported.lines(), @"
    the server's ping 1: expected `/result` is an object, got a number (passed on)
    the server's message: the message is longer than 100 bytes (passed on)
    ");
}

proptest! {
    #[test]
    fn bodies_and_responses_pass_byte_for_byte(
        value in arbitrary::value(),
        space in "[ \r\n\t]{0,3}",
        chunks in prop::collection::vec(1..20_usize, 0..20),
    ) {
        let request = mcp_test_core::wire::Request::new(1, "acme/x", Some(mcp_test_core::json::Object::from_iter([("x", value)]).into()));
        let text = format!("{space}{}{space}", request.to_value());
        let notes = mcp_test_core::json::Value::parse(text.as_bytes()).unwrap().notes;
        prop_assume!(!notes.iter().any(|note| note.kind.is_ambiguous()));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (seen, said) = runtime.block_on(async {
            let echo = any(|body: Bytes| async move {
                ([("content-type", "application/json")], body)
            });
            let guard = Guard::new(Revision::V2025_06_18).judge_outgoing(|_| {});
            let router = Router::new().route("/mcp", echo).layer(guard.layer());
            let pieces: Vec<_> = arbitrary::split(text.as_bytes(), &chunks)
                .map(|chunk| Ok::<_, std::io::Error>(Bytes::copy_from_slice(chunk)))
                .collect();
            let body = Body::from_stream(stream::iter(pieces));
            let response = router.oneshot(post(body)).await.unwrap();
            (response.status().as_u16(), response.into_body().collect().await.unwrap().to_bytes())
        });
        prop_assert_eq!(seen, 200);
        prop_assert_eq!(said, text.into_bytes());
    }
}
