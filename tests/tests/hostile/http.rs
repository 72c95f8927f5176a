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
pub(crate) const STREAMS: [How; 19] = [
    How::Well,
    How::WrongId,
    How::RetypedId,
    How::NullId,
    How::NoId,
    How::Twice,
    How::LogLine,
    How::Empty,
    How::TruncatedJson,
    How::InvalidUtf8,
    How::Bom,
    How::Nul,
    How::ManyLines,
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

/// What is told of a way.
fn told(how: How, target: Target, carrier: CarrierKind) -> String {
    let played = play(target, &cells(SCENARIO, &[Revision::V2025_11_25], carrier), FOR_EVER);
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
