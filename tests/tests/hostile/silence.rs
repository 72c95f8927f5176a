//! Silent servers: what a run waits for, and how often.
//!
//! The waits are counted, by the server and in the trace, and not timed.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_test::process::Command;
use mcp_test::scenario::Profile;
use mcp_test::server::reference::everything;
use mcp_test::spec::Revision;
use mcp_test::transport::{Fault, Target, TransportKind};
use mcp_test_core::run::{Plan, RunEvent, Selection, run};
use mcp_test_tests::hostile::http::Running;
use mcp_test_tests::hostile::{Behavior, Hostile, lines};
use tokio::runtime::Runtime;

use crate::lines::{in_process, program};
use crate::scenario_run::{RunResult, SCENARIO, run_scenarios, scenario_runs};

/// The timeout for answers that do not arrive.
const TIMEOUT: Duration = Duration::from_millis(200);

/// The first method that is requested.
const FIRST: &str = "initialize";

/// Runs every scenario at every revision.
fn run_all(target: Target) -> RunResult {
    let result = run_scenarios(target, &Selection::default(), TIMEOUT);
    assert_eq!(result.outcomes.len(), 0, "a scenario was run");
    assert_eq!(result.exit, Some(3));
    result
}

#[test]
fn over_a_pipe_one_request_is_enough() {
    let connections = Arc::new(AtomicUsize::new(0));
    let count = connections.clone();
    let target = Target::duplex(move |io| {
        count.fetch_add(1, Ordering::Relaxed);
        async move {
            let (input, output) = tokio::io::split(io);
            lines::serve(&Hostile::on(FIRST, Behavior::Never), input, output).await?;
            Ok(())
        }
    });
    insta::assert_snapshot!(run_all(target).report(), @"
    cannot be tested: `initialize` was not answered
      expected a response with id 1 within 200 ms
      got nothing at all in that time
      (jsonrpc.request-answered)
    ");
    assert_eq!(connections.load(Ordering::Relaxed), 1, "connections");
}

#[test]
fn over_standard_streams_one_request_is_enough() {
    let folder = tempfile::tempdir().expect("a folder");
    let starts = folder.path().join("starts");
    let peer = env!("CARGO_BIN_EXE_hostile-peer");
    let [mode, behavior, on] = Hostile::on(FIRST, Behavior::Never).arguments();
    let script = r#"echo started >> "$1"; shift; exec "$@""#;
    let command = Command::new("sh").args(["-c", script, "sh", &starts.to_string_lossy(), peer]);
    let result =
        run_all(Target::command(command.args([mode, behavior, on])).named("a silent server"));
    insta::assert_snapshot!(result.report(), @"
    cannot be tested: `initialize` was not answered
      expected a response with id 1 within 200 ms
      got nothing at all in that time
      hint: is this a program that speaks MCP over its standard input and output?
        if it takes longer to start, `--timeout` gives it more time
      (jsonrpc.request-answered)
    ");
    assert_eq!(std::fs::read_to_string(starts).expect("it was started"), "started\n");
}

#[test]
fn a_line_that_does_not_end_is_judged() {
    for (target, transport) in [
        (program(Behavior::HalfALine), TransportKind::Stdio),
        (in_process(Behavior::HalfALine), TransportKind::Duplex),
    ] {
        let selection = scenario_runs(SCENARIO, &[Revision::V2025_11_25], transport);
        let report = run_scenarios(target, &selection, Duration::from_secs(5)).report();
        insta::allow_duplicates! {
            insta::assert_snapshot!(report, @r#"
            FAILURE tools-list: `tools/list` was not answered
              expected a response with id 2 within 4500 ms
              got no reply in that time, but a line without a newline at its end: "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"echo\",\"de"
              (tools.list.respond, schema.list-tools-result)
            FAILURE wire-well-formed: the server wrote something to its output that is not an MCP message
              expected one JSON-RPC message per line, and nothing else
              got "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"echo\",\"de" (the output ended inside a line: no newline follows)
              (transport.stdio.stdout-only-messages)
            "#);
        }
    }
}

#[test]
fn over_http_one_request_is_enough() {
    let running = Running::start(Hostile::on(FIRST, Behavior::Never), false);
    insta::assert_snapshot!(run_all(Target::url(running.url())).report(), @"
    cannot be tested: `initialize` was not answered
      expected a response with id 1 within 200 ms
      got nothing at all in that time
      (jsonrpc.request-answered)
    ");
    assert_eq!(running.request_count(), 1);
}

#[test]
fn a_port_that_accepts_and_never_answers_gets_one_request() {
    let running = Running::start(Hostile::on(FIRST, Behavior::AcceptsOnly), false);
    insta::assert_snapshot!(run_all(Target::url(running.url())).report(), @"
    cannot be tested: `initialize` was not answered
      expected a response with id 1 within 200 ms
      got nothing at all in that time
      (jsonrpc.request-answered)
    ");
    assert_eq!(running.request_count(), 1);
}

#[test]
fn a_server_that_never_ends_its_headers_gets_one_request() {
    let running = Running::start(Hostile::on(FIRST, Behavior::SlowHead), false);
    insta::assert_snapshot!(run_all(Target::url(running.url())).report(), @"
    cannot be tested: `initialize` was not answered
      expected a response with id 1 within 200 ms
      got nothing at all in that time
      (jsonrpc.request-answered)
    ");
    assert_eq!(running.request_count(), 1);
}

/// The result of a run with several jobs.
#[derive(Default)]
struct Waits {
    scenario_runs: usize,
    /// How many scenario runs had started and finished, whenever one finished.
    progress: Vec<(usize, usize)>,
    /// How many waits of each scenario run timed out.
    timed_out: Vec<usize>,
}

const JOBS: usize = 5;

fn waits(target: Target, scenarios: &[&str]) -> Waits {
    let selection = Selection {
        scenarios: scenarios.iter().map(|&id| id.to_owned()).collect(),
        transports: vec![TransportKind::Duplex],
        ..Selection::default()
    };
    let plan = Plan::build(mcp_test_suite::scenarios::all(), target, Profile::Adaptive, &selection)
        .expect("a plan");
    let jobs = NonZeroUsize::new(JOBS).expect("some");
    let plan = plan.timeout(Duration::from_secs(2)).jobs(jobs);
    let (mut waits, mut started) = (Waits::default(), 0);
    let mut on = |event: RunEvent| match event {
        RunEvent::Planned(scenario_runs) => waits.scenario_runs = scenario_runs.len(),
        RunEvent::Started(_) => started += 1,
        RunEvent::Finished(outcome) => {
            waits.timed_out.push(outcome.trace.deadlines_fired().len());
            waits.progress.push((started, waits.timed_out.len()));
        }
        _ => {}
    };
    Runtime::new().expect("a runtime").block_on(run(&plan, &mut on));
    waits
}

/// If all jobs wait at the same time, and each scenario run once, n scenario runs take n / jobs timeouts, rounded up.
#[test]
fn one_silent_method_costs_each_scenario_run_one_wait_and_all_jobs_wait_at_once() {
    let silent = everything().faults([Fault::never("tools/call")]);
    let waits = waits(silent.target(), &["tools-call-simple-text", "tools-call-error"]);
    assert_eq!(waits.scenario_runs, 10);
    assert_eq!(waits.timed_out, [1; 10]);
    for (started, finished) in waits.progress {
        assert!(
            started >= waits.scenario_runs.min(finished - 1 + JOBS),
            "{started} had started when {finished} had finished"
        );
    }
}

/// The preflight lists the tools once in each era, and every scenario run that needs them once.
#[test]
fn a_silent_method_of_the_preflight_is_requested_once_per_scenario_run() {
    let running = Running::start(Hostile::on("tools/list", Behavior::Never), false);
    let chosen = ["tools-list", "tools-call-simple-text"].map(str::to_owned).to_vec();
    let selection = Selection { scenarios: chosen, ..Selection::default() };
    let result = run_scenarios(Target::url(running.url()), &selection, Duration::from_secs(2));
    let about =
        result.outcomes.iter().filter(|outcome| outcome.scenario_run.scenario.id == "tools-list");
    assert_eq!(running.request_count(), about.count() + 2);
    for outcome in &result.outcomes {
        assert!(outcome.trace.deadlines_fired().len() <= 1, "{}", outcome.scenario_run);
    }
}

/// After a stray line the reply may still arrive, so the wait lasts until the timeout; then the line is reported.
#[test]
fn a_stray_line_is_reported_when_the_reply_times_out() {
    let selection = scenario_runs(SCENARIO, &[Revision::V2025_11_25], TransportKind::Duplex);
    let result = run_scenarios(in_process(Behavior::Plain), &selection, Duration::from_secs(2));
    assert_eq!(result.deadlines().len(), 1);
    insta::assert_snapshot!(result.report(), @r#"
    FAILURE tools-list: `tools/list` was not answered
      expected a response with id 2 within 1800 ms
      got no reply in that time, but "I am busy" (not JSON: line 1, column 1: expected a value, found `I`)
      (tools.list.respond, schema.list-tools-result)
    FAILURE wire-well-formed: the server wrote something to its output that is not an MCP message
      expected one JSON-RPC message per line, and nothing else
      got "I am busy" (not JSON: line 1, column 1: expected a value, found `I`)
      (transport.stdio.stdout-only-messages)
    "#);
}
