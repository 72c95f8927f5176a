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
    pub(super) fn expecting(mut self, known: &KnownViolations) -> Self {
        // The official rules know only baselines. What ends a test function fails it, although it is known.
        if known.is_empty()
            || self.profile == Profile::Official
            || self.cell.scenario.kind == Kind::Test
        {
            return self;
        }
        let mut is_changed = false;
        for check in self.checks.iter_mut().filter(|check| check.status.is_failing()) {
            check.known = check.explained_by(known);
            is_changed |= !check.known.is_empty();
        }
        if is_changed && self.verdict == Verdict::Failed {
            self.verdict = Self::judge(&self.cell, self.profile, &self.checks);
        }
        self
    }

    /// What the scenario run shows about a requirement.
    #[must_use]
    pub fn shows(&self, requirement: &Requirement) -> Shown {
        let is_it = |id: &&'static str| *id == requirement.id || requirement.aliases.contains(id);
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
        if requirement.revisions.contains(self.cell.revision) && self.checks.iter().any(is_tried) {
            return Shown::Kept;
        }
        Shown::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure_report::sample;
    use crate::run::Problems;
    use crate::spec::{KnownViolation, requirement};

    fn known(ids: &[&str]) -> KnownViolations {
        let known = ids.iter().copied().map(KnownViolation::from);
        KnownViolations::resolve(known).expect("they exist")
    }

    /// An outcome with one failure, of `tools.list.respond`.
    fn failed() -> Outcome {
        let mut outcome = Outcome { profile: Profile::Adaptive, ..sample::failed() };
        outcome.checks.retain(|check| matches!(&*check.id, "server-answers" | "tools-list"));
        outcome
    }

    #[test]
    fn what_is_known_does_not_fail_and_is_no_problem() {
        let outcome = failed().expecting(&known(&["tools.list.respond"]));
        assert_eq!((outcome.verdict, outcome.failing().count()), (Verdict::Passed, 0));
        let mut problems = Problems::default();
        problems.add(&outcome);
        assert!(problems.sorted().is_empty());

        let other = failed().expecting(&known(&["ping.result-empty"]));
        assert_eq!((other.verdict, other.failing().count()), (Verdict::Failed, 1));
        let official = Outcome { profile: Profile::Official, ..failed() };
        let official = official.expecting(&known(&["tools.list.respond"]));
        assert_eq!(official.verdict, Verdict::Failed);
    }

    #[test]
    fn what_is_known_hides_no_other_failure() {
        let mut outcome = failed();
        let mut other = outcome.checks[1].clone();
        other.finding.as_mut().expect("a finding").requirements = vec!["tools.list.names"];
        outcome.checks.push(other);
        let outcome = outcome.expecting(&known(&["tools.list.respond"]));
        assert_eq!((outcome.verdict, outcome.failing().count()), (Verdict::Failed, 1));
    }

    #[test]
    fn an_outcome_shows_what_is_broken_and_what_was_tried() {
        let find = |id| requirement::find(id).expect("it exists");
        let mut outcome = failed();
        outcome.checks[0].tested.insert("ping.result-empty");
        let shown = ["tools.list.respond", "ping.result-empty", "jsonrpc.error-shape"]
            .map(|id| outcome.shows(find(id)));
        assert_eq!(shown, [Shown::Broken, Shown::Kept, Shown::Nothing]);
        // The revision does not have it.
        outcome.cell.revision = crate::spec::Revision::NEWEST;
        assert_eq!(outcome.shows(find("ping.result-empty")), Shown::Nothing);
    }
}
