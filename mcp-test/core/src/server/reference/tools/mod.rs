//! The tools of the reference server.

#[doc(hidden)]
pub mod contact;
mod content;
mod input_required;
mod interactive;
mod notifying;

use serde_json::json;

use super::tasks::{self, TaskStarter};
use super::tool_result::{error_result, invalid_arguments, text_result};
use super::{Answer, Call, demo, invalid, text};
use crate::json::Value;
use crate::spec::header::X_MCP_HEADER;
use crate::spec::{Capability, Revision};

/// The tool with an argument that a header mirrors.
pub(super) const MIRRORED: &str = "test_custom_header";
/// That argument.
pub(super) const REGION: &str = "region";
/// Its header, without the prefix.
pub(super) const REGION_HEADER: &str = "Region";

/// The schema of a tool without arguments.
fn no_arguments() -> serde_json::Value {
    json!({ "type": "object", "properties": {}, "additionalProperties": false })
}

/// The schema of a tool with one text argument.
fn one_text(name: &str, description: &str) -> serde_json::Value {
    let text = json!({ "type": "string", "description": description });
    json!({ "type": "object", "properties": { name: text }, "required": [name] })
}

/// The schema of a tool with two numbers.
fn numbers() -> serde_json::Value {
    let number = |description| json!({ "type": "number", "description": description });
    let properties = json!({ "a": number("The first number"), "b": number("The second number") });
    json!({ "type": "object", "properties": properties, "required": ["a", "b"] })
}

pub(super) fn list(revision: Revision) -> serde_json::Value {
    let tools = [
        ("test_simple_text", "Answers with one piece of text.", no_arguments()),
        (contact::NAME, "Takes a name, an address and a way of contact.", contact::input_schema()),
        (
            "test_error_handling",
            "Fails every time, to show what the failure of a tool looks like.",
            no_arguments(),
        ),
        ("add", "Adds two numbers.", numbers()),
        ("test_tool_with_logging", "Logs three times what it does.", no_arguments()),
        ("test_tool_with_progress", "Reports progress three times.", no_arguments()),
        ("test_sampling", "Asks a model.", one_text("prompt", "What the model is asked")),
        ("test_elicitation", "Asks the user.", one_text("message", "What the user is asked")),
        ("test_missing_capability", "Works for clients with sampling only.", no_arguments()),
        ("test_streaming_elicitation", "Asks the user for a colour.", no_arguments()),
        ("test_logging_tool", "Logs three times what it does.", no_arguments()),
        ("test_trigger_tool_change", "Tells that the list of tools has changed.", no_arguments()),
        (
            "test_trigger_prompt_change",
            "Tells that the list of prompts has changed.",
            no_arguments(),
        ),
        ("test_reconnection", "Sends its client away before it answers.", no_arguments()),
    ];
    let tool = |(name, description, schema)| json!({ "name": name, "description": description, "inputSchema": schema });
    let mut tools: Vec<_> = tools.map(tool).into();
    let with_content = content::tools(revision);
    tools.extend(with_content.map(|(name, description)| tool((name, description, no_arguments()))));
    if revision.has_form_choices() {
        tools.extend([
            tool((
                "test_elicitation_sep1034_defaults",
                "Asks the user, with defaults.",
                no_arguments(),
            )),
            tool(("test_elicitation_sep1330_enums", "Asks the user for choices.", no_arguments())),
        ]);
    }
    if revision.has_input_requests() {
        let asking = input_required::TOOLS;
        tools.extend(asking.map(|(name, description)| tool((name, description, no_arguments()))));
    }
    tools.extend(demo::tools(revision));
    if revision.mirrors_headers() {
        let region = json!({ "type": "string", "description": "Where to look", X_MCP_HEADER: REGION_HEADER });
        let schema =
            json!({ "type": "object", "properties": { REGION: region }, "required": [REGION] });
        let mut mirrored = tool((MIRRORED, "Takes an argument that a header mirrors.", schema));
        mirrored["annotations"] = json!({ "readOnlyHint": true });
        tools.push(mirrored);
    }
    tools.extend(tasks::list(revision));
    json!({ "tools": tools })
}

/// The tools, and one more that cannot be called.
pub(super) fn list_with_another(revision: Revision) -> serde_json::Value {
    let mut page = list(revision);
    let another = json!({ "name": "another", "description": "Is listed late.", "inputSchema": no_arguments() });
    page["tools"].as_array_mut().into_iter().for_each(|tools| tools.push(another.clone()));
    page
}

pub(super) async fn call(call: &Call, tasks: &TaskStarter) -> Answer {
    let name = match text(call, "name") {
        Ok(name) => name,
        Err(error) => return error.into(),
    };
    let none = Value::from(json!({}));
    // `arguments` is optional in the schema of `tools/call`.
    let arguments = call.param("arguments").unwrap_or(&none);
    if !arguments.is_object() {
        return invalid(format!("`arguments` must be an object, got {}", arguments.kind())).into();
    }
    match name {
        "test_simple_text" => text_result("This is a simple text response for testing."),
        "test_error_handling" => {
            error_result("This tool intentionally returns an error for testing")
        }
        contact::NAME => contact::call(call, arguments),
        "add" => add(call, arguments),
        MIRRORED if call.revision().mirrors_headers() => {
            match arguments.get(REGION).and_then(Value::as_str) {
                Some(region) => text_result(&format!("The region is {region}.")),
                None => invalid_arguments(call, &format!("`{REGION}` must be a string")),
            }
        }
        "test_tool_with_logging" | "test_logging_tool" => notifying::log(call).await,
        "test_tool_with_progress" => notifying::progress(call).await,
        "test_trigger_tool_change" => notifying::change(call, "tools"),
        "test_trigger_prompt_change" => notifying::change(call, "prompts"),
        "test_reconnection" => notifying::hang_up(call).await,
        "test_sampling" => interactive::sample(call, arguments).await,
        "test_elicitation" => interactive::elicit(call, arguments).await,
        "test_elicitation_sep1034_defaults" if call.revision().has_form_choices() => {
            interactive::elicit_defaults(call).await
        }
        "test_elicitation_sep1330_enums" if call.revision().has_form_choices() => {
            interactive::elicit_choices(call).await
        }
        "test_streaming_elicitation" => interactive::elicit_colour(call).await,
        "test_missing_capability" => match call.require(Capability::Sampling) {
            Ok(()) => text_result("The client has sampling"),
            Err(instead) => instead,
        },
        _ => {
            let offered = content::call(name, call.revision());
            if let Some(answer) = offered.or_else(|| input_required::call(call, name)) {
                return answer;
            }
            let unknown = || invalid(format!("unknown tool: {name}")).into();
            match tasks::call(tasks, call, name, arguments).await {
                Some(answer) => answer,
                None => demo::call(call, name, arguments).await.unwrap_or_else(unknown),
            }
        }
    }
}

fn add(call: &Call, arguments: &Value) -> Answer {
    // One by one, so that the error names the first argument that is wrong.
    let mut sum = 0.0;
    for name in ["a", "b"] {
        match arguments.get(name).and_then(Value::as_f64) {
            Some(number) => sum += number,
            None => return invalid_arguments(call, &format!("`{name}` must be a number")),
        }
    }
    text_result(&sum.to_string())
}
