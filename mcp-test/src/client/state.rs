//! What a client remembers between two observations, and what each observation means for the requests that are open.
//!
//! Nothing here waits or sends; [`super::wait`] does.

use std::collections::{BTreeSet, VecDeque};

use super::Pending;
use super::notice::{Notice, weight};
use crate::check::{Finding, requirement_of};
use crate::json::Value;
use crate::spec::{Era, Revision};
use crate::trace::Seq;
use crate::transport::{Damage, Incoming, Origin, Sent};
use crate::wire::{Id, Malformed, Message, Request, RpcError};

/// Notifications that are kept for a scenario to look at; the trace holds all of them.
const KEPT_NOTIFICATIONS: usize = 10_000;

/// About how many bytes they may take together.
const KEPT_BYTES: usize = 32 << 20;

/// Requests of the server that are kept to look at; the trace holds all of them.
const KEPT_REQUESTS: usize = 1_000;

/// Oddities that are kept to be named when a wait fails; the trace holds all of them.
const KEPT_ODDITIES: usize = 20;

/// How many oddities a failed wait names.
const NAMED_ODDITIES: usize = 5;

/// What a reply turned out to be.
pub(super) type Outcome = Result<Value, RpcError>;

/// A request that is not settled yet.
#[derive(Debug)]
struct Open {
    id: Id,
    method: String,
    sent: Sent,
    /// The reply, or why it cannot come.
    settled: Option<Result<(Seq, Outcome), Finding>>,
}

/// Something that was not expected and does not end a wait by itself.
#[derive(Debug)]
struct Oddity {
    seq: Seq,
    text: String,
}

/// What a client remembers between two observations.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Ids are read as the official client reads them: a retyped one is the same, others do not end a wait on HTTP.
    lenient: bool,
    /// The peer is behind a network, where it may be missing.
    networked: bool,
    open: Vec<Open>,
    answered: Vec<Id>,
    /// Ids whose replies nobody waits for any more.
    given_up: Vec<Id>,
    notices: Vec<Notice>,
    notices_weigh: usize,
    requested: Vec<Request>,
    requests: usize,
    notified: usize,
    oddities: VecDeque<Oddity>,
    /// Exchanges that carry requests, and those that are over with the status they ended with.
    exchanges: BTreeSet<u64>,
    ended: Vec<(u64, Seq, Option<u16>, String)>,
    closed: Option<(Seq, String)>,
    /// The peer sent anything at all, and a message.
    heard: bool,
    spoken: bool,
}

impl State {
    pub(super) fn new(lenient: bool, networked: bool) -> Self {
        Self { lenient, networked, ..Self::default() }
    }

    pub(super) fn begin(&mut self, id: Id, method: &str, sent: Sent) {
        self.exchanges.extend(sent.exchange);
        self.open.push(Open { id, method: method.to_owned(), sent, settled: None });
    }

    pub(super) fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// What was told about a request until its reply: on its exchange, or, where there is none, meanwhile.
    pub(super) fn notices_for(&self, sent: Sent, reply: Seq, token: Option<&Value>) -> Vec<Notice> {
        let meanwhile = |notice: &&Notice| notice.seq > sent.seq && notice.seq < reply;
        let is_about = |notice: &&Notice| match sent.exchange {
            None => true,
            exchange if notice.exchange == exchange => true,
            _ => token.is_some_and(|token| notice.param("progressToken") == Some(token)),
        };
        self.notices.iter().filter(meanwhile).filter(is_about).cloned().collect()
    }

    pub(super) fn asked(&self) -> &[Request] {
        &self.requested
    }

    /// Whether the peer has sent anything at all.
    pub(super) fn heard(&self) -> bool {
        self.heard
    }

    /// How many messages the peer has sent of its own accord.
    pub(super) fn volunteered(&self) -> usize {
        self.requests + self.notified
    }

    /// How the connection ended, if it has.
    pub(super) fn closed(&self) -> Option<&(Seq, String)> {
        self.closed.as_ref()
    }

    /// The end of an exchange that carries no request.
    pub(super) fn ended_exchange(&self, exchange: u64) -> Option<(Seq, Option<u16>, &str)> {
        let ended = self.ended.iter().find(|(number, ..)| *number == exchange);
        ended.map(|(_, seq, status, how)| (*seq, *status, how.as_str()))
    }

    /// Looks at one observation; a request of the peer is handed back to be answered.
    pub(super) fn take(&mut self, incoming: Incoming, revision: Revision) -> Option<Request> {
        match incoming {
            Incoming::Message { seq, origin, message } => {
                (self.heard, self.spoken) = (true, true);
                match message {
                    Message::Request(request) => {
                        self.requests += 1;
                        if self.requested.len() < KEPT_REQUESTS {
                            self.requested.push(request.clone());
                        }
                        return Some(request);
                    }
                    Message::Notification(notification) => {
                        self.notified += 1;
                        self.keep(Notice { seq, exchange: origin.exchange, notification });
                    }
                    Message::Response(response) => {
                        let id = Some(response.id);
                        self.reply(seq, origin, id, Ok(response.result), revision);
                    }
                    Message::Error(error) => {
                        self.reply(seq, origin, error.id, Err(error.error), revision);
                    }
                }
            }
            Incoming::Garbled { seq, origin, head, why, malformed, damage } => {
                self.heard = true;
                let shown = format!("{head} ({why})");
                self.garbled(seq, origin, &shown, malformed.as_ref(), damage, revision);
            }
            Incoming::Ended { seq, exchange, status, how } => {
                self.heard |= status.is_some();
                self.exchange_ended(seq, exchange, status, &how);
            }
            Incoming::Closed { seq, how } => self.closed = Some((seq, how)),
        }
        None
    }

