//! Validates a recorded conversation message by message: each reply against the request with its id.
//!
//! Who sent what need not be known: without it, a reply may answer a request of either side that has its id. The revision is
//! the one that the conversation has named last, unless one is given.

use std::collections::BTreeMap;

use bytes::Bytes;
use mcp_test_core::check::requirement_of;
use mcp_test_core::expect::words;
use mcp_test_core::json::{Pointer, Value};
use mcp_test_core::spec::named_revision::{self, NamedRevision};
use mcp_test_core::spec::schema::{Authority, Schemas};
use mcp_test_core::spec::{Requirement, Revision};
use mcp_test_core::trace::{
    ConnectionId, Limits, OpenRequests, ParsedText, Party, Revisions, is_rememberable,
};
use mcp_test_core::wire::{Frame, Id, Malformed, Message};

use super::verdict::{Problem, Verdict};

/// How many requests without a reply are remembered: in all, and with the same id, each of which a reply may answer.
const REQUESTS: Limits = Limits { requests: 100_000, per_key: 16 };
/// How many connections are remembered, the newest ones.
const CONNECTIONS: usize = 1000;
/// How many HTTP exchanges of a connection have their header remembered, the newest ones.
const EXCHANGES: usize = 10_000;
/// How many bytes the method and the id of a request may have to be remembered.
const MAX_NAME: usize = 256;

/// Who sent a message and where; `None` if that is not known.
pub(super) type Sender = Option<MessageSource>;

/// Where a message was sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageSource {
    pub(super) connection: ConnectionId,
    pub(super) party: Party,
    /// The HTTP exchange.
    pub(super) exchange: Option<u64>,
}

/// Why a message cannot be validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NotValidated {
    /// No message has named a revision.
    NoRevision,
    /// The named revision is not known.
    UnknownRevision(String),
}

/// Validates the messages of a conversation, one after the other.
pub(super) struct MessageValidator<'a> {
    schemas: &'a Schemas,
    given: Option<Revision>,
    /// The revisions that the connections have named; of all connections together where they cannot be distinguished.
    ///
    /// `agreed` stays empty: the revision that was named last counts, however it was named.
    connections: BTreeMap<Option<ConnectionId>, Revisions>,
    requests: OpenRequests<RequestKey, SentRequest>,
}

/// How a reply refers to its request: by the connection, the sender of the request, and the id.
type RequestKey = (Option<ConnectionId>, Option<Party>, Id);

/// A request without a reply.
#[derive(Clone)]
struct SentRequest {
    method: String,
    revision: Revision,
}

impl<'a> MessageValidator<'a> {
    /// A validator at the beginning of a conversation; `given` is the revision to validate against, whatever the messages name.
    pub(super) fn new(schemas: &'a Schemas, given: Option<Revision>) -> Self {
        let requests = OpenRequests::new(REQUESTS);
        Self { schemas, given, connections: BTreeMap::new(), requests }
    }

    /// Remembers the revision in the headers of an HTTP request: for its exchange, and for the connection if nothing else has
    /// named one.
    pub(super) fn http_headers(&mut self, sender: Sender, headers: &[(String, String)]) {
        let Some(named) = named_revision::in_headers(headers).known() else { return };
        let revisions = self.revisions(sender);
        revisions.named = revisions.named.or(Some(named));
        if let Some(exchange) = sender.and_then(|source| source.exchange) {
            revisions.set_header(exchange, named, EXCHANGES);
        }
    }

    /// Validates the text of a message or a batch.
    pub(super) fn text(
        &mut self,
        sender: Sender,
        text: &Bytes,
        parsed: &ParsedText,
    ) -> Result<Vec<Verdict>, NotValidated> {
        let mut verdicts = self.frame(sender, text, parsed)?;
        // Their pointers start at the text, so a batch has them with its first item.
        if let Some(first) = verdicts.first_mut() {
            first.problems.extend(Problem::duplicate_keys(parsed));
        }
        Ok(verdicts)
    }

