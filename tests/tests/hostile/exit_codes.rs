//! The exit code of the command for each misbehavior, in each profile. The guide of the command line has the same table.

use std::fmt::Write;
use std::process::Command;

use mcp_test_tests::hostile::http::Running;
use mcp_test_tests::hostile::{Behavior, Hostile};
use mcp_test_tests::program::run_command;

use crate::scenario_run::{METHOD, SCENARIO};

const PEER: &str = env!("CARGO_BIN_EXE_hostile-peer");

/// The exit codes in profiles official, adaptive and strict.
fn codes(target: &[&str]) -> String {
    let codes = ["official", "adaptive", "strict"].map(|profile| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-test-under-test"));
        command.args(["check", "--profile", profile, "--scenario", SCENARIO]);
        command.args(["--spec-version", "2025-11-25", "--timeout", "10m"]).args(target);
        run_command(command).code.to_string()
    });
    codes.join(" ")
}

/// The exit codes for a server that a shell script starts.
fn codes_of(script: &str, behavior: Behavior) -> String {
    let arguments = Hostile::on(METHOD, behavior).arguments();
    let mut target = vec!["--", "sh", "-c", script, "sh", PEER];
    target.extend(arguments.iter().map(String::as_str));
    codes(&target)
}

#[test]
fn of_messages_over_standard_streams() {
    let behaviors = [
        Behavior::Well,
        Behavior::NoNewline,
        Behavior::CarriageReturn,
        Behavior::TrickleNoNewline,
        Behavior::DuplicateMembers,
        Behavior::HugeNumbers,
        Behavior::LoneSurrogate,
    ];
    let mut table = String::new();
    for behavior in behaviors {
        let codes = codes_of(r#"exec "$@""#, behavior);
        writeln!(table, "{codes} {behavior}").expect("a string takes everything");
    }
    insta::assert_snapshot!(table, @"
    0 0 0 well
    1 1 1 no-newline
    1 1 1 carriage-return
    1 1 1 trickle-no-newline
    0 0 1 duplicate-members
    0 0 1 huge-numbers
    0 0 1 lone-surrogate
    ");
}

#[test]
fn of_messages_over_http() {
    let behaviors = [
        Behavior::Well,
        Behavior::TwoLengths,
        Behavior::DuplicateMembers,
        Behavior::HugeNumbers,
        Behavior::LoneSurrogate,
    ];
    let mut table = String::new();
    for behavior in behaviors {
        let running = Running::start(Hostile::on(METHOD, behavior), false);
        let codes = codes(&["--url", &running.url()]);
        writeln!(table, "{codes} {behavior}").expect("a string takes everything");
    }
    insta::assert_snapshot!(table, @"
    0 0 0 well
    0 1 1 two-lengths
    0 0 1 duplicate-members
    0 0 1 huge-numbers
    0 0 1 lone-surrogate
    ");
}

#[test]
fn of_processes() {
    const HOLD: &str = "hold < /dev/null > /dev/null 2>&1";
    let rows = [
        ("ignores the end of its input", r#"exec "$@""#.to_owned(), Behavior::IgnoreEof),
        ("ignores SIGTERM as well", r#"trap "" TERM; exec "$@""#.to_owned(), Behavior::IgnoreEof),
        ("leaves a process behind", format!(r#""$1" {HOLD} & exec "$@""#), Behavior::Well),
        (
            "leaves 150 processes behind",
            format!(r#"for i in $(seq 150); do "$1" {HOLD} & done; exec "$@""#),
            Behavior::Well,
        ),
    ];
    let mut table = String::new();
    for (name, script, behavior) in rows {
        writeln!(table, "{} {name}", codes_of(&script, behavior))
            .expect("a string takes everything");
    }
    insta::assert_snapshot!(table, @"
    0 0 1 ignores the end of its input
    0 0 1 ignores SIGTERM as well
    0 1 1 leaves a process behind
    0 1 1 leaves 150 processes behind
    ");
}
