//! Servers and clients that send too much: memory stays within bounds, and they are reported.
//!
//! The memory is that of the command, in a process of its own, as Linux counts it.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use mcp_test_tests::hostile::http::Running;
use mcp_test_tests::hostile::{Behavior, Hostile};
use mcp_test_tests::program::{Run, report_options, run_command};
use serde_json::Value;

/// A method that is requested once.
const METHOD: &str = "ping";

/// How much memory the whole program may take, in MiB; its trace may take 128 of them.
pub(crate) const BOUND: u64 = 256;

/// Tests a target with the command, and checks its memory; returns the report.
fn report(target: &[&str]) -> String {
    failures(&run_scenario(METHOD, target))
}

/// Runs a scenario with the command, and checks its memory.
fn run_scenario(scenario: &str, target: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("peak");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-test-under-test"));
    command.env("MCP_TEST_TESTS_PEAK", &file);
    command.args(["check", "--scenario", scenario, "--spec-version", "2025-11-25"]);
    command.args(["--format", "json"]).args(report_options(folder.path())).args(target);
    let run = run_command(command);
    within_bounds(&file, &target.join(" "));
    run
}

/// Checks the peak memory of a program.
#[track_caller]
pub(crate) fn within_bounds(file: &Path, what: &str) {
    within(BOUND, file, what);
}

/// Checks the peak memory of a program that may take this many MiB.
#[track_caller]
pub(crate) fn within(bound: u64, file: &Path, what: &str) {
    let mib = peak_of(file);
    assert!(mib <= bound, "{mib} MiB for {what}");
}

/// The peak memory of a program that has ended, in MiB; 0 on systems that do not count it.
pub(crate) fn peak_of(file: &Path) -> u64 {
    let (peak, _) = usage(file);
    if cfg!(target_os = "linux") { mib_of(&peak) } else { 0 }
}

/// A peak as Linux writes it, in MiB.
pub(crate) fn mib_of(peak: &str) -> u64 {
    let kib: u64 = peak.trim().trim_end_matches(" kB").trim().parse().expect("a number");
    assert!(kib > 0, "{peak}");
    kib.div_ceil(1024)
}

/// The processor time of a program that has ended; 0 on systems that do not count it.
pub(crate) fn processor_time_of(file: &Path) -> Duration {
    let (_, hundredths) = usage(file);
    Duration::from_millis(10 * hundredths.parse::<u64>().expect("a number"))
}

/// What a program that has ended has written: its peak memory and its processor time.
fn usage(file: &Path) -> (String, String) {
    let text = std::fs::read_to_string(file).expect("the usage");
    let (peak, time) = text.split_once('\n').expect("two lines");
    (peak.to_owned(), time.to_owned())
}

/// A message without the times that were measured.
fn without_measurement(message: &str) -> String {
    let mut message = message.to_owned();
    for (before, after, measured) in [
        ("mcp-test waited ", " for its exit", "[time]"),
        ("message came ", " after its start", "[time]"),
        ("hint: ", " more of this kind", "[many]"),
    ] {
        if let Some((start, rest)) = message.split_once(before)
            && let Some((_, end)) = rest.split_once(after)
        {
            message = format!("{start}{before}{measured}{after}{end}");
        }
    }
    message
}

pub(crate) fn failures(run: &Run) -> String {
    let report: Value = serde_json::from_str(&run.stdout).expect("a report");
    let checks = report["cells"].as_array().into_iter().flatten();
    let checks =
        checks.flat_map(|scenario_run| scenario_run["checks"].as_array().into_iter().flatten());
    let mut text = String::new();
    for check in checks.filter(|check| check["status"] != "SUCCESS") {
        let [status, id, message] =
            ["status", "id", "errorMessage"].map(|name| check[name].as_str().unwrap_or("-"));
        let message = without_measurement(message);
        writeln!(text, "{status} {id}: {message}").expect("a string takes everything");
    }
    text
}

