//! The prompts of the reference server.

use serde_json::json;

use super::{Answer, Call, demo, invalid, string, text};
use crate::json::Value;
use crate::spec::Revision;
use crate::wire::RpcError;

/// The prompt without arguments.
pub(super) const SIMPLE: &str = "test_simple_prompt";
/// The prompt with arguments.
pub(super) const WITH_ARGUMENTS: &str = "test_prompt_with_arguments";
/// Its arguments.
pub(super) const ARGUMENTS: [&str; 2] = ["arg1", "arg2"];

pub(super) fn list(_: Revision) -> serde_json::Value {
    let mut prompts = vec![
        json!({ "name": SIMPLE, "description": "A prompt that takes no arguments." }),
        json!({
            "name": WITH_ARGUMENTS,
            "description": "A prompt that repeats its two arguments.",
            "arguments": [
                { "name": ARGUMENTS[0], "description": "The first argument", "required": true },
                { "name": ARGUMENTS[1], "description": "The second argument", "required": true },
            ],
        }),
    ];
    prompts.extend(demo::prompts());
    json!({ "prompts": prompts })
}

pub(super) fn get(call: &Call) -> Answer {
    messages(call).map(|messages| json!({ "messages": messages })).into()
}

fn messages(call: &Call) -> Result<serde_json::Value, RpcError> {
    let name = text(call, "name")?;
    let arguments = call.param("arguments").unwrap_or(&Value::Null);
    let text = match name {
        SIMPLE => "This is a simple prompt for testing.".to_owned(),
        WITH_ARGUMENTS => {
            let [first, second] = ARGUMENTS.map(|name| string(arguments, name));
            format!("Prompt with arguments: arg1='{}', arg2='{}'", first?, second?)
        }
        other => {
            let unknown = || Err(invalid(format!("unknown prompt: {other}")));
            return demo::prompt(other, arguments).unwrap_or_else(unknown);
        }
    };
    Ok(json!([{ "role": "user", "content": { "type": "text", "text": text } }]))
}
