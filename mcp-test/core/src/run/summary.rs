//! How the summary of a run grows with its outcomes, and what its exit code is.

use super::{
    ClientSpeaks, Counts, Coverage, ExitCode, KnownResults, Line, Outcome, Plan, Problems, Results,
    Summary, Verdict,
};
use crate::check::Check;

impl Summary {
    /// The summary of a run that has not started.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        Self {
            target: plan.target.label(),
            profile: plan.profile,
            suite: plan.suite,
            requirements: plan.requirements,
            lines: Vec::new(),
            counts: Counts::default(),
            advisory: Counts::default(),
            results: Results::default(),
            problems: Problems::default(),
            coverage: Coverage::default(),
            known: KnownResults::new(&plan.known),
            baseline: None,
            client_speaks: None,
            not_run: None,
            exit: ExitCode::Passed,
            shard: plan.shard,
            not_started: Vec::new(),
            program_starts: 0,
            program_restarts: 0,
            interrupted: None,
        }
    }

    /// Adds an outcome.
    #[doc(hidden)]
    pub fn take(&mut self, outcome: &Outcome) {
        // Of an unscored scenario, the line has what would count.
        let (counting, advisory): (Vec<&Check>, Vec<&Check>) =
            outcome.checks.iter().partition(|check| outcome.profile.counts(check));
        let line = Line {
            scenario_run: outcome.scenario_run.clone(),
            profile: outcome.profile,
            verdict: outcome.verdict,
            unscored: outcome.unscored,
            attempts: 1 + outcome.other_attempts.len(),
            counts: Counts::of(counting),
            advisory: Counts::of(advisory),
        };
        if let Some(spoken) = outcome.spoken {
            let shown = ClientSpeaks::new(spoken, outcome.scenario_run.revision);
            self.client_speaks = Some(self.client_speaks.map_or(shown, |known| known.and(shown)));
        }
        self.counts.add(line.counts);
        self.advisory.add(line.advisory);
        self.lines.push(line);
        self.results.add(outcome);
        self.problems.add(outcome);
        self.coverage.add(outcome);
        self.known.add_outcome(outcome);
    }

    pub(super) fn conclude(&mut self, plan: &Plan) {
        self.baseline = plan.baseline.as_ref().map(|baseline| baseline.compare(&self.results));
        let has = |verdict| self.lines.iter().any(|line| line.verdict == verdict);
        let (failed, stale) = match &self.baseline {
            Some(comparison) => (!comparison.is_clean(), !comparison.stale.is_empty()),
            None => (has(Verdict::Failed) || has(Verdict::Flaky), false),
        };
        if !plan.judges_known
            || !self.not_started.is_empty()
            || self.lines.iter().any(|line| line.verdict.is_failing())
        {
            self.known.note_incomplete();
        }
        let gone = plan.known_is_strict && self.known.gone().next().is_some();
        let (failed, stale) = (failed || gone, stale || gone);
        // A verdict against the peer takes precedence over a scenario run that could not be run.
        self.exit = if failed && (has(Verdict::Failed) || has(Verdict::Flaky) || stale) {
            ExitCode::Failed
        } else if has(Verdict::NotRun) {
            ExitCode::NotRun
        } else if failed {
            ExitCode::Failed
        // Of a shard alone nobody knows what the others have tested.
        } else if self.has_tested_nothing() && self.shard.is_none() {
            ExitCode::NotRun
        } else {
            ExitCode::Passed
        };
    }

    /// Whether every scenario run was skipped, so that the absence of problems means nothing.
    #[must_use]
    pub fn has_tested_nothing(&self) -> bool {
        self.lines.iter().all(|line| line.verdict == Verdict::Skipped)
    }
}
