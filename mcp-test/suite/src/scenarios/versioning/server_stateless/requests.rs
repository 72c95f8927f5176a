//! Probes of single requests: their `_meta`, versions, capabilities and methods.

use mcp_test_core::json;
use serde_json::Value;

use super::discovery::Discovered;
use super::probes::{Probes, attempt_finding, discover, error, result, with_code, with_status};
use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{call_of_fixture, post, request, request_meta};

/// The tool that needs a capability of the client.
pub(super) const REFUSING: &str = "test_missing_capability";

/// A version that no server supports, from the official suite.
const UNKNOWN: &str = "v999.0.0";

fn remove(message: &mut Value, key: &str) {
    if let Some(meta) = message["params"]["_meta"].as_object_mut() {
        meta.remove(key);
    }
}

/// Requests with missing or incomplete `_meta`.
pub(super) async fn incomplete_meta(ctx: &mut Ctx, probes: &mut Probes) -> Result<(), Finding> {
    for (id, check, key) in [
        (101, "sep-2575-request-meta-invalid-missing-meta", None),
        (
            102,
            "sep-2575-request-meta-invalid-missing-protocol-version",
            Some(meta::PROTOCOL_VERSION),
        ),
        (
            104,
            "sep-2575-request-meta-invalid-missing-client-capabilities",
            Some(meta::CLIENT_CAPABILITIES),
        ),
    ] {
        let mut message = discover(ctx, id);
        match key {
            None => message["params"] = json!({}),
            Some(key) => remove(&mut message, key),
        }
        let what = format!("a request without `{}`", key.unwrap_or("_meta"));
        let attempt = probes.post(ctx, &message).await?;
        ctx.check(check).judge(with_code(&what, &attempt, error_code::INVALID_PARAMS));
        let status = with_status(&format!("the answer to {what}"), &attempt, 400);
        ctx.check("sep-2575-http-server-meta-invalid-400").judge(status);
    }
    // `clientInfo` is a SHOULD, unlike the other two members (`basic/index#meta`).
    let mut message = discover(ctx, 105);
    remove(&mut message, meta::CLIENT_INFO);
    let attempt = probes.post(ctx, &message).await?;
    let is_accepted =
        attempt.as_ref().is_ok_and(|answer| answer.status == 200) && error(&attempt).is_none();
    ctx.check("sep-2575-request-meta-client-info-optional").judge(ensure(is_accepted, || {
        let headline = "a request without client info is refused";
        attempt_finding(headline, &attempt, "HTTP 200 with a result")
    }));
    Ok(())
}

/// A version that does not exist, and one that differs between header and body.
pub(super) async fn wrong_versions(
    ctx: &mut Ctx,
    probes: &mut Probes,
    discovered: &Discovered,
) -> Result<(), Finding> {
    let with_unknown_version = |id: i64| {
        let mut message = discover(ctx, id);
        message["params"]["_meta"][meta::PROTOCOL_VERSION] = json!(UNKNOWN);
        message
    };
    let message = with_unknown_version(301);
    let unknown = post(ctx.revision(), &message).with(header::MCP_PROTOCOL_VERSION, UNKNOWN);
    let mismatch = with_unknown_version(302);
    let attempt = probes.send(ctx, &message, unknown).await?;
    let data = error(&attempt).and_then(|error| error.data).unwrap_or_default();
    let supported = data.get("supported").and_then(json::Value::as_array).unwrap_or_default();
    let known = |version: &json::Value| {
        version.as_str().is_some_and(|it| discovered.versions.iter().any(|known| known == it))
    };
    // The official check does not compare the code; `stateless-unsupported-version-code` does.
    let is_right = !supported.is_empty()
        && supported.iter().all(known)
        && data.get("requested").and_then(json::Value::as_str) == Some(UNKNOWN);
    ctx.check("sep-2575-server-unsupported-version-error").judge(ensure(is_right, || {
        let expected = format!(
            "`error.data` with `supported`, out of {:?}, and `requested`, {UNKNOWN:?}",
            discovered.versions
        );
        let headline = "the error for an unknown version does not name the supported versions";
        match data {
            json::Value::Null => attempt_finding(headline, &attempt, expected),
            data => attempt_finding(headline, &attempt, expected)
                .got(format!("the data {}", data.short(120))),
        }
    }));
    let what = "the answer to a request at an unknown version";
    let status = with_status(what, &attempt, 400);
    ctx.check("sep-2575-http-server-unsupported-version-400").judge(status);
    let code = error_code::UNSUPPORTED_PROTOCOL_VERSION;
    let code = with_code("a request at an unknown version", &attempt, code);
    ctx.check("stateless-unsupported-version-code").judge(code);

    // Posted with the header of the run, which the version in `_meta` contradicts.
    let attempt = probes.post(ctx, &mismatch).await?;
    let what = "a version in the header that `_meta` contradicts";
    let code = with_code(what, &attempt, error_code::HEADER_MISMATCH);
    let status = with_status("the refusal of a version", &attempt, 400);
    ctx.check("sep-2575-http-server-header-mismatch-400").judge(code.and(status));
    Ok(())
}

