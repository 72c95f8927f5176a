//! Small recordings and their cases.

use insta::assert_snapshot;
use mcp_test_core::trace::{EventKind, Party, Recorder, Trace};
use mcp_test_core::yaml::{self, Limits};

use super::{Recording, record};
use crate::cases::{Cases, ReadOptions};

/// A trace of one connection: `C` or `S` for the sender, and the message without its envelope.
fn trace(lines: &[&str]) -> Trace {
    let recorder = Recorder::new();
    let wire = recorder.open("duplex");
    for line in lines {
        let (party, message) = match line.split_once(' ') {
            Some(("C", message)) => (Party::Client, message),
            Some(("S", message)) => (Party::Server, message),
            _ => panic!("{line}"),
        };
        let text = format!(r#"{{"jsonrpc":"2.0",{message}}}"#);
        recorder.record(wire, party, EventKind::message(text.into()));
    }
    recorder.trace()
}

fn recorded(lines: &[&str]) -> String {
    let text = record("a scenario", &trace(lines));
    assert_valid(&text);
    text
}

/// Asserts that a text is read without diagnostics, and is formatted.
fn assert_valid(text: &str) {
    let read = Cases::parse("recorded.yaml", text, &ReadOptions::default().strict(true));
    let (cases, diagnostics) = read.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let diagnostics: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!((cases.iter().count(), diagnostics.join("\n")), (1, String::new()), "{text}");
    assert_formatted(text);
}

fn assert_formatted(text: &str) {
    let formatted = yaml::format(text, &Limits::default());
    assert_eq!((formatted.text.as_str(), formatted.unformatted.len()), (text, 0));
}

const HANDSHAKE: [&str; 3] = [
    r#"C "id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#,
    r#"S "id":7,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1.2.3"}}"#,
    r#"C "method":"notifications/initialized""#,
];

fn recorded_after_handshake(lines: &[&str]) -> String {
    let text = recorded(&[&HANDSHAKE, lines].concat());
    let (_, rest) = text.split_once("notifications/initialized\"}\n").expect("the handshake");
    rest.to_owned()
}

#[test]
fn a_conversation_is_a_case_with_its_handshake() {
    assert_snapshot!(recorded(&[&HANDSHAKE[..], &[
        r#"C "id":8,"method":"tools/list""#,
        r#"S "id":8,"result":{"tools":[{"name":"add","description":"Adds two numbers, and says what they come to.","inputSchema":{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}}}}]}"#,
    ]].concat()), @r#"
    case: a scenario
    _revision: 2025-11-25
    in_initialize: {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"}
      }}
    out_initialize: {"jsonrpc": "2.0", "id": 1, "result": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "s", "version": "1.2.3"}
      }}
    in_initialized: {"jsonrpc": "2.0", "method": "notifications/initialized"}
    in_tools_list: {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    out_tools_list: {"jsonrpc": "2.0", "id": 2, "result": {
        "tools": [
          {
            "name": "add",
            "description": "Adds two numbers, and says what they come to.",
            "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}
          }
        ]
      }}
    _match:
      out_initialize: {/result/serverInfo/version: {type: string}}
    "#);
}

