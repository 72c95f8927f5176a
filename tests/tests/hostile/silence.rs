//! Servers that say nothing: what a run waits for, and how often.
//!
//! The waits are counted, where the server sees them and where the trace tells them, and not timed.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_test::process::Command;
use mcp_test::run::{Plan, RunEvent, Selection, run};
use mcp_test::scenario::Profile;
use mcp_test::server::reference::everything;
use mcp_test::spec::Revision;
use mcp_test::transport::{CarrierKind, Fault, Target};
use mcp_test_tests::hostile::http::Running;
use mcp_test_tests::hostile::{Hostile, How, lines};
use tokio::runtime::Runtime;

use crate::lines::in_process;
use crate::played::{Played, SCENARIO, cells, play};

/// How long an answer is waited for that does not come.
const SOON: Duration = Duration::from_millis(200);

/// The first thing that is asked.
const FIRST: &str = "initialize";

/// The whole run: every scenario, at every revision.
fn play_all(target: Target) -> Played {
    let played = play(target, &Selection::default(), SOON);
    assert_eq!(played.outcomes.len(), 0, "something was played");
    assert_eq!(played.exit, Some(3));
    played
}

#[test]
fn over_a_pipe_one_question_is_enough() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let target = Target::duplex(move |io| {
        count.fetch_add(1, Ordering::Relaxed);
        async move {
            let (input, output) = tokio::io::split(io);
            lines::serve(&Hostile::on(FIRST, How::Never), input, output).await?;
            Ok(())
        }
    });
    insta::assert_snapshot!(play_all(target).told(), @"
    cannot be tested: `initialize` was not answered
      expected a response with id 1 within 200 ms
      got nothing at all in that time
      (jsonrpc.request-answered)
    ");
    assert_eq!(asked.load(Ordering::Relaxed), 1, "connections");
}

