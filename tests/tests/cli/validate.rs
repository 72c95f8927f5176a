//! `mcp-test validate`: values, conversations and traces in files and on standard input, and what each is said to be.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use mcp_test::client::{Client, Options};
use mcp_test::json::Value;
use mcp_test::server::reference::everything;
use mcp_test::trace::{Recorder, Redactor, file};
use mcp_test::transport::{CarrierKind, Fault, Limits};
use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::Run;
use serde_json::json;
use tokio::runtime::Runtime;

use crate::program::{MCP_TEST, mcp_test};

/// Validates a text that stands in a file; gives the exit code and what was printed, with `[file]` for the file.
fn validate(words: &[&str], text: &str) -> (i32, String) {
    let thread = std::thread::current();
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), thread.name().unwrap_or("validate"));
    let file = folder.word("said.jsonl");
    fs::write(&file, text).expect("it can be written");
    let run = mcp_test(["validate"].iter().chain(words).chain(&[file.as_str()]));
    (run.code, run.text(&[(&file, "[file]")]))
}

/// Validates what comes over standard input.
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
fn a_value_is_judged_by_the_definition_that_is_named() {
    let words = ["--spec-version", "2025-11-25", "--as", "Tool"];
    let pretty = "{\n  \"name\": \"add\",\n  \"inputSchema\": {\"type\": \"object\"}\n}\n";
    insta::assert_snapshot!(validate(&words, pretty).1, @"
    [file]: 1 judged by MCP 2025-11-25, 1 valid, 0 not
    valid: Tool
    ");
    let (code, told) = validate(&words, r#"{"name": "add", "inputSchema": {"type": "array"}}"#);
    assert_eq!(code, 1);
    insta::assert_snapshot!(told, @r#"
    the value is not valid as Tool of MCP 2025-11-25
      expected `/inputSchema/type` is "object"
      got "array"
      Tool: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool

    [file]: 1 judged by MCP 2025-11-25, 0 valid, 1 not
    "#);
    let (code, told) =
        validate(&words, "{\"name\":\"add\",\"inputSchema\":{\"type\":\"object\"}}\n{}\n7\n");
    assert_eq!(code, 1);
    insta::assert_snapshot!(told, @"
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

    [file]: 3 judged by MCP 2025-11-25, 1 valid, 2 not
    valid: Tool
    ");
}

#[test]
fn a_conversation_is_judged_in_the_revision_that_it_names() {
    let rest = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}
"#;
    let (code, told) = validate(&[], &format!("{OPENING}{rest}"));
    assert_eq!(code, 0, "{told}");
    insta::assert_snapshot!(told, @"
    [file]: 5 judged by MCP 2025-11-25, 5 valid, 0 not
    valid: InitializeRequest, InitializeResult, InitializedNotification, ListToolsRequest, ListToolsResult
    ");

    let rest = r#"Server is ready
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":[1,2]}}
{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text"}]}}
{"jsonrpc":"2.0","id":9,"result":{}}
"#;
    let (code, told) = validate(&[], &format!("{OPENING}{rest}"));
    assert_eq!(code, 1, "{told}");
    insta::assert_snapshot!(told, @r#"
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

    [file]: 7 judged by MCP 2025-11-25, 4 valid, 3 not
    valid: InitializeRequest, InitializeResult, InitializedNotification, Result
    note: 1 reply answers no request that is there, and could be held against what holds for all replies only
    "#);
}

#[test]
fn a_single_message_is_judged_too() {
    let discover = r#"{"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}
    }}}"#;
    for words in [&["--spec-version", "draft"][..], &[]] {
        let (code, told) = validate(words, discover);
        assert_eq!(code, 0, "{told}");
    }
    let (code, told) = validate(&["--spec-version", "2025-06-18"], r#"{"name": "add"}"#);
    assert_eq!(code, 1, "{told}");
    insta::assert_snapshot!(told, @r#"
    not a JSON-RPC message
      expected `/jsonrpc` is "2.0"
      got nothing
      jsonrpc.version-member: https://modelcontextprotocol.io/specification/2025-06-18/basic#messages

    [file]: 1 judged, 0 valid, 1 not
    note: to judge another value than a message, name its definition with --as
    "#);
}

#[test]
fn standard_input_is_read_as_a_file_is() {
    let ping = "{\n\"jsonrpc\":\"2.0\",\"id\":1,\n\"method\":\"ping\"}";
    let (code, told) = validate_input(&["--spec-version", "2025-06-18"], ping);
    assert_eq!(code, Some(0));
    insta::assert_snapshot!(told, @"
    standard input: 1 judged by MCP 2025-06-18, 1 valid, 0 not
    valid: PingRequest
    ");
}

#[test]
fn the_document_says_the_same_as_the_text() {
    let rest = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":5}}"#;
    let text = format!("{OPENING}{rest}\n");
    let (code, told) = validate(&["--format", "json"], &text);
    assert_eq!(code, 1, "{told}");
    insta::assert_snapshot!(told, @r#"
    {
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

/// What a client and the reference server say, recorded.
fn trace(faults: impl IntoIterator<Item = Fault>) -> String {
    let server = everything().faults(faults).target();
    let recorder = Recorder::new();
    Runtime::new().expect("a runtime").block_on(async {
        let link = server.open(CarrierKind::Duplex, &recorder, Limits::default()).await;
        let client = Client::connect(link.expect("a link"), Options::default()).await;
        let mut client = client.expect("a client");
        let _ = client.request("tools/list", json!({})).await.expect("a reply");
        let _ = client.request("tools/call", json!({"name": "test_simple_text"})).await;
        client.end().await;
    });
    file::write(&recorder.trace(), &Redactor::secrets())
}

#[test]
fn a_trace_is_judged_event_by_event() {
    let (code, told) = validate(&[], &trace([]));
    assert_eq!(code, 0, "{told}");
    insta::assert_snapshot!(told, @"
    [file]: 7 judged by MCP 2025-11-25, 7 valid, 0 not
    valid: CallToolRequest, CallToolResult, InitializeRequest, InitializeResult, InitializedNotification, ListToolsRequest, ListToolsResult
    ");
    let (code, told) = validate(&[], &trace([Fault::remove("tools/list", "/tools/0/inputSchema")]));
    assert_eq!(code, 1, "{told}");
    insta::assert_snapshot!(told, @"
    line 7: the result of `tools/list` is not valid as ListToolsResult of MCP 2025-11-25
      expected `/result/tools/0/inputSchema` is an object
      got nothing
      Tool: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool

    [file]: 7 judged by MCP 2025-11-25, 6 valid, 1 not
    valid: CallToolRequest, CallToolResult, InitializeRequest, InitializeResult, InitializedNotification, ListToolsRequest
    ");
}

#[test]
fn what_nothing_names_the_revision_of_is_left_out_and_told() {
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
    let (code, told) = validate(&[], &lines.join("\n"));
    assert_eq!(code, 2, "{told}");
    insta::assert_snapshot!(told, @"
    [file]: 1 judged by MCP 2025-06-18, 1 valid, 0 not
    valid: PingRequest
    note: line 5 not judged: nothing says which revision is spoken; --spec-version does
    ");
}

#[test]
fn what_cannot_be_judged_is_told_and_ends_with_2() {
    let unusable = |words: &[&str], text: &str| {
        let (code, told) = validate(words, text);
        assert_eq!(code, 2, "{words:?} {text:?}: {told}");
        told
    };
    let newest = ["--spec-version", "2026-07-28"];
    insta::assert_snapshot!(unusable(&newest, ""), @"error: cannot judge [file]: it is empty");
    insta::assert_snapshot!(unusable(&newest, "\n  \n"), @"error: cannot judge [file]: it is empty");
    insta::assert_snapshot!(unusable(&newest, "<html>\n<body>\n"), @"error: cannot judge [file]: it is not JSON: line 1, column 1: expected a value, found `<`");
    insta::assert_snapshot!(unusable(&newest, "{\n  \"jsonrpc\": \"2.0\",\n  \"id\" 1\n}\n"), @"error: cannot judge [file]: it is not JSON: line 3, column 8: expected `:`, found `1`");
    insta::assert_snapshot!(unusable(&[], r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), @"error: nothing says which revision is spoken: neither `initialize` nor a `_meta` comes before this message; say it with --spec-version REVISION");
    insta::assert_snapshot!(unusable(&[], r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2030-01-01"}}"#), @"error: the conversation is held in `2030-01-01`, which is not a revision that mcp-test knows; judge by another with --spec-version REVISION");
    insta::assert_snapshot!(unusable(&["--spec-version", "2025-11-26"], "{}"), @"
    error: invalid value '2025-11-26' for '--spec-version <REVISION>': `2025-11-26` is not a revision of MCP; the revisions are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(unusable(&["--spec-version", "2025-06-18.."], "{}"), @"
    error: invalid value '2025-06-18..' for '--spec-version <REVISION>': expected one revision; these are 3

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
    insta::assert_snapshot!(unusable(&named("Icon"), "{}"), @"error: --as: MCP 2025-06-18 has no definition `Icon`; it is of 2025-11-25 and 2026-07-28");
    insta::assert_snapshot!(unusable(&named("xyzzy"), "{}"), @"error: --as: MCP 2025-06-18 has no definition `xyzzy`");
    insta::assert_snapshot!(unusable(&[], "{\"mcp-test-trace\":1}\n{}\n"), @"error: cannot judge [file]: line 2 of the trace is no event: `party` must be a string");
    insta::assert_snapshot!(unusable(&[], "{\"mcp-test-trace\":9}\n"), @"error: cannot judge [file]: the trace file has version 9, this mcp-test reads version 1");
    insta::assert_snapshot!(unusable(&[], "{\"mcp-test-trace\":1}\n"), @"
    [file]: 0 judged, 0 valid, 0 not
    note: there is nothing to judge in it
    ");

    let told = |run: Run| (run.code, run.stderr);
    let missing = told(mcp_test(["validate", "--spec-version", "draft", "no/such/file"]));
    insta::assert_snapshot!(missing.1, @"error: cannot read no/such/file: No such file or directory (os error 2)");
    let folder =
        told(mcp_test(["validate", "--spec-version", "draft", env!("CARGO_TARGET_TMPDIR")]));
    assert_eq!((missing.0, folder.0), (2, 2), "{}", folder.1);
}

#[test]
fn a_long_conversation_is_read_as_it_comes() {
    let mut text = OPENING.to_owned();
    for id in 2..10_000 {
        let _ = writeln!(text, r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#);
        let _ = writeln!(text, r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{{}}]}}}}"#);
    }
    let (code, told) = validate(&[], &text);
    assert_eq!(code, 1);
    let findings = told.lines().filter(|line| line.starts_with("line ")).count();
    assert_eq!(findings, 1000);
    let end = told.find('…').unwrap_or_default();
    insta::assert_snapshot!(&told[end..], @"
    … 8998 more findings, not shown

    [file]: 19999 judged by MCP 2025-11-25, 10001 valid, 9998 not
    valid: InitializeRequest, InitializeResult, InitializedNotification, ListToolsRequest (9998)
    ");
}
