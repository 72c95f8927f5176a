//! Servers that stop answering: one wait, one finding, and no scenario run that would only wait.
//!
//! Bounds on time have much slack, for machines under load; the time-outs that they must not reach are far longer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test_core::check;
use mcp_test_core::check::{Finding, Status};
use mcp_test_core::clock::Stopwatch;
use mcp_test_core::run::{ExitCode, Outcome, Verdict};
use mcp_test_core::scenario::{Body, CheckSpec, Kind, Scenario, Shared, TestedSide};
use mcp_test_core::server::reference::everything;
use mcp_test_core::spec::Revisions;
use mcp_test_core::transport::Fault;

use super::*;

const TIMEOUT: Duration = Duration::from_millis(500);

const IDS: [&str; 4] = ["ping", "tools-list", "prompts-list", "resources-list"];

fn plan_of(target: Target, profile: Profile, ids: &[&str]) -> Plan {
    Plan::build(scenarios::all(), target, profile, &selection(ids))
        .expect("a plan")
        .timeout(TIMEOUT)
}

fn outcomes(events: Vec<RunEvent>) -> Vec<Outcome> {
    let finished = events.into_iter().filter_map(|event| match event {
        RunEvent::Finished(outcome) => Some(*outcome),
        _ => None,
    });
    finished.collect()
}

/// A server in memory whose connections after the first `count` get no answer.
fn silent_after_connections(count: usize) -> Target {
    let opened = Arc::new(AtomicUsize::new(0));
    Target::duplex(move |io| {
        let is_silent = opened.fetch_add(1, Ordering::SeqCst) >= count;
        async move {
            if is_silent {
                let _open = io;
                return std::future::pending().await;
            }
            Ok(everything().serve(io).await?)
        }
    })
}

fn waits(outcomes: &[Outcome]) -> usize {
    outcomes.iter().map(|outcome| outcome.trace.deadlines_fired().len()).sum()
}

#[test]
fn after_a_silence_the_others_are_skipped_and_name_it() {
    // One connection for each of two eras, one for the lists of each, and that of the first scenario run.
    let plan = plan_of(silent_after_connections(7), Profile::Adaptive, &IDS);
    let stopwatch = Stopwatch::start();
    let (events, summary) = run_plan(&plan);
    let outcomes = outcomes(events);
    assert!(stopwatch.elapsed() < TIMEOUT * 20, "{:?}", stopwatch.elapsed());
    assert!(outcomes.len() > 12, "{}", outcomes.len());
    assert_eq!(waits(&outcomes), 1);
    assert_eq!(summary.exit, ExitCode::Failed);
    let failed = |outcome: &&Outcome| outcome.verdict == Verdict::Failed;
    assert_eq!(outcomes.iter().filter(failed).count(), 1);
    let last = outcomes.last().expect("an outcome");
    assert_eq!(last.verdict, Verdict::Skipped);
    let silence = last.silence.as_ref().expect("a silence");
    assert!(
        outcomes
            .iter()
            .find(failed)
            .is_some_and(|outcome| outcome.scenario_run == silence.scenario_run)
    );
    insta::assert_snapshot!(last.checks[0].message.as_deref().unwrap_or_default(), @"the server has stopped answering: `initialize` was not answered (in `ping at 2025-06-18 over duplex`)");
}

#[test]
fn a_silence_that_is_only_a_warning_is_a_run_that_could_not_take_place() {
    static CHECKS: &[CheckSpec] = &[check!("answered", "Is answered").only_warns("it is a test")];
    let body = Body::server(|ctx| {
        Box::pin(async move {
            let outcome = ctx.client().await.map(|_| ());
            ctx.check("answered").judge(outcome.map_err(Finding::should));
            Ok(())
        })
    });
    let scenario = Scenario {
        checks: Shared::Static(CHECKS),
        ..Scenario::dynamic(Kind::BuiltIn, TestedSide::Server, "only-warns", body)
    };
    let all = [Shared::from(scenario)].into_iter().chain(scenarios::all().map(Into::into));
    let target = silent_after_connections(7);
    let ids = ["only-warns", "ping"];
    let plan = Plan::build(all, target, Profile::Adaptive, &selection(&ids)).expect("a plan");
    let (events, summary) = run_plan(&plan.timeout(TIMEOUT));
    let verdicts: Vec<Verdict> = outcomes(events).iter().map(|outcome| outcome.verdict).collect();
    assert!(!verdicts.contains(&Verdict::Failed), "{verdicts:?}");
    assert!(verdicts.contains(&Verdict::Skipped), "{verdicts:?}");
    assert_eq!(summary.exit, ExitCode::NotRun);
}

