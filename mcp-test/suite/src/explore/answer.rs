//! How a call was answered, and whether that is right for its arguments.

use mcp_test_core::check::{Cause, Finding, unrepeated_structured_content};
use mcp_test_core::client::Reply;
use mcp_test_core::expect::words::excerpt;
use mcp_test_core::json::{Pointer, Value};
use mcp_test_core::spec::{Requirement, error_code};
use mcp_test_core::wire::RpcError;

use super::explorable::Explorable;
use super::failure::{Failure, FailureKind};
use super::refusal::has_failed;
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
    let applies = |it: &&Requirement| it.revisions.contains(reply.revision());
    let wrong = wrong.filter(|(_, finding)| finding.requirements.first().is_none_or(applies));
    let failure =
        wrong.map(|(kind, finding)| Failure::new(kind, finding.evidence_all(reply.evidence())));
    (answer, failure)
}

type Wrong = Option<(FailureKind, Finding)>;

fn wrong_error(error: &RpcError, class: &Class, explorable: &Explorable) -> Wrong {
    let got = format!("error {}: {}", error.code, excerpt(&error.message));
    if error.code == error_code::INTERNAL_ERROR {
        let headline = format!("the tool `{}` fails with an internal error", explorable.operation);
        let finding = Finding::peer(headline).got(got);
        let finding = match class {
            Class::Valid | Class::FormatOnly { .. } => finding
                .expected("a result, with `isError` if the call fails")
                .requires(Requirement::TOOLS_CALL_EXECUTION_ERROR_IS_ERROR),
            Class::Invalid { .. } => finding
                .expected("a result with `isError`, or error -32602, for arguments that the schema does not allow")
                .requires(Requirement::JSONRPC_INVALID_PARAMS_ERROR),
        };
        return Some((FailureKind::InternalError, finding.should()));
    }
    if class.is_valid() && error.code == error_code::INVALID_PARAMS {
        let headline =
            format!("arguments that the schema of `{}` allows are refused", explorable.operation);
        let finding = Finding::peer(headline)
            .expected("a result, with `isError` if the call fails")
            .got(got)
            .requires(Requirement::TOOLS_CALL_EXECUTION_ERROR_IS_ERROR);
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
        .requires(Requirement::TOOLS_CALL_INPUT_VALIDATION_IS_ERROR);
    Some((FailureKind::RefusalWithoutName, finding.should()))
}

fn wrong_result(result: &Value, class: &Class, explorable: &Explorable) -> Wrong {
    if class.is_invalid() {
        let finding =
            Finding::peer("arguments that the schema of the tool does not allow are not refused")
                .expected("a result with `isError`, or an error")
                .got(format!("a result without `isError`, with {}", first_text(result)))
                .requires(Requirement::TOOLS_SECURITY_VALIDATE_INPUTS);
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
                .requires(Requirement::TOOLS_STRUCTURED_PRESENT_WITH_OUTPUT_SCHEMA);
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
            .requires(Requirement::TOOLS_STRUCTURED_CONFORMS_OUTPUT_SCHEMA);
            return Some((FailureKind::OutputInvalid { pointer: pattern(&pointer) }, finding));
        }
    }
    let (finding, rule) = unrepeated_structured_content(result)?;
    // The same problem as in other conversations, where it is reported by the rules for all messages.
    let finding = finding.requires(rule).caused_by(Cause::for_requirement(rule));
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
