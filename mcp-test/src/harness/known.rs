//! Known violations: what the runs of a scenario, and the scenarios of a target, show about them together.
//!
//! A violation is known where it is declared: by the attribute for all runs of its scenario, by the default target for all scenarios
//! that test it. One that no longer occurs is reported when the last of these has ended, and only if all of them were run in this
//! process and none failed: otherwise something that was not reached might have shown it.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use mcp_test_core::expect::words;
use mcp_test_core::failure_report;
use mcp_test_core::run::single::CellResult;
use mcp_test_core::run::{KnownResults, Outcome, Tested};
use mcp_test_core::scenario::{UserBody, UserScenario, user_scenarios};
use mcp_test_core::spec::{KnownViolation, KnownViolations, UnknownRequirement};

use super::environment::Environment;

/// What failed as expected in these runs; `None` if nothing did.
pub(super) fn expected_failures(outcomes: &[&Outcome]) -> Option<String> {
    let mut known: Vec<String> = Vec::new();
    for check in outcomes.iter().flat_map(|outcome| failure_report::expected(outcome)) {
        for violation in &check.known {
            let text = violation.to_string();
            if !known.contains(&text) {
                known.push(text);
            }
        }
    }
    (!known.is_empty()).then(|| words::list(known, "and"))
}

/// Known violations over the runs of a scenario.
#[derive(Debug, Default)]
pub(super) struct KnownOfScenario {
    /// The name of its test.
    name: String,
    declared: Vec<KnownViolation>,
    is_of_default: bool,
    /// Whether one that no longer occurs fails the scenario.
    pub(super) is_strict: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// How many runs have not ended.
    left: usize,
    of_attribute: KnownResults,
    of_target: KnownResults,
}

/// The scenarios of the default target.
#[derive(Debug)]
struct TargetState {
    /// The names of the tests that have not ended, apart from those with `#[ignore]`.
    left: BTreeSet<String>,
    results: KnownResults,
}

/// That of this test binary. Which scenarios have one and the same target of their own cannot be seen from here.
static DEFAULT_TARGET: Mutex<Option<TargetState>> = Mutex::new(None);

impl KnownOfScenario {
    /// Nothing is known yet of so many runs.
    pub(super) fn new(scenario: &UserScenario, environment: &Environment, runs: usize) -> Self {
        let is_of_default = has_default_target(scenario);
        if is_of_default {
            let mut target = DEFAULT_TARGET.lock().unwrap_or_else(PoisonError::into_inner);
            target.get_or_insert_with(TargetState::new);
        }
        Self {
            name: scenario.test_name(),
            declared: (scenario.known)(),
            is_of_default,
            is_strict: environment.known_is_strict,
            state: Mutex::new(State { left: runs, ..State::default() }),
        }
    }

    /// The known violations of a run with this target; those of the attribute come first.
    pub(super) fn of_run(&self, tested: &Tested) -> Result<KnownViolations, UnknownRequirement> {
        let of_target = tested.known_violations();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // Even if the run does not end, so that its target is known to declare them.
        state.of_target.add(&KnownViolations::resolve(of_target.iter().cloned())?, None);
        KnownViolations::resolve(self.declared.iter().cloned().chain(of_target))
    }

    /// Adds a run that has ended, and returns what no longer occurs if it was the last one.
    pub(super) fn add(&self, result: &CellResult) -> Vec<String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = match result {
            CellResult::Finished(outcome) => Some(&**outcome),
            CellResult::Unsupported(_) => None,
            CellResult::Skipped(_) | CellResult::Undecided(_) | CellResult::NotRun(_) => {
                state.of_attribute.note_incomplete();
                None
            }
        };
        if outcome.is_some_and(|outcome| outcome.verdict.is_failing()) {
            state.of_attribute.note_incomplete();
        }
        // The macro has checked the ids of the attribute, and `of_run` those of the target.
        let declared = KnownViolations::resolve(self.declared.iter().cloned()).unwrap_or_default();
        state.of_attribute.add(&declared, outcome);
        let of_target = state.of_target.violations();
        state.of_target.add(&of_target, outcome);
        state.left = state.left.saturating_sub(1);
        if state.left > 0 {
            return Vec::new();
        }
        if state.of_attribute.is_incomplete() {
            state.of_target.note_incomplete();
        }
        let of_attribute = state.of_attribute.stale("`known` of `#[mcp_scenario]`");
        of_attribute.into_iter().chain(self.of_target(&state.of_target)).collect()
    }

    /// Adds the scenario to those of its target, and returns what no longer occurs if it was the last one.
    fn of_target(&self, results: &KnownResults) -> Option<String> {
        let mut target = DEFAULT_TARGET.lock().unwrap_or_else(PoisonError::into_inner);
        let target = target.as_mut().filter(|_| self.is_of_default)?;
        target.results.merge(results);
        // One with `#[ignore]` is not waited for.
        let was_awaited = target.left.remove(&self.name);
        let is_last = was_awaited && target.left.is_empty();
        is_last.then(|| target.results.stale("`mcp_test::target!`"))?
    }
}

impl TargetState {
    /// That of a target of which no scenario has run.
    fn new() -> Self {
        let tests = user_scenarios().into_iter().filter(|scenario| scenario.ignored.is_none());
        let of_target = tests.filter(|scenario| has_default_target(scenario));
        let left = of_target.map(UserScenario::test_name).collect();
        Self { left, results: KnownResults::default() }
    }
}

/// Whether a scenario tests the default target.
fn has_default_target(scenario: &UserScenario) -> bool {
    matches!(scenario.body, UserBody::Server { target: None, .. })
}
