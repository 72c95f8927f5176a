//! Judging what comes in, before the handler sees it.

use std::sync::PoisonError;

use mcp_test_core::clock::Stopwatch;
use mcp_test_core::json::{Document, Note, Value};
use mcp_test_core::spec;
use mcp_test_core::spec::named_revision::NamedRevision;
use mcp_test_core::spec::schema::Authority;
use mcp_test_core::spec::{MethodKind, Revision, Side};
use mcp_test_core::wire::{Id, Message, Request};

use super::ambiguity::{self, Ambiguity};
use super::batch::Item;
use super::guarded_conversation::{GuardedConversation, SentRequest};
use super::in_force::{self, Carried, InForce};
use super::refusal::Refusal;
use super::{Guard, batch};

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
        let revision = self.revision.or(conversation.revisions.agreed);
        self.unread(Refusal::too_long(self.max_bytes, revision))
    }

    /// Counts and reports the refusal of a text that is not read.
    pub(super) fn unread(&self, refusal: Refusal) -> Refusal {
        self.counters.count_incoming();
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
        if carried.is_line && has_inner_return(text) {
            self.counters.count_incoming();
            return Verdict::Refused(Refusal::inner_return(here.primary));
        }
        let Document { value, notes, .. } = match Document::parse(text.clone()) {
            Ok(document) => document,
            Err(error) => {
                self.counters.count_incoming();
                return Verdict::Refused(Refusal::unreadable(&error, here.primary));
            }
        };
        let Value::Array(values) = &value else {
            let ambiguity = ambiguity::find(&value, &notes);
            return match self.judge_value(conversation, &value, ambiguity, carried) {
                None => Verdict::Passes,
                Some(refusal) => Verdict::Refused(refusal),
            };
        };
        let why = match values.len() {
            _ if !here.allows_batches() => "expected a single message, got a batch".to_owned(),
            0 => "expected a batch of at least one message, got an empty one".to_owned(),
            count if count > BATCH => format!("the batch has more than {BATCH} messages"),
            _ => return self.judge_batch(conversation, text, values, &notes, carried),
        };
        self.counters.count_incoming();
        Verdict::Refused(Refusal::new(spec::error_code::INVALID_REQUEST, here.primary, why))
    }

    fn judge_batch(
        &self,
        conversation: &mut GuardedConversation,
        text: &[u8],
        values: &[Value],
        notes: &[Note],
        carried: Carried,
    ) -> Verdict {
        let Some(mut ambiguities) = ambiguity::find_in_items(values, notes) else {
            self.counters.count_incoming();
            let here = self.in_force(conversation, carried, NamedRevision::Absent);
            return Verdict::Refused(Refusal::ambiguous_batch(here.primary));
        };
        let places = batch::items(text).into_iter().zip(values);
        let items: Vec<Item> = places
            .enumerate()
            .map(|(index, (place, value))| {
                let ambiguity = ambiguities.remove(&index);
                Item { place, refusal: self.judge_value(conversation, value, ambiguity, carried) }
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
        ambiguity: Option<Ambiguity>,
        carried: Carried,
    ) -> Option<Refusal> {
        self.counters.count_incoming();
        let here = || self.in_force(conversation, carried, NamedRevision::Absent).primary;
        // First, because nothing that is read of an ambiguous message is certain.
        if let Some(ambiguity) = ambiguity {
            return Some(Refusal::ambiguous(value, ambiguity, here()));
        }
        let message = match Message::read(value) {
            Ok(message) => message,
            Err(malformed) => return Some(Refusal::malformed(value, malformed, here())),
        };
        let named = in_force::named_in_meta(&message);
        // Not removed yet: a reply that is refused does not reach the handler, whose request is then still open.
        let request = answered(&message).and_then(|id| conversation.ours.matching(id).cloned());
        let revisions = self.revisions_of(&message, request.as_ref(), || {
            self.in_force(conversation, carried, named)
        });
        let refusal =
            self.refuse(value, &message, request.as_ref(), revisions).map(
                |refusal| match &message {
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
                },
            );
        // What the handler does not see has no effect on the conversation either.
        if refusal.is_none() {
            self.remember(conversation, &message, named, revisions.primary);
        }
        refusal
    }

    /// What is wrong with a message at the revisions that it is judged by.
    fn refuse(
        &self,
        value: &Value,
        message: &Message,
        request: Option<&SentRequest>,
        revisions: InForce,
    ) -> Option<Refusal> {
        let peer = self.side.peer();
        if let Some(refusal) = misplaced(peer, message, revisions.primary) {
            return Some(refusal);
        }
        let known = message.method().and_then(spec::method);
        if let Some(method) = message.method().filter(|_| self.rejects_unknown) {
            let kind = match message {
                Message::Request(_) => MethodKind::Request,
                _ => MethodKind::Notification,
            };
            let is_known =
                known.is_some_and(|known| known.kind == kind && revisions.has_method(known, peer));
            if !is_known && !self.allowed.iter().any(|allowed| allowed == method) {
                return Some(Refusal::unknown_method(revisions.primary));
            }
        }
        let answers = request.map(|request| &*request.method);
        let schemas = self.schemas.read().unwrap_or_else(PoisonError::into_inner);
        // The newest first: if a message is wrong at several, its author most likely means that one.
        revisions.judging(known).iter().rev().find_map(|revision| {
            let violations = schemas.validate(message, answers, revision, Authority::Text);
            Refusal::misshapen(value, &violations, revision)
        })
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
                if request.as_ref().is_some_and(SentRequest::is_initialize) {
                    conversation.agree(&response.result);
                }
            }
            Message::Error(reply) => {
                reply.id.as_ref().map(|id| conversation.ours.remove(id));
            }
            Message::Notification(_) => {}
        }
    }
}

/// The refusal of a request or a reply where the other side sends none.
fn misplaced(peer: Side, message: &Message, revision: Option<Revision>) -> Option<Refusal> {
    let revision = revision.filter(|revision| !revision.has_server_requests())?;
    let why = match (peer, message) {
        (Side::Client, Message::Response(_) | Message::Error(_)) => "a client sends no replies",
        (Side::Server, Message::Request(_)) => "a server sends no requests",
        _ => return None,
    };
    let reason = format!("{why} at {revision}");
    let refusal = Refusal::new(spec::error_code::INVALID_REQUEST, Some(revision), reason);
    Some(refusal.unanswered())
}

/// Whether a line has a carriage return inside: some readers end a line there, and would find another message behind it.
fn has_inner_return(line: &[u8]) -> bool {
    line.contains(&b'\r') && line.trim_ascii().contains(&b'\r')
}

/// The id of the request that a message answers.
pub(super) fn answered(message: &Message) -> Option<&Id> {
    message.is_reply().then(|| message.id()).flatten()
}
