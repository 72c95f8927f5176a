//! Which case answers.

use insta::assert_snapshot;
use serde_json::json;

use super::{TestClient, block_on, call, events, initialize, mock};

#[test]
fn a_call_is_answered_with_its_own_id_by_its_case() {
    let text = call("One and two", "add", r#"{"a": 1, "b": 2}"#, "3")
        + &call("Two and two", "add", r#"{"a": 2, "b": 2}"#, "4");
    let mock = mock(&text);
    block_on(async {
        let mut client = TestClient::initialized(&mock).await;
        let id = client
            .start_request("tools/call", json!({"name": "add", "arguments": {"b": 2, "a": 2}}))
            .await;
        let reply = client.receive().await;
        assert_eq!(reply["id"], id);
        assert_eq!(reply["result"]["content"][0]["text"], "4");
        client.disconnect().await;
    });
    assert_snapshot!(events(&mock), @r#"
    initialize ← inferred from the cases
    tools/call add ← contract.yaml:7 "Two and two"
    "#);
}

#[test]
fn cases_with_the_same_request_answer_one_after_another() {
    let text = call("First", "next", "{}", "1") + &call("Second", "next", "{}", "2");
    let mock = mock(&text);
    block_on(async {
        let mut client = TestClient::initialized(&mock).await;
        let mut received = Vec::new();
        for _ in 0..4 {
            received.push(client.call("next", json!({})).await);
        }
        // The last one stays.
        assert_eq!(received, ["1", "2", "2", "2"]);
        let mut other = TestClient::initialized(&mock).await;
        assert_eq!(other.call("next", json!({})).await, "1");
    });
}

#[test]
fn an_exact_case_takes_precedence_over_a_rule() {
    let text = r#"
case: Anything
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "x"}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "anything"}]}}
_match: {in: {/params/arguments/text: {type: string}}}
"#
    .to_owned()
        + &call("Hello", "echo", r#"{"text": "hello"}"#, "hello");
    let mock = mock(&text);
    block_on(async {
        let mut client = TestClient::initialized(&mock).await;
        for (text, answered) in
            [("hello", "hello"), ("hello", "hello"), ("bye", "anything"), ("hello", "hello")]
        {
            assert_eq!(client.call("echo", json!({ "text": text })).await, answered);
        }
        let wrong = client.call("echo", json!({ "text": 5 })).await;
        assert!(wrong.contains("-32602"), "{wrong}");
    });
}

/// A conversation with its handshake, and the call of a tool.
fn with_handshake(name: &str, capabilities: &str, text: &str) -> String {
    format!(
        r#"---
case: {name}
in: {{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {{"protocolVersion": "2025-11-25", "capabilities": {capabilities}, "clientInfo": {{"name": "c", "version": "1"}}}}}}
out: {{"jsonrpc": "2.0", "id": 1, "result": {{"protocolVersion": "2025-11-25", "capabilities": {{"tools": {{}}}}, "serverInfo": {{"name": "s", "version": "1"}}}}}}
in_ready: {{"jsonrpc": "2.0", "method": "notifications/initialized"}}
in_call: {{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {{"name": "ask"}}}}
out_call: {{"jsonrpc": "2.0", "id": 2, "result": {{"content": [{{"type": "text", "text": "{text}"}}]}}}}
"#
    )
}

#[test]
fn a_case_with_the_same_capabilities_takes_precedence() {
    let mock = mock(
        &(with_handshake("Can", r#"{"sampling": {}}"#, "asked")
            + &with_handshake("Cannot", "{}", "cannot")
            + &with_handshake("Cannot either", "{}", "cannot at all")),
    );
    block_on(async {
        let mut client = TestClient::initialized(&mock).await;
        assert_eq!(client.call("ask", json!({})).await, "cannot");
        assert_eq!(client.call("ask", json!({})).await, "cannot at all");
        let mut able = TestClient::connect(&mock);
        let mut params = initialize("2025-11-25");
        params["capabilities"] = json!({ "sampling": {} });
        able.request("initialize", params).await;
        able.notify("notifications/initialized", json!({})).await;
        assert_eq!(able.call("ask", json!({})).await, "asked");
    });
}

const COUNTER: &str = r#"
case: A counter
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "up"}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "1"}]}}
in_again: {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "up"}}
out_again: {"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "2"}]}}
---
case: Goes on
_continues: true
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "up"}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "3"}]}}
---
case: Another counter
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "up"}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "one"}]}}
"#;

#[test]
fn an_open_conversation_continues() {
    let mock = mock(COUNTER);
    block_on(async {
        let mut client = TestClient::initialized(&mock).await;
        let mut received = Vec::new();
        for _ in 0..5 {
            received.push(client.call("up", json!({})).await);
        }
        assert_eq!(received, ["1", "2", "3", "one", "one"]);
    });
    assert!(mock.unused().is_empty());
}

