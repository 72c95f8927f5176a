//! Running a scenario on a connection that other scenarios use before and after it.
//!
//! The trace of the run begins with how that conversation began, so that it is judged like any other. What it shows counts if
//! everything is in order. Anything else may be due to the scenarios before it, and has to be shown once more: on a connection
//! that nobody has used, or on one on which others have confirmed what they had shown.

use std::time::Duration;

use super::early_end::EarlyEnd;
use super::{Progress, Recorded, RunningScenario, ScenarioRunFacts};
use crate::check::{Check, Finding};
use crate::client::Client;
use crate::clock::{self, Deadline};
use crate::run::Outcome;
use crate::run::confirmed::{Raised, is_of_one_message, is_raised, uncertain};
use crate::run::connection_pool::{Confirming, ConnectionPool, NotTaken, SharedConnection, Taken};
use crate::run::start_budget::Key;
use crate::scenario::{Conversation, Ctx, Ended, Opened, Run, Setup};
use crate::trace::{ConnectionId, Event, EventKind, Seq, Trace};
use crate::transport::Target;

/// The part of its time-out that a scenario has on a shared connection. If it is not enough, it has the rest on one of its own.
const PART: u32 = 6;

/// The longest time that a scenario has there.
const LONGEST: Duration = Duration::from_secs(5);

/// A run on a shared connection that does not count.
pub(super) struct Doubtful {
    /// Why it does not count.
    reason: Doubt,
    /// How much of the time-out it has taken.
    spent: Duration,
    /// Held until it is known what another connection shows.
    confirming: Option<Confirming>,
}

/// Why a run on a shared connection does not count.
enum Doubt {
    /// It was too slow to show anything.
    TooSlow,
    /// The program did not begin a conversation.
    NotBegun,
    /// The run may not start the program once more.
    NoStart,
    /// What it has shown may be due to the scenarios before. Without the trace, which may be large.
    Uncertain(Vec<Raised>),
}

/// What a run has shown on a shared connection.
struct Shown {
    /// The checks of the scenario itself.
    checks: Vec<Check>,
    conversation: Conversation,
    outcome: Outcome,
    /// Whether the scenario has used the connection.
    is_used: bool,
    /// The last event that was judged.
    last: Seq,
    /// Whether it was long enough to show anything.
    is_complete: bool,
    /// What it reports that may be due to the scenarios before.
    uncertain: Vec<Raised>,
    /// Whether another run can use the connection.
    is_reusable: bool,
}

