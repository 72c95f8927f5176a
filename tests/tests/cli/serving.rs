//! `mcp-test cases serve`: its replies, its log, and its end.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

use insta::assert_snapshot;

use crate::program::{MCP_TEST, mcp_test};

const CONTRACT: &str = r#"case: Adds two numbers
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add", "arguments": {"a": 1, "b": 2}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "3"}]}}
---
case: Echoes
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "x"}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "x"}]}}
"#;

/// A server of cases in a directory of its own.
struct Serving {
    child: Child,
    directory: tempfile::TempDir,
}

impl Serving {
    fn begin(options: &[&str]) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("calculator.yaml"), CONTRACT).expect("written");
        let child = Command::new(MCP_TEST)
            .current_dir(&directory)
            .args(["cases", "serve", "calculator.yaml"])
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        Self { child, directory }
    }

    /// Waits for the end; returns the exit code and standard error.
    fn end(mut self) -> (Option<i32>, String) {
        drop(self.child.stdin.take());
        let mut output = String::new();
        self.child.stderr.take().expect("piped").read_to_string(&mut output).expect("text");
        (self.child.wait().expect("it ends").code(), output)
    }
}

impl Drop for Serving {
    /// A failing test leaves nothing running.
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn over_stdio_the_client_gets_replies_and_standard_error_names_the_cases() {
    let mut serving = Serving::begin(&["--stdio"]);
    let mut stdin = serving.child.stdin.take().expect("piped");
    let mut replies = BufReader::new(serving.child.stdout.take().expect("piped")).lines();
    for line in [
        r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}"#,
        r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":3}}}"#,
    ] {
        writeln!(stdin, "{line}").expect("it reads");
        let reply = replies.next().expect("a reply").expect("text");
        if line.contains("\"id\":7") {
            assert_snapshot!(reply, @r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"3"}]}}"#);
        }
    }
    drop(stdin);
    let (code, output) = serving.end();
    assert_eq!(code, Some(0), "{output}");
    assert_snapshot!(output, @r#"
    Serving 2 cases of 1 file over stdin and stdout (over HTTP with --listen)
    initialize ← inferred from the cases
    tools/call add ← calculator.yaml:2 "Adds two numbers"
    tools/call add ← no case has this `tools/call`; the nearest is "Adds two numbers" (calculator.yaml:2): /params/arguments/b: expected 2, got 3
    1 of 2 cases was not used:
      calculator.yaml:5 "Echoes"
    "#);
}

#[cfg(unix)]
#[test]
fn over_http_it_serves_until_interrupted_and_reloads_changed_files() {
    let mut serving = Serving::begin(&["--listen", "127.0.0.1:0"]);
    let mut stdout = BufReader::new(serving.child.stdout.take().expect("piped"));
    let mut listening = String::new();
    stdout.read_line(&mut listening).expect("text");
    let url = listening.trim().strip_prefix("Listening on ").expect("a URL");
    let checked = mcp_test(["check", "--url", url, "--scenario", "tools-list"]);
    assert_eq!(checked.code, 0, "{}", checked.text(&[]));
    let mut output = BufReader::new(serving.child.stderr.take().expect("piped"));
    let mut until = |wanted: &str| {
        let mut line = String::new();
        while !line.contains(wanted) {
            line.clear();
            assert_ne!(output.read_line(&mut line).expect("text"), 0, "never: {wanted}");
        }
    };
    until("tools/list ← inferred from the cases: 2 items");
    let file = serving.directory.path().join("calculator.yaml");
    std::fs::write(&file, "case: [").expect("written");
    until("the previous cases are still served");
    std::fs::write(&file, CONTRACT.split("---").next().unwrap_or_default()).expect("written");
    until("reloaded: 1 case");
    let kill = Command::new("kill").args(["-INT", &serving.child.id().to_string()]).status();
    assert!(kill.expect("kill").success());
    until("1 of 1 case was not used:");
    assert_eq!(serving.child.wait().expect("it ends").code(), Some(0));
}
