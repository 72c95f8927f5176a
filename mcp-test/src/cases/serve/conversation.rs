//! A conversation of a contract: a case and those that continue it, divided into turns.

use std::sync::Arc;

use mcp_test_core::json::Value;
use mcp_test_core::spec::Revisions;

use super::incoming::ExpectedMessage;
use super::message_ref::MessageRef;
use super::turn::{Action, ParsedTurns, Turn};
use crate::cases::{Case, Cases, Inputs, Values, capture};

/// A case, and those that continue it.
#[derive(Debug)]
pub(super) struct ServedConversation {
    pub(super) opening: Vec<Action>,
    pub(super) turns: Vec<Turn>,
    pub(super) expected: Vec<ExpectedMessage>,
    /// The values that names have in the case itself, for clients that begin with a later turn.
    pub(super) values: Values,
    pub(super) revisions: Revisions,
}

/// The position of a turn in a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct TurnId {
    pub(super) conversation: usize,
    pub(super) turn: usize,
}

impl ServedConversation {
    /// Compiles the messages of a conversation; problems that do not prevent serving it are added to `notes`.
    pub(super) fn new(lines: &[MessageRef], inputs: &Inputs, notes: &mut Vec<String>) -> Self {
        let ParsedTurns { opening, turns, stray } = ParsedTurns::new(lines.iter().cloned());
        notes.extend(stray.iter().map(|(line, why)| {
            format!("{}: `{}` is not served: {why}", line.place(), line.message().key)
        }));
        let mut cases: Vec<_> = lines.iter().map(|line| &line.case).collect();
        cases.dedup_by(|one, other| Arc::ptr_eq(one, other));
        let cases = cases.into_iter().map(|case| &**case);
        let mut values = inputs.values(cases.clone()).unwrap_or_else(|error| {
            notes.push(error.to_string());
            Values::of(cases.clone())
        });
        let has_names = !values.is_empty();
        for line in lines {
            // A name whose place is missing in the case itself gets its value from an actual message.
            capture(line.message(), line.value(), &mut values).ok();
        }
        let windows = cases.filter_map(|case| case.settings.revisions);
        let revisions = windows.fold(Revisions::all(), Revisions::intersection);
        let expected = turns
            .iter()
            .map(|turn| ExpectedMessage::new(turn.incoming.message(), has_names))
            .collect();
        Self { opening, turns, expected, values, revisions }
    }

    /// The capabilities that the case's client declares, if the conversation begins with the handshake.
    pub(super) fn capabilities(&self) -> Option<&Value> {
        self.expected.first().and_then(ExpectedMessage::capabilities)
    }
}

/// The messages of each conversation of a contract, without skipped cases.
pub(super) fn messages_by_conversation(cases: &Cases) -> Vec<Vec<MessageRef>> {
    let mut conversations: Vec<Vec<MessageRef>> = Vec::new();
    for file in &cases.files {
        let mut has_first = false;
        for case in &file.cases {
            let lines = MessageRef::all(file, case);
            match conversations.last_mut().filter(|_| has_first && case.settings.continues) {
                _ if case.settings.skip.is_some() => {}
                Some(before) => before.extend(lines),
                None => {
                    has_first = true;
                    conversations.push(lines.collect());
                }
            }
        }
    }
    conversations.retain(|lines| !lines.is_empty());
    conversations
}

/// A note about the hooks of a contract, which are not run when it is served.
pub(super) fn hooks_note(cases: &Cases) -> Option<String> {
    let has_hooks = |(_, case): &(_, &Arc<Case>)| {
        let settings = &case.settings;
        !(settings.before.is_empty() && settings.after.is_empty() && settings.given.is_empty())
    };
    let (file, case) = cases.iter().find(has_hooks)?;
    let line = case.span.line;
    Some(format!(
        "{}:{line}: `_before`, `_after` and `_given` are ignored here: they are for servers under test",
        file.path
    ))
}
