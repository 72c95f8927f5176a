//! Running a function under `#[mcp_scenario(client = …)]`: it runs the client itself, and is judged when it has ended.

use std::sync::Arc;

use super::test_function::TestEnd;
use super::{ENDING, EarlyEnd, Progress, RunningScenario, era_hint, last_lines};
use crate::check::{self, Finding, WireJudge};
use crate::clock::Deadline;
use crate::run::{Outcome, Plan, ScenarioRun};
use crate::scenario::{
    ClientTest, EndedClientTest, Judging, RunClientTest, ServerCtx, ServerSetup, Stop, Teardown,
    spoken,
};
use crate::trace::{Party, Trace};
use crate::transport::ClientTarget;

/// A test of a client that does not speak the revision of the run.
pub(in crate::run) struct OtherRevision {
    /// What the client did instead.
    pub(in crate::run) reason: String,
    /// What to do about it, where that is known.
    pub(in crate::run) hint: Option<String>,
    /// The conversation.
    pub(in crate::run) trace: Trace,
}

/// Runs a test of a client.
///
/// # Errors
///
/// If the client does not speak the revision, so that nothing was tested.
pub(in crate::run) async fn run_client_function(
    plan: &Plan,
    scenario_run: ScenarioRun,
    client: &ClientTarget,
    body: &RunClientTest,
    progress: &dyn Fn(Progress<'_>),
) -> Result<Outcome, OtherRevision> {
    RunningScenario::new(plan, scenario_run).test_client_function(client, body, progress).await
}

impl RunningScenario<'_> {
    pub(super) async fn test_client_function(
        mut self,
        client: &ClientTarget,
        body: &RunClientTest,
        progress: &dyn Fn(Progress<'_>),
    ) -> Result<Outcome, OtherRevision> {
        let mut ctx = ServerCtx::new(ServerSetup {
            client: client.clone(),
            transport: self.scenario_run.transport,
            revision: self.scenario_run.revision,
            served: self.scenario_run.scenario.revisions,
            scenario: self.id().to_owned(),
            limits: self.plan.limits,
            until: Deadline::after(self.time_of_peer()),
        });
        let recorder = ctx.recorder().clone();
        progress(Progress::Running { scenario_run: &self.scenario_run, recorder: &recorder });
        let early = self.run_body(body(&mut ctx)).await;
        let early = self.name_setup(early, ctx.is_in_setup());
        let teardown = match &self.scenario_run.scenario.teardown {
            Some(Teardown::Client(teardown)) => Some(teardown(&mut ctx)),
            Some(Teardown::Server(_)) | None => None,
        };
        let torn_down = self.tear_down(teardown, &recorder).await;
        progress(Progress::Ending);
        let ended = ctx.end();
        let EndedClientTest { trace, last_run, still_running, .. } = ended;
        let (trace, spoken) = self.spoken_in(trace)?;
        // The rules, and the name of the run, are those of the revision that the client has chosen.
        self.scenario_run.revision = spoken;
        let schemas = (self.plan.schemas.clone(), self.profile.authority(None));
        let ends = Deadline::after(self.left().saturating_sub(self.stopwatch.elapsed()) + ENDING);
        let judge = WireJudge::new(Party::Client, schemas).until(ends);
        let judgement = check::judge_trace(&trace, &|_| spoken, judge);
        let early = match (early, still_running) {
            (Some(EarlyEnd::TimedOut), Some(finding)) => {
                Some(EarlyEnd::Stopped(Stop::Finding(finding)))
            }
            (early, _) => early,
        };
        // What is wrong with the client says why it exchanged nothing.
        let tests_nothing = ended.findings.is_empty()
            && (torn_down.adds_exchange || !trace.has_messages_both_ways());
        let nothing = tests_nothing.then(|| nothing_exchanged(last_run.is_some()));
        let is_skipped = matches!(early, Some(EarlyEnd::Stopped(Stop::Skipped(_))));
        let outcome = self.test_outcome(TestEnd {
            checks: Vec::new(),
            trace,
            judgement,
            early,
            torn_down,
            causes: if is_skipped { Vec::new() } else { ended.unscripted },
            omissions: ended.unmet.into_iter().chain(nothing).collect(),
            of_peer: ended.findings,
        });
        let stderr_tail = last_run.as_ref().map(|run| last_lines(&run.stderr));
        let stderr_tail = stderr_tail.unwrap_or_default();
        Ok(Outcome { client_run: last_run, stderr_tail, spoken: Some(spoken), ..outcome })
    }

    /// The revision that the client spoke, which must be that of the run if the server speaks no other.
    fn spoken_in(&self, trace: Trace) -> Result<(Trace, crate::spec::Revision), OtherRevision> {
        let asked = self.scenario_run.revision;
        let spoken = spoken(&trace, asked);
        if self.scenario_run.scenario.revisions.iter().count() > 1 || !has_tried(&trace) {
            return Ok((trace, spoken.unwrap_or(asked)));
        }
        let trace = Arc::new(trace);
        let test = ClientTest::new(self.scenario_run.scenario.declared(), asked, self.profile);
        let judging = Judging::new(test, Arc::clone(&trace));
        let reason = self.other_revision(spoken.unwrap_or(asked), &judging);
        drop(judging);
        let trace = Arc::unwrap_or_clone(trace);
        match reason {
            Some(reason) => {
                let hint = era_hint::handshake_hint(&trace, asked);
                Err(OtherRevision { reason, hint, trace })
            }
            None => Ok((trace, spoken.unwrap_or(asked))),
        }
    }
}

/// Whether a client has sent anything at all.
fn has_tried(trace: &Trace) -> bool {
    trace.events.iter().any(|event| event.party == Party::Client)
}

/// The finding that a test exchanged nothing with its client, and so tested nothing.
fn nothing_exchanged(has_run: bool) -> Finding {
    if has_run {
        return Finding::test("the client exchanged nothing with the server")
            .expected("at least one message from each side")
            .got("no such exchange")
            .hint("a test that tests nothing does not pass");
    }
    Finding::test("the test has run no client")
        .expected("`server.run_client().await?`, or `server.run_client_to_failure().await?`")
        .got("neither of them")
        .hint("a test that tests nothing does not pass")
}
