//! `http-custom-header-server-validation`.

use mcp_test_core::scenario::Suite;
use mcp_test_core::spec::{ParamHeader, param_headers};

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{error, finding, is_refusal, post, request};
use crate::scenarios::references::{SEP_2243_CUSTOM, SEP_2243_ENCODING};

scenario! {
    /// The server decodes the `Mcp-Param-*` headers of a call, and refuses a call whose header is missing or cannot be decoded.
    ///
    /// Tried with the first tool that has a text in a header. The official suite calls it, whatever it does; other profiles call
    /// only tools that may be called. `http-param-headers` tries more values.
    Server "http-custom-header-server-validation": "Mirrored arguments are decoded and compared",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official { revisions: Revisions::from(Revision::V2026_07_28), suites: &[Suite::Pending, Suite::Draft] },
    transports: StreamableHttp,
    checks: [
        check!(DECODES, "A value in Base64 is decoded before it is compared",
            [TRANSPORT_HTTP_SENTINEL_DECODED])
            .official(&[SEP_2243_CUSTOM, SEP_2243_ENCODING]).named("ServerAcceptsValidBase64"),
        check!(REJECTS, "A value that is marked as Base64 and is not valid is refused with HTTP 400",
            [TRANSPORT_HTTP_PARAM_HEADER_INVALID_CHARS_REJECTED])
            .official(&[SEP_2243_CUSTOM, SEP_2243_ENCODING]).named("ServerRejectsInvalidBase64"),
        check!(MATCHES,
            "A value without both markers is taken literally, and a call without the header is refused with HTTP 400",
            [TRANSPORT_HTTP_SENTINEL_EXACT, TRANSPORT_HTTP_PARAM_HEADER_MISSING_REJECTED])
            .official(&[SEP_2243_CUSTOM, SEP_2243_ENCODING]).named("ServerValidatesParam"),
        check!(CODE, "Each refusal is an error with the code -32020",
            [TRANSPORT_HTTP_HEADER_ERROR_CODE])
            .official(&[SEP_2243_CUSTOM, SEP_2243_ENCODING]).named("ServerRejectsParamMismatch"),
        check!(NO_TOOL, "A tool has an argument in a header; reported only on failure",
            [TRANSPORT_HTTP_SENTINEL_DECODED])
            .official(&[SEP_2243_CUSTOM, SEP_2243_ENCODING]).named("HttpCustomHeaderServerNoTool").conditional(),
        check!(NO_TEXT, "An argument in a header is a string; reported only on failure",
            [TRANSPORT_HTTP_SENTINEL_DECODED])
            .official(&[SEP_2243_CUSTOM, SEP_2243_ENCODING]).named("HttpCustomHeaderServerNoStringParam").conditional(),
        check!(SETUP, "`tools/list` returns a list; reported only on failure",
            [TOOLS_LIST_RESPOND])
            .official(&[SEP_2243_CUSTOM, SEP_2243_ENCODING]).named("HttpCustomHeaderServerValidationSetup").conditional(),
    ],
}

