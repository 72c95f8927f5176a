//! From a trace to its conversations: what was said on each connection, as far as a case can say it.
//!
//! A case has messages and nothing else: what is no message of its own (bytes, batches, members that come twice), and what
//! was right or wrong by something else than its words (a header, a session that had ended), is left out here, and said
//! to be.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Direction;
use super::left_out::LeftOut;
use crate::json::Value;
use crate::spec::{Revision, error_code, meta, spoken};
use crate::trace::{Connection, Damage, Event, Party, Reading, Trace, What};
use crate::wire::{Frame, Id, Message};

/// How many messages of one conversation are taken.
const MOST: usize = 5000;

/// What was said between one client and one server, from one handshake to the next.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// The messages, in order.
    pub(super) said: Vec<Said>,
    /// What a case cannot say.
    pub(super) left_out: LeftOut,
    /// What an HTTP header names as the revision, for conversations that do not say it themselves.
    pub(super) header: Option<Revision>,
}

/// A message that was said.
#[derive(Debug, Clone)]
pub(super) struct Said {
    /// By whom.
    pub(super) direction: Direction,
    /// What it means.
    pub(super) message: Message,
    /// All its members, in the order in which they were said.
    pub(super) value: Value,
    /// The HTTP exchange it belongs to.
    pub(super) exchange: Option<u64>,
}

impl Said {
    /// Whether this is a request of this method.
    pub(super) fn asks(&self, method: &str) -> bool {
        matches!(&self.message, Message::Request(request) if request.method == method)
    }
}

/// The conversations of a trace, in the order in which their connections were opened.
pub(super) fn conversations(trace: &Trace) -> Vec<Conversation> {
    let answers = answers(trace);
    let mut connections: BTreeMap<Connection, Listener<'_>> = BTreeMap::new();
    for event in &trace.events {
        let listener =
            connections.entry(event.connection).or_insert_with(|| Listener::of(&answers));
        listener.hear(event);
    }
    let mut conversations: Vec<Conversation> =
        connections.into_values().flat_map(|listener| listener.done).collect();
    if let (Some(first), true) = (conversations.first_mut(), trace.elided > 0) {
        first.left_out.because(
            "what was said before it was recorded any more",
            "the trace is longer than is kept",
        );
    }
    conversations
}

/// How an HTTP exchange was answered.
#[derive(Debug, Clone, Copy)]
struct Answer {
    status: u16,
    /// The code of the JSON-RPC error, if it was one.
    code: Option<i64>,
}

/// The answers of the HTTP exchanges of a trace.
type Answers = BTreeMap<(Connection, u64), Answer>;

fn answers(trace: &Trace) -> Answers {
    let mut answers = Answers::new();
    for event in &trace.events {
        let Some(exchange) = event.exchange else { continue };
        let place = (event.connection, exchange);
        match &event.what {
            What::HttpResponse { status, .. } => {
                answers.insert(place, Answer { status: *status, code: None });
            }
            What::Message { reading, .. } if event.party == Party::Server => {
                let code = reading.messages().find_map(|message| match message {
                    Message::Error(reply) => Some(reply.error.code),
                    _ => None,
                });
                answers.entry(place).and_modify(|answer| answer.code = code);
            }
            _ => {}
        }
    }
    answers
}

/// What listens to one connection.
struct Listener<'a> {
    done: Vec<Conversation>,
    answers: &'a Answers,
    /// The ids of requests that were left out: nobody wonders at their replies.
    unheard: BTreeSet<(Direction, String)>,
    /// The client has ended its HTTP session.
    ended: bool,
}

impl<'a> Listener<'a> {
    fn of(answers: &'a Answers) -> Self {
        Self {
            done: vec![Conversation::default()],
            answers,
            unheard: BTreeSet::new(),
            ended: false,
        }
    }

    fn now(&mut self) -> &mut Conversation {
        if self.done.is_empty() {
            self.done.push(Conversation::default());
        }
        let last = self.done.len() - 1;
        &mut self.done[last]
    }

    fn hear(&mut self, event: &Event) {
        match &event.what {
            What::Message { reading, .. } => self.message(event, reading),
            What::Noise { damage: Damage::OverLimit, .. } => {
                self.now().left_out.because("a message", "it is larger than mcp-test reads");
            }
            What::Noise { .. } => {
                self.now().left_out.because("bytes", "they are no message");
            }
            What::Elided { was, .. } => {
                let was = format!("`{was}`");
                self.now().left_out.because(&was, "it was too large to be kept");
            }
            What::HttpRequest { method, headers, .. } => {
                self.ended |= method == "DELETE";
                let named = spoken::of_headers(headers).known();
                let now = self.now();
                now.header = now.header.or(named);
            }
            _ => {}
        }
    }

