//! The outcome of a function under `#[mcp_scenario]`.
//!
//! It declares no checks, so that everything wrong becomes a row of its own under the id of the scenario: how it ended, error
//! replies that it never examined, and what is wrong with the whole conversation. A row that repeats another is left out.

use std::sync::Arc;

use super::early_end::finding_of;
use super::teardown::TornDown;
use super::{CellRun, EarlyEnd, era_hint};
use crate::assert::AssertionFailure;
use crate::check::{Blame, Check, Finding, Judgement, Origin, Severity, Status};
use crate::expect::words;
use crate::run::Outcome;
use crate::scenario::{Ended, Leg, Stop};
use crate::spec::Revision;
use crate::trace::Trace;

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

impl CellRun<'_> {
    /// The outcome of a test of a server.
    pub(super) fn server_test_outcome(
        self,
        ended: Ended,
        early: Option<EarlyEnd>,
        torn_down: TornDown,
    ) -> Outcome {
        let Ended { checks, trace, judgement, unexamined, .. } = ended;
        let tests_nothing = torn_down.adds_exchange || !trace.has_messages_both_ways();
        let nothing = tests_nothing.then(|| nothing_exchanged(&trace));
        let omissions = unexamined.into_iter().chain(nothing).collect();
        let (causes, of_peer) = (Vec::new(), Vec::new());
        let end =
            TestEnd { checks, trace, judgement, early, torn_down, causes, omissions, of_peer };
        self.test_outcome(end)
    }

    /// The outcome of a test function that ended.
    pub(super) fn test_outcome(self, end: TestEnd) -> Outcome {
        let TestEnd { checks, trace, judgement, early, torn_down, .. } = end;
        let Judgement { envelopes, shapes, tools, .. } = judgement;
        let mut rows = Rows { id: self.id().to_owned(), checks: Vec::new() };
        let mut assertion = None;
        let mut skipped = None;
        end.causes.into_iter().for_each(|finding| rows.fail(finding));
        match early {
            None => end.omissions.into_iter().for_each(|finding| rows.fail(finding)),
            Some(EarlyEnd::Panicked(payload)) => match payload.downcast::<AssertionFailure>() {
                Ok(failure) => assertion = Some(*failure),
                Err(payload) => {
                    rows.fail(finding_of(EarlyEnd::Panicked(payload), self.time_of_body()));
                }
            },
            Some(EarlyEnd::Stopped(Stop::Skipped(skip))) => {
                skipped = Some(words::into_inert(skip.reason));
            }
            Some(early) => rows.fail(finding_of(early, self.time_of_body())),
        }
        if let Some(finding) = torn_down.finding {
            rows.fail(finding);
        }
        for finding in end.of_peer {
            if !rows.has_headline(&finding.headline) {
                rows.fail(finding);
            }
        }
        // Checks that passed or were skipped are of no interest under `cargo test`.
        rows.checks.extend(checks.into_iter().filter(|check| check.status == Status::Failure));
        let judged = envelopes.into_iter().chain(shapes.findings).chain(tools.findings);
        let mut remarks = rows.add_judged(judged);
        // A test may send invalid messages, often on purpose, so that they only cause warnings.
        let of_test = |finding| Finding { blame: Blame::Test, ..finding };
        remarks.extend(shapes.harness.into_iter().map(of_test));
        // Only now, after the search for repeats: an assertion about a message says nothing about its other defects.
        if let Some(failure) = &assertion {
            let finding = failure.finding.clone();
            rows.checks.retain(|check| check.finding.as_ref() != Some(&finding));
            rows.checks.insert(0, rows.row(finding, Status::Failure));
        }
        // The revision of a client is its own choice.
        if self.cell.scenario.leg == Leg::Server {
            rows.explain_by_era(assertion.as_mut(), &trace, self.cell.revision);
        }
        // Remarks alone are not reported: the output of a test that passes is not read.
        if rows.checks.is_empty() {
            let status = if skipped.is_some() { Status::Skipped } else { Status::Success };
            let row = Check { message: skipped, ..Check::new(&*rows.id, Origin::User, status) };
            return self.outcome(vec![row], trace);
        }
        let remarks: Vec<Check> =
            remarks.into_iter().map(|finding| rows.row(finding, Status::Warning)).collect();
        rows.checks.extend(remarks);
        Outcome { assertion: assertion.map(Arc::new), ..self.outcome(rows.checks, trace) }
    }
}

/// The rows of a test.
struct Rows {
    id: String,
    checks: Vec<Check>,
}

impl Rows {
    /// Adds something that fails the test, whoever is to blame.
    fn fail(&mut self, finding: Finding) {
        let row = self.row(finding, Status::Failure);
        self.checks.push(row);
    }

    /// Adds what breaks a MUST, unless a row reports it already, and returns what breaks only a SHOULD.
    fn add_judged(&mut self, findings: impl Iterator<Item = Finding>) -> Vec<Finding> {
        let mut remarks = Vec::new();
        for finding in findings {
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
    use crate::trace::{EventKind, Party};

    #[test]
    fn a_finding_is_not_repeated() {
        let mut rows = Rows { id: "works".to_owned(), checks: Vec::new() };
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
