//! Finds matchers, captures and inputs without an effect.

use std::collections::HashSet;

use mcp_test_core::json::{Value, array_index};
use mcp_test_core::trace::SecretTexts;

use super::case_chain::CaseChain;
use crate::cases::compare::{self, Tolerance};
use crate::cases::format::lints::{
    CONTRADICTION, LITERAL_PLACEHOLDER, UNREACHABLE_MATCHER, UNUSED_CAPTURE, UNUSED_INPUT,
};
use crate::cases::format::suggest::did_you_mean_at;
use crate::cases::{CaseMessage, Diagnostic, Matcher, Mode, names_used};

pub(super) fn check(chain: &CaseChain<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let has_names = chain.has_names();
    let mut used: HashSet<String> = HashSet::new();
    for (_, message) in chain.case_messages() {
        let names = names_used(&message.value);
        if let Some((pointer, name)) = names.first().filter(|_| !has_names) {
            let text = format!("`${{{name}}}` is literal text here");
            let span = message.span_of(pointer);
            let diagnostic = chain.diagnostic(&LITERAL_PLACEHOLDER, span, text);
            let help = "declare the name in `_inputs` or `_capture`".to_owned();
            found.push(diagnostic.label("it is not replaced").help(help));
        }
        // The value of a `${name}` is known only at run time.
        if names.is_empty() {
            found.extend(contradictions(chain, message));
        }
        used.extend(names.into_iter().map(|(_, name)| name));
        found.extend(unreachable(chain, message));
    }
    found.extend(unused(chain, &used));
    found
}

/// Checks that a message matches itself by its own rule.
fn contradictions<'a>(
    chain: &'a CaseChain<'_>,
    message: &'a CaseMessage,
) -> impl Iterator<Item = Diagnostic> + 'a {
    let (tolerance, secrets) = (Tolerance::none(), SecretTexts::default());
    let (value, rule) = (&message.value, &message.rule);
    // Without matchers every message equals itself.
    let differences = match rule.matchers.is_empty() {
        true => Vec::new(),
        false => compare::compare(value, value, rule, &tolerance, &secrets),
    };
    differences.into_iter().map(|difference| {
        let text = format!("`{}` does not satisfy its own `_match`", message.key);
        let label = match message.value.at(difference.pointer.as_str()) {
            Some(_) => "this is the value".to_owned(),
            None => format!("`{}` does not exist", difference.pointer),
        };
        let expected = format!("this must be {}", difference.expected);
        let place = message.span_of(&difference.case);
        match difference.matcher_span {
            Some(span) => {
                chain.diagnostic(&CONTRADICTION, span, text).label(expected).also(place, label)
            }
            None => chain.diagnostic(&CONTRADICTION, place, text).label(expected),
        }
    })
}

/// Reports matchers of values that neither the case nor an accepted message can have.
fn unreachable<'a>(
    chain: &'a CaseChain<'_>,
    message: &'a CaseMessage,
) -> impl Iterator<Item = Diagnostic> + 'a {
    // With `contains`, a received message may have values that the case does not have.
    let is_open = message.rule.mode == Mode::Contains
        || message.rule.matchers.iter().any(|(_, matcher, _)| *matcher == Matcher::Contains);
    let pointless = message.rule.matchers.iter().filter(move |(pointer, matcher, _)| {
        let steps: Vec<String> = pointer.tokens().collect();
        let needed = match matcher {
            matcher if matcher.is_mode() => steps.as_slice(),
            // A matcher may require or allow a member that the case does not have.
            // With `*` it requires no value, so that it never applies without the parent.
            _ if steps.iter().any(|step| step == "*") => &steps[..steps.len() - 1],
            _ => &[],
        };
        !is_open && !reaches(&message.value, needed)
    });
    pointless.map(|(pointer, _, span)| {
        let text = format!("`{}` has no value at `{pointer}`", message.key);
        let diagnostic = chain.diagnostic(&UNREACHABLE_MATCHER, *span, text);
        diagnostic.label("this has no effect").help(did_you_mean_at(message, pointer))
    })
}

/// Whether a value exists at these steps, in which `*` is any.
fn reaches(value: &Value, steps: &[String]) -> bool {
    let Some((step, rest)) = steps.split_first() else { return true };
    match value {
        Value::Object(object) if step == "*" => object.iter().any(|(_, it)| reaches(it, rest)),
        Value::Object(object) => object.get(step).is_some_and(|it| reaches(it, rest)),
        Value::Array(items) if step == "*" => items.iter().any(|it| reaches(it, rest)),
        Value::Array(items) => {
            array_index(step).and_then(|index| items.get(index)).is_some_and(|it| reaches(it, rest))
        }
        _ => false,
    }
}

/// Reports names that are never used.
fn unused(chain: &CaseChain<'_>, used: &HashSet<String>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut captured: HashSet<&str> = HashSet::new();
    for (_, message) in chain.case_messages() {
        for capture in &message.captures {
            // Several messages may capture one name; the first is reported.
            if !used.contains(&capture.name) && captured.insert(&capture.name) {
                let name = &capture.name;
                let text = format!("`{name}` is captured, but never used");
                let diagnostic = chain.diagnostic(&UNUSED_CAPTURE, capture.span, text);
                found.push(diagnostic.label(format!("no message contains `${{{name}}}`")));
            }
        }
    }
    for input in chain.cases.iter().flat_map(|case| &case.settings.inputs) {
        if !used.contains(&input.name) {
            let text = format!("the input `{}` is never used", input.name);
            let diagnostic = chain.diagnostic(&UNUSED_INPUT, input.span, text);
            found.push(diagnostic.label(format!("no message contains `${{{}}}`", input.name)));
        }
    }
    found
}
