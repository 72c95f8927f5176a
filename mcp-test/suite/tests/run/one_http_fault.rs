//! Servers over HTTP with one fault: they take one kind of request for another one, and everything else is right.

use std::collections::BTreeSet;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use mcp_test_core::check::Status;
use mcp_test_core::server::reference::everything;
use mcp_test_core::spec::{Revisions, header, meta};
use serde_json::Value;

use super::*;

/// Changes a request before it is served, or answers it with a status and no body.
type Fault = fn(&mut HeaderMap, &mut Value) -> Option<StatusCode>;

/// More than any request has.
const LONGEST: usize = 64 * 1024 * 1024;

async fn changed(request: Request, next: Next, fault: Fault) -> Response {
    let (mut head, body) = request.into_parts();
    let mut body = to_bytes(body, LONGEST).await.expect("a body").to_vec();
    if let Ok(mut message) = serde_json::from_slice::<Value>(&body) {
        let before = message.clone();
        if let Some(status) = fault(&mut head.headers, &mut message) {
            return status.into_response();
        }
        if message != before {
            body = message.to_string().into_bytes();
            head.headers.remove("content-length");
        }
    }
    next.run(Request::from_parts(head, Body::from(body))).await
}

/// What fails in a scenario on a server with a fault.
fn failures(server: &Server, fault: Fault, scenario: &str) -> BTreeSet<String> {
    let server = server.clone();
    let layer = move |request: Request, next: Next| changed(request, next, fault);
    let target = Target::router(move || server.router().layer(from_fn(layer)));
    let plan = Plan::build(scenarios::all(), target, Profile::Adaptive, &selection(&[scenario]));
    let (events, _) = run_plan(&plan.expect("a plan").timeout(Duration::from_secs(20)));
    let outcomes = events.iter().filter_map(|event| match event {
        RunEvent::Finished(outcome) => Some(outcome),
        _ => None,
    });
    let failing =
        outcomes.flat_map(|it| it.checks.iter()).filter(|it| it.status == Status::Failure);
    let headline = |check: &mcp_test_core::check::Check| {
        let finding = check.finding.as_ref().map(|it| it.headline.clone());
        format!("{}: {}", check.id, finding.unwrap_or_default())
    };
    failing.map(headline).collect()
}

fn none() -> BTreeSet<String> {
    BTreeSet::new()
}

fn only(failure: &str) -> BTreeSet<String> {
    BTreeSet::from([failure.to_owned()])
}

#[test]
fn bodies_that_are_taken_for_notifications_are_distinguished() {
    const ACCEPTED: StatusCode = StatusCode::ACCEPTED;
    let failures = |fault| failures(&everything(), fault, "http-malformed-bodies");
    let of = |what| only(&format!("malformed-notification-refused: {what} is accepted"));
    assert_eq!(failures(|_, _| None), none());
    let is_lost: [(Fault, &str); 3] = [
        (|_, it| it.is_array().then_some(ACCEPTED), "a request in an array"),
        (
            |_, it| (*it == json!({"jsonrpc": "2.0"})).then_some(ACCEPTED),
            "an object without `method`",
        ),
        (
            |_, it| it["method"].is_number().then_some(ACCEPTED),
            "a notification whose `method` is a number",
        ),
    ];
    for (fault, what) in is_lost {
        assert_eq!(failures(fault), of(what));
    }
}

/// The version in the body of a request.
fn version(message: &mut Value) -> Option<&mut Value> {
    message.get_mut("params")?.get_mut("_meta")?.get_mut(meta::PROTOCOL_VERSION)
}

#[test]
fn a_real_older_version_that_contradicts_is_noticed_in_the_header_and_in_the_body() {
    let stateless = everything().revisions(Revisions::from(Revision::V2026_07_28));
    let failures = |fault| failures(&stateless, fault, "http-header-validation");
    let of = |place| {
        let what = format!("a request with another version in the {place} is served");
        only(&format!("http-header-version-contradicts: {what}"))
    };
    const OLDER: &str = "2025-11-25";
    assert_eq!(Revision::NEWEST_HANDSHAKE.as_str(), OLDER);
    assert_eq!(failures(|_, _| None), none());
    let believes_the_body: Fault = |headers, message| {
        let version = HeaderValue::from_str(version(message)?.as_str()?).ok()?;
        let header = headers.get_mut(header::MCP_PROTOCOL_VERSION)?;
        if *header == OLDER {
            *header = version;
        }
        None
    };
    assert_eq!(failures(believes_the_body), of("header"));
    let believes_the_header: Fault = |headers, message| {
        let header = headers.get(header::MCP_PROTOCOL_VERSION)?.to_str().ok()?;
        let version = version(message)?;
        if version == OLDER {
            *version = header.into();
        }
        None
    };
    assert_eq!(failures(believes_the_header), of("body"));
}

#[test]
fn a_server_may_refuse_every_origin() {
    let origin = |headers: &mut HeaderMap, _: &mut Value| {
        headers.contains_key("origin").then_some(StatusCode::FORBIDDEN)
    };
    assert_eq!(failures(&everything(), origin, "dns-rebinding-protection"), none());
    let ignored = |headers: &mut HeaderMap, _: &mut Value| {
        headers.remove("origin");
        None
    };
    assert_ne!(failures(&everything(), ignored, "dns-rebinding-protection"), none());
}