#[test]
fn the_middle_of_a_case_is_answered_too() {
    let mock = mock(
        r#"
case: Two steps
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "open"}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "opened"}]}}
in_2: {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "close"}}
out_2: {"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "closed"}]}}
"#,
    );
    block_on(async {
        let mut client = TestClient::initialized(&mock).await;
        assert_eq!(client.call("close", json!({})).await, "closed");
        assert_eq!(client.call("open", json!({})).await, "opened");
    });
}

#[test]
fn an_unmatched_request_is_refused_with_the_nearest_case() {
    let text = call("Sum", "add", r#"{"a": 1, "b": 2}"#, "3")
        + &call("Difference", "subtract", r#"{"a": 1, "b": 2}"#, "-1");
    let mock = mock(&text);
    block_on(async {
        let mut client = TestClient::initialized(&mock).await;
        assert_snapshot!(client.call("add", json!({"a": 1, "b": 3})).await, @r#"{"error":{"code":-32602,"data":{"nearest":{"at":"contract.yaml:3","case":"Sum","differences":[{"at":"/params/arguments/b","text":"/params/arguments/b: expected 2, got 3"}],"id":"contract::sum"}},"message":"no case has this `tools/call`; the nearest is \"Sum\" (contract.yaml:3): /params/arguments/b: expected 2, got 3"}}"#);
        assert_snapshot!(client.call("ad", json!({"a": 1, "b": 2})).await, @r#"{"error":{"code":-32602,"data":{"known":["add","subtract"]},"message":"no case has a `tools/call` with \"ad\" as `name`; did you mean `add`?"}}"#);
        assert_snapshot!(client.call("multiply", json!({"a": 1, "b": 2})).await, @r#"{"error":{"code":-32602,"data":{"known":["add","subtract"]},"message":"no case has a `tools/call` with \"multiply\" as `name`; `add` and `subtract` are known"}}"#);
        let other = client.request("completion/complete", json!({"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}})).await;
        assert_snapshot!(other, @r#"{"error":{"code":-32601,"message":"no case has a `completion/complete`"}}"#);
    });
    assert_snapshot!(events(&mock), @r#"
    initialize ← inferred from the cases
    tools/call add ← no case has this `tools/call`; the nearest is "Sum" (contract.yaml:3): /params/arguments/b: expected 2, got 3
    tools/call ad ← no case has a `tools/call` with "ad" as `name`; did you mean `add`?
    tools/call multiply ← no case has a `tools/call` with "multiply" as `name`; `add` and `subtract` are known
    completion/complete ← no case has a `completion/complete`
    "#);
    assert_eq!(mock.unmatched().len(), 4);
}

#[test]
fn a_case_applies_to_clients_of_its_revision() {
    let mock = mock(
        r#"
case: Old
_revision: ..2025-03-26
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "old"}]}}
---
case: New
_revision: 2025-06-18..
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "new"}]}}
"#,
    );
    block_on(async {
        for (version, text) in [("2024-11-05", "old"), ("2025-11-25", "new")] {
            let mut client = TestClient::connect(&mock);
            client.request("initialize", initialize(version)).await;
            assert_eq!(client.call("x", json!({})).await, text);
        }
    });
}

#[test]
fn names_take_the_values_that_the_client_sends() {
    let mock = mock(
        r#"
case: Greets
_inputs: [token]
_match: {in: {/params/arguments/name: any}}
_capture: {in: {name: /params/arguments/name}, out: {session: /result/structuredContent/session}}
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "greet", "arguments": {"name": "Ada", "token": "${token}"}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "Hello ${name}, ${token}"}], "structuredContent": {"session": "s-1"}}}
in_2: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "leave", "arguments": {"session": "${session}"}}}
out_2: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "Bye ${name}"}]}}
"#,
    );
    block_on(async {
        let mut client = TestClient::initialized(&mock).await;
        let received = client.call("greet", json!({"name": "Grace", "token": "t"})).await;
        assert_eq!(received, "Hello Grace, t");
        assert_eq!(client.call("leave", json!({"session": "s-1"})).await, "Bye Grace");
        let wrong = client.call("leave", json!({"session": "s-2"})).await;
        assert!(wrong.contains(r#"expected \"s-1\", got \"s-2\""#), "{wrong}");
    });
    // A value that is given is expected.
    let mock = mock.input("token", "secret");
    block_on(async {
        let mut client = TestClient::initialized(&mock).await;
        let wrong = client.call("greet", json!({"name": "Grace", "token": "t"})).await;
        assert!(wrong.contains("-32602"), "{wrong}");
        let received = client.call("greet", json!({"name": "Grace", "token": "secret"})).await;
        assert_eq!(received, "Hello Grace, secret");
    });
}
