//! `tools-call-allowed`.

use mcp_test_core::expect::words::excerpt;
use mcp_test_core::scenario::CallableTool;

use super::{Calls, call_params, is_conditional, text, with_one_tool};
use crate::scenarios::nothing_tested::report_nothing_tested;
use crate::scenarios::prelude::*;

scenario! {
    /// Tools accept the arguments that their input schema allows.
    ///
    /// Called are only tools that the run may call and that succeed with the arguments that the user or the schema states: then
    /// once with only those of them that the schema requires, and with other values that the schema states. What else a schema
    /// allows may be refused for many reasons.
    ///
    /// A result with `isError` may say that the tool has failed with a valid value. Only of a value of an `enum` it is known to
    /// refuse the value: if one that the `enum` does not have is answered with the same text, but for the value. For the other
    /// stated values there is none to compare with that the schema does not allow.
    Server "tools-call-allowed": "Tools accept the arguments that their schemas allow",
    revisions: Revisions::all(),
    needs: [Need::Any(ItemKind::Tool)],
    shares_connection: Revisions::all(),
    checks: [
        check!("required-arguments-suffice",
            "A tool that succeeds with more arguments does not refuse a call with only those that its schema requires",
            [MCP_TEST_REQUIRED_ARGUMENTS_SUFFICE]).conditional(),
        check!("stated-values-accepted",
            "A value that the schema of a tool states, in `enum`, `default` or `examples`, is not refused with -32602, nor one of an \
             `enum` like a value that it does not have",
            [MCP_TEST_STATED_VALUES_ACCEPTED]).conditional(),
    ],
}

/// How many tools are called.
const MOST: usize = 10;
/// A value that no `enum` has.
const NO_VALUE: &str = "no-such-value-of-mcp-test";
/// With how many other values a tool is called.
const MOST_VALUES: usize = 3;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    make(ctx).await?;
    report_nothing_tested(
        ctx,
        &SCENARIO,
        "no tool that the run may call succeeds and has optional arguments or stated values",
    );
    Ok(())
}

async fn make(ctx: &mut Ctx) -> Result<(), Finding> {
    let tools = ctx.working_tools().await?;
    let mut calls = Calls::default();
    let (mut required, mut stated) = (Vec::new(), Vec::new());
    for tool in tools.iter().filter(|tool| !variations(tool).is_empty()).take(MOST) {
        if ctx.is_slow(tool).await {
            continue;
        }
        let Some(usual) = tool.arguments.as_ref() else { continue };
        let usual = call_params(&tool.name, usual);
        let Some(reply) = calls.call(ctx, usual.clone()).await? else { break };
        ctx.note_stated_call(&tool.name, &reply);
        if !has_succeeded(&reply) {
            continue;
        }
        for variation in variations(tool) {
            let params = call_params(&tool.name, &Value::Object(variation.arguments.clone()));
            let Some(reply) = calls.call(ctx, params).await? else { break };
            let mut outcome = variation.is_accepted(&tool.name, &reply);
            if let Some((name, invalid)) = variation.invalid()
                && let Some(text) = refusal(&reply, &variation.arguments, name)
            {
                let params = call_params(&tool.name, &Value::Object(invalid.clone()));
                let Some(refused) = calls.call(ctx, params).await? else { break };
                if refusal(&refused, invalid, name) == Some(text) {
                    outcome = Err(variation.refused(&tool.name, &reply));
                }
            }
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

/// The text of a result with `isError`, with an ellipsis in place of the value of an argument; `None` if that is not in the text.
fn refusal(reply: &Reply, arguments: &Object, argument: &str) -> Option<String> {
    if reply.outcome().is_err() || has_succeeded(reply) {
        return None;
    }
    let value = arguments.get(argument)?.as_str().filter(|it| !it.is_empty())?;
    let text = reply.outcome().ok()?.get("content")?.as_array()?.first()?.get("text")?.as_str()?;
    text.contains(value).then(|| text.replace(value, "…"))
}

/// Other arguments that the schema of a tool allows.
struct Variation {
    arguments: Object,
    /// The argument with another value; `None` if those are left out that are optional.
    value: Option<String>,
    /// The arguments with a value that the `enum` of the argument does not have.
    invalid: Option<Object>,
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
    let fewer = Variation { arguments: needed, value: None, invalid: None };
    let fewer = (fewer.arguments != *stated).then_some(fewer);
    let properties = schema.get("properties").and_then(Value::as_object);
    let others = properties.into_iter().flat_map(Object::iter).filter_map(|(name, property)| {
        let value = stated_values(property).find(|value| stated.get(name) != Some(value))?;
        let mut arguments = stated.clone();
        arguments.insert(name, value.clone());
        let invalid = property.get("enum").map(|_| {
            let mut arguments = stated.clone();
            arguments.insert(name, NO_VALUE);
            arguments
        });
        Some(Variation { arguments, value: Some(name.to_owned()), invalid })
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
    /// The argument with another value, and the arguments with an invalid one.
    fn invalid(&self) -> Option<(&str, &Object)> {
        self.value.as_deref().zip(self.invalid.as_ref())
    }

    /// Whether a reply is not a refusal of the arguments.
    fn is_accepted(&self, tool: &str, reply: &Reply) -> Result<(), Finding> {
        let is_refused = match (reply.outcome(), &self.value) {
            (Err(error), _) => error.code == error_code::INVALID_PARAMS,
            // With another value a tool may fail, but what it does without optional arguments its author has to know.
            (Ok(_), None) => !has_succeeded(reply),
            (Ok(_), Some(_)) => false,
        };
        if is_refused { Err(self.refused(tool, reply)) } else { Ok(()) }
    }

    /// That a tool has refused the arguments.
    fn refused(&self, tool: &str, reply: &Reply) -> Finding {
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
            .expected("any other reply than to an invalid value, or a schema without that value"),
        };
        let got = reply.outcome().map_or_else(ToString::to_string, |result| result.short(120));
        finding.got(got).evidence_all(reply.evidence()).should()
    }
}

proofs! {
    passes on accepting_all();
    warns "required-arguments-suffice" on demanding_a_note();
    warns "stated-values-accepted" on refusing_kilometres();
    warns "stated-values-accepted" on not_knowing_kilometres();
}

/// Fails with kilometres in another way than with a unit that does not exist.
fn accepting_all() -> Server {
    converting(|arguments| match unit(arguments) {
        "m" => text("1 m"),
        "km" => failure("the table of km cannot be read"),
        other => failure(&format!("the unit {other} does not exist")),
    })
}

fn demanding_a_note() -> Server {
    converting(|arguments| match arguments.get("note") {
        None => Answer::error(error_code::INVALID_PARAMS, "no"),
        Some(_) => text("1 m"),
    })
}

fn refusing_kilometres() -> Server {
    converting(|arguments| match unit(arguments) {
        "km" => Answer::error(error_code::INVALID_PARAMS, "no"),
        _ => text("1 m"),
    })
}

/// Knows one of the two units that its schema has.
fn not_knowing_kilometres() -> Server {
    converting(|arguments| match unit(arguments) {
        "m" => text("1 m"),
        other => failure(&format!("the unit {other} does not exist")),
    })
}

fn unit(arguments: &Value) -> &str {
    arguments.get("unit").and_then(Value::as_str).unwrap_or_default()
}

fn failure(text: &str) -> Answer {
    json!({ "content": [{ "type": "text", "text": text }], "isError": true }).into()
}

/// A server with one tool, which may refuse some arguments although its schema allows them.
fn converting(answer: fn(&Value) -> Answer) -> Server {
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
    with_one_tool(&schema, answer)
}
