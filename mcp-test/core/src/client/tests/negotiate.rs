//! Negotiation with servers of either era and of both.

use std::time::Duration;

use serde_json::{Value, json};

use super::answering;
use crate::check::Finding;
use crate::client::{Client, Options};
use crate::spec::Revision;
use crate::trace::{Party, Recorder};
use crate::transport::{Target, TransportKind};

fn options() -> Options {
    let options = Options::speaking(Revision::NEWEST).timeout(Duration::from_secs(20));
    Options { probe_timeout: Duration::from_secs(20), ..options }
}

/// The negotiated revision, and the methods that the client sent.
async fn negotiate(target: &Target, options: Options) -> Result<(Revision, Vec<String>), Finding> {
    let recorder = Recorder::new();
    let client = Client::negotiate(target, TransportKind::Duplex, &recorder, options).await?;
    Ok((client.revision(), methods(&recorder)))
}

fn methods(recorder: &Recorder) -> Vec<String> {
    let trace = recorder.trace();
    let sent = trace.messages().filter(|(event, _)| event.party == Party::Client);
    sent.filter_map(|(_, message)| message.method().map(str::to_owned)).collect()
}

const HANDSHAKE: [&str; 3] = ["server/discover", "initialize", "notifications/initialized"];

fn initialized(request: &Value) -> Vec<Value> {
    let result = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}});
    vec![json!({"jsonrpc": "2.0", "id": request["id"], "result": result})]
}

/// A server of the handshake era with this answer to an unknown method.
fn legacy(unknown: impl Fn(&Value) -> Vec<Value> + Send + Sync + 'static) -> Target {
    answering(move |request| match request["method"].as_str() {
        Some("initialize") => initialized(&request),
        Some("server/discover") => unknown(&request),
        _ => Vec::new(),
    })
}

fn error(request: &Value, error: &Value) -> Vec<Value> {
    vec![json!({"jsonrpc": "2.0", "id": request["id"], "error": error})]
}

#[tokio::test]
async fn every_error_except_those_of_modern_servers_leads_to_the_handshake() {
    for code in [-32601, -32602, -32603, -32000, 5] {
        let target = legacy(move |request| error(request, &json!({"code": code, "message": "?"})));
        let (revision, methods) = negotiate(&target, options()).await.unwrap();
        assert_eq!(revision, Revision::V2025_06_18, "{code}");
        assert_eq!(methods, HANDSHAKE, "{code}");
    }
}

#[tokio::test]
async fn silence_and_an_unrelated_result_lead_to_the_handshake() {
    let impatient = Options { probe_timeout: Duration::from_millis(50), ..options() };
    let (_, methods) = negotiate(&legacy(|_| Vec::new()), impatient).await.unwrap();
    assert_eq!(methods, HANDSHAKE);
    let odd = |request: &Value| vec![json!({"jsonrpc": "2.0", "id": request["id"], "result": {}})];
    let (_, methods) = negotiate(&legacy(odd), options()).await.unwrap();
    assert_eq!(methods, HANDSHAKE);
}

