//! Which requirements a run has tested: each row of the registry is violated, tested, or not tested for a reason.

mod citing;
mod exercised;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

pub use citing::{CitingCheck, citing_checks, citing_checks_of};
pub(super) use exercised::exercised;

use super::Outcome;
use crate::check::{Check, Status};
use crate::scenario::{Need, Scenario, TestedSide};
use crate::spec::requirement::{self, Requirement};
use crate::spec::{BoundParty, Revision, Side, Testability};

/// What a run has shown about the requirements.
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    tested: BTreeSet<&'static Requirement>,
    violated: BTreeSet<&'static Requirement>,
    /// Why checks that stand for them were skipped; the most telling reason of each.
    skipped: BTreeMap<&'static Requirement, NotTested>,
    /// The scenarios that were run.
    scenarios: BTreeSet<String>,
    revisions: BTreeSet<Revision>,
}

/// What a run has shown about a requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowState {
    /// Violated, at a revision or over a transport at least.
    Violated,
    /// Tested, and not violated.
    Tested,
    /// Not tested.
    NotTested(NotTested),
}

/// Why a run has not tested a requirement.
// In ascending order of what a reader can do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NotTested {
    /// The peer does not offer what it is about.
    NotOffered,
    /// It needs a tool, resource or prompt of the official suite.
    NeedsFixture,
    /// It needs a tool that may be called.
    NeedsCall,
    /// It needs a token of an authorization server.
    NeedsToken,
    /// What it is about did not occur.
    DidNotOccur,
    /// The scenarios of its checks were not selected, or do not apply to these revisions and transports.
    NotRun,
    /// No message, and no behavior of a process, shows it.
    NotVisible,
    /// Its row says why no check stands for it.
    Unchecked,
    /// mcp-test has no check for it.
    NoCheck,
}

impl NotTested {
    /// Every reason.
    pub const ALL: [Self; 9] = [
        Self::NotOffered,
        Self::NeedsFixture,
        Self::NeedsCall,
        Self::NeedsToken,
        Self::DidNotOccur,
        Self::NotRun,
        Self::NotVisible,
        Self::Unchecked,
        Self::NoCheck,
    ];

    /// In one word, for JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotOffered => "not-offered",
            Self::NeedsFixture => "needs-fixture",
            Self::NeedsCall => "needs-call",
            Self::NeedsToken => "needs-token",
            Self::DidNotOccur => "did-not-occur",
            Self::NotRun => "not-run",
            Self::NotVisible => "not-visible",
            Self::Unchecked => "unchecked",
            Self::NoCheck => "no-check",
        }
    }
}

impl fmt::Display for NotTested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NotOffered => "not offered",
            Self::NeedsFixture => "needs a fixture",
            Self::NeedsCall => "needs --call",
            Self::NeedsToken => "needs a token",
            Self::DidNotOccur => "did not occur",
            Self::NotRun => "not run",
            Self::NotVisible => "not visible",
            Self::Unchecked => "left out",
            Self::NoCheck => "no check yet",
        })
    }
}

impl Coverage {
    /// Adds what a scenario run has shown.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        self.scenarios.insert(outcome.scenario_run.scenario.id.to_string());
        self.revisions.insert(outcome.scenario_run.revision);
        for check in &outcome.checks {
            self.tested.extend(check.tested.iter().copied());
            if check.status.is_failing() && check.known_false.is_none() {
                let findings = check.finding.iter().chain(&check.others);
                self.violated
                    .extend(findings.flat_map(|finding| finding.requirements.iter().copied()));
            }
            if let Some(reason) = reason(outcome, check) {
                for requirement in &check.requirements {
                    let known = self.skipped.entry(requirement).or_insert(reason);
                    *known = (*known).max(reason);
                }
            }
        }
    }

    /// The requirements that bind this side at a revision of the run, in the order of the registry, with what was shown;
    /// `scenarios` are all that there are, also those that were not run.
    pub fn rows(
        &self,
        scenarios: &[&'static Scenario],
        tested_side: TestedSide,
    ) -> impl Iterator<Item = (&'static Requirement, RowState)> {
        let rows = requirement::all().filter(move |row| {
            binds(row, tested_side)
                && self.revisions.iter().any(|revision| row.revisions.contains(*revision))
        });
        rows.map(move |row| (row, self.state(scenarios, row, tested_side)))
    }

    fn state(
        &self,
        scenarios: &[&'static Scenario],
        row: &'static Requirement,
        tested_side: TestedSide,
    ) -> RowState {
        if self.violated.contains(row) {
            return RowState::Violated;
        }
        if self.tested.contains(row) {
            return RowState::Tested;
        }
        RowState::NotTested(self.not_tested(scenarios, row, tested_side))
    }

    fn not_tested(
        &self,
        scenarios: &[&'static Scenario],
        row: &'static Requirement,
        tested_side: TestedSide,
    ) -> NotTested {
        match self.skipped.get(row) {
            Some(reason) => *reason,
            None if row.testable == Testability::No => NotTested::NotVisible,
            None if why_unchecked(row, tested_side).is_some() => NotTested::Unchecked,
            None if row.area() == "auth" && tested_side != TestedSide::Authorization => {
                NotTested::NeedsToken
            }
            None => self.why_checks_left_it_untested(scenarios, row, tested_side),
        }
    }

    fn why_checks_left_it_untested(
        &self,
        scenarios: &[&'static Scenario],
        row: &'static Requirement,
        tested_side: TestedSide,
    ) -> NotTested {
        let checks = citing_checks_of(scenarios.iter().copied(), tested_side, row);
        let is_run = |check: &CitingCheck| match check {
            CitingCheck::Declared(scenario, _) => self.scenarios.contains(&*scenario.id),
            CitingCheck::Common(_) | CitingCheck::Any => true,
        };
        match checks.as_slice() {
            [] => NotTested::NoCheck,
            checks if checks.iter().any(is_run) => NotTested::DidNotOccur,
            _ => NotTested::NotRun,
        }
    }
}

/// Whether a requirement binds the side that is tested.
#[must_use]
pub fn binds(requirement: &Requirement, tested_side: TestedSide) -> bool {
    match requirement.binds {
        BoundParty::Both => tested_side != TestedSide::Authorization,
        BoundParty::Server => tested_side == TestedSide::Server,
        BoundParty::Client => tested_side == TestedSide::Client,
        BoundParty::AuthorizationServer => tested_side == TestedSide::Authorization,
    }
}

/// Why no check of the side that is tested stands for a requirement, if its row says so.
#[must_use]
pub fn why_unchecked(requirement: &Requirement, tested_side: TestedSide) -> Option<&'static str> {
    requirement.why_unchecked(match tested_side {
        TestedSide::Server | TestedSide::Authorization => Side::Server,
        TestedSide::Client => Side::Client,
    })
}

/// Why a check was skipped, if it was.
fn reason(outcome: &Outcome, check: &Check) -> Option<NotTested> {
    if !(check.status == Status::Skipped || check.untestable) {
        return None;
    }
    Some(match outcome.unmet {
        Some(need) if need.is_fixture() => NotTested::NeedsFixture,
        Some(Need::CallableTool) => NotTested::NeedsCall,
        Some(_) => NotTested::NotOffered,
        None => NotTested::DidNotOccur,
    })
}
