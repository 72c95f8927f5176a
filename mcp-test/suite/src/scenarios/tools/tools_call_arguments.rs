//! `tools-call-arguments`.

use mcp_test_core::scenario::CallableTool;

use super::{Calls, call_params};
use crate::scenarios::nothing_tested::report_nothing_tested;
use crate::scenarios::prelude::*;

scenario! {
    /// Tools refuse arguments that their input schema does not allow, and need no `arguments` if nothing is required.
    ///
    /// Called are only tools that the run may call. Up to 2025-06-18 such arguments are answered with a JSON-RPC error, since
    /// 2025-11-25 with a result with `isError`, which lets the model correct itself; either is a refusal. A success is a WARNING only,
    /// since its text may be a refusal as well. At most 10 tools are called, and none after
    /// three seconds in calls.
    Server "tools-call-arguments": "Tools refuse invalid arguments",
    revisions: Revisions::all(),
    needs: [Need::Any(ItemKind::Tool)],
    shares_connection: Revisions::all(),
    checks: [
        check!("missing-argument-refused", "A call without a required argument is refused in the way of the revision",
            &REFUSAL).conditional().only_warns("the text of a success may be a refusal"),
        check!("mistyped-argument-refused",
            "A call with an argument of a type that the input schema does not allow is refused in the way of the revision",
            &REFUSAL).conditional().only_warns("the text of a success may be a refusal"),
        check!("arguments-omitted", "A tool that accepts `{}` as its arguments accepts a call without `arguments`",
            [TOOLS_CALL_ARGUMENTS_OPTIONAL]).conditional(),
    ],
}

/// How invalid arguments are refused, before and since 2025-11-25, and that they are.
const REFUSAL: [&Requirement; 3] = [
    Requirement::TOOLS_CALL_INVALID_ARGUMENTS_PROTOCOL_ERROR,
    Requirement::TOOLS_CALL_INPUT_VALIDATION_IS_ERROR,
    Requirement::TOOLS_SECURITY_VALIDATE_INPUTS,
];
/// How many tools are called.
const MOST: usize = 10;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    make(ctx).await?;
    report_nothing_tested(ctx, &SCENARIO, "there is no tool with arguments that the run may call");
    Ok(())
}

async fn make(ctx: &mut Ctx) -> Result<(), Finding> {
    let tools = ctx.callable_tools().await?;
    let (mut missing, mut mistyped, mut omitted) = (Vec::new(), Vec::new(), Vec::new());
    let mut calls = Calls::default();
    for tool in tools.iter().take(MOST) {
        if ctx.is_slow(tool).await {
            continue;
        }
        if requires_any(tool) {
            let none = call_params(&tool.name, &json!({}).into());
            let Some(reply) = calls.call(ctx, none).await? else { break };
            missing.extend(is_refused(tool, "a call without required arguments", &reply));
        } else if tool.arguments.as_ref().and_then(Value::as_object).is_some_and(Object::is_empty) {
            omitted.extend(arguments_omitted(ctx, &mut calls, tool).await?);
        }
        if let Some((name, arguments)) = mistyped_arguments(tool) {
            let params = call_params(&tool.name, &arguments);
            let Some(reply) = calls.call(ctx, params).await? else { break };
            mistyped.extend(is_refused(tool, &format!("a call with a mistyped `{name}`"), &reply));
        }
    }
    let more = tools.len().saturating_sub(MOST);
    let checks = [
        ("missing-argument-refused", missing),
        ("mistyped-argument-refused", mistyped),
        ("arguments-omitted", omitted),
    ];
    for (id, outcomes) in checks.into_iter().filter(|(_, outcomes)| !outcomes.is_empty()) {
        let details = json!({ "tools": outcomes.len(), "notCalled": more });
        ctx.check(id).details(details).judge(outcomes.into_iter().collect());
    }
    Ok(())
}

fn requires_any(tool: &CallableTool) -> bool {
    let schema = tool.definition.get("inputSchema");
    let required = schema.and_then(|schema| schema.get("required")?.as_array());
    required.is_some_and(|required| !required.is_empty())
}

/// The arguments of the tool with one of another type: an object for a property whose only type is a scalar.
///
/// Not a scalar of another type, which some servers convert. All other required arguments are as the schema states them, so
/// that nothing else is wrong; without such there is nothing to try.
fn mistyped_arguments(tool: &CallableTool) -> Option<(String, Value)> {
    let properties = tool.definition.get("inputSchema")?.get("properties")?.as_object()?;
    let is_scalar = |schema: &Value| {
        let named = schema.get("type").and_then(Value::as_str);
        matches!(named, Some("string" | "number" | "integer" | "boolean"))
    };
    let (name, _) = properties.iter().find(|(_, schema)| is_scalar(schema))?;
    let mut arguments =
        tool.arguments.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
    arguments.insert(name, json!({ "mcp-test": true }));
    Some((name.to_owned(), Value::Object(arguments)))
}

