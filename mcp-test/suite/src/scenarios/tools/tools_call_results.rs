//! `tools-call-results`.

use mcp_test_core::expect::words::excerpt;
use mcp_test_core::scenario::CallableTool;

use super::{Calls, call_params, is_conditional, text, with_one_tool};
use crate::scenarios::links::{Link, links};
use crate::scenarios::nothing_tested::report_nothing_tested;
use crate::scenarios::prelude::*;

scenario! {
    /// Tools are called with the arguments that their schemas state, and the resources in their results can be read.
    ///
    /// Called are only tools that the run may call, and of those the first 10 whose required arguments are known. What the content
    /// of a result must be, and that it conforms to the `outputSchema`, is judged in every conversation; this scenario makes one.
    /// A tool that fails says so in its result, which a model can read; an internal error is one of the server. To see that, each
    /// tool is also called with texts that nothing is named by, where its schema allows any text.
    ///
    /// Of what it answers then only JSON with an `error` counts. A text that is the same for two such values may well be a result: a
    /// search that finds nothing answers so, and that an argument names an item and does not filter items is only in its description.
    Server "tools-call-results": "The results of tools lead to resources",
    revisions: Revisions::all(),
    needs: [Need::Any(ItemKind::Tool)],
    shares_connection: Revisions::all(),
    checks: [
        check!("links-usable", "A resource to which a result links can be read, unless it is on the web",
            [TOOLS_CONTENT_RESOURCE_LINK_USABLE]).conditional(),
        check!("embedded-refetchable", "A resource that a result embeds can be read",
            [TOOLS_CONTENT_EMBEDDED_URI_REFETCHABLE]).conditional(),
        check!("failures-as-results",
            "A call with arguments that the schema allows is not answered with the internal error -32603 (nor, at 2025-11-25, with \
             -32602), and a result that \
             reports `\"success\": false`, or an `error` only if a value is unknown, has `isError`",
            [TOOLS_CALL_EXECUTION_ERROR_IS_ERROR]).conditional(),
    ],
}

/// How many tools are called.
const MOST: usize = 10;
/// How many resources of their results are read.
const MOST_RESOURCES: usize = 10;
/// A text that nothing is named by.
const UNKNOWN: &str = "no-such-value-of-mcp-test";
/// The keywords of a schema that allow any text of the type string.
const ANNOTATIONS: [&str; 6] = ["type", "title", "description", "default", "examples", "$comment"];
/// The longest text in which a failure is looked for, in bytes.
const LONGEST_REPORT: usize = 64 * 1024;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    make(ctx).await?;
    report_nothing_tested(
        ctx,
        &SCENARIO,
        "no result of a tool that the run may call names a resource",
    );
    Ok(())
}

async fn make(ctx: &mut Ctx) -> Result<(), Finding> {
    let tools = ctx.callable_tools().await?;
    let mut calling = Calls::default();
    let mut found: Vec<Link> = Vec::new();
    let mut failures: Vec<Result<(), Finding>> = Vec::new();
    for tool in tools.iter().filter(|tool| can_be_called(tool)).take(MOST) {
        if ctx.is_slow(tool).await || ctx.has_failed_before(tool) {
            continue;
        }
        let name = &tool.name;
        let mut known = None;
        if let Some(arguments) = &tool.arguments {
            let params = call_params(name, arguments);
            let Some(reply) = calling.call(ctx, params).await? else { break };
            ctx.note_stated_call(&tool.name, &reply);
            // Whether a tool succeeds with these arguments, only its author knows.
            if let Ok(result) = reply.outcome() {
                let content = result.get("content").and_then(Value::as_array).unwrap_or_default();
                found.extend(links(content, &format!("the tool `{name}`"), &reply));
            }
            failures.push(fails_in_its_result(name, &reply, None));
            known = reply.outcome().is_ok().then_some(reply);
        }
        if let Some(arguments) = unknown_arguments(tool) {
            let params = call_params(name, &arguments);
            let Some(reply) = calling.call(ctx, params).await? else { break };
            // Arguments of the user need not be valid ones.
            let is_valid = tool.arguments.is_none() || known.is_some();
            failures.push(match is_valid && is_invalid_params_of_result(&reply) {
                true => Err(not_a_result(name, &reply)),
                false => fails_in_its_result(name, &reply, known.as_ref()),
            });
        }
    }
    if !failures.is_empty() {
        ctx.check("failures-as-results").judge(failures.into_iter().collect());
    }
    for (id, embedded) in [("links-usable", false), ("embedded-refetchable", true)] {
        let all: Vec<&Link> = found.iter().filter(|link| link.is_embedded == embedded).collect();
        if all.is_empty() || !ctx.makes(id) {
            continue;
        }
        let mut outcomes = Vec::new();
        for link in all.iter().take(MOST_RESOURCES) {
            outcomes.push(link.read(ctx).await?);
        }
        let more = all.len().saturating_sub(MOST_RESOURCES);
        let details = json!({ "resources": outcomes.len(), "notRead": more });
        ctx.check(id).details(details).judge(outcomes.into_iter().collect());
    }
    Ok(())
}

fn can_be_called(tool: &CallableTool) -> bool {
    tool.arguments.is_some() || unknown_arguments(tool).is_some()
}

