//! What HTTP adds to the ways in which a wait ends, on routers of this process.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Response, StatusCode, header};
use futures_util::stream;
use serde_json::{Value, json};

use crate::check::{Blame, Finding};
use crate::client::{Client, Options};
use crate::spec::Revision;
use crate::trace::{Event, Recorder, What};
use crate::transport::{CarrierKind, Limits, Target};

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
    let link = target.open(CarrierKind::Router, recorder, Limits::default()).await.unwrap();
    Client::silent(link, options.timeout(Duration::from_secs(20)))
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
async fn a_refusal_is_told_with_its_status_and_is_nobodys_fault_before_the_first_message() {
    let finding = lost(|_| respond(401, "application/json", r#"{"error":"invalid_token"}"#)).await;
    assert_eq!((finding.blame, finding.requirements.len()), (Blame::Environment, 0));
    insta::assert_snapshot!(finding, @r#"
    `ping` was refused with HTTP 401
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that ended with HTTP 401, 25 bytes of application/json: "{\"error\":\"invalid_token\"}" (malformed: expected /jsonrpc is "2.0", got nothing)
      hint: send credentials, with `--header` or `Target::header`
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
      hint: is this the URL of the MCP endpoint, with its path?
    ");

    let finding = lost(|_| respond(500, "text/plain", "out of memory")).await;
    assert_eq!(finding.blame, Blame::Peer);
    insta::assert_snapshot!(finding, @r#"
    `ping` was refused with HTTP 500
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that ended with HTTP 500, a body of type text/plain: "out of memory" (HTTP 500 with a body of type text/plain, not application/json or text/event-stream)
    "#);
}

#[tokio::test]
async fn a_page_of_html_and_an_empty_body_are_named_as_such() {
    insta::assert_snapshot!(lost(|_| respond(200, "text/html", "<h1>Welcome</h1>")).await, @r#"
    what came instead of the reply to `ping` is no MCP message
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
async fn a_result_needs_a_status_that_says_so() {
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
async fn a_notification_that_is_refused_ends_the_handshake() {
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
    assert_eq!(finding.requirements, ["transport.http.accepted-202"]);
    insta::assert_snapshot!(finding, @"
    `notifications/initialized` was not accepted
      expected HTTP 202 Accepted
      got an exchange that ended with HTTP 400, a body of type text/plain
    ");
}

#[tokio::test]
async fn a_revision_without_streamable_http_is_not_cited_for_a_refused_notification() {
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
async fn a_stream_that_is_closed_to_be_polled_must_bring_its_reply_then() {
    let primed = |_| respond(200, "text/event-stream", "id: 1\nretry: 10\ndata: \n\n");
    let finding = lost(primed).await;
    assert_eq!(finding.blame, Blame::Peer);
    insta::assert_snapshot!(finding, @r#"
    `ping` got no reply
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that ended with HTTP 200, the event stream complete after 1 event, resumed 3 times after event id "1", which brought nothing more
    "#);
}

#[tokio::test]
async fn read_as_the_official_client_does_a_stray_reply_does_not_end_the_wait() {
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
async fn in_the_stateless_era_the_official_client_looks_at_neither_status_nor_id() {
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
async fn a_broken_body_breaks_what_its_revision_says_of_it() {
    let broken = |_| respond(200, "application/json", r#"{"jsonrpc":"2.0","id":1,"resu"#);
    for (revision, requirement) in [
        (Revision::V2025_03_26, "transport.http.request-content-type"),
        (Revision::V2025_11_25, "transport.http.json-single-object"),
        (Revision::V2026_07_28, "transport.http.json-single-object"),
    ] {
        let options = Options::speaking(revision);
        let mut client = open(&posting(broken), &Recorder::new(), options).await;
        let finding = client.request("tools/list", json!({})).await.map(drop).unwrap_err();
        assert_eq!(finding.requirements, [requirement], "{revision}");
    }
}

/// A server of one tool whose region is mirrored, and which refuses calls without.
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
        let What::HttpRequest { headers, .. } = event.what else { continue };
        let params = headers.iter().filter(|(name, _)| name.starts_with("Mcp-Param-"));
        let params: Vec<String> = params.map(|(name, value)| format!("{name}: {value}")).collect();
        all.push(params.join(", "));
    }
    all
}

#[tokio::test]
async fn what_a_listed_tool_wants_mirrored_is_mirrored() {
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
async fn a_tool_that_was_not_listed_is_looked_up_when_its_headers_are_missing() {
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
async fn over_http_the_end_of_the_stream_cancels_from_2026_07_28_on() {
    let target = posting(|_| {
        let never = stream::pending::<Result<bytes::Bytes, std::io::Error>>();
        respond(200, "text/event-stream", Body::from_stream(never))
    });
    let posts = |recorder: &Recorder| {
        let posts = |event: &Event| matches!(event.what, What::HttpRequest { .. });
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
async fn a_stream_of_the_server_is_opened_where_there_is_one() {
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
    client.until_notified("notifications/tools/list_changed").await.unwrap();

    let mut client = open(&get(405, "", ""), &recorder, Options::default()).await;
    assert!(!client.listen().await.unwrap());
    let mut client = open(&get(404, "", ""), &recorder, Options::default()).await;
    let finding = client.listen().await.unwrap_err();
    assert_eq!(finding.requirements, ["transport.http.get-sse-or-405"]);
    insta::assert_snapshot!(finding, @"
    the server does not take a GET as it should
      expected an event stream, or HTTP 405 Method Not Allowed
      got HTTP 404
    ");
}

/// A server that has lost each session when it is used, but for the second.
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
async fn a_lost_session_is_told_and_replaced_where_that_is_asked_for() {
    let connect = |options: Options| async move {
        let (target, sessions) = forgetful();
        let recorder = Recorder::new();
        let link = target.open(CarrierKind::Router, &recorder, Limits::default()).await.unwrap();
        let options = options.timeout(Duration::from_secs(20));
        let mut client = Client::connect(link, options).await.unwrap();
        let reply = client.request("ping", json!({})).await;
        (reply.and_then(|reply| reply.result().cloned()), sessions.load(Ordering::SeqCst))
    };
    let (lost, sessions) = connect(Options::default()).await;
    assert_eq!(sessions, 1);
    insta::assert_snapshot!(lost.unwrap_err(), @r#"
    `ping` was refused with HTTP 404
      expected an HTTP response with a JSON-RPC response with id 2
      got an exchange that ended with HTTP 404, a body of type text/plain: "no such session" (HTTP 404 with a body of type text/plain, not application/json or text/event-stream)
      hint: the server has lost the session; `Options::renewing_sessions` begins a new one
    "#);
    let (renewed, sessions) = connect(Options::default().renewing_sessions()).await;
    assert_eq!((renewed.unwrap(), sessions), (json!({}).into(), 2));
}