#[test]
fn strictly_what_is_not_tested_after_a_silence_fails() {
    let (events, _) = run_plan(&plan_of(silent_after_connections(7), Profile::Strict, &IDS));
    let outcomes = outcomes(events);
    assert_eq!(waits(&outcomes), 1);
    let last = outcomes.last().expect("an outcome");
    assert_eq!(last.verdict, Verdict::Failed);
    assert!(last.checks.iter().all(|check| check.untestable), "{:?}", last.checks);
}

#[test]
fn officially_every_scenario_after_a_silence_fails_without_a_wait() {
    let (events, summary) =
        run_plan(&plan_of(silent_after_connections(3), Profile::Official, &IDS));
    let outcomes = outcomes(events);
    assert_eq!(waits(&outcomes), 1);
    assert_eq!(summary.exit, ExitCode::Failed);
    let rows = outcomes.iter().flat_map(|outcome| {
        outcome.checks.iter().filter(|check| outcome.counts(check)).map(|check| {
            let message = check.message.as_deref().unwrap_or_default();
            let id = &outcome.scenario_run.scenario.id;
            format!("{id}: {} {} {message}", check.status, check.id).trim_end().to_owned()
        })
    });
    insta::assert_snapshot!(rows.collect::<Vec<_>>().join("\n"), @"
    ping: SUCCESS ping
    ping: SUCCESS wire-schema-valid
    tools-list: FAILURE scenario-timeout `initialize` was not answered
      expected a response with id 1 within 450 ms
      got nothing at all in that time
    tools-list: SKIPPED wire-schema-valid the peer sent nothing that could be validated
    resources-list: FAILURE scenario-timeout the server has stopped answering: `initialize` was not answered (in `tools-list at 2025-11-25 over duplex`)
    prompts-list: FAILURE scenario-timeout the server has stopped answering: `initialize` was not answered (in `tools-list at 2025-11-25 over duplex`)
    ");
}

#[test]
fn a_server_that_ignores_one_method_is_tested_in_all_others() {
    let deaf = everything().faults([Fault::never("prompts/list")]);
    for profile in [Profile::Official, Profile::Adaptive] {
        let (events, _) = run_plan(&plan_of(target(&deaf), profile, &IDS));
        for outcome in outcomes(events) {
            let is_deaf = &*outcome.scenario_run.scenario.id == "prompts-list";
            let expected = if is_deaf { Verdict::Failed } else { Verdict::Passed };
            assert_eq!(outcome.verdict, expected, "{profile}: {}", outcome.scenario_run);
            assert!(outcome.silence.is_none(), "{profile}: {}", outcome.scenario_run);
        }
    }
}

#[test]
fn a_server_that_falls_silent_before_the_first_scenario_cannot_be_tested() {
    // It answers one handshake only.
    let stopwatch = Stopwatch::start();
    let (events, summary) =
        run_plan(&plan_of(silent_after_connections(1), Profile::Adaptive, &IDS));
    assert!(stopwatch.elapsed() < TIMEOUT * 20, "{:?}", stopwatch.elapsed());
    assert!(outcomes(events).is_empty());
    assert_eq!(summary.exit, ExitCode::NotRun);
    insta::assert_snapshot!(summary.not_run.expect("a reason"), @"
    `initialize` was not answered
      expected a response with id 1 within 500 ms
      got nothing at all in that time
      hint: the server answered before, but now not even on a new connection
    ");
}

#[test]
fn a_server_asked_only_for_a_stateless_revision_costs_one_wait() {
    let timeout = Duration::from_secs(3);
    let run = |target: Target| {
        let mut asked = selection(&IDS);
        asked.revisions = vec![Revision::V2026_07_28];
        let plan =
            Plan::build(scenarios::all(), target, Profile::Adaptive, &asked).expect("a plan");
        let stopwatch = Stopwatch::start();
        let (_, summary) = run_plan(&plan.timeout(timeout));
        (stopwatch.elapsed(), summary)
    };
    let (elapsed, summary) = run(silent_after_connections(0));
    assert!(elapsed < timeout + Duration::from_secs(2), "{elapsed:?}");
    assert_eq!(summary.exit, ExitCode::NotRun);
    insta::assert_snapshot!(summary.not_run.expect("a reason"), @"
    `server/discover` was not answered
      expected a response with id 1 within 3 s
      got nothing at all in that time
    ");

    // An older server that ignores what comes before `initialize` is recognised in the same time.
    let older = everything().revisions(Revisions::only(Revision::V2025_11_25));
    let (elapsed, summary) = run(target(&older.faults([Fault::never("server/discover")])));
    assert!(elapsed < timeout + Duration::from_secs(2), "{elapsed:?}");
    insta::assert_snapshot!(summary.not_run.expect("a reason"), @"
    the server speaks none of the selected revisions
      expected 2026-07-28
      got at least 2025-11-25 over duplex
    ");
}

#[test]
fn over_http_a_silence_costs_one_wait() {
    use axum::extract::Request;
    use tower::ServiceExt;

    for silent_from in [0, 4, 30] {
        let received = Arc::new(AtomicUsize::new(0));
        let target = Target::router(move || {
            let (inner, received) = (everything().router(), received.clone());
            axum::Router::new().fallback(move |request: Request| async move {
                if received.fetch_add(1, Ordering::SeqCst) >= silent_from {
                    std::future::pending::<()>().await;
                }
                inner.oneshot(request).await
            })
        });
        let stopwatch = Stopwatch::start();
        let (events, summary) = run_plan(&plan_of(target, Profile::Adaptive, &IDS));
        let elapsed = stopwatch.elapsed();
        assert!(elapsed < TIMEOUT * 20, "{silent_from}: {elapsed:?}");
        let outcomes = outcomes(events);
        assert!(waits(&outcomes) <= 1, "{silent_from}: {}", waits(&outcomes));
        assert_ne!(summary.exit, ExitCode::Passed, "{silent_from}");
        let failing = outcomes.iter().filter(|outcome| outcome.verdict.is_failing());
        assert!(failing.count() <= 1, "{silent_from}");
    }
}

#[cfg(unix)]
mod with_a_program {
    use mcp_test_core::process::Command;

    use super::*;

    /// A server whose starts after the first `$2` get no answer, and do not end with their input.
    const SCRIPT: &str = r#"
        echo started >> "$1"
        [ "$(wc -l < "$1")" -gt "$2" ] && exec sleep 600
        while read -r line; do
            id=${line#*\"id\":}
            id=${id%%,*}
            case $line in
            *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}' ;;
            *'"tools/list"'*) result='{"tools":[]}' ;;
            *'"id"'*) result='{}' ;;
            *) continue ;;
            esac
            echo '{"jsonrpc":"2.0","id":'"$id"',"result":'"$result"'}'
        done
    "#;

    fn silent_after_starts(count: usize, folder: &tempfile::TempDir) -> Target {
        let starts = folder.path().join("starts").to_string_lossy().into_owned();
        let count = count.to_string();
        Target::command(Command::new("sh").args(["-c", SCRIPT, "sh", starts.as_str(), &count]))
    }

    #[test]
    fn a_silence_costs_one_wait_and_the_program_is_ended() {
        for profile in [Profile::Official, Profile::Adaptive] {
            for count in [0, 2] {
                let folder = tempfile::tempdir().expect("a folder");
                let mut asked = selection(&IDS);
                asked.revisions = vec![Revision::V2025_11_25];
                let target = silent_after_starts(count, &folder);
                let plan = Plan::build(scenarios::all(), target, profile, &asked).expect("a plan");
                let plan = plan.timeout(Duration::from_secs(2));
                let stopwatch = Stopwatch::start();
                let (events, summary) = run_plan(&plan);
                let elapsed = stopwatch.elapsed();
                assert!(elapsed < Duration::from_secs(20), "{profile} {count}: {elapsed:?}");
                assert!(waits(&outcomes(events)) <= 1, "{profile} {count}");
                assert_ne!(summary.exit, ExitCode::Passed, "{profile} {count}");
            }
        }
    }

    #[test]
    fn no_scenario_outlasts_its_time_out_by_two_seconds() {
        // It reads and ignores the end of its input and the request to terminate.
        let script = SCRIPT.replace(
            "*'\"id\"'*) result='{}'",
            "*'\"ping\"'*) trap '' TERM; while :; do sleep 1; done",
        );
        let folder = tempfile::tempdir().expect("a folder");
        let starts = folder.path().join("starts").to_string_lossy().into_owned();
        let command = Command::new("sh").args(["-c", &script, "sh", &starts, "1000"]);
        let mut asked = selection(&["ping"]);
        asked.revisions = vec![Revision::V2025_11_25];
        let plan =
            Plan::build(scenarios::all(), Target::command(command), Profile::Adaptive, &asked);
        let plan = plan.expect("a plan").timeout(Duration::from_secs(1));
        let (events, _) = run_plan(&plan);
        let outcomes = outcomes(events);
        assert_eq!(outcomes[0].count(Status::Failure), 1, "{:?}", outcomes[0].checks);
        // Three grace periods of two seconds each would be over after seven.
        assert!(outcomes[0].elapsed < Duration::from_millis(5500), "{:?}", outcomes[0].elapsed);
    }
}
