//! The findings of a run, those with one cause as one problem, and what was not tested.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Counts, Outcome, Problem, ScenarioRun, Verdict};
use crate::check::{Cause, Check, Finding, Origin, Severity, Status};
use crate::scenario::{Need, TestedSide};
use crate::spec::Requirement;

/// How many problems are kept of one run, so that a peer cannot fill the memory with made-up names.
const MOST: usize = 1000;

/// A scenario run that tested nothing.
#[derive(Debug, Clone)]
pub struct Untested {
    /// The scenario run.
    pub scenario_run: ScenarioRun,
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
    checks: Arc<BTreeMap<(TestedSide, String, String), Status>>,
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
    Requirement(&'static Requirement, String),
    /// A check that fails for another reason than a finding about a requirement.
    Other(String, String),
}

impl Key {
    fn of(check: &Check) -> Self {
        let Some(finding) = &check.finding else {
            return Self::Other(check.id.clone(), check.message.clone().unwrap_or_default());
        };
        if let Some(cause) = &finding.cause {
            return Self::Cause((**cause).clone());
        }
        if let Some(shape) = &finding.shape {
            return Self::Shape(shape.name.clone(), shape.place());
        }
        match finding.requirements.first() {
            Some(requirement) => Self::Requirement(requirement, finding.headline.clone()),
            None => Self::Other(finding.headline.clone(), String::new()),
        }
    }
}

impl Problems {
    /// Adds what an outcome shows.
    #[doc(hidden)]
    pub fn add(&mut self, outcome: &Outcome) {
        let tested_side = outcome.scenario_run.scenario.tested_side;
        let is_counted = |check: &&Check| outcome.counts(check) && check.known.is_empty();
        let checks = Arc::make_mut(&mut self.checks);
        for check in outcome.checks.iter().filter(is_counted) {
            let name =
                (tested_side, outcome.scenario_run.scenario.id.to_string(), check.id.clone());
            let status = checks.entry(name).or_insert(check.status);
            *status = (*status).max(check.status);
        }
        // Strictly and officially, what is not run after a silence fails; the silence is the problem.
        let is_silenced = outcome.silence.is_some() && outcome.trace.events.is_empty();
        if outcome.verdict == Verdict::Skipped || is_silenced {
            return self.add_untested(outcome);
        }
        // What fails as expected is not a problem.
        let failing =
            outcome.checks.iter().filter(|it| it.status.is_failing() && it.known.is_empty());
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
        let (scenario_run, unmet) = (outcome.scenario_run.clone(), outcome.unmet);
        self.untested.push(Untested { scenario_run, reason, unmet });
    }

    /// Counts the checks that a finding kept from being made, and the exit of a client that followed from it.
    fn count_unmade(&mut self, outcome: &Outcome) {
        for check in outcome.checks.iter().filter(|check| check.status == Status::Skipped) {
            if check.finding.is_some()
                && let Some(index) = self.index.get(&Key::of(check))
            {
                self.list[*index].add_unmade(check);
            }
        }
    }

    /// The problems, most severe first; of equal ones first that which shows in the most scenario runs.
    #[must_use]
    pub fn sorted(&self) -> Vec<&Problem> {
        let mut all: Vec<&Problem> = self.list.iter().collect();
        // Stable, so that the order is otherwise that of the plan.
        all.sort_by_key(|problem| {
            let affected = problem.scenario_runs().len() + problem.not_run;
            (problem.level(), std::cmp::Reverse(affected))
        });
        all
    }

    /// The problem that a check of an outcome belongs to.
    #[must_use]
    pub fn find_for_check(&self, check: &Check) -> Option<&Problem> {
        self.index.get(&Key::of(check)).and_then(|index| self.list.get(*index))
    }

    /// Whether the other problems contain all of these, with all that was found.
    #[doc(hidden)]
    pub fn is_within(&self, others: &Self) -> bool {
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
        self.checks.values().for_each(|status| *counts.count_mut(*status) += 1);
        counts
    }

    /// How many findings are in no problem, since there are too many.
    #[must_use]
    pub fn more(&self) -> usize {
        self.more
    }
}

/// The checks that one check stands for, each with one finding.
pub(super) fn parts(check: &Check) -> Vec<Check> {
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
