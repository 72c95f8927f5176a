//! Waiting for a reply, and failing as soon as it can no longer arrive.
//!
//! Observations of the transport are processed in order. A wait ends with the reply, with the first observation that
//! makes the reply impossible (a wrong id while only one request is open, a body that is not a message, a closed
//! stream), or at the deadline, which covers sending as well. The finding names what was awaited and what arrived
//! instead.

use std::time::Duration;

use super::overtaken::Overtaken;
use super::reply::Reply;
use super::slow_tools::SLOW;
use super::state::{Abandoned, Outcome};
use super::{Client, ReceivedNotification, RequestOptions, server_panics};
use crate::check::{Cause, Fate, Finding};
use crate::clock::{self, Deadline, Stopwatch};
use crate::expect::words;
use crate::json::Value;
use crate::spec::{self, Era, Requirement};
use crate::trace::{EventKind, Party, Seq};
use crate::transport::{Incoming, Sent, TransportKind};
use crate::wire::Id;

pub(super) const PING: &str = "ping";

/// A request that was sent; its reply is awaited with [`Client::wait`].
#[derive(Debug)]
#[must_use = "pass it to `Client::wait`"]
pub struct Pending {
    pub(super) id: Id,
    pub(super) method: String,
    /// As the caller passed them, without what the era adds.
    pub(super) params: Value,
    pub(super) options: RequestOptions,
    pub(super) sent: Sent,
    pub(super) deadline: Deadline,
    pub(super) timeout: Duration,
    /// How many unsolicited messages the peer had sent before.
    pub(super) received_before: usize,
    /// How many panics were noted before.
    pub(super) panics_before: usize,
    /// The panic of an in-process server, after which a reply is unlikely.
    pub(super) panic: Option<String>,
    /// Whether a reply without an id has arrived that may belong to this request.
    pub(super) is_doubtful: bool,
    /// Whether its timeout is shortened, because an earlier scenario run waited for the same request in vain.
    pub(super) is_shortened: bool,
    /// The reply to a `ping` that was sent later, and how long to keep waiting for the reply to this request after that.
    pub(super) overtaken: Option<(Overtaken, Duration)>,
}

impl Pending {
    /// The id of the request.
    #[must_use]
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// Its event and its HTTP exchange.
    #[must_use]
    pub fn sent(&self) -> Sent {
        self.sent
    }

    /// Awaits the reply as [`RequestOptions::promptly`] does.
    #[doc(hidden)]
    pub fn promptly(mut self) -> Self {
        self.options = self.options.promptly();
        self
    }
}

/// The outcome of waiting for one observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// One was processed.
    Observed,
    /// There will be no more.
    Closed,
    /// None arrived in time.
    TimedOut,
}

impl Client {
    /// Waits for the reply to a started request.
    ///
    /// # Errors
    ///
    /// As for [`Client::request`].
    pub async fn wait(&mut self, pending: Pending) -> Result<Reply, Finding> {
        let reply = self.until_complete(pending).await?;
        self.tracked.push(reply.clone());
        Ok(reply)
    }

    pub(super) async fn until_reply(&mut self, pending: Pending) -> Result<Reply, Finding> {
        let sent = pending.sent;
        let reply = self.until_settled(pending).await;
        reply.map_err(|finding| self.with_peculiarity(finding, sent))
    }

