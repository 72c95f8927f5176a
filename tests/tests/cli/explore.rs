//! `explore`: output, exit codes, and what it saves.

use std::fs;
use std::process::Command;

use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::{Run, run_command};

use crate::program::{MCP_TEST, mcp_test};

/// A server with a bug in each tool.
const BUGGY: &str = env!("CARGO_BIN_EXE_buggy-server");

const SERVER: [&str; 5] = ["--", MCP_TEST, "reference", "server", "--stdio"];

/// Explores the reference server with one tool.
fn explore(options: &[&str], server: &[&str]) -> Run {
    let words = ["explore", "--seed", "1", "--max-calls", "20", "--call", "none", "--call", "add"];
    let words = words.into_iter().chain(options.iter().copied());
    mcp_test(words.chain(SERVER).chain(server.iter().copied()))
}

#[test]
fn a_sound_tool_has_no_problems_and_a_table_shows_its_calls() {
    let run = explore(&[], &[]);
    assert_eq!(run.code, 0, "{}", run.text(&[]));
    for part in [
        "Calls add;",
        "no problems",
        "name  calls  valid  invalid",
        "\nadd      20 ",
        "\nSeed: 1\n",
    ] {
        assert!(run.stdout.contains(part), "{part} in {}", run.stdout);
    }
}

#[test]
fn what_fails_is_saved_as_cases_that_fail_until_it_is_fixed() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "explore-saved");
    let (cases, tests) = (folder.word("found.yaml"), folder.word("found.rs"));
    let fault = ["--fault", "error:tools/call:-32603"];
    let found = explore(&["--save-cases", &cases, "--save-tests", &tests], &fault);
    // It follows no SHOULD, which is a warning.
    assert_eq!(found.code, 0, "{}", found.text(&[]));
    for part in ["the tool `add` fails with an internal error", "--call none --call 'add={"] {
        assert!(found.stdout.contains(part), "{part} in {}", found.stdout);
    }
    let text = fs::read_to_string(&tests).expect("the tests were written");
    assert!(text.contains("async fn add_fails_with_an_internal_error(ctx: &mut Ctx)"), "{text}");
    let strict = explore(&["--strict"], &fault);
    assert_eq!(strict.code, 1, "{}", strict.text(&[]));

    let replay = |server: &[&str]| {
        let words = ["cases", "run", &cases].into_iter().chain(SERVER);
        mcp_test(words.chain(server.iter().copied()))
    };
    let again = replay(&fault);
    assert_eq!(again.code, 1, "{}", again.text(&[]));
    let fixed = replay(&[]);
    assert_eq!(fixed.code, 0, "{}", fixed.text(&[]));
}

#[test]
fn saved_cases_and_tests_fail_until_the_server_is_fixed() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "explore-buggy");
    let (cases, tests) = (folder.word("found.yaml"), folder.word("found.rs"));
    let options = ["--call", "all", "--seed", "1", "--max-calls", "60", "--strict"];
    let saved = ["--save-cases", &cases, "--save-tests", &tests, "--", BUGGY];
    let found = mcp_test(["explore"].into_iter().chain(options).chain(saved));
    assert_eq!(found.code, 1, "{}", found.text(&[]));
    let text = fs::read_to_string(&tests).expect("the tests were written");
    assert_eq!(
        text,
        include_str!("../../fixtures/found_by_explore.rs"),
        "write it again, as above"
    );

    let tests_on = |server: String| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_saved-tests"));
        command.env("MCP_TEST_COMMAND", server);
        run_command(command)
    };
    let count = text.matches("#[mcp_scenario]").count();
    let broken = tests_on(BUGGY.to_owned());
    assert_eq!(broken.code, 101, "{}", broken.text(&[]));
    assert!(broken.stdout.contains(&format!("0 passed; {count} failed")), "{}", broken.text(&[]));
    let fixed = tests_on(format!("{BUGGY} --fixed"));
    assert_eq!(fixed.code, 0, "{}", fixed.text(&[]));
    assert!(fixed.stdout.contains(&format!("{count} passed; 0 failed")), "{}", fixed.text(&[]));

    let cases_on = |server: &[&str]| {
        let words = ["cases", "run", &cases, "--verbose", "--", BUGGY].into_iter();
        mcp_test(words.chain(server.iter().copied()))
    };
    let text = fs::read_to_string(&cases).expect("the cases were written");
    insta::assert_snapshot!(text);
    let broken = cases_on(&[]);
    assert_eq!(broken.code, 1, "{}", broken.text(&[]));
    let count = text.lines().filter(|line| line.starts_with("case: ")).count();
    assert!(broken.stdout.contains(&format!("{count} failed")), "{}", broken.text(&[]));
    let fixed = cases_on(&["--fixed"]);
    assert_eq!(fixed.code, 0, "{}", fixed.text(&[]));
}

#[test]
fn nothing_is_written_if_nothing_fails() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "explore-nothing");
    let cases = folder.word("found.yaml");
    let run = explore(&["--save-cases", &cases], &[]);
    assert_eq!(run.code, 0, "{}", run.text(&[]));
    assert!(run.stderr.contains("Nothing failed"), "{}", run.stderr);
    assert!(fs::metadata(&cases).is_err());
    let missing = folder.word("missing/found.yaml");
    let wrong = explore(&["--save-cases", &missing], &[]);
    assert_eq!(wrong.code, 2, "{}", wrong.text(&[]));
    assert!(wrong.stderr.contains("--save-cases"), "{}", wrong.stderr);
}

#[test]
fn a_tool_that_is_skipped_is_not_called() {
    let run = explore(&["--skip-call", "add"], &[]);
    // Nothing is left to test.
    assert_eq!(run.code, 3, "{}", run.text(&[]));
    assert!(run.stdout.contains("Calls no tools"), "{}", run.stdout);
}