fn over_lines(behavior: Behavior, timeout: &str) -> String {
    let peer = env!("CARGO_BIN_EXE_hostile-peer");
    let arguments = Hostile::on(METHOD, behavior).arguments();
    let arguments_of_command =
        [&["--timeout", timeout, "--", peer][..], &arguments.each_ref().map(String::as_str)];
    report(&arguments_of_command.concat())
}

fn over_http(behavior: Behavior, streams: bool, timeout: &str) -> String {
    let running = Running::start(Hostile::on(METHOD, behavior), streams);
    report(&["--timeout", timeout, "--url", &running.url()])
}

#[test]
#[ignore = "takes a minute of processor time: .ci/extended runs it"]
fn a_million_notifications_on_lines() {
    insta::assert_snapshot!(over_lines(Behavior::Flood, "10m"), @"
    WARNING wire-well-formed: there are too many log messages
      expected no more than 1000 notifications within a second
      got more
      hint: [many] more of this kind
    ");
}

#[test]
#[ignore = "takes a minute of processor time: .ci/extended runs it"]
fn a_million_notifications_in_a_stream() {
    insta::assert_snapshot!(over_http(Behavior::Flood, true, "10m"), @"
    WARNING wire-well-formed: there are too many log messages
      expected no more than 1000 notifications within a second
      got more
      hint: [many] more of this kind
    ");
}

#[test]
fn more_lines_of_a_log_than_are_kept() {
    insta::assert_snapshot!(over_lines(Behavior::Chatter, "10m"), @r#"
    FAILURE ping: `ping` was not answered
      expected a response with id 2
      got 100000 texts that are not messages, the last of them "INFO still busy" (not JSON: line 1, column 1: expected a value, found `I`)
    FAILURE wire-well-formed: the server wrote something to its output that is not an MCP message
      expected one JSON-RPC message per line, and nothing else
      got "INFO still busy" (not JSON: line 1, column 1: expected a value, found `I`)
      hint: [many] more of this kind
    "#);
}

#[test]
fn a_hundred_megabytes() {
    insta::assert_snapshot!(over_lines(Behavior::HugeReply, "10m"), @r#"
    FAILURE ping: the reply to `ping` exceeds what mcp-test reads
      expected a response with id 2, within the limits of mcp-test
      got "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"x\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"… (a line longer than the 16777216 bytes that mcp-test reads)
      hint: this limit is set by mcp-test, not by MCP
    WARNING wire-well-formed: there is more in a message than mcp-test reads
      expected messages within the limits of mcp-test
      got "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"x\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"… (a line longer than the 16777216 bytes that mcp-test reads)
      hint: the limit is one of mcp-test, not of MCP; what is beyond it was not read
    "#);
    insta::assert_snapshot!(over_http(Behavior::HugeReply, false, "10m"), @r#"
    FAILURE ping: the reply to `ping` exceeds what mcp-test reads
      expected a response with id 2, within the limits of mcp-test
      got "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"x\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"… (a body longer than the 16777216 bytes that mcp-test reads)
      hint: this limit is set by mcp-test, not by MCP
    WARNING wire-well-formed: there is more in a message than mcp-test reads
      expected messages within the limits of mcp-test
      got "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"x\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"… (a body longer than the 16777216 bytes that mcp-test reads)
      hint: the limit is one of mcp-test, not of MCP; what is beyond it was not read
    "#);
    insta::assert_snapshot!(over_http(Behavior::HugeReply, true, "10m"), @r#"
    FAILURE ping: the reply to `ping` exceeds what mcp-test reads
      expected a response with id 2, within the limits of mcp-test
      got "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"x\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"… (an event of more than 16777216 bytes)
      hint: this limit is set by mcp-test, not by MCP
    WARNING wire-well-formed: there is more in a message than mcp-test reads
      expected messages within the limits of mcp-test
      got "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"x\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"… (an event of more than 16777216 bytes)
      hint: the limit is one of mcp-test, not of MCP; what is beyond it was not read
    "#);
}

#[test]
fn a_message_without_an_end() {
    insta::assert_snapshot!(over_lines(Behavior::EndlessLine, "10m"), @r#"
    FAILURE ping: the reply to `ping` exceeds what mcp-test reads
      expected a response with id 2, within the limits of mcp-test
      got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"… (a line longer than the 16777216 bytes that mcp-test reads)
      hint: this limit is set by mcp-test, not by MCP
    WARNING wire-well-formed: there is more in a message than mcp-test reads
      expected messages within the limits of mcp-test
      got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"… (a line longer than the 16777216 bytes that mcp-test reads)
      hint: the limit is one of mcp-test, not of MCP; what is beyond it was not read
    "#);
    insta::assert_snapshot!(over_http(Behavior::EndlessLine, false, "10m"), @r#"
    FAILURE ping: the reply to `ping` exceeds what mcp-test reads
      expected a response with id 2, within the limits of mcp-test
      got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"… (a body longer than the 16777216 bytes that mcp-test reads)
      hint: this limit is set by mcp-test, not by MCP
    WARNING wire-well-formed: there is more in a message than mcp-test reads
      expected messages within the limits of mcp-test
      got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"… (a body longer than the 16777216 bytes that mcp-test reads)
      hint: the limit is one of mcp-test, not of MCP; what is beyond it was not read
    "#);
    insta::assert_snapshot!(over_http(Behavior::EndlessLine, true, "10m"), @r#"
    FAILURE ping: the reply to `ping` exceeds what mcp-test reads
      expected a response with id 2, within the limits of mcp-test
      got "data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"… (an event of more than 16777216 bytes)
      hint: this limit is set by mcp-test, not by MCP
    WARNING wire-well-formed: there is more in a message than mcp-test reads
      expected messages within the limits of mcp-test
      got "data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"… (an event of more than 16777216 bytes)
      hint: the limit is one of mcp-test, not of MCP; what is beyond it was not read
    "#);
}

/// What a run says of each server that sends more values in its reply to a method than mcp-test reads.
///
/// Small values take tens of times their text in memory, and schemas time: what is beyond a bound is not judged, which is
/// reported and no verdict. The table of hostile peers has the same over every transport; here every report is written as well.
fn of_too_many_values<const N: usize>(behaviors: [(Behavior, &str); N]) -> String {
    let rows = behaviors.map(|(behavior, method)| {
        let arguments = Hostile::on(method, behavior).arguments();
        let command = [
            &["--timeout", "10m", "--", env!("CARGO_BIN_EXE_hostile-peer")][..],
            &arguments.each_ref().map(String::as_str),
        ];
        let run = run_scenario(&method.replace('/', "-"), &command.concat());
        let first = failures(&run).lines().next().unwrap_or_default().to_owned();
        format!("{behavior}: exit code {}: {first}\n", run.code)
    });
    rows.concat()
}

#[test]
fn more_values_than_are_read() {
    let behaviors = [(Behavior::HugeEnum, "tools/list"), (Behavior::GrowingPages, "tools/list")];
    insta::assert_snapshot!(of_too_many_values(behaviors), @"
    huge-enum: exit code 3: FAILURE wire-tool-schemas: nothing was judged by the `inputSchema` of tool `t`
    growing-pages: exit code 0: INFO tools-list-definitions: only the first 100 pages were read, and there are more
    ");
}

#[test]
#[ignore = "takes a minute of processor time: .ci/extended runs it"]
fn many_more_values_than_are_read() {
    let behaviors = [
        (Behavior::Zeros, "ping"),
        (Behavior::Objects, "ping"),
        (Behavior::ManyTools, "tools/list"),
    ];
    insta::assert_snapshot!(of_too_many_values(behaviors), @"
    zeros: exit code 3: FAILURE ping: the reply to `ping` exceeds what mcp-test reads
    objects: exit code 3: FAILURE ping: the reply to `ping` exceeds what mcp-test reads
    many-tools: exit code 3: FAILURE wire-tool-schemas: nothing was judged by the `inputSchema` of tool `t10000`
    ");
}

/// Only the timeout ends these: a reply may follow each message.
#[test]
fn messages_without_an_end() {
    let reports = [
        over_lines(Behavior::EndlessFlood, "2s"),
        over_http(Behavior::EndlessFlood, true, "2s"),
        over_http(Behavior::EndlessComments, true, "2s"),
    ];
    let a_number = |word: &str| {
        let digits = word.trim_start_matches('(').replace(',', "");
        digits.parse::<u64>().is_ok_and(|number| number > 100)
    };
    let reports = reports.map(|text| {
        let words = text.split(' ').map(|word| if a_number(word) { "[many]" } else { word });
        // Only the latest are kept, and a slow machine receives fewer.
        let text = words.collect::<Vec<_>>().join(" ").replace(" and [many] more messages", "");
        // The first and second `ping` of a run have no hint, and which one is reported differs.
        let lines = text.lines().filter(|line| !line.starts_with("  hint: others of this run"));
        lines.collect::<Vec<_>>().join("\n") + "\n"
    });
    insta::assert_snapshot!(reports.join("\n"), @"
    FAILURE ping: `ping` was not answered
      expected a response with id 2 within [many] ms
      got no reply in that time, but `notifications/message` [many] times)
    WARNING wire-well-formed: there are too many log messages
      expected no more than [many] notifications within a second
      got more
      hint: [many] more of this kind

    FAILURE ping: `ping` was not answered
      expected a response with id 2 within [many] ms
      got no reply in that time, but an HTTP [many] response that has not ended; `notifications/message` [many] times)
    WARNING wire-well-formed: there are too many log messages
      expected no more than [many] notifications within a second
      got more
      hint: [many] more of this kind

    FAILURE ping: `ping` was not answered
      expected a response with id 2 within [many] ms
      got no reply in that time, but an HTTP [many] response that has not ended, with comments in its event stream
    ");
}

/// Checks the memory of our server with a client that sends too much over lines; returns the answers.
fn served_over_lines(send: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("peak");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-test-under-test"));
    command.env("MCP_TEST_TESTS_PEAK", &file).args(["reference", "server", "--stdio"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = command.spawn().expect("it starts");
    let mut input = server.stdin.take().expect("it is piped");
    let output = server.stdout.take().expect("it is piped");
    let answers = std::thread::spawn(move || {
        BufReader::new(output).lines().map_while(Result::ok).collect::<Vec<_>>()
    });
    send(&mut input).expect("it reads");
    input.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":99,\"method\":\"ping\"}\n").expect("it reads");
    drop(input);
    let answers = answers.join().expect("text");
    assert!(server.wait().expect("it ends").success());
    within_bounds(&file, "the reference server");
    let last = |line: &&String| !line.contains("\"id\":99");
    answers.iter().filter(last).cloned().collect::<Vec<_>>().join("\n")
}

#[test]
fn a_client_that_sends_a_hundred_megabytes() {
    let answers = served_over_lines(|input| {
        input.write_all(b"{\"x\":\"")?;
        let part = [b'x'; 100_000];
        (0..1000).try_for_each(|_| input.write_all(&part))?;
        input.write_all(b"\"}\n")
    });
    insta::assert_snapshot!(answers, @r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the line is too long: 16777217 bytes"}}"#);
}

#[test]
fn a_client_that_sends_millions_of_values() {
    let answers = served_over_lines(|input| {
        for unit in [&b"0,"[..], br#"{"":0},"#] {
            input.write_all(br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":["#)?;
            let part = unit.repeat(100_000);
            (0..20).try_for_each(|_| input.write_all(&part))?;
            input.write_all(b"0]}}\n")?;
        }
        Ok(())
    });
    insta::assert_snapshot!(answers, @r#"
    {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"line 1, column 1000044: more than the 500000 values that mcp-test reads"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"line 1, column 1750035: more than the 500000 values that mcp-test reads"}}
    "#);
}

#[test]
#[ignore = "takes a minute of processor time: .ci/extended runs it"]
fn a_client_that_sends_a_million_notifications() {
    let answers = served_over_lines(|input| {
        let many = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n".repeat(1000);
        (0..1000).try_for_each(|_| input.write_all(many.as_bytes()))
    });
    insta::assert_snapshot!(answers, @"");
}
