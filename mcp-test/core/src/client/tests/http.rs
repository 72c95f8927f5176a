//! The ways in which a wait ends over HTTP, on in-process routers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use futures_util::stream;
use serde_json::{Value, json};

use crate::check::{Blame, Finding};
use crate::client::{Client, Options};
use crate::spec::{Requirement, Revision};
use crate::trace::{Event, EventKind, Recorder};
use crate::transport::{Limits, Target, TransportKind};

fn respond(status: u16, media: &str, body: impl Into<Body>) -> Response<Body> {
    let builder = Response::builder().status(status).header(header::CONTENT_TYPE, media);
    builder.body(body.into()).unwrap_or_default()
}

/// A server that answers each POST with what `answer` makes of its body.
fn posting(answer: fn(Value) -> Response<Body>) -> Target {
    let handler =
        move |body: String| async move { answer(serde_json::from_str(&body).unwrap_or_default()) };
    Target::router(move || Router::new().fallback(handler))
}

async fn open(target: &Target, recorder: &Recorder, options: Options) -> Client {
    let connection = target.open(TransportKind::Router, recorder, Limits::default()).await.unwrap();
    Client::uninitialized(connection, options.timeout(Duration::from_secs(20)))
}

/// The finding that ends a wait for a reply to `ping`; no deadline may fire for it.
async fn lost(answer: fn(Value) -> Response<Body>) -> Finding {
    let recorder = Recorder::new();
    let mut client = open(&posting(answer), &recorder, Options::default()).await;
    let finding = client.request("ping", json!({})).await.map(drop).unwrap_err();
    assert!(!recorder.trace().deadline_fired());
    finding
}