    fn reply(
        &mut self,
        seq: Seq,
        origin: Origin,
        id: Option<Id>,
        outcome: Outcome,
        revision: Revision,
    ) {
        let lenient = self.lenient;
        // The official client of the stateless era looks neither at the status nor at the id of a JSON reply.
        let careless = lenient && revision.era() == Era::Stateless && !origin.stream;
        let meant = id.as_ref().and_then(|id| {
            self.open.iter_mut().find(|open| {
                let same = open.id == *id || (lenient && open.id.is_retyped(id));
                same && open.settled.is_none()
            })
        });
        if let Some(open) = meant {
            open.settled = Some(match origin.status {
                Some(status)
                    if !careless
                        && outcome.is_ok()
                        && (!(200..300).contains(&status) || status == 202) =>
                {
                    Err(Finding::peer(format!(
                        "the result of `{}` came with HTTP {status}",
                        open.method
                    ))
                    .expected("a result with HTTP 200")
                    .got(format!("a result with HTTP {status}"))
                    .requires("jsonrpc.request-answered")
                    .evidence(open.sent.seq)
                    .evidence(seq))
                }
                _ => Ok((seq, outcome)),
            });
            return;
        }
        if id.as_ref().is_some_and(|id| self.given_up.contains(id)) {
            self.odd(seq, "a reply that came after its deadline".to_owned());
            return;
        }
        let Some(index) = self.waiting(origin.exchange) else {
            let id = id.map_or_else(|| "no id".to_owned(), |id| format!("id {id}"));
            self.odd(seq, format!("a response with {id}, which no open request has"));
            return;
        };
        // An error reply may lack the id; the exchange then says which request it refuses.
        let anonymous = matches!(id, None | Some(Id::Null)) && outcome.is_err();
        if (anonymous || careless) && origin.exchange.is_some() {
            self.open[index].settled = Some(Ok((seq, outcome)));
            return;
        }
        let (got, requirement) = self.wrong_id(id.as_ref(), &self.open[index].id, outcome.is_err());
        if self.lenient && origin.exchange.is_some() {
            self.odd(seq, format!("a response with {got}"));
            return;
        }
        let open = &mut self.open[index];
        open.settled =
            Some(Err(Finding::peer(format!("the reply to `{}` has the wrong id", open.method))
                .expected(format!("a response with id {}", open.id))
                .got(got)
                .requires(requirement)
                .evidence(open.sent.seq)
                .evidence(seq)));
    }

    fn garbled(
        &mut self,
        seq: Seq,
        origin: Origin,
        shown: &str,
        malformed: Option<&Malformed>,
        damage: Damage,
        revision: Revision,
    ) {
        let named = malformed.and_then(|malformed| malformed.id.as_ref());
        let meant = match named {
            Some(id) => self.open.iter().position(|open| open.id == *id),
            None => self.waiting(origin.exchange),
        };
        // Outside 2xx a body explains the refusal in any form; the end of the exchange says so.
        let refusal = origin.status.is_some_and(|status| !(200..300).contains(&status));
        let conclusive = damage != Damage::Stray && !refusal;
        let Some(open) = meant.and_then(|index| self.open.get_mut(index)).filter(|_| conclusive)
        else {
            self.odd(seq, shown.to_owned());
            return;
        };
        let finding = Finding::peer(format!(
            "what came instead of the reply to `{}` is no MCP message",
            open.method
        ))
        .expected(format!("a JSON-RPC response with id {} of MCP {revision}", open.id))
        .got(shown)
        .evidence(open.sent.seq)
        .evidence(seq);
        let finding = match (damage, malformed, origin.status) {
            (Damage::OverLimit, ..) => finding.hint("the limit is one of mcp-test, not of MCP"),
            (_, Some(malformed), _) => finding.requires(requirement_of(malformed)),
            // A revision without Streamable HTTP says nothing of its bodies.
            (_, None, Some(_)) if !revision.has_streamable_http() => {
                finding.requires("jsonrpc.request-answered")
            }
            (_, None, Some(_)) if origin.stream => {
                finding.requires("transport.http.sse-event-data")
            }
            (_, None, Some(_)) => finding.requires("transport.http.request-content-type"),
            (_, None, None) => finding.requires("transport.stdio.stdout-only-messages"),
        };
        open.settled = Some(Err(finding));
    }

