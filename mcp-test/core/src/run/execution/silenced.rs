//! Scenario runs in which a server stops answering, and scenario runs that are not run because of it.

use std::num::NonZeroUsize;
use std::sync::Arc;

use futures_util::future::join;

use super::unmade::{fail_unmade, not_reached};
use super::{RunningScenario, timeout_row};
use crate::check::{Cause, Check, Finding, Status};
use crate::run::silence::{Liveness, LivenessQuestion, failed_exchanges, left, stopped_answering};
use crate::run::{Outcome, Plan, ScenarioRun, Silence};
use crate::scenario::{Ctx, Ended, Profile};
use crate::spec::Requirement;
use crate::trace::{Event, EventKind, Seq, Trace};
use crate::transport::{Target, TransportKind};

impl RunningScenario<'_> {
    /// Closes the connections, and asks the server whether it still answers, if there is a question; returns what came of it.
    pub(super) async fn end(
        &self,
        ctx: Ctx,
        target: &Target,
        question: Option<LivenessQuestion>,
    ) -> (Ended, Liveness) {
        let answers = async {
            let Some(question) = question else { return Liveness::NotAsked };
            let left = left(self.timeout(), self.stopwatch);
            let answered = question.ask(target, self.scenario_run.transport, left).await;
            match answered {
                Some(took) => Liveness::Answered(took),
                None if question.is_conclusive(left) => Liveness::Silent,
                None => Liveness::Unclear,
            }
        };
        // With one job, the program may be one that cannot run twice at the same time.
        let is_exclusive = self.scenario_run.transport == TransportKind::Stdio
            && self.plan.jobs == NonZeroUsize::MIN;
        if is_exclusive {
            let ended = ctx.end().await;
            (ended, answers.await)
        } else {
            join(ctx.end(), answers).await
        }
    }

    /// The outcome of a scenario that is not run since it would only wait: as officially, its time-out.
    fn not_answered(self, silence: &Silence) -> Outcome {
        let finding = Finding::peer(silence.reason());
        let mut checks = Vec::new();
        if self.waits_longer() {
            checks.push(timeout_row(finding));
        } else {
            fail_unmade(&self.scenario_run, &mut checks, &finding);
        }
        self.outcome(checks, Trace::default())
    }
}

/// The outcome of a scenario run that is not run because the server has stopped answering.
pub(in crate::run) fn skip_scenario_run(
    plan: &Plan,
    scenario_run: ScenarioRun,
    silence: Arc<Silence>,
) -> Outcome {
    let run = RunningScenario::new(plan, scenario_run);
    let outcome = match run.profile {
        // The official suite would run it, and wait.
        Profile::Official => run.not_answered(&silence),
        Profile::Adaptive | Profile::Strict => run.not_applicable(&silence.reason()),
    };
    Outcome { silence: Some(silence), ..outcome }
}

/// The outcome in which it was noticed that the server has stopped answering.
pub(super) fn silenced(mut outcome: Outcome) -> Outcome {
    let failed = failed_exchanges(&outcome.trace);
    if !failed.is_empty() {
        attribute(&mut outcome.checks, &failed);
        // A server that was seen to answer has only itself to blame.
        outcome.verdict = Outcome::judge(&outcome.scenario_run, outcome.profile, &outcome.checks);
    }
    let is_silence = |event: &&Event| matches!(event.kind, EventKind::DeadlineFired { .. });
    let silences = outcome.trace.events.iter().filter(is_silence).map(|event| event.seq);
    let silences: Vec<Seq> = silences.chain(failed).collect();
    let shows = |finding: &&Finding| finding.evidence.iter().any(|seq| silences.contains(seq));
    let findings = || outcome.checks.iter().filter_map(|check| check.finding.as_ref());
    let finding = findings().find(shows).or_else(|| findings().next()).cloned();
    let finding = finding.unwrap_or_else(|| Finding::peer("the scenario did not end in time"));
    let silence = Silence { scenario_run: outcome.scenario_run.clone(), finding };
    Outcome { silence: Some(Arc::new(silence)), ..outcome }
}

/// Traces what was found in these exchanges back to the end of the server, whatever each check says about its own.
fn attribute(checks: &mut [Check], exchanges: &[Seq]) {
    for check in checks {
        let Some(known) = &check.finding else { continue };
        if !known.evidence.iter().any(|seq| exchanges.contains(seq)) {
            continue;
        }
        let finding = Finding::peer("the server stopped answering HTTP requests")
            .caused_by(Cause::Unreachable)
            .expected("an HTTP response")
            .requires(Requirement::JSONRPC_REQUEST_ANSWERED);
        let finding = Finding {
            got: known.got.clone(),
            evidence: known.evidence.clone(),
            ..stopped_answering(finding)
        };
        check.message = Some(match check.status {
            Status::Skipped => not_reached(&finding),
            _ => finding.to_string(),
        });
        check.finding = Some(finding);
    }
}
