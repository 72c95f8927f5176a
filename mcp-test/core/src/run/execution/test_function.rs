//! The outcome of a function under `#[mcp_scenario]`.
//!
//! It declares no checks, so that everything wrong becomes a row of its own under the id of the scenario: how it ended, error
//! replies that it never examined, and what is wrong with the whole conversation. A row that repeats another is left out.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::early_end::finding_of;
use super::teardown::TornDown;
use super::{EarlyEnd, RunningScenario, era_hint};
use crate::assert::AssertionFailure;
use crate::check::{Blame, Check, Finding, Judgement, Origin, Severity, Status};
use crate::expect::words;
use crate::run::Outcome;
use crate::run::coverage::exercised;
use crate::scenario::{Ended, Stop, TestedSide};
use crate::spec::{KnownViolations, Requirement, Revision};
use crate::trace::{Party, Trace};

/// A test function that ended.
pub(super) struct TestEnd {
    pub(super) checks: Vec<Check>,
    pub(super) trace: Trace,
    /// What is wrong with what the peer sent.
    pub(super) judgement: Judgement,
    /// Why it did not run to its end.
    pub(super) early: Option<EarlyEnd>,
    pub(super) torn_down: TornDown,
    /// What else fails it however it ended: what may be the cause of an early end.
    pub(super) causes: Vec<Finding>,
    /// What else fails it if it ran to its end.
    pub(super) omissions: Vec<Finding>,
    /// What else is wrong with the peer, which an early end may have reported.
    pub(super) of_peer: Vec<Finding>,
}

