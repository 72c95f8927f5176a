//! `tools-call-allowed`.

use mcp_test_core::check::Finding;
use mcp_test_core::client::Reply;
use mcp_test_core::expect::words::excerpt;
use mcp_test_core::json::{Object, Value};
use mcp_test_core::scenario::{CallableTool, CheckSpec, Ctx, Need};
use mcp_test_core::server::{Answer, Server};
use mcp_test_core::spec::{ItemKind, Revisions, error_code};
use mcp_test_core::{proofs, scenario};
use serde_json::json;

use super::{Calls, call_params, is_conditional, text, with_one_tool};
use crate::scenarios::any::note_if_unmade;

scenario! {
    /// Tools accept the arguments that their input schema allows.
    ///
    /// Called are only tools that the run may call and that succeed with the arguments that the user or the schema states: then
    /// once with only those of them that the schema requires, and with other values that the schema states. What else a schema
    /// allows may be refused for many reasons.
    Server "tools-call-allowed": "Tools accept the arguments that their schemas allow",
    revisions: Revisions::all(),
    needs: [Need::Any(ItemKind::Tool)],
    shares_connection: Revisions::all(),
    checks: [
        CheckSpec::own(
            "required-arguments-suffice",
            "RequiredArgumentsSuffice",
            "A tool that succeeds with more arguments does not refuse a call with only those that its schema requires",
        )
        .requires(&["mcp-test.required-arguments-suffice"])
        .conditional()
        .warns(),
        CheckSpec::own(
            "stated-values-accepted",
            "StatedValuesAccepted",
            "A value that the schema of a tool states, in `enum`, `default` or `examples`, is not refused with -32602",
        )
        .requires(&["mcp-test.stated-values-accepted"])
        .conditional()
        .warns(),
    ],
}

/// How many tools are called.
const MOST: usize = 10;
/// With how many other values a tool is called.
const MOST_VALUES: usize = 3;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    make(ctx).await?;
    note_if_unmade(
        ctx,
        &SCENARIO,
        "no tool that the run may call succeeds and has optional arguments or stated values",
    );
    Ok(())
}

async fn make(ctx: &mut Ctx) -> Result<(), Finding> {
    let tools = ctx.callable_tools().await?;
    let mut calls = Calls::default();
    let (mut required, mut stated) = (Vec::new(), Vec::new());
    for tool in tools.iter().filter(|tool| !variations(tool).is_empty()).take(MOST) {
        if ctx.is_slow(tool).await {
            continue;
        }
        let Some(usual) = tool.arguments.as_ref() else { continue };
        let usual = call_params(&tool.name, usual);
        let Some(reply) = calls.call(ctx, usual.clone()).await? else { break };
        if !has_succeeded(&reply) {
            continue;
        }
        for variation in variations(tool) {
            let params = call_params(&tool.name, &Value::Object(variation.arguments.clone()));
            let Some(reply) = calls.call(ctx, params).await? else { break };
            let mut outcome = variation.is_accepted(&tool.name, &reply);
            if outcome.is_err() {
                // A tool may fail the second time for another reason, such as a limit on how often it is called.
                match calls.call(ctx, usual.clone()).await? {
                    Some(again) if has_succeeded(&again) => {}
                    _ => outcome = Ok(()),
                }
            }
            match variation.value {
                None => required.push(outcome),
                Some(_) => stated.push(outcome),
            }
        }
    }
    let checks = [("required-arguments-suffice", required), ("stated-values-accepted", stated)];
    for (id, outcomes) in checks.into_iter().filter(|(_, outcomes)| !outcomes.is_empty()) {
        let details = json!({ "calls": outcomes.len() });
        ctx.check(id).details(details).judge(outcomes.into_iter().collect());
    }
    Ok(())
}

fn has_succeeded(reply: &Reply) -> bool {
    reply.outcome().is_ok_and(|result| result.get("isError") != Some(&Value::Bool(true)))
}

