//! Recognises the SDK behind an answer.
//!
//! SDKs answer some requests themselves, always with the same status, code and text. Only these whole answers are
//! recognised, where authors use the same text together with what else shows the SDK.

use mcp_test_core::check::Sdk;

use crate::scenarios::prelude::*;

/// The refusal of a second listening stream: the SDK, the HTTP status, and the text or the code and text of the error.
type Refusal = (Sdk, u16, Option<i64>, &'static str);

/// Python and TypeScript have the same text, but different codes.
const SECOND_STREAM: [Refusal; 5] = [
    (Sdk::TypeScript, 409, Some(-32000), "Conflict: Only one SSE stream is allowed per session"),
    (
        Sdk::Python,
        409,
        Some(error_code::INVALID_REQUEST),
        "Conflict: Only one SSE stream is allowed per session",
    ),
    (Sdk::Go, 409, None, "stream ID conflicts with ongoing stream\n"),
    (
        Sdk::CSharp,
        400,
        Some(-32000),
        "Bad Request: This server does not support multiple GET requests. Start a new session to get a new GET SSE response.",
    ),
    (
        Sdk::CSharp,
        400,
        Some(-32000),
        "Bad Request: This server does not support multiple GET requests. Start a new session or use Last-Event-ID header to resume.",
    ),
];

/// The SDK that refuses a second listening stream of a session with this response.
pub(super) fn recognize_second_stream(status: u16, body: &[u8]) -> Option<Sdk> {
    let json = Value::parse(body).ok();
    let error = json.as_ref().and_then(|json| json.value.get("error"));
    let code = error.and_then(|error| error.get("code")?.as_i64());
    let text = error.map(|error| error.get("message").and_then(Value::as_str));
    let text = text.unwrap_or_else(|| std::str::from_utf8(body).ok())?;
    let refusal = SECOND_STREAM
        .iter()
        .find(|(_, of, error_code, message)| (*of, *error_code, *message) == (status, code, text));
    refusal.map(|(sdk, ..)| *sdk)
}

/// The SDK that refuses a request with this error, before the server's own code has it.
pub(super) fn recognize_refused_request(error: &RpcError) -> Option<Sdk> {
    // Version 1 of the Python SDK reads all requests as one type, and answers what does not fit, also an unknown method, always so.
    let no_details = error.data.as_ref().and_then(Value::as_str) == Some("");
    if error.code == error_code::INVALID_PARAMS
        && error.message == "Invalid request parameters"
        && no_details
    {
        return Some(Sdk::Python);
    }
    // The TypeScript SDK validates whole requests with Zod, and sends the issues as the message. Their paths start at the
    // request, unlike those of the author's own schemas, which start at the arguments.
    if error.code != error_code::INTERNAL_ERROR {
        return None;
    }
    let issues = Value::parse(error.message.as_bytes()).ok()?;
    let issues = issues.value.as_array().filter(|issues| !issues.is_empty())?;
    let is_of_request = |issue: &Value| {
        let first = issue.get("path").and_then(|path| path.as_array()?.first()?.as_str());
        let has = |name| issue.get(name).and_then(Value::as_str).is_some();
        first == Some("params") && has("code") && has("message")
    };
    issues.iter().all(is_of_request).then_some(Sdk::TypeScript)
}

/// The SDK that answers a call of the unknown tool `name` with this result, from a server with these capabilities.
pub(super) fn recognize_unknown_tool(
    result: &Value,
    name: &str,
    capabilities: &Value,
) -> Option<Sdk> {
    let [content] = result.get("content")?.as_array()? else { return None };
    if result.get("isError").and_then(Value::as_bool) != Some(true) {
        return None;
    }
    let text = content.get("text").and_then(Value::as_str)?;
    // `McpServer` of version 1 turns its own error into a result.
    if text == format!("MCP error -32602: Tool {name} not found") {
        return Some(Sdk::TypeScript);
    }
    // Many authors write the same as the Python SDK, which therefore has to show in something else.
    let is_python = is_python_1(capabilities) || is_python_2(content, capabilities);
    (text == format!("Unknown tool: {name}") && is_python).then_some(Sdk::Python)
}

/// Version 1 declares this always, and turns each exception of a tool into a result, also of handlers that authors register.
fn is_python_1(capabilities: &Value) -> bool {
    let experimental = capabilities.get("experimental").and_then(Value::as_object);
    experimental.is_some_and(Object::is_empty)
}

/// `MCPServer` of version 2 declares the same for these three whatever it offers, and writes members sorted by name.
fn is_python_2(content: &Value, capabilities: &Value) -> bool {
    let changes = capabilities.at("/tools/listChanged").and_then(Value::as_bool);
    let Some(changes) = changes else { return false };
    let declared = Value::from(json!({
        "prompts": {"listChanged": changes},
        "resources": {"listChanged": changes, "subscribe": changes},
        "tools": {"listChanged": changes},
    }));
    let first = content.as_object().and_then(|content| content.keys().next());
    first == Some("text") && *capabilities == declared
}

/// The SDK that refuses to read the unknown resource `uri` with this error.
pub(super) fn recognize_unknown_resource(error: &RpcError, uri: &str) -> Option<Sdk> {
    let naming = Value::from(json!({ "uri": uri }));
    let named = error.data.as_ref() == Some(&naming);
    let is = |code, message: String| error.code == code && error.message == message;
    let invalid = error_code::INVALID_PARAMS;
    match &error.data {
        // Version 1: its class of errors puts the code before each message.
        None if is(invalid, format!("MCP error -32602: Resource {uri} not found")) => {
            Some(Sdk::TypeScript)
        }
        Some(_) if named && is(invalid, format!("Resource not found: {uri}")) => {
            Some(Sdk::TypeScript)
        }
        // Version 1 gives each exception the code 0.
        None if is(0, format!("Unknown resource: {uri}")) => Some(Sdk::Python),
        Some(_) if named && is(invalid, format!("Unknown resource: {uri}")) => Some(Sdk::Python),
        Some(_) if named && is(invalid, "Resource not found".to_owned()) => Some(Sdk::Go),
        _ => None,
    }
}

/// The SDK that a server is built on which has not answered an array of requests since the event `sent`: no code of authors reads
/// messages before it.
pub(super) async fn recognize_unanswered_array(ctx: &mut Ctx, sent: Seq) -> Option<Sdk> {
    const TOOL: &str = "no-such-tool-of-mcp-test";
    const URI: &str = "mcp-test://no-such-resource";
    if has_logged_exception(ctx, sent) {
        return Some(Sdk::Python);
    }
    // Its transport drops the array, so that other requests have to show which one it is.
    if ctx.declares(Capability::Resources).await.ok()? {
        let reply = ctx.request("resources/read", json!({ "uri": URI })).promptly().await.ok()?;
        let sdk = reply.error().and_then(|error| recognize_unknown_resource(error, URI));
        if sdk.is_some() {
            return sdk;
        }
    }
    if !ctx.declares(Capability::Tools).await.ok()? {
        return None;
    }
    let params = json!({ "name": TOOL, "arguments": {} });
    let reply = ctx.request("tools/call", params).promptly().await.ok()?;
    // Refusing it is right.
    let _any_error = reply.error();
    let capabilities = ctx.client().await.ok()?.server().capabilities.clone();
    reply.outcome().ok().and_then(|result| recognize_unknown_tool(result, TOOL, &capabilities))
}

/// Whether version 1 of the Python SDK has reported that it cannot read a message.
fn has_logged_exception(ctx: &Ctx, sent: Seq) -> bool {
    let report = Value::from(json!({
        "level": "error",
        "logger": "mcp.server.exception_handler",
        "data": "Internal Server Error",
    }));
    let trace = ctx.trace();
    let later = trace.messages().filter(|(event, _)| event.seq > sent);
    later.into_iter().any(|(_, message)| match message {
        Message::Notification(notification) => {
            notification.method == "notifications/message"
                && notification.params.as_ref().is_some_and(|params| *params == report)
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_refusals_of_a_second_stream_are_distinguished() {
        let of = |status, body: &str| recognize_second_stream(status, body.as_bytes());
        let error = |code: i64, id: &str| {
            let text = "Conflict: Only one SSE stream is allowed per session";
            format!(r#"{{"jsonrpc":"2.0","error":{{"code":{code},"message":"{text}"}},"id":{id}}}"#)
        };
        assert_eq!(of(409, &error(-32000, "null")), Some(Sdk::TypeScript));
        assert_eq!(of(409, &error(-32600, "null")), Some(Sdk::Python));
        assert_eq!(of(409, &error(-32600, "\"server-error\"")), Some(Sdk::Python));
        assert_eq!(of(409, "stream ID conflicts with ongoing stream\n"), Some(Sdk::Go));
        let csharp = "Bad Request: This server does not support multiple GET requests. Start a new session or use Last-Event-ID header to resume.";
        let csharp = format!(r#"{{"error":{{"code":-32000,"message":"{csharp}"}},"id":""}}"#);
        assert_eq!(of(400, &csharp), Some(Sdk::CSharp));
    }

    #[test]
    fn other_refusals_are_of_no_known_sdk() {
        let of = |status, body: &str| recognize_second_stream(status, body.as_bytes());
        let text = "Conflict: Only one SSE stream is allowed per session";
        let error = |code: i64| format!(r#"{{"error":{{"code":{code},"message":"{text}"}}}}"#);
        assert_eq!(of(409, &error(-32001)), None);
        assert_eq!(of(400, &error(-32000)), None);
        assert_eq!(of(409, text), None);
        assert_eq!(of(409, r#"{"error":{"code":-32000,"message":"no second stream"}}"#), None);
        assert_eq!(of(409, ""), None);
    }

    #[test]
    fn the_type_of_all_requests_is_of_the_python_sdk() {
        let error = RpcError::new(-32602, "Invalid request parameters");
        assert_eq!(
            recognize_refused_request(&error.clone().with_data(json!(""))),
            Some(Sdk::Python)
        );
        assert_eq!(recognize_refused_request(&error.clone().with_data(json!("level"))), None);
        assert_eq!(recognize_refused_request(&error), None);
    }

    /// A result with `isError`, with its members in this order.
    fn failed(content: &str) -> Value {
        let text = format!(r#"{{"content":[{content}],"isError":true}}"#);
        Value::parse(text.as_bytes()).expect("JSON").value
    }

    #[test]
    fn results_for_an_unknown_tool_are_of_an_sdk_if_something_else_shows_it() {
        let of = |content: &str, capabilities: serde_json::Value| {
            recognize_unknown_tool(&failed(content), "x", &capabilities.into())
        };
        let typescript = r#"{"type":"text","text":"MCP error -32602: Tool x not found"}"#;
        assert_eq!(of(typescript, json!({"tools": {}})), Some(Sdk::TypeScript));
        let other = r#"{"type":"text","text":"MCP error -32602: Tool y not found"}"#;
        assert_eq!(of(other, json!({"tools": {}})), None);

        let python_1 = r#"{"type":"text","text":"Unknown tool: x"}"#;
        let python_2 = r#"{"text":"Unknown tool: x","type":"text"}"#;
        let all = |changes: bool| {
            let resources = json!({"listChanged": changes, "subscribe": changes});
            json!({"prompts": {"listChanged": changes}, "resources": resources, "tools": {"listChanged": changes}})
        };
        let with_experimental = json!({"experimental": {}, "tools": {"listChanged": false}});
        assert_eq!(of(python_1, with_experimental), Some(Sdk::Python));
        assert_eq!(of(python_2, all(false)), Some(Sdk::Python));
        assert_eq!(of(python_2, all(true)), Some(Sdk::Python));
        // What authors write with other SDKs.
        assert_eq!(of(python_1, all(false)), None);
        assert_eq!(of(python_2, json!({"tools": {"listChanged": false}})), None);
        assert_eq!(of(python_1, json!({"tools": {}})), None);
        let longer = r#"{"type":"text","text":"Error: Unknown tool: x"}"#;
        assert_eq!(of(longer, json!({"experimental": {}})), None);
        let twice = format!("{python_1},{python_1}");
        assert_eq!(of(&twice, json!({"experimental": {}})), None);
    }

    #[test]
    fn errors_for_an_unknown_resource_are_whole_answers_of_sdks() {
        let of = |code, message: &str, data: Option<serde_json::Value>| {
            let error = RpcError::new(code, message);
            let error = data.into_iter().fold(error, RpcError::with_data);
            recognize_unknown_resource(&error, "a:b")
        };
        let named = || Some(json!({"uri": "a:b"}));
        let first = "MCP error -32602: Resource a:b not found";
        assert_eq!(of(-32602, first, None), Some(Sdk::TypeScript));
        assert_eq!(of(-32602, "Resource not found: a:b", named()), Some(Sdk::TypeScript));
        assert_eq!(of(0, "Unknown resource: a:b", None), Some(Sdk::Python));
        assert_eq!(of(-32602, "Unknown resource: a:b", named()), Some(Sdk::Python));
        assert_eq!(of(-32602, "Resource not found", named()), Some(Sdk::Go));
        // What authors write.
        assert_eq!(of(-32603, "Unknown resource: a:b", None), None);
        assert_eq!(of(-32602, "Unknown resource: a:b", None), None);
        assert_eq!(of(-32602, "Unknown resource: a:c", named()), None);
        assert_eq!(of(-32602, "Resource not found", None), None);
        assert_eq!(of(-32002, "Resource not found: a:b", named()), None);
    }

    #[test]
    fn issues_of_a_whole_request_are_of_the_typescript_sdk() {
        let of = |code, message: &str| recognize_refused_request(&RpcError::new(code, message));
        let issue =
            r#"[{"code":"invalid_value","path":["params","level"],"message":"Invalid option"}]"#;
        assert_eq!(of(-32603, issue), Some(Sdk::TypeScript));
        assert_eq!(of(-32602, issue), None);
        let of_author = r#"[{"code":"invalid_type","path":["level"],"message":"Required"}]"#;
        assert_eq!(of(-32603, of_author), None);
        assert_eq!(of(-32603, "[]"), None);
        assert_eq!(of(-32603, "it failed"), None);
    }
}
