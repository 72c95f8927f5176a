//! Signals during a run: how it ends, and that nothing is left running.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use mcp_test_tests::program::{Mark, free_port};

use crate::program::{MCP_TEST, mcp_test};

/// Asserts how a run ends whose server sends the signal when it is pinged.
#[track_caller]
fn ends_with(signal: &str, code: i32) {
    for peer in ["signals.sh", "stubborn.sh"] {
        let peer = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(peer);
        let words = ["server", "--scenario", "ping", "--spec-version", "2025-11-25"];
        let child = ["--timeout", "30s", "--", "sh", &peer.to_string_lossy(), signal];
        let run = mcp_test(words.iter().chain(&child));
        assert_eq!(run.code, code, "{}", run.text(&[]));
        assert!(run.stderr.contains("interrupted: the run is not complete"), "{}", run.stderr);
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    }
}

#[test]
fn an_interrupt() {
    ends_with("INT", 130);
}

#[test]
fn a_request_to_terminate() {
    ends_with("TERM", 143);
}

#[test]
fn a_terminal_that_hangs_up() {
    ends_with("HUP", 129);
}

/// Starts a server, and descendants that ignore SIGTERM.
const STARTING: &str = "trap '' TERM INT HUP; sleep 3600 & setsid sleep 3600 & \"$@\"; sleep 3600";

#[test]
fn a_server_that_was_started_for_its_url_is_stopped_too() {
    let mark = Mark::new();
    let mut run = Command::new(MCP_TEST);
    mark.put_on(&mut run);
    let address = format!("127.0.0.1:{}", free_port());
    run.args(["server", "--timeout", "30s", "--jobs", "1", "--spec-version", "2025-11-25"]);
    run.args(["--url", &format!("http://{address}/mcp"), "--", "sh", "-c", STARTING, "sh"]);
    run.args([MCP_TEST, "reference", "server", "--fault", "never:tools/list"]);
    run.args(["--listen", &address]);
    run.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut run = run.spawn().expect("it starts");
    let mut stdout = BufReader::new(run.stdout.take().expect("it is piped"));
    let mut output = String::new();
    while !output.contains("Running client scenario 'ping'") {
        let read = stdout.read_line(&mut output).expect("it is text");
        assert!(read > 0, "it ended before it was asked to:\n{output}");
    }
    let living = mark.living();
    assert_eq!(living.len(), 6, "the run, a guardian, and what it started: {living:#?}");
    let kill = Command::new("kill").args(["-TERM", &run.id().to_string()]).status();
    assert!(kill.expect("kill").success());
    let mut output_rest = String::new();
    stdout.read_to_string(&mut output_rest).expect("it is text");
    run.stderr.take().expect("it is piped").read_to_string(&mut output_rest).expect("it is text");
    let status = run.wait().expect("it ends");
    mark.assert_nothing_left();
    assert_eq!(status.code(), Some(143), "{output_rest}");
    assert!(output_rest.contains("interrupted: the run is not complete"), "{output_rest}");
}
