//! The whole way from a file to a finding: read, expand, compare, capture.

use mcp_test_core::json::Value;
use mcp_test_core::spec::Revision;
use serde_json::json;

use crate::cases::compare::{Tolerance, compare, finding};
use crate::cases::{
    Case, CaseFile, Cases, Direction, Inputs, ReadOptions, Values, capture, expand,
};

const SESSION: &str = r#"
case: Opens a session
_inputs: [{name: key, secret: true}, {name: user, default: ada}]
_capture:
  out: {session: /result/session, roles: /result/roles}
in: {jsonrpc: "2.0", id: 1, method: tools/call, params: {name: open, arguments: {key: "${key}", user: "${user}"}}}
out: {jsonrpc: "2.0", id: 1, result: {session: s-1, greeting: "Hello ${user}, your key is ${key}", roles: [admin]}}
_match:
  out: {/result/session: {regex: "^s-[0-9]+$"}, /result/roles: any}
---
case: Uses it
_continues: true
in: {jsonrpc: "2.0", id: 2, method: tools/call, params: {name: use, arguments: {session: "${session}", roles: "${roles}"}}}
out: {jsonrpc: "2.0", id: 2, result: {used: "${session} of ${user}"}}
"#;

fn read(text: &str) -> Cases {
    Cases::parse("session.yaml", text, &ReadOptions::default())
        .unwrap_or_else(|error| panic!("{error}"))
        .0
}

/// Plays the messages in order, with those of `server` in place of the `out`s.
fn play(file: &CaseFile, chain: &[&Case], mut values: Values, server: &[Value]) -> Vec<String> {
    let mut output = Vec::new();
    let mut actual = server.iter();
    let messages = chain.iter().flat_map(|case| &case.messages);
    for message in messages {
        let expected = match expand(&message.value, &values) {
            Ok(expected) => expected,
            Err(error) => {
                output.push(format!("{}: {error}", message.key));
                continue;
            }
        };
        if message.direction == Direction::In {
            output
                .push(format!("in: {}", expected.at("/params/arguments").unwrap_or(&Value::Null)));
            continue;
        }
        let got = actual.next().expect("a message for each `out`");
        let tolerance = Tolerance::of(Revision::V2025_11_25);
        let differences = compare(&expected, got, &message.rule, &tolerance, values.secrets());
        if !differences.is_empty() {
            output.push(finding(&differences, message, file).to_string());
        }
        if let Err(finding) = capture(message, got, &mut values) {
            output.push(finding.to_string());
        }
    }
    output
}

fn played(text: &str, server: serde_json::Value) -> String {
    let cases = read(text);
    let file = &cases.files[0];
    let chain: Vec<&Case> = file.cases.iter().map(|case| &**case).collect();
    let values = Inputs::default().text("key", "hunter2").values(chain.clone()).expect("inputs");
    let server = Value::from(server);
    let server = server.as_array().expect("an array").to_vec();
    play(file, &chain, values, &server).join("\n")
}

#[test]
fn captured_values_are_used_by_the_next_case() {
    insta::assert_snapshot!(played(SESSION, json!([
        {"id": 7, "result": {"session": "s-77", "greeting": "Hello ada, your key is hunter2", "roles": [{"name": "reader"}]}},
        {"id": 8, "result": {"used": "s-77 of ada"}},
    ])), @r#"
    in: {"key":"hunter2","user":"ada"}
    in: {"session":"s-77","roles":[{"name":"reader"}]}
    "#);
}

#[test]
fn differences_show_inserted_values_but_no_secrets() {
    insta::assert_snapshot!(played(SESSION, json!([
        {"id": 7, "result": {"session": "none", "greeting": "Hello bob, your key is hunter2"}},
        {"id": 8, "result": {"used": "hunter2 of bob", "hunter2": "hunter2"}},
    ])), @r#"
    in: {"key":"hunter2","user":"ada"}
    the message does not match `out`: 3 values differ
       --> session.yaml:7:48
        |
      7 | out: {jsonrpc: "2.0", id: 1, result: {session: s-1, greeting: "Hello ${user}, your key is ${key}", roles: [admin]}}
        |                                                ^^^            -----------------------------------         ------- expected anything, got nothing
        |                                                |              |
        |                                                |              got "Hello bob, your key is [secret]"
        |                                                expected a string that matches /^s-[0-9]+$/, got "none"
      /result/session
      - a string that matches /^s-[0-9]+$/
      + "none"
      /result/greeting
      - "Hello ada, your key is [secret]"
      + "Hello bob, your key is [secret]"
      /result/roles
      - anything
    no value to capture as `roles` from `out`
      expected a value at `/result/roles`
      got {"greeting":"Hello bob, your key is [secret]","session":"none"}
    in: `${roles}` has no value yet: it is captured from `out`, which did not contain it so far
    the message does not match `out`: 2 values differ
        --> session.yaml:14:45
         |
      14 | out: {jsonrpc: "2.0", id: 2, result: {used: "${session} of ${user}"}}
         |                                      -      ^^^^^^^^^^^^^^^^^^^^^^^ got "[secret] of bob"
         |                                      |
         |                                      unexpected `[secret]`
      /result/used
      - "none of ada"
      + "[secret] of bob"
      /result/[secret]
      + "[secret]"
    "#);
}
