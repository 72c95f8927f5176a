//! `tools-call-unknown`.

use mcp_test_core::server::RuleBuilder;

use crate::scenarios::prelude::*;
use crate::scenarios::refusal::{has_code, is_error};
use crate::scenarios::sdk_answers::recognize_unknown_tool;

scenario! {
    /// A call of a tool that does not exist is refused with a JSON-RPC error.
    ///
    /// A result with `isError` is for what goes wrong inside a tool, and shown to the model. That there is no such tool is a
    /// fault of the client, which a result hides from it. Names that differ only in case are different names.
    Server "tools-call-unknown": "A call of an unknown tool is refused",
    revisions: Revisions::all(),
    needs: [Need::Capability(Capability::Tools)],
    shares_connection: Revisions::all(),
    checks: [
        check!("unknown-tool-error",
            "A call of a tool that does not exist is answered with a JSON-RPC error, not with a result",
            [TOOLS_CALL_UNKNOWN_TOOL_ERROR]),
        check!("unknown-tool-code", "The error for an unknown tool has code -32602",
            [TOOLS_CALL_UNKNOWN_TOOL_CODE]).conditional(),
        check!("tool-name-case", "The name of a tool in other case is unknown, unless there is such a tool as well",
            [TOOLS_NAME_CASE_SENSITIVE]).conditional(),
    ],
}

/// A name that no server has by accident.
const UNKNOWN: &str = "no-such-tool-of-mcp-test";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let params = json!({"name": UNKNOWN, "arguments": {}});
    let reply = ctx.request("tools/call", params).promptly().await?;
    let mut outcome = is_error(&reply);
    if let (Err(finding), Ok(result)) = (&mut outcome, reply.outcome()) {
        // What shows the SDK is not worth a failure of its own.
        let _ = ctx.server().await;
        let capabilities = &ctx.client().await?.server().capabilities;
        finding.sdk = recognize_unknown_tool(result, UNKNOWN, capabilities);
    }
    ctx.check("unknown-tool-error").judge(outcome);
    if reply.error().is_some() {
        let outcome = has_code(&reply, error_code::INVALID_PARAMS);
        ctx.check("unknown-tool-code").judge(outcome.map_err(Finding::should));
    }
    // Where no name is refused, that of another case shows nothing more.
    if ctx.makes("tool-name-case") && reply.error().is_some() {
        name_in_other_case(ctx).await?;
    }
    Ok(())
}

async fn name_in_other_case(ctx: &mut Ctx) -> Result<(), Finding> {
    // Only of a tool that may be called: a server that ignores case calls it.
    let tools = ctx.callable_tools().await?;
    let is_listed = |name: &str| tools.iter().any(|tool| tool.name == name);
    let others = tools.iter().map(|tool| in_other_case(&tool.name));
    let Some(name) = others.clone().find(|name| !is_listed(name)) else { return Ok(()) };
    let reply =
        ctx.request("tools/call", json!({"name": name, "arguments": {}})).promptly().await?;
    let outcome = is_error(&reply).map_err(|finding| {
        finding.expected(format!("a JSON-RPC error, since no tool is named `{name}`")).should()
    });
    ctx.check("tool-name-case").judge(outcome);
    Ok(())
}

/// The name with all letters in the other case.
fn in_other_case(name: &str) -> String {
    let other = |letter: char| match letter.is_ascii_lowercase() {
        true => letter.to_ascii_uppercase(),
        false => letter.to_ascii_lowercase(),
    };
    name.chars().map(other).collect()
}

proofs! {
    passes on everything();
    catches "unknown-tool-error" on failing_inside_the_tool();
    warns "unknown-tool-code" on with_another_code();
    warns "tool-name-case" on ignoring_case();
}

/// A call of the tool with this name.
fn call_of(name: impl Matcher + 'static) -> RuleBuilder {
    given(method("tools/call")).and(param("/name", name))
}

/// Answers a call of an unknown tool with a result.
fn failing_inside_the_tool() -> Server {
    let result = json!({"content": [{"type": "text", "text": "unknown tool"}], "isError": true});
    reference_server_with([call_of(equals(UNKNOWN)).respond_with(result)])
}

/// Answers a call of an unknown tool as if the whole method did not exist.
fn with_another_code() -> Server {
    let error = Answer::error(error_code::METHOD_NOT_FOUND, "unknown tool");
    reference_server_with([call_of(equals(UNKNOWN)).respond_with(error)])
}

/// Calls the tool `echo` also by its name in capitals.
fn ignoring_case() -> Server {
    let result = json!({"content": [{"type": "text", "text": "Echo: hi"}]});
    reference_server_with([call_of(equals("ECHO")).respond_with(result)])
}
