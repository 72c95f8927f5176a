//! The status of every check that counts, over all scenario runs of a scenario.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Outcome, ScenarioRun, Verdict};
use crate::check::{Check, Status};
use crate::scenario::{Profile, TestedSide};

/// From how many checks of a scenario on their places are kept: a case may have 20,000, and others have a few.
const MANY: usize = 32;

/// The results of all scenarios that were run; clones share them.
#[derive(Debug, Clone, Default)]
pub struct Results {
    scenarios: Arc<Vec<ScenarioResults>>,
    /// The place of each scenario in `scenarios`.
    places: Arc<HashMap<(TestedSide, String), usize>>,
}

/// The results of one scenario over all its scenario runs.
#[derive(Debug, Clone)]
pub(super) struct ScenarioResults {
    pub(super) tested_side: TestedSide,
    pub(super) id: String,
    /// Whether some scenario run could not be run, so that a check may still fail there.
    pub(super) partial: bool,
    checks: Vec<CheckResult>,
    /// The place of each check in `checks`, if they are [`MANY`].
    places: HashMap<String, usize>,
}

/// The most severe status of one check over all scenario runs.
#[derive(Debug, Clone)]
struct CheckResult {
    id: String,
    status: Status,
    /// Whether it is unexpected without an entry in the baseline.
    fails: bool,
}

impl Results {
    /// Adds an outcome. A skipped scenario run has no results, and one that could not be run only makes the scenario `partial`.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        if outcome.verdict == Verdict::Skipped {
            return;
        }
        let (tested_side, id) =
            (outcome.scenario_run.scenario.tested_side, &*outcome.scenario_run.scenario.id);
        let results = self.of(tested_side, id);
        if outcome.verdict == Verdict::NotRun {
            results.partial = true;
            return;
        }
        for check in outcome.checks.iter().filter(|check| outcome.counts(check)) {
            let fails = needs_entry(outcome, check);
            results.add(&check.id, check.status, fails);
        }
    }

    /// Notes that a scenario run is not run, so that its scenario is `partial`.
    pub(super) fn leave_out(&mut self, scenario_run: &ScenarioRun) {
        self.of(scenario_run.scenario.tested_side, &scenario_run.scenario.id).partial = true;
    }

    /// The results of a scenario, which are added if there are none.
    fn of(&mut self, tested_side: TestedSide, id: &str) -> &mut ScenarioResults {
        let scenarios = Arc::make_mut(&mut self.scenarios);
        let place = *Arc::make_mut(&mut self.places)
            .entry((tested_side, id.to_owned()))
            .or_insert_with(|| {
                scenarios.push(ScenarioResults::without_results(tested_side, id));
                scenarios.len() - 1
            });
        &mut scenarios[place]
    }

    /// The results of a scenario, if there are any.
    pub(super) fn get(&self, tested_side: TestedSide, id: &str) -> Option<&ScenarioResults> {
        self.places.get(&(tested_side, id.to_owned())).map(|place| &self.scenarios[*place])
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
    /// The results of these scenario runs.
    fn from_iter<I: IntoIterator<Item = &'a Outcome>>(outcomes: I) -> Self {
        let mut results = Self::default();
        for outcome in outcomes {
            results.add(outcome);
        }
        results
    }
}

impl ScenarioResults {
    fn without_results(tested_side: TestedSide, id: &str) -> Self {
        let (checks, places) = (Vec::new(), HashMap::new());
        Self { tested_side, id: id.to_owned(), partial: false, checks, places }
    }

    fn add(&mut self, id: &str, status: Status, fails: bool) {
        if let Some(place) = self.place(id) {
            let it = &mut self.checks[place];
            it.status = it.status.max(status);
            it.fails |= fails;
            return;
        }
        self.checks.push(CheckResult { id: id.to_owned(), status, fails });
        let last = self.checks.len() - 1;
        match self.checks.len() {
            ..MANY => {}
            MANY => {
                let places = self.checks.iter().enumerate();
                self.places = places.map(|(place, check)| (check.id.clone(), place)).collect();
            }
            _ => drop(self.places.insert(id.to_owned(), last)),
        }
    }

    fn place(&self, check: &str) -> Option<usize> {
        match self.places.is_empty() {
            true => self.checks.iter().position(|it| it.id == check),
            false => self.places.get(check).copied(),
        }
    }

    /// The most severe status of one check.
    pub(super) fn status(&self, check: &str) -> Option<Status> {
        self.place(check).map(|place| self.checks[place].status)
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
    pub(super) fn new(
        tested_side: TestedSide,
        id: &'static str,
        checks: &[(&str, Status)],
    ) -> Self {
        let mut results = Self::without_results(tested_side, id);
        for (id, status) in checks {
            results.add(id, *status, status.is_failing());
        }
        results
    }
}

#[cfg(test)]
impl FromIterator<ScenarioResults> for Results {
    fn from_iter<I: IntoIterator<Item = ScenarioResults>>(scenarios: I) -> Self {
        let scenarios: Vec<ScenarioResults> = scenarios.into_iter().collect();
        let places = scenarios
            .iter()
            .enumerate()
            .map(|(place, it)| ((it.tested_side, it.id.clone()), place));
        Self { places: Arc::new(places.collect()), scenarios: Arc::new(scenarios) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_check_has_one_result_however_many_there_are() {
        for count in [MANY - 1, MANY, 3 * MANY] {
            let mut results = ScenarioResults::without_results(TestedSide::Server, "long");
            for status in [Status::Success, Status::Failure, Status::Success] {
                (0..count).for_each(|number| results.add(&number.to_string(), status, false));
            }
            assert_eq!(results.checks.len(), count);
            assert!(results.checks.iter().all(|it| it.status == Status::Failure));
            assert_eq!(results.status(&(count - 1).to_string()), Some(Status::Failure));
            assert_eq!(results.status(&count.to_string()), None);
        }
    }
}
