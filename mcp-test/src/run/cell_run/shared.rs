//! Running a scenario on a connection that other scenarios use before and after it.
//!
//! The trace of the run begins with how that conversation began, so that it is judged like any other. What it shows counts if
//! everything is in order. Anything else may be due to the scenarios before it, and has to be shown on a connection of its own.

use std::time::Duration;

use super::{CellRun, Progress, Recorded};
use crate::clock::Deadline;
use crate::run::Outcome;
use crate::run::connection_pool::{ConnectionPool, SharedConnection};
use crate::scenario::{Ctx, Inventory, Opened, Run};
use crate::trace::{Event, EventKind};
use crate::transport::Target;

/// The part of its time-out that a scenario has on a shared connection. If it is not enough, it has the rest on one of its own.
const PART: u32 = 10;

/// How long a run on a shared connection may take without shortening the run after it.
const NEGLIGIBLE: Duration = Duration::from_millis(200);

/// A run on a shared connection that does not count.
#[derive(Default)]
pub(super) struct Doubtful {
    /// What it has shown; `None` if it was too slow to show anything.
    pub(super) outcome: Option<Box<Outcome>>,
    /// How much less time is left.
    pub(super) spent: Duration,
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
        (body, inventory): (&Run, Inventory),
        progress: &dyn Fn(Progress<'_>),
    ) -> Result<Outcome, Doubtful> {
        let part = self.timeout() / PART;
        let run = Self { timeout: part, ..self.clone() };
        let key = (self.cell.transport, self.cell.revision);
        // A program may have to be started, which takes longer than the scenario.
        let taken = pool.take(key, self.timeout() / 2).await;
        let Some(SharedConnection { client, beginning }) = taken else {
            return Err(self.doubtful(None, part));
        };
        let deadline = Deadline::after(part);
        let recorder = client.recorder().clone();
        let declared = Some(self.cell.scenario.declared());
        let opened = Opened::Begun(Box::new(client));
        let mut ctx = Ctx::on(opened, run.setup(target, inventory), declared);
        progress(Progress::Running { cell: &self.cell, recorder: &recorder });
        let early = run.run_body(&mut ctx, body).await;
        let Some(mut client) = ctx.release() else {
            // The scenario has ended it.
            ctx.close().await;
            return Err(self.doubtful(None, part));
        };
        let is_complete = early.is_none() && client.fence(deadline).await;
        let conversation = ctx.close().await;
        // Before the trace is taken: what arrives in between counts as late, and is not lost.
        let last = recorder.last();
        let ended = conversation.judge(recorder.trace());
        let is_early = early.is_some();
        let shows_something = (is_complete || is_early) && !ended.trace.deadline_fired();
        let is_reusable = is_complete && !is_damaged(ended.trace.since(beginning.last()));
        let checks = run.own_checks(&ended, early);
        let (trace, judgement) = (ended.trace, ended.judgement);
        let outcome = run.clone().conclude(Recorded {
            checks: checks.clone(),
            trace,
            judgement,
            client_run: None,
        });
        if !shows_something || !pool.needs_no_proof(&outcome) {
            drop(pool.retire(client));
            return Err(self.doubtful(shows_something.then_some(outcome), part));
        }
        progress(Progress::Ending);
        let fate = if is_reusable {
            pool.give_back(key, SharedConnection { client, beginning }, last)
        } else {
            pool.retire(client)
        };
        // Without a trace nothing has arrived since.
        let Ok(trace) = fate.await else { return Ok(outcome) };
        let elapsed = outcome.elapsed;
        let ended = conversation.judge(trace);
        let (trace, judgement) = (ended.trace, ended.judgement);
        let whole = run.conclude(Recorded { checks, trace, judgement, client_run: None });
        Ok(Outcome { elapsed, ..whole })
    }

    fn doubtful(&self, outcome: Option<Outcome>, part: Duration) -> Doubtful {
        let elapsed = self.stopwatch.elapsed();
        // In whole parts, so that messages name the same time in each run.
        let mut spent = Duration::ZERO;
        while elapsed > spent + NEGLIGIBLE && spent < self.timeout() / 2 {
            spent += part;
        }
        Doubtful { outcome: outcome.map(Box::new), spent }
    }
}

/// Whether a connection is damaged: its server has sent something other than messages, or has left.
fn is_damaged(events: &[Event]) -> bool {
    events.iter().any(|event| {
        matches!(
            event.kind,
            EventKind::Unparsable { .. }
                | EventKind::Closed { .. }
                | EventKind::Exited { .. }
                | EventKind::Elided { .. }
        )
    })
}
