//! The prompts of the reference server.

use serde_json::json;

use super::{Answer, Call, invalid, string, text};
use crate::{json::Value, wire::RpcError};

/// The prompt without arguments.
pub(super) const SIMPLE: &str = "test_simple_prompt";
/// The prompt with arguments.
pub(super) const WITH_ARGUMENTS: &str = "test_prompt_with_arguments";
/// Its arguments.
pub(super) const ARGUMENTS: [&str; 2] = ["arg1", "arg2"];

pub(super) fn list() -> serde_json::Value {
    json!({ "prompts": [
        { "name": SIMPLE, "description": "A prompt that takes no arguments." },
        {
            "name": WITH_ARGUMENTS,
            "description": "A prompt that repeats its two arguments.",
            "arguments": [
                { "name": ARGUMENTS[0], "description": "The first argument", "required": true },
                { "name": ARGUMENTS[1], "description": "The second argument", "required": true },
            ],
        },
    ] })
}

pub(super) fn get(call: &Call) -> Answer {
    prompt(call)
        .map(|text| {
            let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
            json!({ "messages": [message] })
        })
        .into()
}

fn prompt(call: &Call) -> Result<String, RpcError> {
    match text(call, "name")? {
        SIMPLE => Ok("This is a simple prompt for testing.".to_owned()),
        WITH_ARGUMENTS => {
            let arguments = call.param("arguments").unwrap_or(&Value::Null);
            let [first, second] = ARGUMENTS.map(|name| string(arguments, name));
            Ok(format!("Prompt with arguments: arg1='{}', arg2='{}'", first?, second?))
        }
        name => Err(invalid(format!("unknown prompt: {name}"))),
    }
}
