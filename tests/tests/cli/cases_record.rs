//! `cases record`: converts recorded traces to files of cases.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use mcp_test_tests::folder::Folder;

use crate::program::{MCP_TEST, mcp_test};

const PING: [&str; 4] = ["check", "--scenario", "ping", "--spec-version"];
const SERVER: [&str; 5] = ["--", MCP_TEST, "reference", "server", "--stdio"];

#[test]
fn a_trace_becomes_cases_that_pass_on_the_server() {
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
    assert!(again.stderr.contains("nothing new"), "{}", again.stderr);
    assert_eq!(fs::read_to_string(&file).expect("a recording"), text);
    let kept = mcp_test(["cases", "run", &file].iter().chain(&SERVER));
    assert_eq!(kept.code, 0, "{}", kept.text(&[]));
}

#[test]
fn a_file_that_is_not_a_trace_is_refused() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "cases-record-none");
    let file = folder.word("none.jsonl");
    let missing = mcp_test(["cases", "record", &file]);
    assert_eq!(missing.code, 2, "{}", missing.text(&[]));
    fs::write(&file, "no trace\n").expect("it can be written");
    let broken = mcp_test(["cases", "record", &file]);
    assert_eq!((broken.code, broken.stdout.as_str()), (2, ""), "{}", broken.text(&[]));
    assert!(broken.stderr.contains("none.jsonl"), "{}", broken.stderr);
}

#[test]
fn reference_peers_and_mocks_record_too() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "cases-record-live");
    let contract = folder.word("ping.yaml");
    let ping = r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
    let text = format!(
        "case: Ping\nin: {ping}\nout: {{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {{}}}}\n"
    );
    fs::write(&contract, text).expect("it can be written");

    let served = folder.word("served.yaml");
    talk_to(&["cases", "serve", &contract, "--stdio", "--record", &served]);
    let server = ["--", MCP_TEST, "cases", "serve", &contract, "--stdio"];
    let kept = mcp_test(["cases", "run", &served].iter().chain(&server));
    assert_eq!(kept.code, 0, "{}", kept.text(&[]));
    assert!(fs::read_to_string(&served).expect("a recording").contains("\nin_ping: {"));

    let trace = folder.word("server.jsonl");
    talk_to(&["reference", "server", "--stdio", "--record", &trace]);
    let valid = mcp_test(["validate", &trace]);
    assert_eq!(valid.code, 0, "{}", valid.text(&[]));

    let visited = folder.word("client.yaml");
    let command = format!("{MCP_TEST} reference client --record {visited}");
    let run = mcp_test(["client", "--scenario", "initialize", "--command", &command]);
    assert_eq!(run.code, 0, "{}", run.text(&[]));
    let text = fs::read_to_string(&visited).expect("a recording");
    assert!(text.contains("\nin_initialize: {"), "{text}");
}

/// Exchanges a few messages with a server of ours, and waits for its end.
fn talk_to(words: &[&str]) {
    let mut server = Command::new(MCP_TEST)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut stdin = server.stdin.take().expect("piped");
    for message in [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#,
    ] {
        writeln!(stdin, "{message}").expect("it reads");
    }
    drop(stdin);
    assert!(server.wait().expect("it ends").success());
}
