//! Failures as Rust tests, which fail until the tools are fixed.

use std::collections::BTreeMap;

use mcp_test_core::json::{Number, Value};

use super::chain::{Chain, Link, Step};
use super::explored::Exploration;
use super::failure::FailureKind;
use super::operation::Operation;
use super::shrink::Reduced;
use crate::generate::Class;
use crate::known_values::ResultPart;

const HEADER: &str = concat!(
    "//! What `mcp-test explore` has found. The tests need the feature `schema` of mcp-test, and the crate `serde_json`.\n",
    "//!\n",
    "//! The server is that of `mcp_test::target!` in this file, or of the environment variable `MCP_TEST_COMMAND` or ",
    "`MCP_TEST_URL`.\n\n",
    "use mcp_test::prelude::*;\n",
);

/// The failures as the text of a file for the folder `tests/` of a crate.
///
/// Comments at the end name the failures whose arguments cannot be written as Rust.
#[must_use]
pub fn saved_tests(exploration: &Exploration) -> String {
    let mut text = HEADER.to_owned();
    let mut remarks = String::new();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for explored in &exploration.operations {
        for reduced in &explored.failures {
            let name = function_name(reduced);
            let count = names.entry(name.clone()).or_default();
            *count += 1;
            let name = if *count == 1 { name } else { format!("{name}_{count}") };
            match test(&name, reduced) {
                Some(test) => text.push_str(&format!("\n{test}")),
                None => {
                    remarks
                        .push_str(&format!("\n// not expressed as a test: {}", reduced.headline()));
                }
            }
        }
    }
    text + &remarks
}

/// A failure as a test; `None` if its arguments cannot be written as Rust.
pub(super) fn test(name: &str, reduced: &Reduced) -> Option<String> {
    let body = match reduced.failure.kind {
        FailureKind::Mixed => at_once(&reduced.chain)?,
        _ => one_after_another(reduced)?,
    };
    let headline = reduced.headline();
    Some(format!(
        "// {headline}\n#[mcp_scenario]\nasync fn {name}(ctx: &mut Ctx) -> Result<()> {{\n{body}    Ok(())\n}}\n"
    ))
}

fn one_after_another(reduced: &Reduced) -> Option<String> {
    let mut body = String::new();
    let (last, earlier) = reduced.chain.steps.split_last()?;
    for (index, step) in earlier.iter().enumerate() {
        let links = reduced.chain.steps.iter().flat_map(|step| &step.links);
        let is_used = links.filter(|link| link.step == index).any(is_structured);
        let call = call(step)?;
        body.push_str(&match is_used {
            true => format!(
                "    let result_{}: serde_json::Value = {call}.assert_ok().structured()?;\n",
                index + 1
            ),
            // What it answers does not matter.
            false => format!("    {call}.assert_result(expect::anything());\n"),
        });
    }
    let call = call(last)?;
    body.push_str(&match (&reduced.failure.kind, &reduced.class) {
        (FailureKind::RefusalWithoutName, Class::Invalid { instance, .. }) => {
            let name = instance.tokens().next()?;
            format!("    {call}.assert_tool_error_contains({name:?});\n")
        }
        (FailureKind::OutputMissing | FailureKind::OutputInvalid { .. }, _) => {
            let Operation::Tool(tool) = &last.operation else { return None };
            format!(
                "    ctx.list_tools().await?.assert_tool({tool:?});\n    {call}.assert_fits_output_schema();\n"
            )
        }
        (FailureKind::TextDiffers, _) => format!(
            "    let result = {call}.assert_ok();\n    assert_eq!(result.parse_text::<serde_json::Value>()?, \
             result.structured::<serde_json::Value>()?);\n"
        ),
        // A JSON-RPC error refuses them as well, unless it is about something inside the server.
        (_, Class::Invalid { .. }) => format!(
            "    let reply = {call};\n    if let Some(error) = reply.error() {{\n        assert_ne!(error.code, -32603);\n    \
             }} else {{\n        reply.assert_tool_error();\n    }}\n"
        ),
        // With `isError`, if the call fails.
        _ => format!("    {call}.assert_result(expect::anything());\n"),
    });
    Some(body)
}

fn at_once(chain: &Chain) -> Option<String> {
    let calls: Vec<String> =
        chain.steps.iter().map(|step| literal(&step.arguments)).collect::<Option<_>>()?;
    let Operation::Tool(tool) = &chain.steps.first()?.operation else { return None };
    Some(format!(
        "    let calls = [{}].map(|arguments| json!({{\"name\": {tool:?}, \"arguments\": arguments}}));\n    \
         let mut alone = Vec::new();\n    for call in &calls {{\n        \
         alone.push(ctx.request(\"tools/call\", call.clone()).await?.result()?.clone());\n    }}\n    \
         let mut pending = Vec::new();\n    for call in &calls {{\n        \
         pending.push(ctx.start(\"tools/call\", call.clone()).await?);\n    }}\n    \
         for (pending, alone) in pending.into_iter().zip(alone) {{\n        \
         assert_eq!(*ctx.wait(pending).await?.result()?, alone);\n    }}\n",
        calls.iter().map(|call| format!("json!({call})")).collect::<Vec<_>>().join(", ")
    ))
}

