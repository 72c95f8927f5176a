//! Tests of known violations, which need a sample of a run: what they make expected, and which of them are gone.

use super::sample;
use crate::run::{KnownResults, Outcome, Problems, Shown, Verdict};
use crate::scenario::Profile;
use crate::spec::{KnownViolation, KnownViolations, Requirement, Revision};

fn known(ids: &[&str]) -> KnownViolations {
    let known = ids.iter().copied().map(KnownViolation::from);
    KnownViolations::resolve(known).expect("they exist")
}

/// An outcome with one failure, of `tools.list.respond`.
fn failed() -> Outcome {
    let mut outcome = Outcome { profile: Profile::Adaptive, ..sample::failed() };
    outcome.checks.retain(|check| matches!(&*check.id, "server-answers" | "tools-list"));
    outcome
}

#[test]
fn what_is_known_does_not_fail_and_is_no_problem() {
    let outcome = failed().expecting(&known(&["tools.list.respond"]));
    assert_eq!((outcome.verdict, outcome.failing().count()), (Verdict::Passed, 0));
    let mut problems = Problems::default();
    problems.add(&outcome);
    assert!(problems.sorted().is_empty());

    let other = failed().expecting(&known(&["ping.result-empty"]));
    assert_eq!((other.verdict, other.failing().count()), (Verdict::Failed, 1));
    let official = Outcome { profile: Profile::Official, ..failed() };
    let official = official.expecting(&known(&["tools.list.respond"]));
    assert_eq!(official.verdict, Verdict::Failed);
}

#[test]
fn what_is_known_hides_no_other_failure() {
    let mut outcome = failed();
    let mut other = outcome.checks[1].clone();
    other.finding.as_mut().expect("a finding").requirements =
        vec![Requirement::TOOLS_LIST_CONNECTION_INDEPENDENT];
    outcome.checks.push(other);
    let outcome = outcome.expecting(&known(&["tools.list.respond"]));
    assert_eq!((outcome.verdict, outcome.failing().count()), (Verdict::Failed, 1));
}

#[test]
fn an_outcome_shows_what_is_broken_and_what_was_tried() {
    let mut outcome = failed();
    outcome.checks[0].tested.insert(Requirement::PING_RESULT_EMPTY);
    let shown = [
        Requirement::TOOLS_LIST_RESPOND,
        Requirement::PING_RESULT_EMPTY,
        Requirement::JSONRPC_ERROR_SHAPE,
    ]
    .map(|requirement| outcome.shows(requirement));
    assert_eq!(shown, [Shown::Broken, Shown::Kept, Shown::Nothing]);
    // The revision does not have it.
    outcome.scenario_run.revision = Revision::NEWEST;
    assert_eq!(outcome.shows(Requirement::PING_RESULT_EMPTY), Shown::Nothing);
}

#[test]
fn only_what_complete_runs_have_tried_is_gone() {
    let ids = ["tools.list.respond", "ping.result-empty", "jsonrpc.error-shape"];
    let known = KnownViolations::resolve(ids.map(KnownViolation::from)).expect("they exist");
    let mut outcome = sample::failed();
    outcome.checks[0].tested.insert(Requirement::PING_RESULT_EMPTY);
    let mut results = KnownResults::default();
    results.add(&known, None);
    assert_eq!(results.stale("x"), None);
    results.add(&known, Some(&outcome));
    assert_eq!(results.occurring().collect::<Vec<_>>(), [&ids[0].into()]);
    assert_eq!(
        results.gone().map(|(it, ..)| it).collect::<Vec<_>>(),
        [Requirement::PING_RESULT_EMPTY]
    );
    insta::assert_snapshot!(results.stale("`known`").unwrap_or_default(), @"
    the known violation `ping.result-empty` no longer occurs
      expected a violation
      got none, although 1 scenario run tried it: tools-list at 2025-11-25 over stdio
      known: ping.result-empty
      hint: remove `ping.result-empty` from `known`
    ");
    results.note_incomplete();
    assert_eq!(results.stale("x"), None);
}
