//! `mcp-test cases verify-client`: clients tested by files of cases.

use std::fs;
use std::path::PathBuf;

use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::Run;

use crate::program::{MCP_TEST, mcp_test};

/// What the reference client sends in the scenario `initialize`, after which the file is named.
const SAID: &str = r#"
case: Says hello
in: {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "any", "version": "1"}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "shop", "version": "1"}}}
in_ready: {"jsonrpc": "2.0", "method": "notifications/initialized"}
---
case: Looks around
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
out: {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}
"#;

/// What it does not send there.
const UNSAID: &str = r#"
---
case: Buys tea
_inputs: {name: item, default: tea}
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "buy", "arguments": {"item": "${item}"}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}
"#;

/// A file of cases in its folder.
struct Contract {
    _folder: Folder,
    path: PathBuf,
}

impl Contract {
    fn new(name: &str, text: &str) -> Self {
        let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), name);
        let path = folder.path().join("initialize.yaml");
        fs::write(&path, text).expect("it can be written");
        Self { _folder: folder, path }
    }

    fn verify(&self, words: &[&str]) -> Run {
        let path = self.path.to_string_lossy();
        let command = format!("{MCP_TEST} reference client");
        let own = ["cases", "verify-client", &path, "--command", &command];
        mcp_test([own.as_slice(), words].concat())
    }
}

#[test]
fn a_client_that_sends_what_the_cases_expect_passes() {
    let contract = Contract::new("verify-client-passes", SAID);
    let run = contract.verify(&["--strict"]);
    assert_eq!(run.code, 0, "{}", run.text(&[]));
    let json = contract.verify(&["--format", "json"]);
    assert_eq!(json.code, 0, "{}", json.text(&[]));
    assert!(json.stdout.contains("\"initialize::looks-around\""), "{}", json.stdout);
}

#[test]
fn a_missing_message_is_reported_with_its_place_and_a_rerun_command() {
    let contract = Contract::new("verify-client-fails", &format!("{SAID}{UNSAID}"));
    let run = contract.verify(&[]);
    assert_eq!(run.code, 1, "{}", run.text(&[]));
    let place = format!("{}:14:1", contract.path.display());
    for expected in [
        "the client did not send `in` of \"Buys tea\"",
        &place,
        "got only `initialize`, `notifications/initialized` and `tools/list`",
        "--scenario initialize --spec-version 2025-11-25 --command",
    ] {
        assert!(run.stdout.contains(expected), "{expected} is not in {}", run.stdout);
    }
    assert!(!run.stdout.contains("`in` of \"Looks around\""), "{}", run.stdout);
}

#[test]
fn only_selected_cases_are_expected() {
    let contract =
        Contract::new("verify-client-chosen", &format!("{SAID}{UNSAID}_tags: shopping\n"));
    assert_eq!(contract.verify(&["--skip-tag", "shopping"]).code, 0);
    assert_eq!(contract.verify(&["--case", "initialize::looks-around"]).code, 0);
    assert_eq!(contract.verify(&["--tag", "shopping", "--input", "item=milk"]).code, 1);
    for (words, expected) in [
        (["--case", "initialize::look-around"], "did you mean `initialize::looks-around`?"),
        (["--scenario", "initialise"], "did you mean `initialize`?"),
        (["--tag", "knitting"], "no case left to run"),
        (["--input", "itme=milk"], "did you mean `item`?"),
    ] {
        let run = contract.verify(&words);
        assert_eq!(run.code, 2, "{words:?}: {}", run.text(&[]));
        assert!(run.stderr.contains(expected), "{words:?}: {}", run.stderr);
    }
}

#[test]
fn a_failure_may_be_expected() {
    let contract = Contract::new("verify-client-baseline", &format!("{SAID}{UNSAID}"));
    let known = contract.path.with_file_name("known.yml");
    let known = known.to_string_lossy();
    assert_eq!(contract.verify(&["--write-baseline", &known]).code, 0);
    let text = fs::read_to_string(&*known).expect("a baseline");
    assert!(text.ends_with("client:\n  - initialize:initialize::buys-tea\n"), "{text}");
    assert_eq!(contract.verify(&["--expected-failures", &known]).code, 0);
}

#[test]
fn a_client_that_cannot_be_started_is_not_a_verdict() {
    let contract = Contract::new("verify-client-missing", SAID);
    let path = contract.path.to_string_lossy();
    let missing = mcp_test(["cases", "verify-client", &path, "--command", "no-such-client"]);
    assert_eq!(missing.code, 3, "{}", missing.text(&[]));
}