impl RunningScenario<'_> {
    /// The outcome of a test of a server.
    pub(super) fn server_test_outcome(
        self,
        ended: Ended,
        early: Option<EarlyEnd>,
        torn_down: TornDown,
    ) -> Outcome {
        let Ended { checks, trace, judgement, unexamined, unawaited } = ended;
        let tests_nothing = torn_down.adds_exchange || !trace.has_messages_both_ways();
        let nothing = tests_nothing.then(|| nothing_exchanged(&trace));
        let undone = unexamined.into_iter().chain(unawaited);
        let undone = undone.map(|finding| torn_down.attribute(finding));
        let omissions = undone.chain(nothing).collect();
        let (causes, of_peer) = (Vec::new(), Vec::new());
        let end =
            TestEnd { checks, trace, judgement, early, torn_down, causes, omissions, of_peer };
        self.test_outcome(end)
    }

    /// The requirements that were put to the test, as far as known violations depend on it.
    fn tested(
        &self,
        checks: &[Check],
        judgement: &Judgement,
        trace: &Trace,
    ) -> BTreeSet<&'static Requirement> {
        if self.plan.known.is_empty() {
            return BTreeSet::new();
        }
        let who = match self.scenario_run.scenario.tested_side {
            TestedSide::Server | TestedSide::Authorization => Party::Server,
            TestedSide::Client => Party::Client,
        };
        let mut tested = exercised(trace, who, self.scenario_run.transport);
        tested.extend(&judgement.shapes.demanded);
        tested.extend(&judgement.tools.tested);
        tested.extend(checks.iter().flat_map(|check| &check.tested));
        tested
    }

    /// The outcome of a test function that ended.
    pub(super) fn test_outcome(self, end: TestEnd) -> Outcome {
        let TestEnd { checks, trace, judgement, early, torn_down, .. } = end;
        let tested = self.tested(&checks, &judgement, &trace);
        let Judgement { envelopes, shapes, tools, .. } = judgement;
        let known = &self.plan.known;
        let mut rows =
            Rows { id: self.id().to_owned(), known, checks: Vec::new(), expected: Vec::new() };
        let mut assertion = None;
        let mut skipped = None;
        end.causes.into_iter().for_each(|finding| rows.fail(finding));
        match early {
            None => end.omissions.into_iter().for_each(|finding| rows.fail(finding)),
            Some(EarlyEnd::Panicked(payload)) => match payload.downcast::<AssertionFailure>() {
                Ok(mut failure) => {
                    rows.note_known(&mut failure.finding);
                    assertion = Some(*failure);
                }
                Err(payload) => {
                    rows.fail(finding_of(EarlyEnd::Panicked(payload), self.time_of_body()));
                }
            },
            Some(EarlyEnd::Stopped(Stop::Skipped(skip))) => {
                skipped = Some(words::into_inert(skip.reason));
            }
            Some(early) => {
                let mut finding = finding_of(early, self.time_of_body());
                rows.note_known(&mut finding);
                rows.fail(finding);
            }
        }
        if let Some(finding) = torn_down.finding {
            rows.fail(finding);
        }
        for finding in end.of_peer {
            if !rows.has_headline(&finding.headline) {
                let row = rows.row(finding, Status::Failure);
                rows.add(row);
            }
        }
        // Checks that passed or were skipped are of no interest under `cargo test`.
        let failed = checks.into_iter().filter(|check| check.status == Status::Failure);
        failed.for_each(|check| rows.add(check));
        let judged = envelopes.into_iter().chain(shapes.findings).chain(tools.findings);
        let mut remarks = rows.add_judged(judged);
        // A test may send invalid messages, often on purpose, so that they only cause warnings.
        let of_test = |finding| Finding { blame: Blame::Test, ..finding };
        remarks.extend(shapes.harness.into_iter().map(of_test));
        // Only now, after the search for repeats: an assertion about a message says nothing about its other defects.
        if let Some(failure) = &assertion {
            let finding = failure.finding.clone();
            let is_other = |check: &Check| check.finding.as_ref() != Some(&finding);
            rows.checks.retain(is_other);
            rows.checks.insert(0, rows.row(finding, Status::Failure));
        }
        // The revision of a client is its own choice.
        if self.scenario_run.scenario.tested_side == TestedSide::Server {
            rows.explain_by_era(assertion.as_mut(), &trace, self.scenario_run.revision);
        }
        // Remarks alone are not reported: the output of a test that passes is not read.
        if rows.checks.is_empty() {
            let status = if skipped.is_some() { Status::Skipped } else { Status::Success };
            let row = Check { message: skipped, ..Check::new(&*rows.id, Origin::User, status) };
            let rows = [Check { tested, ..row }].into_iter().chain(rows.expected).collect();
            return self.outcome(rows, trace);
        }
        let remarks: Vec<Check> =
            remarks.into_iter().map(|finding| rows.row(finding, Status::Warning)).collect();
        rows.checks.extend(remarks);
        rows.checks.append(&mut rows.expected);
        Outcome { assertion: assertion.map(Arc::new), ..self.outcome(rows.checks, trace) }
    }
}

/// The rows of a test.
struct Rows<'a> {
    id: String,
    known: &'a KnownViolations,
    checks: Vec<Check>,
    /// What fails as expected; apart from the others, so that none of them counts as its repetition.
    expected: Vec<Check>,
}

