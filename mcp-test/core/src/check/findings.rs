//! The findings of a judge about a conversation. What is wrong is for the judges.

use super::Finding;
use super::cited::Cited;
use super::repeat_filter::RepeatFilter;
use super::walk::JudgedEvent;
use crate::spec::Revision;

/// What was found so far, each finding at the level of what it breaks, and none repeated too often.
#[derive(Default)]
pub(super) struct Findings {
    /// Something was dropped from the trace, such as the request that a notification belongs to, or is not remembered any more.
    pub(super) elided: bool,
    findings: Vec<Finding>,
    repeats: RepeatFilter,
}

impl Findings {
    /// Adds a finding that breaks `rule`, if that applies at the revision.
    pub(super) fn add(&mut self, event: JudgedEvent<'_>, finding: Finding, rule: Cited) {
        if rule.applies_at(event.opened_for) {
            self.keep(event, finding.breaking(rule.0));
        }
    }

    /// Adds a finding that breaks `rule`; where that does not apply, it is a WARNING that says where it does.
    pub(super) fn add_everywhere(&mut self, event: JudgedEvent<'_>, finding: Finding, rule: Cited) {
        self.keep(event, finding.breaking_everywhere(rule.0, event.opened_for));
    }

    /// Adds a finding that breaks those of `rules` that apply at `revision`, if any of them does.
    pub(super) fn add_at(
        &mut self,
        (event, revision): (JudgedEvent<'_>, Revision),
        finding: Finding,
        rules: &[Cited],
    ) {
        let mut broken = rules.iter().filter(|rule| rule.applies_at(revision)).peekable();
        if broken.peek().is_some() {
            let is_advice = broken.clone().all(|rule| !rule.level.is_must());
            let finding = if is_advice { finding.should() } else { finding };
            self.keep(event, broken.fold(finding, |finding, rule| finding.also(*rule)));
        }
    }

    /// Adds a finding as it is, such as one that breaks no requirement.
    pub(super) fn keep(&mut self, event: JudgedEvent<'_>, finding: Finding) {
        if self.repeats.admits(&finding, self.findings.len()) {
            self.findings.push(finding.evidence(event.seq));
        }
    }

    /// What was found so far.
    pub(super) fn so_far(&self) -> &[Finding] {
        &self.findings
    }

    /// All findings, with how often those occurred that were left out.
    pub(super) fn into_findings(mut self) -> Vec<Finding> {
        self.repeats.count(&mut self.findings, self.elided);
        self.findings
    }
}
