//! What a client remembers between two observations, and what each observation means for the requests that are open.
//!
//! Nothing here waits or sends; [`super::wait`] does.

mod settle;

use std::collections::{BTreeSet, VecDeque};

use self::settle::Unplaced;
use super::Pending;
use super::heard::Heard;
use super::notice::Notice;
use crate::check::Finding;
use crate::json::Value;
use crate::spec::Revision;
use crate::trace::Seq;
use crate::transport::{Incoming, Sent};
use crate::wire::{Id, Message, Request, RpcError};

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
    /// It is not answered before its subscription ends.
    stays: bool,
    /// The peer cannot read its id, and has to answer without.
    nameless: bool,
    /// The reply, or why it cannot come.
    settled: Option<Result<(Seq, Outcome), Finding>>,
}

/// Why nobody waits for a reply any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GivenUp {
    TimedOut,
    Cancelled,
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
    /// Requests whose replies nobody waits for any more, and replies that came to them nevertheless.
    given_up: Vec<(Id, GivenUp)>,
    late: Vec<(Id, Seq)>,
    said: Heard,
    /// What one of several open requests lost its reply by, as long as it is not clear which.
    unplaced: Vec<Unplaced>,
    oddities: VecDeque<Oddity>,
    /// Exchanges on which the server may speak of its own accord.
    listening: BTreeSet<u64>,
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
        let method = method.to_owned();
        self.open.push(Open { id, method, sent, stays: false, nameless: false, settled: None });
    }

    /// A request stays open as long as its subscription does.
    pub(super) fn stays_open(&mut self, id: &Id) {
        if let Some(open) = self.open.iter_mut().find(|open| open.id == *id) {
            open.stays = true;
        }
    }

    /// What was sent has no id that could be read.
    #[cfg(feature = "cases")]
    pub(super) fn has_no_id(&mut self, id: &Id) {
        if let Some(open) = self.open.iter_mut().find(|open| open.id == *id) {
            open.nameless = true;
        }
    }

    /// An exchange was opened on which the server may speak of its own accord.
    pub(super) fn listen(&mut self, exchange: u64) {
        self.listening.insert(exchange);
    }

    /// What the server has said of its own accord.
    pub(super) fn said(&self) -> &Heard {
        &self.said
    }

    pub(super) fn said_mut(&mut self) -> &mut Heard {
        &mut self.said
    }

    /// Whether the peer has sent anything at all.
    pub(super) fn heard(&self) -> bool {
        self.heard
    }

    /// Another program is at the other end: nothing that was asked before is answered any more.
    pub(super) fn begin_anew(&mut self) {
        self.closed = None;
        for open in self.open.iter_mut().filter(|open| open.settled.is_none()) {
            let method = &open.method;
            open.settled = Some(Err(Finding::peer(format!(
                "the connection ended before `{method}` was answered"
            ))
            .expected(format!("a response with id {}", open.id))
            .got("a program that ended, and was started again")
            .requires("jsonrpc.request-answered")
            .evidence(open.sent.seq)));
        }
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
                        self.said.request(seq, &request);
                        if revision.has_server_requests() {
                            return Some(request);
                        }
                        self.uninvited(seq, origin, &request, revision);
                    }
                    Message::Notification(notification) => {
                        self.said.notice(Notice { seq, exchange: origin.exchange, notification });
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
            Incoming::Ended { seq, exchange, status, how, .. } => {
                self.heard |= status.is_some();
                self.exchange_ended(seq, exchange, status, &how);
            }
            Incoming::Closed { seq, how } => self.closed = Some((seq, how)),
        }
        None
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
        let settled = self.open.swap_remove(index).settled;
        self.place();
        settled
    }

    /// Nobody waits for the reply any more.
    pub(super) fn give_up(&mut self, id: &Id, why: GivenUp) {
        self.open.retain(|open| open.id != *id);
        self.given_up.push((id.clone(), why));
        self.place();
    }

    /// The reply that came after all to a request that was given up.
    pub(super) fn late_reply(&self, id: &Id) -> Option<Seq> {
        self.late.iter().find(|(late, _)| late == id).map(|(_, seq)| *seq)
    }

    /// Whether the request is open, and nothing is known of its reply yet.
    pub(super) fn is_open(&self, id: &Id) -> bool {
        self.open.iter().any(|open| open.id == *id && open.settled.is_none())
    }

    /// What came instead of a reply since the request was sent, in words, and where it is in the trace.
    pub(super) fn instead(&self, pending: &Pending) -> (Option<String>, Vec<Seq>) {
        self.odd_since(Some(pending.sent().seq))
    }

    /// The latest oddities after an event, in words, and where they are in the trace.
    pub(super) fn odd_since(&self, since: Option<Seq>) -> (Option<String>, Vec<Seq>) {
        let later = |odd: &&Oddity| Some(odd.seq) > since;
        let odd = || self.oddities.iter().rev().filter(later).take(NAMED_ODDITIES);
        let mut texts: Vec<&str> = odd().map(|odd| odd.text.as_str()).collect();
        texts.reverse();
        ((!texts.is_empty()).then(|| texts.join("; ")), odd().map(|odd| odd.seq).collect())
    }
}
