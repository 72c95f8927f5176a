//! The tools of the reference server.

use serde_json::json;

use super::{Answer, Call, invalid, text};
use crate::json::Value;

pub(super) fn list() -> serde_json::Value {
    let nothing = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    json!({ "tools": [
        {
            "name": "test_simple_text",
            "description": "Answers with one piece of text.",
            "inputSchema": nothing,
        },
        {
            "name": "test_error_handling",
            "description": "Fails every time, to show what the failure of a tool looks like.",
            "inputSchema": nothing,
        },
        {
            "name": "add",
            "description": "Adds two numbers.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "a": { "type": "number", "description": "The first number" },
                    "b": { "type": "number", "description": "The second number" },
                },
                "required": ["a", "b"],
            },
        },
    ] })
}

pub(super) fn call(call: &Call) -> Answer {
    let name = match text(call, "name") {
        Ok(name) => name,
        Err(error) => return error.into(),
    };
    let nothing = Value::from(json!({}));
    let arguments = call.param("arguments").unwrap_or(&nothing);
    if !arguments.is_object() {
        return invalid(format!("`arguments` must be an object, got {}", arguments.kind())).into();
    }
    match name {
        "test_simple_text" => said("This is a simple text response for testing."),
        "test_error_handling" => failed("This tool intentionally returns an error for testing"),
        "add" => add(call, arguments),
        _ => invalid(format!("unknown tool: {name}")).into(),
    }
}

fn add(call: &Call, arguments: &Value) -> Answer {
    let mut sum = 0.0;
    for name in ["a", "b"] {
        match arguments.get(name).and_then(Value::as_f64) {
            Some(number) => sum += number,
            None => return refused(call, &format!("`{name}` must be a number")),
        }
    }
    said(&sum.to_string())
}

/// Arguments that do not fit: for the model to see where the revision has it so, else a protocol error.
fn refused(call: &Call, why: &str) -> Answer {
    if call.revision().reports_input_errors_in_results() {
        failed(why)
    } else {
        invalid(why).into()
    }
}

fn said(text: &str) -> Answer {
    json!({ "content": [{ "type": "text", "text": text }] }).into()
}

fn failed(text: &str) -> Answer {
    json!({ "content": [{ "type": "text", "text": text }], "isError": true }).into()
}
