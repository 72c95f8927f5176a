//! Probes of single requests: their terms, versions, capabilities and methods.

use serde_json::{Value, json};

use super::discovery::Discovered;
use super::probes::{Probes, error, result, said, with_code, with_status};
use crate::check::Finding;
use crate::json;
use crate::scenario::Ctx;
use crate::scenarios::server::raw::{post, request, terms};
use crate::spec::{error_code, header, meta};

/// A version that no server has.
const UNKNOWN: &str = "v999.0.0";

/// `server/discover`, as it should be.
pub(super) fn discover(ctx: &Ctx, id: i64) -> Value {
    request(ctx.revision(), id, "server/discover", json!({}))
}

fn remove(message: &mut Value, key: &str) {
    if let Some(meta) = message["params"]["_meta"].as_object_mut() {
        meta.remove(key);
    }
}

/// Requests that lack what each must bring.
pub(super) async fn without_terms(ctx: &mut Ctx, probes: &mut Probes) -> Result<(), Finding> {
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
        let heard = probes.post(ctx, &message).await?;
        ctx.check(check).judge(with_code(&what, &heard, error_code::INVALID_PARAMS));
        let status = with_status(&format!("the answer to {what}"), &heard, 400);
        ctx.check("sep-2575-http-server-meta-invalid-400").judge(status);
    }
    let mut message = discover(ctx, 105);
    remove(&mut message, meta::CLIENT_INFO);
    let heard = probes.post(ctx, &message).await?;
    let is_served =
        heard.as_ref().is_ok_and(|answer| answer.status == 200) && error(&heard).is_none();
    ctx.check("sep-2575-request-meta-client-info-optional").judge(if is_served {
        Ok(())
    } else {
        Err(said(
            "a request that does not name its client is refused",
            &heard,
            "HTTP 200 with a result",
        ))
    });
    Ok(())
}

/// A version that does not exist, and one that the header and the body do not agree on.
pub(super) async fn wrong_versions(
    ctx: &mut Ctx,
    probes: &mut Probes,
    discovered: &Discovered,
) -> Result<(), Finding> {
    let with_version = |id: i64| {
        let mut message = discover(ctx, id);
        message["params"]["_meta"][meta::PROTOCOL_VERSION] = json!(UNKNOWN);
        message
    };
    let message = with_version(301);
    let unknown = post(ctx.revision(), &message).with(header::MCP_PROTOCOL_VERSION, UNKNOWN);
    let mismatch = with_version(302);
    let heard = probes.send(ctx, &message, unknown).await?;
    let data = error(&heard).and_then(|error| error.data).unwrap_or_default();
    let supported = data.get("supported").and_then(json::Value::as_array).unwrap_or_default();
    let known = |version: &json::Value| {
        version.as_str().is_some_and(|it| discovered.versions.iter().any(|known| known == it))
    };
    let is_right = !supported.is_empty()
        && supported.iter().all(known)
        && data.get("requested").and_then(json::Value::as_str) == Some(UNKNOWN);
    ctx.check("sep-2575-server-unsupported-version-error").judge(if is_right {
        Ok(())
    } else {
        let expected = format!(
            "`error.data` with `supported`, out of {:?}, and `requested`, {UNKNOWN:?}",
            discovered.versions
        );
        let headline = "the error for an unknown version does not name the versions";
        Err(match data {
            json::Value::Null => said(headline, &heard, expected),
            data => said(headline, &heard, expected).got(format!("the data {}", data.short(120))),
        })
    });
    let what = "the answer to a request in an unknown version";
    let status = with_status(what, &heard, 400);
    ctx.check("sep-2575-http-server-unsupported-version-400").judge(status);
    let code = error_code::UNSUPPORTED_PROTOCOL_VERSION;
    let code = with_code("a request in an unknown version", &heard, code);
    ctx.check("stateless-unsupported-version-code").judge(code);

    let heard = probes.post(ctx, &mismatch).await?;
    let what = "a version in the header that `_meta` contradicts";
    let code = with_code(what, &heard, error_code::HEADER_MISMATCH);
    let status = with_status("the refusal of a version", &heard, 400);
    ctx.check("sep-2575-http-server-header-mismatch-400").judge(code.and(status));
    Ok(())
}

