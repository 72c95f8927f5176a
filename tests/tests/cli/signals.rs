//! Signals in the middle of a run: how it ends, and that nothing stays behind.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use mcp_test_tests::program::{Mark, free_port};

use crate::program::MCP_TEST;

/// A server that never answers one request, with relatives that do not leave when they are asked to.
const STUBBORN: &str = r#"
trap '' TERM INT HUP
sleep 3600 &
setsid sleep 3600 >/dev/null 2>&1 &
"$@"
sleep 3600
"#;

/// Sends a signal to a run when it has told of its first scenario, and gives the exit code.
#[track_caller]
fn ends_with(signal: &str, command: &[&str]) -> Option<i32> {
    let mark = Mark::new();
    let mut run = Command::new(MCP_TEST);
    mark.put_on(&mut run);
    run.args(["server", "--timeout", "20s", "--jobs", "1", "--spec-version", "2025-11-25"]);
    run.args(command).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut run = run.spawn().expect("it starts");
    let mut stdout = BufReader::new(run.stdout.take().expect("it is piped"));
    let mut told = String::new();
    while !told.contains("Running client scenario 'ping'") {
        let read = stdout.read_line(&mut told).expect("it is text");
        assert!(read > 0, "it ended before it was told to:\n{told}");
    }
    assert!(mark.living().len() > 1, "the server is running: {:?}", mark.living());
    let kill = Command::new("kill").args([signal, &run.id().to_string()]).status();
    assert!(kill.expect("kill").success());
    let mut said = String::new();
    stdout.read_to_string(&mut said).expect("it is text");
    run.stderr.take().expect("it is piped").read_to_string(&mut said).expect("it is text");
    let status = run.wait().expect("it ends");
    mark.assert_nothing_left();
    assert!(said.contains("interrupted: the run is not complete"), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    status.code()
}

const SERVER: [&str; 6] =
    [MCP_TEST, "reference", "server", "--fault", "never:tools/list", "--stdio"];

#[track_caller]
fn ends_well_with(signal: &str, code: i32) {
    let plain = [&["--"][..], &SERVER].concat();
    assert_eq!(ends_with(signal, &plain), Some(code));
    let stubborn = [&["--", "sh", "-c", STUBBORN, "sh"][..], &SERVER].concat();
    assert_eq!(ends_with(signal, &stubborn), Some(code));
}

#[test]
fn an_interrupt() {
    ends_well_with("-INT", 130);
}

#[test]
fn a_request_to_terminate() {
    ends_well_with("-TERM", 143);
}

#[test]
fn a_terminal_that_hangs_up() {
    ends_well_with("-HUP", 129);
}

#[test]
fn a_server_that_was_started_for_its_url_ends_too() {
    let address = format!("127.0.0.1:{}", free_port());
    let url = format!("http://{address}/mcp");
    let start = ["--url", &url, "--", "sh", "-c", STUBBORN, "sh"];
    let server = [&start, &SERVER[..5], &["--listen", &address]].concat();
    assert_eq!(ends_with("-TERM", &server), Some(143));
}