    fn frame(
        &mut self,
        sender: Sender,
        text: &Bytes,
        parsed: &ParsedText,
    ) -> Result<Vec<Verdict>, NotValidated> {
        match parsed.frame() {
            None => Ok(vec![Verdict::not_json(text, parsed.problem().unwrap_or("not JSON"))]),
            Some(Err(malformed)) => Ok(vec![self.malformed(sender, malformed)]),
            Some(Ok(Frame::One(message))) => Ok(vec![self.message(sender, message)?]),
            Some(Ok(Frame::Batch(items))) => self.batch(sender, items),
        }
    }

    fn batch(
        &mut self,
        sender: Sender,
        items: &[Result<Message, Malformed>],
    ) -> Result<Vec<Verdict>, NotValidated> {
        let mut verdicts = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let verdict = match item {
                // Its pointer already starts at the batch.
                Err(malformed) => self.malformed(sender, malformed),
                Ok(message) => {
                    self.message(sender, message)?.within_batch(&Pointer::root().index(index))
                }
            };
            verdicts.push(verdict);
        }
        // Only after the items, one of which may name the revision.
        let revision = self.known_or_newest(sender);
        // Only 2025-03-26 has batches.
        if !revision.has_batches() {
            let problem = Problem::for_requirement(
                Requirement::JSONRPC_BATCH_NOT_SENT,
                revision,
                Pointer::root(),
                "one message at a time",
                format!("an array of {}", words::count(items.len(), "message")),
            );
            let what = format!("a batch, which MCP {revision} does not have");
            let verdict = Verdict::without_shape(what, problem);
            verdicts.push(Verdict { revision: Some(revision), ..verdict });
        }
        Ok(verdicts)
    }

    fn malformed(&self, sender: Sender, malformed: &Malformed) -> Verdict {
        let Malformed { pointer, expected, .. } = malformed;
        let problem = Problem::for_requirement(
            requirement_of(malformed),
            self.known_or_newest(sender),
            pointer.clone(),
            &expected.to_string(),
            malformed.got().to_owned(),
        );
        Verdict::without_shape("not a JSON-RPC message".to_owned(), problem)
    }

    fn message(&mut self, sender: Sender, message: &Message) -> Result<Verdict, NotValidated> {
        match message {
            Message::Request(request) => {
                let revision = self.revision_of_call(sender, message)?;
                let verdict = self.verdict(message, None, revision);
                self.remember(sender, &request.id, &request.method, revision);
                Ok(verdict)
            }
            Message::Notification(_) => {
                let revision = self.revision_of_call(sender, message)?;
                Ok(self.verdict(message, None, revision))
            }
            Message::Response(_) | Message::Error(_) => self.reply(sender, message),
        }
    }

    /// Validates a reply against the requests that it may answer: the first for which it is valid, or else the first.
    ///
    /// Both sides number their requests on their own, so that an id alone may belong to several of them.
    fn reply(&mut self, sender: Sender, message: &Message) -> Result<Verdict, NotValidated> {
        // JSON-RPC 2.0, section 5: an error has the id null if the id of the request could not be read.
        let id = message.id().filter(|id| **id != Id::Null);
        let key = id.map(|id| request_key(sender, sender.map(|source| other(source.party)), id));
        let requests: Vec<SentRequest> =
            key.iter().flat_map(|key| self.requests.get(key)).cloned().collect();
        let negotiated = self.negotiated(sender, message, &requests)?;
        let mut verdicts: Vec<Verdict> = Vec::new();
        for request in &requests {
            let revision = negotiated.unwrap_or(request.revision);
            verdicts.push(self.verdict(message, Some(&request.method), revision));
            if verdicts.last().is_some_and(Verdict::is_valid) {
                break;
            }
        }
        let index = verdicts.iter().position(Verdict::is_valid).unwrap_or(0);
        match (key, verdicts.into_iter().nth(index)) {
            (Some(key), Some(verdict)) => {
                self.requests.remove(&key, index);
                Ok(verdict)
            }
            _ => {
                let revision = negotiated.or(self.known(sender)).ok_or(NotValidated::NoRevision)?;
                Ok(Verdict { is_unmatched: true, ..self.verdict(message, None, revision) })
            }
        }
    }

    fn verdict(&self, message: &Message, answers: Option<&str>, revision: Revision) -> Verdict {
        // By the text of the specification, from which the official schema differs in places.
        let (schemas, authority) = (self.schemas, Authority::Text);
        let shape = schemas.definition_for(message, answers, revision, authority);
        let violations = schemas.validate(message, answers, revision, authority);
        Verdict::for_message(message, answers, shape.as_ref(), revision, violations)
    }

    fn revisions(&mut self, sender: Sender) -> &mut Revisions {
        let connection = sender.map(|source| source.connection);
        if !self.connections.contains_key(&connection) && self.connections.len() >= CONNECTIONS {
            self.connections.pop_first();
        }
        self.connections.entry(connection).or_default()
    }

    fn remember(&mut self, sender: Sender, id: &Id, method: &str, revision: Revision) {
        if is_rememberable(id, method, MAX_NAME) {
            let key = request_key(sender, sender.map(|source| source.party), id);
            self.requests.insert(key, SentRequest { method: method.to_owned(), revision });
        }
    }

    /// The revision that is given, or that of the exchange, or the one that the connection has named last.
    fn known(&self, sender: Sender) -> Option<Revision> {
        if self.given.is_some() {
            return self.given;
        }
        let revisions = self.connections.get(&sender.map(|source| source.connection))?;
        revisions.header(sender.and_then(|source| source.exchange)).or(revisions.named)
    }

    /// The revision whose pages are cited where the verdict does not depend on it.
    fn known_or_newest(&self, sender: Sender) -> Revision {
        self.known(sender).unwrap_or(Revision::NEWEST)
    }

    /// The revision of a request or a notification, which may name it itself.
    fn revision_of_call(
        &mut self,
        sender: Sender,
        message: &Message,
    ) -> Result<Revision, NotValidated> {
        if let Some(given) = self.given {
            return Ok(given);
        }
        let named =
            named_revision::proposed(message).or_else(|| match named_revision::in_meta(message) {
                NamedRevision::Known(revision) => Some(revision),
                // Refusing an unknown one is up to the server; only a stateless revision has `_meta` with a version.
                NamedRevision::Unknown => Some(Revision::NEWEST),
                NamedRevision::Absent => None,
            });
        if named.is_some() {
            self.revisions(sender).named = named;
        }
        named.or(self.known(sender)).ok_or(NotValidated::NoRevision)
    }

    /// The negotiated revision, if this is the reply to `initialize`.
    fn negotiated(
        &mut self,
        sender: Sender,
        message: &Message,
        requests: &[SentRequest],
    ) -> Result<Option<Revision>, NotValidated> {
        let Message::Response(response) = message else { return Ok(None) };
        // A result whose request is unknown may be that of `initialize`.
        let answers = requests.is_empty() || requests.iter().any(|it| it.method == "initialize");
        if !answers || self.given.is_some() {
            return Ok(None);
        }
        let revision = match named_revision::negotiated(&response.result) {
            NamedRevision::Known(revision) => revision,
            NamedRevision::Unknown => {
                let named = response.result.get("protocolVersion").and_then(Value::as_str);
                return Err(NotValidated::UnknownRevision(named.unwrap_or_default().to_owned()));
            }
            NamedRevision::Absent => return Ok(None),
        };
        self.revisions(sender).named = Some(revision);
        Ok(Some(revision))
    }
}

/// The key of a request of `party`.
fn request_key(sender: Sender, party: Option<Party>, id: &Id) -> RequestKey {
    (sender.map(|source| source.connection), party, id.clone())
}

fn other(party: Party) -> Party {
    match party {
        Party::Client => Party::Server,
        _ => Party::Client,
    }
}

impl Problem {
    /// A violation of a requirement, with the page of the specification that has its text.
    fn for_requirement(
        requirement: &'static Requirement,
        revision: Revision,
        pointer: Pointer,
        expected: &str,
        got: String,
    ) -> Self {
        let link = requirement.link(revision).unwrap_or_default();
        Self { pointer, expected: expected.to_owned(), got, rule: requirement.id.to_owned(), link }
    }
}
