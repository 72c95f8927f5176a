//! The status of every check that counts, over all cells of a scenario.

use super::{Outcome, Verdict};
use crate::check::Status;
use crate::scenario::{Leg, Profile};

/// What came of every scenario that was played.
#[derive(Debug, Clone, Default)]
pub struct Results {
    scenarios: Vec<Played>,
}

/// What came of one scenario over all its cells.
#[derive(Debug, Clone)]
pub(super) struct Played {
    pub(super) leg: Leg,
    pub(super) id: &'static str,
    /// Not every cell could be played: what did not fail may fail there.
    pub(super) partial: bool,
    checks: Vec<Made>,
}

/// What came of one check over all cells: the gravest of its statuses.
#[derive(Debug, Clone)]
struct Made {
    id: String,
    status: Status,
    /// Without an entry in the baseline, this is unexpected.
    fails: bool,
}

impl Results {
    /// Adds an outcome. Cells that were skipped say nothing; of one that could not be played, only that is noted.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        if outcome.verdict == Verdict::Skipped {
            return;
        }
        let (leg, id) = (outcome.cell.scenario.leg, outcome.cell.scenario.id);
        let index = match self.scenarios.iter().position(|it| (it.leg, it.id) == (leg, id)) {
            Some(index) => index,
            None => {
                self.scenarios.push(Played { leg, id, partial: false, checks: Vec::new() });
                self.scenarios.len() - 1
            }
        };
        if outcome.verdict == Verdict::NotRun {
            self.scenarios[index].partial = true;
            return;
        }
        for check in outcome.checks.iter().filter(|check| outcome.profile.counts(check)) {
            let fails = match check.status {
                Status::Failure => true,
                Status::Warning => outcome.profile != Profile::Adaptive,
                Status::Success | Status::Skipped | Status::Info => false,
            };
            self.scenarios[index].add(&check.id, check.status, fails);
        }
    }

    pub(super) fn scenarios(&self) -> impl Iterator<Item = &Played> {
        self.scenarios.iter()
    }
}

impl<'a> FromIterator<&'a Outcome> for Results {
    /// What came of these cells.
    fn from_iter<I: IntoIterator<Item = &'a Outcome>>(outcomes: I) -> Self {
        let mut results = Self::default();
        for outcome in outcomes {
            results.add(outcome);
        }
        results
    }
}

impl Played {
    fn add(&mut self, id: &str, status: Status, fails: bool) {
        match self.checks.iter_mut().find(|made| made.id == id) {
            Some(made) => {
                made.status = made.status.max(status);
                made.fails |= fails;
            }
            None => self.checks.push(Made { id: id.to_owned(), status, fails }),
        }
    }

    /// The gravest status of one check.
    pub(super) fn status(&self, check: &str) -> Option<Status> {
        self.checks.iter().find(|made| made.id == check).map(|made| made.status)
    }

    /// The gravest status of all checks.
    pub(super) fn worst(&self) -> Option<Status> {
        self.checks.iter().map(|made| made.status).max()
    }

    /// The checks whose failure is unexpected without an entry.
    pub(super) fn failing(&self) -> impl Iterator<Item = &str> {
        self.checks.iter().filter(|made| made.fails).map(|made| made.id.as_str())
    }

    #[cfg(test)]
    pub(super) fn made(leg: Leg, id: &'static str, checks: &[(&str, Status)]) -> Self {
        let mut played = Self { leg, id, partial: false, checks: Vec::new() };
        for (id, status) in checks {
            played.add(id, *status, status.is_failing());
        }
        played
    }
}

#[cfg(test)]
impl FromIterator<Played> for Results {
    fn from_iter<I: IntoIterator<Item = Played>>(scenarios: I) -> Self {
        Self { scenarios: scenarios.into_iter().collect() }
    }
}
