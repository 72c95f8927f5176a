//! One contract, clients of both eras.

use insta::assert_snapshot;
use mcp_test_core::spec::{Revision, Revisions};
use serde_json::json;

use super::{TestClient, block_on, call, events, initialize, mock, stateless};

const LIFECYCLE: &str = r#"
case: Lifecycle
in: {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "calculator", "version": "1.2.3"}, "instructions": "Add."}}
in_notification: {"jsonrpc": "2.0", "method": "notifications/initialized"}
out_notification: {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
"#;

#[test]
fn the_identity_and_the_version_of_the_server_are_those_of_the_case() {
    let mock = mock(LIFECYCLE);
    block_on(async {
        let mut client = TestClient::connect(&mock);
        let reply = client.request("initialize", initialize("2024-11-05")).await;
        // A server answers with the version that it has, whichever the client proposes.
        assert_snapshot!(reply, @r#"{"result":{"capabilities":{"tools":{}},"instructions":"Add.","protocolVersion":"2025-06-18","serverInfo":{"name":"calculator","version":"1.2.3"}}}"#);
        client.notify("notifications/initialized", json!({})).await;
        assert_eq!(client.receive().await["method"], "notifications/tools/list_changed");
    });
    assert_snapshot!(events(&mock), @r#"
    initialize ← contract.yaml:3 "Lifecycle"
    notifications/initialized ← contract.yaml:5 "Lifecycle"
    "#);
}

#[test]
fn a_client_without_a_handshake_sees_the_same_server() {
    let mock = mock(&(LIFECYCLE.to_owned() + &call("Sum", "add", "{}", "3")));
    block_on(async {
        let mut client = TestClient::connect(&mock);
        let reply = client.request("server/discover", stateless(json!({}))).await;
        let result = &reply["result"];
        assert_eq!(result["capabilities"], json!({"tools": {}}));
        assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "calculator");
        let reply = client.request("tools/call", stateless(json!({"name": "add"}))).await;
        assert_eq!(reply["result"]["resultType"], "complete");
    });
}

#[test]
fn additions_of_the_stateless_era_are_removed_for_others() {
    let text = r#"
case: Tools
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"tools": [], "resultType": "complete", "ttlMs": 5, "cacheScope": "public", "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}}}}
"#;
    let mock = mock(text);
    block_on(async {
        let mut client = TestClient::initialized(&mock).await;
        assert_snapshot!(client.request("tools/list", json!({})).await, @r#"{"result":{"tools":[]}}"#);
        let mut client = TestClient::connect(&mock);
        let reply = client.request("tools/list", stateless(json!({}))).await;
        assert_eq!(reply["result"]["ttlMs"], 5);
    });
}

#[test]
fn methods_that_the_revision_of_the_client_lacks_are_refused() {
    let mock = mock(
        r#"
case: Ping
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "result": {}}
"#,
    );
    block_on(async {
        let mut client = TestClient::initialized(&mock).await;
        assert_eq!(client.request("ping", json!({})).await, json!({"result": {}}));
        let mut client = TestClient::connect(&mock);
        assert_snapshot!(client.request("ping", stateless(json!({}))).await, @r#"{"error":{"code":-32601,"message":"clients do not send `ping` at 2026-07-28"}}"#);
    });
}

#[test]
fn a_version_that_the_server_declines_in_a_case_is_not_supported() {
    let declines = LIFECYCLE.replacen("2025-06-18", "2025-11-25", 1);
    let mock = mock(&declines);
    block_on(async {
        let mut client = TestClient::connect(&mock);
        let reply = client.request("initialize", initialize("2025-11-25")).await;
        assert_eq!(reply["result"]["protocolVersion"], "2025-06-18");
    });
}

#[test]
fn the_version_of_the_case_is_answered_unless_others_are_served() {
    let case = mock(LIFECYCLE);
    let other = case.clone().revisions(Revisions::only(Revision::V2024_11_05));
    block_on(async {
        for (mock, expected) in [(case, "2025-06-18"), (other, "2024-11-05")] {
            for proposed in ["2024-11-05", "2025-06-18", "2025-11-25", "1.0"] {
                let mut client = TestClient::connect(&mock);
                let reply = client.request("initialize", initialize(proposed)).await;
                assert_eq!(reply["result"]["protocolVersion"], expected, "{proposed}");
            }
        }
    });
}

/// A request of the server while it answers.
const ASKS: &str = r#"
case: Asks for a name
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "greet"}}
out_request: {"jsonrpc": "2.0", "id": 7, "method": "elicitation/create", "params": {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}}}
in_answer: {"jsonrpc": "2.0", "id": 7, "result": {"action": "accept", "content": {"name": "Ada"}}}
_capture: {in_answer: {name: /result/content/name}}
_match: {in_answer: {/result/content/name: any}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "Hello ${name}"}]}}
"#;

