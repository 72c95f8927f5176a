//! A problem: one cause, with everything that it showed in.

use std::collections::BTreeSet;

use super::outcome::STDERR_LINES;
use super::results::needs_entry;
use super::{Comparison, Outcome, ScenarioRun};
use crate::check::{Blame, Check, Finding, Status};
use crate::scenario::{CLIENT_EXIT, Profile};
use crate::spec::{Requirement, Revision, Revisions};
use crate::trace;
use crate::transport::TransportKind;

/// How many other things that were found of one cause are kept.
const VARIANTS: usize = 5;

/// How severe a problem is; the order is that of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// It counts against the peer.
    Failing,
    /// Something could not be tested, and the peer is not to blame.
    NotRun,
    /// A WARNING without effect on the verdict.
    Warning,
    /// It does not count in the profile.
    Advisory,
}

/// One cause, with everything that it showed in.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The scenario run that shows it.
    pub example: Example,
    /// The checks that failed or warn because of it.
    pub occurrences: Vec<Occurrence>,
    /// What else was found of the same cause: headlines and values that differ from those of the example.
    pub variants: BTreeSet<String>,
    /// How many checks could not be made because of it.
    pub not_reached: usize,
    /// How many scenario runs were not made because of it.
    pub not_run: usize,
    /// In how many scenario runs the client then ended badly.
    pub bad_exits: usize,
    /// How the client then ended, in words; not every way, if there are many.
    pub exits: BTreeSet<String>,
    level: Level,
    /// The requirements that its findings cite, in the order in which they were made.
    cited: Vec<&'static Requirement>,
    /// Whether the finding of the example ended its scenario.
    ends_scenario: bool,
}

/// The scenario run in which a problem showed most clearly.
#[derive(Debug, Clone)]
pub struct Example {
    /// The scenario run.
    pub scenario_run: ScenarioRun,
    /// The profile by which it was judged.
    pub profile: Profile,
    /// The check, with only this finding.
    pub check: Check,
    /// The messages that show it, as text; empty without evidence.
    pub exchange: String,
    /// The last lines that the peer wrote to standard error.
    pub stderr_tail: Vec<String>,
    /// How the program behind the URL exited, if it had.
    pub exited: Option<String>,
}

/// A check that failed, or one with a warning.
#[derive(Debug, Clone)]
pub struct Occurrence {
    /// The scenario run.
    pub scenario_run: ScenarioRun,
    /// The id of the check.
    pub check: String,
    /// FAILURE or WARNING.
    pub status: Status,
    level: Level,
    /// Whether it is unexpected without an entry in the baseline.
    needs_entry: bool,
}

impl Problem {
    pub(super) fn new(check: &Check, outcome: &Outcome) -> Self {
        Self {
            example: Example::new(check, outcome),
            occurrences: Vec::new(),
            variants: BTreeSet::new(),
            not_reached: 0,
            not_run: 0,
            bad_exits: 0,
            exits: BTreeSet::new(),
            level: Level::Advisory,
            cited: Vec::new(),
            ends_scenario: false,
        }
    }

    pub(super) fn add(&mut self, check: &Check, outcome: &Outcome) {
        let level = level(check, outcome);
        let known = &self.example.check;
        let is_founded = |check: &Check| check.finding.is_some();
        // What ended a scenario says most plainly what is wrong.
        let ends = ends_scenario(check, outcome);
        let clearer = level < self.level
            || (level == self.level && is_founded(check) && !is_founded(known))
            || (level == self.level && ends && !self.ends_scenario);
        if self.occurrences.is_empty() || clearer {
            self.example = Example::new(check, outcome);
            self.ends_scenario = ends;
        }
        self.level = self.level.min(level);
        if let Some(finding) = &check.finding {
            self.variants.extend(variant(finding).filter(|_| self.variants.len() <= VARIANTS));
        }
        for id in check.broken_requirements() {
            if !self.cited.contains(id) {
                self.cited.push(id);
            }
        }
        if check.id == CLIENT_EXIT && check.finding.as_ref().is_some_and(|it| it.shown_by_exit) {
            self.add_exit(check);
        }
        self.occurrences.push(Occurrence {
            scenario_run: outcome.scenario_run.clone(),
            check: check.id.clone(),
            status: check.status,
            level,
            needs_entry: needs_entry(outcome, check),
        });
    }

    /// Adds a check that was skipped because of it.
    pub(super) fn add_unmade(&mut self, check: &Check) {
        if check.id == CLIENT_EXIT {
            self.add_exit(check);
        } else {
            self.not_reached += 1;
        }
    }

    fn add_exit(&mut self, check: &Check) {
        self.bad_exits += 1;
        self.exits.extend(check.message.clone().filter(|_| self.exits.len() < VARIANTS));
    }

    /// How severe it is.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// How severe it is beside what the baseline expects; `None` if that expects all of it.
    #[must_use]
    pub fn unexpected_level(&self, baseline: Option<&Comparison>) -> Option<Level> {
        let Some(baseline) = baseline else { return Some(self.level) };
        let unexpected = |occurrence: &&Occurrence| !occurrence.is_expected(baseline);
        self.occurrences.iter().filter(unexpected).map(Occurrence::level_with_baseline).min()
    }

    /// The finding of the example.
    #[must_use]
    pub fn finding(&self) -> Option<&Finding> {
        self.example.check.finding.as_ref()
    }

    /// What is wrong, in one sentence.
    #[must_use]
    pub fn headline(&self) -> &str {
        let message = || self.example.check.message.as_deref().unwrap_or("no reason was given");
        let text = self.finding().map_or_else(message, |finding| &finding.headline);
        text.lines().next().unwrap_or_default()
    }

