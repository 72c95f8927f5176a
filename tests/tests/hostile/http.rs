//! Servers over HTTP that misbehave: behind a socket, and in this process.

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
use mcp_test::transport::{CarrierKind, Target};
use mcp_test_tests::hostile::framed::{Act, Acts};
use mcp_test_tests::hostile::http::Running;
use mcp_test_tests::hostile::{Hostile, How};
use mcp_test_tests::program::free_port;

use crate::played::{FOR_EVER, METHOD, SCENARIO, cells, play};

/// What a server may do that leaves no doubt, with a body of JSON.
pub(crate) const BODIES: [How; 24] = [
    How::Well,
    How::WrongId,
    How::RetypedId,
    How::NullId,
    How::NoId,
    How::HugeId,
    How::Twice,
    How::AnsiReply,
    How::Html,
    How::Plain,
    How::Empty,
    How::TruncatedJson,
    How::InvalidUtf8,
    How::Bom,
    How::Nul,
    How::NulInside,
    How::TwoOnALine,
    How::Deep,
    How::DuplicateMembers,
    How::HugeNumbers,
    How::Status500,
    How::WrongContentType,
    How::NoContentType,
    How::Accepted,
];

/// The same with an event stream.
pub(crate) const STREAMS: [How; 17] = [
    How::Well,
    How::WrongId,
    How::RetypedId,
    How::NullId,
    How::NoId,
    How::LogLine,
    How::Empty,
    How::TruncatedJson,
    How::InvalidUtf8,
    How::Bom,
    How::Nul,
    How::TwoOnALine,
    How::Deep,
    How::DuplicateMembers,
    How::StreamEndsEarly,
    How::StreamNeverEnds,
    How::UnknownFields,
];

/// What only a server behind a socket may do.
const SOCKETS: [How; 11] = [
    How::Trickle,
    How::RedirectLoop,
    How::WrongChunks,
    How::CutChunks,
    How::ShortBody,
    How::ExitInstead,
    How::Hangup,
    How::Reset,
    How::NoHttp,
    How::Tls,
    How::EndlessHead,
];

/// The server in this process.
pub(crate) fn router(how: How, streams: bool) -> Target {
    let hostile = Hostile::on(METHOD, how);
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
    let mut response = Response::new(body_of(answer.body, hostile.how));
    *response.status_mut() = StatusCode::from_u16(answer.status).expect("a status");
    for (name, value) in answer.headers {
        response.headers_mut().insert(name, value.parse().expect("a value"));
    }
    response
}

fn body_of(acts: Acts, how: How) -> Body {
    Body::from_stream(unfold(acts, move |mut acts| async move {
        match acts.next()? {
            Act::Write(bytes) => Some((Ok(bytes), acts)),
            Act::Leave if how == How::StreamEndsEarly => None,
            Act::Leave => Some((Err(io::Error::from(io::ErrorKind::ConnectionAborted)), acts)),
            Act::Hold => pending().await,
        }
    }))
}

/// What a server may do over the HTTP+SSE of 2024-11-05.
const SSE: [How; 17] = [
    How::Well,
    How::WrongId,
    How::RetypedId,
    How::NullId,
    How::NoId,
    How::LogLine,
    How::TruncatedJson,
    How::InvalidUtf8,
    How::Bom,
    How::Nul,
    How::TwoOnALine,
    How::Deep,
    How::DuplicateMembers,
    How::Trickle,
    How::ExitInstead,
    How::StreamEndsEarly,
    How::Status500,
];

/// What is told of a way.
fn told(how: How, target: Target, carrier: CarrierKind) -> String {
    let revision = match carrier {
        CarrierKind::Sse => Revision::V2024_11_05,
        _ => Revision::V2025_11_25,
    };
    let played = play(target, &cells(SCENARIO, &[revision], carrier), FOR_EVER);
    assert!(played.deadlines().is_empty(), "{how}: {:?}", played.deadlines());
    played.told()
}

fn behind_a_socket(how: How, streams: bool) -> String {
    let running = Running::start(Hostile::on(METHOD, how), streams);
    let told = told(how, Target::url(running.url()), CarrierKind::Http);
    assert!(running.asked() > 0, "{how}");
    told.replace(&running.port().to_string(), "[port]")
}

fn everywhere(ways: &[How], streams: bool) -> String {
    let mut text = String::new();
    for &how in ways {
        eprintln!("{how}");
        let told_of_socket = behind_a_socket(how, streams);
        let told_of_router = told(how, router(how, streams), CarrierKind::Router);
        pretty_assertions::assert_eq!(told_of_socket, told_of_router, "{how}");
        writeln!(text, "# {how}\n{told_of_socket}").expect("a string takes everything");
    }
    text
}

#[test]
fn a_body_is_named_for_what_it_is() {
    insta::assert_snapshot!(everywhere(&BODIES, false));
}

#[test]
fn a_stream_is_named_for_what_it_is() {
    insta::assert_snapshot!(everywhere(&STREAMS, true));
}

#[test]
fn a_connection_is_named_for_what_it_is() {
    let mut text = String::new();
    for how in SOCKETS {
        eprintln!("{how}");
        writeln!(text, "# {how}\n{}", behind_a_socket(how, false))
            .expect("a string takes everything");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn over_http_with_sse_each_is_named() {
    let mut text = String::new();
    for how in SSE {
        let running = Running::with_sse(Hostile::on(METHOD, how));
        let told = told(how, Target::sse(running.url()), CarrierKind::Sse);
        writeln!(text, "# {how}\n{told}").expect("a string takes everything");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn a_port_where_nobody_listens_and_one_without_tls() {
    let port = free_port();
    let refused =
        told(How::Well, Target::url(format!("http://127.0.0.1:{port}/mcp")), CarrierKind::Http);
    let running = Running::start(Hostile::on(METHOD, How::Well), false);
    let url = running.url().replace("http:", "https:");
    let plain = told(How::Well, Target::url(url), CarrierKind::Http);
    insta::assert_snapshot!(format!("{refused}\n{plain}"), @"
    cannot be tested: `initialize` got no reply
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that failed without an HTTP response: connection refused: nothing listens there
      hint: is the server running, and is this its URL?

    cannot be tested: `initialize` got no reply
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that failed without an HTTP response: what came is no TLS: is the server at http:// instead of https://?
      hint: is the server running, and is this its URL?
    ");
}

/// The second of the last two replies may come when the client has left; the first one comes in time.
#[test]
fn a_reply_that_comes_twice_on_a_stream() {
    let told = [
        behind_a_socket(How::Twice, true),
        told(How::Twice, router(How::Twice, true), CarrierKind::Router),
        {
            let running = Running::with_sse(Hostile::on(METHOD, How::Twice));
            told(How::Twice, Target::sse(running.url()), CarrierKind::Sse)
        },
    ];
    for told in told {
        assert!(
            told.contains("FAILURE wire-well-formed: `tools/list` was answered twice"),
            "{told}"
        );
    }
}
