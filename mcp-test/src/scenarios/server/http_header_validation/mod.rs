//! `http-header-validation`; its checks are listed in `checks`.

mod checks;

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use self::checks::CHECKS;
use super::raw::{error, finding, post, request};
use crate::check::Finding;
use crate::client::Options;
use crate::json::Value;
use crate::scenario::{Ctx, Official, Profile, Suite};
use crate::server::reference::everything;
use crate::server::{Answer, Call, Server};
use crate::spec::{Revision, Revisions, error_code, header};
use crate::transport::fault::Lapse;
use crate::transport::{HttpAnswer, HttpRequest};
use crate::{proofs, scenario};

scenario! {
    /// The server refuses requests whose headers say something else than their body.
    ///
    /// Since 2026-07-28 method and name stand in headers, so that a gateway can route and refuse without reading bodies.
    /// That is only safe if the server does not serve one thing while the gateway saw another. A tool that is to show
    /// that good headers are accepted may refuse its arguments; only the official checks want it to succeed.
    Server "http-header-validation": "Headers that contradict the body are refused",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official { revisions: Revisions::from(Revision::V2026_07_28), suites: &[Suite::Pending, Suite::Draft] },
    carriers: StreamableHttp,
    checks: CHECKS,
}

const REFUSES: &str = "sep-2243-server-reject-invalid-headers";
const CODE: &str = "sep-2243-server-reject-error-code";
const BLANKS: &str = "sep-2243-server-accepts-whitespace-header-value";
const CASE: &str = "sep-2243-header-name-case-insensitive";
const OWN_CODE: &str = "http-header-refusal-code";
const VERSION: &str = "http-header-version-missing";
const ENCODED: &str = "http-header-name-encoded";

/// A request that has to be refused, and the requirement that it breaks.
struct Wrong {
    name: &'static str,
    what: &'static str,
    requirement: &'static str,
    request: HttpRequest,
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let list = ctx.request("tools/list", json!({})).await;
    let list = match list.and_then(|reply| reply.result().cloned()) {
        Ok(list) => list,
        Err(finding) => {
            ctx.check("sep-2243-server-standard-setup").fail(finding);
            unnamed(ctx);
            ctx.skip_the_rest("`tools/list` gives no list");
            return Ok(());
        }
    };
    let tool = callable(&list, ctx.profile());
    let revision = ctx.revision();
    let list = |id| post(revision, &request(revision, id, "tools/list", json!({})));
    let mut codes = Vec::new();

    refuses(
        ctx,
        &mut codes,
        Wrong {
            name: "ServerRejectsMismatchedMethodHeader",
            what: "`Mcp-Method: prompts/list` on `tools/list`",
            requirement: "transport.http.mcp-method-mismatch-rejected",
            request: list(100).with(header::MCP_METHOD, "prompts/list"),
        },
    )
    .await?;
    refuses(
        ctx,
        &mut codes,
        Wrong {
            name: "ServerRejectsMissingMethodHeader",
            what: "a request without `Mcp-Method`",
            requirement: "transport.http.standard-header-missing-rejected",
            request: list(101).without(header::MCP_METHOD),
        },
    )
    .await?;
    match &tool {
        Some(tool) => names(ctx, &mut codes, tool).await?,
        None => unnamed(ctx),
    }
    for (name, header, id) in [
        ("ServerAcceptsLowercaseHeaderName", "mcp-method", 105),
        ("ServerAcceptsUppercaseHeaderName", "MCP-METHOD", 106),
    ] {
        let heard = ctx
            .attempt_http(list(id).without(header::MCP_METHOD).header(header, "tools/list"))
            .await?;
        let what = format!("a request with the header name `{header}` is refused");
        ctx.check(CASE).named(name).judge(heard.and_then(|answer| accepted(&what, &answer)));
    }
    refuses(
        ctx,
        &mut codes,
        Wrong {
            name: "ServerRejectsCaseMismatchValue",
            what: "`Mcp-Method: TOOLS/LIST` on `tools/list`",
            requirement: "transport.http.header-values-case-sensitive",
            request: list(107).with(header::MCP_METHOD, "TOOLS/LIST"),
        },
    )
    .await?;
    let mut check = ctx.check(OWN_CODE);
    for outcome in codes {
        check = check.judge(outcome);
    }
    drop(check);
    version_missing(ctx, list(108).without(header::MCP_PROTOCOL_VERSION)).await
}

