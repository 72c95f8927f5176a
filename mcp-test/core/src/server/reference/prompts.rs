//! The prompts of the reference server.

use serde_json::json;

use super::client_input::field_form;
use super::{Answer, Call, PIXEL, demo, invalid, string, text, user_message};
use crate::json::Value;
use crate::server::InputRequest;
use crate::spec::Revision;
use crate::spec::schema::is_uri;

/// The prompt without arguments.
pub(super) const SIMPLE: &str = "test_simple_prompt";
/// The prompt with arguments.
pub(super) const WITH_ARGUMENTS: &str = "test_prompt_with_arguments";
/// Its arguments.
pub(super) const ARGUMENTS: [&str; 2] = ["arg1", "arg2"];
/// The prompt with an embedded resource.
const WITH_RESOURCE: &str = "test_prompt_with_embedded_resource";
/// The prompt with an image.
const WITH_IMAGE: &str = "test_prompt_with_image";
/// The prompt that asks for input in its result, which exists since 2026-07-28.
const WITH_INPUT: &str = "test_input_required_result_prompt";

pub(super) fn list(revision: Revision) -> serde_json::Value {
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
        json!({
            "name": WITH_RESOURCE,
            "description": "A prompt that embeds a resource.",
            "arguments": [{ "name": "resourceUri", "description": "The URI of the resource", "required": true }],
        }),
        json!({ "name": WITH_IMAGE, "description": "A prompt with a picture." }),
    ];
    if revision.has_input_requests() {
        prompts.push(json!({ "name": WITH_INPUT, "description": "A prompt that asks the user." }));
    }
    prompts.extend(demo::prompts());
    json!({ "prompts": prompts })
}

pub(super) fn get(call: &Call) -> Answer {
    match messages(call) {
        Ok(messages) => json!({ "messages": messages }).into(),
        Err(instead) => instead,
    }
}

fn messages(call: &Call) -> Result<serde_json::Value, Answer> {
    let name = text(call, "name")?;
    let arguments = call.param("arguments").unwrap_or(&Value::Null);
    let says = |text: &str| user_message(&json!({ "type": "text", "text": text }));
    Ok(match name {
        SIMPLE => json!([says("This is a simple prompt for testing.")]),
        WITH_ARGUMENTS => {
            let [first, second] = ARGUMENTS.map(|name| string(arguments, name));
            json!([says(&format!("Prompt with arguments: arg1='{}', arg2='{}'", first?, second?))])
        }
        WITH_RESOURCE => {
            let uri = string(arguments, "resourceUri")?;
            if !is_uri(uri) {
                return Err(invalid("`resourceUri` must be a URI").into());
            }
            let resource = json!({
                "uri": uri,
                "mimeType": "text/plain",
                "text": "Embedded resource content for testing.",
            });
            let embedded = user_message(&json!({ "type": "resource", "resource": resource }));
            json!([embedded, says("Please process the embedded resource above.")])
        }
        WITH_IMAGE => {
            let image =
                user_message(&json!({ "type": "image", "data": PIXEL, "mimeType": "image/png" }));
            json!([image, says("Please analyze the image above.")])
        }
        WITH_INPUT if call.revision().has_input_requests() => {
            let message = "What context should the prompt use?";
            let request = field_form("user_context", message, ("context", "string"));
            let given = call.input_responses(&[request], None)?.get("user_context");
            let context =
                given.and_then(|response| InputRequest::accepted(response, "context")?.as_str());
            json!([says(&format!("Context: {}", context.unwrap_or("none")))])
        }
        other => {
            let unknown = || Err(invalid(format!("unknown prompt: {other}")));
            return Ok(demo::prompt(other, arguments).unwrap_or_else(unknown)?);
        }
    })
}
