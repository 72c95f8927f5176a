//! The JSON Schema of a case, with which editors complete and validate files.
//!
//! The schemas of keys with `_` are in the table that reads them.

use serde_json::{Map, Value, json};

use super::keys::KEYS;

/// The JSON Schema of one case, in draft 7, the draft that editors support.
///
/// ```
/// let schema = mcp_test::cases::json_schema();
/// assert_eq!(schema["properties"]["case"]["type"], "string");
/// ```
///
/// With yaml-language-server, a comment names the schema against which each case in the file is validated:
/// `# yaml-language-server: $schema=mcp-cases.schema.json`.
#[must_use]
pub fn json_schema() -> Value {
    let case = json!({
        "title": "case",
        "description": "The name of the case.",
        "type": "string",
        "pattern": "\\S",
        "examples": ["Adds two numbers"],
    });
    let extensions = KEYS.iter().map(|key| {
        let mut schema = Map::from_iter([
            ("title".to_owned(), json!(key.name)),
            ("description".to_owned(), json!(key.summary)),
            ("examples".to_owned(), (key.examples)()),
        ]);
        if let Value::Object(form) = (key.schema)() {
            schema.extend(form);
        }
        (key.name.to_owned(), Value::Object(schema))
    });
    let properties: Map<String, Value> =
        [("case".to_owned(), case)].into_iter().chain(extensions).collect();
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "MCP Cases",
        "description": "A case: a conversation between an MCP client and a server, with its messages in order.",
        "type": "object",
        "properties": properties,
        "patternProperties": {
            "^in": message("A message from the client to the server."),
            "^out": message("A message from the server to the client."),
            "^_": {"description": "An extension."},
        },
        "additionalProperties": false,
    })
}

fn message(description: &str) -> Value {
    json!({
        "title": "A message",
        "description": description,
        "type": "object",
        "properties": {
            "jsonrpc": {"description": "The version of JSON-RPC.", "const": "2.0"},
            "id": {
                "description": "Links a reply to its request. In a case it is a label; the id on the wire may differ.",
                "type": ["string", "number", "null"],
            },
            "method": {"description": "The method of the request or notification.", "type": "string"},
            // JSON-RPC 2.0 (section 4.2) allows arrays; MCP does not, which `lint` reports.
            "params": {"description": "Its parameters.", "type": ["object", "array"]},
            "result": {"description": "The result of a successful request."},
            "error": {
                "description": "The error of a failed request.",
                "type": "object",
                "properties": {"code": {"type": "integer"}, "message": {"type": "string"}},
                "required": ["code", "message"],
            },
        },
        "required": ["jsonrpc"],
        "anyOf": [
            {"required": ["method"], "not": {"anyOf": [{"required": ["result"]}, {"required": ["error"]}]}},
            {"required": ["id", "result"], "not": {"required": ["error"]}},
            // An error for a request that could not be read need not have an `id`.
            {"required": ["error"], "not": {"required": ["result"]}},
        ],
        "examples": [
            {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
            {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}},
        ],
    })
}
