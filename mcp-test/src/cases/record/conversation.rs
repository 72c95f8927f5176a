//! Divides a trace into conversations: the messages on each connection that a case can have.
//!
//! A case only has messages. Invalid bytes, batches, duplicate members, and messages whose outcome depends on a header or on a
//! session are left out and mentioned in a comment.

use std::collections::{BTreeMap, HashSet};

use mcp_test_core::json::Value;
use mcp_test_core::spec::{Revision, error_code, meta, named_revision};
use mcp_test_core::trace::{
    ConnectionId, Correlation, Event, EventKind, ParsedText, Party, Relation, Trace, UnparsableKind,
};
use mcp_test_core::wire::{Frame, Message};

use super::left_out::LeftOut;
use crate::cases::Direction;

/// The maximum number of messages of one conversation; nobody reads a longer case.
const MAX_MESSAGES: usize = 5000;

/// The messages between one client and one server, from one handshake to the next.
#[derive(Debug, Default)]
pub(super) struct RecordedConversation {
    /// The messages, in order.
    pub(super) messages: Vec<RecordedMessage>,
    /// What a case cannot have.
    pub(super) left_out: LeftOut,
    /// The revision in an HTTP header, for conversations that do not name one themselves.
    pub(super) header: Option<Revision>,
}

/// A recorded message.
#[derive(Debug, Clone)]
pub(super) struct RecordedMessage {
    /// The direction.
    pub(super) direction: Direction,
    /// The message.
    pub(super) message: Message,
    /// All its members, in their order on the wire.
    pub(super) value: Value,
    /// The HTTP exchange it belongs to.
    pub(super) exchange: Option<u64>,
    /// Its number on the connection.
    pub(super) number: usize,
    /// The number of the request that it answers.
    pub(super) answers: Option<usize>,
    /// Whether it is a request that its sender cancelled.
    pub(super) is_cancelled: bool,
}

impl RecordedMessage {
    /// Whether this is a request with this method.
    pub(super) fn is_request(&self, method: &str) -> bool {
        matches!(&self.message, Message::Request(request) if request.method == method)
    }
}

/// The conversations of a trace, in the order in which their connections were opened.
pub(super) fn conversations(trace: &Trace) -> Vec<RecordedConversation> {
    let answers = answers(trace);
    let mut connections: BTreeMap<ConnectionId, ConversationReader<'_>> = BTreeMap::new();
    for event in &trace.events {
        let reader =
            connections.entry(event.connection).or_insert_with(|| ConversationReader::of(&answers));
        reader.read(event);
    }
    let mut conversations: Vec<RecordedConversation> =
        connections.into_values().flat_map(ConversationReader::end).collect();
    if let (Some(first), true) = (conversations.first_mut(), trace.elided > 0) {
        first.left_out.add_reason("the beginning", "the trace exceeded its limit");
    }
    conversations
}

/// The answer to an HTTP exchange.
#[derive(Debug, Clone, Copy)]
struct Answer {
    status: u16,
    /// The code of the JSON-RPC error, if it was one.
    code: Option<i64>,
}

/// The answers to the HTTP exchanges of a trace.
type Answers = BTreeMap<(ConnectionId, u64), Answer>;

