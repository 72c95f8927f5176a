//! The violations that are reported for typical mistakes, in all groups of messages and at all revisions.

#![expect(clippy::needless_pass_by_value, reason = "callers pass `json!` literals")]

use insta::assert_snapshot;
use mcp_test::spec::Revision::{
    self, V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28,
};
use mcp_test::spec::schema::{Authority, Schemas};
use serde_json::{Value, json};

/// The violations of a message, which may be the reply to a method.
fn violations(revision: Revision, answers: Option<&str>, message: &Value) -> String {
    let violations =
        Schemas::ours().validate_value(&message.into(), answers, revision, Authority::Text);
    let lines = violations.iter().map(|violation| format!("{violation}\n  {}", violation.shape));
    lines.collect::<Vec<_>>().join("\n")
}

fn request(revision: Revision, method: &str, params: Value) -> String {
    let mut params = params;
    if revision == V2026_07_28 && params.get("_meta").is_none() {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    violations(
        revision,
        None,
        &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}),
    )
}

fn notification(revision: Revision, method: &str, params: Value) -> String {
    violations(revision, None, &json!({"jsonrpc": "2.0", "method": method, "params": params}))
}

fn result(revision: Revision, method: &str, result: Value) -> String {
    violations(revision, Some(method), &json!({"jsonrpc": "2.0", "id": 1, "result": result}))
}

fn error(revision: Revision, method: &str, error: Value) -> String {
    violations(revision, Some(method), &json!({"jsonrpc": "2.0", "id": 1, "error": error}))
}

/// The violations of a list with this tool.
fn tool(revision: Revision, tool: Value) -> String {
    result(revision, "tools/list", json!({"tools": [tool]}))
}

/// The violations of a tool result with this content.
fn content(revision: Revision, content: Value) -> String {
    result(revision, "tools/call", json!({"content": content}))
}