/// A tool that needs a capability which the client does not declare.
pub(super) async fn undeclared_capability(
    ctx: &mut Ctx,
    probes: &mut Probes,
    discovered: &Discovered,
) -> Result<(), Finding> {
    let attempt = probes.post(ctx, &call_of_fixture(ctx, 401, REFUSING)).await?;
    let refusal = error(&attempt)
        .filter(|error| error.code == error_code::MISSING_REQUIRED_CLIENT_CAPABILITY);
    let missing = discovered.not_listed(ctx.fixtures(), REFUSING);
    let check = ctx.check("sep-2575-server-rejects-undeclared-capability");
    let Some(refusal) = refusal else {
        let expected = "an error with code -32021";
        let wrong = attempt_finding(
            "a call is served without the capability that it needs",
            &attempt,
            expected,
        );
        // A server without the fixture answers with another error, too.
        match missing {
            None => check.fail(wrong),
            Some(missing) => check.missing(missing),
        };
        let none = Finding::peer("no call was refused for an undeclared capability");
        ctx.check("sep-2575-missing-capability-http-400").missing(none);
        return Ok(());
    };
    let data = refusal.data.unwrap_or_default();
    // The fixture needs sampling, in the official suite as well.
    let names_capability =
        data.at("/requiredCapabilities/sampling").is_some_and(json::Value::is_object);
    check.judge(ensure(names_capability, || {
        let expected = "`error.data.requiredCapabilities.sampling`, an object";
        let headline = "the refusal does not name the missing capability";
        attempt_finding(headline, &attempt, expected).got(format!("the data {}", data.short(120)))
    }));
    let status = with_status("the refusal for an undeclared capability", &attempt, 400);
    ctx.check("sep-2575-missing-capability-http-400").judge(status);
    Ok(())
}

/// Methods that do not exist at this revision.
pub(super) async fn removed_methods(ctx: &mut Ctx, probes: &mut Probes) -> Result<(), Finding> {
    const CHECK: &str = "sep-2575-http-server-method-not-found-404";
    for (id, method, suffix) in [
        (500, "initialize", "-initialize"),
        (501, "ping", "-ping"),
        (502, "logging/setLevel", "-logging-setlevel"),
        (503, "resources/subscribe", "-resources-subscribe"),
        (504, "resources/unsubscribe", "-resources-unsubscribe"),
        (601, "unknown/method", ""),
    ] {
        let attempt = probes.post(ctx, &request(ctx.revision(), id, method, json!({}))).await?;
        let what = format!("`{method}`");
        let code = with_code(&what, &attempt, error_code::METHOD_NOT_FOUND);
        let status = with_status(&format!("the answer to {what}"), &attempt, 404);
        ctx.check(&format!("{CHECK}{suffix}")).judge(code.and(status));
    }
    Ok(())
}

/// A request with session headers, which have no meaning at this revision.
pub(super) async fn with_session_headers(
    ctx: &mut Ctx,
    probes: &mut Probes,
) -> Result<Result<(), Finding>, Finding> {
    // A server of this revision SHOULD ignore them (`basic/transports/streamable-http#earlier-streamable-http-revisions`).
    let message = discover(ctx, 701);
    let request = post(ctx.revision(), &message)
        .header(header::MCP_SESSION_ID, "a-session-of-old")
        .header(header::LAST_EVENT_ID, "5");
    let attempt = probes.send(ctx, &message, request).await?;
    Ok(match result(&attempt, 701) {
        Some(_) => Ok(()),
        None => Err(attempt_finding(
            "a request with session headers is not served",
            &attempt,
            "a result",
        )),
    })
}

/// The `_meta` of a client that supports elicitation.
pub(super) fn eliciting_meta(ctx: &Ctx) -> Value {
    let mut meta = request_meta(ctx.revision());
    meta[meta::CLIENT_CAPABILITIES] = json!({ "elicitation": {} });
    meta
}
