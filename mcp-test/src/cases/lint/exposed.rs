//! Secrets that stand in the file, and values that will be others the next time.

use super::{Chain, SECRET, VOLATILE};
use crate::cases::{CaseMessage, Complaint, Direction, Matcher};
use crate::json::{Pointer, Value, diff};
use crate::trace::Redactor;

pub(super) fn of_chain(chain: &Chain<'_>) -> Vec<Complaint> {
    let mut found = Vec::new();
    for (_, said) in chain.said() {
        found.extend(secrets(chain, said));
        if said.direction == Direction::Out {
            found.extend(volatile(chain, said));
        }
    }
    found
}

/// What a redactor takes out of a value: the places, and what is put there.
fn taken(mut redactor: Redactor, value: &Value) -> Vec<(Pointer, String, String)> {
    let differences = diff(value, &redactor.value(value)).into_iter();
    let texts = differences.filter_map(|difference| {
        let text = |value: Option<Value>| Some(value?.as_str()?.to_owned());
        Some((difference.pointer, text(difference.expected)?, text(difference.got)?))
    });
    texts.collect()
}

fn secrets<'a>(
    chain: &'a Chain<'_>,
    said: &'a CaseMessage,
) -> impl Iterator<Item = Complaint> + 'a {
    let found = taken(Redactor::secrets(), &said.value).into_iter();
    // What is put in when the case runs does not stand here.
    found.filter(|(_, text, _)| !text.contains("${")).map(|(pointer, ..)| {
        let (_, name) = pointer.split_last().unwrap_or_default();
        let text = format!("`{}` has what may be a secret", said.key);
        let complaint = chain.complaint(&SECRET, said.place(&pointer), text);
        let help = format!(
            "make it an input: `_inputs: {{name: {name}, secret: true}}`, and write `${{{name}}}`"
        );
        complaint.label("everybody who has the file can read this").help(help)
    })
}

/// What a golden trace would not keep either.
const KINDS: [&str; 8] =
    ["[uuid", "[time", "[session", "[task", "[cursor", "[elicitation", "[subscription", "[state"];

fn volatile<'a>(
    chain: &'a Chain<'_>,
    said: &'a CaseMessage,
) -> impl Iterator<Item = Complaint> + 'a {
    let found = taken(Redactor::golden(), &said.value).into_iter();
    let found = found.filter(|(pointer, text, instead)| {
        let is_left = !text.contains("${") && !is_matched(said, pointer);
        is_left && KINDS.iter().any(|kind| instead.contains(kind) && !text.contains(kind))
    });
    found.map(|(pointer, ..)| {
        let text = format!("`{pointer}` of `{}` will be another one the next time", said.key);
        let complaint = chain.complaint(&VOLATILE, said.place(&pointer), text);
        let help = format!("if so, say `_match: {{{}: {{{pointer}: any}}}}`", said.key);
        complaint.label("it has to come as it is").help(help)
    })
}

/// Whether something else than equality is asked of a place.
fn is_matched(said: &CaseMessage, place: &Pointer) -> bool {
    said.rule.matchers.iter().any(|(pointer, matcher, _)| {
        let is_mode = matches!(matcher, Matcher::Exact | Matcher::Contains | Matcher::Unordered);
        let mut steps = place.tokens();
        !is_mode
            && pointer.tokens().all(|step| steps.next().is_some_and(|it| step == "*" || step == it))
    })
}
