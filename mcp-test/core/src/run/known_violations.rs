//! Known violations: which failures they make expected, and whether they still occur.

use super::{Outcome, Verdict};
use crate::check::Check;
use crate::scenario::{Kind, Profile};
use crate::spec::{KnownViolations, Requirement};

/// What a scenario run shows about a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// It is broken.
    Broken,
    /// It was tried, and is not broken.
    Kept,
    /// Nothing: it does not apply, or what it is about did not occur.
    Nothing,
}

impl Outcome {
    /// Marks the checks whose failure is expected, since all that they have found is known.
    pub(crate) fn expecting(mut self, known: &KnownViolations) -> Self {
        // The official rules know only baselines. What ends a test function fails it, although it is known.
        if known.is_empty()
            || self.profile == Profile::Official
            || self.scenario_run.scenario.kind == Kind::Test
        {
            return self;
        }
        let mut is_changed = false;
        for check in self.checks.iter_mut().filter(|check| check.status.is_failing()) {
            check.known = check.explained_by(known);
            is_changed |= !check.known.is_empty();
        }
        if is_changed && self.verdict == Verdict::Failed {
            self.verdict = Self::judge(&self.scenario_run, self.profile, &self.checks);
        }
        self
    }

    /// What the scenario run shows about a requirement.
    #[must_use]
    pub fn shows(&self, requirement: &Requirement) -> Shown {
        let is_it = |other: &&Requirement| *other == requirement;
        let is_broken = |check: &Check| {
            let mut findings = check.finding.iter().chain(&check.others);
            check.status.is_failing()
                && match &check.finding {
                    Some(_) => findings.any(|finding| finding.requirements.iter().any(is_it)),
                    None => check.requirements.iter().any(is_it),
                }
        };
        if self.checks.iter().any(is_broken) {
            return Shown::Broken;
        }
        let is_tried = |check: &Check| check.tested.iter().any(is_it);
        if requirement.revisions.contains(self.scenario_run.revision)
            && self.checks.iter().any(is_tried)
        {
            return Shown::Kept;
        }
        Shown::Nothing
    }
}
