//! Files that are too large, or have no end: they are refused with the option or file at fault, within bounded memory and time.
//! Files that are written: through no link, and completely or not at all.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use mcp_test::clock::Stopwatch;
use mcp_test_tests::program::{Run, run_command};

use crate::bounds::{processor_time_of, within_bounds};

/// The processor time is limited, which does not depend on what else the machine does: to far more than the commands take in linear
/// time, and far less than in quadratic time.
const MAX_TIME: Duration = Duration::from_secs(60);

/// Far more than any command takes on a busy machine: what waits without working is noticed too.
const MAX_WAIT: Duration = Duration::from_secs(600);

/// Runs the command in a folder, and checks its memory and time.
fn run(folder: &Path, arguments: &[&str]) -> Run {
    run_within(MAX_TIME, folder, arguments)
}

/// The same with another limit of processor time.
fn run_within(most: Duration, folder: &Path, arguments: &[&str]) -> Run {
    let file = folder.join("peak");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-test-under-test"));
    command.env("MCP_TEST_TESTS_PEAK", &file).args(arguments).current_dir(folder);
    let stopwatch = Stopwatch::start();
    let run = run_command(command);
    let wait = stopwatch.elapsed();
    assert!(wait < MAX_WAIT, "{wait:?} for {arguments:?}");
    let time = processor_time_of(&file);
    assert!(time < most, "{time:?} for {arguments:?}");
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

/// So many short cases.
fn short_cases(numbers: std::ops::Range<usize>) -> String {
    let short = numbers.map(|number| {
        format!(
            "---\ncase: Ping {number}\n\
             in: {{jsonrpc: \"2.0\", id: 1, method: ping}}\n\
             out: {{jsonrpc: \"2.0\", id: 1, result: {{}}}}\n"
        )
    });
    short.collect()
}

#[test]
#[ignore = "takes a minute of processor time: .ci/extended runs it"]
fn many_cases_are_run_in_linear_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for (name, numbers) in [("a.yaml", 0..20_000), ("b.yaml", 20_000..25_000)] {
        std::fs::write(folder.join(name), short_cases(numbers)).expect("a file");
    }
    let options = ["--reference", "--transport", "duplex"];
    let arguments = |files: &[&'static str]| [&["cases", "run"][..], files, &options].concat();
    let all = run_within(4 * MAX_TIME, folder, &arguments(&["a.yaml"]));
    assert_eq!(all.code, 0, "{}", all.stderr);
    let too_many = run(folder, &arguments(&["a.yaml", "b.yaml"]));
    assert_eq!(too_many.code, 2, "{}", too_many.stderr);
    insta::assert_snapshot!(too_many.stderr, @"error: the run has 25000 scenario runs, more than the 20000 that mcp-test makes at once: run them in parts with `--shard 1/2` and so on");
}

#[test]
fn as_many_documents_as_are_read_take_bounded_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    // Each with as many nodes as so many documents may have.
    std::fs::write(folder.path().join("many.yaml"), "---\nin: {a: 1}\n".repeat(100_000))
        .expect("a file");
    let linted = run(folder.path(), &["cases", "lint", "many.yaml"]);
    assert_eq!(linted.code, 0, "{}", linted.stderr);
    assert!(linted.stdout.contains("100000 cases in 1 file"), "{}", linted.stdout);
}