impl RunningScenario<'_> {
    /// Runs the scenario on a shared connection, and if that shows something uncertain, on another one.
    pub(super) async fn test_shared(
        self,
        pool: &ConnectionPool,
        target: &Target,
        body: &Run,
        facts: ScenarioRunFacts<'_>,
        progress: &dyn Fn(Progress<'_>),
    ) -> Outcome {
        let task = (body, &facts);
        // Where it was too slow at another revision, it would only end another connection.
        let is_slow = pool.slow.borrow().is_shared(&self.scenario_run);
        let doubtful = match is_slow {
            true => self.doubtful(Doubt::TooSlow),
            false => match self.test_on_shared(pool, target, task, progress, None).await {
                Ok(outcome) => return outcome,
                Err(doubtful) => doubtful,
            },
        };
        if matches!(doubtful.reason, Doubt::TooSlow) {
            pool.slow.borrow_mut().add_shared(&self.scenario_run);
        }
        let run = Self { spent: doubtful.spent, ..self };
        let is_repeated = matches!(doubtful.reason, Doubt::Uncertain(_)) && !run.has_spent_half();
        let Doubtful { reason, confirming, .. } = match is_repeated {
            true => match run.test_on_shared(pool, target, task, progress, Some(doubtful)).await {
                Ok(outcome) => return outcome,
                Err(doubtful) => doubtful,
            },
            false => doubtful,
        };
        let outcome = match run.why_not_alone(pool, &reason) {
            Some(reason) => return run.left_out(&reason),
            None => run.test_alone(target, body, facts, progress).await,
        };
        if matches!(reason, Doubt::TooSlow) && outcome.trace.deadline_fired() {
            pool.slow.borrow_mut().add_own(&outcome.scenario_run);
        }
        drop(confirming);
        outcome
    }

    /// Why the scenario does not run on a connection of its own; counts the start of the program for it.
    fn why_not_alone(&self, pool: &ConnectionPool, reason: &Doubt) -> Option<String> {
        match reason {
            Doubt::Uncertain(_) => {
                let is_allowed = pool.starts.with(|budget| budget.count_confirming(self.key()));
                (!is_allowed).then(|| {
                    format!(
                        "it failed only on connections that other scenarios had used, and no start of the program is left to confirm \
                         that: `--scenario {}` runs it alone",
                        self.id()
                    )
                })
            }
            Doubt::TooSlow | Doubt::NotBegun | Doubt::NoStart => {
                let elsewhere = pool
                    .slow
                    .borrow()
                    .own_at(&self.scenario_run)
                    .filter(|_| matches!(reason, Doubt::TooSlow));
                if let Some(revision) = elsewhere {
                    return Some(format!("it did not end in time, as at {revision}"));
                }
                pool.starts.with(|budget| {
                    (!budget.count_replacement()).then(|| {
                        let why = budget.why_no_replacement();
                        format!(
                            "the program has exited or did not answer in time, and {why}: `--scenario {}` runs it alone",
                            self.id()
                        )
                    })
                })
            }
        }
    }

    fn key(&self) -> Key {
        Key::shared(self.scenario_run.transport, self.scenario_run.revision)
    }

    fn has_spent_half(&self) -> bool {
        self.stopwatch.elapsed() > self.timeout() / 2
    }

    /// Runs the scenario on a shared connection; with `before`, to confirm what it has shown on another one.
    ///
    /// # Errors
    ///
    /// If what it shows there does not count.
    async fn test_on_shared(
        &self,
        pool: &ConnectionPool,
        target: &Target,
        task: (&Run, &ScenarioRunFacts<'_>),
        progress: &dyn Fn(Progress<'_>),
        before: Option<Doubtful>,
    ) -> Result<Outcome, Doubtful> {
        let part = (self.timeout() / PART).min(LONGEST);
        let run = Self { timeout: part, spent: Duration::ZERO, ..self.clone() };
        let key = Key { confirms: before.is_some(), ..self.key() };
        // A program may have to be started, which takes longer than the scenario, and on a busy machine most of the time.
        let for_start = (self.timeout() - part).saturating_sub(self.spent);
        let taken = pool.take(key, for_start).await;
        let Taken { shared, in_use, is_new } = match taken {
            Ok(taken) => taken,
            Err(NotTaken::NoStart) => {
                return Err(before.unwrap_or_else(|| self.doubtful(Doubt::NoStart)));
            }
            Err(NotTaken::NotBegun) if !self.has_spent_half() => {
                return Err(self.doubtful(Doubt::NotBegun));
            }
            Err(NotTaken::NotBegun) => {
                let took = clock::format_duration(self.stopwatch.elapsed());
                let reason = format!("the program did not begin a conversation within {took}");
                return Ok(self.clone().not_applicable(&reason));
            }
        };
        let (raised_before, mut confirming) = match before {
            Some(Doubtful { reason: Doubt::Uncertain(raised), confirming, .. }) => {
                (Some(raised), confirming)
            }
            _ => (None, None),
        };
        let SharedConnection { client, beginning } = shared;
        let setup = run.setup(target, task.1);
        let began = beginning.last();
        let (client, shown) = run.show(client, began, setup, task.0, progress).await;
        if raised_before.is_some() && !(shown.is_complete && shown.is_reusable) {
            pool.starts.with(|budget| budget.lost += 1);
        }
        if !shown.is_complete {
            // Killed, because a flood would go on until the program has ended, beside the run that follows.
            drop(client);
            return Err(Doubtful { confirming, ..self.doubtful(Doubt::TooSlow) });
        }
        // Nothing has come before it on a new connection; and what shows on two connections is not due to one of them.
        let repeats = |raised: &[Raised]| {
            let before = raised_before.as_ref();
            before.is_some_and(|before| is_new || raised.iter().all(|it| before.contains(it)))
        };
        let counts = |raised: &[Raised]| pool.has_confirmed(raised) || repeats(raised);
        let mut is_confirmed = counts(&shown.uncertain);
        if !is_confirmed && raised_before.is_none() {
            // Another run of the scenario may be about to confirm the same.
            confirming = pool.confirming(&self.scenario_run, self.timeout() / 4).await;
            is_confirmed = counts(&shown.uncertain);
        }
        if !is_confirmed {
            match client {
                Some(client) if shown.is_reusable => {
                    pool.keep(key, SharedConnection { client, beginning });
                }
                Some(client) => drop(pool.retire(client, false)),
                None => {}
            }
            drop(in_use);
            let doubtful = self.doubtful(Doubt::Uncertain(shown.uncertain));
            return Err(Doubtful { confirming, ..doubtful });
        }
        if raised_before.is_some() {
            // For the runs that wait to confirm the same.
            pool.confirm(&shown.outcome);
        }
        drop(confirming);
        progress(Progress::Ending);
        let fate = match client {
            Some(client) if shown.is_reusable => {
                let shared = SharedConnection { client, beginning };
                pool.give_back(key, shared, shown.last)
            }
            Some(client) => pool.retire(client, raised_before.is_some()),
            // The scenario has ended the connection, and its trace is complete.
            None => return Ok(shown.outcome),
        };
        drop(in_use);
        if !shown.is_used {
            return Ok(shown.outcome);
        }
        // Without a trace nothing has arrived since.
        let Ok(trace) = fate.await else { return Ok(shown.outcome) };
        let Ended { trace, judgement, .. } = shown.conversation.judge(trace);
        let envelopes = judgement.envelopes.clone();
        let recorded = Recorded { checks: shown.checks, trace, judgement, client_run: None };
        let outcome = Outcome { elapsed: shown.outcome.elapsed, ..run.conclude(recorded) };
        // What has arrived since may be due to the scenarios before.
        let uncertain = uncertain_of(&outcome, &envelopes, began, shown.is_reusable);
        let is_known = |raised: &Raised| shown.uncertain.contains(raised);
        match uncertain.iter().all(is_known) || counts(&uncertain) {
            true => Ok(outcome),
            false => Err(self.doubtful(Doubt::Uncertain(uncertain))),
        }
    }

    /// Runs the scenario on a connection whose conversation began with the events up to `began`. The client is `None` if the
    /// scenario has ended it.
    async fn show(
        &self,
        client: Client,
        began: Seq,
        setup: Setup,
        body: &Run,
        progress: &dyn Fn(Progress<'_>),
    ) -> (Option<Client>, Shown) {
        let deadline = Deadline::after(self.timeout());
        let (recorder, connection) = (client.recorder().clone(), client.connection());
        let declared = Some(self.scenario_run.scenario.declared());
        let mut ctx = Ctx::on(Opened::Begun(Box::new(client)), setup, declared);
        progress(Progress::Running { scenario_run: &self.scenario_run, recorder: &recorder });
        let early = self.run_body(body(&mut ctx)).await;
        let is_used = ctx.uses_begun();
        let released = ctx.release();
        let is_early = early.is_some();
        let is_timed_out = matches!(early, Some(EarlyEnd::TimedOut));
        let is_refused = early.as_ref().is_some_and(EarlyEnd::is_refusal);
        let (client, is_settled) = match released {
            // Only a refusal leaves the connection as it was.
            Some(client) if is_early && !is_refused => (Some(client), None),
            Some(mut client) => {
                let is_settled = client.fence(deadline).await;
                (Some(client), is_settled)
            }
            None => (None, None),
        };
        let conversation = ctx.close().await;
        // Before the trace is taken: what arrives in between counts as late, and is not lost.
        let last = recorder.last();
        // How the conversation began says nothing about a scenario that has nothing to do with it.
        let trace = if is_used { recorder.trace() } else { Trace::default() };
        let ended = conversation.judge(trace);
        let checks = self.own_checks(&ended, early);
        let Ended { trace, judgement, .. } = ended;
        let is_reusable = is_settled == Some(true) && !is_broken(connection, trace.since(began));
        // The time here is short: what takes longer shows nothing.
        let has_fired = is_timed_out || trace.deadline_fired();
        let envelopes = judgement.envelopes.clone();
        let recorded = Recorded { checks: checks.clone(), trace, judgement, client_run: None };
        let outcome = self.clone().conclude(recorded);
        let uncertain = uncertain_of(&outcome, &envelopes, began, is_reusable);
        // What is left of the conversation is what the scenario reports, if it reports anything.
        let reports = outcome.checks.iter().any(|check| is_raised(check.status));
        let has_ended = client.is_none();
        let is_settled = has_ended || is_settled.is_some_and(|it| it || reports);
        let is_complete = !has_fired && (is_early || is_settled);
        let shown = Shown {
            checks,
            conversation,
            outcome,
            is_used,
            last,
            is_complete,
            uncertain,
            is_reusable,
        };
        (client, shown)
    }

    fn doubtful(&self, reason: Doubt) -> Doubtful {
        // Something must be left for the run that counts.
        let spent = self.stopwatch.elapsed().min(self.timeout() / 2);
        Doubtful { reason, spent, confirming: None }
    }
}

/// What a run reports that may be due to the scenarios before it.
///
/// Each connection begins in the same way, up to the event `began`. A message that is wrong by itself or in any state shows that
/// whatever came before it, if the connection could be used as before after it.
fn uncertain_of(
    outcome: &Outcome,
    envelopes: &[Finding],
    began: Seq,
    is_reusable: bool,
) -> Vec<Raised> {
    let is_of_beginning = |finding: &Finding| {
        !finding.evidence.is_empty() && finding.evidence.iter().all(|seq| *seq <= began)
    };
    let is_certain = |check: &Check, finding: &Finding| {
        is_of_beginning(finding)
            || is_reusable && (finding.in_any_state || is_of_one_message(check, finding))
    };
    uncertain(&outcome.scenario_run.scenario.id, &outcome.checks, envelopes, is_certain)
}

/// Whether a connection is broken: its server has sent something other than messages, or has left.
fn is_broken(connection: ConnectionId, events: &[Event]) -> bool {
    events.iter().any(|event| match event.kind {
        EventKind::Elided { .. } => true,
        // A scenario may have opened others, and have closed them.
        EventKind::Unparsable { .. } | EventKind::Closed { .. } | EventKind::Exited { .. } => {
            event.connection == connection
        }
        _ => false,
    })
}
