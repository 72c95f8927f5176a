//! Files that are too large, or have no end: they are refused with the option or file at fault, within bounded memory and time.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use mcp_test::clock::Stopwatch;
use mcp_test_tests::program::{Run, run_command};

use crate::bounds::within_bounds;

/// Far more than the commands take in linear time, and far less than in quadratic time.
const DEADLINE: Duration = Duration::from_secs(60);

/// Runs the command in a folder, and checks its memory and time.
fn run(folder: &Path, arguments: &[&str]) -> Run {
    let file = folder.join("peak");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-test-under-test"));
    command.env("MCP_TEST_TESTS_PEAK", &file).args(arguments).current_dir(folder);
    let watch = Stopwatch::start();
    let run = run_command(command);
    assert!(watch.elapsed() < DEADLINE, "{:?} for {arguments:?}", watch.elapsed());
    within_bounds(&file, &arguments.join(" "));
    run
}

#[cfg(unix)]
#[test]
fn files_without_end_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.yaml"), "case: A\nin: {jsonrpc: '2.0', method: a}\n")
        .expect("a file");
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("a.jsonl")).expect("a link");
    let commands: [&[&str]; 7] = [
        &["check", "--expected-failures", "/dev/zero", "--reference"],
        &["check", "--header", "X-Key: @/dev/zero", "--url", "http://localhost:9/"],
        &["cases", "run", "a.yaml", "--input", "a=@/dev/zero", "--reference"],
        &["cases", "run", "/dev/zero", "--reference"],
        &["cases", "lint", "/dev/zero"],
        &["cases", "record", "a.jsonl"],
        &["validate", "/dev/zero"],
    ];
    let mut text = String::new();
    for arguments in commands {
        let run = run(folder.path(), arguments);
        let (command, code, said) = (arguments.join(" "), run.code, run.stderr.trim_end());
        writeln!(text, "{command}: exit code {code}\n{said}\n").expect("a string takes everything");
    }
    insta::assert_snapshot!(text, @"
    check --expected-failures /dev/zero --reference: exit code 2
    error: --expected-failures: cannot read the baseline /dev/zero: it is larger than the 16 MiB that mcp-test reads

    check --header X-Key: @/dev/zero --url http://localhost:9/: exit code 2
    error: --header X-Key: cannot read /dev/zero: it is larger than the 1 MiB that mcp-test reads

    cases run a.yaml --input a=@/dev/zero --reference: exit code 2
    error: --input a: cannot read /dev/zero: it is larger than the 1 MiB that mcp-test reads

    cases run /dev/zero --reference: exit code 2
    error[limit]: the text has 16777217 bytes, more than the limit of 16777216
     --> /dev/zero:1:16777217
      |
    1 | ...␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀
      |                                                          ^

    error: cannot use the cases: 1 error

    cases lint /dev/zero: exit code 1


    cases record a.jsonl: exit code 2
    error: cannot read a.jsonl: it is larger than the 32 MiB that mcp-test reads

    validate /dev/zero: exit code 2
    error: cannot read /dev/zero: it is larger than the 256 MiB that mcp-test reads
    ");
}

#[test]
fn long_files_take_linear_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let entries = (0..200_000).map(|number| format!("  - scenario-{number}\n"));
    std::fs::write(folder.join("known.yaml"), format!("server:\n{}", entries.collect::<String>()))
        .expect("a file");
    let arguments = ["server", "--scenario", "ping", "--expected-failures", "known.yaml"];
    let known = run(folder, &[&arguments[..], &["--reference"]].concat());
    assert_eq!(known.code, 0, "{}", known.stderr);
    let warnings = known.stderr.lines().filter(|line| line.contains("known.yaml:")).count();
    assert_eq!(warnings, 21, "{}", known.stderr);

    let steps = (1..=20_000).map(|id| {
        format!(
            "in_{id}: {{jsonrpc: \"2.0\", id: {id}, method: ping}}\n\
             out_{id}: {{jsonrpc: \"2.0\", id: {id}, result: {{}}}}\n"
        )
    });
    std::fs::write(folder.join("long.yaml"), format!("case: Long\n{}", steps.collect::<String>()))
        .expect("a file");
    let commands: [&[&str]; 4] = [
        &["cases", "run", "long.yaml", "--reference", "--transport", "duplex", "--timeout", "10m"],
        &["cases", "lint", "long.yaml"],
        &["cases", "fmt", "--check", "long.yaml"],
        &["cases", "doc", "long.yaml"],
    ];
    for arguments in commands {
        let run = run(folder, arguments);
        assert_eq!(run.code, 0, "{arguments:?}: {}", run.stderr);
    }
}
