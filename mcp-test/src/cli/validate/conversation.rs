//! A recorded conversation, judged message by message: each reply against the request with its id.
//!
//! Who said what need not be known: a reply is held against the requests of whomever it may answer, which its id tells.
//! Revisions are learnt where the conversation names them, unless one is given.

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;

use super::verdict::{Verdict, Wrong};
use crate::check::requirement_of;
use crate::expect::words;
use crate::json::{Pointer, Value};
use crate::spec::schema::{Authority, Schemas, Violation};
use crate::spec::spoken::{self, Named};
use crate::spec::{Revision, requirement};
use crate::trace::{Connection, Party, Reading};
use crate::wire::{Frame, Id, Malformed, Message};

/// How many requests are remembered that have not been answered.
const REQUESTS: usize = 100_000;
/// How many of these may have one id: a reply may be held against each of them.
const ALIKE: usize = 16;
/// How many connections are remembered, the newest ones.
const CONNECTIONS: usize = 1000;
/// Of how many HTTP exchanges of a connection the header is remembered, the newest ones.
const EXCHANGES: usize = 10_000;
/// How long a method and an id may be to be remembered, in bytes.
const NAME: usize = 256;

/// Who says something, where that is known.
pub(super) type Speaker = Option<Place>;

/// Where something is said.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) connection: Connection,
    pub(super) party: Party,
    /// The HTTP exchange.
    pub(super) exchange: Option<u64>,
}

/// Why a message cannot be judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unjudged {
    /// Nothing has said which revision is spoken.
    NoRevision,
    /// What is spoken is no revision that is known here.
    UnknownRevision(String),
}

/// What is remembered of a conversation.
pub(super) struct Conversation<'a> {
    schemas: &'a Schemas,
    given: Option<Revision>,
    channels: BTreeMap<Option<Connection>, Channel>,
    /// How many requests are remembered.
    open: usize,
}

/// One connection; where they are not told apart, all that was said.
#[derive(Default)]
struct Channel {
    /// What was learnt last.
    revision: Option<Revision>,
    /// What HTTP requests say in their headers.
    headers: BTreeMap<u64, Revision>,
    /// The requests that have not been answered, by who asked and by id, in their order.
    asked: HashMap<(Option<Party>, Id), Vec<Asked>>,
}

/// A request that has not been answered.
#[derive(Clone)]
struct Asked {
    method: String,
    revision: Revision,
}

impl<'a> Conversation<'a> {
    /// One in which nothing has been said yet; `given` is the revision to judge by, whatever is said.
    pub(super) fn new(schemas: &'a Schemas, given: Option<Revision>) -> Self {
        Self { schemas, given, channels: BTreeMap::new(), open: 0 }
    }

    /// Takes note of the headers of an HTTP request, which name the revision of its exchange; that of the connection
    /// only as long as nothing else does.
    pub(super) fn carried(&mut self, speaker: Speaker, headers: &[(String, String)]) {
        let Some(named) = spoken::of_headers(headers).known() else { return };
        let channel = self.channel(speaker);
        channel.revision = channel.revision.or(Some(named));
        if let Some(exchange) = speaker.and_then(|place| place.exchange) {
            channel.headers.insert(exchange, named);
            if channel.headers.len() > EXCHANGES {
                channel.headers.pop_first();
            }
        }
    }

    /// Judges what stands on a line: a message, or a batch.
    pub(super) fn said(
        &mut self,
        speaker: Speaker,
        text: &Bytes,
        reading: &Reading,
    ) -> Result<Vec<Verdict>, Unjudged> {
        match reading.frame() {
            None => Ok(vec![Verdict::no_json(text, reading.problem().unwrap_or("not JSON"))]),
            Some(Err(malformed)) => Ok(vec![self.malformed(speaker, malformed)]),
            Some(Ok(Frame::One(message))) => Ok(vec![self.message(speaker, message)?]),
            Some(Ok(Frame::Batch(items))) => self.batch(speaker, items),
        }
    }

