//! What no case has, but the contract implies.

use insta::assert_snapshot;
use serde_json::json;

use super::{TestClient, block_on, call, initialize, mock};

#[test]
fn lists_are_inferred_from_calls() {
    let text = call("Sum", "add", r#"{"a": 1, "b": 2.5}"#, "3.5")
        + &call("Words", "add", r#"{"a": "1", "exact": true}"#, "1")
        + r#"---
case: Unknown tool
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "nope"}}
out: {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "Unknown tool: nope"}}
---
case: A constant
in: {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "calculator://constants/pi"}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"contents": [{"uri": "calculator://constants/pi", "mimeType": "text/plain", "text": "3.14"}]}}
---
case: A prompt
in: {"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "sum", "arguments": {"of": "1 2"}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"messages": []}}
"#;
    let mock = mock(&text);
    block_on(async {
        let mut client = TestClient::connect(&mock);
        let reply = client.request("initialize", initialize("2025-11-25")).await;
        assert_snapshot!(reply["result"], @r#"{"capabilities":{"prompts":{},"resources":{},"tools":{}},"protocolVersion":"2025-11-25","serverInfo":{"name":"contract","version":"0.0.0"}}"#);
        let mut lists = Vec::new();
        for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
            lists.push(client.request(method, json!({})).await["result"].take().to_string());
        }
        assert_snapshot!(lists.join("\n"), @r#"
        {"tools":[{"_meta":{"mcp-test/inferred":true},"description":"Inferred by mcp-test from the case \"Sum\" (contract.yaml:3) and another case.","inputSchema":{"properties":{"a":{"type":["number","string"]},"b":{"type":"number"},"exact":{"type":"boolean"}},"type":"object"},"name":"add"}]}
        {"resources":[{"_meta":{"mcp-test/inferred":true},"description":"Inferred by mcp-test from the case \"A constant\" (contract.yaml:15).","mimeType":"text/plain","name":"pi","uri":"calculator://constants/pi"}]}
        {"resourceTemplates":[]}
        {"prompts":[{"_meta":{"mcp-test/inferred":true},"arguments":[{"name":"of"}],"description":"Inferred by mcp-test from the case \"A prompt\" (contract.yaml:19).","name":"sum"}]}
        "#);
    });
}

#[test]
fn what_is_not_declared_is_not_implied() {
    let mock = mock(&call("Sum", "add", "{}", "3"));
    block_on(async {
        let mut client = TestClient::initialized(&mock).await;
        for method in ["prompts/list", "resources/list", "resources/templates/list"] {
            let reply = client.request(method, json!({})).await;
            assert_eq!(reply["error"]["code"], -32601, "{method}");
        }
        let reply = client.request("logging/setLevel", json!({"level": "info"})).await;
        assert_eq!(reply["error"]["code"], -32601);
        assert_eq!(client.request("ping", json!({})).await, json!({"result": {}}));
    });
}

#[test]
fn the_log_level_can_be_set_where_logging_is_declared() {
    let mock = mock(
        r#"
case: Logs
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "log"}}
out_log: {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}
"#,
    );
    block_on(async {
        let mut client = TestClient::initialized(&mock).await;
        let reply = client.request("logging/setLevel", json!({"level": "info"})).await;
        assert_eq!(reply, json!({"result": {}}));
    });
}
