//! Problems: the findings of a run, those with one cause as one.

use std::collections::{BTreeMap, BTreeSet};

use super::outcome::STDERR_LINES;
use super::results::needs_entry;
use super::{Cell, Comparison, Counts, Outcome, Verdict};
use crate::check::{Blame, Cause, Check, Finding, Origin, Severity, Status};
use crate::scenario::{Leg, Need, Profile};
use crate::spec::{Revision, Revisions};
use crate::trace;
use crate::transport::TransportKind;

/// How many problems are kept of one run, so that a peer cannot fill the memory with made-up names.
const MOST: usize = 1000;

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
#[non_exhaustive]
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
    level: Level,
}

/// The scenario run in which a problem showed most clearly.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Example {
    /// The scenario run.
    pub cell: Cell,
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
#[non_exhaustive]
pub struct Occurrence {
    /// The scenario run.
    pub cell: Cell,
    /// The id of the check.
    pub check: String,
    /// FAILURE or WARNING.
    pub status: Status,
    level: Level,
    /// Whether it is unexpected without an entry in the baseline.
    needs_entry: bool,
}

/// A scenario run that tested nothing.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Untested {
    /// The scenario run.
    pub cell: Cell,
    /// Why.
    pub reason: String,
    /// What it needs and the peer does not offer, if that is why.
    pub unmet: Option<Need>,
}

/// The problems of a run, and what was not tested.
#[derive(Debug, Clone, Default)]
pub struct Problems {
    list: Vec<Problem>,
    index: BTreeMap<Key, usize>,
    untested: Vec<Untested>,
    /// The most severe status of each check over all scenario runs.
    checks: BTreeMap<(Leg, String, String), Status>,
    /// How many findings belong to problems that are not kept.
    more: usize,
}

/// What identifies a problem.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Cause(Cause),
    /// A message shape, and the place in it that is wrong, with `*` for indices.
    Shape(String, Vec<String>),
    /// The first requirement that is broken, and how.
    Requirement(&'static str, String),
    /// A check that fails for another reason than a finding about a requirement.
    Other(String, String),
}

impl Key {
    fn of(check: &Check) -> Self {
        let Some(finding) = &check.finding else {
            return Self::Other(check.id.clone(), check.message.clone().unwrap_or_default());
        };
        if let Some(cause) = &finding.cause {
            return Self::Cause(cause.clone());
        }
        if let Some(shape) = &finding.shape {
            let is_index = |token: &String| token.parse::<usize>().is_ok();
            let tokens = shape.pointer.tokens();
            let place = tokens.map(|it| if is_index(&it) { "*".to_owned() } else { it });
            return Self::Shape(shape.name.clone(), place.collect());
        }
        match finding.requirements.first() {
            Some(requirement) => Self::Requirement(requirement, finding.headline.clone()),
            None => Self::Other(finding.headline.clone(), String::new()),
        }
    }
}

impl Problems {
    /// Adds what an outcome shows.
    pub(crate) fn add(&mut self, outcome: &Outcome) {
        let leg = outcome.cell.scenario.leg;
        for check in outcome.checks.iter().filter(|check| outcome.profile.counts(check)) {
            let name = (leg, outcome.cell.scenario.id.to_string(), check.id.clone());
            let status = self.checks.entry(name).or_insert(check.status);
            *status = (*status).max(check.status);
        }
        // Strictly and officially, what is not run after a silence fails; the silence is the problem.
        let is_silenced = outcome.silence.is_some() && outcome.trace.events.is_empty();
        if outcome.verdict == Verdict::Skipped || is_silenced {
            return self.add_untested(outcome);
        }
        let failing = outcome.checks.iter().filter(|check| check.status.is_failing());
        // Where several checks fail with one finding, which cites the requirement of each, they are one problem.
        let mut copies: Vec<(&Finding, usize)> = Vec::new();
        for check in failing.flat_map(parts) {
            let copied = check.finding.as_ref().and_then(|finding| {
                copies.iter().find(|(other, _)| is_copy(other, finding)).map(|(_, index)| *index)
            });
            let Some(index) = self.place(&check, copied, outcome) else { continue };
            self.list[index].add(&check, outcome);
            if let Some(finding) = outcome_finding(outcome, &check) {
                copies.push((finding, index));
            }
        }
        self.count_unmade(outcome);
    }