/// A tool that needs a capability which the client does not declare.
pub(super) async fn undeclared(
    ctx: &mut Ctx,
    probes: &mut Probes,
    discovered: &Discovered,
) -> Result<(), Finding> {
    const TOOL: &str = "test_missing_capability";
    let call = json!({ "name": TOOL, "arguments": {} });
    let heard = probes.post(ctx, &request(ctx.revision(), 401, "tools/call", call)).await?;
    let refusal =
        error(&heard).filter(|error| error.code == error_code::MISSING_REQUIRED_CLIENT_CAPABILITY);
    let check = ctx.check("sep-2575-server-rejects-undeclared-capability");
    let Some(refusal) = refusal else {
        let expected = "an error with code -32021";
        let wrong = said("a tool does without the capability that it needs", &heard, expected);
        if discovered.tools.iter().any(|tool| tool == TOOL) {
            check.fail(wrong);
        } else {
            check.missing(absent(TOOL));
        }
        let none = Finding::peer("no refusal for an undeclared capability came");
        ctx.check("sep-2575-missing-capability-http-400").missing(none);
        return Ok(());
    };
    let data = refusal.data.unwrap_or_default();
    let names_it = data.at("/requiredCapabilities/sampling").is_some_and(json::Value::is_object);
    check.judge(if names_it {
        Ok(())
    } else {
        let expected = "`error.data.requiredCapabilities.sampling`, an object";
        let headline = "the refusal does not name the capability that is missing";
        Err(said(headline, &heard, expected).got(format!("the data {}", data.short(120))))
    });
    let status = with_status("the refusal for an undeclared capability", &heard, 400);
    ctx.check("sep-2575-missing-capability-http-400").judge(status);
    Ok(())
}

/// What is said of a fixture that is not there.
pub(super) fn absent(tool: &str) -> Finding {
    Finding::peer(format!("the server does not list the tool `{tool}`"))
}

/// Methods that the revision does not have.
pub(super) async fn methods(ctx: &mut Ctx, probes: &mut Probes) -> Result<(), Finding> {
    const CHECK: &str = "sep-2575-http-server-method-not-found-404";
    for (id, method, suffix) in [
        (500, "initialize", "-initialize"),
        (501, "ping", "-ping"),
        (502, "logging/setLevel", "-logging-setlevel"),
        (503, "resources/subscribe", "-resources-subscribe"),
        (504, "resources/unsubscribe", "-resources-unsubscribe"),
        (601, "unknown/method", ""),
    ] {
        let heard = probes.post(ctx, &request(ctx.revision(), id, method, json!({}))).await?;
        let what = format!("`{method}`");
        let code = with_code(&what, &heard, error_code::METHOD_NOT_FOUND);
        let status = with_status(&format!("the answer to {what}"), &heard, 404);
        ctx.check(&format!("{CHECK}{suffix}")).judge(code.and(status));
    }
    Ok(())
}

/// A request with what belongs to sessions, which there are none of.
pub(super) async fn in_a_session(
    ctx: &mut Ctx,
    probes: &mut Probes,
) -> Result<Result<(), Finding>, Finding> {
    let message = discover(ctx, 701);
    let request = post(ctx.revision(), &message)
        .header(header::MCP_SESSION_ID, "a-session-of-old")
        .header(header::LAST_EVENT_ID, "5");
    let heard = probes.send(ctx, &message, request).await?;
    Ok(match result(&heard, 701) {
        Some(_) => Ok(()),
        None => Err(said("a request that names a session is not served", &heard, "a result")),
    })
}

/// The terms of a client that can be asked for input.
pub(super) fn eliciting(ctx: &Ctx) -> Value {
    let mut terms = terms(ctx.revision());
    terms[meta::CLIENT_CAPABILITIES] = json!({ "elicitation": {} });
    terms
}
