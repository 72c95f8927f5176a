//! Waiting for a reply, and knowing at once when it cannot come.
//!
//! Everything that a carrier observes is looked at in order. A wait ends with the reply, with the first observation that
//! makes the reply impossible (a wrong id where only one request is open, a body that is no message, a closed stream), or
//! at the deadline; the finding says what was awaited and what came instead.

use std::time::Duration;

use super::Client;
use super::reply::Reply;
use crate::check::Finding;
use crate::clock::{self, Deadline};
use crate::spec::Revision;
use crate::trace::{Party, Seq, What};
use crate::transport::{CarrierKind, Incoming, Sent};
use crate::wire::{Id, Malformed, Message, Notification, Request, RpcError};

/// Notifications that are kept for a scenario to look at; the trace holds all of them.
const KEPT_NOTIFICATIONS: usize = 10_000;

/// Oddities that are named when a wait fails; the trace holds all of them.
const KEPT_ODDITIES: usize = 5;

/// A request that was sent and whose reply is still to be waited for.
#[derive(Debug)]
#[must_use = "hand it to `Client::wait`"]
pub struct Pending {
    id: Id,
    method: String,
    sent: Sent,
}

impl Pending {
    pub(super) fn new(id: Id, method: &str, sent: Sent) -> Self {
        Self { id, method: method.to_owned(), sent }
    }

    /// The id of the request.
    #[must_use]
    pub fn id(&self) -> &Id {
        &self.id
    }
}

/// A request without its reply.
#[derive(Debug)]
struct Open {
    id: Id,
    method: String,
    sent: Sent,
    reply: Option<(Seq, Result<crate::json::Value, RpcError>)>,
    /// Why the reply cannot come.
    lost: Option<Finding>,
}

/// Something that was not expected and does not end the wait by itself.
#[derive(Debug)]
struct Oddity {
    seq: Seq,
    text: String,
}

/// What a client remembers between two observations.
#[derive(Debug, Default)]
pub(super) struct State {
    open: Vec<Open>,
    answered: Vec<Id>,
    notifications: Vec<Notification>,
    oddities: Vec<Oddity>,
    closed: Option<(Seq, String)>,
    heard: bool,
}

impl State {
    pub(super) fn begin(&mut self, id: Id, method: &str, sent: Sent) {
        self.open.push(Open { id, method: method.to_owned(), sent, reply: None, lost: None });
    }

    pub(super) fn notifications(&self) -> &[Notification] {
        &self.notifications
    }

    /// Looks at one observation; a request of the server is handed back to be answered.
    fn take(&mut self, incoming: Incoming, revision: Revision) -> Option<Request> {
        match incoming {
            Incoming::Message { seq, exchange, message } => {
                self.heard = true;
                match message {
                    Message::Request(request) => return Some(request),
                    Message::Notification(notification) => {
                        if self.notifications.len() < KEPT_NOTIFICATIONS {
                            self.notifications.push(notification);
                        }
                    }
                    Message::Response(response) => {
                        self.reply(seq, exchange, Some(response.id), Ok(response.result));
                    }
                    Message::Error(error) => self.reply(seq, exchange, error.id, Err(error.error)),
                }
            }
            Incoming::Garbled { seq, exchange, head, why, malformed, broken_message } => {
                self.heard = true;
                let shown = format!("{head} ({why})");
                self.garbled(seq, exchange, &shown, malformed.as_ref(), broken_message, revision);
            }
            Incoming::Ended { seq, exchange, status, how } => {
                self.heard |= status.is_some();
                self.ended(seq, exchange, status, &how);
            }
            Incoming::Closed { seq, how } => self.closed = Some((seq, how)),
        }
        None
    }

    fn reply(
        &mut self,
        seq: Seq,
        exchange: Option<u64>,
        id: Option<Id>,
        outcome: Result<crate::json::Value, RpcError>,
    ) {
        let known = id.as_ref().and_then(|id| {
            self.open.iter().position(|open| open.id == *id && open.reply.is_none())
        });
        if let Some(open) = known {
            self.open[open].reply = Some((seq, outcome));
            return;
        }
        // An error reply may lack the id; the exchange then says which request it refuses.
        let anonymous = matches!(id, None | Some(Id::Null)) && outcome.is_err();
        let waiting = self.waiting(exchange);
        let Some(open) = waiting.and_then(|index| self.open.get_mut(index)) else {
            let id = id.map_or_else(|| "no id".to_owned(), |id| format!("id {id}"));
            self.odd(seq, format!("a response with {id}, which no open request has"));
            return;
        };
        if anonymous && exchange.is_some() {
            open.reply = Some((seq, outcome));
            return;
        }
        let (got, requirement) = wrong_id(id.as_ref(), &open.id, &self.answered, outcome.is_err());
        open.lost = Some(
            Finding::peer(format!("the reply to `{}` has the wrong id", open.method))
                .expected(format!("a response with id {}", shown(&open.id)))
                .got(got)
                .requires(requirement)
                .evidence(open.sent.seq)
                .evidence(seq),
        );
    }

