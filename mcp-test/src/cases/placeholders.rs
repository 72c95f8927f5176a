//! Whether every `${name}` of a case gets a value before it is used.

use std::collections::HashMap;

use super::reading::{Reading, did_you_mean, quoted};
use super::{Case, CaseMessage, ExpandError, Values, expand, lint, names_used};
use crate::json::Value;
use crate::yaml::Span;

/// The names that a conversation has declared so far.
#[derive(Default)]
pub(super) struct Names {
    /// Whether each has a value, or else where it is captured later.
    known: HashMap<String, Option<Span>>,
}

impl Names {
    /// Goes through a case that follows on what was seen before.
    pub(super) fn follow(&mut self, reading: &mut Reading<'_>, case: &Case) {
        for input in &case.settings.inputs {
            self.known.insert(input.name.clone(), None);
        }
        for capture in case.messages.iter().flat_map(|message| &message.captures) {
            self.known.entry(capture.name.clone()).or_insert(Some(capture.span));
        }
        for message in &case.messages {
            if !self.known.is_empty() {
                self.check(reading, message);
            }
            for capture in &message.captures {
                self.known.insert(capture.name.clone(), None);
            }
        }
    }

    fn check(&self, reading: &mut Reading<'_>, message: &CaseMessage) {
        let used = names_used(&message.value);
        for (pointer, name) in &used {
            match self.known.get(name) {
                Some(None) => {}
                Some(Some(later)) => {
                    let text = format!("`${{{name}}}` has no value yet");
                    let complaint = reading
                        .complaint(&lint::UNKNOWN_VALUE, message.place(pointer), text)
                        .label("used here")
                        .also(*later, "captured from a message that comes later, or from this one");
                    reading.tell(complaint);
                }
                None if reading.leaves_out() => {}
                None => {
                    let mut names: Vec<&str> = self.known.keys().map(String::as_str).collect();
                    names.sort_unstable();
                    let text = format!("nothing gives `${{{name}}}` a value");
                    let help = did_you_mean(name, names.iter().copied());
                    let complaint = reading
                        .complaint(&lint::UNKNOWN_VALUE, message.place(pointer), text)
                        .label(format!("`_inputs` and `_capture` declare {}", quoted(&names)))
                        .help(help);
                    reading.tell(complaint);
                }
            }
        }
        if let Some((pointer, text)) = unfinished(message, &used) {
            let complaint = reading
                .complaint(
                    &lint::UNKNOWN_VALUE,
                    message.place(&pointer),
                    format!("`{text}` is no `${{name}}`"),
                )
                .label("no name and `}` follow the `${`")
                .help("write `$${` for a `${` that means nothing".to_owned());
            reading.tell(complaint);
        }
    }
}

/// The first `${` that no name and no `}` follow.
fn unfinished(
    message: &CaseMessage,
    used: &[(crate::json::Pointer, String)],
) -> Option<(crate::json::Pointer, String)> {
    let mut values = Values::default();
    values.set("_", Value::Null);
    used.iter().for_each(|(_, name)| values.set(name, Value::Null));
    match expand(&message.value, &values) {
        Err(ExpandError::NoName { pointer, text }) => Some((pointer, text)),
        _ => None,
    }
}