/// The cases that need a tool whose name stands in a header.
async fn names(
    ctx: &mut Ctx,
    codes: &mut Vec<Result<(), Finding>>,
    tool: &str,
) -> Result<(), Finding> {
    let revision = ctx.revision();
    let call = |id| {
        let params = json!({ "name": tool, "arguments": {} });
        post(revision, &request(revision, id, "tools/call", params))
    };
    refuses(
        ctx,
        codes,
        Wrong {
            name: "ServerRejectsMismatchedNameHeader",
            what: "`Mcp-Name` of another tool",
            requirement: "transport.http.mcp-name-mismatch-rejected",
            request: call(102).with(header::MCP_NAME, "wrong_tool_name"),
        },
    )
    .await?;
    let padded = call(103).with(header::MCP_NAME, format!("  {tool}  "));
    let (is_understood, is_accepted) = match ctx.attempt_http(padded).await? {
        Ok(answer) => (
            understood("an `Mcp-Name` between blanks is refused", &answer),
            accepted("the call is refused", &answer),
        ),
        Err(unanswered) => (Err(unanswered), Ok(())),
    };
    ctx.check(BLANKS)
        .named("ServerAcceptsWhitespaceHeaderValue")
        .judge(is_understood)
        .officially_judge(is_accepted, "a tool may refuse its arguments");
    refuses(
        ctx,
        codes,
        Wrong {
            name: "ServerRejectsMissingNameHeader",
            what: "a call without `Mcp-Name`",
            requirement: "transport.http.standard-header-missing-rejected",
            request: call(104).without(header::MCP_NAME),
        },
    )
    .await?;
    let encoded = call(109).with(header::MCP_NAME, header::encode_base64(tool));
    let encoded = ctx.attempt_http(encoded).await?;
    let outcome = encoded.and_then(|it| understood("an `Mcp-Name` in Base64 is refused", &it));
    ctx.check(ENCODED).judge(outcome);
    Ok(())
}

/// Says that there is no tool for the cases that need one.
fn unnamed(ctx: &mut Ctx) {
    let none = || Finding::peer("the server lists no tool that could be called to show it");
    for (check, name) in [
        (REFUSES, "ServerRejectsMismatchedNameHeader"),
        (BLANKS, "ServerAcceptsWhitespaceHeaderValue"),
        (REFUSES, "ServerRejectsMissingNameHeader"),
    ] {
        ctx.check(check).named(name).missing(none());
    }
    ctx.check(ENCODED).skip(none().headline);
}

/// The name of a tool that may be called without arguments: officially the first one, else one that does no harm.
fn callable(list: &Value, profile: Profile) -> Option<String> {
    let tools = list.get("tools")?.as_array()?;
    let name = |tool: &Value| tool.get("name")?.as_str().map(str::to_owned);
    if profile == Profile::Official {
        return name(tools.first()?);
    }
    let reads_only =
        |tool: &Value| tool.at("/annotations/readOnlyHint").and_then(Value::as_bool) == Some(true);
    let wants_arguments = |tool: &Value| {
        let required = tool.at("/inputSchema/required").and_then(Value::as_array);
        required.is_some_and(|required| !required.is_empty())
    };
    let fixture = |tool: &Value| name(tool).as_deref() == Some("test_simple_text");
    let found = tools.iter().find(|tool| fixture(tool));
    let found = found.or_else(|| tools.iter().find(|tool| reads_only(tool)));
    name(found.or_else(|| tools.iter().find(|tool| wants_arguments(tool)))?)
}

async fn refuses(
    ctx: &mut Ctx,
    codes: &mut Vec<Result<(), Finding>>,
    wrong: Wrong,
) -> Result<(), Finding> {
    let Wrong { name, what, requirement, request } = wrong;
    let expected = |finding: Finding| finding.expected("HTTP 400 with the error -32020");
    let (status, code) = match ctx.attempt_http(request).await? {
        Ok(answer) => {
            (refusal(what, &answer).map_err(|it| it.requires(requirement)), coded(what, &answer))
        }
        Err(unanswered) => (Err(unanswered.clone()), Err(unanswered)),
    };
    let (status, code) = (status.map_err(expected), code.map_err(expected));
    ctx.check(REFUSES).named(name).judge(status);
    ctx.check(CODE).named(format!("{name}ErrorCode")).judge(code.clone().map_err(Finding::should));
    codes.push(code);
    Ok(())
}

/// That a request is refused with the status that is due.
fn refusal(what: &str, answer: &HttpAnswer) -> Result<(), Finding> {
    match answer.status {
        400 => Ok(()),
        401..500 => Err(finding(format!("{what} is refused with another status"), answer)),
        _ => Err(finding(format!("{what} is not refused"), answer)),
    }
}

