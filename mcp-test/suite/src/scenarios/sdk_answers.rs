//! Recognises the SDK behind an answer.
//!
//! SDKs answer some requests themselves, always with the same status, code and text. Only these whole answers are
//! recognised.

use mcp_test_core::check::Sdk;
use mcp_test_core::json::Value;
use mcp_test_core::spec::error_code;
use mcp_test_core::wire::RpcError;

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
pub(super) fn of_second_stream(status: u16, body: &[u8]) -> Option<Sdk> {
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

/// The SDK that refuses the params of a request with this error.
pub(super) fn of_refused_params(error: &RpcError) -> Option<Sdk> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_refusals_of_a_second_stream_are_distinguished() {
        let of = |status, body: &str| of_second_stream(status, body.as_bytes());
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
        let of = |status, body: &str| of_second_stream(status, body.as_bytes());
        let text = "Conflict: Only one SSE stream is allowed per session";
        let error = |code: i64| format!(r#"{{"error":{{"code":{code},"message":"{text}"}}}}"#);
        assert_eq!(of(409, &error(-32001)), None);
        assert_eq!(of(400, &error(-32000)), None);
        assert_eq!(of(409, text), None);
        assert_eq!(of(409, r#"{"error":{"code":-32000,"message":"no second stream"}}"#), None);
        assert_eq!(of(409, ""), None);
    }

    #[test]
    fn issues_of_a_whole_request_are_of_the_typescript_sdk() {
        let of = |code, message: &str| of_refused_params(&RpcError::new(code, message));
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
