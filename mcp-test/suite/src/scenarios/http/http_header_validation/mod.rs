//! `http-header-validation`; its checks are listed in `checks`.

mod checks;

use std::sync::atomic::{AtomicBool, Ordering};

use mcp_test_core::scenario::Suite;

use super::http_header_validation::checks::CHECKS;
use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{error, finding, post, request};

scenario! {
    /// The server refuses requests whose headers contradict their body.
    ///
    /// Since 2026-07-28 headers mirror method and name, so that a gateway can route and refuse without reading bodies.
    /// That is only safe if the server does not execute something else than what the gateway saw. The tool that is called
    /// with valid headers may refuse its arguments; only the official checks require it to succeed.
    Server "http-header-validation": "Headers that contradict the body are refused",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official { revisions: Revisions::from(Revision::V2026_07_28), suites: &[Suite::Pending, Suite::Draft] },
    transports: StreamableHttp,
    optional_needs: [Need::Tool(HARMLESS)],
    checks: CHECKS,
}

/// The fixture that is called if it is listed.
const HARMLESS: &str = "test_simple_text";

const REFUSES: &str = "sep-2243-server-reject-invalid-headers";
const CODE: &str = "sep-2243-server-reject-error-code";
const WHITESPACE: &str = "sep-2243-server-accepts-whitespace-header-value";
const CASE: &str = "sep-2243-header-name-case-insensitive";
const OWN_CODE: &str = "http-header-refusal-code";
const VERSION: &str = "http-header-version-missing";
const CONTRADICTS: &str = "http-header-version-contradicts";
const ENCODED: &str = "http-header-name-encoded";

/// A request that has to be refused, and the requirement that it breaks.
struct BadRequest {
    name: &'static str,
    what: &'static str,
    requirement: &'static Requirement,
    request: HttpRequest,
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let list = ctx.request("tools/list", json!({})).await;
    let list = match list.and_then(|reply| reply.result().cloned()) {
        Ok(list) => list,
        Err(finding) => {
            // A server without tools may refuse the request; it has nothing else that the official suite asks for.
            let offers_tools = ctx.declares(Capability::Tools).await.unwrap_or(true);
            let check = ctx.check("sep-2243-server-standard-setup");
            match offers_tools {
                true => check.fail(finding),
                false => check.missing(Finding::peer("the server does not declare `tools`")),
            };
            without_tool(ctx);
            ctx.skip_the_rest("`tools/list` returns no list");
            return Ok(());
        }
    };
    // In the order of the official suite, whose reports have a row for each request.
    let mut codes = Vec::new();
    wrong_methods(ctx, &mut codes).await?;
    match callable(&list, ctx) {
        Some(tool) => tool_calls(ctx, &mut codes, &tool).await?,
        None => without_tool(ctx),
    }
    spelling(ctx, &mut codes).await?;
    // One check for all refusals: it is made once, after the last of them.
    codes.into_iter().fold(ctx.check(OWN_CODE), CheckBuilder::judge);
    versions_contradict(ctx).await?;
    version_missing(ctx).await
}

/// A valid `tools/list`, for its headers to be changed.
fn list_tools(ctx: &Ctx, id: i64) -> HttpRequest {
    post(ctx.revision(), &request(ctx.revision(), id, "tools/list", json!({})))
}

/// Requests whose `Mcp-Method` is not the method of the body, or missing.
async fn wrong_methods(ctx: &mut Ctx, codes: &mut Vec<Result<(), Finding>>) -> Result<(), Finding> {
    let bad = BadRequest {
        name: "ServerRejectsMismatchedMethodHeader",
        what: "`Mcp-Method: prompts/list` on `tools/list`",
        requirement: Requirement::TRANSPORT_HTTP_MCP_METHOD_MISMATCH_REJECTED,
        request: list_tools(ctx, 100).with(header::MCP_METHOD, "prompts/list"),
    };
    refuses(ctx, codes, bad).await?;
    let bad = BadRequest {
        name: "ServerRejectsMissingMethodHeader",
        what: "a request without `Mcp-Method`",
        requirement: Requirement::TRANSPORT_HTTP_STANDARD_HEADER_MISSING_REJECTED,
        request: list_tools(ctx, 101).without(header::MCP_METHOD),
    };
    refuses(ctx, codes, bad).await
}

