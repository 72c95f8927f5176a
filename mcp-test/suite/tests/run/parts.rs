//! Runs that end early, that repeat what fails, and that are a part of a run.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test_core::run::{Baseline, ExitCode, Outcome, Shard, Verdict};
use mcp_test_core::server::Call;
use mcp_test_core::server::reference::everything;
use mcp_test_core::transport::Fault;

use super::*;

/// A server whose first replies to `ping` are wrong, and how many it has sent.
fn recovering(wrong: usize) -> (Server, Arc<AtomicUsize>) {
    let replies = Arc::new(AtomicUsize::new(0));
    let sent = replies.clone();
    let server = everything().on("ping", move |_: Call| {
        let is_wrong = sent.fetch_add(1, Ordering::SeqCst) < wrong;
        std::future::ready(if is_wrong { json!({"pong": true}) } else { json!({}) })
    });
    (server, replies)
}

fn verdicts(summary: &Summary) -> Vec<(String, Verdict)> {
    let lines = summary.lines.iter();
    lines.map(|line| (line.scenario_run.scenario.id.to_string(), line.verdict)).collect()
}

fn outcomes(events: &[RunEvent]) -> Vec<Outcome> {
    let finished = events.iter().filter_map(|event| match event {
        RunEvent::Finished(outcome) => Some((**outcome).clone()),
        _ => None,
    });
    finished.collect()
}

fn ids(scenario_runs: &[ScenarioRun]) -> Vec<&str> {
    scenario_runs.iter().map(|scenario_run| &*scenario_run.scenario.id).collect()
}

#[test]
fn a_run_ends_after_the_first_failure_if_it_has_to() {
    let bad = everything().faults([Fault::set("ping", "/pong", json!(true))]);
    let selected = ["ping", "tools-list", "prompts-list"];
    for profile in Profile::ALL {
        let plan = plan(&bad, profile, &selected);
        let scenario_runs = plan.scenario_runs.len();
        let (_, summary) = run_plan(&plan.clone().fail_fast(true));
        assert_eq!(verdicts(&summary), [("ping".to_owned(), Verdict::Failed)], "{profile}");
        assert_eq!(summary.lines.len() + summary.not_started.len(), scenario_runs, "{profile}");
        assert_eq!(ids(&summary.not_started).last(), Some(&"prompts-list"));
        assert_eq!(summary.exit, ExitCode::Failed);
        // What runs already when the first one fails is waited for.
        let two = NonZeroUsize::new(2).expect("two");
        let (_, summary) = run_plan(&plan.clone().fail_fast(true).jobs(two));
        assert!(matches!(summary.lines.len(), 1 | 2), "{profile}: {:?}", verdicts(&summary));
        assert_eq!(summary.exit, ExitCode::Failed);
        let (_, summary) = run_plan(&plan);
        assert_eq!(
            (summary.lines.len(), summary.not_started.len()),
            (scenario_runs, 0),
            "{profile}"
        );
    }
}

#[test]
fn an_expected_failure_does_not_end_a_run_and_nothing_is_stale_that_was_not_run() {
    let bad = everything().faults([Fault::set("ping", "/pong", json!(true))]);
    let end = |baseline: &str| {
        let plan = plan(&bad, Profile::Official, &["ping", "tools-list"]).fail_fast(true);
        let baseline = Baseline::parse("b.yml", baseline).expect("a baseline");
        run_plan(&plan.baseline(baseline)).1
    };
    let summary = end("server: ['ping:ping']");
    assert_eq!((summary.exit, summary.not_started.len()), (ExitCode::Passed, 0));
    let summary = end("server: [tools-list]");
    assert_eq!((summary.exit, ids(&summary.not_started)), (ExitCode::Failed, vec!["tools-list"]));
    let comparison = summary.baseline.expect("a comparison");
    assert_eq!((comparison.stale, comparison.unexpected), (vec![], vec!["ping".to_owned()]));
}

