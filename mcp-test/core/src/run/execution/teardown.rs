//! The teardown of a function under `#[mcp_scenario]`: it runs after the function however that ended.

use std::time::Duration;

use super::early_end::failed_in;
use super::{EarlyEnd, RunningScenario};
use crate::assert::catch_failures;
use crate::check::Finding;
use crate::clock::{self, Deadline};
use crate::scenario::{Running, Stop};
use crate::trace::{Recorder, Seq};

/// The most of a scenario's time that is kept for its teardown.
const MOST: Duration = Duration::from_secs(5);

/// What is known after the teardown.
pub(super) struct TornDown {
    /// Whether only because of it both sides have sent a message, which tests nothing.
    pub(super) adds_exchange: bool,
    /// What is wrong with it.
    pub(super) finding: Option<Finding>,
    /// The last event before it, if there is a teardown.
    began_after: Option<Seq>,
}

impl TornDown {
    /// Names the teardown in a finding about what the test left undone there.
    pub(super) fn attribute(&self, omission: Finding) -> Finding {
        let first = omission.evidence.first().copied();
        match self.began_after {
            Some(before) if first.is_some_and(|first| first > before) => {
                let headline = format!("in the teardown, {}", omission.headline);
                Finding { headline, ..omission }
            }
            _ => omission,
        }
    }
}

impl RunningScenario<'_> {
    /// How long the body may take: a part of the time is for the teardown, so that both together stay within it.
    pub(super) fn time_of_body(&self) -> Duration {
        self.left().saturating_sub(self.time_of_teardown())
    }

    /// Runs the body, whose setup with the context is part of it.
    pub(super) async fn run_body(&self, body: Running<'_>) -> Option<EarlyEnd> {
        let running = catch_failures(body);
        let ended = clock::within(Deadline::after(self.time_of_body()), running).await;
        ended.map_or(Some(EarlyEnd::TimedOut), EarlyEnd::of)
    }

    /// How long a test function may wait for its peer: it needs time to report a silent one, before its own deadline.
    pub(super) fn time_of_peer(&self) -> Duration {
        self.time_of_body() - self.time_of_body() / 4
    }

    fn time_of_teardown(&self) -> Duration {
        match self.scenario_run.scenario.teardown {
            Some(_) => MOST.min(self.timeout() / 4),
            None => Duration::ZERO,
        }
    }

    /// Runs the teardown, if there is one.
    pub(super) async fn tear_down(
        &self,
        teardown: Option<Running<'_>>,
        recorder: &Recorder,
    ) -> TornDown {
        let Some(teardown) = teardown else {
            return TornDown { adds_exchange: false, finding: None, began_after: None };
        };
        let before = recorder.trace();
        let (had_exchanged, began_after) =
            (before.has_messages_both_ways(), before.events.last().map(|event| event.seq));
        // At least the part that was kept; also what the body did not use.
        let unused = self.timeout().saturating_sub(self.stopwatch.elapsed());
        let time = self.time_of_teardown().max(unused);
        let ended = clock::within(Deadline::after(time), catch_failures(teardown)).await;
        let early = ended.map_or(Some(EarlyEnd::TimedOut), EarlyEnd::of);
        let finding = early.map(|early| match early {
            EarlyEnd::Stopped(Stop::Skipped(_)) => {
                Finding::test("the teardown failed: it cannot skip the scenario, which has ended")
            }
            early => failed_in("the teardown", early, time),
        });
        let adds_exchange = !had_exchanged && recorder.trace().has_messages_both_ways();
        TornDown { adds_exchange, finding, began_after }
    }
}
