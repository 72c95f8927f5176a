//! Checks that every `${name}` of a case has a value when it is used.

use std::collections::HashMap;

use mcp_test_core::yaml::Span;

use super::case::Case;
use super::context::ReadContext;
use super::expand::{names_used, not_a_placeholder};
use super::lints;
use super::message::CaseMessage;
use super::suggest::{did_you_mean, quoted};

/// The names declared so far in a conversation.
#[derive(Default)]
pub(super) struct DeclaredNames {
    /// `None` if the name has a value, otherwise the range of its later capture.
    known: HashMap<String, Option<Span>>,
}

impl DeclaredNames {
    /// Checks a case that continues the conversation.
    pub(super) fn check_case(&mut self, cx: &mut ReadContext<'_>, case: &Case) {
        for input in &case.settings.inputs {
            self.known.insert(input.name.clone(), None);
        }
        for capture in case.messages.iter().flat_map(|message| &message.captures) {
            // A name that has a value already keeps it until it is captured again.
            self.known.entry(capture.name.clone()).or_insert(Some(capture.span));
        }
        for message in &case.messages {
            // Without declared names, `${…}` is literal text.
            if !self.known.is_empty() {
                self.check(cx, message);
            }
            // After the check: a message cannot use what is captured from it.
            for capture in &message.captures {
                self.known.insert(capture.name.clone(), None);
            }
        }
    }

    fn check(&self, cx: &mut ReadContext<'_>, message: &CaseMessage) {
        for (pointer, name) in &names_used(&message.value) {
            match self.known.get(name) {
                Some(None) => {}
                Some(Some(later)) => {
                    let text = format!("`${{{name}}}` has no value yet");
                    let diagnostic = cx
                        .diagnostic(&lints::UNKNOWN_VALUE, message.span_of(pointer), text)
                        .label("used here")
                        .also(*later, "captured from this message or a later one");
                    cx.report(diagnostic);
                }
                None if cx.is_full() => {}
                None => {
                    let mut names: Vec<&str> = self.known.keys().map(String::as_str).collect();
                    names.sort_unstable();
                    let text = format!("`${{{name}}}` is not declared");
                    let help = did_you_mean(name, names.iter().copied());
                    let diagnostic = cx
                        .diagnostic(&lints::UNKNOWN_VALUE, message.span_of(pointer), text)
                        .label(format!("`_inputs` and `_capture` declare {}", quoted(&names)))
                        .help(help);
                    cx.report(diagnostic);
                }
            }
        }
        if let Some((pointer, text)) = not_a_placeholder(&message.value) {
            let diagnostic = cx
                .diagnostic(
                    &lints::UNKNOWN_VALUE,
                    message.span_of(&pointer),
                    format!("`{text}` is not a `${{name}}`"),
                )
                .label("`${` must be followed by a name and `}`")
                .help("write `$${` for a literal `${`".to_owned());
            cx.report(diagnostic);
        }
    }
}
