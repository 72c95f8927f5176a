//! Known violations: what the runs of a scenario, and the scenarios of a target, show about them together.
//!
//! A violation is known where it is declared: by the attribute for all runs of its scenario, by a target for all scenarios that
//! test it. One that no longer occurs is reported when the last of these has ended, and only if all of them were run in this
//! process and none failed: otherwise something that was not reached might have shown it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use mcp_test_core::expect::words;
use mcp_test_core::failure_report;
use mcp_test_core::run::single::CellResult;
use mcp_test_core::run::{Outcome, Shown, Tested};
use mcp_test_core::scenario::{UserScenario, user_scenarios};
use mcp_test_core::spec::{KnownViolation, KnownViolations, UnknownRequirement, requirement};

use super::environment::Environment;
use super::source::Source;

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

/// What scenario runs show about known violations that are declared at one place.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    known: Vec<(&'static str, KnownViolation)>,
    broken: BTreeSet<&'static str>,
    /// How many scenario runs have tried each without breaking it.
    kept: BTreeMap<&'static str, usize>,
    has_failed: bool,
}

impl Ledger {
    /// Adds what a run shows; `None` if it was not run.
    pub(super) fn add(&mut self, known: &KnownViolations, outcome: Option<&Outcome>) {
        for (id, violation) in known.iter() {
            if !self.known.iter().any(|(other, _)| *other == id) {
                self.known.push((id, violation.clone()));
            }
            let row = requirement::find(id);
            match row.zip(outcome).map(|(row, outcome)| outcome.shows(row)) {
                Some(Shown::Broken) => drop(self.broken.insert(id)),
                Some(Shown::Kept) => *self.kept.entry(id).or_default() += 1,
                Some(Shown::Nothing) | None => {}
            }
        }
    }

    /// Notes that a run has failed, or was not possible.
    pub(super) fn note_failure(&mut self) {
        self.has_failed = true;
    }

    /// Adds what other runs show.
    fn merge(&mut self, other: &Self) {
        self.has_failed |= other.has_failed;
        self.broken.extend(&other.broken);
        other.kept.iter().for_each(|(id, times)| *self.kept.entry(id).or_default() += times);
        for (id, violation) in &other.known {
            if !self.known.iter().any(|(known, _)| known == id) {
                self.known.push((id, violation.clone()));
            }
        }
    }

    /// The report on the known violations that were tried, and no longer occur; `None` if there are none.
    pub(super) fn stale(&self, declared: &str) -> Option<String> {
        let mut text = String::new();
        for (id, violation) in &self.known {
            let kept = self.kept.get(id).copied().unwrap_or_default();
            if self.has_failed || self.broken.contains(id) || kept == 0 {
                continue;
            }
            let runs = words::count(kept, "scenario run");
            let _ = writeln!(
                text,
                "the known violation `{id}` no longer occurs\n  \
                 expected a violation\n  \
                 got none, although {runs} tried it\n  \
                 known: {violation}\n  \
                 hint: remove `{id}` from {declared}"
            );
        }
        (!text.is_empty()).then_some(text)
    }
}

/// Known violations over the runs of a scenario.
#[derive(Debug, Default)]
pub(super) struct KnownOfScenario {
    /// The name of its test.
    name: String,
    declared: Vec<KnownViolation>,
    target: Option<usize>,
    /// Whether one that no longer occurs fails the scenario.
    pub(super) is_strict: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// How many runs have not ended.
    left: usize,
    of_attribute: Ledger,
    of_target: Ledger,
}

/// The scenarios of one target.
#[derive(Debug, Default)]
struct TargetState {
    /// The names of the tests that have not ended, apart from those with `#[ignore]`.
    left: BTreeSet<String>,
    ledger: Ledger,
}

/// By what identifies a target in this process.
static TARGETS: Mutex<BTreeMap<usize, TargetState>> = Mutex::new(BTreeMap::new());

impl KnownOfScenario {
    /// Nothing is known yet of so many runs.
    pub(super) fn new(
        scenario: &UserScenario,
        source: &Source,
        environment: &Environment,
        runs: usize,
    ) -> Self {
        let (name, target) = (scenario.test_name(), source.key());
        if let Some(target) = target {
            let mut targets = TARGETS.lock().unwrap_or_else(PoisonError::into_inner);
            targets.entry(target).or_insert_with(|| TargetState::of(target, environment));
        }
        Self {
            name,
            declared: (scenario.known)(),
            target,
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
            CellResult::Undecided(_) | CellResult::NotRun(_) => {
                state.of_attribute.note_failure();
                None
            }
        };
        if outcome.is_some_and(|outcome| outcome.verdict.is_failing()) {
            state.of_attribute.note_failure();
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
        state.of_target.has_failed = state.of_attribute.has_failed;
        let of_attribute = state.of_attribute.stale("`known` of `#[mcp_scenario]`");
        of_attribute.into_iter().chain(self.of_target(&state.of_target)).collect()
    }

    /// Adds the scenario to those of its target, and returns what no longer occurs if it was the last one.
    fn of_target(&self, ledger: &Ledger) -> Option<String> {
        let mut targets = TARGETS.lock().unwrap_or_else(PoisonError::into_inner);
        let target = targets.get_mut(&self.target?)?;
        target.ledger.merge(ledger);
        // One with `#[ignore]` is not waited for.
        let was_awaited = target.left.remove(&self.name);
        let is_last = was_awaited && target.left.is_empty();
        is_last.then(|| target.ledger.stale("the known violations of the target"))?
    }
}

impl Ledger {
    /// The known violations of which it keeps the results.
    fn violations(&self) -> KnownViolations {
        let known = self.known.iter().map(|(_, violation)| violation.clone());
        // Their requirements were found when they were added.
        KnownViolations::resolve(known).unwrap_or_default()
    }
}

impl TargetState {
    /// That of a target of which no scenario has run.
    fn of(target: usize, environment: &Environment) -> Self {
        let tests = user_scenarios().into_iter().filter(|scenario| scenario.ignored.is_none());
        let of_target = tests.filter(|scenario| {
            let source = Source::of_scenario(&scenario.body, environment);
            source.is_ok_and(|source| source.key() == Some(target))
        });
        let left = of_target.map(UserScenario::test_name).collect();
        Self { left, ledger: Ledger::default() }
    }
}
