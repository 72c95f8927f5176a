//! A run against a server that supports only HTTP+SSE of 2024-11-05.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::Response;
use axum::routing::{get, post};
use futures_util::{StreamExt, stream};
use mcp_test_core::run::ExitCode;
use mcp_test_core::server::reference::everything;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::Mutex;

use super::*;

/// The writing ends of all clients, by session.
type Sessions = Arc<Mutex<Vec<WriteHalf<DuplexStream>>>>;

/// The lines of a server, as the events of a stream that begins with the endpoint.
fn events(session: usize, lines: ReadHalf<DuplexStream>) -> Response {
    let endpoint = format!("event: endpoint\ndata: /messages/{session}\n\n");
    let lines = stream::unfold(BufReader::new(lines).lines(), |mut lines| async move {
        let line = lines.next_line().await.ok()??;
        Some((format!("event: message\ndata: {line}\n\n"), lines))
    });
    let all = stream::iter([endpoint]).chain(lines).map(Ok::<_, std::io::Error>);
    let builder = Response::builder().header(header::CONTENT_TYPE, "text/event-stream");
    builder.body(Body::from_stream(all)).unwrap_or_default()
}

/// The reference server behind an event stream at `/sse`.
fn older() -> Router {
    let sessions = Sessions::default();
    let opened = sessions.clone();
    let open = move || async move {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move { everything().serve(theirs).await });
        let (lines, writing) = tokio::io::split(ours);
        let mut sessions = opened.lock().await;
        sessions.push(writing);
        events(sessions.len() - 1, lines)
    };
    let say = |axum::extract::Path(session): axum::extract::Path<usize>, body: String| async move {
        let mut sessions = sessions.lock().await;
        let Some(writing) = sessions.get_mut(session) else { return StatusCode::NOT_FOUND };
        match writing.write_all(format!("{body}\n").as_bytes()).await {
            Ok(()) => StatusCode::ACCEPTED,
            Err(_) => StatusCode::GONE,
        }
    };
    Router::new().route("/sse", get(open)).route("/messages/{session}", post(say))
}

/// The revisions found by a run with this selection against the server's URL, and its exit code.
fn ended(selection: &Selection) -> (String, ExitCode) {
    let mut speaks = String::new();
    let exit = block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/sse", listener.local_addr().expect("its address"));
        let serving = tokio::spawn(async move { axum::serve(listener, older()).await });
        let target = Target::url(url);
        let asked = selection.transports.contains(&TransportKind::Sse);
        let target = if asked { target.also_over_sse() } else { target };
        let plan =
            Plan::build(scenarios::all(), target, Profile::Adaptive, selection).expect("a plan");
        let plan = plan.timeout(Duration::from_secs(20));
        let mut on = |event| match event {
            RunEvent::PreflightDone(preflight) => speaks = format!("{:?}", preflight.speaks),
            RunEvent::PreflightFailed { finding, .. } => speaks = finding.to_string(),
            _ => {}
        };
        let exit = run(&plan, &mut on).await.exit;
        serving.abort();
        exit
    });
    (speaks, exit)
}

#[test]
fn a_refused_post_makes_the_run_fall_back() {
    let (speaks, exit) = ended(&selection(&["tools-list", "ping"]));
    assert!(speaks.starts_with("{Sse: [") && speaks.contains("V2024_11_05"), "{speaks}");
    assert_eq!(exit, ExitCode::Passed);
}

#[test]
fn a_selected_transport_prevents_the_fallback() {
    let http = Selection { transports: vec![TransportKind::Http], ..selection(&["ping"]) };
    let (problem, exit) = ended(&http);
    assert!(problem.contains("was refused with HTTP 405"), "{problem}");
    assert_eq!(exit, ExitCode::NotRun);
    let sse = Selection { transports: vec![TransportKind::Sse], ..selection(&["ping"]) };
    assert_eq!(ended(&sse).1, ExitCode::Passed);
}
