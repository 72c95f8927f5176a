//! The JSON Schema of a document of cases, for editors: completion, help, and mistakes where they are made.
//!
//! What it says of the keys with `_` stands in the table that reads them.

use serde_json::{Map, Value, json};

use super::keys::KEYS;

/// The JSON Schema of one document of a file of cases, draft 7, which is what
/// editors understand.
///
/// ```
/// let schema = mcp_test::cases::json_schema();
/// assert_eq!(schema["properties"]["case"]["type"], "string");
/// ```
///
/// With yaml-language-server, a comment in a file of cases names the schema, and each document of the file is held against
/// it: `# yaml-language-server: $schema=mcp-cases.schema.json`.
#[must_use]
pub fn json_schema() -> Value {
    let case = json!({
        "title": "case",
        "description": "What the case is called.",
        "type": "string",
        "pattern": "\\S",
        "examples": ["Adds two numbers"],
    });
    let extensions = KEYS.iter().map(|key| {
        let mut schema = Map::from_iter([
            ("title".to_owned(), json!(key.name)),
            ("description".to_owned(), json!(key.says)),
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
        "description": "A case: a conversation between an MCP client and a server. The messages stand in the order in \
                        which they are said.",
        "type": "object",
        "properties": properties,
        "patternProperties": {
            "^in": message("The client says this to the server."),
            "^out": message("The server says this to the client."),
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
                "description": "What ties a reply to its request. In a case it is a label: on the wire it may be another.",
                "type": ["string", "number", "null"],
            },
            "method": {"description": "What is asked for, or told.", "type": "string"},
            "params": {"description": "With what.", "type": ["object", "array"]},
            "result": {"description": "What a reply has, unless it has an error."},
            "error": {
                "description": "What a reply has if the request failed.",
                "type": "object",
                "properties": {"code": {"type": "integer"}, "message": {"type": "string"}},
                "required": ["code", "message"],
            },
        },
        "required": ["jsonrpc"],
        "anyOf": [
            {"required": ["method"], "not": {"anyOf": [{"required": ["result"]}, {"required": ["error"]}]}},
            {"required": ["id", "result"], "not": {"required": ["error"]}},
            {"required": ["error"], "not": {"required": ["result"]}},
        ],
        "examples": [
            {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
            {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}},
        ],
    })
}
