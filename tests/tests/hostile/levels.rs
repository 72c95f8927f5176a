//! The severity of each misbehavior at each revision: a MUST is a FAILURE, a SHOULD a WARNING.

use std::collections::BTreeMap;
use std::fmt::Write;

use mcp_test::check::{Check, Severity, Status};
use mcp_test::spec::{Level, Revision};
use mcp_test::transport::{Target, TransportKind};
use mcp_test_core::expect::words::joined;
use mcp_test_tests::hostile::Behavior;

use crate::scenario_run::{NO_TIMEOUT, RunResult, SCENARIO, run_scenarios, scenario_runs};
use crate::{http, lines};

/// The verdict on the wire at each revision; revisions with the same verdict are joined.
fn table(
    behaviors: &[Behavior],
    target: impl Fn(Behavior) -> Target,
    transport: TransportKind,
) -> String {
    let mut text = String::new();
    for &behavior in behaviors {
        let mut verdicts: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        let revisions = Revision::ALL.into_iter().filter(|it| transport.exists_at(*it));
        for revision in revisions {
            let result = run_scenarios(
                target(behavior),
                &scenario_runs(SCENARIO, &[revision], transport),
                NO_TIMEOUT,
            );
            let verdict = verdict(&result, revision);
            verdicts.entry(verdict).or_default().push(revision.as_str());
        }
        writeln!(text, "{behavior}").expect("a string takes everything");
        for (verdict, revisions) in verdicts {
            writeln!(text, "  {verdict} at {}", revisions.join(" "))
                .expect("a string takes everything");
        }
    }
    text
}

fn verdict(result: &RunResult, revision: Revision) -> String {
    if let Some(finding) = &result.preflight_failure {
        return format!("not run {}", joined(&finding.requirements, ", "));
    }
    let check = checks_of(result)
        .find(|check| check.id == "wire-well-formed")
        .expect("every scenario run has it");
    let broken = || checks_of(result).find(|check| check.finding.is_some());
    let Some(finding) = &check.finding else {
        // There was nothing to judge on the wire: the checks of the scenario report what is missing.
        return broken()
            .map_or("SUCCESS".to_owned(), |check| format!("{} of {}", check.status, check.id));
    };
    for requirement in &finding.requirements {
        let is_should = matches!(requirement.level, Level::Should | Level::ShouldNot);
        assert_eq!(is_should, finding.severity == Severity::Should, "{requirement} at {revision}");
    }
    assert_eq!(check.status == Status::Warning, finding.severity == Severity::Should);
    format!("{} {}", check.status, joined(&finding.requirements, ", ")).trim_end().to_owned()
}

fn checks_of(result: &RunResult) -> impl Iterator<Item = &Check> {
    result.outcomes.iter().flat_map(|outcome| &outcome.checks)
}

#[test]
fn over_lines() {
    insta::assert_snapshot!(table(
        &lines::BEHAVIORS[1..],
        lines::in_process,
        TransportKind::Duplex
    ));
}

#[test]
fn in_a_body() {
    let target = |behavior| http::router(behavior, false);
    insta::assert_snapshot!(table(&http::BODIES[1..], target, TransportKind::Router));
}

#[test]
fn in_a_stream() {
    let target = |behavior| http::router(behavior, true);
    insta::assert_snapshot!(table(&http::STREAMS[1..], target, TransportKind::Router));
}