    /// The problem that a check belongs to, which is a new one if it is not `copied` from another and its cause is unknown.
    fn place(&mut self, check: &Check, copied: Option<usize>, outcome: &Outcome) -> Option<usize> {
        let key = Key::of(check);
        if let Some(known) = copied.or_else(|| self.index.get(&key).copied()) {
            self.link(key, known);
            return Some(known);
        }
        if self.list.len() >= MOST {
            self.more += 1;
            return None;
        }
        self.list.push(Problem::new(check, outcome));
        self.link(key, self.list.len() - 1);
        Some(self.list.len() - 1)
    }

    fn link(&mut self, key: Key, index: usize) {
        self.index.entry(key).or_insert(index);
    }

    fn add_untested(&mut self, outcome: &Outcome) {
        if let Some(silence) = &outcome.silence {
            let finding = silence.finding.clone();
            let check = Check::from_finding("", Origin::Own, finding);
            if let Some(index) = self.index.get(&Key::of(&check)) {
                self.list[*index].not_run += 1;
            }
        }
        let reason = outcome.checks.iter().find_map(|check| check.message.clone());
        let reason = reason.unwrap_or_default();
        let (cell, unmet) = (outcome.cell.clone(), outcome.unmet);
        self.untested.push(Untested { cell, reason, unmet });
    }

    /// Counts the checks that a finding kept from being made.
    fn count_unmade(&mut self, outcome: &Outcome) {
        for check in outcome.checks.iter().filter(|check| check.status == Status::Skipped) {
            if check.finding.is_some()
                && let Some(index) = self.index.get(&Key::of(check))
            {
                self.list[*index].not_reached += 1;
            }
        }
    }

    /// The problems, most severe first; of equal ones first that which shows in the most scenario runs.
    #[must_use]
    pub fn sorted(&self) -> Vec<&Problem> {
        let mut all: Vec<&Problem> = self.list.iter().collect();
        // Stable, so that the order is otherwise that of the plan.
        all.sort_by_key(|problem| {
            let affected = problem.cells().len() + problem.not_run;
            (problem.level, std::cmp::Reverse(affected))
        });
        all
    }

    /// The problem that a check of an outcome belongs to.
    #[must_use]
    pub fn of_check(&self, check: &Check) -> Option<&Problem> {
        self.index.get(&Key::of(check)).and_then(|index| self.list.get(*index))
    }

    /// Whether the other problems contain all of these, with all that was found.
    #[cfg(feature = "harness")]
    pub(crate) fn is_within(&self, others: &Self) -> bool {
        self.index.iter().all(|(key, index)| {
            let other = others.index.get(key).map(|other| &others.list[*other]);
            other.is_some_and(|other| self.list[*index].variants.is_subset(&other.variants))
        })
    }

    /// The scenario runs that tested nothing, in the order of the plan.
    #[must_use]
    pub fn untested(&self) -> &[Untested] {
        &self.untested
    }

    /// The checks that count, each once with its most severe status over all scenario runs.
    #[must_use]
    pub fn checks(&self) -> Counts {
        let mut counts = Counts::default();
        self.checks.values().for_each(|status| *counts.of_status(*status) += 1);
        counts
    }

    /// How many findings are in no problem, since there are too many.
    #[must_use]
    pub fn more(&self) -> usize {
        self.more
    }
}

impl Problem {
    fn new(check: &Check, outcome: &Outcome) -> Self {
        Self {
            example: Example::new(check, outcome),
            occurrences: Vec::new(),
            variants: BTreeSet::new(),
            not_reached: 0,
            not_run: 0,
            level: Level::Advisory,
        }
    }

