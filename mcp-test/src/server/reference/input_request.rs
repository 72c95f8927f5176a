//! Requests for input in a result, and the responses to them.

use serde_json::json;

use super::{Answer, Call, invalid};
use crate::json::{Object, Value};
use crate::spec::Capability;

/// A request for input, and the key of its response.
pub(super) struct InputRequest {
    key: &'static str,
    input: Input,
}

enum Input {
    /// A form with one field.
    Form { message: &'static str, field: &'static str, is_valid: fn(&Value) -> bool },
    /// A question to a model.
    Question(&'static str),
    /// The roots of the client.
    Roots,
}

impl InputRequest {
    /// Asks the user for a text.
    pub(super) fn text(key: &'static str, message: &'static str, field: &'static str) -> Self {
        Self { key, input: Input::Form { message, field, is_valid: Value::is_string } }
    }

    /// Asks the user for a yes or no.
    pub(super) fn flag(key: &'static str, message: &'static str, field: &'static str) -> Self {
        Self { key, input: Input::Form { message, field, is_valid: Value::is_bool } }
    }

    /// Asks a model.
    pub(super) fn question(key: &'static str, prompt: &'static str) -> Self {
        Self { key, input: Input::Question(prompt) }
    }

    /// Asks for the roots.
    pub(super) fn roots(key: &'static str) -> Self {
        Self { key, input: Input::Roots }
    }

    /// The capability of a client that can respond.
    pub(super) fn capability(&self) -> Capability {
        match self.input {
            Input::Form { .. } => Capability::Elicitation,
            Input::Question(_) => Capability::Sampling,
            Input::Roots => Capability::Roots,
        }
    }

    fn to_json(&self) -> serde_json::Value {
        match &self.input {
            Input::Form { message, field, is_valid } => {
                let kind = if is_valid(&Value::Bool(true)) { "boolean" } else { "string" };
                let schema = json!({
                    "type": "object",
                    "properties": { *field: { "type": kind } },
                    "required": [field],
                });
                let params = json!({ "message": message, "requestedSchema": schema });
                json!({ "method": "elicitation/create", "params": params })
            }
            Input::Question(prompt) => {
                let content = json!({ "type": "text", "text": prompt });
                let message = json!({ "role": "user", "content": content });
                let params = json!({ "messages": [message], "maxTokens": 100 });
                json!({ "method": "sampling/createMessage", "params": params })
            }
            Input::Roots => json!({ "method": "roots/list" }),
        }
    }

    /// Whether the response has the members that the tools and prompts read.
    fn accepts(&self, response: &Value) -> bool {
        let text = |name: &str| response.get(name).and_then(Value::as_str);
        match self.input {
            Input::Form { field, is_valid, .. } => match text("action") {
                Some("accept") => field_of(response, field).is_some_and(is_valid),
                action => matches!(action, Some("decline" | "cancel")),
            },
            Input::Question(_) => {
                let content = response.get("content");
                let has_content = content.is_some_and(|it| it.is_object() || it.is_array());
                has_content && text("role").is_some() && text("model").is_some()
            }
            Input::Roots => response.get("roots").is_some_and(Value::is_array),
        }
    }
}

/// The value of a field in the response to a form; `None` if the user has not accepted.
pub(super) fn field_of<'a>(response: &'a Value, field: &str) -> Option<&'a Value> {
    let is_accepted = response.get("action").and_then(Value::as_str) == Some("accept");
    response.get("content").filter(|_| is_accepted)?.get(field)
}

/// Asks for all of this input, if the client declares that it can provide it.
pub(super) fn ask(call: &Call, requests: &[InputRequest], state: Option<&str>) -> Answer {
    for request in requests {
        if let Err(instead) = call.require(request.capability()) {
            return instead;
        }
    }
    let requests = requests.iter().map(|request| (request.key, Value::from(request.to_json())));
    Answer::input_required(Value::Object(requests.collect()), state)
}

/// The responses of the client, by key, with a valid one to each request.
///
/// # Errors
///
/// What to answer instead: the requests, if a response is missing, or an error, if one is malformed.
pub(super) fn responses<'a>(
    call: &'a Call,
    requests: &[InputRequest],
    state: Option<&str>,
) -> Result<&'a Object, Answer> {
    let given = match call.param("inputResponses") {
        Some(Value::Object(given)) => given,
        Some(other) => {
            let why = format!("`inputResponses` must be an object, got {}", other.kind());
            return Err(invalid(why).into());
        }
        None => return Err(ask(call, requests, state)),
    };
    for request in requests {
        // All are asked for again, since the server does not keep those that it has got.
        let Some(response) = given.get(request.key) else {
            return Err(ask(call, requests, state));
        };
        if !request.accepts(response) {
            let why = format!("`inputResponses` has no valid response under `{}`", request.key);
            return Err(invalid(why).into());
        }
    }
    Ok(given)
}