#[test]
fn over_standard_streams_one_question_is_enough() {
    let folder = tempfile::tempdir().expect("a folder");
    let starts = folder.path().join("starts");
    let peer = env!("CARGO_BIN_EXE_hostile-peer");
    let [mode, how, on] = Hostile::on(FIRST, How::Never).arguments();
    let script = r#"echo started >> "$1"; shift; exec "$@""#;
    let command = Command::new("sh").args(["-c", script, "sh", &starts.to_string_lossy(), peer]);
    let played = play_all(Target::command(command.args([mode, how, on])).named("a silent server"));
    insta::assert_snapshot!(played.told(), @"
    cannot be tested: `initialize` was not answered
      expected a response with id 1 within 200 ms
      got nothing at all in that time
      hint: is this a program that speaks MCP over its standard input and output?
      (jsonrpc.request-answered)
    ");
    assert_eq!(std::fs::read_to_string(starts).expect("it was started"), "started\n");
}

#[test]
fn over_http_one_question_is_enough() {
    let running = Running::start(Hostile::on(FIRST, How::Never), false);
    insta::assert_snapshot!(play_all(Target::url(running.url())).told(), @"
    cannot be tested: `initialize` was not answered
      expected a response with id 1 within 200 ms
      got nothing at all in that time
      (jsonrpc.request-answered)
    ");
    assert_eq!(running.asked(), 1);
}

#[test]
fn a_port_that_accepts_and_never_speaks_is_asked_once() {
    let running = Running::start(Hostile::on(FIRST, How::Mute), false);
    insta::assert_snapshot!(play_all(Target::url(running.url())).told(), @"
    cannot be tested: `initialize` was not answered
      expected a response with id 1 within 200 ms
      got nothing at all in that time
      (jsonrpc.request-answered)
    ");
    assert_eq!(running.asked(), 1);
}

#[test]
fn a_server_that_trickles_headers_for_ever_is_asked_once() {
    let running = Running::start(Hostile::on(FIRST, How::SlowHead), false);
    insta::assert_snapshot!(play_all(Target::url(running.url())).told(), @"
    cannot be tested: `initialize` was not answered
      expected a response with id 1 within 200 ms
      got nothing at all in that time
      (jsonrpc.request-answered)
    ");
    assert_eq!(running.asked(), 1);
}

/// What came of a run with several jobs.
#[derive(Default)]
struct Waits {
    cells: usize,
    /// How many cells had begun, and how many were told of, whenever one was.
    told: Vec<(usize, usize)>,
    /// How many waits of each cell ended with their time.
    fired: Vec<usize>,
}

const JOBS: usize = 5;

fn waits(target: Target, scenarios: &[&str]) -> Waits {
    let selection = Selection {
        scenarios: scenarios.iter().map(|&id| id.to_owned()).collect(),
        carriers: vec![CarrierKind::Duplex],
        ..Selection::default()
    };
    let plan = Plan::build(target, Profile::Adaptive, &selection).expect("a plan");
    let jobs = NonZeroUsize::new(JOBS).expect("some");
    let plan = plan.timeout(Duration::from_secs(2)).jobs(jobs);
    let (mut waits, mut begun) = (Waits::default(), 0);
    let mut on = |event: RunEvent| match event {
        RunEvent::Planned(cells) => waits.cells = cells.len(),
        RunEvent::Started(_) => begun += 1,
        RunEvent::Finished(outcome) => {
            waits.fired.push(outcome.trace.deadlines_fired().len());
            waits.told.push((begun, waits.fired.len()));
        }
        _ => {}
    };
    Runtime::new().expect("a runtime").block_on(run(&plan, &mut on));
    waits
}

/// With all jobs waiting at the same time, and each cell once, n cells take n / jobs time-outs, rounded up.
#[test]
fn one_silent_method_costs_each_cell_one_wait_and_all_jobs_wait_at_once() {
    let silent = everything().faults([Fault::never("tools/call")]);
    let waits = waits(silent.target(), &["tools-call-simple-text", "tools-call-error"]);
    assert_eq!(waits.cells, 10);
    assert_eq!(waits.fired, [1; 10]);
    for (begun, told) in waits.told {
        assert!(
            begun >= waits.cells.min(told - 1 + JOBS),
            "{begun} had begun when {told} were told"
        );
    }
}

/// The pre-flight asks once in each era what there is, and then every cell once that is about it.
#[test]
fn a_method_that_the_preflight_needs_too_is_not_asked_again_and_again() {
    let running = Running::start(Hostile::on("tools/list", How::Never), false);
    let chosen = ["tools-list", "tools-call-simple-text"].map(str::to_owned).to_vec();
    let selection = Selection { scenarios: chosen, ..Selection::default() };
    let played = play(Target::url(running.url()), &selection, Duration::from_secs(2));
    let about = played.outcomes.iter().filter(|outcome| outcome.cell.scenario.id == "tools-list");
    assert_eq!(running.asked(), about.count() + 2);
    for outcome in &played.outcomes {
        assert!(outcome.trace.deadlines_fired().len() <= 1, "{}", outcome.cell);
    }
}

/// After a stray line the reply may still come, so that there is nothing to do but to wait; then the line is named.
#[test]
fn what_stands_in_the_place_of_a_reply_is_named_when_the_time_is_over() {
    let told = [How::Plain, How::HeaderFraming].map(|how| {
        let selection = cells(SCENARIO, &[Revision::V2025_11_25], CarrierKind::Duplex);
        let played = play(in_process(how), &selection, Duration::from_secs(2));
        assert_eq!(played.deadlines().len(), 1, "{how}");
        format!("# {how}\n{}", played.told())
    });
    insta::assert_snapshot!(told.join("\n"), @r#"
    # plain
    FAILURE tools-list: `tools/list` was not answered
      expected a response with id 2 within 1800 ms
      got no reply in that time, but "I am busy" (not JSON: line 1, column 1: expected a value, found `I`)
      (tools.list.respond, schema.list-tools-result)
    FAILURE wire-well-formed: the server wrote something to its output that is no MCP message
      expected one JSON-RPC message per line, and nothing else
      got "I am busy" (not JSON: line 1, column 1: expected a value, found `I`)
      (transport.stdio.stdout-only-messages)

    # header-framing
    FAILURE tools-list: `tools/list` was not answered
      expected a response with id 2 within 1800 ms
      got no reply in that time, but "Content-Length: 123\r" (not JSON: line 1, column 1: expected a value, found `C`); "\r" (a blank line)
      (tools.list.respond, schema.list-tools-result)
    FAILURE wire-well-formed: the server wrote something to its output that is no MCP message
      expected one JSON-RPC message per line, and nothing else
      got "Content-Length: 123\r" (not JSON: line 1, column 1: expected a value, found `C`)

    the server wrote something to its output that is no MCP message
      expected one JSON-RPC message per line, and nothing else
      got "\r" (a blank line)

    the server wrote something to its output that is no MCP message
      expected one JSON-RPC message per line, and nothing else
      got "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"echo\",\"description\":\"Says it"… (the output ended inside a line: no newline follows)
      (transport.stdio.stdout-only-messages)
    "#);
}