const DECODES: &str = "sep-2243-server-decode-base64";
const REJECTS: &str = "sep-2243-server-reject-invalid-param-chars";
const MATCHES: &str = "sep-2243-server-validate-param-match";
const CODE: &str = "sep-2243-server-reject-param-mismatch";
const NO_TOOL: &str = "sep-2243-server-no-xmcp-tool";
const NO_TEXT: &str = "sep-2243-server-no-string-param";
const SETUP: &str = "sep-2243-server-custom-setup";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let tools = match tools(ctx).await {
        Ok(tools) => tools,
        Err(finding) => {
            ctx.check(SETUP).fail(finding);
            return not_testable(ctx, "`tools/list` returns no list");
        }
    };
    let Some(mut calls) = tools.iter().find_map(Calls::of) else {
        let why = "no tool that may be called has an argument in a header";
        ctx.check(NO_TOOL).missing(Finding::peer(why));
        return not_testable(ctx, why);
    };
    let Some(text) = calls.text_header() else {
        let why = "the first tool with arguments in headers has no text among them";
        ctx.check(NO_TEXT).missing(Finding::peer(why));
        return not_testable(ctx, why);
    };
    let decoded = calls.call(ctx, &text, "Hello", Some("=?base64?SGVsbG8=?=")).await?;
    accepts(ctx, DECODES, "ServerAcceptsValidBase64", "a value in Base64", decoded);
    for (name, what, header) in [
        ("ServerRejectsInvalidBase64Padding", "Base64 without its padding", "=?base64?SGVsbG8?="),
        (
            "ServerRejectsInvalidBase64Chars",
            "invalid characters in Base64",
            "=?base64?SGVs!!!bG8=?=",
        ),
    ] {
        let answer = calls.call(ctx, &text, "Hello", Some(header)).await?;
        refuses(ctx, REJECTS, name, what, answer);
    }
    for (name, what, literal) in [
        ("ServerLiteralMissingBase64Prefix", "Base64 without markers", "SGVsbG8="),
        (
            "ServerLiteralMissingBase64Suffix",
            "Base64 without the second marker",
            "=?base64?SGVsbG8=",
        ),
    ] {
        let answer = calls.call(ctx, &text, literal, Some(literal)).await?;
        accepts(ctx, MATCHES, name, what, answer);
    }
    let answer = calls.call(ctx, &text, "test-value", None).await?;
    refuses(ctx, MATCHES, "ServerRejectsMissingCustomHeader", "no header for an argument", answer);
    Ok(())
}

/// The definitions of the tools that this scenario may call, in their order.
async fn tools(ctx: &mut Ctx) -> Result<Vec<Value>, Finding> {
    if ctx.profile() == Profile::Official {
        let list = ctx.request("tools/list", json!({})).await?;
        return Ok(list
            .result()?
            .get("tools")
            .and_then(Value::as_array)
            .unwrap_or_default()
            .to_vec());
    }
    Ok(ctx.callable_tools().await?.into_iter().map(|tool| tool.definition).collect())
}

fn not_testable(ctx: &mut Ctx, why: &str) -> Result<(), Finding> {
    for check in [DECODES, REJECTS, MATCHES, CODE] {
        ctx.check(check).missing(Finding::peer(why));
    }
    Ok(())
}

/// The calls of a tool with arguments in headers.
struct Calls {
    tool: String,
    headers: Vec<ParamHeader>,
    schema: Value,
    id: i64,
}

impl Calls {
    /// Of this tool, if it has such arguments; an invalid annotation is judged with the other definitions of tools.
    fn of(tool: &Value) -> Option<Self> {
        let schema = tool.get("inputSchema")?.clone();
        let headers = param_headers(&schema).ok().filter(|headers| !headers.is_empty())?;
        Some(Self { tool: tool.get("name")?.as_str()?.to_owned(), headers, schema, id: 200 })
    }

    /// The first header of a text.
    fn text_header(&self) -> Option<ParamHeader> {
        let is_text = |header: &&ParamHeader| self.kind(&header.pointer) == Some("string");
        self.headers.iter().find(is_text).cloned()
    }

    /// The type of an argument.
    fn kind(&self, pointer: &str) -> Option<&str> {
        self.schema.at(&format!("{}/type", pointer.replace('/', "/properties/")))?.as_str()
    }

    /// A value for each required argument.
    fn required(&self) -> serde_json::Value {
        let mut arguments = json!({});
        let required = self.schema.get("required").and_then(Value::as_array).unwrap_or_default();
        for name in required.iter().filter_map(Value::as_str) {
            arguments[name] = match self.kind(&format!("/{name}")) {
                Some("number" | "integer") => json!(0),
                Some("boolean") => json!(false),
                _ => json!("test-default"),
            };
        }
        arguments
    }

