//! The JSON Schema of a document of cases, for editors: completion, help, and mistakes where they are made.

use serde_json::{Value, json};

/// The JSON Schema of one document of a file of cases, draft 2020-12.
///
/// ```
/// let schema = mcp_test::cases::json_schema();
/// assert_eq!(schema["properties"]["case"]["type"], "string");
/// ```
#[must_use]
pub fn json_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "MCP Cases",
        "description": "A case: a conversation between an MCP client and a server. The messages stand in the order in which they are said.",
        "type": "object",
        "properties": {
            "case": {
                "title": "Name",
                "description": "What the case is called.",
                "type": "string",
                "examples": ["Adds two numbers"],
            },
        },
        "patternProperties": {
            "^in": message("The client says this to the server."),
            "^out": message("The server says this to the client."),
            "^_": true,
        },
        "additionalProperties": false,
    })
}

fn message(description: &str) -> Value {
    json!({
        "title": "Message",
        "description": description,
        "type": "object",
        "examples": [{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}],
    })
}