#[test]
fn lifecycle() {
    let capabilities = json!({});
    assert_snapshot!(request(V2024_11_05, "initialize", json!({
        "protocolVersion": "2024-11-05", "capabilities": capabilities,
    })), @"
    expected `/params/clientInfo` is an Implementation, got nothing
      InitializeRequestParams
    ");
    assert_snapshot!(request(V2025_11_25, "initialize", json!({
        "protocolVersion": 20_251_125, "capabilities": [], "clientInfo": {"name": "c"},
    })), @"
    expected `/params/protocolVersion` is a string, got 20251125, which is a number
      InitializeRequestParams
    expected `/params/capabilities` is an object, got [], which is an empty array
      ClientCapabilities
    expected `/params/clientInfo/version` is a string, got nothing
      Implementation
    ");
    assert_snapshot!(result(V2025_03_26, "initialize", json!({
        "protocolVersion": "2025-03-26", "capabilities": {"tools": true},
        "serverInfo": {"name": "s", "version": "1"},
    })), @"
    expected `/result/capabilities/tools` is an object, got true, which is a boolean
      ServerCapabilities
    ");
    assert_snapshot!(result(V2025_11_25, "initialize", json!({
        "protocolVersion": "2025-11-25", "capabilities": {"logging": null},
        "serverInfo": {"name": "s", "version": "1", "icons": [{"href": "https://example.com/i.png"}]},
    })), @"
    expected `/result/capabilities/logging` is an object, got null
      JSONObject
    expected `/result/serverInfo/icons/0/src` is a URI, got nothing
      Icon
    ");
    assert_snapshot!(request(V2026_07_28, "tools/list", json!({"_meta": {}})), @"
    expected `/params/_meta/io.modelcontextprotocol~1protocolVersion` is a string, got nothing
      RequestMetaObject
    expected `/params/_meta/io.modelcontextprotocol~1clientCapabilities` is a ClientCapabilities, got nothing
      RequestMetaObject
    ");
    assert_snapshot!(result(V2026_07_28, "server/discover", json!({
        "capabilities": {}, "supportedVersions": "2026-07-28", "ttlMs": -1, "cacheScope": "none",
    })), @r#"
    expected `/result/resultType` is a string, got nothing
      DiscoverResult
    expected `/result/ttlMs` is an integer of at least 0, got -1
      DiscoverResult
    expected `/result/cacheScope` is "public" or "private", got "none"
      DiscoverResult
    expected `/result/supportedVersions` is an array of strings, got "2026-07-28", which is a string
      DiscoverResult
    "#);
}

#[test]
fn tools() {
    assert_snapshot!(tool(V2024_11_05, json!({"name": "add"})), @"
    expected `/result/tools/0/inputSchema` is an object, got nothing
      Tool
    ");
    assert_snapshot!(tool(V2025_03_26, json!({
        "name": "add", "inputSchema": {"properties": {"a": true}}, "annotations": {"readOnlyHint": "yes"},
    })), @r#"
    expected `/result/tools/0/inputSchema/type` is "object", got nothing
      Tool
    expected `/result/tools/0/inputSchema/properties/a` is an object, got true, which is a boolean
      Tool
    expected `/result/tools/0/annotations/readOnlyHint` is a boolean, got "yes", which is a string
      ToolAnnotations
    "#);
    assert_snapshot!(tool(V2025_06_18, json!({
        "name": "add", "inputSchema": {"type": "object"}, "outputSchema": {"type": "array"},
    })), @r#"
    expected `/result/tools/0/outputSchema/type` is "object", got "array"
      Tool
    "#);
    assert_snapshot!(tool(V2025_11_25, json!({
        "name": "add", "inputSchema": null, "execution": {"taskSupport": "maybe"},
    })), @r#"
    expected `/result/tools/0/inputSchema` is an object, got null
      Tool
    expected `/result/tools/0/execution/taskSupport` is "forbidden", "optional" or "required", got "maybe"
      ToolExecution
    "#);
    assert_snapshot!(result(V2025_06_18, "tools/list", json!({"tools": [], "nextCursor": null})), @"
    expected `/result/nextCursor` is a string, got null
      Cursor
    ");
    assert_snapshot!(request(V2025_06_18, "tools/call", json!({
        "name": "add", "arguments": "{\"a\": 1}",
    })), @r#"
    expected `/params/arguments` is an object, got "{\"a\": 1}", which is a string
      CallToolRequestParams
    "#);
    assert_snapshot!(request(V2026_07_28, "tools/call", json!({"tool": "add"})), @"
    expected `/params/name` is a string, got nothing
      CallToolRequestParams
    ");
    assert_snapshot!(result(V2025_06_18, "tools/call", json!({
        "content": [], "structuredContent": [1], "isError": "false",
    })), @r#"
    expected `/result/structuredContent` is an object, got [1], which is an array
      CallToolResult
    expected `/result/isError` is a boolean, got "false", which is a string
      CallToolResult
    "#);
    assert_snapshot!(result(V2026_07_28, "tools/call", json!({
        "resultType": "complete", "structuredContent": 3,
    })), @"
    expected `/result/content` is an array of ContentBlocks, got nothing
      CallToolResult
    ");
}

#[test]
fn content_of_tools() {
    assert_snapshot!(content(V2024_11_05, json!("3")), @r#"
    expected `/result/content` is an array of ContentBlocks, got "3", which is a string
      CallToolResult
    "#);
    assert_snapshot!(content(V2025_03_26, json!({"type": "text", "text": "3"})), @r#"
    expected `/result/content` is an array of ContentBlocks, got {"text":"3","type":"text"}, which is an object
      CallToolResult
    "#);
    assert_snapshot!(content(V2025_06_18, json!([{"type": "text", "content": "3"}])), @"
    expected `/result/content/0/text` is a string, got nothing
      TextContent
    ");
    assert_snapshot!(content(V2025_06_18, json!([{"type": "markdown", "text": "3"}])), @r#"
    expected `/result/content/0/type` is "text", "image", "audio", "resource_link" or "resource", got "markdown"
      ContentBlock
    "#);
    assert_snapshot!(content(V2025_11_25, json!([{"text": "3"}])), @r#"
    expected `/result/content/0/type` is "text", "image", "audio", "resource_link" or "resource", got nothing
      ContentBlock
    "#);
    assert_snapshot!(content(V2025_03_26, json!([
        {"type": "resource_link", "uri": "file:///a", "name": "a"},
    ])), @r#"
    expected `/result/content/0/type` is "text", "image", "audio" or "resource", got "resource_link"
      ContentBlock
    "#);
    assert_snapshot!(content(V2025_11_25, json!([
        {"type": "image", "data": "data:image/png;base64,AAAA", "mime_type": "image/png"},
    ])), @r#"
    expected `/result/content/0/mimeType` is a string, got nothing
      ImageContent
    expected `/result/content/0/data` is Base64, got "data:image/png;base64,AAAA"
      ImageContent
    "#);
    assert_snapshot!(content(V2025_11_25, json!([
        {"type": "resource", "resource": {"uri": "a.txt", "text": "a"}},
    ])), @r#"
    expected `/result/content/0/resource/uri` is a URI, got "a.txt"
      TextResourceContents
    "#);
    assert_snapshot!(content(V2025_06_18, json!([
        {"type": "text", "text": "3", "annotations": {"audience": "user", "priority": 10}},
    ])), @r#"
    expected `/result/content/0/annotations/audience` is an array, got "user", which is a string
      Annotations
    expected `/result/content/0/annotations/priority` is a number from 0 to 1, got 10
      Annotations
    "#);
}

#[test]
fn resources() {
    assert_snapshot!(result(V2024_11_05, "resources/list", json!({
        "resources": [{"uri": "/etc/hosts", "name": "hosts", "size": "12 KB"}],
    })), @r#"
    expected `/result/resources/0/uri` is a URI, got "/etc/hosts"
      Resource
    expected `/result/resources/0/size` is an integer, got "12 KB", which is a string
      Resource
    "#);
    assert_snapshot!(result(V2025_11_25, "resources/templates/list", json!({
        "resourceTemplates": [{"uriTemplate": "file:///{path", "title": "Files"}],
    })), @r#"
    expected `/result/resourceTemplates/0/name` is a string, got nothing
      ResourceTemplate
    expected `/result/resourceTemplates/0/uriTemplate` is a URI template, got "file:///{path"
      ResourceTemplate
    "#);
    assert_snapshot!(result(V2025_06_18, "resources/read", json!({
        "contents": [{"uri": "file:///a", "mimeType": "text/plain"}],
    })), @r#"
    expected `/result/contents/0` is a TextResourceContents with `text` or a BlobResourceContents with `blob`, got {"mimeType":"text/plain","uri":"file:///a"}
      ReadResourceResult
    "#);
    assert_snapshot!(result(V2026_07_28, "resources/read", json!({
        "resultType": "complete", "contents": [{"uri": "file:///a", "text": {"a": 1}}],
    })), @r#"
    expected `/result/ttlMs` is an integer of at least 0, got nothing
      ReadResourceResult
    expected `/result/cacheScope` is "public" or "private", got nothing
      ReadResourceResult
    expected `/result/contents/0/text` is a string, got {"a":1}, which is an object
      TextResourceContents
    "#);
    assert_snapshot!(notification(V2025_03_26, "notifications/resources/updated", json!({})), @"
    expected `/params/uri` is a URI, got nothing
      ResourceUpdatedNotificationParams
    ");
}

#[test]
fn prompts_and_completion() {
    assert_snapshot!(result(V2025_03_26, "prompts/list", json!({
        "prompts": [{"name": "greet", "arguments": {"name": {"required": true}}}],
    })), @r#"
    expected `/result/prompts/0/arguments` is an array of PromptArguments, got {"name":{"required":true}}, which is an object
      Prompt
    "#);
    assert_snapshot!(result(V2025_06_18, "prompts/get", json!({
        "messages": [{"role": "system", "content": [{"type": "text", "text": "Hello"}]}],
    })), @r#"
    expected `/result/messages/0/role` is "user" or "assistant", got "system"
      Role
    expected `/result/messages/0/content` is a TextContent, an ImageContent, an AudioContent, a ResourceLink or an EmbeddedResource, got [{"text":"Hello","type":"text"}], which is an array
      ContentBlock
    "#);
    assert_snapshot!(request(V2025_11_25, "prompts/get", json!({
        "name": "greet", "arguments": {"times": 3},
    })), @"
    expected `/params/arguments/times` is a string, got 3, which is a number
      GetPromptRequestParams
    ");
    assert_snapshot!(request(V2025_06_18, "completion/complete", json!({
        "ref": {"type": "ref/tool", "name": "add"}, "argument": {"name": "a"},
    })), @r#"
    expected `/params/ref/type` is "ref/prompt" or "ref/resource", got "ref/tool"
      CompleteRequestParams
    expected `/params/argument/value` is a string, got nothing
      CompleteRequestParams
    "#);
    assert_snapshot!(result(V2024_11_05, "completion/complete", json!({
        "completion": {"values": vec!["a"; 101], "hasMore": 1},
    })), @r#"
    expected `/result/completion/values` is an array of at most 100 items, got ["a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a…, which has 101 items
      CompleteResult
    expected `/result/completion/hasMore` is a boolean, got 1, which is a number
      CompleteResult
    "#);
}

#[test]
fn logging_progress_and_cancellation() {
    assert_snapshot!(request(V2025_06_18, "logging/setLevel", json!({"level": "warn"})), @r#"
    expected `/params/level` is "debug", "info", "notice", "warning", "error", "critical", "alert" or "emergency", got "warn"
      LoggingLevel
    "#);
    assert_snapshot!(notification(V2025_03_26, "notifications/message", json!({
        "level": "INFO", "message": "started",
    })), @r#"
    expected `/params/data` is any value, got nothing
      LoggingMessageNotificationParams
    expected `/params/level` is "debug", "info", "notice", "warning", "error", "critical", "alert" or "emergency", got "INFO"
      LoggingLevel
    "#);
    assert_snapshot!(notification(V2024_11_05, "notifications/progress", json!({
        "progressToken": 1.5, "progress": "50%",
    })), @r#"
    expected `/params/progressToken` is a string or an integer, got 1.5
      ProgressToken
    expected `/params/progress` is a number, got "50%", which is a string
      ProgressNotificationParams
    "#);
    assert_snapshot!(notification(V2025_11_25, "notifications/cancelled", json!({
        "reason": "too slow",
    })), @"
    expected `/params/requestId` is a string or an integer, got nothing
      CancelledNotificationParams
    ");
}

#[test]
fn server_requests() {
    assert_snapshot!(request(V2024_11_05, "sampling/createMessage", json!({
        "messages": [{"role": "user", "content": "Hello"}],
    })), @r#"
    expected `/params/maxTokens` is an integer, got nothing
      CreateMessageRequestParams
    expected `/params/messages/0/content` is a TextContent or an ImageContent, got "Hello", which is a string
      SamplingMessageContentBlock
    "#);
    assert_snapshot!(result(V2025_06_18, "sampling/createMessage", json!({
        "role": "assistant", "content": [{"type": "text", "text": "Hello"}],
    })), @r#"
    expected `/result/model` is a string, got nothing
      CreateMessageResult
    expected `/result/content` is a TextContent, an ImageContent or an AudioContent, got [{"text":"Hello","type":"text"}], which is an array
      SamplingMessageContentBlock
    "#);
    assert_snapshot!(request(V2025_06_18, "elicitation/create", json!({
        "message": "Who?", "requestedSchema": {
            "type": "object", "properties": {"name": {"type": "object", "properties": {}}},
        },
    })), @r#"
    expected `/params/requestedSchema/properties/name/type` is "string", "number", "integer" or "boolean", got "object"
      PrimitiveSchemaDefinition
    "#);
    assert_snapshot!(request(V2025_11_25, "elicitation/create", json!({
        "mode": "url", "message": "Sign in", "url": "example.com/sign-in",
    })), @r#"
    expected `/params/elicitationId` is a string, got nothing
      ElicitRequestURLParams
    expected `/params/url` is a URI, got "example.com/sign-in"
      ElicitRequestURLParams
    "#);
    assert_snapshot!(result(V2025_06_18, "elicitation/create", json!({
        "action": "ok", "content": {"name": {"first": "A"}},
    })), @r#"
    expected `/result/action` is "accept", "decline" or "cancel", got "ok"
      ElicitResult
    expected `/result/content/name` is a string, a number or a boolean, got {"first":"A"}, which is an object
      ElicitResult
    "#);
    assert_snapshot!(result(V2025_03_26, "roots/list", json!({"roots": ["file:///project"]})), @r#"
    expected `/result/roots/0` is an object, got "file:///project", which is a string
      Root
    "#);
}

#[test]
fn tasks_subscriptions_and_round_trips() {
    assert_snapshot!(result(V2025_11_25, "tasks/get", json!({
        "taskId": 7, "status": "done", "createdAt": "2025-11-25T00:00:00Z",
        "lastUpdatedAt": "2025-11-25T00:00:00Z",
    })), @r#"
    expected `/result/ttl` is an integer or null, got nothing
      GetTaskResult
    expected `/result/taskId` is a string, got 7, which is a number
      GetTaskResult
    expected `/result/status` is "working", "input_required", "completed", "failed" or "cancelled", got "done"
      TaskStatus
    "#);
    assert_snapshot!(request(V2026_07_28, "subscriptions/listen", json!({
        "notifications": {"toolsListChanged": {}, "resourceSubscriptions": "file:///a"},
    })), @r#"
    expected `/params/notifications/toolsListChanged` is a boolean, got {}, which is an empty object
      SubscriptionFilter
    expected `/params/notifications/resourceSubscriptions` is an array of strings, got "file:///a", which is a string
      SubscriptionFilter
    "#);
    assert_snapshot!(result(V2026_07_28, "tools/call", json!({
        "resultType": "input_required",
        "inputRequests": {"who": {"method": "elicitation/create", "params": {"message": "Who?"}}},
    })), @"
    expected `/result/inputRequests/who/params/requestedSchema` is an object, got nothing
      ElicitRequestFormParams
    ");
    assert_snapshot!(request(V2026_07_28, "tools/call", json!({
        "name": "add", "inputResponses": {"who": {"action": "accepted"}},
    })), @r#"
    expected `/params/inputResponses/who/action` is "accept", "decline" or "cancel", got "accepted"
      ElicitResult
    "#);
}

#[test]
fn errors() {
    assert_snapshot!(error(V2025_06_18, "tools/list", json!({"code": "-32601"})), @r#"
    expected `/error/message` is a string, got nothing
      Error
    expected `/error/code` is an integer, got "-32601", which is a string
      Error
    "#);
    assert_snapshot!(error(V2025_11_25, "tools/call", json!({
        "code": -32042, "message": "sign in first", "data": {"url": "https://example.com"},
    })), @"
    expected `/error/data/elicitations` is an array of ElicitRequestURLParams, got nothing
      URLElicitationRequiredError
    ");
    assert_snapshot!(error(V2026_07_28, "tools/list", json!({
        "code": -32022, "message": "unsupported", "data": {"supported": "2026-07-28"},
    })), @r#"
    expected `/error/data/requested` is a string, got nothing
      UnsupportedProtocolVersionError
    expected `/error/data/supported` is an array of strings, got "2026-07-28", which is a string
      UnsupportedProtocolVersionError
    "#);
}