impl Rows<'_> {
    /// Adds a failure, or a remark, that a known violation may explain.
    fn add(&mut self, row: Check) {
        match row.explained_by(self.known) {
            known if known.is_empty() => self.checks.push(row),
            known => self.expected.push(Check { known, ..row }),
        }
    }

    /// Says with a finding that has ended the test why it fails that although the violation is known.
    fn note_known(&self, finding: &mut Finding) {
        if !self.known.explaining(&finding.requirements).is_empty() {
            finding.add_hint(
                "this violation is known, but it ends the test here, so that the rest of it is not tested: \
                 examine the reply without an assertion or `?` on it",
            );
        }
    }

    /// Adds something that fails the test, whoever is to blame.
    fn fail(&mut self, finding: Finding) {
        let row = self.row(finding, Status::Failure);
        self.checks.push(row);
    }

    /// Adds what breaks a MUST, unless a row reports it already, and returns what breaks only a SHOULD.
    fn add_judged(&mut self, findings: impl Iterator<Item = Finding>) -> Vec<Finding> {
        let mut remarks = Vec::new();
        for finding in findings {
            let explained = finding.blame == Blame::Peer
                && !self.known.explaining(&finding.requirements).is_empty();
            if explained {
                // What has ended the test reports it already.
                if !self.has_same(&finding) {
                    self.add(Check::from_finding(&*self.id, Origin::User, finding));
                }
                continue;
            }
            match finding.severity {
                Severity::Must if !self.has_same(&finding) => self.fail(finding),
                Severity::Must => {}
                Severity::Should => remarks.push(finding),
            }
        }
        remarks
    }

    fn row(&self, finding: Finding, status: Status) -> Check {
        Check { status, ..Check::from_finding(&self.id, Origin::User, finding) }
    }

    /// Adds to the first row how the era of the revision explains what failed, if it does.
    fn explain_by_era(
        &mut self,
        assertion: Option<&mut AssertionFailure>,
        trace: &Trace,
        revision: Revision,
    ) {
        let findings = self.checks.iter().filter_map(|check| check.finding.as_ref());
        let Some(hint) = era_hint::hint(findings, trace, revision) else { return };
        let Some(mut finding) = self.checks.first().and_then(|check| check.finding.clone()) else {
            return;
        };
        // The reply to a request that does not exist has no form that could be right, so that the request comes first.
        let breaks_mcp = finding.shape.is_some() || !finding.requirements.is_empty();
        if breaks_mcp && let Some(method) = era_hint::missing_at(revision, &finding, trace) {
            let headline = format!("the test sent `{method}`, which MCP {revision} does not have");
            let cause = Finding::test(headline).hint(hint).evidence_all(finding.evidence);
            self.checks.insert(0, self.row(cause, Status::Failure));
            return;
        }
        let of_assertion = assertion.filter(|assertion| assertion.finding == finding);
        finding.add_hint(&hint);
        if let Some(assertion) = of_assertion {
            assertion.finding = finding.clone();
        }
        self.checks[0] = self.row(finding, Status::Failure);
    }

    /// Whether a row has this headline.
    fn has_headline(&self, headline: &str) -> bool {
        let known = self.checks.iter().filter_map(|check| check.finding.as_ref());
        known.into_iter().any(|known| known.headline == headline)
    }

    /// Whether a row reports the same as this finding: about the same events, or with the same headline.
    fn has_same(&self, finding: &Finding) -> bool {
        let known = self.checks.iter().filter_map(|check| check.finding.as_ref());
        known.into_iter().any(|known| {
            if known.shape.is_some() && finding.shape.is_some() {
                // One message may have several defects in its shape, which are all reported.
                return known.shape == finding.shape;
            }
            known.headline == finding.headline
                || finding.evidence.iter().all(|seq| known.evidence.contains(seq))
        })
    }
}

/// The finding that a scenario exchanged nothing with its target, and so tested nothing.
fn nothing_exchanged(trace: &Trace) -> Finding {
    let finding = Finding::test("the scenario exchanged nothing with its target")
        .expected("at least one message from each side")
        .got(if trace.events.is_empty() { "no connection at all" } else { "no such exchange" });
    finding.hint("a scenario that tests nothing does not pass")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::EventKind;

    #[test]
    fn a_finding_is_not_repeated() {
        let known = KnownViolations::default();
        let (checks, expected) = (Vec::new(), Vec::new());
        let mut rows = Rows { id: "works".to_owned(), known: &known, checks, expected };
        let recorder = crate::trace::Recorder::new();
        let wire = recorder.open("duplex");
        let fence =
            |name: &str| recorder.record(wire, Party::Harness, EventKind::Fence(name.to_owned()));
        let (first, second) = (fence("first"), fence("second"));
        rows.fail(Finding::peer("a wrong id").evidence(first));
        assert!(rows.has_same(&Finding::peer("a wrong id").evidence(second)));
        assert!(rows.has_same(&Finding::peer("an unknown id").evidence(first)));
        assert!(!rows.has_same(&Finding::peer("an unknown id").evidence(second)));
    }
}
