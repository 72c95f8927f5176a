//! The findings of a judge, each of which breaks a rule. What breaks a rule is for the judges.

use super::repeat_filter::RepeatFilter;
use super::{Cause, Finding};
use crate::spec::{Requirement, Revision};
use crate::trace::{ConnectionId, Event, Trace};

/// Findings that are kept if their rule holds at the revision of the connection, and if they are not repeated too often.
pub(super) struct RuleFindings<'a> {
    revisions: &'a dyn Fn(ConnectionId) -> Revision,
    /// Something was dropped from the trace, such as the request that a notification belongs to.
    pub(super) elided: bool,
    findings: Vec<Finding>,
    repeats: RepeatFilter,
}

impl<'a> RuleFindings<'a> {
    pub(super) fn new(trace: &Trace, revisions: &'a dyn Fn(ConnectionId) -> Revision) -> Self {
        Self {
            revisions,
            elided: trace.is_elided(),
            findings: Vec::new(),
            repeats: RepeatFilter::default(),
        }
    }

    /// The revision that the connection of an event was opened for.
    pub(super) fn revision(&self, event: &Event) -> Revision {
        (self.revisions)(event.connection)
    }

    /// Adds a finding that breaks `rule`, if that holds at the revision.
    pub(super) fn add(&mut self, event: &Event, mut finding: Finding, rule: &'static Requirement) {
        let revision = self.revision(event);
        if !rule.applies_at(revision) {
            return;
        }
        finding.cause.get_or_insert_with(|| Box::new(Cause::of_rule(rule)));
        finding = finding.requires(rule);
        if self.repeats.admits(&finding, self.findings.len()) {
            self.findings.push(finding.evidence(event.seq));
        }
    }

    /// All findings, with how often those occurred that were left out.
    pub(super) fn into_findings(mut self) -> Vec<Finding> {
        self.repeats.count(&mut self.findings, self.elided);
        self.findings
    }
}