/// Other arguments that the schema of a tool allows.
struct Variation {
    arguments: Object,
    /// The argument with another value; `None` if those are left out that are optional.
    value: Option<String>,
}

/// The variations of the arguments that are stated for a tool.
fn variations(tool: &CallableTool) -> Vec<Variation> {
    let schema = tool.definition.get("inputSchema").and_then(Value::as_object);
    let stated = tool.arguments.as_ref().and_then(Value::as_object);
    let (Some(schema), Some(stated)) = (schema, stated) else { return Vec::new() };
    if is_conditional(schema) {
        return Vec::new();
    }
    let required = schema.get("required").and_then(Value::as_array).unwrap_or_default();
    let is_required = |name: &str| required.iter().any(|other| other.as_str() == Some(name));
    let needed: Object = stated
        .iter()
        .filter(|(name, _)| is_required(name))
        .map(|(name, value)| (name, value.clone()))
        .collect();
    let fewer = (needed != *stated).then_some(Variation { arguments: needed, value: None });
    let properties = schema.get("properties").and_then(Value::as_object);
    let others = properties.into_iter().flat_map(Object::iter).filter_map(|(name, property)| {
        let value = stated_values(property).find(|value| stated.get(name) != Some(value))?;
        let mut arguments = stated.clone();
        arguments.insert(name, value.clone());
        Some(Variation { arguments, value: Some(name.to_owned()) })
    });
    fewer.into_iter().chain(others.take(MOST_VALUES)).collect()
}

/// The values that a schema states, the last one first: `stated_arguments` takes the first.
fn stated_values(schema: &Value) -> impl Iterator<Item = &Value> {
    let listed = ["enum", "examples"].into_iter().filter_map(|keyword| schema.get(keyword));
    let listed = listed.filter_map(Value::as_array).flat_map(|values| values.iter().rev());
    listed.chain(schema.get("default"))
}

impl Variation {
    /// Whether a reply is not a refusal of the arguments.
    fn is_accepted(&self, tool: &str, reply: &Reply) -> Result<(), Finding> {
        let got = match (reply.outcome(), &self.value) {
            (Err(error), _) if error.code == error_code::INVALID_PARAMS => error.to_string(),
            // With another value a tool may fail, but what it does without optional arguments its author has to know.
            (Ok(result), None) if !has_succeeded(reply) => result.short(120),
            _ => return Ok(()),
        };
        let tool = excerpt(tool);
        let finding = match &self.value {
            None => Finding::peer(format!(
                "`{tool}` refused a call with all arguments that its schema requires"
            ))
            .expected("a success, as with the optional arguments, or a schema that requires them"),
            Some(name) => Finding::peer(format!(
                "`{tool}` refused a value that its schema states for `{}`",
                excerpt(name)
            ))
            .expected("any other reply than error -32602, or a schema without that value"),
        };
        Err(finding.got(got).evidence_all(reply.evidence()).should())
    }
}

proofs! {
    passes on accepting_all();
    warns "required-arguments-suffice" on demanding_a_note();
    warns "stated-values-accepted" on refusing_kilometres();
}

fn accepting_all() -> Server {
    converting(|_| false)
}

fn demanding_a_note() -> Server {
    converting(|arguments| arguments.get("note").is_none())
}

fn refusing_kilometres() -> Server {
    converting(|arguments| arguments.get("unit") == Some(&"km".into()))
}

/// A server with one tool, which refuses some arguments although its schema allows them.
fn converting(refuses: fn(&Value) -> bool) -> Server {
    let schema = json!({
        "type": "object",
        "properties": {
            "value": { "type": "number" },
            "unit": { "type": "string", "enum": ["m", "km"] },
            "note": { "type": "string" },
        },
        "required": ["value", "unit"],
        "examples": [{ "value": 1, "unit": "m", "note": "a length" }],
    });
    with_one_tool(&schema, move |arguments| match refuses(arguments) {
        true => Answer::error(error_code::INVALID_PARAMS, "no"),
        false => text("1 m"),
    })
}