#[test]
fn a_verdict_that_changes_is_flaky() {
    for profile in Profile::ALL {
        let (server, replies) = recovering(2);
        let mut plan = plan(&server, profile, &["ping", "tools-list"]).retries(3);
        plan.scenario_runs.retain(|scenario_run| scenario_run.revision == Revision::V2025_11_25);
        let (events, summary) = run_plan(&plan);
        assert_eq!(replies.load(Ordering::SeqCst), 3, "no more attempts than needed");
        let expected =
            [("ping".to_owned(), Verdict::Flaky), ("tools-list".to_owned(), Verdict::Passed)];
        assert_eq!(verdicts(&summary), expected, "{profile}");
        assert_eq!((summary.exit, summary.lines[0].attempts), (ExitCode::Failed, 3));
        assert!(summary.counts.failure > 0, "{profile}: {:?}", summary.counts);
        let outcome = outcomes(&events).remove(0);
        let attempts = outcome.attempts().into_iter();
        // Each has a conversation of its own.
        let traces =
            attempts.map(|it| (it.attempt, it.failing().count() > 0, it.trace.events.is_empty()));
        assert_eq!(
            traces.collect::<Vec<_>>(),
            [(1, true, false), (2, true, false), (3, false, false)],
            "{profile}"
        );
    }
}

#[test]
fn what_fails_each_time_has_failed_and_what_is_expected_is_not_repeated() {
    let (server, replies) = recovering(usize::MAX);
    let mut plan = plan(&server, Profile::Adaptive, &["ping"]).retries(2);
    plan.scenario_runs.retain(|scenario_run| scenario_run.revision == Revision::V2025_11_25);
    let (_, summary) = run_plan(&plan);
    assert_eq!((verdicts(&summary)[0].1, summary.exit), (Verdict::Failed, ExitCode::Failed));
    assert_eq!((replies.swap(0, Ordering::SeqCst), summary.lines[0].attempts), (3, 3));
    let baseline = Baseline::parse("b.yml", "server: [ping]").expect("a baseline");
    let (_, summary) = run_plan(&plan.clone().baseline(baseline));
    assert_eq!((summary.exit, replies.load(Ordering::SeqCst)), (ExitCode::Passed, 1));
    // Something else than the baseline expects.
    let (server, _) = recovering(1);
    let baseline = Baseline::parse("b.yml", "server: ['ping:wire-schema-valid']");
    let mut other = plan;
    other.target = target(&server).into();
    let (_, summary) = run_plan(&other.baseline(baseline.expect("a baseline")));
    assert_eq!((summary.exit, verdicts(&summary)[0].1), (ExitCode::Failed, Verdict::Flaky));
}

#[test]
fn shards_run_everything_exactly_once() {
    let planned = |shard: Option<Shard>| {
        let (events, summary) = run_plan(&plan(&everything(), Profile::Adaptive, &[]).shard(shard));
        assert_eq!((summary.exit, summary.shard), (ExitCode::Passed, shard));
        let scenario_runs =
            outcomes(&events).into_iter().map(|outcome| outcome.scenario_run.to_string());
        scenario_runs.collect::<Vec<_>>()
    };
    let whole = planned(None);
    let shards = ["1/3", "2/3", "3/3"].map(|text| planned(text.parse().ok()));
    assert!(shards.iter().all(|shard| shard.len() >= whole.len() / 3), "{shards:?}");
    let all: Vec<String> = shards.concat();
    assert_eq!(all.len(), whole.len());
    assert_eq!(all.into_iter().collect::<BTreeSet<_>>(), whole.into_iter().collect());
}

#[test]
fn more_shards_than_runs_leave_some_empty() {
    let plan = plan(&everything(), Profile::Official, &["ping"]);
    let lines = ["1/2", "2/2"].map(|shard| {
        let (_, summary) = run_plan(&plan.clone().shard(shard.parse().ok()));
        (summary.lines.len(), summary.exit)
    });
    assert_eq!(lines, [(1, ExitCode::Passed), (0, ExitCode::Passed)]);
}

#[test]
fn an_entry_is_not_stale_whose_scenario_runs_in_another_shard_too() {
    // It fails at one revision only, which is that of the last shard.
    let server = everything().on("ping", |call: Call| {
        let is_wrong = call.revision() == Revision::V2025_11_25;
        std::future::ready(if is_wrong { json!({"pong": true}) } else { json!({}) })
    });
    let baseline = Baseline::parse("b.yml", "server: [ping]").expect("a baseline");
    let plan = plan(&server, Profile::Adaptive, &["ping"]).baseline(baseline);
    assert_eq!(plan.scenario_runs.len(), 4);
    for shard in ["1/4", "4/4"] {
        let (_, summary) = run_plan(&plan.clone().shard(shard.parse().ok()));
        let comparison = summary.baseline.expect("a comparison");
        assert_eq!((summary.exit, comparison.stale), (ExitCode::Passed, vec![]), "{shard}");
    }
}
