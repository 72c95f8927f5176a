//! `cases record`: from traces that were recorded in runs to files of cases.

use std::fs;

use mcp_test_tests::folder::Folder;

use crate::program::{MCP_TEST, mcp_test};

const PING: [&str; 4] = ["check", "--scenario", "ping", "--spec-version"];
const SERVER: [&str; 5] = ["--", MCP_TEST, "reference", "server", "--stdio"];

#[test]
fn a_trace_becomes_cases_which_the_server_keeps() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "cases-record");
    let (trace, file) = (folder.word("ping.jsonl"), folder.word("ping.yaml"));
    let recorded = ["2025-11-25", "--record", &trace];
    let run = mcp_test(PING.iter().chain(&recorded).chain(&SERVER));
    assert_eq!(run.code, 0, "{}", run.text(&[]));

    let printed = mcp_test(["cases", "record", &trace]);
    assert_eq!(printed.code, 0, "{}", printed.text(&[]));
    let written = mcp_test(["cases", "record", &trace, "-o", &file]);
    assert_eq!((written.code, written.stdout.as_str()), (0, ""), "{}", written.text(&[]));
    let text = fs::read_to_string(&file).expect("a recording");
    assert_eq!(printed.stdout, text);
    assert!(text.contains("\nin_ping: {") && text.contains("\nout_ping: {"), "{text}");

    let again = mcp_test(["cases", "record", &trace, "-o", &file]);
    assert!(again.stderr.contains("nothing that it does not say already"), "{}", again.stderr);
    assert_eq!(fs::read_to_string(&file).expect("a recording"), text);
    let kept = mcp_test(["cases", "run", &file].iter().chain(&SERVER));
    assert_eq!(kept.code, 0, "{}", kept.text(&[]));
}

#[test]
fn what_is_no_trace_is_told() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "cases-record-none");
    let file = folder.word("none.jsonl");
    let missing = mcp_test(["cases", "record", &file]);
    assert_eq!(missing.code, 2, "{}", missing.text(&[]));
    fs::write(&file, "no trace\n").expect("it can be written");
    let broken = mcp_test(["cases", "record", &file]);
    assert_eq!((broken.code, broken.stdout.as_str()), (2, ""), "{}", broken.text(&[]));
    assert!(broken.stderr.contains("none.jsonl"), "{}", broken.stderr);
}
