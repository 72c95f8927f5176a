//! Reading what the handler sends: to judge it, and to know by what its peer is judged.

use std::sync::PoisonError;

use mcp_test_core::clock::Stopwatch;
use mcp_test_core::json::{Document, Value};
use mcp_test_core::spec::schema::Authority;
use mcp_test_core::spec::{Revision, Side};
use mcp_test_core::wire::{Message, Request};

use super::Guard;
use super::ambiguity::{self, Ambiguity};
use super::guarded_conversation::GuardedConversation;
use super::in_force::{self, Carried};
use super::invalid_message::{Disposition, InvalidMessage};
use super::judge::answered;
use super::refusal::Refusal;

/// What requests and notifications contain, and results and errors only by chance.
const METHOD: &[u8] = b"\"method\"";

impl Guard {
    /// Whether any message of the handler is reported, or matters for a later message of the peer.
    pub(super) fn listens(&self) -> bool {
        // The replies of a client are judged by the requests of its server, so these have to be read.
        let asks = |revision: Revision| revision.has_server_requests();
        self.outgoing.is_some() || self.side == Side::Client || self.revision.is_none_or(asks)
    }

    /// Whether a text of the handler has to be parsed at all: it is not if nobody judges it and nothing depends on it.
    pub(super) fn reads_outgoing(&self, conversation: &GuardedConversation, text: &[u8]) -> bool {
        self.outgoing.is_some()
            || conversation.is_initializing()
            // A search is cheaper than parsing. A name that is spelled with escapes is missed; its reply is then
            // judged without it.
            || text.windows(METHOD.len()).any(|window| window == METHOD)
    }

    /// Reads a text that the handler sends; it is never changed.
    pub(super) fn outgoing(&self, conversation: &mut GuardedConversation, text: &bytes::Bytes) {
        if !self.reads_outgoing(conversation, text) {
            return;
        }
        let watch = Stopwatch::start();
        let mut invalid = Vec::new();
        match Document::parse(text.clone()) {
            Ok(Document { value: Value::Array(values), notes, .. }) => {
                let mut ambiguities = ambiguity::find_in_items(&values, &notes).unwrap_or_default();
                invalid.extend(values.iter().enumerate().filter_map(|(index, value)| {
                    self.judge_outgoing_value(conversation, value, ambiguities.remove(&index))
                }));
            }
            Ok(Document { value, notes, .. }) => {
                let ambiguity = ambiguity::find(&value, &notes);
                invalid.extend(self.judge_outgoing_value(conversation, &value, ambiguity));
            }
            Err(error) => {
                self.counters.count_outgoing();
                invalid.push(Refusal::unreadable(&error, None).invalid_message(self.side));
            }
        }
        self.counters.spent(text.len(), watch.elapsed());
        for message in invalid {
            self.report_outgoing(&InvalidMessage { disposition: Disposition::Passed, ..message });
        }
    }

    /// A text of the handler that is too long to be read.
    pub(super) fn outgoing_too_long(&self) {
        self.counters.count_outgoing();
        let refusal = Refusal::too_long(self.max_bytes, None);
        self.report_outgoing(&InvalidMessage {
            disposition: Disposition::Passed,
            ..refusal.invalid_message(self.side)
        });
    }

    fn report_outgoing(&self, invalid: &InvalidMessage) {
        if let Some(report) = &self.outgoing {
            self.counters.flawed();
            report(invalid);
        }
    }

    /// Remembers what matters of a message of the handler, and judges it if there is a callback for that.
    fn judge_outgoing_value(
        &self,
        conversation: &mut GuardedConversation,
        value: &Value,
        ambiguity: Option<Ambiguity>,
    ) -> Option<InvalidMessage> {
        self.counters.count_outgoing();
        let message = match Message::read(value) {
            Ok(message) => message,
            Err(malformed) => {
                return Some(Refusal::malformed(value, malformed, None).invalid_message(self.side));
            }
        };
        // Removed at once, unlike for the peer: whatever the handler sends is sent, so the request is answered.
        let request = answered(&message).and_then(|id| conversation.theirs.remove(id));
        let named = in_force::named_in_meta(&message);
        let revisions = self.revisions_of(&message, request.as_ref(), || {
            self.in_force(conversation, Carried::BY_LINE, named)
        });
        let revision = revisions.primary;
        match &message {
            Message::Request(Request { id, method, .. }) => {
                conversation.ours.remember(id, method, revision);
                // What a server sends to a client without a handshake names no revision.
                conversation.revisions.named = named.known().or(conversation.revisions.named);
            }
            Message::Notification(_) => {}
            Message::Response(response) => {
                conversation.end_initialize(&response.id, Some(&response.result));
            }
            // An error answers `initialize`, too, but has no result and so agrees on nothing.
            Message::Error(reply) => {
                if let Some(id) = &reply.id {
                    conversation.end_initialize(id, None);
                }
            }
        }
        // Only now: what precedes is needed for judging the peer.
        self.outgoing.as_ref()?;
        if let Some(ambiguity) = ambiguity {
            let refusal = Refusal::ambiguous(value, ambiguity, revision);
            return Some(refusal.invalid_message(self.side));
        }
        let revision = revision?;
        let answers = request.as_ref().map(|request| &*request.method);
        let schemas = self.schemas.read().unwrap_or_else(PoisonError::into_inner);
        let violations = schemas.validate(&message, answers, revision, Authority::Text);
        let refusal = Refusal::misshapen(value, &violations, revision)?;
        Some(refusal.of(message.method().or(answers), message.id()).invalid_message(self.side))
    }
}
