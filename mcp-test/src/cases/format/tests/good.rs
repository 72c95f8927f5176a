//! Reading valid files.

use std::time::Duration;

use mcp_test_core::spec::{Revision, Revisions};
use mcp_test_core::transport::TransportKind;

use super::{read, read_error};
use crate::cases::{Cases, Direction, Level, Matcher, Mode, ReadOptions, Ready};

/// The example in the format's documentation.
pub(super) const LIFECYCLE: &str = r#"
case: Initialization lifecycle
in_request_to_initialize: {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "b", "version": "1"}}}
in_notification_initialized: {"jsonrpc": "2.0", "method": "notifications/initialized"}
---
case: List tools
in: {"jsonrpc": "2.0", "method": "tools/list", "id": 1}
out: {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}
"#;

#[test]
fn the_example_of_the_format_is_read() {
    let (cases, diagnostics) = read(LIFECYCLE);
    assert_eq!(diagnostics, []);
    let ids: Vec<&str> = cases.iter().map(|(_, case)| case.id.as_str()).collect();
    assert_eq!(ids, ["a::initialization-lifecycle", "a::list-tools"]);
    let (_, first) = cases.iter().next().expect("a case");
    let keys: Vec<(Direction, &str)> =
        first.messages.iter().map(|it| (it.direction, it.key.as_str())).collect();
    assert_eq!(
        keys,
        [
            (Direction::In, "in_request_to_initialize"),
            (Direction::Out, "out"),
            (Direction::In, "in_notification_initialized"),
        ]
    );
    assert!(first.messages.iter().all(|message| message.message.is_some()));
    assert_eq!((first.span.line, first.messages[1].key_span.line), (2, 4));
}

#[test]
fn both_styles_are_equivalent() {
    let (cases, diagnostics) = read(
        "in: {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\", \"params\": {\"a\": [1.0, null]}}\n\
         input_2:\n  jsonrpc: \"2.0\"\n  id: 1\n  method: tools/call\n  params:\n    a: [1.0, ~]\n",
    );
    assert_eq!(diagnostics, []);
    let messages = &cases.files[0].cases[0].messages;
    assert_eq!(messages[0].value.to_string(), messages[1].value.to_string());
    assert_eq!(messages[0].message, messages[1].message);
}