/// The expression that makes a call.
fn call(step: &Step) -> Option<String> {
    let mut arguments = step.arguments.clone();
    let mut replaced = Vec::new();
    for (index, link) in step.links.iter().filter(|link| is_structured(link)).enumerate() {
        // A text that no argument has by chance.
        let mark = format!("\u{e000}{index}");
        arguments.set(link.argument.as_str(), Value::from(mark.as_str()));
        let value = format!("result_{}.pointer({:?})", link.step + 1, link.result.as_str());
        replaced.push((format!("{mark:?}"), value));
    }
    if !replaced.is_empty() && !step.operation.sends_as_is(&step.arguments) {
        return None;
    }
    let is_tool = matches!(step.operation, Operation::Tool(_));
    let mut text = literal(&if is_tool { arguments } else { step.operation.params(&arguments) })?;
    for (mark, value) in replaced {
        text = text.replace(&mark, &value);
    }
    Some(match &step.operation {
        Operation::Tool(name) => format!("ctx.call_tool({name:?}, json!({text})).await?"),
        operation => format!("ctx.request({:?}, json!({text})).await?", operation.method()),
    })
}

/// Whether a value is taken from the structured content, where a test can read it.
fn is_structured(link: &Link) -> bool {
    link.part == ResultPart::Structured
}

/// A value as it is written in `json!`; `None` if Rust has no such number.
fn literal(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => number_literal(number)?,
        Value::String(text) => format!("{text:?}"),
        Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(literal).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Object(members) => {
            let member =
                |(name, value): (&str, &Value)| Some(format!("{name:?}: {}", literal(value)?));
            let members: Option<Vec<String>> = members.iter().map(member).collect();
            format!("{{{}}}", members?.join(", "))
        }
    })
}

/// A number with the type that holds it, since that of a literal without one is `i32`.
fn number_literal(number: &Number) -> Option<String> {
    if let Some(whole) = number.as_i64() {
        return Some(match i32::try_from(whole) {
            Ok(short) => short.to_string(),
            Err(_) => format!("{whole}_i64"),
        });
    }
    if let Some(whole) = number.as_u64() {
        return Some(format!("{whole}_u64"));
    }
    let double = number.as_f64().filter(|double| double.is_finite())?;
    Some(format!("{double:?}"))
}

/// The name of the test function: `add_accepts_invalid_arguments`.
pub(super) fn function_name(reduced: &Reduced) -> String {
    let (kind, name) = match reduced.last().map(|step| &step.operation) {
        Some(Operation::Tool(name)) => ("tool", &**name),
        Some(Operation::Resource(template)) => ("resource", &**template),
        Some(Operation::Prompt(name)) => ("prompt", &**name),
        None => ("tool", ""),
    };
    let word: String = name
        .chars()
        .take(60)
        .map(|it| if it.is_ascii_alphanumeric() { it.to_ascii_lowercase() } else { '_' })
        .collect();
    let word = word.trim_matches('_');
    let begins_well = kind == "tool" && word.starts_with(|it: char| it.is_ascii_alphabetic());
    let word = if begins_well { word.to_owned() } else { format!("{kind}_{word}") };
    let what = match &reduced.failure.kind {
        FailureKind::Closed => "closes_the_connection",
        FailureKind::NoReply => "does_not_answer",
        FailureKind::InvalidReply => "answers_invalidly",
        FailureKind::ValidRefused => "refuses_valid_arguments",
        FailureKind::InternalError => "fails_with_an_internal_error",
        FailureKind::InvalidAccepted => "accepts_invalid_arguments",
        FailureKind::RefusalWithoutName => "does_not_name_the_argument",
        FailureKind::OutputMissing => "lacks_structured_content",
        FailureKind::OutputInvalid { .. } => "does_not_conform_to_its_output_schema",
        FailureKind::TextDiffers => "returns_another_text",
        FailureKind::Mixed => "mixes_up_results",
        FailureKind::Leaked => "returns_data_of_another_call",
    };
    let is_invalid = matches!(reduced.class, Class::Invalid { .. });
    let is_accepted = reduced.failure.kind == FailureKind::InvalidAccepted;
    let when = if is_invalid && !is_accepted { "_at_invalid_arguments" } else { "" };
    format!("{word}_{what}{when}")
}