/// That a refusal has the code that is due, in a body that says it is JSON.
fn coded(what: &str, answer: &HttpAnswer) -> Result<(), Finding> {
    let code = error(answer).map(|error| error.code);
    if code == Some(error_code::HEADER_MISMATCH) && answer.media() == "application/json" {
        return Ok(());
    }
    Err(finding(format!("{what} is not answered with the error of headers"), answer))
}

/// That a request is served.
fn accepted(headline: &str, answer: &HttpAnswer) -> Result<(), Finding> {
    if answer.status < 400 && error(answer).is_none() {
        return Ok(());
    }
    Err(finding(headline, answer).expected("HTTP 200 with a result"))
}

/// That a request is not refused for its headers, whatever becomes of it then.
fn understood(headline: &str, answer: &HttpAnswer) -> Result<(), Finding> {
    let code = error(answer).map(|error| error.code);
    let is_understood = match code {
        Some(code) => code != error_code::HEADER_MISMATCH,
        None => answer.status < 400,
    };
    if is_understood {
        return Ok(());
    }
    Err(finding(headline, answer)
        .expected("a result, or an error about something else than headers"))
}

/// A server that also serves revisions without the header may take its absence for one of them.
async fn version_missing(ctx: &mut Ctx, request: HttpRequest) -> Result<(), Finding> {
    let older = Options { revision: Revision::V2025_03_26, ..ctx.options() };
    if let Ok(client) = ctx.connect(older).await {
        client.end().await;
        ctx.check(VERSION).info("the server also serves revisions that have no such header");
        return Ok(());
    }
    let what = "a request without `MCP-Protocol-Version`";
    let outcome = ctx
        .attempt_http(request)
        .await?
        .and_then(|answer| refusal(what, &answer).and(coded(what, &answer)));
    let outcome = outcome.map_err(|it| it.expected("HTTP 400 with the error -32020"));
    ctx.check(VERSION).judge(outcome);
    Ok(())
}

proofs! {
    passes on modern();
    catches "sep-2243-server-standard-setup" by reply_error("tools/list", -32603),
        also "sep-2243-server-reject-invalid-headers" Skipped, also "sep-2243-server-reject-error-code" Skipped,
        also "sep-2243-server-accepts-whitespace-header-value" Skipped,
        also "sep-2243-header-name-case-insensitive" Skipped, also "http-header-refusal-code" Skipped,
        also "http-header-name-encoded" Skipped, also "http-header-version-missing" Skipped;
    catches "sep-2243-server-reject-invalid-headers" by lapse(Lapse::SkipsMirrors),
        also "sep-2243-server-reject-error-code" Warning, also "http-header-refusal-code" Failure,
        also "http-header-version-missing" Failure;
    warns "sep-2243-server-reject-error-code" by lapse(Lapse::VagueMirrors),
        also "http-header-refusal-code" Failure, also "http-header-version-missing" Failure;
    catches "http-header-refusal-code" by lapse(Lapse::VagueMirrors),
        also "sep-2243-server-reject-error-code" Warning, also "http-header-version-missing" Failure;
    catches "sep-2243-server-accepts-whitespace-header-value" by reply_error("tools/call", -32020),
        also "http-header-name-encoded" Failure;
    catches "sep-2243-server-accepts-whitespace-header-value" by reply_error("tools/call", -32602), under Official;
    catches "sep-2243-header-name-case-insensitive" on moody();
    catches "http-header-name-encoded" by reply_error("tools/call", -32020),
        also "sep-2243-server-accepts-whitespace-header-value" Failure;
    catches "http-header-version-missing" by lapse(Lapse::SkipsMirrors),
        also "sep-2243-server-reject-invalid-headers" Failure,
        also "sep-2243-server-reject-error-code" Warning, also "http-header-refusal-code" Failure;
}

/// The good server, without the revisions whose clients send fewer headers.
fn modern() -> Server {
    everything().revisions(Revisions::from(Revision::V2026_07_28))
}

/// Lists its tools only once: what comes in other letters is not served.
fn moody() -> Server {
    let asked = AtomicBool::new(false);
    modern().on("tools/list", move |_: Call| {
        let again = asked.swap(true, Ordering::Relaxed);
        async move {
            match again {
                true => Answer::error(error_code::INTERNAL_ERROR, "once is enough"),
                false => json!({ "tools": [{ "name": "test_simple_text", "inputSchema": { "type": "object" } }] }).into(),
            }
        }
    })
}