#[test]
fn every_extension_is_read() {
    let (cases, diagnostics) = read(
        r#"
# What the calculator is for.
case: Adds
_tags: [tools, fast]
_only: true
_revision: [2024-11-05, 2025-06-18..]
_transport: [stdio, http]
_timeout: 5s
_handshake: false
_given: [a user named Ada, {state: a repository, params: {name: x}}]
_before:
  - PORT=1 node "my server.js"
  - {run: [node, x.js, ""], ready: listening, cwd: .., env: {N: 1}, timeout: 10}
  - {run: y, ready: {port: 3000}}
  - {command: start-mcp-server, arguments: ["--port", "1234", 5], cwd: ..}
_after: ./clean-up.sh
_inputs: [token, {name: user, about: who, default: ada}, {name: key, secret: true}]
# The request.
in: {jsonrpc: "2.0", id: 1, method: ping}
out: {jsonrpc: "2.0", id: 1, result: {session: s, t: "7", pi: 3.1}}
_match:
  in: contains
  out:
    mode: contains
    /result/t: {regex: "^[0-9]+$"}
    /result/session: any
    /result/*: {type: null}
    /result/u: {one-of: [a, [b]]}
    /result/pi: {within: 0.1, approximate: 3}
    /result/x: ignored
_capture:
  out: {session: /result/session}
"#,
    );
    assert_eq!(diagnostics, []);
    let case = &cases.files[0].cases[0];
    let settings = &case.settings;
    assert_eq!(case.comments, ["What the calculator is for."]);
    assert_eq!(case.messages[0].comments, ["The request."]);
    assert_eq!(settings.tags, ["tools", "fast"]);
    assert!(settings.only && settings.bare && !settings.continues && settings.skip.is_none());
    let since = Revisions::from(Revision::V2025_06_18);
    assert_eq!(settings.revisions, Some(since.union(Revisions::only(Revision::V2024_11_05))));
    assert_eq!(settings.transports, [TransportKind::Stdio, TransportKind::Http]);
    assert_eq!(settings.timeout, Some(Duration::from_secs(5)));
    let given: Vec<(&str, String)> = settings
        .given
        .iter()
        .map(|state| (state.name.as_str(), state.params.to_string()))
        .collect();
    assert_eq!(
        given,
        [("a user named Ada", "{}".to_owned()), ("a repository", r#"{"name":"x"}"#.to_owned())]
    );
    let [first, second, third, fourth] = settings.before.as_slice() else { panic!("{settings:?}") };
    assert_eq!(first.run, ["node", "my server.js"]);
    assert_eq!(first.env["PORT"], "1");
    assert_eq!(
        (second.run.as_slice(), second.cwd.as_deref()),
        (&["node", "x.js", ""].map(str::to_owned)[..], Some(".."))
    );
    assert_eq!(second.ready, Some(Ready::Line("listening".to_owned())));
    assert_eq!((second.timeout, second.env["N"].as_str()), (Some(Duration::from_millis(10)), "1"));
    assert_eq!(third.ready, Some(Ready::Port("127.0.0.1:3000".to_owned())));
    assert_eq!(fourth.run, ["start-mcp-server", "--port", "1234", "5"]);
    assert_eq!(fourth.cwd.as_deref(), Some(".."));
    assert_eq!(settings.after[0].run, ["./clean-up.sh"]);
    let inputs: Vec<(&str, bool)> =
        settings.inputs.iter().map(|input| (input.name.as_str(), input.secret)).collect();
    assert_eq!(inputs, [("token", false), ("user", false), ("key", true)]);
    assert_eq!(settings.inputs[1].default, Some("ada".into()));
    assert_eq!(case.messages[0].rule.mode, Mode::Contains);
    let rule = &case.messages[1].rule;
    assert_eq!((rule.mode, rule.matchers.len()), (Mode::Contains, 6));
    assert_eq!(rule.matchers[4].1, Matcher::Approximate { number: 3.0, within: 0.1 });
    assert_eq!(case.messages[1].captures[0].pointer.as_str(), "/result/session");
}

#[test]
fn unknown_extensions_are_kept_and_reported() {
    let (cases, diagnostics) = read("case: A\n_tag: [x]\n_owner: me\n");
    let unknown: Vec<String> = cases.files[0].cases[0]
        .unknown
        .iter()
        .map(|(key, value, _)| format!("{key}={value}"))
        .collect();
    assert_eq!(unknown, ["_tag=[\"x\"]", "_owner=\"me\""]);
    let rendered: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(rendered.join("\n\n"), @"
    note[unknown-extension]: `_tag` is not a known key
     --> a.yaml:2:1
      |
    2 | _tag: [x]
      | ^^^^ it is kept, but ignored
      |
      = help: did you mean `_tags`?

    note[unknown-extension]: `_owner` is not a known key
     --> a.yaml:3:1
      |
    3 | _owner: me
      | ^^^^^^ it is kept, but ignored
    ");
}

#[test]
fn strict_reading_rejects_what_is_not_json_rpc() {
    let text = "in: {id: 1, method: ping}\n";
    let (_, diagnostics) = read(text);
    assert_eq!(diagnostics[0].level, Level::Warning);
    let refused = Cases::parse("a.yaml", text, &ReadOptions::default().strict(true));
    insta::assert_snapshot!(refused.expect_err("refused"), @r#"
    error[not-json-rpc]: `in` is not JSON-RPC 2.0: `jsonrpc` is missing, expected "2.0"
     --> a.yaml:1:1
      |
    1 | in: {id: 1, method: ping}
      | ^^
      |
      = help: write `"jsonrpc": "2.0"`
    "#);
}

#[test]
fn the_number_of_diagnostics_is_bounded() {
    let all = read_error(&"x: 1\n---\n".repeat(500));
    assert_eq!(all.matches("error[unknown-key]").count(), 100);
    assert!(all.contains("note[more]: 400 more diagnostics for this file are not shown"), "{all}");
}