    async fn until_settled(&mut self, mut pending: Pending) -> Result<Reply, Finding> {
        if !pending.sent.written {
            // A peer that did not read the request cannot answer it, so there is nothing to wait for.
            self.state.abandon(&pending.id, Abandoned::TimedOut);
            return Err(self.not_read(&pending));
        }
        self.state.note_awaited(&pending.id);
        let (waiting, latest) = (Stopwatch::start(), pending.deadline);
        let mut before_ping =
            pending.options.promptly.then(|| match self.has_overtaken(&pending) {
                true => Deadline::after(Duration::ZERO),
                false => Deadline::after(self.options.history.times.before_ping(&pending.method)),
            });
        // Longer than the threshold for slow tools, so the tool is recorded as slow.
        let long = pending.options.gives_up_if_working.then(|| Deadline::after(SLOW + SLOW / 10));
        let mut has_progress = false;
        loop {
            // First, so that a reply that arrived in time counts even if the peer exited after it.
            if let Some(settled) = self.state.settled(&pending.id) {
                if settled.is_ok() {
                    self.options.history.times.note_answered(&pending.method, waiting.elapsed());
                    if self.is_usual_ping(&pending) {
                        self.options.history.pings.note_answered();
                    }
                }
                return settled.map(|(seq, outcome)| self.make_reply(&pending, seq, outcome));
            }
            if self.notices_panic(&mut pending) || self.notices_doubt(&mut pending) {
                before_ping = Some(Deadline::after(Duration::ZERO));
            }
            let is_long = long.is_some_and(|long| long.has_passed());
            has_progress |= long.is_some() && self.has_just_reported_progress(&pending);
            if is_long && has_progress {
                return Err(self.give_up_working(&pending).await);
            }
            let deadline = pending.deadline.min(before_ping.unwrap_or(Deadline::never()));
            let until_long = long.filter(|_| !is_long).unwrap_or(Deadline::never());
            let step = self.step(deadline.min(until_long)).await;
            if step == Step::Observed || until_long.has_passed() && !deadline.has_passed() {
                continue;
            }
            let is_overtaken_once = pending.overtaken.is_some()
                && !self.has_overtaken_twice(&pending)
                && !latest.has_passed();
            if step == Step::TimedOut && (before_ping.take().is_some() || is_overtaken_once) {
                self.let_overtake(&mut pending, latest).await;
                continue;
            }
            if self.state.fail_with_doubtful(&pending.id) {
                continue;
            }
            let is_ignored = step == Step::TimedOut && pending.overtaken.is_some();
            if step == Step::TimedOut && self.is_usual_ping(&pending) {
                self.options.history.pings.note_unanswered(waiting.elapsed(), self.options.timeout);
            }
            if step == Step::TimedOut && pending.overtaken.is_none() {
                let unanswered = &self.options.history.unanswered;
                unanswered.note(&pending.method, &pending.params, pending.timeout);
            }
            if is_ignored {
                self.options.history.times.note_ignored(&pending.method);
            }
            let why = if is_ignored { Abandoned::Ignored } else { Abandoned::TimedOut };
            self.state.abandon(&pending.id, why);
            if step == Step::Closed {
                return Err(self.closed_before_reply(&pending));
            }
            // Recorded before the cancellation is sent, so that they are in order in the trace.
            let finding = self.no_reply(&pending);
            self.abandon(&pending).await;
            return Err(finding);
        }
    }

    /// Whether the latest notification reports progress on a request.
    ///
    /// Checking the latest one is enough, because this is called after each message.
    fn has_just_reported_progress(&self, pending: &Pending) -> bool {
        let token = pending.options.token();
        let latest = self.notifications().last().and_then(ReceivedNotification::as_progress);
        latest.is_some_and(|progress| Some(&progress.token) == token)
    }

    /// Gives up a request on which the server is working, and returns the finding that says so.
    async fn give_up_working(&mut self, pending: &Pending) -> Finding {
        self.state.abandon(&pending.id, Abandoned::Cancelled);
        self.abandon(pending).await;
        let method = &*pending.method;
        Finding::environment(format!(
            "`{method}` takes long, and the server reports progress on it"
        ))
        .caused_by(Cause::request(method, Fate::GivenUp))
        .evidence(pending.sent.seq)
    }

    /// Whether a request is a `ping` that the server has to answer.
    fn is_usual_ping(&self, pending: &Pending) -> bool {
        let is_known = self.facts.revision.era() == Era::Handshake;
        is_known && pending.method == PING && !pending.options.deliberate
    }

