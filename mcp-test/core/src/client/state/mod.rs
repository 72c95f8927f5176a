//! The state of a client between two observations, and what each observation means for the open requests.
//!
//! Nothing here waits or sends; `client::wait` does.

mod bad_reply;
mod correlate;
mod open_request;
mod unmatched;

use std::collections::{BTreeSet, VecDeque};

pub(super) use self::open_request::{Abandoned, OpenRequest, Outcome};
use self::open_request::{Unexpected, UnmatchedReply};
use super::notification::ReceivedNotification;
use super::server_messages::ServerMessages;
use crate::check::Finding;
use crate::spec::{Requirement, Revision};
use crate::trace::{LatestNonRequest, Seq};
use crate::transport::{Incoming, Sent};
use crate::wire::{Id, Message, Request};

/// How many unexpected observations are kept for the report of a failed wait; the trace contains all of them.
const KEPT_UNEXPECTED: usize = 20;

/// How many unexpected observations the report of a failed wait names.
const REPORTED_UNEXPECTED: usize = 5;

/// The state of a client between two observations.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Ids are matched as the official client matches them: a retyped id is the same, and on HTTP another id does not end
    /// a wait.
    lenient: bool,
    /// The peer is reached over a network, so it may not be running at all.
    networked: bool,
    open: Vec<OpenRequest>,
    /// The requests whose replies have come, with their methods.
    answered: Vec<(Id, String)>,
    /// Requests that are part of no conversation on this connection; nor is what answers them again.
    own: Vec<Id>,
    /// Requests in place of whose replies something else came; what follows under their ids answers no other request.
    misanswered: Vec<(Id, String)>,
    /// Requests whose replies nobody waits for any more, and the first reply to each that arrived nevertheless.
    abandoned: Vec<(Id, Abandoned)>,
    late: Vec<(Id, Seq)>,
    received: ServerMessages,
    non_request: LatestNonRequest<Seq>,
    /// The server has answered a message that is not a request: no request was open, or the reply to it came later.
    answers_non_requests: bool,
    /// Bad replies that could not be matched to a request yet.
    unmatched: Vec<UnmatchedReply>,
    unexpected: VecDeque<Unexpected>,
    /// How many there were in all.
    unexpected_count: u64,
    /// How many requests the peer has sent.
    request_count: u64,
    /// Exchanges on which the server may send unsolicited messages.
    listening: BTreeSet<u64>,
    /// Open exchanges that carry requests, and the other exchanges that have ended, with their status.
    exchanges: BTreeSet<u64>,
    ended: Vec<(u64, Seq, Option<u16>, String)>,
    closed: Option<(Seq, String)>,
    /// The peer sent anything at all.
    received_anything: bool,
    /// The peer sent a valid message.
    received_message: bool,
}

impl State {
    pub(super) fn new(lenient: bool, networked: bool) -> Self {
        Self { lenient, networked, ..Self::default() }
    }

    /// The state for another conversation on the same connection, which may have begun with a handshake.
    pub(super) fn renewed(self, is_begun: bool) -> Self {
        let renewed = Self::new(self.lenient, self.networked);
        let renewed = Self { own: self.own, ..renewed };
        if !is_begun {
            return renewed;
        }
        // The request of the handshake was the first one.
        let answered = self.answered.into_iter().take(1).collect();
        Self {
            answered,
            received_anything: true,
            received_message: true,
            non_request: self.non_request,
            // A stream that was opened stays open.
            listening: self.listening,
            ended: self.ended,
            answers_non_requests: self.answers_non_requests,
            ..renewed
        }
    }

    /// Notes that a request is part of no conversation on this connection.
    pub(super) fn note_own(&mut self, id: &Id) {
        self.own.push(id.clone());
    }

    /// Whether this is a reply to a request that is part of no conversation.
    pub(super) fn answers_own(&self, incoming: &Incoming) -> bool {
        let Incoming::Message { message, .. } = incoming else { return false };
        message.is_reply() && message.id().is_some_and(|id| self.own.contains(id))
    }

    /// Whether nothing is open, and everything that the peer sent was expected.
    pub(super) fn is_settled(&self) -> bool {
        // What the peer ignores it will hardly answer later.
        let is_ignored = |(_, why): &(Id, Abandoned)| *why == Abandoned::Ignored;
        let nothing_is_open = self.open.is_empty() && self.abandoned.iter().all(is_ignored);
        // It is known what an answer to a notification is, which the judge of the trace reports.
        let is_odd = |it: &UnmatchedReply| !it.may_answer_non_request;
        let nothing_is_odd = !self.unmatched.iter().any(is_odd) && self.unexpected.is_empty();
        nothing_is_open && nothing_is_odd && self.closed.is_none()
    }

