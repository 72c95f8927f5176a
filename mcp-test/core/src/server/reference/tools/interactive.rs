//! The tools that ask the client for input.

use serde_json::json;

use super::{Answer, Call};
use crate::json::Value;
use crate::server::reference::client_input::ask;
use crate::server::reference::tool_result::{invalid_arguments, text_result};
use crate::spec::Capability;

/// Asks a model and returns its response.
pub(super) async fn sample(call: &Call, arguments: &Value) -> Answer {
    let Some(prompt) = arguments.get("prompt").and_then(Value::as_str) else {
        return invalid_arguments(call, "`prompt` must be a string");
    };
    let message = json!({ "role": "user", "content": { "type": "text", "text": prompt } });
    let params = json!({ "messages": [message], "maxTokens": 100 });
    let asked = ask(call, "sampling/createMessage", Capability::Sampling, params).await;
    match asked {
        Ok(result) => text_result(&format!("LLM response: {}", texts(result.get("content")))),
        Err(instead) => instead,
    }
}

/// Asks the user for a name and an address and returns them.
pub(super) async fn elicit(call: &Call, arguments: &Value) -> Answer {
    let Some(message) = arguments.get("message").and_then(Value::as_str) else {
        return invalid_arguments(call, "`message` must be a string");
    };
    let schema = json!({
        "type": "object",
        "properties": {
            "username": { "type": "string", "description": "The name of the user" },
            "email": { "type": "string", "format": "email", "description": "The address of the user" },
        },
        "required": ["username", "email"],
    });
    form(call, message, schema).await
}

/// Asks the user with a field of each type, each with a default.
pub(super) async fn elicit_defaults(call: &Call) -> Answer {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true },
        },
    });
    form(call, "Please review these values", schema).await
}

/// Asks the user for a choice of each kind.
pub(super) async fn elicit_choices(call: &Call) -> Answer {
    let options = json!(["option1", "option2", "option3"]);
    let titled = json!([
        { "const": "value1", "title": "First Option" },
        { "const": "value2", "title": "Second Option" },
        { "const": "value3", "title": "Third Option" },
    ]);
    let schema = json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": options },
            "titledSingle": { "type": "string", "oneOf": titled },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled } },
        },
    });
    form(call, "Please choose", schema).await
}

/// Asks the user for a colour.
pub(super) async fn elicit_colour(call: &Call) -> Answer {
    let colour = json!({ "type": "string", "description": "A colour" });
    let schema =
        json!({ "type": "object", "properties": { "colour": colour }, "required": ["colour"] });
    form(call, "What is your favourite colour?", schema).await
}

async fn form(call: &Call, message: &str, schema: serde_json::Value) -> Answer {
    let params = json!({ "message": message, "requestedSchema": schema });
    let asked = ask(call, "elicitation/create", Capability::Elicitation, params).await;
    match asked {
        Ok(result) => {
            let action = result.get("action").and_then(Value::as_str).unwrap_or("nothing");
            let content = result.get("content").map_or_else(|| "{}".to_owned(), Value::to_string);
            text_result(&format!("User response: action={action}, content={content}"))
        }
        Err(instead) => instead,
    }
}

/// All texts of one content block or of several.
pub(super) fn texts(content: Option<&Value>) -> String {
    let blocks = match content {
        Some(Value::Array(blocks)) => blocks.iter().collect(),
        one => Vec::from_iter(one),
    };
    let texts: Vec<&str> =
        blocks.into_iter().filter_map(|block| block.get("text")?.as_str()).collect();
    texts.join("\n")
}
