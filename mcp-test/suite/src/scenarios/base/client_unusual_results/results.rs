//! The results of `client-unusual-results`: all of them valid at their revision. What a client makes of them is judged elsewhere.

use serde_json::Value as Json;

use crate::scenarios::prelude::*;

/// A tool, a prompt and a resource with nothing but the required members.
pub(super) const TOOL: &str = "minimal";
pub(super) const PROMPT: &str = "minimal";
pub(super) const URI: &str = "x-mcp-test+1://a";

/// A tool of 2026-07-28 whose structured results are arrays, and one whose structured result is null.
const ARRAYS: &str = "arrays";
const NULL: &str = "null";

/// One red pixel as PNG, and a WAV file without samples.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

pub(super) fn tools(revision: Revision) -> Json {
    let composed = json!({
        "type": "object",
        "$defs": { "name": { "type": "string", "minLength": 1 } },
        "properties": { "first": { "$ref": "#/$defs/name" }, "second": { "$ref": "#/$defs/name" } },
        "anyOf": [{ "required": ["first"] }, { "not": { "required": ["first"] } }],
        "if": { "required": ["first"] },
        "then": { "properties": { "first": { "maxLength": 9 } } },
    });
    let mut tools = vec![json!({ "name": TOOL, "inputSchema": { "type": "object" } })];
    // Older revisions define `properties` and `required` only, and do not say what a client does with the rest.
    if revision.era() == Era::Stateless {
        tools.extend([
            json!({ "name": "composed", "inputSchema": composed }),
            json!({
                "name": ARRAYS,
                "inputSchema": { "type": "object" },
                "outputSchema": { "type": "array", "items": { "type": "integer" } },
            }),
            json!({
                "name": NULL,
                "inputSchema": { "type": "object" },
                "outputSchema": { "type": "null" },
            }),
        ]);
    }
    json!({ "tools": tools })
}

pub(super) fn tool_result(call: &Call) -> Answer {
    let structured = |value: Json| json!({ "content": [{ "type": "text", "text": value.to_string() }], "structuredContent": value });
    match call.param("name").and_then(Value::as_str) {
        Some(TOOL | "composed") => json!({ "content": content(call.revision()) }).into(),
        Some(ARRAYS) => structured(json!([1, 2])).into(),
        Some(NULL) => structured(Json::Null).into(),
        _ => Answer::error(error_code::INVALID_PARAMS, "this tool is not listed"),
    }
}

/// An item of every content type that the revision has, the links to resources that no list has.
fn content(revision: Revision) -> Vec<Json> {
    let text = json!({ "uri": "file:///unlisted.txt", "text": "a text" });
    let blob = json!({ "uri": "file:///unlisted.bin", "mimeType": "application/octet-stream", "blob": "AAE=" });
    let mut content = vec![
        json!({ "type": "text", "text": "" }),
        json!({ "type": "image", "data": PNG, "mimeType": "image/png" }),
        json!({ "type": "resource", "resource": text }),
        json!({ "type": "resource", "resource": blob }),
        json!({ "type": "audio", "data": WAV, "mimeType": "audio/wav" }),
    ];
    if revision.has_resource_links() {
        content
            .push(json!({ "type": "resource_link", "uri": "x-mcp-test://b", "name": "unlisted" }));
    }
    content
}

pub(super) fn resources() -> Json {
    let directory =
        json!({ "uri": "file:///project", "name": "project", "mimeType": "inode/directory" });
    json!({ "resources": [{ "uri": URI, "name": "a" }, directory] })
}

/// Several contents, as for a directory.
pub(super) fn contents(call: &Call) -> Answer {
    let Some(uri) = call.param("uri").and_then(Value::as_str) else {
        return Answer::error(error_code::INVALID_PARAMS, "`uri` is missing");
    };
    let part = |name: &str, text: &str| json!({ "uri": format!("{uri}/{name}"), "text": text });
    json!({ "contents": [{ "uri": uri, "text": "" }, part("a", "one"), part("b", "two")] }).into()
}

pub(super) fn prompts() -> Json {
    json!({ "prompts": [{ "name": PROMPT }] })
}

pub(super) fn messages(revision: Revision) -> Json {
    let messages = content(revision).into_iter();
    let messages = messages.map(|content| json!({ "role": "user", "content": content }));
    json!({ "messages": messages.collect::<Vec<_>>() })
}