#[tokio::test]
async fn a_refusal_before_the_first_message_blames_the_environment() {
    let finding = lost(|_| respond(401, "application/json", r#"{"error":"invalid_token"}"#)).await;
    assert_eq!((finding.blame, finding.requirements.len()), (Blame::Environment, 0));
    insta::assert_snapshot!(finding, @r#"
    `ping` was refused with HTTP 401
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that ended with HTTP 401, 25 bytes of application/json: "{\"error\":\"invalid_token\"}" (malformed: expected /jsonrpc is "2.0", got nothing)
      hint: the server demands authorization: `--sign-in` gets a token, `--token` or `--header` sends one that you have; in Rust `Target::bearer_token` or `Target::header`
    "#);

    insta::assert_snapshot!(lost(|_| respond(404, "text/html", "<h1>Not here</h1>")).await, @r#"
    `ping` was refused with HTTP 404
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that ended with HTTP 404, a body of type text/html: "<h1>Not here</h1>" (HTTP 404 with a body of type text/html, not application/json or text/event-stream)
      hint: is this the URL of the MCP endpoint, with its path?
    "#);

    let moved = |_| {
        let mut response = respond(302, "text/plain", "");
        response.headers_mut().insert(header::LOCATION, "/elsewhere".parse().expect("a path"));
        response
    };
    insta::assert_snapshot!(lost(moved).await, @"
    `ping` was refused with HTTP 302
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that ended with HTTP 302 to /elsewhere, an empty body
      hint: mcp-test follows no redirects: is `/elsewhere` the right URL?
    ");

    let forbidden = |_| respond(403, "text/plain", "");
    insta::assert_snapshot!(lost(forbidden).await.hint.expect("a hint"), @"does the server accept the host of this URL, and the `Origin`, if a header sets one? Many refuse those that they do not know. Or does it demand credentials (`--token`, `--header`, `Target::header`)?");
    let demanding = |_| {
        let mut response = respond(403, "text/plain", "");
        let scheme = "Bearer".parse().expect("a scheme");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
        response
    };
    insta::assert_snapshot!(lost(demanding).await.hint.expect("a hint"), @"the server demands authorization: `--sign-in` gets a token, `--token` or `--header` sends one that you have; in Rust `Target::bearer_token` or `Target::header`");
    let misdirected = |_| respond(421, "text/plain", "");
    insta::assert_snapshot!(lost(misdirected).await.hint.expect("a hint"), @"does the server accept the host of this URL, and the `Origin`, if a header sets one? Many refuse those that they do not know.");

    let finding = lost(|_| respond(500, "text/plain", "out of memory")).await;
    assert_eq!(finding.blame, Blame::Peer);
    insta::assert_snapshot!(finding, @r#"
    `ping` was refused with HTTP 500
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that ended with HTTP 500, a body of type text/plain: "out of memory" (HTTP 500 with a body of type text/plain, not application/json or text/event-stream)
    "#);
}

#[tokio::test]
async fn the_target_of_a_redirect_is_bounded_and_printable() {
    let hint = lost(|_| {
        let mut response = respond(308, "text/plain", "");
        let target = format!("https://elsewhere.example/\u{202e}{}", "x".repeat(5000));
        let target = HeaderValue::from_bytes(target.as_bytes()).expect("a header");
        response.headers_mut().insert(header::LOCATION, target);
        response
    });
    let hint = hint.await.hint.expect("a hint");
    assert!(
        hint.starts_with("mcp-test follows no redirects: is `https://elsewhere.example/"),
        "{hint}"
    );
    assert!(hint.ends_with("x…` the right URL?"), "{hint}");
    assert!(hint.chars().count() < 300 && !hint.contains('\u{202e}'), "{hint}");
    let nowhere = lost(|_| respond(307, "text/plain", "")).await;
    insta::assert_snapshot!(nowhere.hint.expect("a hint"), @"mcp-test follows no redirects, and this one names no target");
}

#[tokio::test]
async fn an_html_page_and_an_empty_body_are_reported() {
    insta::assert_snapshot!(lost(|_| respond(200, "text/html", "<h1>Welcome</h1>")).await, @r#"
    the reply to `ping` is not an MCP message
      expected a JSON-RPC response with id 1 of MCP 2025-11-25
      got "<h1>Welcome</h1>" (HTTP 200 with a body of type text/html, not application/json or text/event-stream)
    "#);
    insta::assert_snapshot!(lost(|_| respond(200, "application/json", "")).await, @"
    `ping` got no reply
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that ended with HTTP 200, an empty body
    ");
    insta::assert_snapshot!(lost(|_| respond(202, "application/json", "")).await, @"
    `ping` got no reply
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that ended with HTTP 202, an empty body
    ");
}

#[tokio::test]
async fn a_result_needs_a_success_status() {
    let with_500 = |asked: Value| {
        let reply = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {}});
        respond(500, "application/json", reply.to_string())
    };
    insta::assert_snapshot!(lost(with_500).await, @"
    the result of `ping` came with HTTP 500
      expected a result with HTTP 200
      got a result with HTTP 500
    ");
}

#[tokio::test]
async fn a_service_that_panics_ends_the_wait() {
    insta::assert_snapshot!(lost(|_| panic!("no handler")).await, @"
    `ping` got no reply
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that failed without an HTTP response: the service panicked: no handler
    ");
    let in_the_body = |_| {
        let pieces = stream::poll_fn(|_| -> std::task::Poll<Option<Result<String, String>>> {
            panic!("no more pieces")
        });
        respond(200, "application/json", Body::from_stream(pieces))
    };
    insta::assert_snapshot!(lost(in_the_body).await, @"
    `ping` got no reply
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that failed without an HTTP response: the service panicked: no more pieces
    ");
}

#[tokio::test]
async fn a_refused_notification_ends_the_handshake() {
    let strict = |asked: Value| {
        if asked.get("id").is_none() {
            return respond(StatusCode::BAD_REQUEST.as_u16(), "text/plain", "no session");
        }
        let result = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "serverInfo": {"name": "s", "version": "1"},
        });
        let reply = json!({"jsonrpc": "2.0", "id": asked["id"], "result": result});
        respond(200, "application/json", reply.to_string())
    };
    let recorder = Recorder::new();
    let mut client = open(&posting(strict), &recorder, Options::default()).await;
    let finding = client.initialize().await.map(drop).unwrap_err();
    assert_eq!(finding.requirements, [Requirement::TRANSPORT_HTTP_ACCEPTED_202]);
    insta::assert_snapshot!(finding, @"
    `notifications/initialized` was not accepted
      expected HTTP 202 Accepted
      got an exchange that ended with HTTP 400, a body of type text/plain
    ");
}

#[tokio::test]
async fn a_refused_notification_cites_nothing_before_streamable_http() {
    let old = |asked: Value| {
        if asked.get("id").is_none() {
            return respond(400, "text/plain", "no session");
        }
        let result = json!({
            "protocolVersion": "2024-11-05", "capabilities": {},
            "serverInfo": {"name": "s", "version": "1"},
        });
        let reply = json!({"jsonrpc": "2.0", "id": asked["id"], "result": result});
        respond(200, "application/json", reply.to_string())
    };
    let recorder = Recorder::new();
    let mut client = open(&posting(old), &recorder, Options::default()).await;
    let finding = client.initialize().await.map(drop).unwrap_err();
    assert!(finding.requirements.is_empty(), "{finding:?}");
}

#[tokio::test]
async fn a_polled_stream_must_deliver_its_reply() {
    let primed = |_| respond(200, "text/event-stream", "id: 1\nretry: 10\ndata: \n\n");
    let finding = lost(primed).await;
    assert_eq!(finding.blame, Blame::Peer);
    insta::assert_snapshot!(finding, @r#"
    `ping` got no reply
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that ended with HTTP 200, the event stream complete after 1 event, resumed 3 times after event id "1", without anything new
    "#);
}

#[tokio::test]
async fn lenient_ids_ignore_a_stray_reply() {
    let stray_first = |asked: Value| {
        let reply = |id: &Value| json!({"jsonrpc": "2.0", "id": id, "result": {}});
        let events = format!("data: {}\n\ndata: {}\n\n", reply(&json!(99)), reply(&asked["id"]));
        respond(200, "text/event-stream", events)
    };
    let recorder = Recorder::new();
    let options = Options { lenient_ids: true, ..Options::default() };
    let mut client = open(&posting(stray_first), &recorder, options).await;
    assert!(client.request("ping", json!({})).await.is_ok_and(|reply| reply.error().is_none()));
    insta::assert_snapshot!(lost(stray_first).await, @"
    the reply to `ping` has the wrong id
      expected a response with id 1
      got id 99, which no request has
    ");
}

#[tokio::test]
async fn lenient_ids_ignore_status_and_id_in_the_stateless_era() {
    let careless = |_| {
        let reply = json!({"jsonrpc": "2.0", "id": 99, "result": {"resultType": "complete"}});
        respond(500, "application/json", reply.to_string())
    };
    let recorder = Recorder::new();
    let stateless = || Options::speaking(Revision::NEWEST);
    let options = Options { lenient_ids: true, ..stateless() };
    let mut client = open(&posting(careless), &recorder, options).await;
    assert!(
        client.request("tools/list", json!({})).await.is_ok_and(|reply| reply.result().is_ok())
    );
    let mut client = open(&posting(careless), &recorder, stateless()).await;
    assert!(client.request("tools/list", json!({})).await.is_err());
}

#[tokio::test]
async fn a_broken_body_cites_the_requirement_of_its_revision() {
    let broken = |_| respond(200, "application/json", r#"{"jsonrpc":"2.0","id":1,"resu"#);
    for (revision, requirement) in [
        (Revision::V2025_03_26, Requirement::TRANSPORT_HTTP_REQUEST_CONTENT_TYPE),
        (Revision::V2025_11_25, Requirement::TRANSPORT_HTTP_JSON_SINGLE_OBJECT),
        (Revision::V2026_07_28, Requirement::TRANSPORT_HTTP_JSON_SINGLE_OBJECT),
    ] {
        let options = Options::speaking(revision);
        let mut client = open(&posting(broken), &Recorder::new(), options).await;
        let finding = client.request("tools/list", json!({})).await.map(drop).unwrap_err();
        assert_eq!(finding.requirements, [requirement], "{revision}");
    }
}

/// A server of one tool with a mirrored argument; it refuses calls without the header.
fn regional(request: &Value) -> Response<Body> {
    let result = match request["method"].as_str() {
        Some("tools/list") => {
            json!({"resultType": "complete", "ttlMs": 60_000, "cacheScope": "private",
            "tools": [{"name": "query", "inputSchema": {"type": "object", "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"}}}}]})
        }
        _ => json!({"resultType": "complete", "content": []}),
    };
    let reply = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
    respond(200, "application/json", reply.to_string())
}

/// The `Mcp-Param-*` headers of each POST, in order.
fn param_headers(recorder: &Recorder) -> Vec<String> {
    let mut all = Vec::new();
    for event in recorder.trace().events {
        let EventKind::HttpRequest { headers, .. } = event.kind else { continue };
        let params = headers.iter().filter(|(name, _)| name.starts_with("Mcp-Param-"));
        let params: Vec<String> = params.map(|(name, value)| format!("{name}: {value}")).collect();
        all.push(params.join(", "));
    }
    all
}

#[tokio::test]
async fn arguments_of_a_listed_tool_are_mirrored() {
    let recorder = Recorder::new();
    let stateless = Options::speaking(Revision::V2026_07_28);
    let mut client = open(&posting(|request| regional(&request)), &recorder, stateless).await;
    let call = |region: Value| json!({"name": "query", "arguments": {"region": region}});
    let listed = client.request("tools/list", json!({})).await.unwrap();
    let hints = listed.cache_hints();
    assert_eq!(
        (hints.ttl, hints.scope.as_deref()),
        (Some(Duration::from_secs(60)), Some("private"))
    );
    for region in [json!("eu"), json!(null), json!(" ")] {
        client.request("tools/call", call(region)).await.unwrap().result().unwrap();
    }
    let headers = param_headers(&recorder);
    assert_eq!(headers, ["", "Mcp-Param-Region: eu", "", "Mcp-Param-Region: =?base64?IA==?="]);
}

#[tokio::test]
async fn missing_headers_make_the_client_list_the_tools() {
    // Headers are not in the body: this server takes the second call for the mended one.
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let target = posting(|request| {
        if request["method"] == "tools/call" && CALLS.fetch_add(1, Ordering::Relaxed) == 0 {
            let error = json!({"jsonrpc": "2.0", "id": request["id"], "error": {
                "code": -32020, "message": "Mcp-Param-Region is missing"}});
            return respond(400, "application/json", error.to_string());
        }
        regional(&request)
    });
    let recorder = Recorder::new();
    let mut client = open(&target, &recorder, Options::speaking(Revision::V2026_07_28)).await;
    let call = json!({"name": "query", "arguments": {"region": "eu"}});
    let reply = client.request("tools/call", call).await.unwrap();
    reply.result().unwrap();
    assert_eq!(reply.earlier().len(), 1);
    assert_eq!(param_headers(&recorder), ["", "", "Mcp-Param-Region: eu"]);
    assert_eq!(client.unexamined_errors(), []);
}

#[tokio::test]
async fn closing_the_stream_cancels_over_http_from_2026_07_28_on() {
    let target = posting(|_| {
        let never = stream::pending::<Result<bytes::Bytes, std::io::Error>>();
        respond(200, "text/event-stream", Body::from_stream(never))
    });
    let posts = |recorder: &Recorder| {
        let posts = |event: &Event| matches!(event.kind, EventKind::HttpRequest { .. });
        recorder.trace().events.iter().filter(|event| posts(event)).count()
    };
    for (revision, expected) in [(Revision::V2026_07_28, 1), (Revision::V2025_11_25, 2)] {
        let recorder = Recorder::new();
        let mut client = open(&target, &recorder, Options::speaking(revision)).await;
        let pending = client.start("tools/call", json!({"name": "slow"})).await;
        client.cancel(pending, None).await;
        assert_eq!(posts(&recorder), expected, "{revision}");
    }
}

#[tokio::test]
async fn the_get_stream_is_opened_if_the_server_has_one() {
    let get = |status: u16, media: &'static str, body: &'static str| {
        Target::router(move || {
            Router::new().fallback(move |method: Method| async move {
                if method == "GET" { respond(status, media, body) } else { respond(202, "", "") }
            })
        })
    };
    let changed = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n";
    let recorder = Recorder::new();
    let mut client =
        open(&get(200, "text/event-stream", changed), &recorder, Options::default()).await;
    assert!(client.listen().await.unwrap());
    client.wait_for_notification("notifications/tools/list_changed").await.unwrap();

    let mut client = open(&get(405, "", ""), &recorder, Options::default()).await;
    assert!(!client.listen().await.unwrap());
    let mut client = open(&get(404, "", ""), &recorder, Options::default()).await;
    let finding = client.listen().await.unwrap_err();
    assert_eq!(finding.requirements, [Requirement::TRANSPORT_HTTP_GET_SSE_OR_405]);
    insta::assert_snapshot!(finding, @"
    the server does not handle a GET as required
      expected an event stream, or HTTP 405 Method Not Allowed
      got HTTP 404
    ");
}

/// A server that accepts only its second session.
fn forgetful() -> (Target, Arc<AtomicUsize>) {
    let sessions = Arc::new(AtomicUsize::new(0));
    let opened = sessions.clone();
    let answer = move |headers: HeaderMap, body: String| {
        let opened = opened.clone();
        async move {
            let request: Value = serde_json::from_str(&body).unwrap_or_default();
            let result = match request["method"].as_str() {
                Some("initialize") => json!({"protocolVersion": "2025-11-25", "capabilities": {},
                    "serverInfo": {"name": "s", "version": "1"}}),
                Some("notifications/initialized") => return respond(202, "text/plain", ""),
                _ if headers.get("mcp-session-id").is_none_or(|session| session != "2") => {
                    return respond(404, "text/plain", "no such session");
                }
                _ => json!({}),
            };
            let reply = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
            let mut response = respond(200, "application/json", reply.to_string());
            if request["method"] == "initialize" {
                let session = opened.fetch_add(1, Ordering::SeqCst) + 1;
                response.headers_mut().insert("mcp-session-id", session.into());
            }
            response
        }
    };
    (Target::router(move || Router::new().fallback(answer.clone())), sessions)
}

#[tokio::test]
async fn a_lost_session_is_reported_or_renewed() {
    let connect = |options: Options| async move {
        let (target, sessions) = forgetful();
        let recorder = Recorder::new();
        let connection =
            target.open(TransportKind::Router, &recorder, Limits::default()).await.unwrap();
        let options = options.timeout(Duration::from_secs(20));
        let mut client = Client::connect(connection, options).await.unwrap();
        let reply = client.request("ping", json!({})).await;
        (reply.and_then(|reply| reply.result().cloned()), sessions.load(Ordering::SeqCst))
    };
    let (lost, sessions) = connect(Options::default()).await;
    assert_eq!(sessions, 1);
    insta::assert_snapshot!(lost.unwrap_err(), @r#"
    `ping` was refused with HTTP 404
      expected an HTTP response with a JSON-RPC response with id 2
      got an exchange that ended with HTTP 404, a body of type text/plain: "no such session" (HTTP 404 with a body of type text/plain, not application/json or text/event-stream)
      hint: the server has ended the session; `Options::renewing_sessions` starts a new one
    "#);
    let (renewed, sessions) = connect(Options::default().renewing_sessions()).await;
    assert_eq!((renewed.unwrap(), sessions), (json!({}).into(), 2));
}
