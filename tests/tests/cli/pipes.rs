//! Standard output and standard error: closed pipes, and colours.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use mcp_test_tests::program::{Mark, run_command, without_times};

use crate::program::MCP_TEST;

/// Runs with a reader that closes the pipe after some lines; returns the exit code and standard error.
fn closing_after(lines: usize, words: &[&str]) -> (Option<i32>, String) {
    let mark = Mark::new();
    let mut command = Command::new(MCP_TEST);
    mark.put_on(&mut command);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut line = String::new();
    for _ in 0..lines {
        line.clear();
        assert!(stdout.read_line(&mut line).expect("it is text") > 0, "it prints something");
    }
    drop(stdout);
    let mut output = String::new();
    child.stderr.take().expect("it is piped").read_to_string(&mut output).expect("it is text");
    let status = child.wait().expect("it ends");
    mark.assert_nothing_left();
    (status.code(), output)
}

#[test]
fn a_closed_pipe_is_not_a_failure() {
    let child = ["--", MCP_TEST, "reference", "server", "--stdio"];
    let check = [&["check"][..], &child].concat();
    let verbose = ["server", "--reference", "--verbose"];
    let runs: [&[&str]; 7] = [
        &check,
        &verbose,
        &["check", "--reference", "--format", "json"],
        &["list"],
        &["explain", "tools-list"],
        &["requirements"],
        &["--help"],
    ];
    for words in runs {
        for lines in [0, 1] {
            let (code, output) = closing_after(lines, words);
            assert_eq!(code, Some(0), "{words:?} after {lines} lines: {output}");
            assert!(!output.contains("panicked"), "{words:?} after {lines} lines: {output}");
            assert!(!output.contains("error"), "{words:?} after {lines} lines: {output}");
        }
    }
}

#[test]
fn a_verdict_does_not_depend_on_a_reader() {
    let server = ["--", MCP_TEST, "reference", "server", "--stdio", "--fault", "error:ping:-32603"];
    let words = [&["check", "--spec-version", "2025-11-25"][..], &server].concat();
    for lines in [0, 1] {
        let (code, output) = closing_after(lines, &words);
        assert_eq!(code, Some(1), "{output}");
    }
}

/// The output of a run with a failing check, and of one that cannot take place.
fn printed(variables: &[(&str, &str)]) -> [String; 2] {
    let failing =
        ["--", MCP_TEST, "reference", "server", "--stdio", "--fault", "error:ping:-32603"];
    let failing = [&["check", "--scenario", "ping", "--spec-version", "2025-11-25"][..], &failing];
    [failing.concat(), vec!["check", "--", "a-server-that-nobody-wrote"]].map(|words| {
        let mut command = Command::new(MCP_TEST);
        command.args(words).envs(variables.iter().copied());
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            if !variables.iter().any(|(set, _)| *set == name) {
                command.env_remove(name);
            }
        }
        let run = run_command(command);
        assert_ne!(run.code, 0, "{}", run.text(&[]));
        run.text(&[])
    })
}

#[test]
fn colours_are_used_only_where_wanted() {
    let escapes = |text: &String| text.contains('\u{1b}');
    let plain: [&[(&str, &str)]; 3] =
        [&[], &[("NO_COLOR", "1")], &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]];
    for variables in plain {
        let printed = printed(variables);
        assert!(!printed.iter().any(escapes), "{variables:?}: {printed:?}");
    }
    let coloured = printed(&[("CLICOLOR_FORCE", "1")]);
    assert!(coloured.iter().all(escapes), "{coloured:?}");
    let stripped = coloured.map(|text| without_times(&without_escapes(&text)));
    assert_eq!(stripped, printed(&[]).map(|text| without_times(&text)));
}

/// The text without escape sequences.
fn without_escapes(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    plain.extend(parts.map(|part| part.split_once('m').map_or(part, |(_, rest)| rest)));
    plain
}
