//! `mcp-test validate`: values, conversations and traces in files and on standard input.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use mcp_test::client::{Client, Options};
use mcp_test::json::Value;
use mcp_test::server::reference::everything;
use mcp_test::trace::{Recorder, Redactor, file};
use mcp_test::transport::{Fault, Limits, TransportKind};
use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::Run;
use serde_json::json;
use tokio::runtime::Runtime;

use crate::program::{MCP_TEST, mcp_test};

/// Validates a text in a file; returns the exit code and the output, with `[file]` for the file.
fn validate(words: &[&str], text: &str) -> (i32, String) {
    let thread = std::thread::current();
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), thread.name().unwrap_or("validate"));
    let file = folder.word("input.jsonl");
    fs::write(&file, text).expect("it can be written");
    let run = mcp_test(["validate"].iter().chain(words).chain(&[file.as_str()]));
    (run.code, run.text(&[(&file, "[file]")]))
}

/// Validates standard input.
fn validate_input(words: &[&str], text: &str) -> (Option<i32>, String) {
    let mut command = Command::new(MCP_TEST);
    command.arg("validate").args(words).arg("-").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(text.as_bytes()).expect("it is read");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

const OPENING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
"#;

#[test]
fn a_value_is_validated_against_the_named_definition() {
    let words = ["--spec-version", "2025-11-25", "--as", "Tool"];
    let pretty = "{\n  \"name\": \"add\",\n  \"inputSchema\": {\"type\": \"object\"}\n}\n";
    insta::assert_snapshot!(validate(&words, pretty).1, @"
    [file]: 1 validated against MCP 2025-11-25, 1 valid, 0 invalid
    valid: Tool
    ");
    let (code, output) = validate(&words, r#"{"name": "add", "inputSchema": {"type": "array"}}"#);
    assert_eq!(code, 1);
    insta::assert_snapshot!(output, @r#"
    the value is not valid as Tool of MCP 2025-11-25
      expected `/inputSchema/type` is "object"
      got "array"
      Tool: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool

    [file]: 1 validated against MCP 2025-11-25, 0 valid, 1 invalid
    "#);
    let (code, output) =
        validate(&words, "{\"name\":\"add\",\"inputSchema\":{\"type\":\"object\"}}\n{}\n7\n");
    assert_eq!(code, 1);
    insta::assert_snapshot!(output, @"
    line 2: the value is not valid as Tool of MCP 2025-11-25
      expected `/name` is a string
      got nothing
      Tool: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool
      expected `/inputSchema` is an object
      got nothing
      Tool: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool
    line 3: the value is not valid as Tool of MCP 2025-11-25
      expected an object
      got 7, which is a number
      Tool: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool

    [file]: 3 validated against MCP 2025-11-25, 1 valid, 2 invalid
    valid: Tool
    ");
}

#[test]
fn a_conversation_is_validated_in_the_revision_that_it_names() {
    let rest = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}
"#;
    let (code, output) = validate(&[], &format!("{OPENING}{rest}"));
    assert_eq!(code, 0, "{output}");
    insta::assert_snapshot!(output, @"
    [file]: 5 validated against MCP 2025-11-25, 5 valid, 0 invalid
    valid: InitializeRequest, InitializeResult, InitializedNotification, ListToolsRequest, ListToolsResult
    ");

    let rest = r#"Server is ready
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":[1,2]}}
{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text"}]}}
{"jsonrpc":"2.0","id":9,"result":{}}
"#;
    let (code, output) = validate(&[], &format!("{OPENING}{rest}"));
    assert_eq!(code, 1, "{output}");
    insta::assert_snapshot!(output, @r#"
    line 4: not JSON
      expected a JSON-RPC message
      got "Server is ready", column 1: expected a value, found `S`
    line 5: the request `tools/call` is not valid as CallToolRequest of MCP 2025-11-25
      expected `/params/arguments` is an object
      got [1,2], which is an array
      CallToolRequestParams: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#calling-tools
    line 6: the result of `tools/call` is not valid as CallToolResult of MCP 2025-11-25
      expected `/result/content/0/text` is a string
      got nothing
      TextContent: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#text-content

    [file]: 7 validated against MCP 2025-11-25, 4 valid, 3 invalid
    valid: InitializeRequest, InitializeResult, InitializedNotification, Result
    note: 1 reply answers no request in the input; only the rules for all replies were checked
    "#);
}

#[test]
fn a_single_message_is_validated_too() {
    let discover = r#"{"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}
    }}}"#;
    for words in [&["--spec-version", "draft"][..], &[]] {
        let (code, output) = validate(words, discover);
        assert_eq!(code, 0, "{output}");
    }
    let (code, output) = validate(&["--spec-version", "2025-06-18"], r#"{"name": "add"}"#);
    assert_eq!(code, 1, "{output}");
    insta::assert_snapshot!(output, @r#"
    not a JSON-RPC message
      expected `/jsonrpc` is "2.0"
      got nothing
      jsonrpc.version-member: https://modelcontextprotocol.io/specification/2025-06-18/basic#messages

    [file]: 1 validated, 0 valid, 1 invalid
    note: to validate a value that is not a message, name its definition with --as
    "#);
}

#[test]
fn standard_input_is_read_like_a_file() {
    let ping = "{\n\"jsonrpc\":\"2.0\",\"id\":1,\n\"method\":\"ping\"}";
    let (code, output) = validate_input(&["--spec-version", "2025-06-18"], ping);
    assert_eq!(code, Some(0));
    insta::assert_snapshot!(output, @"
    standard input: 1 validated against MCP 2025-06-18, 1 valid, 0 invalid
    valid: PingRequest
    ");
}

#[test]
fn the_document_has_the_same_findings_as_the_text() {
    let rest = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":5}}"#;
    let text = format!("{OPENING}{rest}\n");
    let (code, output) = validate(&["--format", "json"], &text);
    assert_eq!(code, 1, "{output}");
    insta::assert_snapshot!(output, @r#"
    {
      "schemaVersion": 1,
      "file": "[file]",
      "specVersions": [
        "2025-11-25"
      ],
      "valid": false,
      "judged": 4,
      "invalid": 1,
      "validByDefinition": {
        "InitializeRequest": 1,
        "InitializeResult": 1,
        "InitializedNotification": 1
      },
      "findings": [
        {
          "line": 4,
          "what": "the request `tools/call`",
          "definition": "CallToolRequest",
          "specVersion": "2025-11-25",
          "errors": [
            {
              "pointer": "/params/name",
              "expected": "a string",
              "got": "5, which is a number",
              "rule": "CallToolRequestParams",
              "url": "https://modelcontextprotocol.io/specification/2025-11-25/server/tools#calling-tools"
            }
          ]
        }
      ],
      "notes": [],
      "exitCode": 1
    }
    "#);
    let (_, valid) = validate(&["--format", "json"], OPENING);
    let document = Value::parse(valid.as_bytes()).expect("JSON").value;
    assert_eq!(document.get("valid"), Some(&Value::from(true)));
}

/// A trace of a client and the reference server.
fn trace(faults: impl IntoIterator<Item = Fault>) -> String {
    let server = everything().faults(faults).target();
    let recorder = Recorder::new();
    Runtime::new().expect("a runtime").block_on(async {
        let connection = server.open(TransportKind::Duplex, &recorder, Limits::default()).await;
        let client = Client::connect(connection.expect("a connection"), Options::default()).await;
        let mut client = client.expect("a client");
        let _ = client.request("tools/list", json!({})).await.expect("a reply");
        let _ = client.request("tools/call", json!({"name": "test_simple_text"})).await;
        client.end().await;
    });
    file::write(&recorder.trace(), &Redactor::secrets())
}

#[test]
fn a_trace_is_validated_event_by_event() {
    let (code, output) = validate(&[], &trace([]));
    assert_eq!(code, 0, "{output}");
    insta::assert_snapshot!(output, @"
    [file]: 7 validated against MCP 2025-11-25, 7 valid, 0 invalid
    valid: CallToolRequest, CallToolResult, InitializeRequest, InitializeResult, InitializedNotification, ListToolsRequest, ListToolsResult
    ");
    let (code, output) =
        validate(&[], &trace([Fault::remove("tools/list", "/tools/0/inputSchema")]));
    assert_eq!(code, 1, "{output}");
    insta::assert_snapshot!(output, @"
    line 7: the result of `tools/list` is not valid as ListToolsResult of MCP 2025-11-25
      expected `/result/tools/0/inputSchema` is an object
      got nothing
      Tool: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool

    [file]: 7 validated against MCP 2025-11-25, 6 valid, 1 invalid
    valid: CallToolRequest, CallToolResult, InitializeRequest, InitializeResult, InitializedNotification, ListToolsRequest
    ");
}

#[test]
fn messages_without_a_revision_are_skipped_and_reported() {
    let event = |seq: u64, connection: u64, mut event: serde_json::Value| {
        for (name, number) in
            [("seq", seq), ("at_us", seq), ("connection", connection), ("exchange", seq)]
        {
            event[name] = number.into();
        }
        event["party"] = "client".into();
        event.to_string()
    };
    let ping = json!({"what": "message", "text": r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#});
    let head = |revision: Option<&str>| {
        let headers: Vec<_> = revision.iter().map(|it| ["mcp-protocol-version", *it]).collect();
        json!({"what": "http-request", "method": "POST", "path": "/mcp", "headers": headers})
    };
    let lines = [
        r#"{"mcp-test-trace":1}"#.to_owned(),
        event(1, 1, head(Some("2025-06-18"))),
        event(2, 1, ping.clone()),
        event(3, 2, head(None)),
        event(4, 2, ping),
    ];
    let (code, output) = validate(&[], &lines.join("\n"));
    assert_eq!(code, 2, "{output}");
    insta::assert_snapshot!(output, @"
    [file]: 1 validated against MCP 2025-06-18, 1 valid, 0 invalid
    valid: PingRequest
    note: line 5 not validated: no message names the revision; use --spec-version REVISION
    ");
}

#[test]
fn input_that_cannot_be_validated_exits_with_2() {
    let unusable = |words: &[&str], text: &str| {
        let (code, output) = validate(words, text);
        assert_eq!(code, 2, "{words:?} {text:?}: {output}");
        output
    };
    let newest = ["--spec-version", "2026-07-28"];
    insta::assert_snapshot!(unusable(&newest, ""), @"error: cannot validate [file]: it is empty");
    insta::assert_snapshot!(unusable(&newest, "\n  \n"), @"error: cannot validate [file]: it is empty");
    insta::assert_snapshot!(unusable(&newest, "<html>\n<body>\n"), @"error: cannot validate [file]: it is not JSON: line 1, column 1: expected a value, found `<`");
    insta::assert_snapshot!(unusable(&newest, "{\n  \"jsonrpc\": \"2.0\",\n  \"id\" 1\n}\n"), @"error: cannot validate [file]: it is not JSON: line 3, column 8: expected `:`, found `1`");
    insta::assert_snapshot!(unusable(&[], r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), @"error: unknown revision: neither `initialize` nor a `_meta` precedes this message; use --spec-version REVISION");
    insta::assert_snapshot!(unusable(&[], r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2030-01-01"}}"#), @"error: the conversation uses `2030-01-01`, which is not a revision that mcp-test supports; use another with --spec-version REVISION");
    insta::assert_snapshot!(unusable(&["--spec-version", "2025-11-26"], "{}"), @"
    error: invalid value '2025-11-26' for '--spec-version <REVISION>': `2025-11-26` is not a revision of MCP; the revisions are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(unusable(&["--spec-version", "2025-06-18.."], "{}"), @"
    error: invalid value '2025-06-18..' for '--spec-version <REVISION>': expected one revision, got 3

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(unusable(&["--as", "Tool"], "{}"), @"
    error: the following required arguments were not provided:
      --spec-version <REVISION>

    Usage: mcp-test validate --spec-version <REVISION> --as <DEFINITION> <FILE>

    For more information, try '--help'.
    ");
    let named = |name| ["--spec-version", "2025-06-18", "--as", name];
    insta::assert_snapshot!(unusable(&named("Tol"), "{}"), @"error: --as: MCP 2025-06-18 has no definition `Tol`; did you mean `Tool`?");
    insta::assert_snapshot!(unusable(&named("Icon"), "{}"), @"error: --as: MCP 2025-06-18 has no definition `Icon`; it exists at 2025-11-25 and 2026-07-28");
    insta::assert_snapshot!(unusable(&named("xyzzy"), "{}"), @"error: --as: MCP 2025-06-18 has no definition `xyzzy`");
    insta::assert_snapshot!(unusable(&[], "{\"mcp-test-trace\":1}\n{}\n"), @"error: cannot validate [file]: line 2 of the trace is not an event: `party` must be a string");
    insta::assert_snapshot!(unusable(&[], "{\"mcp-test-trace\":9}\n"), @"error: cannot validate [file]: the trace file has version 9, this mcp-test reads version 1");
    insta::assert_snapshot!(unusable(&[], "{\"mcp-test-trace\":1}\n"), @"
    [file]: 0 validated, 0 valid, 0 invalid
    note: it contains nothing to validate
    ");

    let failure = |run: Run| (run.code, run.stderr);
    let missing = failure(mcp_test(["validate", "--spec-version", "draft", "no/such/file"]));
    insta::assert_snapshot!(missing.1, @"error: cannot read no/such/file: No such file or directory (os error 2)");
    let folder =
        failure(mcp_test(["validate", "--spec-version", "draft", env!("CARGO_TARGET_TMPDIR")]));
    assert_eq!((missing.0, folder.0), (2, 2), "{}", folder.1);
}

#[test]
fn a_long_conversation_is_read_as_a_stream() {
    let mut text = OPENING.to_owned();
    for id in 2..10_000 {
        let _ = writeln!(text, r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#);
        let _ = writeln!(text, r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{{}}]}}}}"#);
    }
    let (code, output) = validate(&[], &text);
    assert_eq!(code, 1);
    let findings = output.lines().filter(|line| line.starts_with("line ")).count();
    assert_eq!(findings, 1000);
    let end = output.find('…').unwrap_or_default();
    insta::assert_snapshot!(&output[end..], @"
    … 8998 more findings, not shown

    [file]: 19999 validated against MCP 2025-11-25, 10001 valid, 9998 invalid
    valid: InitializeRequest, InitializeResult, InitializedNotification, ListToolsRequest (9998)
    ");
}