    fn garbled(
        &mut self,
        seq: Seq,
        exchange: Option<u64>,
        shown_bytes: &str,
        malformed: Option<&Malformed>,
        broken_message: bool,
        revision: Revision,
    ) {
        let named = malformed.and_then(|malformed| malformed.id.as_ref());
        let meant = match named {
            Some(id) => self.open.iter().position(|open| open.id == *id),
            None => self.waiting(exchange),
        };
        let Some(open) =
            meant.and_then(|index| self.open.get_mut(index)).filter(|_| broken_message)
        else {
            self.odd(seq, shown_bytes.to_owned());
            return;
        };
        let requirement = match (exchange, malformed) {
            (_, Some(_)) => "jsonrpc.response-result-or-error",
            (Some(_), None) => "transport.http.request-content-type",
            (None, None) => "transport.stdio.stdout-only-messages",
        };
        let finding = Finding::peer(format!(
            "what came instead of the reply to `{}` is no MCP message",
            open.method
        ))
        .expected(format!("a JSON-RPC response with id {} of MCP {revision}", shown(&open.id)))
        .got(shown_bytes)
        .requires(requirement)
        .evidence(open.sent.seq)
        .evidence(seq);
        open.lost = Some(finding);
    }

    fn ended(&mut self, seq: Seq, exchange: u64, status: Option<u16>, how: &str) {
        let meant = self.open.iter_mut().find(|open| {
            open.sent.exchange == Some(exchange) && open.reply.is_none() && open.lost.is_none()
        });
        let Some(open) = meant else {
            if status.is_none_or(|status| status >= 400) {
                self.odd(seq, format!("an HTTP exchange that {how}"));
            }
            return;
        };
        let headline = format!("`{}` got no reply", open.method);
        let finding = match status {
            None if !self.heard => {
                Finding::environment(headline).hint("is the server running, and is this its URL?")
            }
            _ => Finding::peer(headline).requires("jsonrpc.request-answered"),
        };
        let finding = finding
            .expected(format!(
                "an HTTP response with a JSON-RPC response with id {}",
                shown(&open.id)
            ))
            .got(format!("an exchange that {how}"))
            .evidence(open.sent.seq)
            .evidence(seq);
        let finding = self.oddities.iter().fold(finding, |all, odd| all.evidence(odd.seq));
        open.lost = Some(finding);
    }

    /// The only request that an observation without a usable id can be about.
    fn waiting(&self, exchange: Option<u64>) -> Option<usize> {
        let mut candidates = self.open.iter().enumerate().filter(|(_, open)| {
            open.reply.is_none()
                && open.lost.is_none()
                && (exchange.is_none() || open.sent.exchange == exchange)
        });
        match (candidates.next(), candidates.next()) {
            (Some((index, _)), None) => Some(index),
            _ => None,
        }
    }

    fn odd(&mut self, seq: Seq, text: String) {
        if self.oddities.len() < KEPT_ODDITIES {
            self.oddities.push(Oddity { seq, text });
        }
    }

    /// The request is settled: hands out its entry if there is a reply or a reason why there is none.
    fn settled(&mut self, id: &Id) -> Option<Open> {
        let index = self.open.iter().position(|open| open.id == *id)?;
        let open = &self.open[index];
        if open.reply.is_none() && open.lost.is_none() {
            return None;
        }
        self.answered.push(id.clone());
        Some(self.open.swap_remove(index))
    }

    fn forget(&mut self, id: &Id) {
        self.open.retain(|open| open.id != *id);
        self.answered.push(id.clone());
    }

    /// What came instead, in words, and where it is in the trace.
    fn instead(&self) -> (Option<String>, Vec<Seq>) {
        let texts: Vec<_> = self.oddities.iter().map(|odd| odd.text.as_str()).collect();
        let seqs = self.oddities.iter().map(|odd| odd.seq).collect();
        ((!texts.is_empty()).then(|| texts.join("; ")), seqs)
    }
}

