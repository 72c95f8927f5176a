//! Running a scenario on a connection that other scenarios use before and after it.
//!
//! The trace of the run begins with how that conversation began, so that it is judged like any other. What it shows counts if
//! everything is in order. Anything else may be due to the scenarios before it, and has to be shown on a connection of its own.

use std::time::Duration;

use super::{CellFacts, CellRun, Progress, Recorded};
use crate::check::{Check, Finding};
use crate::client::Client;
use crate::clock::{self, Deadline};
use crate::run::Outcome;
use crate::run::confirmed::{Raised, is_raised, uncertain};
use crate::run::connection_pool::{
    Confirming, ConnectionPool, SharedConnection, Statuses, statuses,
};
use crate::scenario::{Conversation, Ctx, Ended, Opened, Run, Setup};
use crate::trace::{ConnectionId, Event, EventKind, Seq, Trace};
use crate::transport::Target;

/// The part of its time-out that a scenario has on a shared connection. If it is not enough, it has the rest on one of its own.
const PART: u32 = 6;

/// The longest time that a scenario has there.
const LONGEST: Duration = Duration::from_secs(5);

/// A run on a shared connection that does not count.
#[derive(Default)]
pub(super) struct Doubtful {
    /// What it has shown; `None` if it was too slow to show anything. Without the trace, which may be large.
    pub(super) statuses: Option<Statuses>,
    /// How much of the time-out it has taken.
    pub(super) spent: Duration,
    /// Held until it is known what a connection of its own shows.
    pub(super) confirming: Option<Confirming>,
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

impl CellRun<'_> {
    /// Runs the scenario on a shared connection.
    ///
    /// # Errors
    ///
    /// If it has to be run on a connection of its own.
    pub(super) async fn test_shared(
        &self,
        pool: &ConnectionPool,
        target: &Target,
        task: (&Run, &CellFacts<'_>),
        progress: &dyn Fn(Progress<'_>),
    ) -> Result<Outcome, Doubtful> {
        let part = (self.timeout() / PART).min(LONGEST);
        let run = Self { timeout: part, ..self.clone() };
        let key = (self.cell.transport, self.cell.revision);
        // A program may have to be started, which takes longer than the scenario, and on a busy machine most of the time.
        let taken = pool.take(key, self.timeout() - part).await;
        let Some((SharedConnection { client, beginning }, in_use)) = taken else {
            if self.stopwatch.elapsed() <= self.timeout() / 2 {
                return Err(self.doubtful(None));
            }
            let took = clock::format_duration(self.stopwatch.elapsed());
            let reason = format!("the program did not begin a conversation within {took}");
            return Ok(self.clone().not_applicable(&reason));
        };
        let setup = run.setup(target, task.1);
        let began = beginning.last();
        let (client, shown) = run.show(client, began, setup, task.0, progress).await;
        if !shown.is_complete {
            // Killed, because a flood would go on until the program has ended, beside the run that follows.
            drop(client);
            return Err(self.doubtful(None));
        }
        let mut is_confirmed = pool.has_confirmed(&shown.uncertain);
        let mut confirming = None;
        if !is_confirmed {
            // Another run of the scenario may be about to confirm the same.
            confirming = pool.confirming(&self.cell, self.timeout() / 4).await;
            is_confirmed = pool.has_confirmed(&shown.uncertain);
        }
        if !is_confirmed {
            match client {
                Some(client) if shown.is_reusable => {
                    pool.keep(key, SharedConnection { client, beginning });
                }
                Some(client) => drop(pool.retire(client)),
                None => {}
            }
            drop(in_use);
            return Err(Doubtful { confirming, ..self.doubtful(Some(&shown.outcome)) });
        }
        drop(confirming);
        progress(Progress::Ending);
        let fate = match client {
            Some(client) if shown.is_reusable => {
                pool.give_back(key, SharedConnection { client, beginning }, shown.last)
            }
            Some(client) => pool.retire(client),
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
        match uncertain.iter().all(is_known) || pool.has_confirmed(&uncertain) {
            true => Ok(outcome),
            false => Err(self.doubtful(Some(&outcome))),
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
        let declared = Some(self.cell.scenario.declared());
        let mut ctx = Ctx::on(Opened::Begun(Box::new(client)), setup, declared);
        progress(Progress::Running { cell: &self.cell, recorder: &recorder });
        let early = self.run_body(body(&mut ctx)).await;
        let is_used = ctx.uses_begun();
        let released = ctx.release();
        let is_early = early.is_some();
        let (client, is_settled) = match released {
            Some(client) if is_early => (Some(client), None),
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
        let is_reusable = is_settled == Some(true) && !is_damaged(connection, trace.since(began));
        let has_fired = trace.deadline_fired();
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

    fn doubtful(&self, outcome: Option<&Outcome>) -> Doubtful {
        // Something must be left for the run that counts.
        let spent = self.stopwatch.elapsed().min(self.timeout() / 2);
        Doubtful { statuses: outcome.map(statuses), spent, confirming: None }
    }
}

/// What a run reports that may be due to the scenarios before it.
///
/// Each connection begins in the same way, up to the event `began`. A reply that is wrong in any state shows that by itself, if
/// the connection could be used as before after it.
fn uncertain_of(
    outcome: &Outcome,
    envelopes: &[Finding],
    began: Seq,
    is_reusable: bool,
) -> Vec<Raised> {
    let is_of_beginning = |finding: &Finding| {
        !finding.evidence.is_empty() && finding.evidence.iter().all(|seq| *seq <= began)
    };
    let is_certain =
        |finding: &Finding| is_of_beginning(finding) || is_reusable && finding.in_any_state;
    uncertain(&outcome.cell.scenario.id, &outcome.checks, envelopes, is_certain)
}

/// Whether a connection is damaged: its server has sent something other than messages, or has left.
fn is_damaged(connection: ConnectionId, events: &[Event]) -> bool {
    events.iter().any(|event| match event.kind {
        EventKind::Elided { .. } => true,
        // A scenario may have opened others, and have closed them.
        EventKind::Unparsable { .. } | EventKind::Closed { .. } | EventKind::Exited { .. } => {
            event.connection == connection
        }
        _ => false,
    })
}