/// Requests whose `Mcp-Method` is spelled differently: its name, which is the same, or its value, which is not.
async fn spelling(ctx: &mut Ctx, codes: &mut Vec<Result<(), Finding>>) -> Result<(), Finding> {
    for (name, header, id) in [
        // Header names are case-insensitive (RFC 9110, section 5.1).
        ("ServerAcceptsLowercaseHeaderName", "mcp-method", 105),
        ("ServerAcceptsUppercaseHeaderName", "MCP-METHOD", 106),
    ] {
        let respelled =
            list_tools(ctx, id).without(header::MCP_METHOD).header(header, "tools/list");
        let answer = ctx.attempt_http(respelled).await?;
        let what = format!("a request with the header name `{header}` is refused");
        ctx.check(CASE).named(name).judge(answer.and_then(|answer| accepted(&what, &answer)));
    }
    // Methods are case-sensitive, in a header too (`basic/transports/streamable-http#case-sensitivity`).
    let bad = BadRequest {
        name: "ServerRejectsCaseMismatchValue",
        what: "`Mcp-Method: TOOLS/LIST` on `tools/list`",
        requirement: Requirement::TRANSPORT_HTTP_HEADER_VALUES_CASE_SENSITIVE,
        request: list_tools(ctx, 107).with(header::MCP_METHOD, "TOOLS/LIST"),
    };
    refuses(ctx, codes, bad).await
}

/// The requests that call a tool, whose name is mirrored in a header.
async fn tool_calls(
    ctx: &mut Ctx,
    codes: &mut Vec<Result<(), Finding>>,
    tool: &str,
) -> Result<(), Finding> {
    let revision = ctx.revision();
    let is_harmless = tool == ctx.fixtures().name(HARMLESS);
    let stated = ctx.fixtures().arguments(HARMLESS).filter(|_| is_harmless);
    let arguments = stated.map_or(json!({}), |stated| Value::from(stated.clone()).to_serde());
    let call = |id| {
        let params = json!({ "name": tool, "arguments": arguments });
        post(revision, &request(revision, id, "tools/call", params))
    };
    let bad = BadRequest {
        name: "ServerRejectsMismatchedNameHeader",
        what: "`Mcp-Name` of another tool",
        requirement: Requirement::TRANSPORT_HTTP_MCP_NAME_MISMATCH_REJECTED,
        request: call(102).with(header::MCP_NAME, "wrong_tool_name"),
    };
    refuses(ctx, codes, bad).await?;
    // Whitespace around a header value is not part of it (RFC 9110, section 5.5).
    let padded = call(103).with(header::MCP_NAME, format!("  {tool}  "));
    let (is_understood, is_accepted) = match ctx.attempt_http(padded).await? {
        Ok(answer) => (
            understood("an `Mcp-Name` with whitespace around it is refused", &answer),
            accepted("the call is refused", &answer),
        ),
        // One finding is enough for an unanswered request.
        Err(unanswered) => (Err(unanswered), Ok(())),
    };
    ctx.check(WHITESPACE)
        .named("ServerAcceptsWhitespaceHeaderValue")
        .judge(is_understood)
        .officially_judge(is_accepted, "a tool may refuse its arguments");
    let bad = BadRequest {
        name: "ServerRejectsMissingNameHeader",
        what: "a call without `Mcp-Name`",
        requirement: Requirement::TRANSPORT_HTTP_STANDARD_HEADER_MISSING_REJECTED,
        request: call(104).without(header::MCP_NAME),
    };
    refuses(ctx, codes, bad).await?;
    // A marked value is decoded before it is compared (`basic/transports/streamable-http#value-encoding`).
    let encoded = call(109).with(header::MCP_NAME, header::encode_base64(tool));
    let encoded = ctx.attempt_http(encoded).await?;
    let outcome = encoded.and_then(|it| understood("an `Mcp-Name` in Base64 is refused", &it));
    ctx.check(ENCODED).judge(outcome);
    Ok(())
}

