//! `http-modern-endpoint`.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{
    describe, error, finding, harmless_method, is_served, opening_request, post, reply, request,
};

scenario! {
    /// The endpoint of 2026-07-28 takes every message by POST, and nothing is left of sessions and resumption.
    ///
    /// A server that also serves older clients needs GET, DELETE and `Last-Event-ID` for those; a server of 2026-07-28 only
    /// answers GET and DELETE with HTTP 405 and ignores the header. Values in `Mcp-Name` are encoded if they begin with
    /// `=?base64?`, in lower case: in any other case the text is the value itself, and does not match the body.
    Server "http-modern-endpoint": "The endpoint of 2026-07-28 takes POST only",
    revisions: Revisions::from(Revision::V2026_07_28),
    transports: StreamableHttp,
    checks: [
        check!("all-methods-at-endpoint",
            "The endpoint takes `server/discover` and every list that the server declares",
            [TRANSPORT_HTTP_SINGLE_ENDPOINT_POST]),
        check!("get-delete-405", "A server without older revisions answers GET and DELETE with HTTP 405",
            [TRANSPORT_HTTP_GET_DELETE_405]).conditional(),
        check!("last-event-id-ignored", "A server without older revisions ignores `Last-Event-ID`",
            [TRANSPORT_HTTP_LAST_EVENT_ID_IGNORED]).conditional(),
        check!("base64-marker-exact",
            "An `Mcp-Name` that begins with `=?BASE64?` is taken as it is, and does not match",
            [TRANSPORT_HTTP_SENTINEL_EXACT]).conditional(),
    ],
}

/// A name that no server has by accident.
const UNKNOWN: &str = "no-such-tool-of-mcp-test";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let revision = ctx.revision();
    let discovered = ctx.http(post(revision, &opening_request(revision, 1))).await?;
    all_methods(ctx, &discovered).await?;
    if ctx.declares(Capability::Tools).await? {
        marker(ctx).await?;
    }
    if serves_older(ctx, &discovered).await? {
        return Ok(());
    }
    get_and_delete(ctx).await?;
    last_event_id(ctx).await
}

async fn all_methods(ctx: &mut Ctx, discovered: &HttpResponse) -> Result<(), Finding> {
    let revision = ctx.revision();
    let mut outcome = at_endpoint("server/discover", discovered);
    for (id, kind) in (2..).zip(ItemKind::ALL) {
        if !ctx.declares(kind.capability()).await? {
            continue;
        }
        let answer =
            ctx.http(post(revision, &request(revision, id, kind.method(), json!({})))).await?;
        outcome = outcome.and(at_endpoint(kind.method(), &answer));
    }
    ctx.check("all-methods-at-endpoint").judge(outcome);
    Ok(())
}

/// Whether a method is known at the endpoint; an unknown method has HTTP 404 as well, but with a JSON-RPC error.
fn at_endpoint(method: &str, answer: &HttpResponse) -> Result<(), Finding> {
    let is_unknown = [404, 405].contains(&answer.status) && error(answer).is_none();
    ensure(!is_unknown, || {
        finding(format!("the endpoint does not take `{method}`"), answer)
            .expected("all methods by POST at the same path")
    })
}

/// Whether the server serves older revisions as well, as it says itself, or as `initialize` shows.
async fn serves_older(ctx: &mut Ctx, discovered: &HttpResponse) -> Result<bool, Finding> {
    let result = reply(discovered, 1).and_then(Result::ok).unwrap_or_default();
    let versions = result.get("supportedVersions").and_then(Value::as_array);
    let is_older = |version: &Value| {
        let revision = version.as_str().and_then(|version| version.parse::<Revision>().ok());
        revision.is_some_and(|revision| revision.era() == Era::Handshake)
    };
    if versions.is_some_and(|versions| versions.iter().any(is_older)) {
        return Ok(true);
    }
    let older = Revision::NEWEST_HANDSHAKE;
    let answer = ctx.http(post(older, &opening_request(older, 1))).await?;
    let is_accepted = reply(&answer, 1).is_some_and(|reply| reply.is_ok());
    if let Some(session) = answer.header(header::MCP_SESSION_ID) {
        ctx.http(HttpRequest::delete().header(header::MCP_SESSION_ID, session)).await?;
    }
    Ok(is_accepted)
}

