//! What was said in a run, as cases: they hold against the same server at once, and in its place.

use std::fmt::Write as _;
use std::sync::LazyLock;

use mcp_test::cases::{Cases, Mock, PlayOptions, ReadOptions, Recording, scenarios};
use mcp_test_core::clock::virtual_time;
use mcp_test_core::run::{Plan, RunEvent, Selection, Verdict, run};
use mcp_test_core::scenario::Profile;
use mcp_test_core::server::reference::everything;
use mcp_test_core::spec::Revision;
use mcp_test_core::transport::Target;
use mcp_test_suite::scenarios as built_in;

/// What these say is not what a client says, so that it cannot be played as cases: a second `initialize`, requests without
/// `_meta`, ids and versions of other types or that do not match the headers. The last three wait for tasks, and how often they ask
/// depends on the time.
const NOT_PLAYED: [&str; 10] = [
    "base-invalid-ids",
    "base-invalid-params",
    "base-stateless",
    "lifecycle-order",
    "lifecycle-versions",
    "versioning-metadata",
    "versioning-unsupported",
    "tasks-lifecycle",
    "tasks-mrtr-composition",
    "tasks-wire-fields",
];

/// Everything that the built-in scenarios say to the reference server, at every revision and over each of its transports.
async fn recording() -> Recording {
    let selection = Selection { revisions: Revision::ALL.to_vec(), ..Selection::default() };
    let plan = Plan::build(built_in::all(), everything().target(), Profile::Adaptive, &selection)
        .expect("a plan");
    let mut recording = Recording::new();
    let mut on = |event: RunEvent| {
        if let RunEvent::Finished(outcome) = event
            && !NOT_PLAYED.contains(&&*outcome.scenario_run.scenario.id)
        {
            recording.add(&outcome.scenario_run.to_string(), &outcome.trace);
        }
    };
    run(&plan, &mut on).await;
    recording
}

fn read(text: &str) -> Cases {
    let read = Cases::parse("recorded.yaml", text, &ReadOptions::default().strict(true));
    let (cases, problems) = read.unwrap_or_else(|error| panic!("{error}"));
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    cases
}

/// What fails when cases are played; nothing if all is well.
async fn failing(cases: &Cases, target: Target) -> String {
    let catalogue =
        scenarios(cases, &PlayOptions::default()).expect("nothing is wanted from outside");
    let selection = Selection::default();
    let plan = Plan::build(catalogue, target, Profile::Adaptive, &selection).expect("a plan");
    let mut failures = String::new();
    let mut on = |event: RunEvent| match event {
        RunEvent::Finished(outcome) if outcome.verdict != Verdict::Passed => {
            let _ = writeln!(failures, "{}: {:?}", outcome.scenario_run, outcome.verdict);
            for check in outcome.failing() {
                let _ = writeln!(failures, "  {}: {:?}", check.id, check.finding);
            }
        }
        RunEvent::PreflightFailed { finding, .. } => drop(writeln!(failures, "{finding}")),
        _ => {}
    };
    run(&plan, &mut on).await;
    failures
}

/// The recording as text. It is made once.
fn recorded() -> &'static str {
    static RECORDED: LazyLock<String> =
        LazyLock::new(|| virtual_time::block_on(recording()).to_string());
    &RECORDED
}

#[test]
fn what_was_recorded_holds_against_the_same_server() {
    let cases = read(recorded());
    let failures = virtual_time::block_on(failing(&cases, everything().target()));
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn what_was_recorded_stands_in_for_the_server() {
    let mut failures = String::new();
    // Each by itself: which of several cases a client has in mind that declares something else, it does not say.
    for text in recorded().split("---\n") {
        let cases = read(text);
        let mock = Mock::new(cases.clone());
        let found = virtual_time::block_on(failing(&cases, mock.target()));
        if !found.is_empty() {
            let beginning: String = text.chars().take(500).collect();
            let _ = writeln!(failures, "{found}in {beginning}");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
