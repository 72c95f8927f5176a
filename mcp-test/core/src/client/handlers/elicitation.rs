//! Elicitation: requests to the user, and the responses of the user.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation>

use super::Answer;
use super::form::{self, Field};
use super::params::Params;
use crate::json::{Object, Value};
use crate::wire::{Request, RpcError};

/// An `elicitation/create` with a form. A parameter that is missing or has the wrong type reads as empty.
#[derive(Debug, Clone)]
pub struct FormElicitation {
    params: Params,
}

impl FormElicitation {
    pub(super) fn of(request: &Request) -> Self {
        Self { params: Params::of(request) }
    }

    /// One parameter.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&Value> {
        self.params.get(name)
    }

    /// The message to the user.
    #[must_use]
    pub fn message(&self) -> &str {
        self.params.text("message")
    }

    /// The fields, in the order of the schema.
    #[must_use]
    pub fn fields(&self) -> Vec<Field> {
        self.param("requestedSchema").map(form::fields).unwrap_or_default()
    }

    /// Accepts with `content`, and with the default of the schema for each field that `content` omits.
    ///
    /// To accept with exactly `content`, see [`ElicitationResponse::accept`].
    pub fn accept(&self, content: impl Into<Value>) -> ElicitationResponse {
        let default = |field: &Field| field.default.clone();
        ElicitationResponse::accept(filled(content.into(), &self.fields(), default))
    }

    /// Accepts with the default of each field or, without one, an example that its schema allows.
    ///
    /// A `pattern` is not considered: a field that has one, but no default, gets a text that may not match.
    pub fn accept_examples(&self) -> ElicitationResponse {
        let example = |field: &Field| field.default.clone().or_else(|| field.example());
        ElicitationResponse::accept(filled(Object::new().into(), &self.fields(), example))
    }
}

/// Adds `fill` of each field that `content` omits; content that is not an object stays unchanged.
fn filled(mut content: Value, fields: &[Field], fill: impl Fn(&Field) -> Option<Value>) -> Value {
    if let Value::Object(members) = &mut content {
        for field in fields {
            if !members.contains(&field.name)
                && let Some(value) = fill(field)
            {
                // A field without a value is left out; whether it is required is for the server to check.
                members.push(field.name.as_str(), value);
            }
        }
    }
    content
}

/// An `elicitation/create` with a URL that the user is to visit.
#[derive(Debug, Clone)]
pub struct UrlElicitation {
    params: Params,
}

impl UrlElicitation {
    pub(super) fn of(request: &Request) -> Self {
        Self { params: Params::of(request) }
    }

    /// The message to the user.
    #[must_use]
    pub fn message(&self) -> &str {
        self.params.text("message")
    }

    /// The URL. The client never visits it.
    #[must_use]
    pub fn url(&self) -> &str {
        self.params.text("url")
    }

    /// The id that `notifications/elicitation/complete` will carry.
    #[must_use]
    pub fn elicitation_id(&self) -> &str {
        self.params.text("elicitationId")
    }
}

/// The response of the user to an `elicitation/create`.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "return it from a handler"]
pub struct ElicitationResponse {
    answer: Answer,
}

impl ElicitationResponse {
    /// Accepts with exactly this content.
    pub fn accept(content: impl Into<Value>) -> Self {
        Self::action("accept", Some(content.into()))
    }

    /// Agrees to visit a URL: accepts without content.
    pub fn agree() -> Self {
        Self::action("accept", None)
    }

    /// Declines.
    pub fn decline() -> Self {
        Self::action("decline", None)
    }

    /// Dismisses the dialog without a choice.
    pub fn cancel() -> Self {
        Self::action("cancel", None)
    }

    /// Refuses the request with a JSON-RPC error.
    pub fn error(code: i64, message: impl Into<String>) -> Self {
        Self { answer: Err(RpcError::new(code, message)) }
    }

    fn action(action: &str, content: Option<Value>) -> Self {
        let mut result = Object::new();
        result.push("action", action);
        if let Some(content) = content {
            result.push("content", content);
        }
        Self { answer: Ok(result.into()) }
    }

    pub(super) fn into_answer(self) -> Answer {
        self.answer
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(user: impl Fn(&FormElicitation) -> ElicitationResponse) -> String {
        let params = json!({"message": "who?", "requestedSchema": {"type": "object", "properties": {
            "age": {"type": "integer", "minimum": 18, "default": 30},
            "name": {"type": "string", "minLength": 8},
            "colours": {"type": "array", "items": {"enum": ["Red", "Green"]}, "default": ["Green"]},
        }}});
        let request = Request::new(1, "elicitation/create", Some(params.into()));
        user(&FormElicitation::of(&request))
            .into_answer()
            .map_or_else(|e| e.to_string(), |r| r.to_string())
    }

    #[test]
    fn omitted_fields_get_their_default() {
        insta::assert_snapshot!(answer(|form| form.accept(json!({"age": 31}))), @r#"{"action":"accept","content":{"age":31,"colours":["Green"]}}"#);
        insta::assert_snapshot!(answer(|form| form.accept(json!({}))), @r#"{"action":"accept","content":{"age":30,"colours":["Green"]}}"#);
        insta::assert_snapshot!(answer(FormElicitation::accept_examples), @r#"{"action":"accept","content":{"age":30,"colours":["Green"],"name":"examplee"}}"#);
        insta::assert_snapshot!(answer(|_| ElicitationResponse::accept(json!({}))), @r#"{"action":"accept","content":{}}"#);
        insta::assert_snapshot!(answer(|form| form.accept(json!(5))), @r#"{"action":"accept","content":5}"#);
    }

    #[test]
    fn refusals_have_the_form_of_the_protocol() {
        insta::assert_snapshot!(answer(|_| ElicitationResponse::decline()), @r#"{"action":"decline"}"#);
        insta::assert_snapshot!(answer(|_| ElicitationResponse::cancel()), @r#"{"action":"cancel"}"#);
        insta::assert_snapshot!(answer(|form| ElicitationResponse::error(-32602, form.message())), @"error -32602: who?");
    }
}
