//! Baselines: written by one run and read by the next.

use std::fs;

use mcp_test_tests::folder::Folder;

use crate::program::{MCP_TEST, mcp_test};

/// A run over stdio against the reference server, with a fault or without.
fn words<'a>(command: &'a str, options: &[&'a str], fault: Option<&'a str>) -> Vec<&'a str> {
    let mut words = vec![command, "--spec-version", "2025-11-25"];
    words.extend(options);
    words.extend(["--", MCP_TEST, "reference", "server", "--stdio"]);
    words.extend(fault.into_iter().flat_map(|fault| ["--fault", fault]));
    words
}

fn written_then_read_then_stale(command: &str, fault: &str, entries: &[&str]) {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), &format!("baseline-{command}"));
    let file = folder.word("known.yml");

    let without = mcp_test(words(command, &[], Some(fault)));
    assert_eq!(without.code, 1, "{}", without.text(&[]));

    let written = mcp_test(words(command, &["--write-baseline", &file], Some(fault)));
    assert_eq!(written.code, 0, "{}", written.text(&[]));
    let text = fs::read_to_string(&file).expect("the file was written");
    let listed: Vec<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix("- ")).collect();
    assert_eq!(listed, entries, "{text}");

    let expected = mcp_test(words(command, &["--expected-failures", &file], Some(fault)));
    assert_eq!(expected.code, 0, "{}", expected.text(&[]));
    assert!(expected.stdout.contains("Expected failures (in baseline):\n"), "{}", expected.stdout);
    for entry in entries {
        assert!(expected.stdout.contains(&format!("  ~ {entry}\n")), "{}", expected.stdout);
    }

    let stale = mcp_test(words(command, &["--expected-failures", &file], None));
    assert_eq!(stale.code, 1, "{}", stale.text(&[]));
    assert!(
        stale.stdout.contains("Stale baseline entries (now passing - remove from baseline):\n"),
        "{}",
        stale.stdout
    );
    for entry in entries {
        assert!(stale.stdout.contains(&format!("  ✓ {entry}\n")), "{}", stale.stdout);
    }

    let other = "error:prompts/get:-32603";
    let unexpected = mcp_test(words(command, &["--expected-failures", &file], Some(other)));
    assert_eq!(unexpected.code, 1, "{}", unexpected.text(&[]));
    assert!(
        unexpected
            .stdout
            .contains("Unexpected failures (not in baseline):\n  ✗ prompts-get-simple\n"),
        "{}",
        unexpected.stdout
    );
}

#[test]
fn of_server() {
    written_then_read_then_stale(
        "server",
        "error:resources/read:-32603",
        &[
            "resources-read-text:resources-read-text",
            "resources-read-binary:resources-read-binary",
            "resources-templates-read:resources-templates-read",
        ],
    );
}

#[test]
fn of_check() {
    let entries = [
        "ping:ping",
        "lifecycle-order:ping-before-initialized",
        "lifecycle-order:initialized-after-ping",
    ];
    written_then_read_then_stale("check", "set:ping:/extra:7", &entries);
}

#[test]
fn a_missing_baseline_is_wrong_usage_and_nothing_is_run() {
    let run = mcp_test(words("server", &["--expected-failures", "/no/such/file.yml"], None));
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("/no/such/file.yml"), "{}", run.stderr);
}
