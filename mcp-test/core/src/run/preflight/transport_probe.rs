//! Asking a target over one transport which revisions it speaks.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::pin::pin;
use std::time::Duration;

use super::{LINES, PreflightFailure, add_stderr, answer_timeout, by_scenario, wanted};
use crate::check::{Blame, Cause, Fate, Finding};
use crate::client::{Client, ProbeResult, ReplyHistory, greet, leave};
use crate::clock::{Deadline, Stopwatch, within};
use crate::run::Plan;
use crate::run::connection_pool::{ConnectionPool, SharedConnection};
use crate::run::silence::{
    LivenessQuestion, ends_in_silence, is_from_server, left, stopped_answering,
};
use crate::run::start_budget::Key;
use crate::spec::{Era, Revision};
use crate::trace::{Beginning, EventKind, Recorder, Trace};
use crate::transport::{Target, TransportKind};

/// Asks the target over one transport which revisions it speaks.
pub(super) struct TransportProbe<'a> {
    plan: &'a Plan,
    target: &'a Target,
    pool: &'a ConnectionPool,
    transport: TransportKind,
    /// Those of the connections so far.
    recorders: Vec<Recorder>,
    pub(super) asked: BTreeSet<Revision>,
    result: ProbeResult,
    /// How long the first answer took.
    first: Option<Duration>,
    /// The request after which the target answered nothing any more.
    silence: Option<(Revision, Finding)>,
}

/// A question for a revision, and what became of it.
struct Question {
    revision: Revision,
    timeout: Duration,
    /// How long it took, with the start of the program.
    took: Duration,
    /// The answer, unless no connection could be opened.
    answer: Result<Answer, Finding>,
}

/// The conversation of one question.
struct Answer {
    recorder: Recorder,
    opened: Beginning,
    client: Client,
    greeted: Result<(), Finding>,
}

