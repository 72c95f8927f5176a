//! Matchers, captures and inputs: whether they do anything.

use std::collections::HashSet;

use super::{
    CONTRADICTION, Chain, LITERAL_PLACEHOLDER, UNREACHABLE_MATCHER, UNUSED_CAPTURE, UNUSED_INPUT,
};
use crate::cases::compare::{self, Tolerance};
use crate::cases::document::spelled_right;
use crate::cases::{CaseMessage, Complaint, Matcher, Mode, names_used};
use crate::json::{Pointer, Value};
use crate::trace::SecretTexts;

pub(super) fn of_chain(chain: &Chain<'_>) -> Vec<Complaint> {
    let mut found = Vec::new();
    let has_names = chain.has_names();
    let mut used: HashSet<String> = HashSet::new();
    for (_, said) in chain.said() {
        let names = names_used(&said.value);
        if !has_names {
            found.extend(names.first().map(|(pointer, name)| literal(chain, said, pointer, name)));
        }
        if names.is_empty() {
            found.extend(contradictions(chain, said));
        }
        used.extend(names.into_iter().map(|(_, name)| name));
        found.extend(unreachable(chain, said));
    }
    found.extend(unused(chain, &used));
    found
}

fn literal(chain: &Chain<'_>, said: &CaseMessage, pointer: &Pointer, name: &str) -> Complaint {
    let text = format!("`${{{name}}}` stands for nothing here");
    let complaint = chain.complaint(&LITERAL_PLACEHOLDER, said.place(pointer), text);
    complaint
        .label("the text is taken as it stands")
        .help("values come from `_inputs` or `_capture`".to_owned())
}

/// The message itself has to be one that its own rule accepts.
fn contradictions<'a>(
    chain: &'a Chain<'_>,
    said: &'a CaseMessage,
) -> impl Iterator<Item = Complaint> + 'a {
    let (tolerance, secrets) = (Tolerance::none(), SecretTexts::default());
    let differences = match said.rule.matchers.is_empty() {
        true => Vec::new(),
        false => compare::compare(&said.value, &said.value, &said.rule, &tolerance, &secrets),
    };
    differences.into_iter().map(|difference| {
        let text = format!("`{}` does not satisfy its own `_match`", said.key);
        let label = match said.value.at(difference.pointer.as_str()) {
            Some(_) => "this is the value".to_owned(),
            None => format!("nothing is at `{}`", difference.pointer),
        };
        let asked = format!("this has to be {}", difference.expected);
        let place = said.place(&difference.case);
        match difference.asked {
            Some(span) => {
                chain.complaint(&CONTRADICTION, span, text).label(asked).also(place, label)
            }
            None => chain.complaint(&CONTRADICTION, place, text).label(asked),
        }
    })
}

/// Matchers that would do something if the case had something there; where there may be more, they do it anyway.
fn unreachable<'a>(
    chain: &'a Chain<'_>,
    said: &'a CaseMessage,
) -> impl Iterator<Item = Complaint> + 'a {
    let is_open = said.rule.mode == Mode::Contains
        || said.rule.matchers.iter().any(|(_, matcher, _)| *matcher == Matcher::Contains);
    let pointless = said.rule.matchers.iter().filter(move |(pointer, matcher, _)| {
        let steps: Vec<String> = pointer.tokens().collect();
        let needed = match matcher {
            Matcher::Exact | Matcher::Contains | Matcher::Unordered => steps.as_slice(),
            // A member that the case does not have may be asked for, or let in.
            _ if steps.iter().any(|step| step == "*") => {
                steps.split_last().map_or(&[][..], |(_, rest)| rest)
            }
            _ => &[],
        };
        !is_open && !reaches(&said.value, needed)
    });
    pointless.map(|(pointer, _, span)| {
        let text = format!("`{}` has nothing at `{pointer}`", said.key);
        let near = spelled_right(said, pointer).map(|near| format!("did you mean `{near}`?"));
        let complaint = chain.complaint(&UNREACHABLE_MATCHER, *span, text);
        complaint.label("this changes nothing").help(near)
    })
}

/// Whether there is something at the end of these steps, of which `*` is any.
fn reaches(value: &Value, steps: &[String]) -> bool {
    let Some((step, rest)) = steps.split_first() else { return true };
    match value {
        Value::Object(object) if step == "*" => object.iter().any(|(_, it)| reaches(it, rest)),
        Value::Object(object) => object.get(step).is_some_and(|it| reaches(it, rest)),
        Value::Array(items) if step == "*" => items.iter().any(|it| reaches(it, rest)),
        Value::Array(items) => {
            let index = step.parse::<usize>().ok();
            index.and_then(|index| items.get(index)).is_some_and(|it| reaches(it, rest))
        }
        _ => false,
    }
}

/// Names that nobody uses.
fn unused(chain: &Chain<'_>, used: &HashSet<String>) -> Vec<Complaint> {
    let mut found = Vec::new();
    let mut captured: HashSet<&str> = HashSet::new();
    for (_, said) in chain.said() {
        for capture in &said.captures {
            if !used.contains(&capture.name) && captured.insert(&capture.name) {
                let text = format!("`{}` is captured, and never used", capture.name);
                let complaint = chain.complaint(&UNUSED_CAPTURE, capture.span, text);
                found.push(complaint.label(format!("no message has `${{{}}}`", capture.name)));
            }
        }
    }
    for input in chain.cases.iter().flat_map(|case| &case.settings.inputs) {
        if !used.contains(&input.name) {
            let text = format!("the input `{}` is never used", input.name);
            let complaint = chain.complaint(&UNUSED_INPUT, input.span, text);
            found.push(complaint.label(format!("no message has `${{{}}}`", input.name)));
        }
    }
    found
}
