//! The status of every check that counts, over all cells of a scenario.

use std::collections::HashMap;

use super::{Cell, Outcome, Verdict};
use crate::check::{Check, Status};
use crate::scenario::{Leg, Profile};

/// The results of all scenarios that were run.
#[derive(Debug, Clone, Default)]
pub struct Results {
    scenarios: Vec<ScenarioResults>,
}

/// The results of one scenario over all its cells.
#[derive(Debug, Clone)]
pub(super) struct ScenarioResults {
    pub(super) leg: Leg,
    pub(super) id: String,
    /// Whether some cell could not be run, so that a check may still fail there.
    pub(super) partial: bool,
    checks: Vec<CheckResult>,
    /// The place of each check in `checks`.
    places: HashMap<String, usize>,
}

/// The most severe status of one check over all cells.
#[derive(Debug, Clone)]
struct CheckResult {
    id: String,
    status: Status,
    /// Whether it is unexpected without an entry in the baseline.
    fails: bool,
}

impl Results {
    /// Adds an outcome. A skipped cell has no results, and one that could not be run only makes the scenario `partial`.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        if outcome.verdict == Verdict::Skipped {
            return;
        }
        let (leg, id) = (outcome.cell.scenario.leg, &*outcome.cell.scenario.id);
        let results = self.of(leg, id);
        if outcome.verdict == Verdict::NotRun {
            results.partial = true;
            return;
        }
        for check in outcome.checks.iter().filter(|check| outcome.counts(check)) {
            let fails = needs_entry(outcome, check);
            results.add(&check.id, check.status, fails);
        }
    }

    /// Notes that a cell is not run, so that its scenario is `partial`.
    pub(super) fn leave_out(&mut self, cell: &Cell) {
        self.of(cell.scenario.leg, &cell.scenario.id).partial = true;
    }

    /// The results of a scenario, which are added if there are none.
    fn of(&mut self, leg: Leg, id: &str) -> &mut ScenarioResults {
        let known = self.scenarios.iter().position(|it| (it.leg, &*it.id) == (leg, id));
        let index = known.unwrap_or_else(|| {
            self.scenarios.push(ScenarioResults::without_results(leg, id));
            self.scenarios.len() - 1
        });
        &mut self.scenarios[index]
    }

    pub(super) fn scenarios(&self) -> impl Iterator<Item = &ScenarioResults> {
        self.scenarios.iter()
    }
}

/// Whether a check is unexpected without an entry in the baseline.
pub fn needs_entry(outcome: &Outcome, check: &Check) -> bool {
    outcome.counts(check)
        && check.known.is_empty()
        && match check.status {
            Status::Failure => true,
            // As in the official suite a warning needs an entry; only `adaptive` does not count it.
            Status::Warning => outcome.profile != Profile::Adaptive,
            Status::Success | Status::Skipped | Status::Info => false,
        }
}

impl<'a> FromIterator<&'a Outcome> for Results {
    /// The results of these cells.
    fn from_iter<I: IntoIterator<Item = &'a Outcome>>(outcomes: I) -> Self {
        let mut results = Self::default();
        for outcome in outcomes {
            results.add(outcome);
        }
        results
    }
}

impl ScenarioResults {
    fn without_results(leg: Leg, id: &str) -> Self {
        let (checks, places) = (Vec::new(), HashMap::new());
        Self { leg, id: id.to_owned(), partial: false, checks, places }
    }

    fn add(&mut self, id: &str, status: Status, fails: bool) {
        match self.places.get(id) {
            Some(place) => {
                let it = &mut self.checks[*place];
                it.status = it.status.max(status);
                it.fails |= fails;
            }
            None => {
                self.places.insert(id.to_owned(), self.checks.len());
                self.checks.push(CheckResult { id: id.to_owned(), status, fails });
            }
        }
    }

    /// The most severe status of one check.
    pub(super) fn status(&self, check: &str) -> Option<Status> {
        self.places.get(check).map(|place| self.checks[*place].status)
    }

    /// The most severe status of all checks.
    pub(super) fn worst(&self) -> Option<Status> {
        self.checks.iter().map(|it| it.status).max()
    }

    /// The checks whose failure is unexpected without an entry.
    pub(super) fn failing(&self) -> impl Iterator<Item = &str> {
        self.checks.iter().filter(|it| it.fails).map(|it| it.id.as_str())
    }

    #[cfg(test)]
    pub(super) fn new(leg: Leg, id: &'static str, checks: &[(&str, Status)]) -> Self {
        let mut results = Self::without_results(leg, id);
        for (id, status) in checks {
            results.add(id, *status, status.is_failing());
        }
        results
    }
}

#[cfg(test)]
impl FromIterator<ScenarioResults> for Results {
    fn from_iter<I: IntoIterator<Item = ScenarioResults>>(scenarios: I) -> Self {
        Self { scenarios: scenarios.into_iter().collect() }
    }
}
