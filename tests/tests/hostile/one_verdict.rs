//! Verdicts that neither a busy machine nor a slow start of the server changes: many runs, each compared with one on a machine
//! that these tests leave idle.
//!
//! They take minutes, so that only `.ci/extended` runs them.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::Duration;

use mcp_test::clock::Stopwatch;
use mcp_test_tests::folder::Folder;
use mcp_test_tests::hostile::{Behavior, Hostile};
use mcp_test_tests::program::{Run, run_command};

use crate::bounds::failures;
use crate::repeats::{BusyCores, repeats};
use crate::scenario_run::{METHOD, SCENARIO};

const PEER: &str = env!("CARGO_BIN_EXE_hostile-peer");

/// What the servers do whose verdicts are compared beside busy loops.
const ROWS: [Behavior; 7] = {
    use Behavior::*;
    [WrongId, Twice, Banner, Html, TruncatedJson, NoId, InvalidUtf8]
};

/// The longest that a run may take, far more than its own time-outs allow.
const DEADLINE: Duration = Duration::from_secs(240);

/// The exit code, and the checks that did not succeed, with their headlines. The rest of a message has the ids of requests, which
/// differ with what is sent on a shared connection before.
type Verdict = (i32, Vec<String>);

/// Tests a server that does this, and that starts after so many seconds.
fn check(behavior: Behavior, seconds: &str, options: &[&str]) -> Run {
    check_started_by(r#"sleep "$0"; exec "$@""#, behavior, seconds, options)
}

/// Tests a server that this script starts, whose first argument is a number of seconds.
fn check_started_by(script: &str, behavior: Behavior, seconds: &str, options: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-test-under-test"));
    command.arg("check").args(options).args(["--format", "json", "--"]);
    command.args(["sh", "-c", script, seconds, PEER]);
    command.args(Hostile::on(METHOD, behavior).arguments());
    let stopwatch = Stopwatch::start();
    let run = run_command(command);
    assert!(stopwatch.elapsed() < DEADLINE, "{behavior} after {seconds} s: {stopwatch:?}");
    run
}

fn verdict(behavior: Behavior, seconds: &str, options: &[&str]) -> Verdict {
    let run = check(behavior, seconds, options);
    let failures = failures(&run);
    let headlines = failures.lines().filter(|line| !line.starts_with(' ')).map(str::to_owned);
    (run.code, headlines.collect())
}

#[test]
#[ignore = "takes minutes: .ci/extended runs it"]
fn misbehavior_beside_busy_loops() {
    let options = ["--scenario", SCENARIO, "--spec-version", "2025-11-25"];
    let idle = ROWS.map(|row| verdict(row, "0", &options));
    for (row, expected) in ROWS.iter().zip(&idle) {
        assert_eq!(expected.0, 1, "{row}: {expected:?}");
    }
    let _busy = BusyCores::start();
    for repeat in 1..=repeats() {
        for (row, expected) in ROWS.into_iter().zip(&idle) {
            assert_eq!(verdict(row, "0", &options), *expected, "{row}, run {repeat}");
        }
    }
}

/// A server that starts at once, and `count` times after each of these numbers of seconds.
fn compare_starts(behavior: Behavior, seconds: &[&str], options: &[&str], count: usize) {
    let expected = verdict(behavior, "0", options);
    for seconds in seconds {
        for repeat in 1..=count {
            let got = verdict(behavior, seconds, options);
            assert_eq!(got, expected, "{behavior} after {seconds} s, run {repeat}");
        }
    }
}

#[test]
#[ignore = "takes minutes: .ci/extended runs it"]
fn starts_that_take_seconds() {
    let (options, count) = (["--scenario", SCENARIO], repeats().div_ceil(3));
    for behavior in [Behavior::Well, Behavior::WrongId] {
        compare_starts(behavior, &["0.5", "2", "5"], &options, count);
    }
}

#[test]
#[ignore = "takes minutes: .ci/extended runs it"]
fn starts_that_take_a_large_part_of_the_time_out() {
    let (options, count) = (["--scenario", "ping"], repeats().div_ceil(20));
    compare_starts(Behavior::Well, &["10", "20"], &options, count);
}

#[test]
#[ignore = "takes minutes: .ci/extended runs it"]
fn a_start_that_takes_longer_than_the_time_out() {
    let run = check(Behavior::Well, "40", &["--scenario", "ping"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.text(&[]).contains("--timeout"), "{run:?}");
}

#[test]
#[ignore = "takes minutes: .ci/extended runs it"]
fn starts_that_become_slow() {
    // As on a machine on which other work begins during the run. Both scenarios start programs of their own.
    let options =
        ["--scenario", "ping", "--scenario", "lifecycle-*", "--spec-version", "2025-11-25"];
    for seconds in ["23", "40"] {
        let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), &format!("slow-starts-{seconds}"));
        let started = folder.path().join("started");
        let script =
            format!(r#"mkdir '{}' 2>/dev/null || sleep "$0"; exec "$@""#, started.display());
        let run = check_started_by(&script, Behavior::Well, seconds, &options);
        let reported = failures(&run);
        // What was answered counts: the server accepts an `initialize` without parameters.
        let is_false = |line: &&str| {
            line.starts_with("FAILURE ")
                || line.starts_with("WARNING ") && !line.contains(" initialize-incomplete: ")
        };
        assert_eq!(reported.lines().find(is_false), None, "{reported}");
        assert!([0, 3].contains(&run.code), "{run:?}");
    }
}

#[test]
#[ignore = "takes minutes: .ci/extended runs it"]
fn a_single_start_that_is_slow() {
    let options = ["--timeout", "4s", "--spec-version", "2025-11-25"];
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "single-slow-start");
    let reported = |number: usize| {
        let counted = folder.path().join(format!("starts-{number}"));
        let file = counted.display();
        // Not eight times as long as the others, which no busy machine explains.
        let script = format!(
            r#"sleep 0.6; echo >> '{file}'; [ $(wc -l < '{file}') -ne {number} ] || sleep "$0"; exec "$@""#
        );
        let run = check_started_by(&script, Behavior::Well, "4", &options);
        // A start that takes as long as the time-out leaves no time for a scenario, which is SKIPPED then.
        let is_reported = |line: &&str| !line.starts_with(' ') && !line.starts_with("SKIPPED ");
        let failures = failures(&run);
        let reported = failures.lines().filter(is_reported).map(str::to_owned);
        reported.collect::<BTreeSet<String>>()
    };
    let expected = reported(0);
    for number in 1..=12 {
        let reported = reported(number);
        let more: Vec<&String> = reported.difference(&expected).collect();
        assert!(more.is_empty(), "start {number}: {more:?}");
    }
}
