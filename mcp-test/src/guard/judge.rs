//! Judging one text: what comes in before the handler sees it, and what goes out as the handler sends it.

use super::batch::Item;
use super::guarded_conversation::{GuardedConversation, SentRequest};
use super::invalid_message::{Disposition, InvalidMessage};
use super::refusal::Refusal;
use super::{Guard, batch};
use crate::clock::Stopwatch;
use crate::json::{Document, Value};
use crate::spec;
use crate::spec::named_revision::NamedRevision;
use crate::spec::schema::Authority;
use crate::spec::{MethodKind, Revision, Side, named_revision};
use crate::wire::{Id, Message, Notification, Request};

/// How many messages a batch may hold: each of those that are wrong has an answer.
const BATCH: usize = 1000;

/// What happens to a text that came in.
#[derive(Debug)]
pub(super) enum Verdict {
    /// It goes on as it is.
    Passes,
    /// Nothing of it goes on.
    Refused(Refusal),
    /// A batch of which some messages do not go on.
    Batch(Vec<Item>),
}

/// How a text came in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Carried {
    /// What the transport names as the revision.
    pub(super) named: NamedRevision,
    /// The revision of a message if nothing else names it.
    pub(super) otherwise: Option<Revision>,
}

impl Carried {
    /// By a stream of lines, which names nothing.
    pub(super) const BY_LINE: Self = Self { named: NamedRevision::Absent, otherwise: None };
}

impl Guard {
    /// Judges a text of the peer.
    pub(super) fn incoming(
        &self,
        conversation: &mut GuardedConversation,
        text: &bytes::Bytes,
        carried: Carried,
    ) -> Verdict {
        let watch = Stopwatch::start();
        let verdict = self.judge_text(conversation, text, carried);
        self.counters.spent(text.len(), watch.elapsed());
        let refusals = match &verdict {
            Verdict::Passes => Vec::new(),
            Verdict::Refused(refusal) => vec![refusal],
            Verdict::Batch(items) => batch::refusals(items).collect(),
        };
        for refusal in refusals {
            self.rejected(refusal);
        }
        verdict
    }

    /// Counts and reports a refusal.
    pub(super) fn rejected(&self, refusal: &Refusal) {
        self.counters.rejected();
        if let Some(report) = &self.on_rejected {
            report(&refusal.invalid_message(self.side.peer()));
        }
    }

    /// A text that is longer than what is read.
    pub(super) fn too_long(&self, conversation: &GuardedConversation) -> Refusal {
        self.counters.count_incoming();
        let refusal =
            Refusal::too_long(self.max_bytes, self.revision.or(conversation.revisions.agreed));
        self.rejected(&refusal);
        refusal
    }

    fn judge_text(
        &self,
        conversation: &mut GuardedConversation,
        text: &bytes::Bytes,
        carried: Carried,
    ) -> Verdict {
        // For texts that have no `_meta` to name a revision of their own.
        let here = self.in_force(conversation, carried, NamedRevision::Absent);
        let value = match Document::parse(text.clone()) {
            Ok(document) => document.value,
            Err(error) => {
                self.counters.count_incoming();
                return Verdict::Refused(Refusal::unreadable(&error, here));
            }
        };
        let Value::Array(values) = &value else {
            return match self.judge_value(conversation, &value, carried) {
                None => Verdict::Passes,
                Some(refusal) => Verdict::Refused(refusal),
            };
        };
        let why = match values.len() {
            // Before a revision is agreed on, whether batches are allowed is up to the handler.
            _ if here.is_some_and(|revision| !revision.has_batches()) => {
                "expected a single message, got a batch".to_owned()
            }
            0 => "expected a batch of at least one message, got an empty one".to_owned(),
            count if count > BATCH => format!("the batch has more than {BATCH} messages"),
            _ => return self.judge_batch(conversation, text, values, carried),
        };
        self.counters.count_incoming();
        Verdict::Refused(Refusal::new(spec::error_code::INVALID_REQUEST, here, why))
    }

    fn judge_batch(
        &self,
        conversation: &mut GuardedConversation,
        text: &[u8],
        values: &[Value],
        carried: Carried,
    ) -> Verdict {
        let places = batch::items(text).into_iter().zip(values);
        let items: Vec<Item> = places
            .map(|(place, value)| Item {
                place,
                refusal: self.judge_value(conversation, value, carried),
            })
            .collect();
        match items.iter().all(|item| item.refusal.is_none()) {
            true => Verdict::Passes,
            false => Verdict::Batch(items),
        }
    }