/// Whether invalid arguments are refused, and in the way of the revision; `None` if an error has another reason.
fn is_refused(tool: &CallableTool, what: &str, reply: &Reply) -> Option<Result<(), Finding>> {
    let finding = |headline: String, expected: &str, got: String| {
        let finding = Finding::peer(headline).expected(expected).got(got);
        finding.should().evidence_all(reply.evidence())
    };
    let is_refusal =
        |code: i64| [error_code::INVALID_PARAMS, error_code::INVALID_REQUEST].contains(&code);
    match reply.outcome() {
        // Only 2025-11-25 says which of the two it is: pages before list both, and the schema after has an example with an error.
        Err(error) if !reply.revision().reports_input_errors_only_in_results() => {
            is_refusal(error.code).then_some(Ok(()))
        }
        Err(error) if !is_refusal(error.code) => None,
        Err(error) => {
            let headline = format!("`{}` refused {what} with a JSON-RPC error", tool.name);
            let expected = "a result with `isError: true`, which the model reads";
            let found = finding(headline, expected, error.to_string());
            Some(Err(found.requires(Requirement::TOOLS_CALL_INPUT_VALIDATION_IS_ERROR)))
        }
        Ok(result) if result.get("isError") == Some(&Value::Bool(true)) => Some(Ok(())),
        Ok(result) => {
            let headline = format!("`{}` accepted {what}", tool.name);
            let found = finding(headline, "a refusal", result.short(120));
            let row = match reply.revision().reports_input_errors_in_results() {
                true => Requirement::TOOLS_CALL_INPUT_VALIDATION_IS_ERROR,
                false => Requirement::TOOLS_CALL_INVALID_ARGUMENTS_PROTOCOL_ERROR,
            };
            Some(Err(found.requires(row).requires(Requirement::TOOLS_SECURITY_VALIDATE_INPUTS)))
        }
    }
}

/// Whether a call without `arguments` succeeds; `None` if one with `{}` does not succeed either, before and after it.
async fn arguments_omitted(
    ctx: &mut Ctx,
    calls: &mut Calls,
    tool: &CallableTool,
) -> Result<Option<Result<(), Finding>>, Finding> {
    let is_success = |reply: &Reply| {
        reply.outcome().is_ok_and(|result| result.get("isError") != Some(&Value::Bool(true)))
    };
    let none = call_params(&tool.name, &json!({}).into());
    let Some(reply) = calls.call(ctx, none.clone()).await? else { return Ok(None) };
    if !is_success(&reply) {
        return Ok(None);
    }
    let params = json!({ "name": tool.name }).into();
    let Some(reply) = calls.call(ctx, params).await? else { return Ok(None) };
    if is_success(&reply) {
        return Ok(Some(Ok(())));
    }
    // A tool may fail the second time for another reason, such as a limit on how often it is called.
    let Some(again) = calls.call(ctx, none).await? else { return Ok(None) };
    if !is_success(&again) {
        return Ok(None);
    }
    let finding = Finding::peer(format!("`{}` refused a call without `arguments`", tool.name));
    let got = reply.outcome().map_or_else(ToString::to_string, |result| result.short(120));
    Ok(Some(Err(finding
        .expected("a success, as with `{}`")
        .got(got)
        .evidence_all(reply.evidence()))))
}

proofs! {
    passes on everything();
    warns "missing-argument-refused" on refusing_with_an_error(), at V2025_11_25;
    warns "missing-argument-refused" on everything().on("tools/call", |_: Call| async { text("done") });
    warns "mistyped-argument-refused" on accepting_an_object();
    catches "arguments-omitted" on demanding_arguments();
}

fn refusing_with_an_error() -> Server {
    everything()
        .on("tools/call", |_: Call| async { Answer::error(error_code::INVALID_PARAMS, "no") })
}

/// Prints an object as JavaScript does.
fn accepting_an_object() -> Server {
    let mistyped = given(method("tools/call"))
        .and(param("/arguments/message", equals(json!({ "mcp-test": true }))));
    reference_server_with([mistyped.respond_with(text("Echo: [object Object]"))])
}

/// Validates the missing arguments as `undefined`.
fn demanding_arguments() -> Server {
    everything().on("tools/call", |call: Call| async move {
        match call.param("arguments") {
            None => {
                Answer::error(error_code::INTERNAL_ERROR, "expected object, received undefined")
            }
            Some(_) => text("done").into(),
        }
    })
}

fn text(text: &str) -> serde_json::Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}
