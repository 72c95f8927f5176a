//! What a test binary without libtest says and how it ends: every kind of failure, and the arguments of libtest.

use std::process::Command;

const FAILING: &str = env!("CARGO_BIN_EXE_failing-trials");

/// What a run wrote, and its exit code.
struct Ran {
    stdout: String,
    stderr: String,
    code: Option<i32>,
}

fn run(program: &str, arguments: &str) -> Ran {
    let mut command = Command::new(program);
    command.args(arguments.split_whitespace()).current_dir(env!("CARGO_MANIFEST_DIR"));
    for variable in [
        "MCP_TEST_COMMAND",
        "MCP_TEST_URL",
        "MCP_TEST_TIMEOUT",
        "RUST_TEST_THREADS",
        "RUST_BACKTRACE",
    ] {
        command.env_remove(variable);
    }
    let output = command.output().expect("the fixture starts");
    let text = |bytes| String::from_utf8(bytes).expect("it writes text");
    Ran {
        stdout: steady(&text(output.stdout)),
        stderr: text(output.stderr),
        code: output.status.code(),
    }
}

/// Without the time that the run took.
fn steady(text: &str) -> String {
    let line = |line: &str| match line.split_once("finished in ") {
        Some((before, _)) => format!("{before}finished in [time]\n"),
        None => format!("{}\n", line.trim_end()),
    };
    text.lines().map(line).collect()
}

fn list(arguments: &str) -> Vec<String> {
    let ran = run(FAILING, &format!("--list --format terse {arguments}"));
    assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)));
    ran.stdout.lines().map(|line| line.strip_suffix(": test").expect("a test").to_owned()).collect()
}

#[test]
fn every_failure_is_told_as_what_it_is() {
    let ran = run(FAILING, "--test-threads=1");
    insta::assert_snapshot!("failing", ran.stdout);
    insta::assert_snapshot!(ran.stderr, @r"
    warning: in a test target with `harness = false` a `#[test]` is never run, and here are some:
      tests/fixtures/failing_trials.rs:101
      make them `#[mcp_scenario]`, or move them to a test target with the standard harness
    ");
    assert_eq!(ran.code, Some(101));
}

#[test]
fn without_a_target_the_failure_names_the_ways_to_name_one() {
    let ran = run(env!("CARGO_BIN_EXE_no-target"), "");
    assert!(
        ran.stdout.contains("there is no target to test. Name one in one of three ways"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.code, Some(101));
}

#[test]
fn listing_prints_nothing_but_the_list() {
    let all = list("");
    assert!(
        all.contains(&"assertion::router".to_owned())
            && all.contains(&"conformance::ping".to_owned()),
        "{all:?}"
    );
    assert_eq!(list("--ignored"), ["ignored"]);
    assert_eq!(list("wrong_id skipped --skip 2025"), ["skipped"]);
    assert_eq!(list("--exact skipped ski"), ["skipped"]);
    assert_eq!(list("assertion --exact"), [""; 0]);
}

#[test]
fn several_filters_and_skip_leave_the_count_right() {
    let all = list("").len();
    let ran = run(FAILING, "skipped one_of_a_range conformance::ping --skip 2025-03-26");
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
    let summary =
        ran.stdout.lines().rev().find(|line| line.starts_with("test result")).expect("a summary");
    let expected = format!("2 passed; 0 failed; 3 ignored; 0 measured; {} filtered out", all - 5);
    assert!(summary.contains(&expected), "{summary}");
}

#[test]
fn ignored_trials_run_when_asked_for() {
    assert!(run(FAILING, "--ignored").stdout.contains("1 passed; 0 failed; 0 ignored"));
    assert!(
        run(FAILING, "--include-ignored ignored").stdout.contains("1 passed; 0 failed; 0 ignored")
    );
}

#[test]
fn wrong_arguments_end_as_with_libtest() {
    let ran = run(FAILING, "--tests");
    assert_eq!(
        (ran.stderr.as_str(), ran.code),
        ("error: Unrecognized option: 'tests'\n", Some(101))
    );
    assert_eq!(ran.stdout, "");
    assert_eq!(run(FAILING, "--no-capture --nocapture --show-output skipped").code, Some(0));
}

#[test]
fn the_environment_can_name_the_target_and_the_deadline() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_no-target"));
    command.env("MCP_TEST_TIMEOUT", "soon").env("MCP_TEST_COMMAND", "no-such-program --stdio");
    let output = command.output().expect("the fixture starts");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.contains("MCP_TEST_TIMEOUT is `soon`; expected a whole number"), "{stdout}");
    let output = command.env("MCP_TEST_TIMEOUT", "5s").output().expect("the fixture starts");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.contains("cannot start `no-such-program`"), "{stdout}");
    assert_eq!(output.status.code(), Some(101));
}