/// Arguments that the schema of a tool allows, with a text that nothing is named by where it allows any; `None` if it does so nowhere,
/// or requires arguments of which no value is known.
fn unknown_arguments(tool: &CallableTool) -> Option<Value> {
    let schema = tool.definition.get("inputSchema")?.as_object()?;
    if is_conditional(schema) {
        return None;
    }
    let properties = schema.get("properties")?.as_object()?;
    let takes_any_text = |name: &str| {
        let property = properties.get(name).and_then(Value::as_object);
        property.is_some_and(|property| {
            property.get("type").and_then(Value::as_str) == Some("string")
                && property.keys().all(|keyword| ANNOTATIONS.contains(&keyword))
        })
    };
    let stated = tool.arguments.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
    let required = schema.get("required").and_then(Value::as_array).unwrap_or_default();
    let required: Vec<&str> = required.iter().filter_map(Value::as_str).collect();
    if required.iter().any(|name| !stated.contains(name) && !takes_any_text(name)) {
        return None;
    }
    let mut arguments = stated.clone();
    for name in stated.keys().chain(required).filter(|name| takes_any_text(name)) {
        arguments.insert(name, UNKNOWN);
    }
    (arguments != stated).then_some(Value::Object(arguments))
}

/// Whether a valid call is refused with -32602, where the pages leave that to what is not a call at all.
fn is_invalid_params_of_result(reply: &Reply) -> bool {
    let is_refused = reply.error().is_some_and(|error| error.code == error_code::INVALID_PARAMS);
    // The schema of 2026-07-28 has an example with such an error, and earlier pages list invalid arguments as a reason.
    is_refused && reply.revision().reports_input_errors_only_in_results()
}

/// Whether a tool that fails does so with a result that has `isError`, as far as can be seen; `known` is the reply to a call with
/// other values.
fn fails_in_its_result(name: &str, reply: &Reply, known: Option<&Reply>) -> Result<(), Finding> {
    let result = match reply.outcome() {
        Ok(result) => result,
        Err(error) if error.code == error_code::INTERNAL_ERROR => {
            return Err(not_a_result(name, reply));
        }
        Err(_) => return Ok(()),
    };
    let known = known.and_then(|known| json_of(known.outcome().ok()?));
    let has_failed = |found: &Value| {
        reports_failure(found)
            || known.as_ref().is_some_and(|it| has_error(found) && !has_error(it))
    };
    match json_of(result).filter(has_failed) {
        Some(found) => {
            let got = format!("the text {}", found.short(120));
            Err(hidden_failure(name, "reports a failure as a success", got, reply))
        }
        None => Ok(()),
    }
}

/// That a tool fails with an error of JSON-RPC.
fn not_a_result(name: &str, reply: &Reply) -> Finding {
    let error = reply.error();
    let how = match error.is_some_and(|error| error.code == error_code::INTERNAL_ERROR) {
        true => "fails with an internal error",
        false => "fails with a JSON-RPC error",
    };
    let got = error.map_or_else(String::new, |error| {
        format!("error {}: {}", error.code, excerpt(&error.message))
    });
    hidden_failure(name, how, got, reply)
}

fn hidden_failure(name: &str, how: &str, got: String, reply: &Reply) -> Finding {
    Finding::peer(format!("the tool `{}` {how}", excerpt(name)))
        .expected("a result with `isError`")
        .got(got)
        .evidence_all(reply.evidence())
        .should()
}

/// What the only text of a result without `isError` is as JSON.
fn json_of(result: &Value) -> Option<Value> {
    if result.get("isError").and_then(Value::as_bool) == Some(true) {
        return None;
    }
    let [only] = result.get("content")?.as_array()? else { return None };
    let text = only.get("text")?.as_str().filter(|text| text.len() <= LONGEST_REPORT)?;
    Some(Value::parse(text.as_bytes()).ok()?.value)
}

/// Whether it has `"success": false` and an `error`: either alone may be what the tool was asked for.
fn reports_failure(found: &Value) -> bool {
    found.get("success").and_then(Value::as_bool) == Some(false) && has_error(found)
}

/// Whether it has the text of an `error`, or each of its items has one.
fn has_error(found: &Value) -> bool {
    match found.as_array() {
        Some(items) => !items.is_empty() && items.iter().all(has_error),
        None => found.get("error").and_then(Value::as_str).is_some_and(|text| !text.is_empty()),
    }
}

proofs! {
    passes on everything();
    warns "failures-as-results" by reply_error("tools/call", -32603);
    // Refuses a value that is unknown as if the call were not valid.
    warns "failures-as-results" on finding(|| Answer::error(error_code::INVALID_PARAMS, "not found")), at V2025_11_25;
    // Says in a text that a value is unknown.
    warns "failures-as-results" on finding(|| text(r#"[{"error":"not found"}]"#));
    // Says in a text that it has failed.
    warns "failures-as-results"
        on returning(json!({ "type": "text", "text": r#"{"success":false,"error":"no connection"}"# }));
    // Links to a resource that it does not have.
    warns "links-usable" on returning(json!({ "type": "resource_link", "uri": "test://gone", "name": "gone" }));
    // Embeds a resource that it does not have.
    warns "embedded-refetchable"
        on returning(json!({ "type": "resource", "resource": { "uri": "test://gone", "text": "a" } }));
}

/// A server with one tool, which answers this to a value that it does not know.
fn finding(unknown: fn() -> Answer) -> Server {
    let schema = json!({
        "type": "object",
        "properties": { "name": { "type": "string" } },
        "required": ["name"],
        "examples": [{ "name": "a thing" }],
    });
    with_one_tool(&schema, move |arguments| match arguments.to_string().contains(UNKNOWN) {
        true => unknown(),
        false => text("[{}]"),
    })
}

/// Returns this content from every tool, all of which are annotated as read-only where there are annotations.
fn returning(item: serde_json::Value) -> Server {
    everything().on("tools/call", move |_: Call| {
        let result = json!({ "content": [item] });
        async move { result }
    })
}
