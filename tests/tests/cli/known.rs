//! Known violations on the command line and in `mcp-test.toml`: expected failures, and those that no longer occur.

use std::fs;
use std::path::Path;
use std::process::Command;

use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::{report_options, run_command};

use crate::program::{MCP_TEST, mcp_test};

const WITHOUT_PINGS: [&str; 7] =
    ["--", MCP_TEST, "reference", "server", "--stdio", "--fault", "error:ping:-32601"];

/// The requirement that a server breaks which answers `ping` with an error.
const KNOWN: [&str; 2] = ["--known", "ping.responds-promptly=fixed in 2.0"];

fn check<'a>(options: &[&'a str]) -> Vec<&'a str> {
    let selected = ["check", "--spec-version", "2025-11-25", "--scenario", "ping"];
    [&selected[..], options, &WITHOUT_PINGS].concat()
}

fn command<'a>(words: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = Command::new(MCP_TEST);
    command.args(words).env_remove("MCP_TEST_KNOWN");
    command
}

#[test]
fn a_known_violation_is_an_expected_failure_in_every_report() {
    assert_eq!(mcp_test(check(&[])).code, 1);
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "known-reports");
    let reports = report_options(folder.path());
    let reports: Vec<&str> = reports.iter().map(String::as_str).collect();
    let run = mcp_test(check(&[&KNOWN[..], &reports].concat()));
    assert_eq!(run.code, 0, "{}", run.text(&[]));
    let digest =
        "no problems; 2 checks passed\n- expected failure: ping.responds-promptly: fixed in 2.0\n";
    assert!(run.stdout.ends_with(digest), "{}", run.stdout);
    for (kind, part) in [
        ("junit", "<skipped message=\"expected failure\">"),
        ("tap", " # TODO expected failure\n"),
        ("markdown", "Failed as expected: 1 scenario run"),
        ("ctrf", "\"failed as expected\""),
    ] {
        let text =
            fs::read_to_string(folder.word(&format!("report.{kind}"))).expect("it was written");
        assert!(text.contains(part), "{part} in {text}");
    }

    let json = mcp_test(check(&[&KNOWN[..], &["--format", "json"]].concat())).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        json["known"],
        serde_json::json!([
            {"requirement": "ping.responds-promptly", "reason": "fixed in 2.0", "occurs": true},
        ])
    );
}

#[test]
fn another_known_violation_explains_nothing() {
    let run = mcp_test(check(&["--known", "ping.result-empty"]));
    assert_eq!(run.code, 1, "{}", run.text(&[]));
}

#[test]
fn mcp_test_toml_names_known_violations() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "known-config");
    let text = "known = [\"ping.responds-promptly=fixed in 2.0\"]\n";
    fs::write(folder.word("mcp-test.toml"), text).expect("the folder is ours");
    let mut command = command(check(&[]));
    command.current_dir(folder.path());
    let run = run_command(command);
    assert_eq!(run.code, 0, "{}", run.text(&[]));
}

#[test]
fn in_profile_official_it_has_no_effect_and_a_typing_error_is_an_error() {
    let official = ["server", "--scenario", "ping", "--spec-version", "2025-11-25"];
    let run = mcp_test([&official[..], &KNOWN, &WITHOUT_PINGS].concat());
    assert_eq!(run.code, 1, "{}", run.text(&[]));
    assert!(run.stderr.contains("`--known` has no effect in profile `official`"), "{}", run.stderr);

    let run = mcp_test(check(&["--known", "ping.result-emty"]));
    assert_eq!(run.code, 2, "{}", run.text(&[]));
    assert!(run.stderr.contains("did you mean `ping.result-empty`?"), "{}", run.stderr);

    let mut command = command(check(&KNOWN));
    command.env("MCP_TEST_KNOWN", "strickt");
    let run = run_command(command);
    assert_eq!(run.code, 2, "{}", run.text(&[]));
    assert!(
        run.stderr.contains("MCP_TEST_KNOWN: expected `strict`, got `strickt`"),
        "{}",
        run.stderr
    );
}

/// The start of the line about a known violation that no longer occurs.
const GONE: &str = "the known violation `ping.result-empty` no longer occurs, although ";

/// A text on one line, since long lines are wrapped.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ") + " "
}

/// Only of a run that leaves nothing out, and that does not fail.
#[test]
fn what_no_longer_occurs_is_reported_and_fails_if_that_is_wanted() {
    let server = ["--", MCP_TEST, "reference", "server", "--stdio"];
    for (selected, environment, code, is_reported) in [
        (&["--scenario", "ping"][..], Some("strict"), 0, false),
        (&[], None, 0, true),
        (&[], Some("strict"), 1, true),
    ] {
        let mut command =
            command([&["check"], selected, &["--known", "ping.result-empty"], &server].concat());
        command.envs(environment.map(|value| ("MCP_TEST_KNOWN", value)));
        let run = run_command(command);
        assert_eq!(run.code, code, "{}", run.text(&[]));
        assert_eq!(unwrapped(&run.stdout).contains(GONE), is_reported, "{}", run.stdout);
    }
}

#[test]
fn of_a_run_that_was_interrupted_nothing_is_regarded_as_gone() {
    let peer = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/signals.sh");
    // Some scenarios have run before the first that completes an argument.
    let peer = ["--", "sh", &peer.to_string_lossy(), "INT", "completion/complete"];
    let server = [MCP_TEST, "reference", "server", "--stdio"];
    let options = ["check", "--known", "jsonrpc.result-id-echo", "--timeout", "30s"];
    let mut command = command([&options[..], &peer, &server].concat());
    command.env("MCP_TEST_KNOWN", "strict");
    let run = run_command(command);
    assert_eq!(run.code, 130, "{}", run.text(&[]));
    assert!(run.stdout.contains("Interrupted after "), "{}", run.text(&[]));
    assert!(!run.stdout.contains("Interrupted after 0 "), "{}", run.text(&[]));
    assert!(!run.stdout.contains("no longer occurs"), "{}", run.stdout);
}