/// Reports that there is no tool to call.
fn without_tool(ctx: &mut Ctx) {
    let none = || Finding::peer("the server lists no tool that may be called for this check");
    for (check, name) in [
        (REFUSES, "ServerRejectsMismatchedNameHeader"),
        (WHITESPACE, "ServerAcceptsWhitespaceHeaderValue"),
        (REFUSES, "ServerRejectsMissingNameHeader"),
    ] {
        ctx.check(check).named(name).missing(none());
    }
    ctx.check(ENCODED).skip(none().headline);
}

/// The name of a tool to call without arguments: officially the first one, otherwise a harmless one.
///
/// Harmless are the fixture, a read-only tool, and a tool with required arguments, which refuses the call.
fn callable(list: &Value, ctx: &Ctx) -> Option<String> {
    let tools = list.get("tools")?.as_array()?;
    let name = |tool: &Value| tool.get("name")?.as_str().map(str::to_owned);
    // The official suite calls the first tool, whatever that does.
    if ctx.profile() == Profile::Official {
        return name(tools.first()?);
    }
    let reads_only =
        |tool: &Value| tool.at("/annotations/readOnlyHint").and_then(Value::as_bool) == Some(true);
    let wants_arguments = |tool: &Value| {
        let required = tool.at("/inputSchema/required").and_then(Value::as_array);
        required.is_some_and(|required| !required.is_empty())
    };
    let fixture = |tool: &Value| name(tool).as_deref() == Some(ctx.fixtures().name(HARMLESS));
    let found = tools.iter().find(|tool| fixture(tool));
    let found = found.or_else(|| tools.iter().find(|tool| reads_only(tool)));
    name(found.or_else(|| tools.iter().find(|tool| wants_arguments(tool)))?)
}

async fn refuses(
    ctx: &mut Ctx,
    codes: &mut Vec<Result<(), Finding>>,
    bad: BadRequest,
) -> Result<(), Finding> {
    let BadRequest { name, what, requirement, request } = bad;
    let expected = |finding: Finding| finding.expected("HTTP 400 with the error -32020");
    let (status, code) = match ctx.attempt_http(request).await? {
        Ok(answer) => (
            refusal(what, &answer).map_err(|it| it.requires(requirement)),
            has_mismatch_code(what, &answer),
        ),
        // Unanswered, a request has neither the right status nor the right code.
        Err(unanswered) => (Err(unanswered.clone()), Err(unanswered)),
    };
    let (status, code) = (status.map_err(expected), code.map_err(expected));
    ctx.check(REFUSES).named(name).judge(status);
    // The official check of the code only warns; `http-header-refusal-code` fails.
    ctx.check(CODE).named(format!("{name}ErrorCode")).judge(code.clone().map_err(Finding::should));
    codes.push(code);
    Ok(())
}

/// Whether a request is refused with HTTP 400.
fn refusal(what: &str, answer: &HttpResponse) -> Result<(), Finding> {
    match answer.status {
        400 => Ok(()),
        401..500 => Err(finding(format!("{what} is refused with another status"), answer)),
        _ => Err(finding(format!("{what} is not refused"), answer)),
    }
}

/// Whether a refusal has the code for header mismatches, in a JSON body.
fn has_mismatch_code(what: &str, answer: &HttpResponse) -> Result<(), Finding> {
    let code = error(answer).map(|error| error.code);
    // The official check takes an error in any other content type for none.
    ensure(
        code == Some(error_code::HEADER_MISMATCH) && answer.content_type() == "application/json",
        || finding(format!("{what} is not answered with the error for header mismatches"), answer),
    )
}

/// Whether a request is accepted.
fn accepted(headline: &str, answer: &HttpResponse) -> Result<(), Finding> {
    ensure(answer.status < 400 && error(answer).is_none(), || {
        finding(headline, answer).expected("HTTP 200 with a result")
    })
}