    fn judge_value(
        &self,
        conversation: &mut GuardedConversation,
        value: &Value,
        carried: Carried,
    ) -> Option<Refusal> {
        self.counters.count_incoming();
        let message = match Message::read(value) {
            Ok(message) => message,
            Err(malformed) => {
                let here = self.in_force(conversation, carried, NamedRevision::Absent);
                return Some(Refusal::malformed(value, malformed, here));
            }
        };
        let named = named_revision::in_meta(&message);
        // Not removed yet: a reply that is refused does not reach the handler, whose request is then still open.
        let request = answered(&message).and_then(|id| conversation.ours.get(id).cloned());
        let revision = self.revision_of(&message, request.as_ref(), || {
            self.in_force(conversation, carried, named)
        });
        let refusal = revision
            .and_then(|revision| self.refuse(value, &message, request.as_ref(), revision))
            .map(|refusal| match &message {
                Message::Request(Request { id, method, .. }) if refusal.is_answered => {
                    refusal.of(Some(method), Some(id))
                }
                Message::Request(_) | Message::Notification(_) => {
                    refusal.of(message.method(), message.id()).unanswered()
                }
                Message::Response(_) | Message::Error(_) => {
                    let method = request.as_ref().map(|request| &*request.method);
                    refusal.of(method, message.id()).unanswered()
                }
            });
        // What the handler does not see has no effect on the conversation either.
        if refusal.is_none() {
            self.remember(conversation, &message, named, revision);
        }
        refusal
    }

    /// What is wrong with a message at its revision.
    fn refuse(
        &self,
        value: &Value,
        message: &Message,
        request: Option<&SentRequest>,
        revision: Revision,
    ) -> Option<Refusal> {
        let peer = self.side.peer();
        let misplaced = match (peer, message) {
            _ if revision.has_server_requests() => None,
            (Side::Client, Message::Response(_) | Message::Error(_)) => {
                Some("a client sends no replies")
            }
            (Side::Server, Message::Request(_)) => Some("a server sends no requests"),
            _ => None,
        };
        if let Some(why) = misplaced {
            let reason = format!("{why} at {revision}");
            return Some(
                Refusal::new(spec::error_code::INVALID_REQUEST, Some(revision), reason)
                    .unanswered(),
            );
        }
        if let Some(method) = message.method() {
            let kind = match message {
                Message::Request(_) => MethodKind::Request,
                _ => MethodKind::Notification,
            };
            let is_known = spec::method(method)
                .is_some_and(|known| known.kind == kind && known.sent_by(peer, revision));
            let is_allowed = self.allowed.iter().any(|allowed| allowed == method);
            if method == "initialize" && !is_known {
                // Only the handler knows how to answer a client of another era.
                return None;
            }
            if self.rejects_unknown && !is_known && !is_allowed {
                return Some(Refusal::unknown_method(revision));
            }
        }
        let answers = request.map(|request| &*request.method);
        let violations = self.schemas.validate(message, answers, revision, Authority::Text);
        // A message that cannot be told apart from others is worse than one with wrong params.
        let in_id = violations.iter().find(|violation| violation.pointer.as_str() == "/id");
        let violation = in_id.or(violations.first())?;
        Some(Refusal::misshapen(value, violation, revision))
    }

    /// Remembers what later messages are judged by.
    fn remember(
        &self,
        conversation: &mut GuardedConversation,
        message: &Message,
        named: NamedRevision,
        revision: Option<Revision>,
    ) {
        if let NamedRevision::Known(carried) = named {
            conversation.revisions.named = Some(carried);
        }
        match message {
            Message::Request(Request { id, method, .. }) => {
                conversation.begin(id, method);
                // Only judging the replies needs their requests; without it the table would fill up for nothing.
                if self.outgoing.is_some() {
                    conversation.theirs.remember(id, method, revision);
                }
            }
            Message::Response(response) => {
                let request = conversation.ours.remove(&response.id);
                if request.is_some_and(|request| request.method == "initialize") {
                    let settled = named_revision::negotiated(&response.result).known();
                    // An unknown version agrees on nothing, so an earlier agreement stays.
                    conversation.revisions.agreed = settled.or(conversation.revisions.agreed);
                }
            }
            Message::Error(reply) => {
                reply.id.as_ref().map(|id| conversation.ours.remove(id));
            }
            Message::Notification(_) => {}
        }
    }

