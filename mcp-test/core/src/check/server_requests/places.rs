//! Which rule a request for input breaks that does not have its shape.
//!
//! The shape of a form property is one of many, so that the place alone does not say what is wrong with it.

use super::{ELICITATION, SAMPLING, form};
use crate::check::cited::{Cited, cites};
use crate::json::{Pointer, Value};
use crate::spec::{Revision, error_code};
use crate::wire::Message;

cites! {
    ELICITATION_FORM_MODE_FIELD, ELICITATION_FORM_REQUESTED_SCHEMA_REQUIRED,
    ELICITATION_REQUEST_MESSAGE_REQUIRED, ELICITATION_REQUEST_MODE_VALUES,
    ELICITATION_SCHEMA_OBJECT_ROOT, ELICITATION_URL_ELICITATION_ID_REQUIRED,
    ELICITATION_URL_MODE_AND_MESSAGE, ELICITATION_URL_REQUIRED_ERROR_ENTRIES,
    ELICITATION_URL_REQUIRED_ERROR_LISTS_ELICITATIONS, ELICITATION_URL_URL_REQUIRED,
    ELICITATION_URL_URL_VALID, SAMPLING_CONTENT_BASE64, SAMPLING_CONTENT_TYPES_TEXT_IMAGE,
    SAMPLING_CONTENT_TYPES_WITH_AUDIO, SAMPLING_CONTENT_TYPES_WITH_TOOLS,
    SAMPLING_PREFERENCES_PRIORITY_RANGE, SAMPLING_TOOL_CHOICE_MODE_ENUM,
    SCHEMA_URL_ELICITATION_REQUIRED_ERROR,
}

/// The rule that a message of a server breaks at a place that does not have its shape.
pub(in crate::check) fn rule_at(
    message: &Message,
    pointer: &Pointer,
    revision: Revision,
) -> Option<Cited> {
    let place: Vec<String> = pointer.tokens().collect();
    let place: Vec<&str> = place.iter().map(String::as_str).collect();
    match (message, place.as_slice()) {
        (Message::Request(request), ["params", place @ ..]) => {
            rule_of_params(&request.method, request.params.as_ref()?, place, revision)
        }
        (Message::Response(response), ["result", "inputRequests", key, "params", place @ ..]) => {
            let request = response.result.get("inputRequests")?.get(key)?;
            let method = request.get("method")?.as_str()?;
            rule_of_params(method, request.get("params")?, place, revision)
        }
        (Message::Error(reply), ["error", "data", place @ ..])
            if reply.error.code == error_code::URL_ELICITATION_REQUIRED =>
        {
            let is_object = reply.error.data.as_ref().is_none_or(Value::is_object);
            Some(match place {
                [] if !is_object => SCHEMA_URL_ELICITATION_REQUIRED_ERROR,
                [] | ["elicitations"] => ELICITATION_URL_REQUIRED_ERROR_LISTS_ELICITATIONS,
                _ => ELICITATION_URL_REQUIRED_ERROR_ENTRIES,
            })
        }
        _ => None,
    }
}

fn rule_of_params(
    method: &str,
    params: &Value,
    place: &[&str],
    revision: Revision,
) -> Option<Cited> {
    match method {
        ELICITATION if params.get("mode").and_then(Value::as_str) == Some("url") => match place {
            ["message" | "mode"] => Some(ELICITATION_URL_MODE_AND_MESSAGE),
            ["url"] if params.get("url").is_some_and(Value::is_string) => {
                Some(ELICITATION_URL_URL_VALID)
            }
            ["url"] => Some(ELICITATION_URL_URL_REQUIRED),
            ["elicitationId"] => Some(ELICITATION_URL_ELICITATION_ID_REQUIRED),
            _ => None,
        },
        ELICITATION => match place {
            ["message"] => Some(ELICITATION_REQUEST_MESSAGE_REQUIRED),
            ["mode"] if params.get("requestedSchema").is_some() => {
                Some(ELICITATION_FORM_MODE_FIELD)
            }
            ["mode"] => Some(ELICITATION_REQUEST_MODE_VALUES),
            // A request for a URL without its mode is taken for one without its form.
            ["requestedSchema"] if params.get("url").is_some() && params.get("mode").is_none() => {
                Some(ELICITATION_REQUEST_MODE_VALUES)
            }
            ["requestedSchema"] => Some(ELICITATION_FORM_REQUESTED_SCHEMA_REQUIRED),
            ["requestedSchema", "type" | "properties"] => Some(ELICITATION_SCHEMA_OBJECT_ROOT),
            ["requestedSchema", "properties", name, ..] => {
                let property = params.get("requestedSchema")?.get("properties")?.get(name)?;
                let violations = form::property_violations(name, property, revision);
                violations.first().and_then(|violation| violation.rules.first()).copied()
            }
            _ => None,
        },
        SAMPLING => match place {
            ["messages", _, "content", .., "data" | "mimeType"] => Some(SAMPLING_CONTENT_BASE64),
            ["messages", _, "content"] | ["messages", _, "content", .., "type"] => {
                Some(type_rule(revision))
            }
            ["messages", _, "content", index] if index.parse::<usize>().is_ok() => {
                Some(type_rule(revision))
            }
            ["toolChoice", ..] => Some(SAMPLING_TOOL_CHOICE_MODE_ENUM),
            ["modelPreferences", name] if name.ends_with("Priority") => {
                Some(SAMPLING_PREFERENCES_PRIORITY_RANGE)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The rule for the types of content.
fn type_rule(revision: Revision) -> Cited {
    Cited::first_at(
        revision,
        [
            SAMPLING_CONTENT_TYPES_TEXT_IMAGE,
            SAMPLING_CONTENT_TYPES_WITH_AUDIO,
            SAMPLING_CONTENT_TYPES_WITH_TOOLS,
        ],
    )
}
