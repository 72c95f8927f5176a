//! A result as text: what a person reads of the result of a tool, the contents of a resource, or a prompt.

use mcp_test_core::json::Value;

/// The text of a result, which ends with a line break.
///
/// What is not text, such as an image, is named by its type and size.
pub(super) fn result_text(method: &str, result: &Value) -> String {
    let list = |member| result.get(member).and_then(Value::as_array).unwrap_or_default();
    let parts: Vec<String> = match method {
        "tools/call" => list("content").iter().map(content).collect(),
        "resources/read" => list("contents").iter().map(contents).collect(),
        _ => list("messages").iter().map(message).collect(),
    };
    if parts.is_empty() {
        // A tool may return only structured content, and what else a result has should not look like silence.
        let whole = result.get("structuredContent").unwrap_or(result);
        return format!("{}\n", whole.pretty());
    }
    parts.iter().map(|part| format!("{}\n", part.strip_suffix('\n').unwrap_or(part))).collect()
}

/// A message of a prompt, after the role of its sender.
fn message(message: &Value) -> String {
    let role = text(message, "role").unwrap_or("(without a role)");
    format!("{role}: {}", message.get("content").map(content).unwrap_or_default())
}

/// A content item.
fn content(item: &Value) -> String {
    match text(item, "type") {
        Some("text") => text(item, "text").unwrap_or_default().to_owned(),
        Some("resource") => item.get("resource").map(contents).unwrap_or_default(),
        Some("resource_link") => {
            format!("[resource {}]", text(item, "uri").unwrap_or("without a URI"))
        }
        Some(kind @ ("image" | "audio")) => binary(kind, item, "data"),
        // A type of a newer revision.
        _ => item.pretty(),
    }
}

/// The contents of a resource.
fn contents(resource: &Value) -> String {
    match text(resource, "text") {
        Some(text) => text.to_owned(),
        None => binary("resource", resource, "blob"),
    }
}

/// Binary data, which `--json` prints in Base64.
fn binary(kind: &str, item: &Value, member: &str) -> String {
    let mime_type = text(item, "mimeType").unwrap_or("of unknown type");
    let size = text(item, member).map_or(0, str::len);
    format!("[{kind} {mime_type}, {size} characters of Base64]")
}

fn text<'a>(object: &'a Value, member: &str) -> Option<&'a str> {
    object.get(member).and_then(Value::as_str)
}
