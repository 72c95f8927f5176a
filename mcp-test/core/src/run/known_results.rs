//! Known violations over several scenario runs: which still occur, and which were tried and no longer do.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::{Outcome, ScenarioRun, Shown};
use crate::expect::words;
use crate::spec::{KnownViolation, KnownViolations, Requirement};

/// How many of the runs are named that have tried a violation that no longer occurs.
const NAMED_RUNS: usize = 4;

/// What scenario runs show about known violations that are declared at one place.
#[derive(Debug, Clone, Default)]
pub struct KnownResults {
    known: Vec<(&'static Requirement, KnownViolation)>,
    broken: BTreeSet<&'static Requirement>,
    /// The scenario runs that have tried each without breaking it.
    kept: BTreeMap<&'static Requirement, BTreeSet<String>>,
    is_incomplete: bool,
    /// Those of incomplete runs that were merged.
    undecided: BTreeSet<&'static Requirement>,
}

/// `ping at 2025-11-25 over stdio`
fn name_of_run(outcome: &Outcome) -> String {
    let ScenarioRun { scenario, revision, transport, .. } = &outcome.scenario_run;
    format!("{} at {revision} over {transport}", scenario.id)
}

impl KnownResults {
    /// Those that are declared, before any run.
    #[must_use]
    pub fn new(known: &KnownViolations) -> Self {
        let mut results = Self::default();
        results.add(known, None);
        results
    }

    /// Adds what a run shows about all that are declared.
    pub fn add_outcome(&mut self, outcome: &Outcome) {
        if !self.known.is_empty() {
            self.add(&self.violations(), Some(outcome));
        }
    }

    /// Adds what a run shows; `None` if it was not run.
    pub fn add(&mut self, known: &KnownViolations, outcome: Option<&Outcome>) {
        for (requirement, violation) in known.iter() {
            self.declare(requirement, violation);
            match outcome.map(|outcome| outcome.shows(requirement)) {
                Some(Shown::Broken) => drop(self.broken.insert(requirement)),
                Some(Shown::Kept) => {
                    self.kept.entry(requirement).or_default().extend(outcome.map(name_of_run));
                }
                Some(Shown::Nothing) | None => {}
            }
        }
    }

    /// Notes that something was not run to its end that might have shown a violation, so that none is regarded as gone.
    pub fn note_incomplete(&mut self) {
        self.is_incomplete = true;
    }

    /// Whether something was not run to its end.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// Adds what other runs show.
    pub fn merge(&mut self, other: &Self) {
        let undecided = other.known.iter().filter(|_| other.is_incomplete);
        self.undecided.extend(
            undecided.map(|(requirement, _)| *requirement).chain(other.undecided.iter().copied()),
        );
        self.broken.extend(&other.broken);
        for (requirement, runs) in &other.kept {
            self.kept.entry(requirement).or_default().extend(runs.iter().cloned());
        }
        other.known.iter().for_each(|(requirement, it)| self.declare(requirement, it));
    }

    /// Takes all but those of these requirements.
    #[must_use]
    pub fn take_except(&mut self, kept: &BTreeSet<&Requirement>) -> Self {
        let mut taken = self.clone();
        taken.known.retain(|(requirement, _)| !kept.contains(requirement));
        self.known.retain(|(requirement, _)| kept.contains(requirement));
        taken
    }

    fn declare(&mut self, requirement: &'static Requirement, violation: &KnownViolation) {
        if !self.known.iter().any(|(known, _)| *known == requirement) {
            self.known.push((requirement, violation.clone()));
        }
    }

    /// The known violations.
    #[must_use]
    pub fn violations(&self) -> KnownViolations {
        let known = self.known.iter().map(|(_, violation)| violation.clone());
        // Their requirements were found when they were added.
        KnownViolations::resolve(known).unwrap_or_default()
    }

    /// Those that occurred.
    pub fn occurring(&self) -> impl Iterator<Item = &KnownViolation> {
        let known = self.known.iter().filter(|(requirement, _)| self.broken.contains(requirement));
        known.map(|(_, violation)| violation)
    }

    /// Those that were tried and did not occur, with the number of scenario runs that tried them.
    pub fn gone(&self) -> impl Iterator<Item = (&'static Requirement, &KnownViolation, usize)> {
        let may_occur =
            |it: &&'static Requirement| self.broken.contains(it) || self.undecided.contains(it);
        let known = self
            .known
            .iter()
            .filter(move |(requirement, _)| !self.is_incomplete && !may_occur(requirement));
        known.filter_map(|(it, violation)| Some((*it, violation, self.kept.get(it)?.len())))
    }

    /// The report on those that no longer occur, and where they are to be removed from; `None` if there are none.
    #[must_use]
    pub fn stale(&self, declared: &str) -> Option<String> {
        let mut text = String::new();
        for (requirement, violation, kept) in self.gone() {
            let runs = words::count(kept, "scenario run");
            let tried = self.kept.get(requirement).into_iter().flatten();
            let named = words::list(tried.take(NAMED_RUNS), "and");
            let more = if kept > NAMED_RUNS { ", …" } else { "" };
            let _ = writeln!(
                text,
                "the known violation `{requirement}` no longer occurs\n  \
                 expected a violation\n  \
                 got none, although {runs} tried it: {named}{more}\n  \
                 known: {violation}\n  \
                 hint: remove `{requirement}` from {declared}"
            );
        }
        (!text.is_empty()).then_some(text)
    }
}