    /// Whether the in-process server has panicked since this request was sent, if no other request is open.
    ///
    /// Returns `true` only the first time.
    fn notices_panic(&mut self, pending: &mut Pending) -> bool {
        self.known_panics = server_panics::count();
        if pending.panic.is_some() || !self.state.is_only_open(&pending.id) {
            return false;
        }
        let is_here =
            matches!(self.connection.kind(), TransportKind::Duplex | TransportKind::Router);
        pending.panic = server_panics::first_after(pending.panics_before).filter(|_| is_here);
        pending.panic.is_some()
    }

    /// Whether a reply without an id has arrived that may answer either this request or a notification.
    ///
    /// The replies to later requests show which. Returns `true` only the first time, and only if the method runs no author code.
    fn notices_doubt(&mut self, pending: &mut Pending) -> bool {
        if pending.is_doubtful || !self.state.is_doubtful(&pending.id) {
            return false;
        }
        pending.is_doubtful = true;
        // `ping` is answered at once.
        !spec::method(&pending.method).is_some_and(|method| method.runs_author_code)
    }

    /// Processes the next observation, if one arrives before the deadline.
    #[doc(hidden)]
    pub async fn step(&mut self, deadline: Deadline) -> Step {
        // Nothing comes after the end of the connection.
        if self.state.closed().is_some() {
            return Step::Closed;
        }
        // A peer that sends without pause must not postpone the deadline.
        if deadline.has_passed() {
            return Step::TimedOut;
        }
        let next = async {
            tokio::select! {
                biased;
                incoming = self.connection.next() => Some(incoming),
                () = server_panics::until_more_than(self.known_panics) => None,
            }
        };
        match clock::within(deadline, next).await {
            Ok(Some(Some(incoming))) => {
                self.observe(incoming, deadline).await;
                Step::Observed
            }
            Ok(Some(None)) => Step::Closed,
            Ok(None) => {
                self.known_panics = server_panics::count();
                Step::Observed
            }
            Err(_) => Step::TimedOut,
        }
    }

    /// Waits until the exchange of a notification has ended, so that no later message overtakes it; returns at once on a
    /// line transport.
    pub(super) async fn until_accepted(&mut self, method: &str, sent: Sent) -> Result<(), Finding> {
        let Some(exchange) = sent.exchange else { return Ok(()) };
        let deadline = self.options.deadline();
        loop {
            if let Some((seq, status, how)) = self.state.ended_exchange(exchange) {
                // Any 2xx ends the wait; `check` reports one that is not 202.
                if status.is_some_and(|status| (200..300).contains(&status)) {
                    return Ok(());
                }
                let got = format!("an exchange that {how}");
                return Err(self.not_accepted(method, "HTTP 202 Accepted", got, [sent.seq, seq]));
            }
            if !matches!(self.step(deadline).await, Step::Observed) {
                let within = clock::format_duration(self.options.timeout);
                let awaited = format!("HTTP 202 Accepted within {within}");
                let fired = self.deadline_fired(sent.exchange, &awaited);
                let got = "no HTTP response in that time".to_owned();
                return Err(self.not_accepted(method, &awaited, got, [sent.seq, fired]));
            }
        }
    }

    fn not_accepted(
        &self,
        method: &str,
        expected: &str,
        got: String,
        evidence: [Seq; 2],
    ) -> Finding {
        let finding = Finding::peer(format!("`{method}` was not accepted"))
            .expected(expected)
            .got(got)
            .evidence_all(evidence);
        // Revisions without Streamable HTTP do not say how a notification is accepted.
        if self.facts.revision.has_streamable_http() {
            let accepted = Requirement::TRANSPORT_HTTP_ACCEPTED_202;
            return finding.requires(accepted).caused_by(Cause::for_requirement(accepted));
        }
        finding
    }

