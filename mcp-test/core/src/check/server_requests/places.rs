//! Which rule a request for input breaks that does not have its shape.
//!
//! The shape of a form property is one of many, so that the place alone does not say what is wrong with it.

use super::{ELICITATION, SAMPLING, form};
use crate::check::Rule;
use crate::json::{Pointer, Value};
use crate::spec::{Revision, error_code};
use crate::wire::Message;

/// The rules that [`rule_at`] may return, beside those of [`OF_SERVER_REQUESTS`](crate::check::rule::OF_SERVER_REQUESTS): also what
/// has its shape may break them.
pub(in crate::check) const SHARED: &[Rule] = &[
    Rule::FORM_CHOICES_BOUNDS,
    Rule::FORM_CHOICES_TITLED,
    Rule::FORM_CHOICES_UNTITLED,
    Rule::FORM_CHOICE_TITLED,
    Rule::FORM_CHOICE_UNTITLED,
    Rule::FORM_DEFAULTS,
    Rule::FORM_ENUM_NAMES,
    Rule::FORM_FLAT,
    Rule::FORM_LENGTH_BOUNDS,
    Rule::FORM_NO_ADVANCED_KEYWORDS,
    Rule::FORM_NUMBER_BOUNDS,
    Rule::FORM_STRING_FORMATS,
    Rule::URL_ERROR_LISTS,
];

/// The rule that a message of a server breaks at a place that does not have its shape.
pub(in crate::check) fn rule_at(
    message: &Message,
    pointer: &Pointer,
    revision: Revision,
) -> Option<Rule> {
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
                [] if !is_object => Rule::URL_ERROR_DATA,
                [] | ["elicitations"] => Rule::URL_ERROR_LISTS,
                _ => Rule::URL_ERROR_ENTRIES,
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
) -> Option<Rule> {
    match method {
        ELICITATION if params.get("mode").and_then(Value::as_str) == Some("url") => match place {
            ["message" | "mode"] => Some(Rule::URL_MODE_AND_MESSAGE),
            ["url"] if params.get("url").is_some_and(Value::is_string) => Some(Rule::URL_VALID),
            ["url"] => Some(Rule::URL_REQUIRED),
            ["elicitationId"] => Some(Rule::URL_ID_REQUIRED),
            _ => None,
        },
        ELICITATION => match place {
            ["message"] => Some(Rule::ELICITATION_MESSAGE),
            ["mode"] if params.get("requestedSchema").is_some() => Some(Rule::FORM_MODE),
            ["mode"] => Some(Rule::ELICITATION_MODES),
            // A request for a URL without its mode is taken for one without its form.
            ["requestedSchema"] if params.get("url").is_some() && params.get("mode").is_none() => {
                Some(Rule::ELICITATION_MODES)
            }
            ["requestedSchema"] => Some(Rule::FORM_SCHEMA_REQUIRED),
            ["requestedSchema", "type" | "properties"] => Some(Rule::FORM_OBJECT_ROOT),
            ["requestedSchema", "properties", name, ..] => {
                let property = params.get("requestedSchema")?.get("properties")?.get(name)?;
                let violations = form::of_property(name, property, revision);
                violations.first().and_then(|violation| violation.rules.first()).copied()
            }
            _ => None,
        },
        SAMPLING => match place {
            ["messages", _, "content", .., "data" | "mimeType"] => Some(Rule::SAMPLING_BASE64),
            ["messages", _, "content"] | ["messages", _, "content", .., "type"] => {
                Some(type_rule(revision))
            }
            ["messages", _, "content", index] if index.parse::<usize>().is_ok() => {
                Some(type_rule(revision))
            }
            ["toolChoice", ..] => Some(Rule::SAMPLING_TOOL_CHOICE),
            ["modelPreferences", name] if name.ends_with("Priority") => {
                Some(Rule::SAMPLING_PRIORITIES)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The rule for the types of content.
fn type_rule(revision: Revision) -> Rule {
    match revision {
        Revision::V2024_11_05 => Rule::SAMPLING_TYPES,
        revision if revision < Revision::V2025_11_25 => Rule::SAMPLING_TYPES_WITH_AUDIO,
        _ => Rule::SAMPLING_TYPES_WITH_TOOLS,
    }
}
