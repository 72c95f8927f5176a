//! Judging one text: what comes in before the handler sees it, and what goes out as it leaves.

use super::{
    Guard,
    batch::{self, Item},
    conversation::{Asked, Conversation, is_rememberable},
    flaw::{Fate, Flaw},
    refusal::Refusal,
};
use crate::{
    clock::Stopwatch,
    json::{Document, Value},
    spec::{
        self, MethodKind, Revision, Side,
        schema::Authority,
        spoken::{self, Named},
    },
    wire::{Id, Message, Notification, Request},
};

/// How many messages a batch may hold: each of those that are wrong has an answer.
const BATCH: usize = 1000;

/// What becomes of a text that came in.
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
    /// What the carrier names as the revision.
    pub(super) named: Named,
    /// The revision of a message of which nothing else says it.
    pub(super) otherwise: Option<Revision>,
}

impl Carried {
    /// By a stream of lines, which names nothing.
    pub(super) const BY_LINE: Self = Self { named: Named::Nothing, otherwise: None };
}

impl Guard {
    /// Judges a text of the peer.
    pub(super) fn incoming(
        &self,
        conversation: &mut Conversation,
        text: &bytes::Bytes,
        carried: Carried,
    ) -> Verdict {
        let watch = Stopwatch::start();
        let verdict = self.judge_text(conversation, text, carried);
        self.tally.spent(text.len(), watch.elapsed());
        let refusals = match &verdict {
            Verdict::Passes => Vec::new(),
            Verdict::Refused(refusal) => vec![refusal],
            Verdict::Batch(items) => {
                items.iter().filter_map(|item| item.refusal.as_ref()).collect()
            }
        };
        for refusal in refusals {
            self.rejected(refusal);
        }
        verdict
    }

    /// Counts and tells what was refused.
    pub(super) fn rejected(&self, refusal: &Refusal) {
        self.tally.rejected();
        if let Some(tell) = &self.on_rejected {
            tell(&refusal.flaw(self.side.peer()));
        }
    }

    /// A text that is longer than what is read.
    pub(super) fn too_long(&self, conversation: &Conversation) -> Refusal {
        self.tally.came_in();
        let refusal = Refusal::too_long(self.max_bytes, self.revision.or(conversation.agreed));
        self.rejected(&refusal);
        refusal
    }

