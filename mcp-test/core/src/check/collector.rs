//! A check, which is one line of a report, and the collector of a scenario's checks.

use std::collections::BTreeSet;

use super::{Blame, Finding, Severity, Status};
use crate::clock;
use crate::json::Value;
use crate::spec::{KnownViolation, KnownViolations, Requirement};

/// Where a check's id comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The official conformance suite has a check of this id.
    Official,
    /// mcp-test's own: advisory in profile `official`, and in `adaptive` where its failure cites no requirement.
    Own,
    /// A scenario of the user's: a function under `#[mcp_scenario]`, or a case.
    User,
}

/// A place in a specification that a check refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecReference {
    /// The label, such as `MCP-Tools-List`.
    pub id: String,
    /// The page, where one is known.
    pub url: Option<String>,
}

/// One judgement about one requirement: a row of `checks.json`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Check {
    /// The stable key; may repeat within a scenario.
    pub id: String,
    /// A short label.
    pub name: String,
    /// What is checked.
    pub description: String,
    /// The outcome.
    pub status: Status,
    /// Why, where the status alone does not say it.
    pub message: Option<String>,
    /// What was found, for WARNING and FAILURE; for SKIPPED, what kept the check from being made, or led to what it would report.
    pub finding: Option<Finding>,
    /// What else was found, where one check stands for several findings.
    pub others: Vec<Finding>,
    /// The requirements that the check stands for.
    pub requirements: Vec<&'static Requirement>,
    /// Those of them that were really tried, and not broken.
    pub tested: BTreeSet<&'static Requirement>,
    /// Official, or our own.
    pub origin: Origin,
    /// Counts in every profile although it is our own: without it, the others would mean nothing.
    pub binding: bool,
    /// Why the specification does not demand what the official suite fails here, to be read after "the specification allows
    /// it:".
    pub known_false: Option<String>,
    /// The known violations that make its failure an expected one; empty if it is not expected.
    pub known: Vec<KnownViolation>,
    /// The prerequisite of the check is missing on the peer.
    pub untestable: bool,
    /// Free-form facts about the outcome.
    pub details: Option<Value>,
    /// When the check was made: ISO 8601, UTC, milliseconds.
    pub timestamp: String,
    /// Where the specification says so.
    pub spec_references: Vec<SpecReference>,
}

impl Check {
    /// The requirements that are broken: those of the finding, since the check may stand for more.
    #[must_use]
    pub fn broken_requirements(&self) -> &[&'static Requirement] {
        match &self.finding {
            Some(finding) => &finding.requirements,
            None => &self.requirements,
        }
    }

    /// A check of the given id and status, made now, without anything else.
    #[must_use]
    pub fn new(id: impl Into<String>, origin: Origin, status: Status) -> Self {
        let id = id.into();
        Self {
            name: id.clone(),
            description: String::new(),
            id,
            status,
            message: None,
            finding: None,
            others: Vec::new(),
            requirements: Vec::new(),
            tested: BTreeSet::new(),
            origin,
            binding: false,
            known_false: None,
            known: Vec::new(),
            untestable: false,
            details: None,
            timestamp: clock::utc_now(),
            spec_references: Vec::new(),
        }
    }

    /// The check that `finding` makes fail or warn, by its severity.
    #[must_use]
    pub fn from_finding(id: impl Into<String>, origin: Origin, finding: Finding) -> Self {
        let status = match finding.severity {
            Severity::Must => Status::Failure,
            Severity::Should => Status::Warning,
        };
        Self {
            // The official format has one text for each check; only our own reports have the finding in parts.
            message: Some(finding.to_string()),
            requirements: finding.requirements.clone(),
            finding: Some(finding),
            ..Self::new(id, origin, status)
        }
    }

    /// Whether its failure, if it is one, rests on a requirement of the registry, or does not count against the peer at all.
    #[must_use]
    pub fn is_founded(&self) -> bool {
        if self.status != Status::Failure {
            return true;
        }
        match &self.finding {
            Some(finding) => finding.blame != Blame::Peer || !finding.requirements.is_empty(),
            None => !self.requirements.is_empty(),
        }
    }

    /// The known violations that explain all that the check has found; none unless the peer is to blame for all of it.
    pub(crate) fn explained_by(&self, known: &KnownViolations) -> Vec<KnownViolation> {
        let findings = || self.finding.iter().chain(&self.others);
        if findings().any(|finding| finding.blame != Blame::Peer) {
            return Vec::new();
        }
        let cited: Vec<Vec<KnownViolation>> = match &self.finding {
            None => vec![known.explaining(&self.requirements)],
            Some(_) => findings().map(|finding| known.explaining(&finding.requirements)).collect(),
        };
        if cited.iter().any(Vec::is_empty) {
            return Vec::new();
        }
        let mut explaining = cited.concat();
        explaining.dedup();
        explaining
    }

    /// Sets the label and the description.
    pub(crate) fn described(mut self, name: &str, description: &str) -> Self {
        (self.name, self.description) = (name.to_owned(), description.to_owned());
        self
    }
}

/// Gathers the checks of one scenario, in the order in which they are made.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct Collector {
    checks: Vec<Check>,
}

impl Collector {
    /// An empty collector.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a check.
    pub fn push(&mut self, check: Check) {
        self.checks.push(check);
    }

    /// The checks so far.
    #[must_use]
    pub fn checks(&self) -> &[Check] {
        &self.checks
    }

    /// Whether a check of this id has been made.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.checks.iter().any(|check| check.id == id)
    }

    /// Hands over the checks.
    #[must_use]
    pub fn into_checks(self) -> Vec<Check> {
        self.checks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn severity_decides_the_status() {
        let must = Check::from_finding("a", Origin::Own, Finding::peer("x"));
        let should = Check::from_finding("b", Origin::Own, Finding::peer("x").should());
        assert_eq!((must.status, should.status), (Status::Failure, Status::Warning));

        let mut collector = Collector::new();
        collector.push(must);
        assert!(collector.has("a") && !collector.has("b"));
    }

    #[test]
    fn a_check_is_explained_only_if_all_of_its_findings_are_known() {
        let ids = [Requirement::PING_RESULT_EMPTY, Requirement::JSONRPC_ERROR_SHAPE]
            .map(KnownViolation::from);
        let known = KnownViolations::resolve(ids.clone()).expect("both exist");
        let explained = |findings: &[Finding]| {
            let check = Check::from_finding("a", Origin::Own, findings[0].clone());
            Check { others: findings[1..].to_vec(), ..check }.explained_by(&known)
        };
        let [empty, shape, version] = [
            Requirement::PING_RESULT_EMPTY,
            Requirement::JSONRPC_ERROR_SHAPE,
            Requirement::JSONRPC_VERSION_MEMBER,
        ]
        .map(|requirement| Finding::peer("x").requires(requirement));
        assert_eq!(explained(std::slice::from_ref(&empty)), ids[..1]);
        assert_eq!(explained(&[empty.clone(), shape]), ids);
        assert_eq!(explained(&[empty.clone(), version]), []);
        assert_eq!(explained(&[empty.clone(), Finding::peer("cites nothing")]), []);
        assert_eq!(explained(&[empty.clone().requires(Requirement::JSONRPC_VERSION_MEMBER)]), []);
        assert_eq!(explained(&[Finding { blame: Blame::Test, ..empty }]), []);
    }
}