#[test]
fn replies_are_in_the_order_of_their_requests() {
    assert_snapshot!(recorded(&[
        r#"C "id":"a","method":"ping""#,
        r#"C "id":"b","method":"ping""#,
        r#"S "id":"b","result":{}"#,
        r#"S "id":"a","result":{}"#,
    ]), @r#"
    case: a scenario
    in_ping: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    in_ping_2: {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    out_ping: {"jsonrpc": "2.0", "id": 1, "result": {}}
    out_ping_2: {"jsonrpc": "2.0", "id": 2, "result": {}}
    "#);
}

#[test]
fn a_request_of_the_server_is_between_a_request_and_its_reply() {
    assert_snapshot!(recorded_after_handshake(&[
        r#"C "id":8,"method":"tools/call","params":{"name":"ask"}"#,
        r#"S "id":0,"method":"roots/list""#,
        r#"C "id":0,"result":{"roots":[]}"#,
        r#"S "id":8,"result":{"content":[]}"#,
    ]), @r#"
    in_tools_call: {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "ask"}}
    out_roots_list: {"jsonrpc": "2.0", "id": "server-1", "method": "roots/list"}
    in_roots_list: {"jsonrpc": "2.0", "id": "server-1", "result": {"roots": []}}
    out_tools_call: {"jsonrpc": "2.0", "id": 2, "result": {"content": []}}
    _match:
      out_initialize: {/result/serverInfo/version: {type: string}}
    "#);
}

#[test]
fn values_that_differ_become_matchers() {
    assert_snapshot!(recorded_after_handshake(&[
        r#"C "id":8,"method":"tools/call","params":{"name":"now"}"#,
        r#"S "id":8,"result":{"content":[{"type":"text","text":"It is 2026-11-22T08:00:00Z."},{"type":"text","text":"at 67e55044-10b1-426f-9247-bb680e5fe0c8, 'quoted'"}],"structuredContent":{"all":[{"at":"2026-11-22T08:00:00Z"},{"at":"2026-11-22T09:00:00Z"}],"uptime":12.5}}"#,
    ]), @r#"
    in_tools_call: {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "now"}}
    out_tools_call: {"jsonrpc": "2.0", "id": 2, "result": {
        "content": [
          {"type": "text", "text": "It is 2026-11-22T08:00:00Z."},
          {"type": "text", "text": "at 67e55044-10b1-426f-9247-bb680e5fe0c8, 'quoted'"}
        ],
        "structuredContent": {"all": [{"at": "2026-11-22T08:00:00Z"}, {"at": "2026-11-22T09:00:00Z"}], "uptime": 12.5}
      }}
    _match:
      out_initialize: {/result/serverInfo/version: {type: string}}
      out_tools_call:
        /result/content/0/text: {regex: '^It is \d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\.$'}
        /result/content/1/text: {regex: '^at [0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}, ''quoted''$'}
        /result/structuredContent/all/*/at: {regex: '^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?$'}
        /result/structuredContent/uptime: {type: number}
    "#);
}

#[test]
fn repeated_values_are_captured() {
    assert_snapshot!(recorded_after_handshake(&[
        r#"C "id":8,"method":"tools/list""#,
        r#"S "id":8,"result":{"tools":[],"nextCursor":"abc"}"#,
        r#"C "id":9,"method":"tools/list","params":{"cursor":"abc"}"#,
        r#"S "id":9,"result":{"tools":[],"about":"a ${cursor}"}"#,
    ]), @r#"
    in_tools_list: {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    out_tools_list: {"jsonrpc": "2.0", "id": 2, "result": {"tools": [], "nextCursor": "abc"}}
    in_tools_list_2: {"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {"cursor": "${cursor}"}}
    out_tools_list_2: {"jsonrpc": "2.0", "id": 3, "result": {"tools": [], "about": "a $${cursor}"}}
    _match:
      out_initialize: {/result/serverInfo/version: {type: string}}
      out_tools_list: {/result/nextCursor: {type: string}}
    _capture:
      out_tools_list: {cursor: /result/nextCursor}
    "#);
    assert_snapshot!(recorded_after_handshake(&[
        r#"C "id":8,"method":"tools/call","params":{"name":"long","_meta":{"progressToken":8}}"#,
        r#"S "method":"notifications/progress","params":{"progressToken":8,"progress":1}"#,
        r#"S "id":8,"result":{"content":[]}"#,
        r#"C "id":9,"method":"tools/call","params":{"name":"short","_meta":{"progressToken":9}}"#,
        r#"S "id":9,"result":{"content":[]}"#,
    ]), @r#"
    in_tools_call: {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "long",
        "_meta": {"progressToken": 8}
      }}
    out_progress: {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 8, "progress": 1}}
    out_tools_call: {"jsonrpc": "2.0", "id": 2, "result": {"content": []}}
    in_tools_call_2: {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {
        "name": "short",
        "_meta": {"progressToken": 9}
      }}
    out_tools_call_2: {"jsonrpc": "2.0", "id": 3, "result": {"content": []}}
    _match:
      out_initialize: {/result/serverInfo/version: {type: string}}
    "#);
}

#[test]
fn a_secret_becomes_an_input() {
    assert_snapshot!(recorded_after_handshake(&[
        r#"C "id":8,"method":"tools/call","params":{"name":"log_in","arguments":{"user":"ada","password":"hunter22"}}"#,
        r#"S "id":8,"result":{"content":[],"structuredContent":{"token":"abc"}}"#,
    ]), @r#"
    in_tools_call: {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "log_in",
        "arguments": {"user": "ada", "password": "${password}"}
      }}
    out_tools_call: {"jsonrpc": "2.0", "id": 2, "result": {"content": [], "structuredContent": {"token": "[secret]"}}}
    _match:
      out_initialize: {/result/serverInfo/version: {type: string}}
      in_tools_call: {/params/arguments/password: {type: string}}
      out_tools_call: {/result/structuredContent/token: {type: string}}
    "#);
}

#[test]
fn what_depends_on_timing_is_left_out() {
    assert_snapshot!(recorded_after_handshake(&[
        r#"S "method":"notifications/tools/list_changed""#,
        r#"C "id":8,"method":"tools/call","params":{"name":"slow"}"#,
        r#"S "method":"notifications/message","params":{"level":"info","data":"working"}"#,
        r#"C "id":9,"method":"ping""#,
        r#"S "method":"notifications/message","params":{"level":"info","data":"about which of the two?"}"#,
        r#"C "method":"notifications/cancelled","params":{"requestId":8}"#,
        r#"S "id":9,"result":{}"#,
        r#"S "id":8,"result":{"content":[]}"#,
        r#"C "id":10,"method":"ping""#,
        r#"S "id":77,"result":{}"#,
    ]), @r#"
    in_ping: {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    out_ping: {"jsonrpc": "2.0", "id": 2, "result": {}}
    _match:
      out_initialize: {/result/serverInfo/version: {type: string}}
    # Left out: `tools/call`; it was cancelled.
    # Left out: `ping`; it was not answered.
    # Left out: a reply; it answers no request.
    # Left out: `notifications/tools/list_changed`; it may come at another time or not at all.
    # Left out, 2 times: `notifications/message`; it may come at another time or not at all.
    "#);
}

#[test]
fn what_a_case_cannot_have_is_left_out() {
    let recorder = Recorder::new();
    let wire = recorder.open("duplex");
    let send =
        |party, text: &'static str| recorder.record(wire, party, EventKind::message(text.into()));
    send(Party::Client, r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}"#);
    send(Party::Server, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    send(Party::Client, r#"[{"jsonrpc":"2.0","id":2,"method":"ping"}]"#);
    send(Party::Server, r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
    send(Party::Client, r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#);
    send(Party::Server, r#"{"jsonrpc":"1.0"}"#);
    send(Party::Server, r#"{"jsonrpc":"2.0","id":3,"result":{}}"#);
    assert_snapshot!(record("a scenario", &recorder.trace()), @r#"
    case: a scenario
    in_ping: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    out_ping: {"jsonrpc": "2.0", "id": 1, "result": {}}
    # Left out: `ping`; its JSON has duplicate members or similar defects.
    # Left out: a batch; a case has one message at a time.
    # Left out: JSON; it is not a JSON-RPC 2.0 message.
    "#);
}

#[test]
fn what_was_invalid_by_its_headers_is_left_out() {
    let recorder = Recorder::new();
    let wire = recorder.open("http");
    for (exchange, status) in [(1, 200), (2, 400)] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{exchange},"method":"ping"}}"#);
        let request = recorder.record_in(
            wire,
            Some(exchange),
            Party::Client,
            EventKind::message(text.into()),
        );
        recorder.mark_deliberate(request);
        let response = EventKind::HttpResponse { status, headers: Vec::new() };
        recorder.record_in(wire, Some(exchange), Party::Server, response);
        let text = format!(r#"{{"jsonrpc":"2.0","id":{exchange},"result":{{}}}}"#);
        recorder.record_in(wire, Some(exchange), Party::Server, EventKind::message(text.into()));
    }
    assert_snapshot!(record("a scenario", &recorder.trace()), @r#"
    case: a scenario
    in_ping: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    out_ping: {"jsonrpc": "2.0", "id": 1, "result": {}}
    # Left out: `ping`; it was invalid on purpose, and not only in its content.
    "#);
}

#[test]
fn another_handshake_is_another_case_unless_its_messages_are_the_same() {
    let mut recording = Recording::new();
    recording.add("twice", &trace(&[HANDSHAKE, HANDSHAKE].concat()));
    recording.add("unanswered", &trace(&[r#"C "id":1,"method":"ping""#]));
    assert_eq!((recording.cases(), recording.repeated(), recording.left_out()), (1, 1, 1));
    let text = recording.to_string();
    assert_formatted(&text);
    let (_, remarks) = text.split_once("_match:").expect("matchers");
    assert_snapshot!(remarks, @"

      out_initialize: {/result/serverInfo/version: {type: string}}
    # Same messages: twice, conversation 2.
    # Nothing of unanswered can be replayed.
    # Left out: `ping`; it was not answered.
    ");
}

#[test]
fn differences_between_recordings_become_matchers() {
    let recording = |result: &str, notifications: &[&str]| {
        let mut recording = Recording::new();
        let (request, reply) = (
            r#"C "id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":1}}"#,
            format!(r#"S "id":1,"result":{result}"#),
        );
        recording
            .add("a scenario", &trace(&[&[request], notifications, &[reply.as_str()]].concat()));
        recording
    };
    let progress =
        r#"S "method":"notifications/progress","params":{"progressToken":1,"progress":1}"#;
    let mut one = recording(
        r#"{"same":1,"n":1,"s":"a","list":[1],"set":[1,2],"only":1,"kind":1}"#,
        &[progress],
    );
    let two =
        recording(r#"{"same":1,"n":2,"s":"b","list":[1,2],"set":[2,1],"more":1,"kind":"a"}"#, &[]);
    one.compare(two).expect("the same conversation");
    assert_snapshot!(one.to_string(), @r#"
    case: a scenario
    in_tools_call: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "a",
        "_meta": {"progressToken": 1}
      }}
    out_tools_call: {"jsonrpc": "2.0", "id": 1, "result": {
        "same": 1,
        "n": 1,
        "s": "a",
        "list": [1],
        "set": [1, 2],
        "only": 1,
        "kind": 1
      }}
    _match:
      out_tools_call:
        /result/n: {type: number}
        /result/s: {type: string}
        /result/list: {type: array}
        /result/set: unordered
        /result/only: ignored
        /result/kind: any
        /result/more: ignored
    # Left out: `notifications/progress`; it is in only one of the recordings.
    "#);
    let mut other = Recording::new();
    other.add("a scenario", &trace(&[r#"C "id":1,"method":"ping""#, r#"S "id":1,"result":{}"#]));
    assert_snapshot!(one.compare(other).unwrap_err()[0], @"a scenario: expected `in_tools_call`, got `in_ping`");
}

#[test]
fn a_long_image_is_truncated() {
    let image = "QUJD".repeat(400);
    let reply = format!(
        r#"S "id":8,"result":{{"content":[{{"type":"image","data":"{image}","mimeType":"image/png"}}]}}"#
    );
    assert_snapshot!(recorded_after_handshake(&[
        r#"C "id":8,"method":"tools/call","params":{"name":"draw"}"#,
        &reply,
    ]), @r#"
    in_tools_call: {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "draw"}}
    # /result/content/0/data had 1600 characters of base64; only the first are kept.
    out_tools_call: {"jsonrpc": "2.0", "id": 2, "result": {
        "content": [
          {
            "type": "image",
            "data": "QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJD",
            "mimeType": "image/png"
          }
        ]
      }}
    _match:
      out_initialize: {/result/serverInfo/version: {type: string}}
      out_tools_call:
        /result/content/0/data: {regex: '^QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJD'}
    "#);
}

#[test]
fn the_metadata_of_every_stateless_request_is_not_repeated() {
    let meta = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":"#;
    let answer = |id: i32| {
        format!(
            r#"S "id":{id},"result":{{"resultType":"complete","tools":[],"ttlMs":0,"_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"s","version":"1"}}}}}}"#
        )
    };
    let list = format!(r#"C "id":1,"method":"tools/list","params":{{"_meta":{{{meta}{{}}}}}}"#);
    let call = format!(
        r#"C "id":2,"method":"tools/list","params":{{"_meta":{{{meta}{{"roots":{{}}}}}}}}"#
    );
    assert_snapshot!(recorded(&[&list, &answer(1), &call, &answer(2)]), @r#"
    case: a scenario
    _revision: 2026-07-28
    in_tools_list: {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    out_tools_list: {"jsonrpc": "2.0", "id": 1, "result": {
        "resultType": "complete",
        "tools": [],
        "ttlMs": 0,
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}}
      }}
    in_tools_list_2: {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {
        "_meta": {"io.modelcontextprotocol/clientCapabilities": {"roots": {}}}
      }}
    out_tools_list_2: {"jsonrpc": "2.0", "id": 2, "result": {"resultType": "complete", "tools": [], "ttlMs": 0}}
    _match:
      out_tools_list:
        /result/ttlMs: {type: number}
        '/result/_meta/io.modelcontextprotocol~1serverInfo/version': {type: string}
      out_tools_list_2: {/result/ttlMs: {type: number}}
    "#);
}