    fn judge_text(
        &self,
        conversation: &mut Conversation,
        text: &bytes::Bytes,
        carried: Carried,
    ) -> Verdict {
        let here = self.in_force(conversation, carried, Named::Nothing);
        let value = match Document::parse(text.clone()) {
            Ok(document) => document.value,
            Err(error) => {
                self.tally.came_in();
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
            // Before a revision is agreed on, batches are the handler's affair.
            _ if here.is_some_and(|revision| !revision.has_batches()) => {
                "expected a single message, got a batch".to_owned()
            }
            0 => "expected a batch of at least one message, got an empty one".to_owned(),
            count if count > BATCH => format!("the batch has more than {BATCH} messages"),
            _ => return self.judge_batch(conversation, text, values, carried),
        };
        self.tally.came_in();
        Verdict::Refused(Refusal::new(spec::error_code::INVALID_REQUEST, here, why))
    }

    fn judge_batch(
        &self,
        conversation: &mut Conversation,
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
        conversation: &mut Conversation,
        value: &Value,
        carried: Carried,
    ) -> Option<Refusal> {
        self.tally.came_in();
        let message = match Message::read(value) {
            Ok(message) => message,
            Err(malformed) => {
                let here = self.in_force(conversation, carried, Named::Nothing);
                return Some(Refusal::malformed(value, malformed, here));
            }
        };
        let named = spoken::carried(&message);
        let asked = answered(&message).and_then(|id| conversation.ours.asked(id).cloned());
        let revision = self
            .revision_of(&message, asked.as_ref(), || self.in_force(conversation, carried, named));
        let refusal = revision
            .and_then(|revision| self.refuse(value, &message, asked.as_ref(), revision))
            .map(|refusal| match &message {
                Message::Request(Request { id, method, .. }) if refusal.is_answered => {
                    refusal.of(Some(method), Some(id))
                }
                Message::Request(_) | Message::Notification(_) => {
                    refusal.of(message.method(), message.id()).untold()
                }
                Message::Response(_) | Message::Error(_) => {
                    let method = asked.as_ref().map(|asked| &*asked.method);
                    refusal.of(method, message.id()).untold()
                }
            });
        if refusal.is_none() {
            self.let_in(conversation, &message, named, revision);
        }
        refusal
    }

    /// What is wrong with a message at its revision.
    fn refuse(
        &self,
        value: &Value,
        message: &Message,
        asked: Option<&Asked>,
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
                Refusal::new(spec::error_code::INVALID_REQUEST, Some(revision), reason).untold(),
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
                // What to say to a client of another era only the handler knows.
                return None;
            }
            if self.rejects_unknown && !is_known && !is_allowed {
                return Some(Refusal::unknown_method(revision));
            }
        }
        let answers = asked.map(|asked| &*asked.method);
        let violations = self.schemas.judge(message, answers, revision, Authority::Text);
        // A message that cannot be told apart from others is worse than one with wrong params.
        let in_id = violations.iter().find(|violation| violation.pointer.as_str() == "/id");
        let violation = in_id.or(violations.first())?;
        Some(Refusal::misshapen(value, violation, revision))
    }

    /// Remembers what later messages are judged by.
    fn let_in(
        &self,
        conversation: &mut Conversation,
        message: &Message,
        named: Named,
        revision: Option<Revision>,
    ) {
        if let Named::Known(carried) = named {
            conversation.carried = Some(carried);
        }
        match message {
            Message::Request(Request { id, method, .. }) => {
                if method == "initialize" && is_rememberable(id, method) {
                    conversation.initialize = Some(id.clone());
                }
                if self.outgoing.is_some() {
                    conversation.theirs.remember(id, method, revision);
                }
            }
            Message::Response(response) => {
                let asked = conversation.ours.answered(&response.id);
                if asked.is_some_and(|asked| asked.method == "initialize") {
                    let settled = spoken::settled(&response.result).known();
                    conversation.agreed = settled.or(conversation.agreed);
                }
            }
            Message::Error(reply) => {
                reply.id.as_ref().map(|id| conversation.ours.answered(id));
            }
            Message::Notification(_) => {}
        }
    }

    /// The revision that a message is judged by; none where nobody has said it.
    fn revision_of(
        &self,
        message: &Message,
        asked: Option<&Asked>,
        in_force: impl Fn() -> Option<Revision>,
    ) -> Option<Revision> {
        let settled = || match message {
            Message::Response(response) if asked?.method == "initialize" => {
                spoken::settled(&response.result).known()
            }
            _ => None,
        };
        self.revision
            .or_else(|| spoken::proposed(message))
            .or_else(settled)
            .or_else(|| asked?.revision)
            .or_else(in_force)
    }

    /// The revision of a message that names this one.
    fn in_force(
        &self,
        conversation: &Conversation,
        carried: Carried,
        named: Named,
    ) -> Option<Revision> {
        if self.revision.is_some() {
            return self.revision;
        }
        match (named, carried.named) {
            (Named::Known(revision), _) | (Named::Nothing, Named::Known(revision)) => {
                Some(revision)
            }
            (Named::Unknown, _) | (_, Named::Unknown) => None,
            (Named::Nothing, Named::Nothing) => {
                conversation.agreed.or(conversation.carried).or(carried.otherwise)
            }
        }
    }

    /// Whether anything that the handler says matters.
    pub(super) fn listens(&self) -> bool {
        let asks = |revision: Revision| revision.has_server_requests();
        self.outgoing.is_some() || self.side == Side::Client || self.revision.is_none_or(asks)
    }

    /// Whether a text of the handler has to be read at all: what nobody judges and nothing depends on is not.
    pub(super) fn reads_outgoing(&self, conversation: &Conversation, text: &[u8]) -> bool {
        self.outgoing.is_some()
            || conversation.initialize.is_some()
            || text.windows(METHOD.len()).any(|window| window == METHOD)
    }

    /// Reads a text of the handler as it leaves; it is never changed.
    pub(super) fn outgoing(&self, conversation: &mut Conversation, text: &bytes::Bytes) {
        if !self.reads_outgoing(conversation, text) {
            return;
        }
        let watch = Stopwatch::start();
        let document = Document::parse(text.clone());
        let mut flaws = Vec::new();
        match document {
            Ok(Document { value: Value::Array(values), .. }) => {
                flaws.extend(values.iter().filter_map(|value| self.look_at(conversation, value)));
            }
            Ok(document) => flaws.extend(self.look_at(conversation, &document.value)),
            Err(error) => {
                self.tally.went_out();
                flaws.push(Refusal::unreadable(&error, None).flaw(self.side));
            }
        }
        self.tally.spent(text.len(), watch.elapsed());
        for flaw in flaws {
            self.tell(&Flaw { fate: Fate::Passed, ..flaw });
        }
    }

    /// A text of the handler that is too long to be read.
    pub(super) fn went_unread(&self) {
        self.tally.went_out();
        let refusal = Refusal::too_long(self.max_bytes, None);
        self.tell(&Flaw { fate: Fate::Passed, ..refusal.flaw(self.side) });
    }

    fn tell(&self, flaw: &Flaw) {
        if let Some(tell) = &self.outgoing {
            self.tally.flawed();
            tell(flaw);
        }
    }

    /// Remembers what a message of the handler says, and judges it if that is wanted.
    fn look_at(&self, conversation: &mut Conversation, value: &Value) -> Option<Flaw> {
        self.tally.went_out();
        let message = match Message::read(value) {
            Ok(message) => message,
            Err(malformed) => {
                return Some(Refusal::malformed(value, malformed, None).flaw(self.side));
            }
        };
        let asked = answered(&message).and_then(|id| conversation.theirs.answered(id));
        let named = spoken::carried(&message);
        let revision = self.revision_of(&message, asked.as_ref(), || {
            self.in_force(conversation, Carried::BY_LINE, named)
        });
        match &message {
            Message::Request(Request { id, method, .. }) => {
                conversation.ours.remember(id, method, revision);
            }
            Message::Notification(Notification { .. }) => {}
            Message::Response(_) | Message::Error(_) => {
                if answered(&message) == conversation.initialize.as_ref() {
                    conversation.initialize = None;
                    let settled = value.get("result").and_then(|it| spoken::settled(it).known());
                    conversation.agreed = settled.or(conversation.agreed);
                }
            }
        }
        self.outgoing.as_ref()?;
        let revision = revision?;
        let answers = asked.as_ref().map(|asked| &*asked.method);
        let violations = self.schemas.judge(&message, answers, revision, Authority::Text);
        let refusal = Refusal::misshapen(value, violations.first()?, revision);
        Some(refusal.of(message.method().or(answers), message.id()).flaw(self.side))
    }
}

/// What a request or notification is known by in its text.
const METHOD: &[u8] = b"\"method\"";

/// The id of the request that a message answers.
fn answered(message: &Message) -> Option<&Id> {
    message.is_reply().then(|| message.id()).flatten()
}
