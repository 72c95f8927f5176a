//! Waiting for a reply, and knowing at once when it cannot come.
//!
//! Everything that a carrier observes is looked at in order. A wait ends with the reply, with the first observation that
//! makes the reply impossible (a wrong id where only one request is open, a body that is no message, a closed stream), or
//! at the deadline, which covers sending as well; the finding says what was awaited and what came instead.

use std::time::Duration;

use super::reply::Reply;
use super::state::{GivenUp, Outcome};
use super::{Client, RequestOptions};
use crate::check::Finding;
use crate::clock::{self, Deadline};
use crate::json::Value;
use crate::spec::meta;
use crate::trace::{Party, Seq, What};
use crate::transport::{CarrierKind, Incoming, Sent};
use crate::wire::Id;

/// A request that was sent and whose reply is still to be waited for.
#[derive(Debug)]
#[must_use = "hand it to `Client::wait`"]
pub struct Pending {
    pub(super) id: Id,
    pub(super) method: String,
    /// As they were given, without what the era adds.
    pub(super) params: Value,
    pub(super) options: RequestOptions,
    pub(super) sent: Sent,
    pub(super) deadline: Deadline,
    pub(super) timeout: Duration,
    /// What the peer had sent of its own accord before.
    pub(super) volunteered: usize,
}

impl Pending {
    /// The id of the request.
    #[must_use]
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// Where it stands in the trace.
    #[must_use]
    pub fn sent(&self) -> Sent {
        self.sent
    }
}

/// What became of waiting for one observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// There was one, and it has been looked at.
    Observed,
    /// There will be none any more.
    Closed,
    /// There was none in time.
    TimedOut,
}

impl Client {
    pub(super) async fn until_reply(&mut self, pending: Pending) -> Result<Reply, Finding> {
        if !pending.sent.written {
            self.state.give_up(&pending.id, GivenUp::TimedOut);
            return Err(self.not_read(&pending));
        }
        loop {
            if let Some(settled) = self.state.settled(&pending.id) {
                return settled.map(|(seq, outcome)| self.make_reply(&pending, seq, outcome));
            }
            if self.state.closed().is_some() {
                self.state.give_up(&pending.id, GivenUp::TimedOut);
                return Err(self.closed_early(&pending));
            }
            match self.step(pending.deadline).await {
                Step::Observed => {}
                Step::Closed => {
                    self.state.give_up(&pending.id, GivenUp::TimedOut);
                    return Err(self.closed_early(&pending));
                }
                Step::TimedOut => {
                    self.state.give_up(&pending.id, GivenUp::TimedOut);
                    let finding = self.silence(&pending);
                    self.abandon(&pending).await;
                    return Err(finding);
                }
            }
        }
    }

    /// Looks at the next observation, if there is one until the deadline.
    pub(super) async fn step(&mut self, deadline: Deadline) -> Step {
        // A peer that never stops talking must not hold off the deadline.
        if deadline.has_passed() {
            return Step::TimedOut;
        }
        match clock::within(deadline, self.link.next()).await {
            Ok(Some(incoming)) => {
                self.observe(incoming, deadline).await;
                Step::Observed
            }
            Ok(None) => Step::Closed,
            Err(_) => Step::TimedOut,
        }
    }

