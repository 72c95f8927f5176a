//! Each rule finds what it is about, and nothing in what is right.

use std::collections::BTreeSet;

use crate::cases::{Cases, Diagnostic, LINTS, Level, ReadOptions, lint};

fn linted(text: &str) -> Vec<Diagnostic> {
    match Cases::parse("a.yaml", text, &ReadOptions::default()) {
        Ok((cases, _)) => lint(&cases),
        Err(error) => panic!("{error}"),
    }
}

/// A case for each rule that finds something in files that can be read.
const FINDS: &[(&str, &str)] = &[
    (
        "unnamed",
        r#"
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "result": {}}
"#,
    ),
    (
        "same-name",
        r#"
case: Pings
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "result": {}}
---
case: Pings
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "result": {}}
"#,
    ),
    (
        "mixed-styles",
        r#"
case: Pings
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out:
  jsonrpc: "2.0"
  id: 1
  result: {}
"#,
    ),
    (
        "yaml-style",
        r#"
case: Pings
in:
  jsonrpc: "2.0"
  id: 1
  method: ping
out:
  jsonrpc: "2.0"
  id: 1
  result: {}
"#,
    ),
    ("empty-case", "case: Pings\n"),
    (
        "nothing-expected",
        r#"
case: Tells
in: {"jsonrpc": "2.0", "method": "notifications/initialized"}
"#,
    ),
    (
        "skipped",
        r#"
case: Pings
_skip: it cannot yet
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "result": {}}
"#,
    ),
    (
        "only",
        r#"
case: Pings
_only: true
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "result": {}}
"#,
    ),
    (
        "reply-without-request",
        r#"
case: Pings
in: {"jsonrpc": "2.0", "id": "1", "method": "ping"}
out_1: {"jsonrpc": "2.0", "id": "1", "result": {}}
out_2: {"jsonrpc": "2.0", "id": 1, "result": {}}
"#,
    ),
    (
        "unanswered",
        r#"
case: Pings both ways
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
in_2: {"jsonrpc": "2.0", "id": 1, "result": {}}
"#,
    ),
    (
        "second-reply",
        r#"
case: Pings
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "result": {}}
out_2: {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "no"}}
"#,
    ),
    (
        "same-id",
        r#"
case: Pings
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "result": {}}
---
case: Pings again
_continues: true
in: {"jsonrpc": "2.0", "id": 1.0, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "result": {}}
"#,
    ),
    (
        "unknown-method",
        r#"
case: Calls
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/cal", "params": {"name": "add"}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}
"#,
    ),
    (
        "wrong-side",
        r#"
case: Tells what servers tell
in: {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
in_2: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "result": {}}
"#,
    ),
    (
        "other-revision",
        r#"
case: Elicits too early
_revision: ..2025-03-26
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask"}}
out: {"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}}
in_2: {"jsonrpc": "2.0", "id": 1, "result": {"action": "cancel"}}
out_2: {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}
"#,
    ),
    (
        "shape",
        r#"
case: Lists tools
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
out: {"jsonrpc": "2.0", "id": 1, "result": {"tools": "none"}}
"#,
    ),
    (
        "other-handshake",
        r#"
case: Agrees
_revision: 2025-06-18
in: {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-03-26", "capabilities": {}, "serverInfo": {"name": "b", "version": "1"}}}
"#,
    ),
    (
        "undeclared-capability",
        r#"
case: Lists tools
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
out: {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}
---
case: Agrees
in: {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {
    "protocolVersion": "2024-11-05", "capabilities": {},
    "serverInfo": {"name": "b", "version": "1"}}}
"#,
    ),
    (
        "unused-capture",
        r#"
case: Pings
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "result": {}}
_capture: {out: {all: /result}}
"#,
    ),
    (
        "unused-input",
        r#"
case: Pings
_inputs: [token]
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "result": {}}
"#,
    ),
    (
        "literal-placeholder",
        r#"
case: Calls
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "${tool}"}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}
"#,
    ),
    (
        "contradiction",
        r#"
case: Calls
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add"}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "three"}]}}
_match: {out: {/result/content/0/text: {regex: "^[0-9]+$"}, /result/content/1: any}}
"#,
    ),
    (
        "unreachable-matcher",
        r#"
case: Lists tools
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
out: {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}
_match: {out: {/result/tool: unordered, "/result/tools/*/title/x": any}}
"#,
    ),
    (
        "secret",
        r#"
case: Calls
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "open", "arguments": {"password": "hunter2"}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}
"#,
    ),
    (
        "volatile",
        r#"
case: Calls
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "now"}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "2026-11-21T21:37:43Z"}], "structuredContent": {"id": "67e55044-10b1-426f-9247-bb680e5fe0c8"}}}
_match: {out: {"/result/structuredContent/*": any}}
"#,
    ),
];

#[test]
fn each_example_triggers_exactly_its_lint() {
    for (name, text) in FINDS {
        let found: BTreeSet<&str> = linted(text).iter().map(|diagnostic| diagnostic.name).collect();
        assert_eq!(found, BTreeSet::from([*name]), "{text}");
    }
    let proven: Vec<&str> = FINDS.iter().map(|(name, _)| *name).collect();
    let after = LINTS.iter().position(|lint| lint.name == "more").expect("the lint `more`") + 1;
    let all: Vec<&str> = LINTS[after..].iter().map(|lint| lint.name).collect();
    assert_eq!(proven, all);
}

