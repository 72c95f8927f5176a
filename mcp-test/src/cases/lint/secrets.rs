//! Finds secrets, and values that change with each run.

use mcp_test_core::json::{Pointer, Value, diff};
use mcp_test_core::trace::Redactor;

use super::case_chain::CaseChain;
use crate::cases::format::lints::{SECRET, VOLATILE};
use crate::cases::{CaseMessage, Diagnostic, Direction};

pub(super) fn check(chain: &CaseChain<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (_, message) in chain.case_messages() {
        found.extend(secrets(chain, message));
        if message.direction == Direction::Out {
            found.extend(volatile(chain, message));
        }
    }
    found
}

/// What a redactor replaces in a value: pointer, text and replacement.
fn redacted(mut redactor: Redactor, value: &Value) -> Vec<(Pointer, String, String)> {
    let differences = diff(value, &redactor.value(value)).into_iter();
    let texts = differences.filter_map(|difference| {
        let text = |value: Option<Value>| Some(value?.as_str()?.to_owned());
        Some((difference.pointer, text(difference.expected)?, text(difference.got)?))
    });
    texts.collect()
}

fn secrets<'a>(
    chain: &'a CaseChain<'_>,
    message: &'a CaseMessage,
) -> impl Iterator<Item = Diagnostic> + 'a {
    let found = redacted(Redactor::secrets(), &message.value).into_iter();
    // A `${name}` is replaced at run time.
    found.filter(|(_, text, _)| !text.contains("${")).map(|(pointer, ..)| {
        let (_, name) = pointer.split_last().unwrap_or_default();
        let text = format!("`{}` contains what may be a secret", message.key);
        let diagnostic = chain.diagnostic(&SECRET, message.span_of(&pointer), text);
        let help = format!(
            "make it an input: `_inputs: {{name: {name}, secret: true}}`, and write `${{{name}}}`"
        );
        diagnostic.label("anyone with the file can read this").help(help)
    })
}

/// The redactions of values that change with each run.
// Without the closing bracket: several values of one kind are numbered, as in `[uuid-2]`.
const KINDS: [&str; 8] =
    ["[uuid", "[time", "[session", "[task", "[cursor", "[elicitation", "[subscription", "[state"];

fn volatile<'a>(
    chain: &'a CaseChain<'_>,
    message: &'a CaseMessage,
) -> impl Iterator<Item = Diagnostic> + 'a {
    let found = redacted(Redactor::golden(), &message.value).into_iter();
    let found = found.filter(|(pointer, text, instead)| {
        let is_matched = message.rule.covers(pointer, |matcher| !matcher.is_mode());
        let is_compared = !text.contains("${") && !is_matched;
        // A text that contains a redaction itself was redacted when it was recorded.
        is_compared && KINDS.iter().any(|kind| instead.contains(kind) && !text.contains(kind))
    });
    found.map(|(pointer, ..)| {
        let text = format!("`{pointer}` of `{}` changes with each run", message.key);
        let diagnostic = chain.diagnostic(&VOLATILE, message.span_of(&pointer), text);
        let help = format!("if so, write `_match: {{{}: {{{pointer}: any}}}}`", message.key);
        diagnostic.label("it is compared exactly").help(help)
    })
}