impl Client {
    pub(super) async fn until_reply(&mut self, pending: Pending) -> Result<Reply, Finding> {
        let deadline = Deadline::after(self.options.timeout);
        loop {
            if let Some(open) = self.wait.settled(&pending.id) {
                let Some((seq, outcome)) = open.reply else {
                    return Err(open.lost.unwrap_or_else(|| self.closed_finding(&pending)));
                };
                return Ok(self.make_reply(&pending, seq, outcome));
            }
            if self.wait.closed.is_some() {
                let finding = self.closed_finding(&pending);
                self.wait.forget(&pending.id);
                return Err(finding);
            }
            match clock::within(deadline, self.link.next()).await {
                Ok(Some(incoming)) => self.observe(incoming).await,
                Ok(None) => {
                    self.wait.forget(&pending.id);
                    return Err(self.closed_finding(&pending));
                }
                Err(_) => {
                    self.wait.forget(&pending.id);
                    return Err(self.silence(&pending));
                }
            }
        }
    }

    /// Looks at all that is there already, without waiting.
    pub async fn catch_up(&mut self) {
        while let Some(incoming) = self.link.ready() {
            self.observe(incoming).await;
        }
    }

    async fn observe(&mut self, incoming: Incoming) {
        if let Some(request) = self.wait.take(incoming, self.facts.revision) {
            let answer = self.options.handlers.answer(&request);
            self.link.send(answer).await;
        }
    }

    fn make_reply(
        &self,
        pending: &Pending,
        seq: Seq,
        outcome: Result<crate::json::Value, RpcError>,
    ) -> Reply {
        let recorder = self.link.recorder().clone();
        Reply::new(&pending.method, self.facts.revision, (pending.sent.seq, seq), outcome, recorder)
    }

    fn closed_finding(&self, pending: &Pending) -> Finding {
        let how = match &self.wait.closed {
            Some((_, how)) => how.clone(),
            None => "the connection was closed".to_owned(),
        };
        let (instead, seqs) = self.wait.instead();
        let got = match instead {
            Some(instead) => format!("{instead}; then {how}"),
            None => how,
        };
        let closed = self.wait.closed.as_ref().map(|(seq, _)| *seq);
        Finding::peer(format!("the connection ended before `{}` was answered", pending.method))
            .expected(format!("a response with id {}", shown(&pending.id)))
            .got(got)
            .requires("jsonrpc.request-answered")
            .evidence(pending.sent.seq)
            .evidence_all(seqs)
            .evidence_all(closed)
    }

    fn silence(&self, pending: &Pending) -> Finding {
        let within = in_words(self.options.timeout);
        let awaited = format!("a response with id {} within {within}", shown(&pending.id));
        let what = What::DeadlineFired { awaited: awaited.clone() };
        let link = &self.link;
        let recorder = link.recorder();
        let fired =
            recorder.record_in(link.connection(), pending.sent.exchange, Party::Harness, what);
        let (instead, seqs) = self.wait.instead();
        let finding = Finding::peer(format!("`{}` was not answered", pending.method))
            .expected(awaited)
            .got(instead.map_or_else(
                || "nothing at all in that time".to_owned(),
                |instead| format!("no reply in that time, but {instead}"),
            ))
            .requires("jsonrpc.request-answered")
            .evidence(pending.sent.seq)
            .evidence_all(seqs)
            .evidence(fired);
        match link.kind() {
            CarrierKind::Stdio if !self.wait.heard => finding
                .hint("is this a program that speaks MCP over its standard input and output?"),
            _ => finding,
        }
    }
}

/// What is wrong with an id, and the requirement that says so.
fn wrong_id(
    got: Option<&Id>,
    expected: &Id,
    answered: &[Id],
    is_error: bool,
) -> (String, &'static str) {
    let echo = if is_error { "jsonrpc.error-id-echo" } else { "jsonrpc.result-id-echo" };
    match got {
        None => ("a response without an id".to_owned(), echo),
        Some(Id::Null) => ("a response with id null".to_owned(), echo),
        Some(id) if retyped(id, expected) => {
            (format!("id {}, of another JSON type", shown(id)), "jsonrpc.id-type-preserved")
        }
        Some(id) if answered.contains(id) => {
            (format!("id {}, which was answered already", shown(id)), "jsonrpc.single-response")
        }
        Some(id) => (format!("id {}, which no request has", shown(id)), echo),
    }
}

fn retyped(got: &Id, expected: &Id) -> bool {
    match (got, expected) {
        (Id::String(text), Id::Number(number)) | (Id::Number(number), Id::String(text)) => {
            *text == number.to_string()
        }
        _ => false,
    }
}

/// An id as it stands in JSON.
fn shown(id: &Id) -> String {
    match id {
        Id::String(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}

/// A duration as a person would say it.
fn in_words(duration: Duration) -> String {
    if duration.subsec_millis() == 0 {
        format!("{} s", duration.as_secs())
    } else {
        format!("{} ms", duration.as_millis())
    }
}
