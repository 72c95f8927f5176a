//! Hostile servers over HTTP: behind a socket, and in this process.

use std::fmt::Write;
use std::future::pending;
use std::io;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use futures_util::stream::unfold;
use mcp_test::spec::Revision;
use mcp_test::transport::{Target, TransportKind};
use mcp_test_tests::hostile::framed::{Act, Acts};
use mcp_test_tests::hostile::http::Running;
use mcp_test_tests::hostile::{Behavior, Hostile};
use mcp_test_tests::program::free_port;

use crate::scenario_run::{METHOD, NO_TIMEOUT, SCENARIO, run_scenarios, scenario_runs};

/// Behaviors with a JSON body that are noticed without waiting.
pub(crate) const BODIES: [Behavior; 25] = [
    Behavior::Well,
    Behavior::WrongId,
    Behavior::RetypedId,
    Behavior::NullId,
    Behavior::NoId,
    Behavior::HugeId,
    Behavior::Twice,
    Behavior::AnsiReply,
    Behavior::Html,
    Behavior::Plain,
    Behavior::Empty,
    Behavior::TruncatedJson,
    Behavior::InvalidUtf8,
    Behavior::Bom,
    Behavior::Nul,
    Behavior::NulInside,
    Behavior::TwoOnALine,
    Behavior::Deep,
    Behavior::DuplicateMembers,
    Behavior::HugeNumbers,
    Behavior::LoneSurrogate,
    Behavior::Status500,
    Behavior::WrongContentType,
    Behavior::NoContentType,
    Behavior::Accepted,
];

/// Behaviors with an event stream that are noticed without waiting.
pub(crate) const STREAMS: [Behavior; 17] = [
    Behavior::Well,
    Behavior::WrongId,
    Behavior::RetypedId,
    Behavior::NullId,
    Behavior::NoId,
    Behavior::LogLine,
    Behavior::Empty,
    Behavior::TruncatedJson,
    Behavior::InvalidUtf8,
    Behavior::Bom,
    Behavior::Nul,
    Behavior::TwoOnALine,
    Behavior::Deep,
    Behavior::DuplicateMembers,
    Behavior::StreamEndsEarly,
    Behavior::StreamNeverEnds,
    Behavior::UnknownFields,
];

/// Behaviors that need a socket.
const SOCKETS: [Behavior; 12] = [
    Behavior::Trickle,
    Behavior::RedirectLoop,
    Behavior::WrongChunks,
    Behavior::CutChunks,
    Behavior::TwoLengths,
    Behavior::ShortBody,
    Behavior::ExitInstead,
    Behavior::Hangup,
    Behavior::Reset,
    Behavior::NoHttp,
    Behavior::Tls,
    Behavior::EndlessHead,
];

/// The server in this process.
pub(crate) fn router(behavior: Behavior, streams: bool) -> Target {
    let hostile = Hostile::on(METHOD, behavior);
    Target::router(move || {
        let hostile = hostile.clone();
        Router::new().fallback(move |request: Request| {
            let hostile = hostile.clone();
            async move { answer(&hostile, request, streams).await }
        })
    })
}

async fn answer(hostile: &Hostile, request: Request, streams: bool) -> Response {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.expect("our client sends its body");
    let answer = hostile.answer(head.method.as_str(), &body, streams);
    let mut response = Response::new(body_of(answer.body, hostile.behavior));
    *response.status_mut() = StatusCode::from_u16(answer.status).expect("a status");
    for (name, value) in answer.headers {
        response.headers_mut().insert(name, value.parse().expect("a value"));
    }
    response
}

fn body_of(acts: Acts, behavior: Behavior) -> Body {
    Body::from_stream(unfold(acts, move |mut acts| async move {
        match acts.next()? {
            Act::Write(bytes) => Some((Ok(bytes), acts)),
            Act::End if behavior == Behavior::StreamEndsEarly => None,
            Act::End => Some((Err(io::Error::from(io::ErrorKind::ConnectionAborted)), acts)),
            Act::Wait => pending().await,
        }
    }))
}