    pub(super) fn begin(&mut self, id: Id, method: &str, sent: Sent) {
        self.exchanges.extend(sent.exchange);
        let method = method.to_owned();
        self.open.push(OpenRequest {
            id,
            method,
            sent,
            unexpected_before: self.unexpected_count,
            requests_before: self.request_count,
            is_long_lived: false,
            is_awaited: false,
            id_unreadable: false,
            settled: None,
        });
    }

    /// Notes that a message was sent that is not a request.
    pub(super) fn note_non_request(&mut self, sent: Seq) {
        self.non_request.send(sent);
    }

    /// Marks a request that stays open as long as its subscription does.
    pub(super) fn keep_open(&mut self, id: &Id) {
        if let Some(open) = self.open.iter_mut().find(|open| open.id == *id) {
            open.is_long_lived = true;
        }
    }

    /// Whether a request is open that carries a subscription.
    pub(super) fn has_subscription(&self) -> bool {
        !self.open_subscriptions().is_empty()
    }

    /// The open requests that carry subscriptions.
    pub(super) fn open_subscriptions(&self) -> Vec<(Id, Sent)> {
        let subscriptions =
            self.open.iter().filter(|open| open.is_long_lived && open.settled.is_none());
        subscriptions.map(|open| (open.id.clone(), open.sent)).collect()
    }

    /// Marks a request whose id the peer cannot read.
    #[allow(dead_code, reason = "only manual control of a conversation uses it")]
    pub(super) fn mark_id_unreadable(&mut self, id: &Id) {
        if let Some(open) = self.open.iter_mut().find(|open| open.id == *id) {
            open.id_unreadable = true;
        }
    }

    /// Registers an exchange on which the server may send unsolicited messages.
    pub(super) fn listen(&mut self, exchange: u64) {
        self.listening.insert(exchange);
    }

    /// Whether a stream for unsolicited messages was opened.
    pub(super) fn is_listening(&self) -> bool {
        !self.listening.is_empty()
    }

    /// Whether no exchange is open on which the server could send something, over a transport where it needs one.
    pub(super) fn has_no_open_exchange(&self) -> bool {
        let has_ended = |exchange: &u64| self.ended_exchange(*exchange).is_some();
        self.exchanges.is_empty() && self.listening.iter().all(has_ended)
    }

    /// The requests and notifications that the server sent.
    pub(super) fn received(&self) -> &ServerMessages {
        &self.received
    }

    pub(super) fn received_mut(&mut self) -> &mut ServerMessages {
        &mut self.received
    }

    /// Whether the peer has sent anything at all.
    pub(super) fn received_anything(&self) -> bool {
        self.received_anything
    }

    /// Fails all open requests, because the program that was to answer them was replaced.
    pub(super) fn restart(&mut self) {
        // The pipes of the new program are open.
        self.closed = None;
        for open in self.open.iter_mut().filter(|open| open.settled.is_none()) {
            let method = &open.method;
            open.settled = Some(Err(Finding::peer(format!(
                "the connection ended before `{method}` was answered"
            ))
            .expected(format!("a response with id {}", open.id))
            .got("a program that exited and was restarted")
            .requires(Requirement::JSONRPC_REQUEST_ANSWERED)
            .evidence(open.sent.seq)));
        }
    }

    /// When and how the connection ended, if it has.
    pub(super) fn closed(&self) -> Option<&(Seq, String)> {
        self.closed.as_ref()
    }

    /// The end of an exchange that carries no request.
    pub(super) fn ended_exchange(&self, exchange: u64) -> Option<(Seq, Option<u16>, &str)> {
        let ended = self.ended.iter().find(|(number, ..)| *number == exchange);
        ended.map(|(_, seq, status, how)| (*seq, *status, how.as_str()))
    }