    /// Processes all observations that are already available, without waiting.
    pub async fn catch_up(&mut self) {
        let deadline = self.options.deadline();
        // A flood may arrive as fast as it is processed.
        while !deadline.has_passed()
            && let Some(incoming) = self.connection.ready()
        {
            self.observe(incoming, deadline).await;
        }
    }

    async fn observe(&mut self, incoming: Incoming, deadline: Deadline) {
        if let Some(request) = self.state.take(incoming, self.facts.revision)
            && let Some(answer) = self.options.handlers.answer(&request, self.facts.revision)
        {
            // A peer that does not read its answer fails the wait, which needs no second finding about it.
            self.send_without_reply(answer, deadline).await;
        }
    }

    fn make_reply(&self, pending: &Pending, seq: Seq, outcome: Outcome) -> Reply {
        let recorder = self.connection.recorder().clone();
        let token = pending.options.token();
        let notifications = self.state.received().belonging_to(pending.sent, seq, token);
        let evidence = (pending.sent.seq, seq);
        Reply::new(&pending.method, self.facts.revision, evidence, outcome, recorder)
            .with_notifications(notifications, token)
    }

    fn closed_before_reply(&self, pending: &Pending) -> Finding {
        let how = match self.state.closed() {
            Some((_, how)) => how.clone(),
            None => "the connection was closed".to_owned(),
        };
        let (unexpected, seqs) = self.state.unexpected_since(Some(pending.sent.seq));
        let got = match unexpected {
            Some(unexpected) => format!("{unexpected}; then {how}"),
            None => how,
        };
        let closed = self.state.closed().map(|(seq, _)| *seq);
        Finding::peer(format!(
            "the connection ended before {} was answered",
            words::method(&pending.method)
        ))
        .caused_by(Cause::request(&*pending.method, Fate::Dropped))
        .expected(format!("a response with id {}", pending.id))
        .got(got)
        .requires(Requirement::JSONRPC_REQUEST_ANSWERED)
        .evidence(pending.sent.seq)
        .evidence_all(seqs)
        .evidence_all(closed)
    }