#[test]
fn files_that_are_together_too_large_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let comment = format!("# {}\n", "x".repeat(1022)).repeat(9 * 1024);
    for name in ["a.yaml", "b.yaml"] {
        let text = short_cases(0..1) + &comment;
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    let refused = run(folder.path(), &["cases", "lint", "a.yaml", "b.yaml"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    insta::assert_snapshot!(refused.stderr, @"error: b.yaml and the files before it are together larger than the 16 MiB that mcp-test reads at once: name fewer files");
}

/// The options that write a file, with a name that they accept.
const WRITING: [(&str, &str, &str); 8] = [
    ("--write-baseline", "known.yml", "known.yml"),
    ("--record", "trace.jsonl", "trace.jsonl"),
    ("--record", "cases.yaml", "cases.yaml"),
    ("--report", "junit=junit.xml", "junit.xml"),
    ("--report", "markdown=comment.md", "comment.md"),
    ("--report", "sarif=mcp.sarif", "mcp.sarif"),
    ("--report", "ctrf=ctrf.json", "ctrf.json"),
    ("--report", "tap=mcp.tap", "mcp.tap"),
];

const PING: [&str; 4] = ["check", "--reference", "--scenario", "ping"];

/// The names in a folder, in alphabetical order.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[cfg(unix)]
#[test]
fn no_link_is_written_through() {
    let mut text = String::new();
    for (option, value, name) in WRITING {
        for is_dangling in [true, false] {
            let folder = tempfile::tempdir().expect("a folder");
            let target = folder.path().join("target");
            if !is_dangling {
                std::fs::write(&target, "case: A\nin: {jsonrpc: '2.0', method: a}\n")
                    .expect("a file");
            }
            let before = std::fs::read(&target).ok();
            std::os::unix::fs::symlink("target", folder.path().join(name)).expect("a link");
            let run = run(folder.path(), &[&PING[..], &[option, value]].concat());
            assert_eq!(std::fs::read(&target).ok(), before, "{option} {value}");
            assert!(folder.path().join(name).is_symlink(), "{option} {value}");
            writeln!(text, "exit code {}: {}", run.code, run.stderr.trim_end())
                .expect("a string takes everything");
        }
    }
    insta::assert_snapshot!(text);
}

/// The limit on the size of files stands for a full disk: writing fails after a part.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_written_stays_as_it_was() {
    let program = env!("CARGO_BIN_EXE_mcp-test-under-test");
    for (option, value, name) in WRITING {
        let folder = tempfile::tempdir().expect("a folder");
        // A trace is only written where there is none.
        let before =
            (name != "trace.jsonl").then_some("# Written by hand.\nserver:\n  - ping:ping\n");
        if let Some(before) = before.filter(|_| name != "cases.yaml") {
            std::fs::write(folder.path().join(name), before).expect("a file");
        }
        let before = names(folder.path());
        let content = std::fs::read(folder.path().join(name)).ok();
        let mut command = Command::new("sh");
        // The signal would end the process; without it the call fails, as on a full disk.
        command.args(["-c", r#"trap '' XFSZ; ulimit -f 0; exec "$@""#, "sh", program]);
        command.args(PING).args([option, value]).current_dir(folder.path());
        let run = run_command(command);
        assert_ne!(run.code, 0, "{option} {value}: {}", run.stderr);
        assert!(run.stderr.contains(&format!("cannot write {name}")), "{}", run.stderr);
        assert_eq!(std::fs::read(folder.path().join(name)).ok(), content, "{option} {value}");
        assert_eq!(names(folder.path()), before, "{option} {value}");
    }
}

/// A name in a shared folder that somebody else has taken, as a link to a file of the user.
#[cfg(target_os = "linux")]
#[test]
fn temporary_names_cannot_be_taken_before() {
    let program = env!("CARGO_BIN_EXE_mcp-test-under-test");
    for (option, value, name) in WRITING {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("precious"), "kept").expect("a file");
        let mut command = Command::new("sh");
        // A name with the id of the process would be one that is known before.
        command.args(["-c", &format!(r#"ln -s precious .{name}.$$; exec "$@""#), "sh", program]);
        command.args(PING).args([option, value]).current_dir(folder.path());
        let run = run_command(command);
        assert_eq!(run.code, 0, "{option} {value}: {}", run.stderr);
        let kept = std::fs::read_to_string(folder.path().join("precious"));
        assert_eq!(kept.expect("it exists"), "kept", "{option} {value}");
        assert!(folder.path().join(name).is_file(), "{option} {value}: {}", run.stderr);
        assert_eq!(names(folder.path()).len(), 3, "{:?}", names(folder.path()));
    }
}

#[cfg(unix)]
#[test]
fn standard_output_may_be_named() {
    for (option, value) in [("--write-baseline", "/dev/stdout"), ("--report", "junit=/dev/stdout")]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let run = run(folder.path(), &[&PING[..], &[option, value]].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let expected = if option == "--report" { "<testsuites" } else { "# Known failures" };
        assert!(run.stdout.contains(expected), "{}", run.stdout);
    }
}