    /// Waits until the exchange of a notification is over, so that nothing overtakes it; at once on a line carrier.
    pub(super) async fn until_accepted(&mut self, method: &str, sent: Sent) -> Result<(), Finding> {
        let Some(exchange) = sent.exchange else { return Ok(()) };
        let deadline = self.options.deadline();
        loop {
            if let Some((seq, status, how)) = self.state.ended_exchange(exchange) {
                if status.is_some_and(|status| (200..300).contains(&status)) {
                    return Ok(());
                }
                let got = format!("an exchange that {how}");
                return Err(self.not_accepted(method, "HTTP 202 Accepted", got, [sent.seq, seq]));
            }
            if !matches!(self.step(deadline).await, Step::Observed) {
                let within = clock::in_words(self.options.timeout);
                let awaited = format!("HTTP 202 Accepted within {within}");
                let fired = self.deadline_fired(sent, &awaited);
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
        // A revision without Streamable HTTP says nothing of how a notification is accepted.
        if self.facts.revision.has_streamable_http() {
            return finding.requires("transport.http.accepted-202");
        }
        finding
    }

    /// Looks at all that is there already, without waiting.
    pub async fn catch_up(&mut self) {
        let deadline = self.options.deadline();
        while let Some(incoming) = self.link.ready() {
            self.observe(incoming, deadline).await;
        }
    }

    async fn observe(&mut self, incoming: Incoming, deadline: Deadline) {
        if let Some(request) = self.state.take(incoming, self.facts.revision)
            && let Some(answer) = self.options.handlers.answer(&request)
        {
            self.link.send(answer, deadline).await;
        }
    }

    fn make_reply(&self, pending: &Pending, seq: Seq, outcome: Outcome) -> Reply {
        let recorder = self.link.recorder().clone();
        let token = pending.options.meta.get(meta::PROGRESS_TOKEN);
        let notices = self.state.said().about(pending.sent, seq, token);
        let evidence = (pending.sent.seq, seq);
        Reply::new(&pending.method, self.facts.revision, evidence, outcome, recorder)
            .with_notices(notices, token)
    }

    fn closed_early(&self, pending: &Pending) -> Finding {
        let how = match self.state.closed() {
            Some((_, how)) => how.clone(),
            None => "the connection was closed".to_owned(),
        };
        let (instead, seqs) = self.state.instead(pending);
        let got = match instead {
            Some(instead) => format!("{instead}; then {how}"),
            None => how,
        };
        let closed = self.state.closed().map(|(seq, _)| *seq);
        Finding::peer(format!("the connection ended before `{}` was answered", pending.method))
            .expected(format!("a response with id {}", pending.id))
            .got(got)
            .requires("jsonrpc.request-answered")
            .evidence(pending.sent.seq)
            .evidence_all(seqs)
            .evidence_all(closed)
    }

    fn silence(&self, pending: &Pending) -> Finding {
        let within = clock::in_words(pending.timeout);
        let awaited = format!("a response with id {} within {within}", pending.id);
        let fired = self.deadline_fired(pending.sent, &awaited);
        let (instead, seqs) = self.state.instead(pending);
        let unasked = self.state.said().count().saturating_sub(pending.volunteered);
        let unasked = match unasked {
            0 => None,
            1 => Some("1 message that is no reply".to_owned()),
            many => Some(format!("{many} messages that are no reply")),
        };
        let came: Vec<String> = unasked.into_iter().chain(instead.clone()).collect();
        let begun = self.begun(pending.sent);
        let came: Vec<String> = begun.into_iter().chain(came).collect();
        let got = if came.is_empty() {
            "nothing at all in that time".to_owned()
        } else {
            format!("no reply in that time, but {}", came.join("; "))
        };
        let requirement = match (&instead, self.link.kind().is_http()) {
            // What stands where messages belong is the fault that can be named.
            (Some(_), false) => "transport.stdio.stdout-only-messages",
            _ => "jsonrpc.request-answered",
        };
        let finding = Finding::peer(format!("`{}` was not answered", pending.method))
            .expected(awaited)
            .got(got)
            .requires(requirement)
            .evidence(pending.sent.seq)
            .evidence_all(seqs)
            .evidence(fired);
        match self.link.kind() {
            CarrierKind::Stdio if !self.state.heard() => finding
                .hint("is this a program that speaks MCP over its standard input and output?"),
            _ => finding,
        }
    }

    /// How much of a response came, on HTTP.
    fn begun(&self, sent: Sent) -> Option<String> {
        let exchange = sent.exchange?;
        let trace = self.link.recorder().trace();
        let connection = self.link.connection();
        let of_it = trace
            .since(sent.seq)
            .iter()
            .filter(|event| event.connection == connection && event.exchange == Some(exchange));
        let (mut head, mut comments) = (None, 0_usize);
        for event in of_it {
            match event.what {
                What::HttpResponse { status, .. } => head = Some(status),
                What::SseComment(_) => comments += 1,
                _ => {}
            }
        }
        let head: u16 = head?;
        if self.link.kind() == CarrierKind::Sse {
            return Some(format!("a POST that was accepted with HTTP {head}"));
        }
        let open = format!("an HTTP {head} response that has not ended");
        Some(match comments {
            0 => open,
            _ => format!("{open}, with comments in its event stream"),
        })
    }

    fn not_read(&self, pending: &Pending) -> Finding {
        let within = clock::in_words(pending.timeout);
        let awaited = format!("the server to read `{}` within {within}", pending.method);
        let fired = self.deadline_fired(pending.sent, &awaited);
        Finding::peer("the server does not read its input")
            .expected(awaited)
            .got("an input that is full")
            .requires("jsonrpc.request-answered")
            .evidence(pending.sent.seq)
            .evidence(fired)
    }

    fn deadline_fired(&self, sent: Sent, awaited: &str) -> Seq {
        let what = What::DeadlineFired { awaited: awaited.to_owned() };
        let link = &self.link;
        link.recorder().record_in(link.connection(), sent.exchange, Party::Harness, what)
    }
}
