//! The prompts of the reference server.

use serde_json::json;

use super::{Answer, Call, PIXEL, demo, invalid, string, text, user_message};
use crate::json::Value;
use crate::spec::Revision;
use crate::spec::schema::is_uri;
use crate::wire::RpcError;

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
        json!({
            "name": WITH_RESOURCE,
            "description": "A prompt that embeds a resource.",
            "arguments": [{ "name": "resourceUri", "description": "The URI of the resource", "required": true }],
        }),
        json!({ "name": WITH_IMAGE, "description": "A prompt with a picture." }),
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
    let says = |text: &str| user_message(json!({ "type": "text", "text": text }));
    Ok(match name {
        SIMPLE => json!([says("This is a simple prompt for testing.")]),
        WITH_ARGUMENTS => {
            let [first, second] = ARGUMENTS.map(|name| string(arguments, name));
            json!([says(&format!("Prompt with arguments: arg1='{}', arg2='{}'", first?, second?))])
        }
        WITH_RESOURCE => {
            let uri = string(arguments, "resourceUri")?;
            if !is_uri(uri) {
                return Err(invalid("`resourceUri` must be a URI"));
            }
            let resource = json!({
                "uri": uri,
                "mimeType": "text/plain",
                "text": "Embedded resource content for testing.",
            });
            let embedded = user_message(json!({ "type": "resource", "resource": resource }));
            json!([embedded, says("Please process the embedded resource above.")])
        }
        WITH_IMAGE => {
            let image =
                user_message(json!({ "type": "image", "data": PIXEL, "mimeType": "image/png" }));
            json!([image, says("Please analyze the image above.")])
        }
        other => {
            let unknown = || Err(invalid(format!("unknown prompt: {other}")));
            return demo::prompt(other, arguments).unwrap_or_else(unknown);
        }
    })
}