    fn batch(
        &mut self,
        speaker: Speaker,
        items: &[Result<Message, Malformed>],
    ) -> Result<Vec<Verdict>, Unjudged> {
        let mut verdicts = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let verdict = match item {
                // Its pointer begins at the batch already.
                Err(malformed) => self.malformed(speaker, malformed),
                Ok(message) => {
                    self.message(speaker, message)?.within(&Pointer::root().index(index))
                }
            };
            verdicts.push(verdict);
        }
        let revision = self.now(speaker);
        if !revision.has_batches() {
            let got = format!("an array of {}", words::count(items.len(), "message"));
            let one = Wrong::against(
                "jsonrpc.batch-not-sent",
                revision,
                Pointer::root(),
                "one message at a time",
                got,
            );
            let what = format!("a batch, which MCP {revision} does not have");
            verdicts.push(Verdict { revision: Some(revision), ..Verdict::wrong(what, one) });
        }
        Ok(verdicts)
    }

    fn malformed(&self, speaker: Speaker, malformed: &Malformed) -> Verdict {
        let Malformed { pointer, expected, got, .. } = malformed;
        let id = requirement_of(malformed);
        let wrong = Wrong::against(id, self.now(speaker), pointer.clone(), expected, got.clone());
        Verdict::wrong("not a JSON-RPC message".to_owned(), wrong)
    }

    fn message(&mut self, speaker: Speaker, message: &Message) -> Result<Verdict, Unjudged> {
        match message {
            Message::Request(request) => {
                let revision = self.revision_of_call(speaker, message)?;
                let verdict = self.judged(message, None, revision);
                self.remember(speaker, &request.id, &request.method, revision);
                Ok(verdict)
            }
            Message::Notification(_) => {
                let revision = self.revision_of_call(speaker, message)?;
                Ok(self.judged(message, None, revision))
            }
            Message::Response(_) | Message::Error(_) => self.reply(speaker, message),
        }
    }

    /// Holds a reply against the requests that it may answer: the first that it fits, or else the first.
    fn reply(&mut self, speaker: Speaker, message: &Message) -> Result<Verdict, Unjudged> {
        let other = speaker.map(|place| match place.party {
            Party::Client => Party::Server,
            _ => Party::Client,
        });
        let key = message.id().filter(|id| **id != Id::Null).map(|id| (other, id.clone()));
        let channel = self.channel(speaker);
        let asked = key.as_ref().and_then(|key| channel.asked.get(key));
        let asked = asked.cloned().unwrap_or_default();
        let negotiated = self.negotiated(speaker, message, &asked)?;
        let mut told = None;
        for (index, asked) in asked.iter().enumerate() {
            let revision = negotiated.unwrap_or(asked.revision);
            let verdict = self.judged(message, Some(&asked.method), revision);
            let fits = verdict.is_valid();
            if fits || told.is_none() {
                told = Some((index, verdict));
            }
            if fits {
                break;
            }
        }
        match (told, key) {
            (Some((index, verdict)), Some(key)) => {
                self.forget(speaker, &key, index);
                Ok(verdict)
            }
            _ => {
                let revision = negotiated.or(self.known(speaker)).ok_or(Unjudged::NoRevision)?;
                Ok(self.judged(message, None, revision).alone())
            }
        }
    }

    fn judged(&self, message: &Message, answers: Option<&str>, revision: Revision) -> Verdict {
        let (schemas, authority) = (self.schemas, Authority::Text);
        let shape = schemas.governing(message, answers, revision, authority);
        let violations: Vec<Violation> = schemas.judge(message, answers, revision, authority);
        Verdict::of_message(message, answers, shape.as_ref(), revision, violations)
    }

    fn channel(&mut self, speaker: Speaker) -> &mut Channel {
        let connection = speaker.map(|place| place.connection);
        if !self.channels.contains_key(&connection)
            && self.channels.len() >= CONNECTIONS
            && let Some((_, oldest)) = self.channels.pop_first()
        {
            self.open -= oldest.asked.values().map(Vec::len).sum::<usize>();
        }
        self.channels.entry(connection).or_default()
    }

    fn remember(&mut self, speaker: Speaker, id: &Id, method: &str, revision: Revision) {
        if id.bytes() > NAME || method.len() > NAME || self.open >= REQUESTS {
            return;
        }
        let key = (speaker.map(|place| place.party), id.clone());
        let asked = Asked { method: method.to_owned(), revision };
        let alike = self.channel(speaker).asked.entry(key).or_default();
        if alike.len() < ALIKE {
            alike.push(asked);
            self.open += 1;
        }
    }

    fn forget(&mut self, speaker: Speaker, key: &(Option<Party>, Id), index: usize) {
        let channel = self.channel(speaker);
        if let Some(asked) = channel.asked.get_mut(key) {
            asked.remove(index);
            if asked.is_empty() {
                channel.asked.remove(key);
            }
            self.open -= 1;
        }
    }

    /// The revision that is given, that the exchange has, or that was learnt last.
    fn known(&self, speaker: Speaker) -> Option<Revision> {
        if self.given.is_some() {
            return self.given;
        }
        let channel = self.channels.get(&speaker.map(|place| place.connection))?;
        let exchange = speaker.and_then(|place| place.exchange);
        let header = exchange.and_then(|exchange| channel.headers.get(&exchange));
        header.copied().or(channel.revision)
    }

    /// The revision whose pages are cited where nothing hangs on it.
    fn now(&self, speaker: Speaker) -> Revision {
        self.known(speaker).unwrap_or(Revision::NEWEST)
    }

    /// The revision of a request or a notification, which may name it itself.
    fn revision_of_call(
        &mut self,
        speaker: Speaker,
        message: &Message,
    ) -> Result<Revision, Unjudged> {
        if let Some(given) = self.given {
            return Ok(given);
        }
        let named = spoken::proposed(message).or_else(|| match spoken::carried(message) {
            Named::Known(revision) => Some(revision),
            // One that is not known here is for the server to refuse, in words of the era.
            Named::Unknown => Some(Revision::NEWEST),
            Named::Nothing => None,
        });
        if named.is_some() {
            self.channel(speaker).revision = named;
        }
        named.or(self.known(speaker)).ok_or(Unjudged::NoRevision)
    }

    /// The revision that a reply settles on, if it is the one to `initialize`.
    fn negotiated(
        &mut self,
        speaker: Speaker,
        message: &Message,
        asked: &[Asked],
    ) -> Result<Option<Revision>, Unjudged> {
        let Message::Response(response) = message else { return Ok(None) };
        let answers = asked.is_empty() || asked.iter().any(|it| it.method == "initialize");
        if !answers || self.given.is_some() {
            return Ok(None);
        }
        let revision = match spoken::settled(&response.result) {
            Named::Known(revision) => revision,
            Named::Unknown => {
                let named = response.result.get("protocolVersion").and_then(Value::as_str);
                return Err(Unjudged::UnknownRevision(named.unwrap_or_default().to_owned()));
            }
            Named::Nothing => return Ok(None),
        };
        self.channel(speaker).revision = Some(revision);
        Ok(Some(revision))
    }
}

impl Wrong {
    /// What breaks a requirement, whose text is its page.
    fn against(
        id: &'static str,
        revision: Revision,
        pointer: Pointer,
        expected: &str,
        got: String,
    ) -> Self {
        let link = requirement::find(id).map(|found| found.link(revision)).unwrap_or_default();
        Self { pointer, expected: expected.to_owned(), got, rule: id.to_owned(), link }
    }
}