    fn message(&mut self, event: &Event, reading: &Reading) {
        let direction = match event.party {
            Party::Client => Direction::In,
            Party::Server => Direction::Out,
            Party::Harness => return,
        };
        let (message, value) = match (reading.frame(), reading.value()) {
            (Some(Ok(Frame::One(message))), Some(value)) => (message, value),
            (Some(Ok(Frame::Batch(_))), _) => {
                let ids = reading.messages().filter_map(|message| key(direction, message));
                self.unheard.extend(ids);
                return self.now().left_out.because("a batch", "a case has one message at a time");
            }
            _ => return self.now().left_out.because("JSON", "it is no message of JSON-RPC 2.0"),
        };
        if let Message::Response(_) | Message::Error(_) = message
            && let Some(asked) = answered(direction, message)
            && self.unheard.contains(&asked)
        {
            return;
        }
        if let Some(why) = self.unsayable(event, reading, message, direction) {
            self.unheard.extend(key(direction, message));
            return self.now().left_out.because(&named(message), why);
        }
        let said = Said {
            direction,
            message: message.clone(),
            value: value.clone(),
            exchange: event.exchange,
        };
        if direction == Direction::In && said.asks("initialize") {
            self.begin_anew();
        }
        if self.now().said.len() == MOST {
            return self
                .now()
                .left_out
                .because("the rest", "a case of more messages serves nobody");
        }
        self.now().said.push(said);
    }

    /// Why the words of a message do not say what was said.
    fn unsayable(
        &self,
        event: &Event,
        reading: &Reading,
        message: &Message,
        direction: Direction,
    ) -> Option<&'static str> {
        if !reading.notes().is_empty() {
            return Some("it has members twice, or the like");
        }
        if direction == Direction::In && message.is_reply() {
            return None;
        }
        let answer = event.exchange.and_then(|it| self.answers.get(&(event.connection, it)));
        let refused = answer.is_some_and(|it| it.status >= 300 && !is_about_words(*it, message));
        if event.deliberate && direction == Direction::In && refused {
            return Some("it was wrong on purpose, and by more than its words");
        }
        let begins = matches!(message, Message::Request(request) if request.method == "initialize");
        (self.ended && !begins).then_some("the session had been ended")
    }

    /// Another handshake is another conversation; what was said before the first one only served to find out how to speak.
    fn begin_anew(&mut self) {
        self.ended = false;
        let header = self.now().header;
        let has_begun = self.now().said.iter().any(|said| said.asks("initialize"));
        if has_begun {
            self.done.push(Conversation { header, ..Conversation::default() });
            return;
        }
        let now = self.now();
        for said in std::mem::take(&mut now.said) {
            if said.direction == Direction::In {
                now.left_out.because(&named(&said.message), "it came before the handshake");
            }
        }
    }
}

/// Whether a request was refused for what it says, as far as that can be told: in the stateless era errors have statuses of
/// their own, in the other one it is the carrier that refuses.
fn is_about_words(answer: Answer, message: &Message) -> bool {
    let of_carrier = [error_code::HEADER_MISMATCH, error_code::UNSUPPORTED_PROTOCOL_VERSION];
    let own = message.params().and_then(|params| params.get("_meta"));
    let has = |name: &str| own.is_some_and(|own| own.get(name).is_some());
    answer.code.is_some_and(|code| !of_carrier.contains(&code))
        && message.method() != Some("initialize")
        && meta::REQUIRED_ON_REQUESTS.iter().all(|name| has(name))
}

/// A request, as its replies name it.
fn key(direction: Direction, message: &Message) -> Option<(Direction, String)> {
    let Message::Request(request) = message else { return None };
    Some((direction, request.id.to_string()))
}

/// The request that a reply answers.
fn answered(direction: Direction, reply: &Message) -> Option<(Direction, String)> {
    let asker = match direction {
        Direction::In => Direction::Out,
        Direction::Out => Direction::In,
    };
    reply.id().filter(|id| **id != Id::Null).map(|id| (asker, id.to_string()))
}

/// What a comment calls a message.
pub(super) fn named(message: &Message) -> String {
    match message.method() {
        Some(method) => format!("`{method}`"),
        None => message.kind().to_owned(),
    }
}
