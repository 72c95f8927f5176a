//! `tools-call-malformed`.

use mcp_test_core::scenario::CallableTool;
use mcp_test_core::server::params;

use super::call_params;
use crate::scenarios::prelude::*;
use crate::scenarios::refusal::{has_invalid_params_code, is_error};

scenario! {
    /// A `tools/call` that is not one is refused with a JSON-RPC error.
    ///
    /// What the arguments of a tool should be is for the tool to say, in a result that the model reads. That a request has no name,
    /// one that is not a string, or arguments that are not an object is a fault of the client, which no model can correct. A server
    /// that refuses unknown tools may not have looked at their arguments, so that one is named that the run may call, if there is one.
    Server "tools-call-malformed": "A malformed call of a tool is refused",
    revisions: Revisions::all(),
    needs: [Need::Capability(Capability::Tools)],
    shares_connection: Revisions::all(),
    checks: [
        check!("malformed-call-error",
            "A call without a name, with a number as its name, or with a string as arguments is answered with a JSON-RPC error",
            [JSONRPC_INVALID_PARAMS_ERROR, TOOLS_CALL_MALFORMED_REQUEST_ERROR]),
        check!("malformed-arguments-refused",
            "A known tool that is called with a string or an array as `arguments` is not run: the call is answered with an error",
            [JSONRPC_INVALID_PARAMS_ERROR, TOOLS_CALL_MALFORMED_REQUEST_ERROR]).conditional()
            .fails_or_warns("a result with `isError` is a refusal, too"),
        check!("malformed-call-code", "The error has code -32602",
            [JSONRPC_INVALID_PARAMS_ERROR]).conditional().only_warns("the call was refused"),
    ],
}

/// A name that no server has by accident.
const UNKNOWN: &str = "no-such-tool-of-mcp-test";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let malformed = [
        ("without `name`", json!({ "arguments": {} })),
        ("with a number as `name`", json!({ "name": 7, "arguments": {} })),
        ("with a string as `arguments`", json!({ "name": UNKNOWN, "arguments": "text" })),
    ];
    // Without a name the header `Mcp-Name` is missing, too, for which there is another code.
    let has_headers = ctx.transport().is_http() && ctx.revision().era() == Era::Stateless;
    let (mut errors, mut codes) = (Vec::new(), Vec::new());
    for (what, params) in malformed {
        let reply = ctx.request("tools/call", params).deliberate().promptly().await?;
        let about = |finding: Finding| {
            let headline = format!("{} ({what})", finding.headline);
            finding.headed(headline)
        };
        errors.push(is_error(&reply).map_err(about));
        // An unknown tool may have another code, whatever its arguments.
        if reply.error().is_some() && !what.contains("arguments") && !has_headers {
            codes.push(has_invalid_params_code(&reply).map_err(about));
        }
    }
    let mut cited = vec![Requirement::JSONRPC_INVALID_PARAMS_ERROR];
    let of_tools = Requirement::TOOLS_CALL_MALFORMED_REQUEST_ERROR;
    cited.extend(of_tools.applies_at(ctx.revision()).then_some(of_tools));
    let cite = |finding: Finding| cited.iter().fold(finding, |finding, id| finding.requires(id));
    let refused: Result<(), Finding> = errors.into_iter().collect();
    ctx.check("malformed-call-error").judge(refused.map_err(cite));
    let known = judge_known_tool(ctx).await?;
    if !known.is_empty() {
        let outcome: Result<(), Finding> = known.into_iter().collect();
        ctx.check("malformed-arguments-refused").judge(outcome.map_err(cite));
    }
    if !codes.is_empty() {
        ctx.check("malformed-call-code").judge(codes.into_iter().collect());
    }
    Ok(())
}

/// Calls a tool that may be called with arguments that are not an object; none if no tool may be called.
async fn judge_known_tool(ctx: &mut Ctx) -> Result<Vec<Result<(), Finding>>, Finding> {
    let tools = ctx.callable_tools().await?;
    // Of one that needs no arguments an error has no other reason.
    let is_free = |tool: &&CallableTool| {
        let arguments = tool.arguments.as_ref().and_then(Value::as_object);
        arguments.is_some_and(Object::is_empty)
    };
    let Some(tool) = tools.iter().find(is_free).or(tools.first()) else { return Ok(Vec::new()) };
    let mut outcomes = Vec::new();
    for (what, arguments) in [("a string", json!("text")), ("an array", json!(["text"]))] {
        let params = call_params(&tool.name, &arguments.into());
        let reply = ctx.request("tools/call", params).deliberate().await?;
        outcomes.push(is_refused(&reply, &tool.name, what));
    }
    Ok(outcomes)
}

/// A result with `isError` is a refusal as well. That it should be an error is stated since 2025-11-25, and without a MUST.
fn is_refused(reply: &Reply, tool: &str, what: &str) -> Result<(), Finding> {
    let Ok(result) = reply.outcome() else { return Ok(()) };
    let is_error = result.get("isError") == Some(&Value::Bool(true));
    let finding = Finding::peer(format!("`{tool}` was called with {what} as `arguments`"))
        .expected("a JSON-RPC error")
        .got(format!("the result {}", result.short(120)))
        .evidence_all(reply.evidence())
        .in_any_state();
    match (is_error, reply.revision().reports_input_errors_in_results()) {
        (false, _) => Err(finding),
        (true, true) => Err(finding.should()),
        (true, false) => Ok(()),
    }
}

proofs! {
    passes on everything();
    catches "malformed-call-error" on looking_for_undefined();
    catches "malformed-call-error" on looking_for_undefined(), at V2025_03_26;
    // Runs a tool without looking at its arguments.
    catches "malformed-arguments-refused"
        on answering_arguments(json!({ "content": [{ "type": "text", "text": "done" }] }));
    warns "malformed-arguments-refused" on refusing_in_a_result();
    warns "malformed-call-code" on failing_without_a_name();
}

/// Reports in a result that there is no tool of that name, whatever it is.
fn looking_for_undefined() -> Server {
    everything().on("tools/call", |_: Call| async {
        json!({ "content": [{ "type": "text", "text": "Tool undefined not found" }], "isError": true })
    })
}

/// Validates the arguments as those of the tool.
fn refusing_in_a_result() -> Server {
    let content = json!([{ "type": "text", "text": "`arguments` is not an object" }]);
    answering_arguments(json!({ "content": content, "isError": true }))
}

/// Answers a call of a known tool whose arguments are not an object.
fn answering_arguments(result: serde_json::Value) -> Server {
    let is_malformed = |params: &Value| {
        let name = params.get("name").and_then(Value::as_str);
        let arguments = params.get("arguments");
        name.is_some_and(|name| name != UNKNOWN)
            && arguments.is_some_and(|arguments| !arguments.is_object())
    };
    let rule = given(method("tools/call")).and(params(satisfying("malformed", is_malformed)));
    reference_server_with([rule.respond_with(result)])
}

/// Fails at a name that is a number.
fn failing_without_a_name() -> Server {
    let error = Answer::error(error_code::INTERNAL_ERROR, "name.split is not a function");
    reference_server_with([given(method("tools/call"))
        .and(param("/name", equals(7)))
        .respond_with(error)])
}