    /// The revision that a message is judged by, unless nothing has named one.
    fn revision_of(
        &self,
        message: &Message,
        request: Option<&SentRequest>,
        in_force: impl Fn() -> Option<Revision>,
    ) -> Option<Revision> {
        let settled = || match message {
            Message::Response(response) if request?.method == "initialize" => {
                named_revision::negotiated(&response.result).known()
            }
            _ => None,
        };
        self.revision
            // A fixed revision first, then what the message itself names, then what its request was sent in.
            .or_else(|| named_revision::proposed(message))
            .or_else(settled)
            .or_else(|| request?.revision)
            .or_else(in_force)
    }

    /// The revision of a message that names this one.
    fn in_force(
        &self,
        conversation: &GuardedConversation,
        carried: Carried,
        named: NamedRevision,
    ) -> Option<Revision> {
        if self.revision.is_some() {
            return self.revision;
        }
        match (named, carried.named) {
            (NamedRevision::Known(revision), _)
            | (NamedRevision::Absent, NamedRevision::Known(revision)) => Some(revision),
            // Not judged: the handler has to refuse the revision, and does so in its own words.
            (NamedRevision::Unknown, _) | (_, NamedRevision::Unknown) => None,
            (NamedRevision::Absent, NamedRevision::Absent) => {
                conversation.revisions.agreed.or(conversation.revisions.named).or(carried.otherwise)
            }
        }
    }

    /// Whether any message of the handler is reported, or matters for a later message of the peer.
    pub(super) fn listens(&self) -> bool {
        // The replies of a client are judged by the requests of its server, so these have to be read.
        let asks = |revision: Revision| revision.has_server_requests();
        self.outgoing.is_some() || self.side == Side::Client || self.revision.is_none_or(asks)
    }

    /// Whether a text of the handler has to be parsed at all: it is not if nobody judges it and nothing depends on it.
    pub(super) fn reads_outgoing(&self, conversation: &GuardedConversation, text: &[u8]) -> bool {
        self.outgoing.is_some()
            || conversation.initialize.is_some()
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
        let document = Document::parse(text.clone());
        let mut invalid = Vec::new();
        match document {
            Ok(Document { value: Value::Array(values), .. }) => {
                invalid.extend(
                    values
                        .iter()
                        .filter_map(|value| self.judge_outgoing_value(conversation, value)),
                );
            }
            Ok(document) => {
                invalid.extend(self.judge_outgoing_value(conversation, &document.value));
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
        let named = named_revision::in_meta(&message);
        let revision = self.revision_of(&message, request.as_ref(), || {
            self.in_force(conversation, Carried::BY_LINE, named)
        });
        match &message {
            Message::Request(Request { id, method, .. }) => {
                conversation.ours.remember(id, method, revision);
            }
            Message::Notification(Notification { .. }) => {}
            Message::Response(_) | Message::Error(_) => {
                // An error answers `initialize`, too, but has no result and so agrees on nothing.
                if answered(&message) == conversation.initialize.as_ref() {
                    conversation.initialize = None;
                    let settled =
                        value.get("result").and_then(|it| named_revision::negotiated(it).known());
                    conversation.revisions.agreed = settled.or(conversation.revisions.agreed);
                }
            }
        }
        // Only now: what precedes is needed for judging the peer.
        self.outgoing.as_ref()?;
        let revision = revision?;
        let answers = request.as_ref().map(|request| &*request.method);
        let violations = self.schemas.validate(&message, answers, revision, Authority::Text);
        let refusal = Refusal::misshapen(value, violations.first()?, revision);
        Some(refusal.of(message.method().or(answers), message.id()).invalid_message(self.side))
    }
}

/// What requests and notifications contain, and results and errors only by chance.
const METHOD: &[u8] = b"\"method\"";

/// The id of the request that a message answers.
fn answered(message: &Message) -> Option<&Id> {
    message.is_reply().then(|| message.id()).flatten()
}
