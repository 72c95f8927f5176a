//! Failures as MCP Cases: conversations in which the server does what it should have done.

use mcp_test_core::json::{Object, Value};
use mcp_test_core::yaml::{self, Limits};
use serde_json::json;

use super::chain::{Chain, Link, Step};
use super::explored::Exploration;
use super::failure::FailureKind;
use super::shrink::Reduced;
use crate::generate::Class;
use crate::known_values::ResultPart;

/// The failures as the text of a file of cases, which fail until the tools are fixed.
///
/// Comments at the end name the failures that a case cannot express.
#[must_use]
pub fn saved_cases(exploration: &Exploration) -> String {
    let (mut documents, mut remarks) = (Vec::new(), String::new());
    for explored in &exploration.operations {
        for reduced in &explored.failures {
            match case(reduced) {
                Some(case) => documents.push(case),
                None => {
                    remarks
                        .push_str(&format!("# not expressed as a case: {}\n", reduced.headline()));
                }
            }
        }
    }
    let text = documents.join("---\n") + &remarks;
    yaml::format(&text, &Limits::default()).text
}

/// A failure as a case; `None` if it depends on calls at the same time, on how two parts of a result compare, or on a part of a URI that
/// comes from a result.
#[must_use]
pub(super) fn case(reduced: &Reduced) -> Option<String> {
    let (expected, rules) = expected(reduced)?;
    let chain = &reduced.chain;
    let has_captures = !captures(chain).is_empty();
    // In a case with captured values, this begins the name of one.
    if has_captures && chain.steps.iter().any(|step| step.arguments.to_string().contains("${")) {
        return None;
    }
    if !chain.steps.iter().all(can_capture) {
        return None;
    }
    let last = chain.steps.len();
    let mut text = format!("case: {}\n", Value::from(reduced.headline()));
    if is_about_output(&reduced.failure.kind) {
        // The result is validated against the schema in the list.
        let list = message("list", [("method", "tools/list".into())]);
        let listed = message("list", [("result", json!({}).into())]);
        text.push_str(&format!("in_list: {list}\nout_list: {listed}\n"));
    }
    for (index, step) in chain.steps.iter().enumerate() {
        let id = index + 1;
        let result = if id == last { expected.clone() } else { captured(chain, index) };
        let params = step.operation.params(&arguments(step));
        let call = message(id, [("method", step.operation.method().into()), ("params", params)]);
        let reply = message(id, [("result", result)]);
        text.push_str(&format!("in_{id}: {call}\nout_{id}: {reply}\n"));
    }
    text.push_str("_match:\n");
    if is_about_output(&reduced.failure.kind) {
        text.push_str("  out_list: {/result: any}\n");
    }
    for id in 1..last {
        text.push_str(&format!("  out_{id}: {{/result: any}}\n"));
    }
    text.push_str(&format!("  out_{last}: {rules}\n"));
    text.push_str(&captures(chain));
    Some(text)
}

/// What the result of the last call should be, and how it is compared.
fn expected(reduced: &Reduced) -> Option<(Value, String)> {
    let any = || (json!({}).into(), "{/result: any}".to_owned());
    let refused = || (json!({"isError": true}).into(), "contains".to_owned());
    Some(match (&reduced.failure.kind, &reduced.class) {
        (FailureKind::Leaked | FailureKind::Mixed | FailureKind::TextDiffers, _) => return None,
        (FailureKind::RefusalWithoutName, Class::Invalid { instance, .. }) => {
            let name = instance.tokens().next()?;
            let result = json!({"isError": true, "content": [{"type": "text", "text": name}]});
            let rule =
                json!({"mode": "contains", "/result/content/0/text": {"regex": escaped(&name)}});
            (result.into(), Value::from(rule).inline())
        }
        (kind, _) if is_about_output(kind) => any(),
        (_, Class::Invalid { .. }) => refused(),
        _ => any(),
    })
}

fn is_about_output(kind: &FailureKind) -> bool {
    matches!(kind, FailureKind::OutputMissing | FailureKind::OutputInvalid { .. })
}

/// A message, on one line.
fn message<const N: usize>(id: impl Into<Value>, members: [(&str, Value); N]) -> String {
    let first = [("jsonrpc", Value::from("2.0")), ("id", id.into())];
    Value::Object(Object::from_iter(first.into_iter().chain(members))).inline()
}

/// Whether the values that a step takes from results can be put into its params.
fn can_capture(step: &Step) -> bool {
    captured_links(step).next().is_none() || step.operation.sends_as_is(&step.arguments)
}

/// The links to values that can be captured.
fn captured_links(step: &Step) -> impl Iterator<Item = &Link> {
    step.links.iter().filter(|link| link.part.pointer().is_some())
}

/// The arguments of a call, with the names of captured values.
fn arguments(step: &Step) -> Value {
    let mut arguments = step.arguments.clone();
    for link in captured_links(step) {
        let name = captured_name(link.step, link.result.as_str());
        arguments.set(link.argument.as_str(), Value::from(format!("${{{name}}}")));
    }
    arguments
}

/// The links to values of the result of a step.
fn links_to(chain: &Chain, index: usize) -> impl Iterator<Item = &Link> {
    chain.steps.iter().flat_map(captured_links).filter(move |link| link.step == index)
}

/// A result that has the values which later calls capture.
fn captured(chain: &Chain, index: usize) -> Value {
    let mut parts: Vec<ResultPart> = links_to(chain, index).map(|link| link.part).collect();
    parts.dedup();
    let member = |part: ResultPart| match part {
        ResultPart::Structured => Some(("structuredContent", Value::from(json!({})))),
        ResultPart::Content => Some(("content", Value::from(json!([])))),
        ResultPart::Text => None,
    };
    Value::Object(Object::from_iter(parts.into_iter().filter_map(member)))
}

/// The values that are captured for later calls.
fn captures(chain: &Chain) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (index, _) in chain.steps.iter().enumerate() {
        let mut values: Vec<String> = links_to(chain, index)
            .map(|link| {
                let part = link.part.pointer().unwrap_or_default();
                let pointer = format!("/result{part}{}", link.result.as_str());
                let name = captured_name(index, link.result.as_str());
                format!("{name}: {}", Value::from(pointer))
            })
            .collect();
        values.sort_unstable();
        values.dedup();
        if !values.is_empty() {
            lines.push(format!("  out_{}: {{{}}}\n", index + 1, values.join(", ")));
        }
    }
    if lines.is_empty() { String::new() } else { format!("_capture:\n{}", lines.concat()) }
}

/// The name of a captured value: `cart_id_of_1`.
fn captured_name(step: usize, pointer: &str) -> String {
    let last = pointer.rsplit('/').next().unwrap_or_default();
    let word: String =
        last.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).collect();
    format!("v_{word}_of_{}", step + 1)
}

/// A regular expression that matches exactly this text.
fn escaped(text: &str) -> String {
    regex_syntax::escape(text)
}
