//! What the guard must remember of one conversation: its revision, and which requests still wait for a reply.

use std::borrow::Cow;

use mcp_test_core::json::{Number, Value};
use mcp_test_core::spec::{self, Revision, named_revision};
use mcp_test_core::trace::{Limits, OpenRequests, Revisions, is_rememberable};
use mcp_test_core::wire::Id;

/// How many requests are remembered in each direction. The oldest is forgotten first; its reply is then validated as
/// that to an unknown request.
const REQUESTS: Limits = Limits { requests: 4096, per_key: 1 };

/// How long an id and a method may be to be remembered, in bytes.
const NAME: usize = 1024;

/// How many times `initialize` may wait for its answer; each may agree on a revision.
const INITIALIZING: usize = 8;

/// The state of one conversation.
#[derive(Debug, Default)]
pub(super) struct GuardedConversation {
    /// The revisions that the conversation has named.
    pub(super) revisions: Revisions,
    /// The ids of each `initialize` of the peer that the handler has not answered.
    initializing: Vec<Id>,
    /// The requests of the peer that the handler has not answered; remembered only where its replies are judged.
    pub(super) theirs: Sent,
    /// The requests of the handler that the peer has not answered.
    pub(super) ours: Sent,
}

/// A request that waits for its reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SentRequest {
    pub(super) method: Cow<'static, str>,
    /// The revision that it was written in, if that is known.
    pub(super) revision: Option<Revision>,
}

impl SentRequest {
    pub(super) fn is_initialize(&self) -> bool {
        self.method == "initialize"
    }
}

/// The open requests of one side.
#[derive(Debug)]
pub(super) struct Sent(OpenRequests<Id, SentRequest>);

impl Default for Sent {
    fn default() -> Self {
        Self(OpenRequests::new(REQUESTS))
    }
}

impl Sent {
    pub(super) fn remember(&mut self, id: &Id, method: &str, revision: Option<Revision>) {
        if !is_rememberable(id, method, NAME) {
            return;
        }
        // The usual methods are static, so that a remembered request allocates for its id only.
        let method = match spec::method(method) {
            Some(known) => Cow::Borrowed(known.name),
            None => Cow::Owned(method.to_owned()),
        };
        self.0.insert(id.clone(), SentRequest { method, revision });
    }

    fn get(&self, id: &Id) -> Option<&SentRequest> {
        self.0.get(id).next()
    }

    /// The request that a reply with this id answers, or seems to: some handlers take `"1"` for `1`.
    pub(super) fn matching(&self, id: &Id) -> Option<&SentRequest> {
        self.get(id).or_else(|| match id {
            Id::Number(number) => self.get(&Id::from(number.as_str())),
            Id::String(text) => self.get(&Id::from(Number::parse(text)?)),
            Id::Null => None,
        })
    }

    pub(super) fn remove(&mut self, id: &Id) -> Option<SentRequest> {
        self.0.remove(id, 0)
    }
}

impl GuardedConversation {
    /// Remembers an `initialize` of the peer.
    pub(super) fn begin(&mut self, id: &Id, method: &str) {
        if method == "initialize"
            && is_rememberable(id, method, NAME)
            && self.initializing.len() < INITIALIZING
        {
            self.initializing.push(id.clone());
        }
    }

    /// Takes out the latest `initialize`, as a conversation of its own.
    #[cfg(feature = "http")]
    pub(super) fn split(&mut self) -> Self {
        Self { initializing: self.initializing.pop().into_iter().collect(), ..Self::default() }
    }

    /// Whether an `initialize` of the peer waits for its answer.
    pub(super) fn is_initializing(&self) -> bool {
        !self.initializing.is_empty()
    }

    /// Agrees on what the handler has answered, if it has answered an `initialize`.
    pub(super) fn end_initialize(&mut self, id: &Id, result: Option<&Value>) {
        let Some(at) = self.initializing.iter().position(|open| open == id) else { return };
        self.initializing.remove(at);
        if let Some(result) = result {
            self.agree(result);
        }
    }

    /// Agrees on the revision that a result of `initialize` selects.
    pub(super) fn agree(&mut self, result: &Value) {
        // An unknown version agrees on nothing, so an earlier agreement stays.
        let selected = named_revision::negotiated(result).known();
        self.revisions.agreed = selected.or(self.revisions.agreed);
    }
}