    fn add(&mut self, check: &Check, outcome: &Outcome) {
        let level = level(check, outcome);
        let known = &self.example.check;
        let is_founded = |check: &Check| check.finding.is_some();
        let clearer =
            level < self.level || (level == self.level && is_founded(check) && !is_founded(known));
        if self.occurrences.is_empty() || clearer {
            self.example = Example::new(check, outcome);
        }
        self.level = self.level.min(level);
        if let Some(finding) = &check.finding {
            self.variants.extend(variant(finding).filter(|_| self.variants.len() <= VARIANTS));
        }
        self.occurrences.push(Occurrence {
            cell: outcome.cell.clone(),
            check: check.id.clone(),
            status: check.status,
            level,
            needs_entry: needs_entry(outcome.profile, check),
        });
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
        self.occurrences.iter().filter(unexpected).map(|it| it.level_with_baseline()).min()
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

    /// The ids of the requirements that are broken.
    #[must_use]
    pub fn requirements(&self) -> &[&'static str] {
        match self.finding() {
            Some(finding) => &finding.requirements,
            None => &self.example.check.requirements,
        }
    }

    /// The scenario runs in which it showed, in the order of the plan.
    #[must_use]
    pub fn cells(&self) -> Vec<&Cell> {
        let mut cells: Vec<&Cell> = self.occurrences.iter().map(|it| &it.cell).collect();
        cells.dedup();
        cells
    }

    /// The ids of the scenarios, in the order of the plan.
    #[must_use]
    pub fn scenarios(&self) -> Vec<&str> {
        distinct(self.occurrences.iter().map(|it| &*it.cell.scenario.id))
    }

    /// The ids of the checks, in the order in which they were made.
    #[must_use]
    pub fn checks(&self) -> Vec<&str> {
        distinct(self.occurrences.iter().map(|it| &*it.check))
    }

    /// The revisions at which it showed.
    #[must_use]
    pub fn revisions(&self) -> Revisions {
        let revisions = self.occurrences.iter().map(|it| it.cell.revision);
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
        let transports = distinct(self.occurrences.iter().map(|it| it.cell.transport));
        TransportKind::ALL.into_iter().filter(|it| transports.contains(it)).collect()
    }

    /// The first scenario run that fails because of it.
    #[must_use]
    pub fn first_failing(&self) -> Option<&Cell> {
        let is_failing = |it: &&Occurrence| it.level <= Level::NotRun;
        self.occurrences.iter().find(is_failing).map(|it| &it.cell)
    }
}

impl Example {
    fn new(check: &Check, outcome: &Outcome) -> Self {
        let evidence = check.finding.as_ref().map(|finding| &*finding.evidence);
        let exchange = trace::excerpt(&outcome.trace, evidence.unwrap_or_default());
        let stderr = outcome.stderr_tail.len().saturating_sub(STDERR_LINES);
        Self {
            cell: outcome.cell.clone(),
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
        baseline.expects(&self.cell.scenario.id, &self.check)
    }

    /// With a baseline, each warning that it does not name may count as well.
    fn level_with_baseline(&self) -> Level {
        match self.level {
            Level::Warning if self.needs_entry => Level::Failing,
            level => level,
        }
    }
}

/// The checks that one check stands for, each with one finding.
fn parts(check: &Check) -> Vec<Check> {
    let Some(first) = check.finding.as_ref().filter(|_| !check.others.is_empty()) else {
        return vec![check.clone()];
    };
    let part = |finding: &Finding| {
        let status = match finding.severity {
            Severity::Must => check.status,
            Severity::Should => Status::Warning,
        };
        Check {
            status,
            message: Some(finding.to_string()),
            requirements: finding.requirements.clone(),
            finding: Some(finding.clone()),
            others: Vec::new(),
            details: None,
            ..check.clone()
        }
    };
    [first].into_iter().chain(&check.others).map(part).collect()
}

/// The finding of a part, as it is in the outcome.
fn outcome_finding<'a>(outcome: &'a Outcome, part: &Check) -> Option<&'a Finding> {
    let findings =
        outcome.checks.iter().flat_map(|check| check.finding.iter().chain(&check.others));
    let wanted = part.finding.as_ref()?;
    findings.into_iter().find(|finding| *finding == wanted)
}

/// Whether one finding is that of another check, apart from the requirements, which each check adds.
fn is_copy(one: &Finding, other: &Finding) -> bool {
    (&one.headline, &one.expected, &one.got, &one.excerpt, &one.evidence)
        == (&other.headline, &other.expected, &other.got, &other.excerpt, &other.evidence)
}

fn level(check: &Check, outcome: &Outcome) -> Level {
    let leg = outcome.cell.scenario.leg;
    if !outcome.profile.counts(check) {
        return Level::Advisory;
    }
    if !outcome.profile.fails(leg, check) {
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