fn answers(trace: &Trace) -> Answers {
    let mut answers = Answers::new();
    for event in &trace.events {
        let Some(exchange) = event.exchange else { continue };
        let place = (event.connection, exchange);
        match &event.kind {
            EventKind::HttpResponse { status, .. } => {
                answers.insert(place, Answer { status: *status, code: None });
            }
            EventKind::Message { parsed, .. } if event.party == Party::Server => {
                let code = parsed.messages().find_map(|message| match message {
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

/// Reads the events of one connection.
struct ConversationReader<'a> {
    done: Vec<RecordedConversation>,
    current: RecordedConversation,
    answers: &'a Answers,
    correlation: Correlation<usize>,
    /// How many messages the connection had.
    count: usize,
    /// The numbers of requests that were left out, so that their replies are too.
    ignored_requests: HashSet<usize>,
    /// Whether the client has ended its HTTP session.
    ended: bool,
}

impl<'a> ConversationReader<'a> {
    fn of(answers: &'a Answers) -> Self {
        Self {
            done: Vec::new(),
            current: RecordedConversation::default(),
            answers,
            correlation: Correlation::default(),
            count: 0,
            ignored_requests: HashSet::new(),
            ended: false,
        }
    }

    /// The conversations, once the last event has been read.
    fn end(mut self) -> Vec<RecordedConversation> {
        // Only at the end: a cancellation may follow long after its request.
        let requests = [Party::Client, Party::Server].map(|side| self.correlation.requests(side));
        let cancelled = requests.into_iter().flatten().filter(|request| request.is_cancelled);
        let cancelled: HashSet<usize> = cancelled.map(|request| request.position).collect();
        self.done.push(self.current);
        for message in self.done.iter_mut().flat_map(|it| &mut it.messages) {
            message.is_cancelled = cancelled.contains(&message.number);
        }
        self.done
    }

    fn leave_out(&mut self, what: &str, why: &str) {
        self.current.left_out.add_reason(what, why);
    }

    fn read(&mut self, event: &'a Event) {
        match &event.kind {
            EventKind::Message { parsed, .. } => self.message(event, parsed),
            EventKind::Unparsable { kind: UnparsableKind::OverLimit, .. } => {
                self.leave_out("a message", "it is larger than mcp-test reads");
            }
            EventKind::Unparsable { .. } => self.leave_out("bytes", "they are not a message"),
            EventKind::Elided { was, .. } => {
                self.leave_out(&format!("`{was}`"), "it was too large to be kept");
            }
            EventKind::HttpRequest { method, headers, .. } => {
                // A client ends its HTTP session with DELETE (basic/transports, Session Management).
                self.ended |= method == "DELETE";
                let named = named_revision::in_headers(headers).known();
                self.current.header = self.current.header.or(named);
            }
            _ => {}
        }
    }

    fn message(&mut self, event: &'a Event, parsed: &'a ParsedText) {
        let direction = match event.party {
            Party::Client => Direction::In,
            Party::Server => Direction::Out,
            Party::Harness => return,
        };
        let (message, value) = match (parsed.frame(), parsed.value()) {
            (Some(Ok(Frame::One(message))), Some(value)) => (message, value),
            (Some(Ok(Frame::Batch(_))), _) => {
                // They are correlated nevertheless, so that their replies are recognized and left out as well.
                for message in parsed.messages() {
                    let (number, _) = self.correlate(event, message);
                    self.ignored_requests.insert(number);
                }
                return self.leave_out("a batch", "a case has one message at a time");
            }
            _ => return self.leave_out("JSON", "it is not a JSON-RPC 2.0 message"),
        };
        let (number, answers) = self.correlate(event, message);
        if answers.is_some_and(|request| self.ignored_requests.contains(&request)) {
            return;
        }
        if let Some(why) = self.inexpressible(event, parsed, message, direction) {
            self.ignored_requests.insert(number);
            return self.leave_out(&named(message), why);
        }
        let recorded = RecordedMessage {
            direction,
            message: message.clone(),
            value: value.clone(),
            exchange: event.exchange,
            number,
            answers,
            is_cancelled: false,
        };
        if direction == Direction::In && recorded.is_request("initialize") {
            self.begin_next();
        }
        if self.current.messages.len() == MAX_MESSAGES {
            return self
                .leave_out("the rest", &format!("a case has at most {MAX_MESSAGES} messages"));
        }
        self.current.messages.push(recorded);
    }

    /// The number of a message, and that of the request that it answers.
    fn correlate(&mut self, event: &Event, message: &'a Message) -> (usize, Option<usize>) {
        let number = self.count;
        self.count += 1;
        let correlated = self.correlation.message(event.party, event.exchange, number, message);
        match correlated.relation {
            Relation::Reply(reply) => (number, reply.settles),
            Relation::Request { .. } | Relation::Notification => (number, None),
        }
    }

    /// Why a case cannot have a message; `None` if it can.
    fn inexpressible(
        &self,
        event: &Event,
        parsed: &ParsedText,
        message: &Message,
        direction: Direction,
    ) -> Option<&'static str> {
        if !parsed.notes().is_empty() {
            return Some("its JSON has duplicate members or similar defects");
        }
        if direction == Direction::In && message.is_reply() {
            return None;
        }
        let answer = event.exchange.and_then(|it| self.answers.get(&(event.connection, it)));
        let refused =
            answer.is_some_and(|it| it.status >= 300 && !is_refused_for_content(*it, message));
        if event.deliberate && direction == Direction::In && refused {
            return Some("it was invalid on purpose, and not only in its content");
        }
        let is_initialize =
            matches!(message, Message::Request(request) if request.method == "initialize");
        (self.ended && !is_initialize).then_some("the session had ended")
    }

    /// Begins another conversation at a handshake. Messages before the first one are left out: they only negotiate the revision.
    fn begin_next(&mut self) {
        self.ended = false;
        if self.current.messages.iter().any(|message| message.is_request("initialize")) {
            let header = self.current.header;
            let next = RecordedConversation { header, ..RecordedConversation::default() };
            self.done.push(std::mem::replace(&mut self.current, next));
            return;
        }
        for recorded in std::mem::take(&mut self.current.messages) {
            if recorded.direction == Direction::In {
                self.leave_out(&named(&recorded.message), "it came before the handshake");
            }
        }
    }
}

/// Whether a request was refused for its content. In the stateless era, such errors have HTTP statuses; in the handshake era,
/// only the transport refuses with a status.
fn is_refused_for_content(answer: Answer, message: &Message) -> bool {
    let of_transport = [error_code::HEADER_MISMATCH, error_code::UNSUPPORTED_PROTOCOL_VERSION];
    let fields = message.params().and_then(|params| params.get("_meta"));
    let has = |name: &str| fields.is_some_and(|fields| fields.get(name).is_some());
    answer.code.is_some_and(|code| !of_transport.contains(&code))
        && message.method() != Some("initialize")
        // These are required on every request of the stateless era, and so tell the eras apart.
        && meta::REQUIRED_ON_REQUESTS.iter().all(|name| has(name))
}

/// The name of a message in a comment.
pub(super) fn named(message: &Message) -> String {
    match message.method() {
        Some(method) => format!("`{method}`"),
        None => message.kind().to_owned(),
    }
}
