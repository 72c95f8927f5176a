//! Scenarios that are made while the program runs, and chosen from a list of their own.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::check::Finding;
use crate::run::{Baseline, ExitCode, UsageError, Verdict};
use crate::scenario::{Body, Carriers, CheckSpec, Proofs};
use crate::server::reference::everything;
use crate::spec::Revisions;

const CHECKS: [CheckSpec; 1] = [CheckSpec::own("said", "Said", "something was said")];

/// A scenario with a body that holds data.
fn made(id: &'static str, revisions: Revisions, body: Body) -> Scenario {
    Scenario {
        id,
        title: "made while the program runs",
        doc: "",
        leg: Leg::Server,
        revisions,
        official: None,
        carriers: Carriers::Any,
        needs: &[],
        disturbs: None,
        timeout: None,
        opens: false,
        verbatim: false,
        checks: &CHECKS,
        body,
        proofs: || Proofs { peer: || everything().into(), proofs: Vec::new() },
        file: file!(),
    }
}

/// A body that pings, and counts how often it has been played.
fn counting(played: &'static AtomicUsize) -> Body {
    Body::server(move |ctx| {
        Box::pin(async move {
            played.fetch_add(1, Ordering::SeqCst);
            ctx.client().await?;
            ctx.check("said").pass();
            Ok(())
        })
    })
}

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn one(server: &Server, scenarios: &[&'static Scenario]) -> Plan {
    let selection = Selection { one_revision: true, ..Selection::default() };
    let scenarios = scenarios.iter().copied();
    Plan::build_from(scenarios, target(server), Profile::Adaptive, &selection).expect("a plan")
}

/// The cells that were played, each with what came of it.
fn played(plan: &Plan) -> Vec<(Revision, Verdict)> {
    let (_, summary) = told(plan);
    summary.lines.iter().map(|line| (line.cell.revision, line.verdict)).collect()
}

#[test]
fn a_body_holds_data_and_is_found_in_its_own_list_only() {
    let count = leak(AtomicUsize::new(0));
    let scenario = leak(made("mine", Revisions::all(), counting(count)));
    let asked = |id| {
        Plan::build_from([scenario], target(&everything()), Profile::Adaptive, &selection(&[id]))
    };
    let (_, summary) = told(&asked("mine").expect("a plan"));
    assert_eq!(summary.exit, ExitCode::Passed);
    assert_eq!(count.load(Ordering::SeqCst), Revision::ALL.len());
    let Err(UsageError::UnknownScenario { id, suggestion }) = asked("mina") else {
        panic!("`mina` is not in the list");
    };
    assert_eq!((id.as_str(), suggestion.as_deref()), ("mina", Some("mine")));
    assert!(asked("ping").is_err(), "a built-in scenario is not in the list");
}

#[test]
fn one_revision_is_the_newest_of_the_handshake_era_or_else_the_newest_that_is_spoken() {
    let any = leak(made("any", Revisions::all(), counting(leak(AtomicUsize::new(0)))));
    let old = leak(made(
        "old",
        Revisions::between(Revision::V2024_11_05, Revision::V2025_06_18),
        counting(leak(AtomicUsize::new(0))),
    ));
    let server = everything();
    assert_eq!(
        played(&one(&server, &[any, old])),
        [(Revision::V2025_11_25, Verdict::Passed), (Revision::V2025_06_18, Verdict::Passed)]
    );
    let older =
        everything().revisions(Revisions::between(Revision::V2024_11_05, Revision::V2025_03_26));
    assert_eq!(played(&one(&older, &[any])), [(Revision::V2025_03_26, Verdict::Passed)]);
    let newest = everything().revisions(Revisions::only(Revision::V2026_07_28));
    assert_eq!(
        played(&one(&newest, &[any, old])),
        [(Revision::V2026_07_28, Verdict::Passed), (Revision::V2025_06_18, Verdict::Skipped)]
    );
}

#[test]
fn revisions_that_are_named_are_all_played() {
    let any = leak(made("any", Revisions::all(), counting(leak(AtomicUsize::new(0)))));
    let revisions = vec![Revision::V2025_03_26, Revision::V2026_07_28];
    let asked = Selection { revisions, one_revision: true, ..Selection::default() };
    let plan = Plan::build_from([any], target(&everything()), Profile::Adaptive, &asked);
    let played: Vec<Revision> =
        played(&plan.expect("a plan")).into_iter().map(|(revision, _)| revision).collect();
    assert_eq!(played, [Revision::V2025_03_26, Revision::V2026_07_28]);
}

#[test]
fn one_that_opens_the_conversation_itself_is_played_where_its_revision_is_not_spoken() {
    let old = Revisions::only(Revision::V2025_06_18);
    let opens = Scenario { opens: true, ..made("opens", old, counting(leak(AtomicUsize::new(0)))) };
    let newest = everything().revisions(Revisions::only(Revision::V2025_11_25));
    let played = played(&one(&newest, &[leak(opens)]));
    assert_eq!(played, [(Revision::V2025_06_18, Verdict::NotRun)]);
}

#[test]
fn the_time_of_a_scenario_goes_before_that_of_the_plan() {
    let body = Body::Server(&|_| Box::pin(std::future::pending::<Result<(), Finding>>()));
    let timeout = Some(Duration::from_millis(50));
    let hasty = Scenario { timeout, ..made("hasty", Revisions::all(), body) };
    let plan = one(&everything(), &[leak(hasty)]);
    assert_eq!(plan.timeout, Duration::from_secs(30));
    let (events, _) = told(&plan);
    let message = events.iter().find_map(|event| match event {
        RunEvent::Finished(outcome) => outcome.checks[0].message.clone(),
        _ => None,
    });
    insta::assert_snapshot!(message.expect("a finding"), @"
    the scenario was not over in time
      expected an end within 50 ms
    ");
}

#[test]
fn a_baseline_is_held_against_the_list_and_names_may_have_two_colons() {
    let mine =
        leak(made("calculator::adds", Revisions::all(), counting(leak(AtomicUsize::new(0)))));
    let vetted = |text: &str| {
        let baseline = Baseline::parse("known.yml", text).expect("a baseline");
        baseline.vet_among(&[mine], Leg::Server, Profile::Adaptive).map_err(|it| it.to_string())
    };
    assert_eq!(vetted("server:\n  - calculator::adds:said\n"), Ok(Vec::new()));
    insta::assert_snapshot!(vetted("server:\n  - calculator::adds:sad\n").unwrap_err(), @"known.yml:2: `calculator::adds` has no check `sad`; did you mean `said`?");
    insta::assert_snapshot!(vetted("server:\n  - calculator::add\n").unwrap_err(), @"known.yml:2: there is no scenario `calculator::add`; did you mean `calculator::adds`?");
    insta::assert_snapshot!(vetted("server:\n  - ping\n").unwrap_err(), @"known.yml:2: there is no scenario `ping`");
}