    fn no_reply(&self, pending: &Pending) -> Finding {
        let response = format!("a response with id {}", pending.id);
        let (awaited, fired) = match &pending.overtaken {
            Some((_, grace)) => {
                let after = clock::format_duration(*grace);
                let awaited = match pending.panic {
                    Some(_) => response,
                    None => format!("{response}, at most {after} after that to a later request"),
                };
                let fence = EventKind::Fence(format!("no longer waiting for {awaited}"));
                (awaited, self.record(pending.sent.exchange, fence))
            }
            None => {
                let awaited =
                    format!("{response} within {}", clock::format_duration(pending.timeout));
                let fired = self.deadline_fired(pending.sent.exchange, &awaited);
                (awaited, fired)
            }
        };
        let (unexpected, seqs) = self.state.unexpected_since(Some(pending.sent.seq));
        let received = self.state.received();
        let unsolicited = received.received_among(pending.received_before..received.count(), None);
        let unsolicited = unsolicited.map(|received| received.text);
        let partial = self.partial_response(pending.sent);
        // If other messages arrived, an incomplete line is only the next message, cut off by the deadline.
        let overdue = unsolicited.is_none().then(|| self.connection.overdue_line()).flatten();
        let unexpected =
            unexpected.into_iter().chain(overdue).reduce(|all, one| format!("{all}; {one}"));
        let received: Vec<String> =
            partial.into_iter().chain(unsolicited).chain(unexpected.clone()).collect();
        let got = if received.is_empty() {
            "nothing at all in that time".to_owned()
        } else {
            format!("no reply in that time, but {}", received.join("; "))
        };
        // Text between the messages is a more precise diagnosis than the missing reply.
        let is_stray = unexpected.is_some() && !self.connection.kind().is_http();
        let (requirement, cause) = if is_stray {
            let stray = Requirement::TRANSPORT_STDIO_STDOUT_ONLY_MESSAGES;
            (stray, Cause::for_requirement(stray))
        } else {
            let method = &*pending.method;
            (Requirement::JSONRPC_REQUEST_ANSWERED, Cause::request(method, Fate::Unanswered))
        };
        let overtaken = pending.overtaken.iter().flat_map(|(it, _)| it.evidence.iter().copied());
        let (headline, got) = match &pending.panic {
            Some(panic) => (
                format!(
                    "the server panicked before it answered {}",
                    words::method(&pending.method)
                ),
                format!("a panic {panic}"),
            ),
            None => (format!("{} was not answered", words::method(&pending.method)), got),
        };
        let finding = Finding::peer(headline)
            .expected(awaited)
            .got(got)
            .requires(requirement)
            .caused_by(cause)
            .evidence(pending.sent.seq)
            .evidence_all(overtaken)
            .evidence_all(seqs)
            .evidence(fired);
        let in_shortened_time = pending.is_shortened && pending.panic.is_none();
        let in_cut_time = !is_stray && pending.deadline == self.options.until;
        let finding = Finding { in_shortened_time, in_cut_time, ..finding };
        if self.is_usual_ping(pending) && self.options.history.pings.is_unanswered() {
            let usual = clock::format_duration(self.options.timeout);
            return finding.hint(format!("others of this run were not answered within {usual}"));
        }
        match self.connection.kind() {
            // Only without any output: otherwise the finding shows what the program sent.
            TransportKind::Stdio
                if !self.state.received_anything() && !self.options.history.times.has_any() =>
            {
                finding
                    .hint("is this a program that speaks MCP over its standard input and output?")
            }
            _ => match self.declaration_hint(&pending.method) {
                Some(hint) => finding.hint(hint),
                None => finding,
            },
        }
    }

    /// The part of an HTTP response that arrived.
    fn partial_response(&self, sent: Sent) -> Option<String> {
        let exchange = sent.exchange?;
        let trace = self.connection.recorder().trace();
        let connection = self.connection.id();
        let events = trace
            .since(sent.seq)
            .iter()
            .filter(|event| event.connection == connection && event.exchange == Some(exchange));
        let (mut head, mut comments) = (None, 0_usize);
        for event in events {
            match event.kind {
                EventKind::HttpResponse { status, .. } => head = Some(status),
                EventKind::SseComment(_) => comments += 1,
                _ => {}
            }
        }
        let head: u16 = head?;
        // Over HTTP+SSE the reply comes on the other stream, so the response to the POST is complete without it.
        if self.connection.kind() == TransportKind::Sse {
            return Some(format!("a POST that was accepted with HTTP {head}"));
        }
        let open = format!("an HTTP {head} response that has not ended");
        Some(match comments {
            0 => open,
            _ => format!("{open}, with comments in its event stream"),
        })
    }

    fn not_read(&self, pending: &Pending) -> Finding {
        let within = clock::format_duration(pending.timeout);
        let awaited = format!("the server to read `{}` within {within}", pending.method);
        let fired = self.deadline_fired(pending.sent.exchange, &awaited);
        Finding::peer("the server does not read its input")
            .expected(awaited)
            .got("a full input buffer")
            .requires(Requirement::JSONRPC_REQUEST_ANSWERED)
            .evidence(pending.sent.seq)
            .evidence(fired)
    }

    /// Records in the trace what was awaited when its deadline passed.
    pub(super) fn deadline_fired(&self, exchange: Option<u64>, awaited: impl Into<String>) -> Seq {
        self.record(exchange, EventKind::DeadlineFired { awaited: awaited.into() })
    }

    fn record(&self, exchange: Option<u64>, what: EventKind) -> Seq {
        let connection = &self.connection;
        connection.recorder().record_in(connection.id(), exchange, Party::Harness, what)
    }
}