/// Behaviors over the HTTP+SSE of 2024-11-05 that are noticed without waiting.
const SSE: [Behavior; 17] = [
    Behavior::Well,
    Behavior::WrongId,
    Behavior::RetypedId,
    Behavior::NullId,
    Behavior::NoId,
    Behavior::LogLine,
    Behavior::TruncatedJson,
    Behavior::InvalidUtf8,
    Behavior::Bom,
    Behavior::Nul,
    Behavior::TwoOnALine,
    Behavior::Deep,
    Behavior::DuplicateMembers,
    Behavior::Trickle,
    Behavior::ExitInstead,
    Behavior::StreamEndsEarly,
    Behavior::Status500,
];

/// The report of a behavior.
fn report(behavior: Behavior, target: Target, transport: TransportKind) -> String {
    let revision = match transport {
        TransportKind::Sse => Revision::V2024_11_05,
        _ => Revision::V2025_11_25,
    };
    let result =
        run_scenarios(target, &scenario_runs(SCENARIO, &[revision], transport), NO_TIMEOUT);
    assert!(result.deadlines().is_empty(), "{behavior}: {:?}", result.deadlines());
    result.report()
}

fn behind_a_socket(behavior: Behavior, streams: bool) -> String {
    let running = Running::start(Hostile::on(METHOD, behavior), streams);
    let report = report(behavior, Target::url(running.url()), TransportKind::Http);
    assert!(running.request_count() > 0, "{behavior}");
    report.replace(&running.port().to_string(), "[port]")
}

fn everywhere(behaviors: &[Behavior], streams: bool) -> String {
    let mut text = String::new();
    for &behavior in behaviors {
        eprintln!("{behavior}");
        let over_socket = behind_a_socket(behavior, streams);
        let in_process = report(behavior, router(behavior, streams), TransportKind::Router);
        pretty_assertions::assert_eq!(over_socket, in_process, "{behavior}");
        writeln!(text, "# {behavior}\n{over_socket}").expect("a string takes everything");
    }
    text
}

#[test]
fn bodies_are_reported() {
    insta::assert_snapshot!(everywhere(&BODIES, false));
}

#[test]
fn streams_are_reported() {
    insta::assert_snapshot!(everywhere(&STREAMS, true));
}

#[test]
fn connections_are_reported() {
    let mut text = String::new();
    for behavior in SOCKETS {
        eprintln!("{behavior}");
        writeln!(text, "# {behavior}\n{}", behind_a_socket(behavior, false))
            .expect("a string takes everything");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn http_with_sse_is_reported() {
    let mut text = String::new();
    for behavior in SSE {
        let running = Running::with_sse(Hostile::on(METHOD, behavior));
        let report = report(behavior, Target::sse(running.url()), TransportKind::Sse);
        writeln!(text, "# {behavior}\n{report}").expect("a string takes everything");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn a_port_without_a_listener_and_one_without_tls() {
    let port = free_port();
    let refused = report(
        Behavior::Well,
        Target::url(format!("http://127.0.0.1:{port}/mcp")),
        TransportKind::Http,
    );
    let running = Running::start(Hostile::on(METHOD, Behavior::Well), false);
    let url = running.url().replace("http:", "https:");
    let plain = report(Behavior::Well, Target::url(url), TransportKind::Http);
    insta::assert_snapshot!(format!("{refused}\n{plain}"), @"
    cannot be tested: `initialize` got no reply
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that failed without an HTTP response: connection refused: nothing listens there
      hint: is the server running, and is this its URL?

    cannot be tested: `initialize` got no reply
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that failed without an HTTP response: the response is not TLS: is the server at http:// instead of https://?
      hint: is the server running, and is this its URL?
    ");
}

/// Only the first duplicate is checked: the last one may arrive after the client has disconnected.
#[test]
fn a_duplicate_reply_on_a_stream_is_reported() {
    let reports = [
        behind_a_socket(Behavior::Twice, true),
        report(Behavior::Twice, router(Behavior::Twice, true), TransportKind::Router),
        {
            let running = Running::with_sse(Hostile::on(METHOD, Behavior::Twice));
            report(Behavior::Twice, Target::sse(running.url()), TransportKind::Sse)
        },
    ];
    for report in reports {
        assert!(
            report.contains("FAILURE wire-well-formed: `tools/list` was answered twice"),
            "{report}"
        );
    }
}
