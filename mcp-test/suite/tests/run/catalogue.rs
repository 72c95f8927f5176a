//! Scenarios that are built at run time, selected from a list of their own.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test_core::run::{Baseline, ExitCode, UsageError, Verdict};
use mcp_test_core::scenario::{Body, CheckSpec, Kind, Shared, Stop};
use mcp_test_core::server::reference::everything;
use mcp_test_core::spec::Revisions;

use super::*;

/// A scenario with a body that owns data.
fn dynamic(id: &'static str, revisions: Revisions, body: Body) -> Scenario {
    let checks = vec![CheckSpec::dynamic("said", "Said", "something was said")].into();
    Scenario { revisions, checks, ..Scenario::dynamic(Kind::BuiltIn, TestedSide::Server, id, body) }
}

/// A body that pings, and counts how often it has been played.
fn counting(played: &Arc<AtomicUsize>) -> Body {
    let played = Arc::clone(played);
    Body::server(move |ctx| {
        let played = Arc::clone(&played);
        Box::pin(async move {
            played.fetch_add(1, Ordering::SeqCst);
            ctx.client().await?;
            ctx.check("said").pass();
            Ok(())
        })
    })
}

fn one(server: &Server, scenarios: &[&Shared<Scenario>]) -> Plan {
    let selection = Selection { one_revision: true, ..Selection::default() };
    let scenarios = scenarios.iter().copied().cloned();
    Plan::build(scenarios, target(server), Profile::Adaptive, &selection).expect("a plan")
}

/// The scenario runs that were played, each with what came of it.
fn played(plan: &Plan) -> Vec<(Revision, Verdict)> {
    let (_, summary) = run_plan(plan);
    summary.lines.iter().map(|line| (line.scenario_run.revision, line.verdict)).collect()
}

#[test]
fn a_body_holds_data_and_is_found_in_its_own_list_only() {
    let count = Arc::default();
    let scenario: Shared<_> = dynamic("mine", Revisions::all(), counting(&count)).into();
    let asked = |id| {
        Plan::build([scenario.clone()], target(&everything()), Profile::Adaptive, &selection(&[id]))
    };
    let (_, summary) = run_plan(&asked("mine").expect("a plan"));
    assert_eq!(summary.exit, ExitCode::Passed);
    assert_eq!(count.load(Ordering::SeqCst), Revision::ALL.len());
    let Err(UsageError::UnknownScenario { id, suggestion }) = asked("mina") else {
        panic!("`mina` is not in the list");
    };
    assert_eq!((id.as_str(), suggestion.as_deref()), ("mina", Some("mine")));
    assert!(asked("ping").is_err(), "a built-in scenario is not in the list");
}

#[test]
fn one_revision_is_the_newest_of_the_handshake_era_or_else_the_newest() {
    let any: Shared<_> = dynamic("any", Revisions::all(), counting(&Arc::default())).into();
    let until = Revisions::between(Revision::V2024_11_05, Revision::V2025_06_18);
    let old: Shared<_> = dynamic("old", until, counting(&Arc::default())).into();
    let server = everything();
    assert_eq!(
        played(&one(&server, &[&any, &old])),
        [(Revision::V2025_11_25, Verdict::Passed), (Revision::V2025_06_18, Verdict::Passed)]
    );
    let older =
        everything().revisions(Revisions::between(Revision::V2024_11_05, Revision::V2025_03_26));
    assert_eq!(played(&one(&older, &[&any])), [(Revision::V2025_03_26, Verdict::Passed)]);
    let newest = everything().revisions(Revisions::only(Revision::V2026_07_28));
    assert_eq!(
        played(&one(&newest, &[&any, &old])),
        [(Revision::V2026_07_28, Verdict::Passed), (Revision::V2025_06_18, Verdict::Skipped)]
    );
}

#[test]
fn selected_revisions_all_run() {
    let any: Shared<_> = dynamic("any", Revisions::all(), counting(&Arc::default())).into();
    let revisions = vec![Revision::V2025_03_26, Revision::V2026_07_28];
    let asked = Selection { revisions, one_revision: true, ..Selection::default() };
    let plan = Plan::build([any], target(&everything()), Profile::Adaptive, &asked);
    let played: Vec<Revision> =
        played(&plan.expect("a plan")).into_iter().map(|(revision, _)| revision).collect();
    assert_eq!(played, [Revision::V2025_03_26, Revision::V2026_07_28]);
}

#[test]
fn a_scenario_that_opens_the_conversation_runs_at_an_unsupported_revision() {
    let old = Revisions::only(Revision::V2025_06_18);
    let opens = Scenario { opens: true, ..dynamic("opens", old, counting(&Arc::default())) };
    let newest = everything().revisions(Revisions::only(Revision::V2025_11_25));
    let played = played(&one(&newest, &[&opens.into()]));
    assert_eq!(played, [(Revision::V2025_06_18, Verdict::NotRun)]);
}

#[test]
fn the_timeout_of_a_scenario_overrides_that_of_the_plan() {
    let body = Body::server(|_| Box::pin(std::future::pending::<Result<(), Stop>>()));
    let timeout = Some(Duration::from_millis(50));
    let hasty = Scenario { timeout, ..dynamic("hasty", Revisions::all(), body) };
    let plan = one(&everything(), &[&hasty.into()]);
    assert_eq!(plan.timeout, Duration::from_secs(30));
    let (events, _) = run_plan(&plan);
    let message = events.iter().find_map(|event| match event {
        RunEvent::Finished(outcome) => outcome.checks[0].message.clone(),
        _ => None,
    });
    insta::assert_snapshot!(message.expect("a finding"), @"
    the scenario did not end in time
      expected an end within 50 ms
    ");
}

#[test]
fn a_baseline_is_checked_against_the_list_and_ids_may_have_two_colons() {
    let mine: Shared<_> =
        dynamic("calculator::adds", Revisions::all(), counting(&Arc::default())).into();
    let vetted = |text: &str| {
        let baseline = Baseline::parse("known.yml", text).expect("a baseline");
        baseline
            .vet(std::slice::from_ref(&mine), TestedSide::Server, Profile::Adaptive)
            .map_err(|it| it.to_string())
    };
    assert_eq!(vetted("server:\n  - calculator::adds:said\n"), Ok(Vec::new()));
    insta::assert_snapshot!(vetted("server:\n  - calculator::adds:sad\n").unwrap_err(), @"known.yml:2: `calculator::adds` has no check `sad`; did you mean `said`?");
    insta::assert_snapshot!(vetted("server:\n  - calculator::add\n").unwrap_err(), @"known.yml:2: there is no scenario `calculator::add`; did you mean `calculator::adds`?");
    insta::assert_snapshot!(vetted("server:\n  - ping\n").unwrap_err(), @"known.yml:2: there is no scenario `ping`");
}
