//! A contract that is ready to be served: its conversations, indexed by what the client sends.

use std::sync::{Arc, OnceLock};

use mcp_test_core::server::mock_support::Identity;
use mcp_test_core::spec::{Revision, Revisions};

use super::conversation::{ServedConversation, TurnId, hooks_note, messages_by_conversation};
use super::identity::infer_identity;
use super::incoming::{ExpectedMessage, Incoming};
use super::inferred_lists::InferredLists;
use super::turn::Turn;
use super::turn_index::TurnIndex;
use crate::cases::{Cases, Inputs};

/// The cases of one reading of the files, compiled.
#[derive(Debug)]
pub(super) struct CompiledContract {
    pub(super) cases: Cases,
    pub(super) conversations: Vec<ServedConversation>,
    pub(super) index: TurnIndex,
    pub(super) identity: Arc<Identity>,
    /// Notes on the cases for the user.
    pub(super) notes: Vec<String>,
    /// Inferred on first use, because most contracts have the lists themselves.
    lists: OnceLock<InferredLists>,
}

impl CompiledContract {
    pub(super) fn new(cases: Cases, inputs: &Inputs, served: Revisions) -> Self {
        let mut notes = Vec::new();
        let conversations: Vec<_> = messages_by_conversation(&cases)
            .iter()
            .map(|lines| ServedConversation::new(lines, inputs, &mut notes))
            .collect();
        notes.extend(hooks_note(&cases));
        let mut index = TurnIndex::default();
        for (number, conversation) in conversations.iter().enumerate() {
            for (turn, expected) in conversation.expected.iter().enumerate() {
                let method = conversation.turns[turn].incoming.method().unwrap_or_default();
                index.insert(method, TurnId { conversation: number, turn }, expected);
            }
        }
        let identity = Arc::new(infer_identity(&cases, &conversations, served));
        Self { cases, conversations, index, identity, notes, lists: OnceLock::new() }
    }

    pub(super) fn turn(&self, at: TurnId) -> &Turn {
        &self.conversations[at.conversation].turns[at.turn]
    }

    pub(super) fn expected(&self, at: TurnId) -> &ExpectedMessage {
        &self.conversations[at.conversation].expected[at.turn]
    }

    /// Whether the client sends this method in any case.
    pub(super) fn has(&self, method: &str) -> bool {
        self.index.has(method)
    }

    /// The turns that this message may begin, in order.
    pub(super) fn candidates(&self, incoming: &Incoming) -> Vec<TurnId> {
        self.valid_at(incoming.revision, self.index.candidates(incoming))
    }

    /// The turns whose message has the same method and name, in order.
    pub(super) fn same_subject(&self, incoming: &Incoming) -> Vec<TurnId> {
        self.valid_at(incoming.revision, self.index.same_subject(incoming))
    }

    /// The lists to answer with where no case has one.
    pub(super) fn lists(&self) -> &InferredLists {
        self.lists.get_or_init(|| InferredLists::new(&self.conversations))
    }

    fn valid_at(&self, revision: Revision, mut turns: Vec<TurnId>) -> Vec<TurnId> {
        turns.retain(|at| self.conversations[at.conversation].revisions.contains(revision));
        // A message without `_meta` has two equal forms, so that a turn may be found twice.
        turns.sort_unstable();
        turns.dedup();
        turns
    }
}
