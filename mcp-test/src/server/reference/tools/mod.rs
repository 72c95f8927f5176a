//! The tools of the reference server.

mod asking;
mod telling;

use serde_json::json;

use super::{Answer, Call, asking::require, demo, invalid, text};
use crate::json::Value;
use crate::spec::{Capability, Revision};

/// What a tool takes that takes nothing.
fn nothing() -> serde_json::Value {
    json!({ "type": "object", "properties": {}, "additionalProperties": false })
}

/// What a tool takes that takes one text.
fn one_text(name: &str, description: &str) -> serde_json::Value {
    let text = json!({ "type": "string", "description": description });
    json!({ "type": "object", "properties": { name: text }, "required": [name] })
}

fn numbers() -> serde_json::Value {
    let number = |description| json!({ "type": "number", "description": description });
    let properties = json!({ "a": number("The first number"), "b": number("The second number") });
    json!({ "type": "object", "properties": properties, "required": ["a", "b"] })
}

pub(super) fn list(revision: Revision) -> serde_json::Value {
    let tools = [
        ("test_simple_text", "Answers with one piece of text.", nothing()),
        (
            "test_error_handling",
            "Fails every time, to show what the failure of a tool looks like.",
            nothing(),
        ),
        ("add", "Adds two numbers.", numbers()),
        ("test_tool_with_logging", "Logs three times what it does.", nothing()),
        ("test_tool_with_progress", "Tells three times how far it is.", nothing()),
        ("test_sampling", "Asks a model.", one_text("prompt", "What the model is asked")),
        ("test_elicitation", "Asks the user.", one_text("message", "What the user is asked")),
        ("test_missing_capability", "Works for clients with sampling only.", nothing()),
        ("test_streaming_elicitation", "Asks the user for a colour.", nothing()),
        ("test_logging_tool", "Logs three times what it does.", nothing()),
        ("test_trigger_tool_change", "Tells that the list of tools has changed.", nothing()),
        ("test_trigger_prompt_change", "Tells that the list of prompts has changed.", nothing()),
        ("test_reconnection", "Sends its client away before it answers.", nothing()),
    ];
    let tool = |(name, description, schema)| json!({ "name": name, "description": description, "inputSchema": schema });
    let mut tools: Vec<_> = tools.map(tool).into();
    tools.extend(demo::tools(revision));
    json!({ "tools": tools })
}

pub(super) async fn call(call: &Call) -> Answer {
    let name = match text(call, "name") {
        Ok(name) => name,
        Err(error) => return error.into(),
    };
    let none = Value::from(json!({}));
    let arguments = call.param("arguments").unwrap_or(&none);
    if !arguments.is_object() {
        return invalid(format!("`arguments` must be an object, got {}", arguments.kind())).into();
    }
    match name {
        "test_simple_text" => said("This is a simple text response for testing."),
        "test_error_handling" => failed("This tool intentionally returns an error for testing"),
        "add" => add(call, arguments),
        "test_tool_with_logging" | "test_logging_tool" => telling::log(call).await,
        "test_tool_with_progress" => telling::progress(call).await,
        "test_trigger_tool_change" => telling::change(call, "tools"),
        "test_trigger_prompt_change" => telling::change(call, "prompts"),
        "test_reconnection" => telling::hang_up(call).await,
        "test_sampling" => asking::sample(call, arguments).await,
        "test_elicitation" => asking::elicit(call, arguments).await,
        "test_streaming_elicitation" => asking::elicit_colour(call).await,
        "test_missing_capability" => match require(call, Capability::Sampling) {
            Ok(()) => said("The client has sampling"),
            Err(instead) => instead,
        },
        _ => {
            let unknown = || invalid(format!("unknown tool: {name}")).into();
            demo::call(call, name, arguments).await.unwrap_or_else(unknown)
        }
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
pub(super) fn refused(call: &Call, why: &str) -> Answer {
    if call.revision().reports_input_errors_in_results() {
        failed(why)
    } else {
        invalid(why).into()
    }
}

pub(super) fn said(text: &str) -> Answer {
    json!({ "content": [{ "type": "text", "text": text }] }).into()
}

pub(super) fn failed(text: &str) -> Answer {
    json!({ "content": [{ "type": "text", "text": text }], "isError": true }).into()
}