    fn exchange_ended(&mut self, seq: Seq, exchange: u64, status: Option<u16>, how: &str) {
        if !self.exchanges.contains(&exchange) {
            self.ended.push((exchange, seq, status, how.to_owned()));
            if status.is_none_or(|status| status >= 400) {
                self.odd(seq, format!("an HTTP exchange that {how}"));
            }
            return;
        }
        let oddities: Vec<Seq> = self.oddities.iter().map(|odd| odd.seq).collect();
        let instead: Vec<String> = self.oddities.iter().map(|odd| odd.text.clone()).collect();
        let Self { heard, spoken, networked, .. } = *self;
        let meant = self.open.iter_mut().find(|open| open.sent.exchange == Some(exchange));
        let Some(open) = meant.filter(|open| open.settled.is_none()) else { return };
        let since = |seqs: &[Seq]| {
            let after = |at: &&Seq| **at > open.sent.seq;
            seqs.iter().filter(after).copied().collect::<Vec<_>>()
        };
        let evidence = since(&oddities);
        let said = instead.last().filter(|_| !evidence.is_empty());
        let got = match said {
            Some(said) => format!("an exchange that {how}: {said}"),
            None => format!("an exchange that {how}"),
        };
        let headline = match status {
            Some(status) if !(200..300).contains(&status) => {
                format!("`{}` was refused with HTTP {status}", open.method)
            }
            _ => format!("`{}` got no reply", open.method),
        };
        let finding = match status {
            None if !heard && networked => {
                Finding::environment(headline).hint("is the server running, and is this its URL?")
            }
            // Before the first message it is not yet known to be a server of MCP at all.
            Some(401 | 403) if !spoken => Finding::environment(headline)
                .hint("send credentials, with `--header` or `Target::header`"),
            Some(300..=399 | 404 | 405) if !spoken => Finding::environment(headline)
                .hint("is this the URL of the MCP endpoint, with its path?"),
            _ => Finding::peer(headline).requires("jsonrpc.request-answered"),
        };
        open.settled = Some(Err(finding
            .expected(format!("an HTTP response with a JSON-RPC response with id {}", open.id))
            .got(got)
            .evidence(open.sent.seq)
            .evidence_all(evidence)
            .evidence(seq)));
    }

    /// The only request that an observation without a usable id can be about.
    fn waiting(&self, exchange: Option<u64>) -> Option<usize> {
        let mut candidates = self.open.iter().enumerate().filter(|(_, open)| {
            open.settled.is_none() && (exchange.is_none() || open.sent.exchange == exchange)
        });
        match (candidates.next(), candidates.next()) {
            (Some((index, _)), None) => Some(index),
            _ => None,
        }
    }

    /// What is wrong with an id, and the requirement that says so.
    fn wrong_id(&self, got: Option<&Id>, expected: &Id, is_error: bool) -> (String, &'static str) {
        let echo = if is_error { "jsonrpc.error-id-echo" } else { "jsonrpc.result-id-echo" };
        match got {
            None => ("no id".to_owned(), echo),
            Some(Id::Null) => ("id null".to_owned(), echo),
            Some(id) if id.is_retyped(expected) => {
                (format!("id {id}, of another JSON type"), "jsonrpc.id-type-preserved")
            }
            Some(id) if self.answered.contains(id) => {
                (format!("id {id}, which was answered already"), "jsonrpc.single-response")
            }
            Some(id) => (format!("id {id}, which no request has"), echo),
        }
    }

    fn keep(&mut self, notice: Notice) {
        let params = notice.notification.params.as_ref();
        let weight = params.map_or(0, |params| weight(params, KEPT_BYTES));
        if self.notices.len() < KEPT_NOTIFICATIONS && self.notices_weigh + weight <= KEPT_BYTES {
            self.notices_weigh += weight;
            self.notices.push(notice);
        }
    }

    fn odd(&mut self, seq: Seq, text: String) {
        if self.oddities.len() == KEPT_ODDITIES {
            self.oddities.pop_front();
        }
        self.oddities.push_back(Oddity { seq, text });
    }

    /// Hands out the reply to a request, or why it cannot come, if that is settled.
    pub(super) fn settled(&mut self, id: &Id) -> Option<Result<(Seq, Outcome), Finding>> {
        let index = self.open.iter().position(|open| open.id == *id)?;
        self.open[index].settled.as_ref()?;
        self.answered.push(id.clone());
        self.open.swap_remove(index).settled
    }

    /// Nobody waits for the reply any more.
    pub(super) fn give_up(&mut self, id: &Id) {
        self.open.retain(|open| open.id != *id);
        self.given_up.push(id.clone());
    }

    /// What came instead of a reply since the request was sent, in words, and where it is in the trace.
    pub(super) fn instead(&self, pending: &Pending) -> (Option<String>, Vec<Seq>) {
        let since = pending.sent().seq;
        let odd = || self.oddities.iter().rev().filter(|odd| odd.seq > since).take(NAMED_ODDITIES);
        let mut texts: Vec<&str> = odd().map(|odd| odd.text.as_str()).collect();
        texts.reverse();
        ((!texts.is_empty()).then(|| texts.join("; ")), odd().map(|odd| odd.seq).collect())
    }
}