async fn get_and_delete(ctx: &mut Ctx) -> Result<(), Finding> {
    let version = |request: HttpRequest| {
        request.header(header::MCP_PROTOCOL_VERSION, Revision::V2026_07_28.as_str())
    };
    let get = version(HttpRequest::get().header("Accept", "text/event-stream"));
    // Only the status matters: a stream that is opened would not end.
    let listened = ctx.open_http(get).await?.close();
    let deleted = ctx.http(version(HttpRequest::delete())).await?;
    let refused = |method: &str, answer: &HttpResponse| {
        ensure(answer.status == 405, || {
            let headline = format!("{method} is not answered with HTTP 405");
            finding(headline, answer).expected("HTTP 405 Method Not Allowed").should()
        })
    };
    let outcome = refused("GET", &listened).and(refused("DELETE", &deleted));
    ctx.check("get-delete-405").judge(outcome);
    Ok(())
}

async fn last_event_id(ctx: &mut Ctx) -> Result<(), Finding> {
    let (revision, method) = (ctx.revision(), harmless_method(ctx).await?);
    // Served without the header, so that a refusal with it has no other reason.
    let without = ctx.http(post(revision, &request(revision, 10, method, json!({})))).await?;
    if is_served("", &without, 10).is_err() {
        let why = format!("`{method}` is not served without the header either");
        ctx.check("last-event-id-ignored").skip(why);
        return Ok(());
    }
    let with = post(revision, &request(revision, 11, method, json!({})));
    let with = ctx.http(with.header(header::LAST_EVENT_ID, "5")).await?;
    let outcome = is_served("a request with `Last-Event-ID` is not served", &with, 11);
    ctx.check("last-event-id-ignored").judge(outcome.map_err(Finding::should));
    Ok(())
}

/// Calls an unknown tool, so that a server which does not compare the header executes nothing.
async fn marker(ctx: &mut Ctx) -> Result<(), Finding> {
    let revision = ctx.revision();
    let call = |id| {
        let params = json!({"name": UNKNOWN, "arguments": {}});
        post(revision, &request(revision, id, "tools/call", params))
    };
    let other = ctx.http(call(20).with(header::MCP_NAME, "another-tool")).await?;
    if !is_mismatch(&other) {
        // `http-header-validation` reports it; here it would hide what the marker does.
        let why =
            "the server does not compare `Mcp-Name` with the body before it looks for the tool";
        ctx.check("base64-marker-exact").skip(why);
        return Ok(());
    }
    let marked = header::encode_base64(UNKNOWN).replacen("base64", "BASE64", 1);
    let answer = ctx.http(call(21).with(header::MCP_NAME, marked.clone())).await?;
    ctx.check("base64-marker-exact").judge(ensure(is_mismatch(&answer), || {
        finding("an `Mcp-Name` whose marker is in upper case is decoded", &answer)
            .expected(format!("HTTP 400 with -32020, since `{marked}` is not the name in the body"))
            .got(describe(&answer))
    }));
    Ok(())
}

fn is_mismatch(answer: &HttpResponse) -> bool {
    error(answer).is_some_and(|error| error.code == error_code::HEADER_MISMATCH)
}

proofs! {
    passes on modern();
    catches "all-methods-at-endpoint" by status("prompts/list", 404);
    warns "get-delete-405" by status("GET", 404);
    warns "last-event-id-ignored" on listing_once();
    catches "base64-marker-exact" by misbehavior(Misbehavior::DecodesAnyMarker);
}

/// The reference server, for clients of 2026-07-28 only.
fn modern() -> Server {
    everything().revisions(Revisions::from(Revision::V2026_07_28))
}

/// Serves `tools/list` twice, and then not the one with `Last-Event-ID`.
fn listing_once() -> Server {
    let (first, second) = (AtomicBool::new(false), AtomicBool::new(false));
    modern().on("tools/list", move |_: Call| {
        let is_late = first.swap(true, Ordering::Relaxed) && second.swap(true, Ordering::Relaxed);
        async move {
            match is_late {
                true => Answer::error(error_code::INTERNAL_ERROR, "no such stream"),
                false => json!({ "tools": [] }).into(),
            }
        }
    })
}
