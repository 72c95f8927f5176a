//! The revisions that a message is judged by: all those by which the handler may read it.
//!
//! A message that names a revision chooses by what it is judged, so a name alone must not loosen anything:
//!
//! - A conversation that has agreed on a revision is judged by it. What a message or a header names is judged in addition.
//! - Until then, a message is judged by what it or its headers name, and over HTTP by 2025-03-26 if they name nothing.
//! - If that is not a revision, or nothing is known, any revision may apply. So it is behind an `initialize` that is not
//!   answered: the answer may select another revision than the one that was proposed.
//!
//! A message has to be valid at each of these revisions that has its method.

use mcp_test_core::spec::named_revision::{self, NamedRevision};
use mcp_test_core::spec::{Method, Revision, Revisions, Side, meta};
use mcp_test_core::wire::Message;

use super::Guard;
use super::guarded_conversation::{GuardedConversation, SentRequest};

/// The revisions with a handshake, one of which applies where nothing names a revision.
const HANDSHAKE: Revisions = Revisions::until(Revision::NEWEST_HANDSHAKE);

/// How a text came in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Carried {
    /// What the transport names as the revision.
    pub(super) named: NamedRevision,
    /// The revision of a message if nothing else names it.
    pub(super) otherwise: Option<Revision>,
    /// Whether it is a line, which ends where the line ends.
    pub(super) is_line: bool,
}

impl Carried {
    /// By a stream of lines, which names nothing.
    pub(super) const BY_LINE: Self =
        Self { named: NamedRevision::Absent, otherwise: None, is_line: true };
}

/// The revisions that a message is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InForce {
    /// The one that replies to it are judged by; `None` if any may apply.
    pub(super) primary: Option<Revision>,
    /// All of them.
    revisions: Revisions,
    /// Those of which a known method is one.
    methods: Revisions,
    /// Whether the handler itself has selected the primary one.
    is_selected: bool,
}

impl InForce {
    fn selected(revision: Revision) -> Self {
        Self { is_selected: true, ..Self::named(revision) }
    }

    fn named(revision: Revision) -> Self {
        let only = Revisions::only(revision);
        Self { primary: Some(revision), revisions: only, methods: only, is_selected: false }
    }

    /// Any of these, as far as is known.
    fn any(revisions: Revisions) -> Self {
        Self { primary: None, revisions, methods: Revisions::all(), is_selected: false }
    }

    /// These, and one that is named as well.
    fn and(self, named: NamedRevision) -> Self {
        let Some(named) = named.known() else { return self };
        let named = Revisions::only(named);
        let (revisions, methods) = (self.revisions.union(named), self.methods.union(named));
        Self { revisions, methods, ..self }
    }

    /// Whether a batch may be judged item by item, rather than be refused.
    pub(super) fn allows_batches(self) -> bool {
        // Where any revision may apply, only the handler knows whether there are batches.
        self.primary.is_none() || self.methods.iter().all(Revision::has_batches)
    }

    /// Whether `side` sends the method at any of the revisions.
    pub(super) fn has_method(self, method: &Method, side: Side) -> bool {
        self.methods.iter().any(|revision| method.sent_by(side, revision))
    }

    /// The revisions by which a message with this method is judged, if the method is known, or a reply.
    pub(super) fn judging(self, method: Option<&Method>) -> Revisions {
        let Some(having) = method.map(Method::revisions) else { return self.revisions };
        let common = self.revisions.intersection(having);
        if !common.is_empty() {
            return common;
        }
        // A handler that has selected a revision does not know the method, and one that has not may be of another.
        match (self.is_selected, having.intersection(HANDSHAKE)) {
            (true, _) => self.revisions,
            (false, with_handshake) if with_handshake.is_empty() => having,
            (false, with_handshake) => with_handshake,
        }
    }
}

impl Guard {
    /// The revisions that a message is judged by.
    pub(super) fn revisions_of(
        &self,
        message: &Message,
        request: Option<&SentRequest>,
        in_force: impl Fn() -> InForce,
    ) -> InForce {
        let proposed = named_revision::proposed(message);
        match (self.revision, proposed) {
            // A server without a handshake still has to refuse `initialize`, and reads it for that.
            (Some(fixed), Some(proposed)) if !fixed.has_handshake() => {
                return InForce::selected(proposed);
            }
            (Some(fixed), _) => return InForce::selected(fixed),
            (None, Some(proposed)) => return InForce::selected(proposed),
            (None, None) => {}
        }
        let selected = match message {
            Message::Response(response) if request.is_some_and(SentRequest::is_initialize) => {
                named_revision::negotiated(&response.result).known()
            }
            _ => None,
        };
        // What the message itself selects, then what its request was sent in.
        let of_request = || request.and_then(|request| request.revision);
        selected.or_else(of_request).map_or_else(in_force, InForce::selected)
    }

    /// The revisions of a message that names this one.
    pub(super) fn in_force(
        &self,
        conversation: &GuardedConversation,
        carried: Carried,
        named: NamedRevision,
    ) -> InForce {
        if let Some(fixed) = self.revision {
            return InForce::selected(fixed);
        }
        let agreed = conversation.revisions.agreed;
        let settled = match agreed.map(InForce::selected) {
            // A second `initialize` may select another one.
            Some(agreed) if conversation.is_initializing() => {
                Some(InForce { revisions: HANDSHAKE, ..agreed })
            }
            None if conversation.is_initializing() => Some(InForce::any(HANDSHAKE)),
            agreed => agreed,
        };
        let settled = settled.map(|settled| settled.and(carried.named));
        match (settled, named, carried.named) {
            (Some(settled), named, _) => settled.and(named),
            (None, NamedRevision::Unknown, by_transport) => {
                // The name is one of `_meta`, so the newest revision may be meant.
                InForce::any(Revisions::all()).and(by_transport)
            }
            (None, NamedRevision::Known(named), by_transport) => {
                InForce::named(named).and(by_transport)
            }
            (None, NamedRevision::Absent, NamedRevision::Known(named)) => InForce::named(named),
            (None, NamedRevision::Absent, NamedRevision::Unknown) => InForce::any(HANDSHAKE),
            (None, NamedRevision::Absent, NamedRevision::Absent) => conversation
                .revisions
                .named
                .or(carried.otherwise)
                .map_or(InForce::any(HANDSHAKE), InForce::named),
        }
    }
}

/// The revision that a message names in `_meta`.
///
/// Only a revision without a handshake is named there: any other name, and a value that is not a string, is unknown.
pub(super) fn named_in_meta(message: &Message) -> NamedRevision {
    match named_revision::in_meta(message) {
        NamedRevision::Known(revision) if revision.has_handshake() => NamedRevision::Unknown,
        NamedRevision::Absent => {
            let meta = message.params().and_then(|params| params.get("_meta"));
            match meta.and_then(|meta| meta.get(meta::PROTOCOL_VERSION)) {
                Some(_) => NamedRevision::Unknown,
                None => NamedRevision::Absent,
            }
        }
        named => named,
    }
}
