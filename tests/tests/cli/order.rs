//! The order of the output does not depend on how many scenarios run at the same time.

use mcp_test_tests::program::without_times;

use crate::program::{MCP_TEST, mcp_test};

/// Scenarios that only `ping` delays: how many checks others make before their time-out depends on the machine.
const SELECTED: [&str; 5] =
    ["server-initialize", "ping", "tools-list", "prompts-list", "prompts-get-simple"];

/// The lines of the output, without times.
fn lines(command: &str, jobs: &str) -> Vec<String> {
    // The second scenario never receives a reply, so that all others can end before it.
    let options = [command, "--spec-version", "2025-11-25", "--timeout", "5s", "--jobs", jobs];
    let words = options.into_iter().chain(SELECTED.iter().flat_map(|id| ["--scenario", id]));
    let server = ["--", MCP_TEST, "reference", "server", "--stdio", "--fault", "never:ping"];
    let run = mcp_test(words.chain(server));
    assert_eq!(run.code, 1, "{}", run.text(&[]));
    // The third `ping` without a reply is awaited for less time than the first two; which of them is shown depends on the jobs.
    let lines = without_times(&run.stdout).replace("within 250 ms", "within 4500 ms");
    // With one job no connection is shared, and no start needed because a shared one has ended.
    let of_jobs = ["hint: others of this run", "the server was started", "not answer in time"];
    let is_of_jobs = |line: &&str| of_jobs.iter().any(|text| line.contains(text));
    lines.lines().filter(|line| !is_of_jobs(line)).map(str::to_owned).collect()
}

#[track_caller]
fn same_lines(command: &str, slow: &str, quick: &str) {
    let (one, eight) = (lines(command, "1"), lines(command, "8"));
    let position = |text: &str| one.iter().position(|line| line.contains(text));
    let slow = position(slow).expect("it is printed");
    let quick = position(quick).expect("it is printed");
    assert!(slow < quick, "{one:#?}");
    assert_eq!(one, eight);
}

#[test]
fn of_server() {
    same_lines("server", "✗ ping", "✓ prompts-get-simple");
}

#[test]
fn of_check() {
    same_lines("check", "✗ 1. `ping`", "   Exchange (");
}
