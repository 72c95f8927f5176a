//! Servers of either era, and of both, asked by a client that knows both.

use std::time::Duration;

use serde_json::{Value, json};

use super::answering;
use crate::check::Finding;
use crate::client::{Client, Options};
use crate::spec::Revision;
use crate::trace::{Party, Recorder};
use crate::transport::{CarrierKind, Target};

fn options() -> Options {
    let options = Options::speaking(Revision::NEWEST).timeout(Duration::from_secs(20));
    Options { probe_timeout: Duration::from_secs(20), ..options }
}

/// The revision that is settled on, and the client's methods until then.
async fn settle(target: &Target, options: Options) -> Result<(Revision, Vec<String>), Finding> {
    let recorder = Recorder::new();
    let client = Client::negotiate(target, CarrierKind::Duplex, &recorder, options).await?;
    Ok((client.revision(), methods(&recorder)))
}

fn methods(recorder: &Recorder) -> Vec<String> {
    let trace = recorder.trace();
    let said = trace.messages().filter(|(event, _)| event.party == Party::Client);
    said.filter_map(|(_, message)| message.method().map(str::to_owned)).collect()
}

const HANDSHAKE: [&str; 3] = ["server/discover", "initialize", "notifications/initialized"];

fn initialized(request: &Value) -> Vec<Value> {
    let result = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}});
    vec![json!({"jsonrpc": "2.0", "id": request["id"], "result": result})]
}

/// A server of the handshake era that answers what it does not know like this.
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
async fn any_error_but_those_of_modern_servers_leads_to_the_handshake() {
    for code in [-32601, -32602, -32603, -32000, 5] {
        let target = legacy(move |request| error(request, &json!({"code": code, "message": "?"})));
        let (revision, methods) = settle(&target, options()).await.unwrap();
        assert_eq!(revision, Revision::V2025_06_18, "{code}");
        assert_eq!(methods, HANDSHAKE, "{code}");
    }
}

#[tokio::test]
async fn so_does_silence_and_a_result_of_something_else() {
    let impatient = Options { probe_timeout: Duration::from_millis(50), ..options() };
    let (_, methods) = settle(&legacy(|_| Vec::new()), impatient).await.unwrap();
    assert_eq!(methods, HANDSHAKE);
    let odd = |request: &Value| vec![json!({"jsonrpc": "2.0", "id": request["id"], "result": {}})];
    let (_, methods) = settle(&legacy(odd), options()).await.unwrap();
    assert_eq!(methods, HANDSHAKE);
}

#[tokio::test]
async fn a_modern_refusal_names_what_to_speak_and_is_never_answered_with_a_guess() {
    let unsupported = |supported: Value| {
        legacy(move |request| {
            let data = json!({"supported": supported, "requested": "2026-07-28"});
            error(request, &json!({"code": -32022, "message": "unsupported", "data": data}))
        })
    };
    let (revision, _) = settle(&unsupported(json!(["2025-06-18"])), options()).await.unwrap();
    assert_eq!(revision, Revision::V2025_06_18);
    let unknown = settle(&unsupported(json!(["2031-01-01"])), options()).await.unwrap_err();
    insta::assert_snapshot!(unknown, @r#"
    the server speaks no revision of MCP that is known here
      expected one of 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28
      got ["2031-01-01"]
    "#);
    let mismatch = legacy(|request| error(request, &json!({"code": -32020, "message": "headers"})));
    insta::assert_snapshot!(settle(&mismatch, options()).await.unwrap_err(), @"
    `server/discover` was refused
      expected what the server is, or the revisions that it speaks
      got error -32020: headers
    ");
}

#[cfg(feature = "http")]
mod http {
    //! What the status of a refusal says.

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

    async fn settle(target: &Target) -> Result<(Revision, Vec<String>), Finding> {
        let recorder = Recorder::new();
        let client = Client::negotiate(target, CarrierKind::Router, &recorder, options()).await?;
        Ok((client.revision(), methods(&recorder)))
    }

    #[tokio::test]
    async fn a_refusal_is_read_before_it_leads_to_the_handshake() {
        for refusal in [
            |_: &Value| respond(400, "text/plain", ""),
            |_: &Value| respond(404, "text/html", "<h1>Not here</h1>"),
            |request: &Value| {
                let error = &error(request, &json!({"code": -32600, "message": "no session"}))[0];
                respond(400, "application/json", error.to_string())
            },
        ] {
            let (revision, methods) = settle(&refusing(refusal)).await.unwrap();
            assert_eq!(revision, Revision::V2025_06_18);
            assert_eq!(methods, HANDSHAKE);
        }
        let modern = refusing(|request| {
            let error = &error(request, &json!({"code": -32020, "message": "headers"}))[0];
            respond(400, "application/json", error.to_string())
        });
        let finding = settle(&modern).await.unwrap_err();
        assert_eq!(finding.got.as_deref(), Some("error -32020: headers"));
    }

    #[tokio::test]
    async fn a_server_that_takes_no_posts_is_found_at_its_event_stream() {
        let (push, _) = tokio::sync::broadcast::channel::<String>(16);
        let listening = push.clone();
        let stream = move || {
            let told = stream::unfold(listening.subscribe(), |mut told| async move {
                told.recv().await.ok().map(|event| (event, told))
            });
            let first = "event: endpoint\ndata: /messages\n\n".to_owned();
            let events = stream::iter([first]).chain(told).map(Ok::<_, std::io::Error>);
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
        let client = Client::negotiate(&target, CarrierKind::Http, &recorder, options()).await;
        let client = client.unwrap();
        assert_eq!(client.carrier(), CarrierKind::Sse);
        assert_eq!(client.revision(), Revision::V2025_06_18);
        assert!(!recorder.trace().deadline_fired());
    }

    #[tokio::test]
    async fn where_nothing_listens_there_is_nothing_to_fall_back_on() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let target = Target::url(format!("http://{}/mcp", listener.local_addr().unwrap()));
        drop(listener);
        let recorder = Recorder::new();
        let client = Client::negotiate(&target, CarrierKind::Http, &recorder, options()).await;
        assert_eq!(client.map(drop).unwrap_err().blame, crate::check::Blame::Environment);
        assert_eq!(methods(&recorder), ["server/discover"]);
    }
}