    /// Processes one observation; returns a request of the peer that is to be answered.
    pub(super) fn take(&mut self, incoming: Incoming, revision: Revision) -> Option<Request> {
        match incoming {
            Incoming::Message { seq, origin, message } => {
                (self.received_anything, self.received_message) = (true, true);
                match message {
                    Message::Request(request) => {
                        // Recorded at every revision: tests look at unexpected requests too.
                        self.received.add_request(seq, &request);
                        self.request_count += 1;
                        if self.is_echo(seq, &request, revision) {
                            return None;
                        }
                        if let Some(index) = self.only_candidate(origin.exchange) {
                            self.fail_in_a_flood_of_requests(index, seq, &request);
                        }
                        if revision.has_server_requests() {
                            return Some(request);
                        }
                        self.unexpected_request(seq, origin, &request, revision);
                    }
                    Message::Notification(notification) => {
                        self.received.add_notification(ReceivedNotification {
                            seq,
                            exchange: origin.exchange,
                            notification,
                        });
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
            Incoming::Invalid { seq, origin, head, why, malformed, kind } => {
                self.received_anything = true;
                let shown = format!("{head} ({why})");
                self.not_a_message(seq, origin, &shown, malformed.as_ref(), kind, revision);
            }
            Incoming::Ended { seq, exchange, status, advice, how } => {
                // A connection that was refused ends its exchange as well, but nothing was received then.
                self.received_anything |= status.is_some();
                self.exchange_ended(seq, (exchange, status), &advice, &how);
            }
            // Open requests are not settled here: `until_reply` reports the end for each that is awaited.
            Incoming::Closed { seq, how } => self.closed = Some((seq, how)),
        }
        None
    }

    fn note_unexpected(&mut self, seq: Seq, text: String) {
        // The latest are kept, since they are what a failed wait reports.
        if self.unexpected.len() == KEPT_UNEXPECTED {
            self.unexpected.pop_front();
        }
        self.unexpected.push_back(Unexpected { seq, text });
        self.unexpected_count += 1;
    }

    /// Takes the reply to a request, or the reason why it cannot arrive, if that is settled.
    pub(super) fn settled(&mut self, id: &Id) -> Option<Result<(Seq, Outcome), Finding>> {
        let index = self.open.iter().position(|open| open.id == *id)?;
        self.open[index].settled.as_ref()?;
        let open = self.open.swap_remove(index);
        // So that a second reply under the same id can be reported, and a first one that comes too late is not blamed on another.
        match open.settled {
            Some(Ok(_)) => self.answered.push((open.id, open.method)),
            _ if self.misanswered.iter().any(|(id, _)| *id == open.id) => {}
            _ => self.misanswered.push((open.id, open.method)),
        }
        open.settled
    }

    /// The requests that nobody has awaited, other than those that stay open.
    pub(super) fn unawaited(&self) -> impl Iterator<Item = &OpenRequest> {
        self.open.iter().filter(|open| open.is_overlooked())
    }

    /// Notes that a wait for a reply has begun.
    pub(super) fn note_awaited(&mut self, id: &Id) {
        self.open.iter_mut().filter(|open| open.id == *id).for_each(|open| open.is_awaited = true);
    }

    /// Notes that the connection is closed on purpose, after which no more replies come.
    pub(super) fn note_closing(&mut self) {
        let unsettled = self.open.iter_mut().filter(|open| open.settled.is_none());
        unsettled.for_each(|open| open.is_awaited = true);
    }

    /// Stops waiting for the reply to a request.
    pub(super) fn abandon(&mut self, id: &Id, why: Abandoned) {
        self.open.retain(|open| open.id != *id);
        // Never removed: a reply may come at any time, and must not be taken for one to a later request.
        self.abandoned.push((id.clone(), why));
        self.match_remaining();
    }

    /// The reply that arrived after its request was abandoned.
    pub(super) fn late_reply(&self, id: &Id) -> Option<Seq> {
        self.late.iter().find(|(late, _)| late == id).map(|(_, seq)| *seq)
    }

    /// Whether the reply to a request has come, or the connection has ended.
    pub(super) fn is_settled_or_gone(&self, id: &Id) -> bool {
        self.closed.is_some() || !self.is_open(id)
    }

    /// Whether the request is open and its reply is not settled yet.
    pub(super) fn is_open(&self, id: &Id) -> bool {
        self.open.iter().any(|open| open.id == *id && open.settled.is_none())
    }

    /// Whether this request is the only one whose reply is awaited.
    pub(super) fn is_only_open(&self, id: &Id) -> bool {
        let mut open =
            self.open.iter().filter(|open| open.settled.is_none() && !open.is_long_lived);
        open.all(|open| open.id == *id)
    }

    /// The latest unexpected observations after an event, in words, and their events.
    pub(super) fn unexpected_since(&self, since: Option<Seq>) -> (Option<String>, Vec<Seq>) {
        let later = |unexpected: &&Unexpected| Some(unexpected.seq) > since;
        let latest = || self.unexpected.iter().rev().filter(later).take(REPORTED_UNEXPECTED);
        let mut texts: Vec<&str> = latest().map(|unexpected| unexpected.text.as_str()).collect();
        // In order of arrival; they were collected from the latest back.
        texts.reverse();
        (
            (!texts.is_empty()).then(|| texts.join("; ")),
            latest().map(|unexpected| unexpected.seq).collect(),
        )
    }
}