/// Whether a request is not refused for its headers; it may fail for another reason.
fn understood(headline: &str, answer: &HttpResponse) -> Result<(), Finding> {
    let code = error(answer).map(|error| error.code);
    let is_understood = match code {
        Some(code) => code != error_code::HEADER_MISMATCH,
        None => answer.status < 400,
    };
    ensure(is_understood, || {
        finding(headline, answer).expected("a result, or an error that is not about headers")
    })
}

/// Sends requests with one existing version in the header and another one in the body.
async fn versions_contradict(ctx: &mut Ctx) -> Result<(), Finding> {
    let older = Revision::NEWEST_HANDSHAKE.as_str();
    let in_header = list_tools(ctx, 110).with(header::MCP_PROTOCOL_VERSION, older);
    let mut message = request(ctx.revision(), 111, "tools/list", json!({}));
    message["params"]["_meta"][meta::PROTOCOL_VERSION] = json!(older);
    let in_body =
        post(ctx.revision(), &message).with(header::MCP_PROTOCOL_VERSION, ctx.revision().as_str());
    for (place, request) in [("header", in_header), ("body", in_body)] {
        let outcome = ctx.attempt_http(request).await?.and_then(|answer| {
            // How it is refused is up to what a server that knows both versions looks at first.
            ensure(answer.status >= 400 || error(&answer).is_some(), || {
                let what = format!("a request with another version in the {place} is served");
                finding(what, &answer).expected("HTTP 400 with the error -32020")
            })
        });
        ctx.check(CONTRADICTS).judge(outcome);
    }
    Ok(())
}

/// Sends a request without the version header.
///
/// A server that also supports revisions without the header may take the request for one of those.
async fn version_missing(ctx: &mut Ctx) -> Result<(), Finding> {
    // The newest revision without the header (`basic/transports/streamable-http#protocol-version-header`).
    let mut older = ctx.options();
    older.revision = Revision::V2025_03_26;
    if let Ok(client) = ctx.connect(older).await {
        client.end().await;
        ctx.check(VERSION).info("the server also serves revisions that have no such header");
        return Ok(());
    }
    let what = "a request without `MCP-Protocol-Version`";
    let request = list_tools(ctx, 108).without(header::MCP_PROTOCOL_VERSION);
    let outcome = ctx
        .attempt_http(request)
        .await?
        .and_then(|answer| refusal(what, &answer).and(has_mismatch_code(what, &answer)));
    let outcome = outcome.map_err(|it| it.expected("HTTP 400 with the error -32020"));
    ctx.check(VERSION).judge(outcome);
    Ok(())
}

proofs! {
    passes on stateless();
    catches "sep-2243-server-standard-setup" by reply_error("tools/list", -32603);
    catches "sep-2243-server-reject-invalid-headers" by misbehavior(Misbehavior::SkipsMirrors);
    warns "sep-2243-server-reject-error-code" by misbehavior(Misbehavior::VagueMirrors);
    catches "http-header-refusal-code" by misbehavior(Misbehavior::VagueMirrors);
    catches "sep-2243-server-accepts-whitespace-header-value" by reply_error("tools/call", -32020);
    catches "sep-2243-server-accepts-whitespace-header-value" by reply_error("tools/call", -32602), under Official;
    catches "sep-2243-header-name-case-insensitive" on listing_once();
    catches "http-header-name-encoded" by reply_error("tools/call", -32020);
    catches "http-header-version-missing" by misbehavior(Misbehavior::SkipsMirrors);
    catches "http-header-version-contradicts" by misbehavior(Misbehavior::SkipsMirrors);
}

/// The reference server, without the revisions whose clients send fewer headers.
fn stateless() -> Server {
    everything().revisions(Revisions::from(Revision::V2026_07_28))
}

/// Refuses every `tools/list` but the first, among them those with respelled header names.
fn listing_once() -> Server {
    let listed = AtomicBool::new(false);
    stateless().on("tools/list", move |_: Call| {
        let again = listed.swap(true, Ordering::Relaxed);
        async move {
            match again {
                true => Answer::error(error_code::INTERNAL_ERROR, "once is enough"),
                false => {
                    json!({ "tools": [{ "name": HARMLESS, "inputSchema": { "type": "object" } }] })
                        .into()
                }
            }
        }
    })
}