    /// Calls the tool with this value of an argument, and this header of it.
    async fn call(
        &mut self,
        ctx: &mut Ctx,
        text: &ParamHeader,
        value: &str,
        header: Option<&str>,
    ) -> Result<Result<HttpResponse, Finding>, Finding> {
        let mut arguments = Value::from(self.required());
        arguments.set(&text.pointer, value.into());
        let params = json!({ "name": self.tool, "arguments": arguments.to_serde() });
        let message = request(ctx.revision(), self.id, "tools/call", params);
        self.id += 1;
        let mut call: HttpRequest = post(ctx.revision(), &message);
        for mirrored in &self.headers {
            let value = match mirrored == text {
                true => header.map(str::to_owned),
                false => mirrored.value(&arguments),
            };
            if let Some(value) = value {
                call = call.header(mirrored.header(), value);
            }
        }
        ctx.attempt_http(call).await
    }
}

/// Judges a call that has to be accepted: a tool may refuse the value, but not the header.
fn accepts(
    ctx: &mut Ctx,
    check: &str,
    name: &str,
    what: &str,
    answer: Result<HttpResponse, Finding>,
) {
    let (understood, accepted) = match answer {
        Ok(answer) => {
            let code = error(&answer).map(|error| error.code);
            let refused = || {
                finding(format!("{what} in a header is refused"), &answer)
                    .expected("HTTP 200 with the result of the call")
            };
            (
                ensure(code != Some(error_code::HEADER_MISMATCH), refused),
                ensure(code.is_none() && answer.status < 400, refused),
            )
        }
        // One finding is enough for an unanswered request.
        Err(unanswered) => (Err(unanswered), Ok(())),
    };
    ctx.check(check)
        .named(name)
        .judge(understood)
        .officially_judge(accepted, "a tool may refuse its arguments");
}

/// Judges a call that has to be refused: its status, and the code of its error.
fn refuses(
    ctx: &mut Ctx,
    check: &str,
    name: &str,
    what: &str,
    answer: Result<HttpResponse, Finding>,
) {
    let (status, code) = match answer {
        Ok(answer) => {
            let code = error(&answer).map(|error| error.code);
            let how = if is_refusal(&answer) { "refused in another way" } else { "not refused" };
            let wrong = || {
                finding(format!("a call with {what} is {how}"), &answer)
                    .expected("HTTP 400 with the error -32020")
            };
            (
                ensure(answer.status == 400, wrong),
                ensure(code == Some(error_code::HEADER_MISMATCH), wrong),
            )
        }
        Err(unanswered) => (Err(unanswered.clone()), Err(unanswered)),
    };
    ctx.check(check).named(name).judge(status);
    ctx.check(CODE).named(format!("{name}ErrorCode")).judge(code);
}

proofs! {
    passes on everything();
    catches "sep-2243-server-decode-base64" by reply_error("tools/call", -32020);
    catches "sep-2243-server-reject-invalid-param-chars" by misbehavior(Misbehavior::SkipsMirrors);
    catches "sep-2243-server-validate-param-match" by misbehavior(Misbehavior::SkipsMirrors);
    catches "sep-2243-server-reject-param-mismatch" by misbehavior(Misbehavior::VagueMirrors);
    catches "sep-2243-server-no-xmcp-tool" on listing(&json!({ "region": { "type": "string" } })), under Official;
    catches "sep-2243-server-no-string-param"
        on listing(&json!({ "limit": { "type": "integer", "x-mcp-header": "Limit" } })), under Official;
    catches "sep-2243-server-custom-setup" by reply_error("tools/list", -32603), under Official;
}

fn listing(properties: &serde_json::Value) -> Server {
    let schema = json!({ "type": "object", "properties": properties });
    let tools = json!({ "tools": [{ "name": "query", "inputSchema": schema }] });
    everything().on("tools/list", move |_: Call| {
        let tools = tools.clone();
        async move { Answer::from(tools) }
    })
}
