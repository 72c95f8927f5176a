//! Repeating a scenario run that failed.

use super::execution::{ScenarioRunFacts, run_scenario_watched};
use super::{Outcome, Plan, Progress, Results, ScenarioRun, Verdict};

impl Plan {
    /// Whether an outcome is a failure that the baseline does not expect.
    pub(super) fn is_unexpected(&self, outcome: &Outcome) -> bool {
        match &self.baseline {
            // What could not be run is not compared with the baseline.
            Some(baseline) if outcome.verdict != Verdict::NotRun => {
                !baseline.compare(&Results::from_iter([outcome])).unexpected.is_empty()
            }
            _ => outcome.verdict.is_failing(),
        }
    }
}

/// Runs a scenario run, and again while it fails, as often as the plan allows; `get_job` gets a job for a retry.
pub(super) async fn run_with_retries(
    plan: &Plan,
    scenario_run: ScenarioRun,
    facts: ScenarioRunFacts<'_>,
    progress: &dyn Fn(Progress<'_>),
    get_job: impl AsyncFn(),
) -> Outcome {
    let mut attempts: Vec<Outcome> = Vec::new();
    loop {
        let facts = match attempts.is_empty() {
            true => facts.clone(),
            // On a connection of its own: when others do not use a shared one any more, nobody would end it.
            false => ScenarioRunFacts { pool: None, ..facts.clone() },
        };
        let outcome = run_scenario_watched(plan, scenario_run.clone(), facts, progress).await;
        let is_last = attempts.len() >= plan.retries || !is_worth_a_retry(plan, &outcome);
        attempts.push(Outcome { attempt: attempts.len() + 1, ..outcome });
        if is_last {
            return conclude(attempts);
        }
        get_job().await;
    }
}

fn is_worth_a_retry(plan: &Plan, outcome: &Outcome) -> bool {
    // What the peer does not offer, it does not offer the next time; and a server that is silent stays so.
    plan.is_unexpected(outcome) && outcome.unmet.is_none() && outcome.silence.is_none()
}

/// The outcome of all attempts: the first of the most severe ones, since it says what is wrong.
fn conclude(mut attempts: Vec<Outcome>) -> Outcome {
    let is_flaky = attempts.len() > 1 && attempts.last().is_some_and(|it| !it.verdict.is_failing());
    let failed = attempts.iter().position(|attempt| attempt.verdict == Verdict::Failed);
    let mut outcome = attempts.remove(failed.unwrap_or(0));
    outcome.other_attempts = attempts;
    if is_flaky {
        outcome.verdict = Verdict::Flaky;
    }
    outcome
}