#[tokio::test]
async fn a_modern_refusal_decides_the_revision() {
    let unsupported = |supported: Value| {
        legacy(move |request| {
            let data = json!({"supported": supported, "requested": "2026-07-28"});
            error(request, &json!({"code": -32022, "message": "unsupported", "data": data}))
        })
    };
    let (revision, _) = negotiate(&unsupported(json!(["2025-06-18"])), options()).await.unwrap();
    assert_eq!(revision, Revision::V2025_06_18);
    let unknown = negotiate(&unsupported(json!(["2031-01-01"])), options()).await.unwrap_err();
    insta::assert_snapshot!(unknown, @r#"
    the server speaks no MCP revision that mcp-test knows
      expected one of 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28
      got ["2031-01-01"]
    "#);
    let mismatch = legacy(|request| error(request, &json!({"code": -32020, "message": "headers"})));
    insta::assert_snapshot!(negotiate(&mismatch, options()).await.unwrap_err(), @"
    `server/discover` was refused
      expected a description of the server, or the revisions that it speaks
      got error -32020: headers
    ");
}

#[cfg(feature = "http")]
mod http {
    //! Negotiation over HTTP.

    use axum::Router;
    use axum::body::Body;
    use axum::http::{Method, Response, header};
    use futures_util::{StreamExt, stream};

    use super::*;

    fn respond(status: u16, media: &str, body: impl Into<Body>) -> Response<Body> {
        let builder = Response::builder().status(status).header(header::CONTENT_TYPE, media);
        builder.body(body.into()).unwrap_or_default()
    }

    fn refusing(refusal: fn(&Value) -> Response<Body>) -> Target {
        let answer = move |body: String| async move {
            let request: Value = serde_json::from_str(&body).unwrap_or_default();
            match request["method"].as_str() {
                Some("initialize") => {
                    respond(200, "application/json", initialized(&request)[0].to_string())
                }
                Some("server/discover") => refusal(&request),
                _ => respond(202, "text/plain", ""),
            }
        };
        Target::router(move || Router::new().fallback(answer))
    }

    async fn negotiate(target: &Target) -> Result<(Revision, Vec<String>), Finding> {
        let recorder = Recorder::new();
        let client = Client::negotiate(target, TransportKind::Router, &recorder, options()).await?;
        Ok((client.revision(), methods(&recorder)))
    }

    #[tokio::test]
    async fn the_body_of_a_refusal_decides_the_era() {
        for refusal in [
            |_: &Value| respond(400, "text/plain", ""),
            |_: &Value| respond(404, "text/html", "<h1>Not here</h1>"),
            |request: &Value| {
                let error = &error(request, &json!({"code": -32600, "message": "no session"}))[0];
                respond(400, "application/json", error.to_string())
            },
        ] {
            let (revision, methods) = negotiate(&refusing(refusal)).await.unwrap();
            assert_eq!(revision, Revision::V2025_06_18);
            assert_eq!(methods, HANDSHAKE);
        }
        let modern = refusing(|request| {
            let error = &error(request, &json!({"code": -32020, "message": "headers"}))[0];
            respond(400, "application/json", error.to_string())
        });
        let finding = negotiate(&modern).await.unwrap_err();
        assert_eq!(finding.got.as_deref(), Some("error -32020: headers"));
    }

    #[tokio::test]
    async fn a_server_that_refuses_posts_is_reached_over_sse() {
        let (push, _) = tokio::sync::broadcast::channel::<String>(16);
        let listening = push.clone();
        let stream = move || {
            let replies = stream::unfold(listening.subscribe(), |mut messages| async move {
                messages.recv().await.ok().map(|event| (event, messages))
            });
            let first = "event: endpoint\ndata: /messages\n\n".to_owned();
            let events = stream::iter([first]).chain(replies).map(Ok::<_, std::io::Error>);
            respond(200, "text/event-stream", Body::from_stream(events))
        };
        let sse = move |method: Method| async move {
            if method == "GET" { stream() } else { respond(405, "text/plain", "") }
        };
        let post = move |body: String| async move {
            let request: Value = serde_json::from_str(&body).unwrap_or_default();
            if request["method"] == "initialize" {
                let reply = &initialized(&request)[0];
                let _ = push.send(format!("event: message\ndata: {reply}\n\n"));
            }
            respond(202, "text/plain", "")
        };
        let router = Router::new()
            .route("/sse", axum::routing::any(sse))
            .route("/messages", axum::routing::post(post));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let target = Target::url(format!("http://{}/sse", listener.local_addr().unwrap()));
        tokio::spawn(async move { axum::serve(listener, router).await });

        let recorder = Recorder::new();
        let client = Client::negotiate(&target, TransportKind::Http, &recorder, options()).await;
        let client = client.unwrap();
        assert_eq!(client.transport(), TransportKind::Sse);
        assert_eq!(client.revision(), Revision::V2025_06_18);
        assert!(!recorder.trace().deadline_fired());
    }

    #[tokio::test]
    async fn nothing_is_tried_after_a_refused_connection() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let target = Target::url(format!("http://{}/mcp", listener.local_addr().unwrap()));
        drop(listener);
        let recorder = Recorder::new();
        let client = Client::negotiate(&target, TransportKind::Http, &recorder, options()).await;
        assert_eq!(client.map(drop).unwrap_err().blame, crate::check::Blame::Environment);
        assert_eq!(methods(&recorder), ["server/discover"]);
    }
}