    /// What it is from one run to the next: without the ids, times and ports that a headline may have.
    ///
    /// Two problems of a run may have the same.
    #[must_use]
    pub fn identity(&self) -> String {
        let tested_side = self.example.scenario_run.scenario.tested_side;
        let cause = self.finding().and_then(|finding| finding.cause.as_deref());
        let shape = self.finding().and_then(|finding| finding.shape.as_ref());
        let what = match (cause, shape) {
            (Some(cause), _) => cause.to_string(),
            (None, Some(shape)) => format!("{} {}", shape.name, shape.place().join("/")),
            (None, None) => match self.requirements().first() {
                Some(requirement) => format!("{requirement} {}", self.example.check.id),
                None => self.example.check.id.clone(),
            },
        };
        format!("{tested_side} {what}")
    }

    /// The requirements that the example breaks.
    #[must_use]
    pub fn requirements(&self) -> &[&'static Requirement] {
        self.example.check.broken_requirements()
    }

    /// Further requirements, which are broken where else it showed.
    #[must_use]
    pub fn further_requirements(&self) -> Vec<&'static Requirement> {
        let known = self.requirements();
        self.cited.iter().copied().filter(|it| !known.contains(it)).collect()
    }

    /// The scenario runs in which it showed, in the order of the plan.
    #[must_use]
    pub fn scenario_runs(&self) -> Vec<&ScenarioRun> {
        let mut scenario_runs: Vec<&ScenarioRun> =
            self.occurrences.iter().map(|it| &it.scenario_run).collect();
        scenario_runs.dedup();
        scenario_runs
    }

    /// The ids of the scenarios, in the order of the plan.
    #[must_use]
    pub fn scenarios(&self) -> Vec<&str> {
        distinct(self.occurrences.iter().map(|it| &*it.scenario_run.scenario.id))
    }

    /// The ids of the checks, in the order in which they were made.
    #[must_use]
    pub fn checks(&self) -> Vec<&str> {
        distinct(self.occurrences.iter().map(|it| &*it.check))
    }

    /// The revisions at which it showed.
    #[must_use]
    pub fn revisions(&self) -> Revisions {
        let revisions = self.occurrences.iter().map(|it| it.scenario_run.revision);
        revisions.fold(Revisions::none(), |all, one| all.union(Revisions::only(one)))
    }

    /// The oldest revision at which it showed.
    #[must_use]
    pub fn since(&self) -> Option<Revision> {
        self.revisions().oldest()
    }

    /// The transports over which it showed.
    #[must_use]
    pub fn transports(&self) -> Vec<TransportKind> {
        let transports = distinct(self.occurrences.iter().map(|it| it.scenario_run.transport));
        TransportKind::ALL.into_iter().filter(|it| transports.contains(it)).collect()
    }

    /// The first scenario run that fails because of it.
    #[must_use]
    pub fn first_failing(&self) -> Option<&ScenarioRun> {
        let is_failing = |it: &&Occurrence| it.level <= Level::NotRun;
        self.occurrences.iter().find(is_failing).map(|it| &it.scenario_run)
    }
}

impl Example {
    fn new(check: &Check, outcome: &Outcome) -> Self {
        let evidence = check.finding.as_ref().map(|finding| &*finding.evidence);
        let exchange = trace::excerpt(&outcome.trace, evidence.unwrap_or_default());
        let stderr = outcome.stderr_tail.len().saturating_sub(STDERR_LINES);
        Self {
            scenario_run: outcome.scenario_run.clone(),
            profile: outcome.profile,
            check: check.clone(),
            exchange: exchange.trim_end().to_owned(),
            stderr_tail: outcome.stderr_tail[stderr..].to_vec(),
            exited: outcome.exited.clone(),
        }
    }
}

impl Occurrence {
    /// Whether the baseline expects it.
    #[must_use]
    pub fn is_expected(&self, baseline: &Comparison) -> bool {
        baseline.expects(&self.scenario_run.scenario.id, &self.check)
    }

    /// With a baseline, each warning that it does not name may count as well.
    fn level_with_baseline(&self) -> Level {
        match self.level {
            Level::Warning if self.needs_entry => Level::Failing,
            level => level,
        }
    }
}

/// Whether checks were not made because of what this one found.
fn ends_scenario(check: &Check, outcome: &Outcome) -> bool {
    let Some(cause) = check.finding.as_ref().and_then(|finding| finding.cause.as_ref()) else {
        return false;
    };
    let unmade = outcome.checks.iter().filter(|other| other.status == Status::Skipped);
    unmade.filter_map(|other| other.finding.as_ref()).any(|it| it.cause.as_ref() == Some(cause))
}

fn level(check: &Check, outcome: &Outcome) -> Level {
    if !outcome.counts(check) {
        return Level::Advisory;
    }
    if !outcome.fails(check) {
        return Level::Warning;
    }
    match check.finding.as_ref().map(|finding| finding.blame) {
        Some(Blame::Harness | Blame::Environment | Blame::Test) => Level::NotRun,
        Some(Blame::Peer) | None => Level::Failing,
    }
}

/// What a finding says, for a list of what differs.
fn variant(finding: &Finding) -> Option<String> {
    let got = finding.got.as_deref().unwrap_or_default();
    let got = got.lines().next().unwrap_or_default();
    Some(match (&finding.shape, got) {
        (Some(shape), got) => format!("{} at `{}`: {got}", finding.headline, shape.pointer),
        (None, "") => finding.headline.clone(),
        (None, got) => format!("{}: {got}", finding.headline),
    })
}

fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut all = Vec::new();
    for value in values {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all
}
