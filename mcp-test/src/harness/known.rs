//! Known violations: what the runs of a scenario, and the scenarios of a target, show about them together.
//!
//! A violation is known where it is declared: by the attribute for all runs of its scenario, by a target for all scenarios of the
//! default target and all suites of `conformance` together. One that no longer occurs is reported when the last of these has ended,
//! and only if all of them were run in this process and none failed: otherwise something that was not reached might have shown it.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use mcp_test_core::expect::words;
use mcp_test_core::failure_report;
use mcp_test_core::run::single::ScenarioRunResult;
use mcp_test_core::run::{KnownResults, Outcome, Tested};
use mcp_test_core::scenario::{UserBody, UserScenario, user_scenarios};
use mcp_test_core::spec::{KnownViolation, KnownViolations, Requirement, UnknownRequirement};

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

/// What targets declare, over the scenarios of the default target and the suites of `conformance`.
#[derive(Debug)]
struct DeclaredByTargets {
    /// The names of the tests that have not ended, apart from those with `#[ignore]`.
    tests: BTreeSet<String>,
    /// The suites that have not ended, and what their targets declare.
    suites: Vec<(String, Vec<&'static Requirement>)>,
    results: KnownResults,
}

/// Those of this test binary. Which scenarios have one and the same target of their own cannot be seen from here.
static DECLARED_BY_TARGETS: Mutex<Option<DeclaredByTargets>> = Mutex::new(None);

/// Changes those of this test binary.
fn with_targets<T>(change: impl FnOnce(&mut DeclaredByTargets) -> T) -> T {
    let mut declared = DECLARED_BY_TARGETS.lock().unwrap_or_else(PoisonError::into_inner);
    change(declared.get_or_insert_with(DeclaredByTargets::new))
}

/// Announces a suite, before whose end nothing is reported that its target declares.
#[cfg(feature = "harness")]
pub(super) fn expect_suite(name: &str, known: &KnownViolations) {
    let known = known.iter().map(|(requirement, _)| requirement).collect();
    with_targets(|declared| declared.suites.push((name.to_owned(), known)));
}

/// Adds what a suite shows, all of which was run; returns what no longer occurs if nothing else is to come.
#[cfg(any(feature = "harness", feature = "cases"))]
pub(super) fn add_suite(name: &str, results: &KnownResults) -> Option<String> {
    with_targets(|declared| declared.end(name, results))
}

impl KnownOfScenario {
    /// Nothing is known yet of so many runs.
    pub(super) fn new(scenario: &UserScenario, environment: &Environment, runs: usize) -> Self {
        let is_of_default = has_default_target(scenario);
        Self {
            name: scenario.test_name(),
            declared: (scenario.known)(),
            is_of_default,
            is_strict: environment.known_is_strict,
            state: Mutex::new(State { left: runs, ..State::default() }),
        }
    }

    /// The known violations of a run with this target; those of the attribute come first.
    pub(super) fn for_run(&self, tested: &Tested) -> Result<KnownViolations, UnknownRequirement> {
        let of_target = tested.known_violations();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // Even if the run does not end, so that its target is known to declare them.
        state.of_target.add(&KnownViolations::resolve(of_target.iter().cloned())?, None);
        KnownViolations::resolve(self.declared.iter().cloned().chain(of_target))
    }

    /// Adds a run that has ended, and returns what no longer occurs if it was the last one.
    pub(super) fn add(&self, result: &ScenarioRunResult) -> Vec<String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = match result {
            ScenarioRunResult::Finished(outcome) => Some(&**outcome),
            ScenarioRunResult::Unsupported(_) => None,
            ScenarioRunResult::Skipped(_)
            | ScenarioRunResult::Undecided(_)
            | ScenarioRunResult::NotRun(_) => {
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
        let end = |declared: &mut DeclaredByTargets| declared.end(&self.name, &state.of_target);
        let of_target = self.is_of_default.then(|| with_targets(end)).flatten();
        of_attribute.into_iter().chain(of_target).collect()
    }
}

impl DeclaredByTargets {
    /// Adds what a test or suite shows that has ended, and returns what no longer occurs of what nothing else can show.
    fn end(&mut self, name: &str, results: &KnownResults) -> Option<String> {
        self.results.merge(results);
        let suite = self.suites.iter().position(|(suite, _)| suite == name);
        // A test with `#[ignore]` is not waited for. What the default target declares is known when its tests have run.
        let was_awaited =
            suite.map(|at| self.suites.swap_remove(at)).is_some() | self.tests.remove(name);
        if !was_awaited || !self.tests.is_empty() {
            return None;
        }
        let to_come = self.suites.iter().flat_map(|(_, known)| known).copied().collect();
        let ended = self.results.take_except(&to_come);
        ended.stale("`Target::known` or `mcp_test::target!`")
    }

    /// Before any has run.
    fn new() -> Self {
        let tests = user_scenarios().into_iter().filter(|scenario| scenario.ignored.is_none());
        let of_target = tests.filter(|scenario| has_default_target(scenario));
        let tests = of_target.map(UserScenario::test_name).collect();
        Self { tests, suites: Vec::new(), results: KnownResults::default() }
    }
}

/// Whether a scenario tests the default target.
fn has_default_target(scenario: &UserScenario) -> bool {
    matches!(scenario.body, UserBody::Server { target: None, .. })
}
