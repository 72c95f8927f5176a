//! What people are told of characteristic mistakes, in all families of messages and at all revisions: would they know what
//! to mend?

use insta::assert_snapshot;
use mcp_test::spec::Revision::{
    self, V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28,
};
use mcp_test::spec::schema::{Authority, Schemas};
use serde_json::{Value, json};

/// What is said of a message, which answers a request of a method or none.
fn said(revision: Revision, answers: Option<&str>, message: &Value) -> String {
    let violations =
        Schemas::ours().judge_value(&message.into(), answers, revision, Authority::Text);
    let told = violations.iter().map(|violation| format!("{violation}\n  {}", violation.shape));
    told.collect::<Vec<_>>().join("\n")
}

fn request(revision: Revision, method: &str, params: Value) -> String {
    let mut params = params;
    if revision == V2026_07_28 && params.get("_meta").is_none() {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    said(revision, None, &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
}

fn notification(revision: Revision, method: &str, params: Value) -> String {
    said(revision, None, &json!({"jsonrpc": "2.0", "method": method, "params": params}))
}

fn result(revision: Revision, method: &str, result: Value) -> String {
    said(revision, Some(method), &json!({"jsonrpc": "2.0", "id": 1, "result": result}))
}

fn error(revision: Revision, method: &str, error: Value) -> String {
    said(revision, Some(method), &json!({"jsonrpc": "2.0", "id": 1, "error": error}))
}

/// A list of tools with this one.
fn tool(revision: Revision, tool: Value) -> String {
    result(revision, "tools/list", json!({"tools": [tool]}))
}

/// What a tool returns, with this content.
fn content(revision: Revision, content: Value) -> String {
    result(revision, "tools/call", json!({"content": content}))
}

#[test]
fn lifecycle() {
    let capabilities = json!({});
    assert_snapshot!(request(V2024_11_05, "initialize", json!({
        "protocolVersion": "2024-11-05", "capabilities": capabilities,
    })), @"");
    assert_snapshot!(request(V2025_11_25, "initialize", json!({
        "protocolVersion": 20_251_125, "capabilities": [], "clientInfo": {"name": "c"},
    })), @"");
    assert_snapshot!(result(V2025_03_26, "initialize", json!({
        "protocolVersion": "2025-03-26", "capabilities": {"tools": true},
        "serverInfo": {"name": "s", "version": "1"},
    })), @"");
    assert_snapshot!(result(V2025_11_25, "initialize", json!({
        "protocolVersion": "2025-11-25", "capabilities": {"logging": null},
        "serverInfo": {"name": "s", "version": "1", "icons": [{"href": "https://example.com/i.png"}]},
    })), @"");
    assert_snapshot!(request(V2026_07_28, "tools/list", json!({"_meta": {}})), @"");
    assert_snapshot!(result(V2026_07_28, "server/discover", json!({
        "capabilities": {}, "supportedVersions": "2026-07-28", "ttlMs": -1, "cacheScope": "none",
    })), @"");
}

#[test]
fn tools() {
    assert_snapshot!(tool(V2024_11_05, json!({"name": "add"})), @"");
    assert_snapshot!(tool(V2025_03_26, json!({
        "name": "add", "inputSchema": {"properties": {"a": true}}, "annotations": {"readOnlyHint": "yes"},
    })), @"");
    assert_snapshot!(tool(V2025_06_18, json!({
        "name": "add", "inputSchema": {"type": "object"}, "outputSchema": {"type": "array"},
    })), @"");
    assert_snapshot!(tool(V2025_11_25, json!({
        "name": "add", "inputSchema": null, "execution": {"taskSupport": "maybe"},
    })), @"");
    assert_snapshot!(result(V2025_06_18, "tools/list", json!({"tools": [], "nextCursor": null})), @"");
    assert_snapshot!(request(V2025_06_18, "tools/call", json!({
        "name": "add", "arguments": "{\"a\": 1}",
    })), @"");
    assert_snapshot!(request(V2026_07_28, "tools/call", json!({"tool": "add"})), @"");
    assert_snapshot!(result(V2025_06_18, "tools/call", json!({
        "content": [], "structuredContent": [1], "isError": "false",
    })), @"");
    assert_snapshot!(result(V2026_07_28, "tools/call", json!({
        "resultType": "complete", "structuredContent": 3,
    })), @"");
}

#[test]
fn content_of_tools() {
    assert_snapshot!(content(V2024_11_05, json!("3")), @"");
    assert_snapshot!(content(V2025_03_26, json!({"type": "text", "text": "3"})), @"");
    assert_snapshot!(content(V2025_06_18, json!([{"type": "text", "content": "3"}])), @"");
    assert_snapshot!(content(V2025_06_18, json!([{"type": "markdown", "text": "3"}])), @"");
    assert_snapshot!(content(V2025_11_25, json!([{"text": "3"}])), @"");
    assert_snapshot!(content(V2025_03_26, json!([
        {"type": "resource_link", "uri": "file:///a", "name": "a"},
    ])), @"");
    assert_snapshot!(content(V2025_11_25, json!([
        {"type": "image", "data": "data:image/png;base64,AAAA", "mime_type": "image/png"},
    ])), @"");
    assert_snapshot!(content(V2025_11_25, json!([
        {"type": "resource", "resource": {"uri": "a.txt", "text": "a"}},
    ])), @"");
    assert_snapshot!(content(V2025_06_18, json!([
        {"type": "text", "text": "3", "annotations": {"audience": "user", "priority": 10}},
    ])), @"");
}

#[test]
fn resources() {
    assert_snapshot!(result(V2024_11_05, "resources/list", json!({
        "resources": [{"uri": "/etc/hosts", "name": "hosts", "size": "12 KB"}],
    })), @"");
    assert_snapshot!(result(V2025_11_25, "resources/templates/list", json!({
        "resourceTemplates": [{"uriTemplate": "file:///{path", "title": "Files"}],
    })), @"");
    assert_snapshot!(result(V2025_06_18, "resources/read", json!({
        "contents": [{"uri": "file:///a", "mimeType": "text/plain"}],
    })), @"");
    assert_snapshot!(result(V2026_07_28, "resources/read", json!({
        "resultType": "complete", "contents": [{"uri": "file:///a", "text": {"a": 1}}],
    })), @"");
    assert_snapshot!(notification(V2025_03_26, "notifications/resources/updated", json!({})), @"");
}

#[test]
fn prompts_and_completion() {
    assert_snapshot!(result(V2025_03_26, "prompts/list", json!({
        "prompts": [{"name": "greet", "arguments": {"name": {"required": true}}}],
    })), @"");
    assert_snapshot!(result(V2025_06_18, "prompts/get", json!({
        "messages": [{"role": "system", "content": [{"type": "text", "text": "Hello"}]}],
    })), @"");
    assert_snapshot!(request(V2025_11_25, "prompts/get", json!({
        "name": "greet", "arguments": {"times": 3},
    })), @"");
    assert_snapshot!(request(V2025_06_18, "completion/complete", json!({
        "ref": {"type": "ref/tool", "name": "add"}, "argument": {"name": "a"},
    })), @"");
    assert_snapshot!(result(V2024_11_05, "completion/complete", json!({
        "completion": {"values": vec!["a"; 101], "hasMore": 1},
    })), @"");
}

#[test]
fn logging_progress_and_cancellation() {
    assert_snapshot!(request(V2025_06_18, "logging/setLevel", json!({"level": "warn"})), @"");
    assert_snapshot!(notification(V2025_03_26, "notifications/message", json!({
        "level": "INFO", "message": "started",
    })), @"");
    assert_snapshot!(notification(V2024_11_05, "notifications/progress", json!({
        "progressToken": 1.5, "progress": "50%",
    })), @"");
    assert_snapshot!(notification(V2025_11_25, "notifications/cancelled", json!({
        "reason": "too slow",
    })), @"");
}

#[test]
fn what_servers_ask_of_clients() {
    assert_snapshot!(request(V2024_11_05, "sampling/createMessage", json!({
        "messages": [{"role": "user", "content": "Hello"}],
    })), @"");
    assert_snapshot!(result(V2025_06_18, "sampling/createMessage", json!({
        "role": "assistant", "content": [{"type": "text", "text": "Hello"}],
    })), @"");
    assert_snapshot!(request(V2025_06_18, "elicitation/create", json!({
        "message": "Who?", "requestedSchema": {
            "type": "object", "properties": {"name": {"type": "object", "properties": {}}},
        },
    })), @"");
    assert_snapshot!(request(V2025_11_25, "elicitation/create", json!({
        "mode": "url", "message": "Sign in", "url": "example.com/sign-in",
    })), @"");
    assert_snapshot!(result(V2025_06_18, "elicitation/create", json!({
        "action": "ok", "content": {"name": {"first": "A"}},
    })), @"");
    assert_snapshot!(result(V2025_03_26, "roots/list", json!({"roots": ["file:///project"]})), @"");
}

#[test]
fn tasks_subscriptions_and_round_trips() {
    assert_snapshot!(result(V2025_11_25, "tasks/get", json!({
        "taskId": 7, "status": "done", "createdAt": "2025-11-25T00:00:00Z",
        "lastUpdatedAt": "2025-11-25T00:00:00Z",
    })), @"");
    assert_snapshot!(request(V2026_07_28, "subscriptions/listen", json!({
        "notifications": {"toolsListChanged": {}, "resourceSubscriptions": "file:///a"},
    })), @"");
    assert_snapshot!(result(V2026_07_28, "tools/call", json!({
        "resultType": "input_required",
        "inputRequests": {"who": {"method": "elicitation/create", "params": {"message": "Who?"}}},
    })), @"");
    assert_snapshot!(request(V2026_07_28, "tools/call", json!({
        "name": "add", "inputResponses": {"who": {"action": "accepted"}},
    })), @"");
}

#[test]
fn errors() {
    assert_snapshot!(error(V2025_06_18, "tools/list", json!({"code": "-32601"})), @"");
    assert_snapshot!(error(V2025_11_25, "tools/call", json!({
        "code": -32042, "message": "sign in first", "data": {"url": "https://example.com"},
    })), @"");
    assert_snapshot!(error(V2026_07_28, "tools/list", json!({
        "code": -32022, "message": "unsupported", "data": {"supported": "2026-07-28"},
    })), @"");
}
