//! How a call was answered, and whether that is right for its arguments.

use std::cmp::Reverse;

use mcp_test_core::check::{Cause, Finding, unrepeated_structured_content};
use mcp_test_core::client::Reply;
use mcp_test_core::expect::words::excerpt;
use mcp_test_core::json::{Object, Pointer, Value};
use mcp_test_core::spec::{error_code, requirement};
use mcp_test_core::wire::RpcError;

use super::explorable::Explorable;
use super::failure::{Failure, FailureKind};
use crate::generate::Class;
use crate::known_values::texts;

/// How a call was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// With a result.
    Success,
    /// With a result that has `isError`.
    ToolError,
    /// With a JSON-RPC error.
    ProtocolError,
}

/// Judges the reply to a call with arguments of this class: how it answers, and what is wrong with that.
pub(super) fn judge(
    reply: &Reply,
    class: &Class,
    explorable: &Explorable,
) -> (Answer, Option<Failure>) {
    let (answer, wrong) = match reply.outcome() {
        // That of a resource or a prompt is judged as in any conversation, by the rules for messages.
        Err(_) if !explorable.is_tool() => (Answer::ProtocolError, None),
        Ok(_) if !explorable.is_tool() => (Answer::Success, None),
        Err(error) => (Answer::ProtocolError, wrong_error(error, class, explorable)),
        Ok(result) if has_failed(result) => (Answer::ToolError, wrong_refusal(result, class)),
        Ok(result) => (Answer::Success, wrong_result(result, class, explorable)),
    };
    let applies = |id: &&str| {
        requirement::find(id).is_some_and(|row| row.revisions.contains(reply.revision()))
    };
    let wrong = wrong.filter(|(_, finding)| finding.requirements.first().is_none_or(applies));
    let failure =
        wrong.map(|(kind, finding)| Failure::new(kind, finding.evidence_all(reply.evidence())));
    (answer, failure)
}

type Wrong = Option<(FailureKind, Finding)>;

fn has_failed(result: &Value) -> bool {
    result.get("isError").and_then(Value::as_bool) == Some(true)
}

fn wrong_error(error: &RpcError, class: &Class, explorable: &Explorable) -> Wrong {
    let got = format!("error {}: {}", error.code, excerpt(&error.message));
    if error.code == error_code::INTERNAL_ERROR {
        let headline = format!("the tool `{}` fails with an internal error", explorable.operation);
        let finding = Finding::peer(headline).got(got);
        let finding = match class {
            Class::Valid | Class::FormatOnly { .. } => finding
                .expected("a result, with `isError` if the call fails")
                .requires("tools.call.execution-error-is-error"),
            Class::Invalid { .. } => finding
                .expected("a result with `isError`, or error -32602, for arguments that the schema does not allow")
                .requires("jsonrpc.invalid-params-error"),
        };
        return Some((FailureKind::InternalError, finding.should()));
    }
    if class.is_valid() && error.code == error_code::INVALID_PARAMS {
        let headline =
            format!("arguments that the schema of `{}` allows are refused", explorable.operation);
        let finding = Finding::peer(headline)
            .expected("a result, with `isError` if the call fails")
            .got(got)
            .requires("tools.call.execution-error-is-error");
        return Some((FailureKind::ValidRefused, finding.should()));
    }
    None
}

/// A refusal of invalid arguments is for a model, which has to learn which of them is wrong.
fn wrong_refusal(result: &Value, class: &Class) -> Wrong {
    let Class::Invalid { keyword, instance } = class else { return None };
    let name = instance.tokens().next()?;
    let texts = texts(result);
    // What is missing or too much is known only in the words of the keyword.
    if keyword == "required" || texts.iter().any(|text| text.contains(&name)) {
        return None;
    }
    let finding = Finding::peer("the refusal does not name the argument that is wrong")
        .expected(format!("a text that contains `{name}`"))
        .got(first_text(result))
        .requires("tools.call.input-validation-is-error");
    Some((FailureKind::RefusalWithoutName, finding.should()))
}

fn wrong_result(result: &Value, class: &Class, explorable: &Explorable) -> Wrong {
    if class.is_invalid() {
        let finding =
            Finding::peer("arguments that the schema of the tool does not allow are not refused")
                .expected("a result with `isError`, or an error")
                .got(format!("a result without `isError`, with {}", first_text(result)))
                .requires("tools.security.validate-inputs");
        return Some((FailureKind::InvalidAccepted, finding.should()));
    }
    let structured = result.get("structuredContent");
    if let Some(output) = &explorable.output {
        let Some(structured) = structured else {
            let headline =
                format!("a result of `{}` lacks `structuredContent`", explorable.operation);
            let finding = Finding::peer(headline)
                .expected("`structuredContent`, since the tool has an `outputSchema`")
                .got("none")
                .requires("tools.structured.present-with-output-schema");
            return Some((FailureKind::OutputMissing, finding));
        };
        // What is beyond the limits of validation is not judged.
        if let Some(mismatch) = output.mismatches(structured).unwrap_or_default().first() {
            let pointer = mismatch.pointer.clone();
            let finding = Finding::mismatch(
                format!(
                    "`structuredContent` of `{}` does not conform to the `outputSchema`",
                    explorable.operation
                ),
                mismatch,
            )
            .requires("tools.structured.conforms-output-schema");
            return Some((FailureKind::OutputInvalid { pointer: pattern(&pointer) }, finding));
        }
    }
    let (finding, rule) = unrepeated_structured_content(result)?;
    // The same problem as in other conversations, where it is reported by the rules for all messages.
    let finding = finding.requires(rule.id()).caused_by(Cause::of_rule(rule.id()));
    Some((FailureKind::TextDiffers, finding))
}

/// A pointer with the indices of arrays left out, since the same problem may be in any item.
fn pattern(pointer: &Pointer) -> String {
    let part = |token: String| match token.parse::<usize>() {
        Ok(_) => "*".to_owned(),
        Err(_) => token,
    };
    pointer.tokens().map(part).collect::<Vec<_>>().join("/")
}

/// The first text of a result, for people.
fn first_text(result: &Value) -> String {
    let text = texts(result).first().map(|text| format!("the text `{}`", excerpt(text)));
    text.unwrap_or_else(|| "no text".to_owned())
}

/// How many characters of a refusal tell it apart from others.
const LONGEST_REFUSAL: usize = 200;

/// A result with `isError`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The beginning of its text.
    pub(super) text: String,
    /// The same with an ellipsis in place of each argument.
    pattern: String,
}

impl Refusal {
    /// Reads a result of a call with these arguments; `None` if it has no `isError`.
    pub(super) fn of(result: &Value, arguments: &Value) -> Option<Self> {
        let text = texts(result).first().copied().unwrap_or_default();
        // An argument at its end may go on for long.
        let text: String = text.chars().take(10 * LONGEST_REFUSAL).collect();
        let members = arguments.as_object().into_iter().flat_map(Object::iter);
        let mut values: Vec<String> = members
            .map(|(_, value)| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            .filter(|value| !value.is_empty())
            .collect();
        values.sort_by_key(|value| Reverse(value.len()));
        let pattern = values.iter().fold(text.clone(), |text, value| text.replace(value, "…"));
        let cut = |text: &str| text.chars().take(LONGEST_REFUSAL).collect();
        has_failed(result).then(|| Self { text: cut(&text), pattern: cut(&pattern) })
    }

    /// Whether two refusals have one reason, as far as can be seen: they differ in the arguments alone.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        // A short argument may be part of any word, so that equal texts may have different patterns.
        self.text == other.text || self.pattern == other.pattern
    }
}