impl<'a> TransportProbe<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        (target, pool): (&'a Target, &'a ConnectionPool),
        transport: TransportKind,
    ) -> Self {
        Self {
            plan,
            target,
            pool,
            transport,
            recorders: Vec::new(),
            asked: BTreeSet::new(),
            result: ProbeResult { facts: Vec::new(), refusals: Vec::new() },
            first: None,
            silence: None,
        }
    }

    /// Asks for the revisions of the plan; if the target speaks none of them, for those that show whether it speaks MCP.
    pub(super) async fn run(&mut self) {
        let wanted = wanted(self.plan);
        match wanted[..] {
            [only] if only.era() == Era::Stateless => self.ask_stateless(only).await,
            _ => self.ask_each(wanted).await,
        }
        if self.result.facts.is_empty() && self.silence.is_none() {
            self.ask_each(vec![Revision::NEWEST_HANDSHAKE, Revision::NEWEST]).await;
        }
        // Newer ones were asked for first.
        self.result.facts.sort_by_key(|facts| facts.revision);
    }

    /// Asks for a stateless revision alone. An older server may not answer such a question, so a handshake follows when the
    /// answer is late; in the rest of the time, since a silent target should cost only one wait.
    async fn ask_stateless(&mut self, revision: Revision) {
        let (timeout, stopwatch) = (self.timeout(), Stopwatch::start());
        let (question, fallback) = {
            let mut question = pin!(self.put(revision, timeout));
            match within(Deadline::after(timeout / 3), &mut question).await {
                Ok(question) => (question, None),
                Err(_) => {
                    let handshake = self.put(Revision::NEWEST_HANDSHAKE, left(timeout, stopwatch));
                    let (question, handshake) = tokio::join!(question, handshake);
                    (question, Some(handshake))
                }
            }
        };
        self.asked.insert(revision);
        self.note(question).await;
        if let Some(handshake) = fallback {
            self.asked.insert(Revision::NEWEST_HANDSHAKE);
            self.note(handshake).await;
        }
    }

    async fn ask_each(&mut self, mut revisions: Vec<Revision>) {
        // First the newest handshake revision, which most servers speak, since a silent target should cost only one wait.
        revisions.sort_by_key(|revision| (revision.era() == Era::Stateless, Reverse(*revision)));
        let count = revisions.len();
        for (index, revision) in revisions.into_iter().enumerate() {
            if self.is_hopeless() || self.has_enough() {
                return;
            }
            if self.asked.insert(revision) {
                // Once it has answered, the program for the next question starts while this one is asked.
                if self.first.is_some() && self.transport == TransportKind::Stdio {
                    self.pool.start_ahead(count - index).await;
                }
                self.ask(revision).await;
            }
        }
    }

    async fn ask(&mut self, revision: Revision) {
        let question = self.put(revision, self.timeout()).await;
        self.note(question).await;
    }

    /// Asks for one revision on a new connection.
    async fn put(&self, revision: Revision, timeout: Duration) -> Question {
        let stopwatch = Stopwatch::start();
        let answer = match self.pool.open(self.transport).await {
            Ok(connection) => {
                let opened = connection.recorder().beginning();
                let recorder = connection.recorder().clone();
                let (client, greeted) = greet(connection, revision, timeout).await;
                Ok(Answer { recorder, opened, client, greeted })
            }
            Err(finding) => Err(finding),
        };
        Question { revision, timeout, took: stopwatch.elapsed(), answer }
    }

    /// Notes what became of a question.
    async fn note(&mut self, question: Question) {
        let Question { revision, timeout, took, answer } = question;
        let Answer { recorder, opened, client, greeted } = match answer {
            Ok(answer) => answer,
            Err(finding) => return self.result.refusals.push((revision, finding)),
        };
        self.recorders.push(recorder.clone());
        match greeted {
            Ok(()) => self.note_facts(revision, client, opened).await,
            Err(finding) => {
                self.result.refusals.push((revision, finding));
                leave(client).await;
            }
        }
        // Before the first answer, a silence may be due to the era of the question.
        if let Some(question) = self.question()
            && ends_in_silence(&recorder.trace())
            && question
                .ask(self.target, self.transport, timeout.saturating_sub(took))
                .await
                .is_none()
        {
            self.silence = self.result.refusals.last().cloned();
        }
        // A refused connection says nothing about how long an answer takes.
        if self.first.is_none() && recorder.trace().has_messages_both_ways() {
            self.first = Some(took);
            self.pool.set_start_up(took);
        }
    }

    /// Notes what the server declares at a revision, and keeps the connection for the scenarios.
    async fn note_facts(&mut self, revision: Revision, client: Client, opened: Beginning) {
        let facts = client.server().clone();
        let spoken = facts.revision;
        // In a handshake a server chooses the revision, so that several questions may find the same one.
        if self.result.facts(spoken).is_none() {
            self.result.facts.push(facts);
        }
        if spoken == revision && self.pool.keeps(self.transport) {
            let shared = SharedConnection::from_probe(client, opened);
            self.pool.keep(Key::shared(self.transport, revision), shared);
        } else {
            client.end().await;
        }
    }

    /// What was said on all connections.
    fn trace(&self) -> Trace {
        let events = self.recorders.iter().flat_map(|recorder| recorder.trace().events);
        Trace { events: events.collect(), ..Trace::default() }
    }

    /// Whether further questions are a waste of time: nothing can be reached, or it did not answer a handshake. Silence about
    /// a question of the other era means nothing: an older server may not understand it.
    fn is_hopeless(&self) -> bool {
        let is_silent = self.first.is_none();
        self.silence.is_some()
            || self.result.refusals.iter().any(|(revision, finding)| {
                is_silent
                    && (revision.era() == Era::Handshake || finding.blame == Blame::Environment)
            })
    }

    /// Whether the one revision of each scenario is known. Since newer ones are asked for first, it is the first one of the
    /// handshake era that the target speaks.
    fn has_enough(&self) -> bool {
        let is_choice = |revision: &Revision| {
            revision.era() == Era::Handshake && self.result.facts(*revision).is_some()
        };
        self.plan.one_revision
            && by_scenario(&self.plan.scenario_runs)
                .iter()
                .filter(|((_, transport), _)| *transport == self.transport)
                .all(|(_, revisions)| revisions.iter().any(is_choice))
    }

    pub(super) fn timeout(&self) -> Duration {
        answer_timeout(self.plan.timeout, self.first)
    }

    /// What is known about the replies of the target.
    pub(super) fn history(&self) -> ReplyHistory {
        match self.first {
            // Elsewhere the first answer comes from a server that was started before.
            Some(first) if self.transport == TransportKind::Stdio => {
                ReplyHistory::with_start_up(first)
            }
            _ => ReplyHistory::default(),
        }
    }

    /// How to ask whether the target still answers, if it ever did.
    pub(super) fn question(&self) -> Option<LivenessQuestion> {
        let spoken = self.result.facts.first().map(|facts| facts.revision);
        let revision = spoken.unwrap_or(Revision::NEWEST_HANDSHAKE);
        self.first.map(|first_answer| LivenessQuestion { revision, first_answer })
    }

    pub(super) fn into_result(self) -> Result<ProbeResult, PreflightFailure> {
        let trace = self.trace();
        if let Some((revision, finding)) = self.silence {
            let failure = PreflightFailure::from(stopped_answering(finding));
            return Err(PreflightFailure { tried: Some(revision), ..failure });
        }
        if !self.result.facts.is_empty() {
            return Ok(self.result);
        }
        let (tried, mut finding) = self.result.refusals.into_iter().next().map_or_else(
            // There is no plan without scenario runs, each of which has a revision to ask for.
            || (None, Finding::harness("the server was not asked for any revision")),
            |(revision, finding)| (Some(revision), finding),
        );
        let is_unanswered =
            matches!(finding.cause.as_deref(), Some(Cause::Request { fate: Fate::Unanswered, .. }));
        let has_started = trace.events.iter().any(is_from_server);
        if is_unanswered && !has_started && self.transport == TransportKind::Stdio {
            finding.add_hint("if it takes longer to start, `--timeout` gives it more time");
        }
        add_stderr(&mut finding, &trace.stderr_tail(LINES));
        Err(PreflightFailure {
            finding,
            tried,
            refused: trace.events.iter().any(|event| {
                let EventKind::HttpResponse { status, .. } = event.kind else { return false };
                // A server of any kind answers 401 and 403 if it demands authorization.
                (400..500).contains(&status) && ![401, 403].contains(&status)
            }),
        })
    }
}
