//! `cases run`: output, exit codes, and secrets.

use std::fs;
use std::time::Duration;

use mcp_test::clock::Stopwatch;
use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::Run;

use crate::program::{MCP_TEST, mcp_test};

const SERVER: [&str; 5] = ["--", MCP_TEST, "reference", "server", "--stdio"];

const PING: &str = "\
case: Ping
_tags: fast
in: {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}
out: {\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {}}
---
case: Sum
in: {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\", \"params\": {\"name\": \"add\", \"arguments\": {\"a\": 1, \"b\": 2}}}
out: {\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {\"content\": [{\"type\": \"text\", \"text\": \"3\"}]}}
";

/// A folder with a file of cases in it.
fn written(name: &str, text: &str) -> (Folder, String) {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), &format!("cases-run-{name}"));
    let file = folder.word("contract.yaml");
    fs::write(&file, text).expect("the folder is ours");
    (folder, file)
}

/// Runs a file of cases over stdio against the reference server.
fn run(file: &str, options: &[&str], server: &[&str]) -> Run {
    let words = ["cases", "run", file].into_iter().chain(options.iter().copied());
    mcp_test(words.chain(SERVER).chain(server.iter().copied()))
}

#[test]
fn a_case_passes_or_its_difference_is_shown_at_its_line() {
    let (_folder, file) = written("holds", PING);
    let good = run(&file, &[], &[]);
    assert_eq!(good.code, 0, "{}", good.text(&[]));
    assert!(good.stdout.contains("✓ contract::ping"), "{}", good.stdout);

    let bad = run(&file, &[], &["--fault", "set:tools/call:/content/0/text:\"4\""]);
    assert_eq!(bad.code, 1, "{}", bad.text(&[]));
    for part in
        ["contract.yaml:8:", "- \"3\"", "+ \"4\"", "--case contract::sum --spec-version 2025-11-25"]
    {
        assert!(bad.stdout.contains(part), "{part} in {}", bad.stdout);
    }
    assert!(!bad.stdout.contains("mcp-test explain"), "{}", bad.stdout);
}

#[test]
fn a_server_that_exits_ends_its_case_at_once() {
    let (_folder, file) = written("exits", PING);
    let stopwatch = Stopwatch::start();
    let gone = run(&file, &["--timeout", "10m"], &["--fault", "exit:tools/call"]);
    assert_eq!(gone.code, 1, "{}", gone.text(&[]));
    let why = "the connection ended before `tools/call` was answered";
    assert!(gone.stdout.contains(why), "{}", gone.stdout);
    assert!(stopwatch.elapsed() < Duration::from_secs(300), "{:?}", stopwatch.elapsed());
}

#[test]
fn cases_are_selected_by_id_and_by_tag() {
    let (_folder, file) = written("chosen", PING);
    let lines = |run: &Run| run.stdout.lines().filter(|line| line.starts_with('✓')).count();
    let by_tag = run(&file, &["--tag", "fast"], &[]);
    assert_eq!((by_tag.code, lines(&by_tag)), (0, 1), "{}", by_tag.text(&[]));
    let without = run(&file, &["--skip-tag", "fast"], &[]);
    assert!(without.stdout.contains("✓ contract::sum"), "{}", without.stdout);
    let unknown = run(&file, &["--case", "contract::pong"], &[]);
    assert_eq!(unknown.code, 2, "{}", unknown.text(&[]));
    let wanted = "--case: no case `contract::pong`; did you mean `contract::ping`?";
    assert!(unknown.stderr.contains(wanted), "{}", unknown.stderr);
    let short = run(&file, &["--case", "ping"], &[]);
    assert!(short.stderr.contains("did you mean `contract::ping`?"), "{}", short.stderr);
    let left_out = run(&file, &["--case", "contract::ping", "--skip-tag", "fast"], &[]);
    assert_eq!(left_out.code, 2, "{}", left_out.text(&[]));
    let wanted = "--case: `contract::ping` is excluded by";
    assert!(left_out.stderr.contains(wanted), "{}", left_out.stderr);
    let nothing = run(&file, &["--tag", "slow"], &[]);
    assert_eq!(nothing.code, 2, "{}", nothing.text(&[]));
    assert!(nothing.stderr.contains("no case left to run"), "{}", nothing.stderr);
}

#[test]
fn a_selected_case_that_cannot_be_run_does_not_pass() {
    let (_folder, file) =
        written("elsewhere", &PING.replacen("_tags: fast", "_transport: http", 1));
    let elsewhere = run(&file, &["--case", "contract::ping"], &[]);
    assert_eq!(elsewhere.code, 2, "{}", elsewhere.text(&[]));
    let why = "Not applicable over stdio (HTTP only): contract::ping";
    assert!(elsewhere.stdout.contains(why), "{}", elsewhere.stdout);
    assert!(elsewhere.stderr.contains("no case left to run"), "{}", elsewhere.stderr);
}

#[test]
fn known_failures_and_results_are_written_as_by_other_runs() {
    let (folder, file) = written("files", PING);
    let (known, results) = (folder.word("known.yml"), folder.word("results"));
    let fault = ["--fault", "error:tools/call:-32603"];
    let first = run(&file, &["--write-baseline", &known, "-o", &results], &fault);
    assert_eq!(first.code, 0, "{}", first.text(&[]));
    let text = fs::read_to_string(&known).expect("the baseline was written");
    assert!(text.contains("- contract::sum:out\n"), "{text}");
    assert!(fs::metadata(folder.word("results/summary.json")).is_ok());
    let second = run(&file, &["--expected-failures", &known, "--format", "json"], &fault);
    assert_eq!(second.code, 0, "{}", second.text(&[]));
    let document: serde_json::Value = serde_json::from_str(&second.stdout).expect("one document");
    assert_eq!(document["command"], "cases run");
}

#[test]
fn inputs_are_set_and_secrets_are_not_shown() {
    let text = "\
case: Repeats
_inputs: {name: token, secret: true}
in: {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\", \"params\": {\"name\": \"${token}\"}}
out: {\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {}}
";
    let (_folder, file) = written("inputs", text);
    let missing = run(&file, &[], &[]);
    assert_eq!(missing.code, 2, "{}", missing.text(&[]));
    assert!(missing.stderr.contains("contract.yaml:2:"), "{}", missing.stderr);
    let given = run(&file, &["--input", "token=hunter2-hunter2"], &[]);
    assert_eq!(given.code, 1, "{}", given.text(&[]));
    assert!(!given.stdout.contains("hunter2"), "{}", given.stdout);
    assert!(given.stdout.contains("--input 'token=<value>'"), "{}", given.stdout);
    let other = run(&file, &["--input", "tokn=x"], &[]);
    assert!(other.stderr.contains("did you mean `token`?"), "{}", other.stderr);
}

#[test]
fn commands_are_run_only_if_allowed() {
    let (folder, file) = written(
        "commands",
        &PING.replacen("_tags: fast", "_before: touch before\n_after: touch after", 1),
    );
    let refused = run(&file, &[], &[]);
    assert_eq!(refused.code, 2, "{}", refused.text(&[]));
    for part in ["touch before", "contract.yaml:2:", "--allow-commands"] {
        assert!(refused.stderr.contains(part), "{part} in {}", refused.stderr);
    }
    assert!(fs::metadata(folder.word("before")).is_err(), "nothing was run");
    let allowed = run(&file, &["--allow-commands"], &[]);
    assert_eq!(allowed.code, 0, "{}", allowed.text(&[]));
    for name in ["before", "after"] {
        assert!(fs::metadata(folder.word(name)).is_ok(), "{name} was run");
    }
}