#[test]
fn a_request_of_the_server_becomes_a_result_that_asks_for_input() {
    let mock = mock(ASKS);
    block_on(async {
        let mut client = TestClient::connect(&mock);
        let reply = client.request("tools/call", stateless(json!({"name": "greet"}))).await;
        let result = &reply["result"];
        assert_eq!(result["resultType"], "input_required");
        assert_eq!(result["inputRequests"]["elicitation"]["method"], "elicitation/create");
        let answer = json!({"elicitation": {"action": "accept", "content": {"name": "Grace"}}});
        let again = json!({"name": "greet", "requestState": result["requestState"], "inputResponses": answer});
        let reply = client.request("tools/call", stateless(again)).await;
        assert_eq!(reply["result"]["content"][0]["text"], "Hello Grace");
        // A state that nobody has written leads nowhere.
        let forged =
            json!({"name": "greet", "requestState": "mcp-test-cases/9/9/9", "inputResponses": {}});
        let reply = client.request("tools/call", stateless(forged)).await;
        assert_eq!(reply["error"]["code"], -32602);
    });
}

const WANTS_INPUT: &str = r#"
case: Wants input
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "greet"}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"resultType": "input_required", "inputRequests": {"who": {"method": "elicitation/create", "params": {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}}}}, "requestState": "step-1"}}
in_again: {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "greet", "requestState": "step-1", "inputResponses": {"who": {"action": "accept", "content": {"name": "Ada"}}}}}
out_again: {"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "Hello Ada"}], "resultType": "complete"}}
"#;

#[test]
fn a_result_that_asks_for_input_continues_by_its_state_after_any_answer() {
    let mock = mock(WANTS_INPUT);
    block_on(async {
        let mut client = TestClient::connect(&mock);
        let reply = client.request("tools/call", stateless(json!({"name": "greet"}))).await;
        assert_eq!(reply["result"]["requestState"], "step-1");
        let again = json!({"name": "greet", "requestState": "step-1", "inputResponses": {"who": {"action": "decline"}}});
        let reply = client.request("tools/call", stateless(again)).await;
        assert_eq!(reply["result"]["content"][0]["text"], "Hello Ada");
    });
    assert_snapshot!(events(&mock), @r#"
    tools/call greet ← contract.yaml:3 "Wants input"
    tools/call greet ← contract.yaml:5 "Wants input": the client's answer differs: /params/inputResponses/who/action: expected "accept", got "decline"; /params/inputResponses/who/content: expected {"name":"Ada"}, got nothing
    "#);
}

#[test]
fn a_result_that_asks_for_input_becomes_a_request_of_the_server() {
    let mock = mock(WANTS_INPUT);
    block_on(async {
        let mut client = TestClient::initialized(&mock).await;
        let id = client.start_request("tools/call", json!({"name": "greet"})).await;
        let request = client.receive().await;
        assert_eq!(request["method"], "elicitation/create");
        let answer = json!({"action": "accept", "content": {"name": "Ada"}});
        client.send(json!({"jsonrpc": "2.0", "id": request["id"], "result": answer})).await;
        let reply = client.receive().await;
        assert_eq!(reply["id"], id);
        assert_snapshot!(reply["result"], @r#"{"content":[{"text":"Hello Ada","type":"text"}]}"#);
    });
    assert!(mock.unused().is_empty());
}