#[test]
fn findings_have_their_place() {
    let rendered: Vec<String> = FINDS
        .iter()
        .flat_map(|(_, text)| linted(text))
        .map(|diagnostic| diagnostic.to_string())
        .collect();
    insta::assert_snapshot!(rendered.join("\n\n"));
}

#[test]
fn valid_cases_have_no_findings() {
    let text = r#"
case: Goes through a session
_revision: 2025-06-18
_inputs: {name: key, secret: true}
in: {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}, "resources": {"subscribe": true}}, "serverInfo": {"name": "b", "version": "1"}}}
in_2: {"jsonrpc": "2.0", "method": "notifications/initialized"}
in_3: {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "open", "arguments": {"password": "${key}"}}}
out_3: {"jsonrpc": "2.0", "id": 2, "result": {"content": [], "structuredContent": {"seen": "2026-11-21T21:37:43Z", "number": 3}}}
_match: {out_3: {/result/structuredContent/seen: {type: string}}}
_capture: {out_3: {number: /result/structuredContent/number}}
---
case: Goes on
_continues: true
in: {"jsonrpc": "2.0", "id": 3, "method": "resources/subscribe", "params": {"uri": "${number}"}}
in_2: {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}}
out: {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "a://b"}}
---
case: Is refused
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/cal", "params": []}
out: {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "there is no such method"}}
---
case: Lists part of the tools, without a handshake
_revision: 2026-07-28
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
out: {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "add"}]}}
_match: {out: contains}
---
case: Lets in what may be there, and notifications of its own
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add"}}
out_own: {"jsonrpc": "2.0", "method": "notifications/acme/came"}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "3"}]}}
_match: {out: {"/result/content/*/annotations": ignored}}
"#;
    assert_eq!(linted(text), []);
}

#[test]
fn an_id_is_used_once_in_all_cases_of_a_conversation() {
    let case = |name: &str, more: &str, id: &str| {
        format!(
            "case: {name}\n{more}in: {{\"jsonrpc\": \"2.0\", \"id\": {id}, \"method\": \"ping\"}}\n\
             out: {{\"jsonrpc\": \"2.0\", \"id\": {id}, \"result\": {{}}}}\n"
        )
    };
    let continues = "_continues: true\n";
    let cases = [
        case("A", "_skip: later\n", "1"),
        case("B", continues, "2"),
        case("C", continues, "1"),
        case("D", continues, "2"),
        case("Of another conversation", "", "1"),
        // An id of another type is another id.
        case("E", continues, "\"1\""),
    ];
    let found = linted(&cases.join("---\n"));
    let same = found.iter().filter(|diagnostic| diagnostic.name == "same-id");
    let same: Vec<&str> = same.map(|diagnostic| diagnostic.message.as_str()).collect();
    assert_eq!(same, ["two requests have the id 1", "two requests have the id 2"]);
}

#[test]
fn only_braces_and_indentation_of_whole_messages_are_different_styles() {
    let mixed = |first: &str, second: &str| {
        let text = format!(
            "case: A\nin: {first}\nout: {{jsonrpc: \"2.0\", id: 1, result: {{}}}}\n---\n\
             case: B\nin_2: {second}\nout_2: {{jsonrpc: \"2.0\", id: 1, result: {{}}}}\n"
        );
        linted(&text).iter().filter(|diagnostic| diagnostic.name == "mixed-styles").count()
    };
    let quoted = r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
    let unquoted = r#"{jsonrpc: "2.0", id: 1, method: ping}"#;
    let spread = "\n  {\n    jsonrpc: \"2.0\",\n    id: 1,\n    method: ping,\n  }";
    let indented = "\n  jsonrpc: \"2.0\"\n  id: 1\n  method: ping";
    for json in [quoted, unquoted, spread] {
        assert_eq!(mixed(quoted, json), 0, "{json}");
        // In the other case, and either way round; once per file.
        assert_eq!(mixed(json, indented), 1, "{json}");
        assert_eq!(mixed(indented, json), 1, "{json}");
    }
    // What is inside of a message, what is not a message, and copies have no style of their own.
    let rest = "
out:
  jsonrpc: \"2.0\"
  id: 1
  result: {content: []}
_match: {out: contains}
_tags: [a]
";
    let text =
        format!("case: A\nin: &ping{indented}{rest}---\ncase: B\nin: &other{indented}{rest}");
    let found: Vec<&str> = linted(&text).iter().map(|diagnostic| diagnostic.name).collect();
    assert_eq!(found, ["yaml-style"]);
}

#[test]
fn a_matcher_with_a_wrong_index_is_unreachable() {
    let found = |index: &str| {
        let text = format!(
            r#"
case: Lists tools
in: {{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}}
out: {{"jsonrpc": "2.0", "id": 1, "result": {{"tools": [{{"name": "a", "inputSchema": {{"type": "object"}}}}]}}}}
_match: {{out: {{/result/tools/{index}: exact}}}}
"#
        );
        linted(&text).iter().map(|diagnostic| diagnostic.name).collect::<Vec<_>>()
    };
    assert!(found("0").is_empty(), "{:?}", found("0"));
    for index in ["+0", "00", "1"] {
        assert_eq!(found(index), ["unreachable-matcher"], "{index}");
    }
}

#[test]
fn lints_are_never_errors() {
    let all = FINDS.iter().flat_map(|(_, text)| linted(text));
    assert!(all.into_iter().all(|diagnostic| diagnostic.level < Level::Error));
}
