//! Elicitation: what a server asks the user for, and what the user says.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation>

use super::Answer;
use super::form::{self, Field};
use crate::json::{Object, Value};
use crate::wire::{Request, RpcError};

/// A form that the server wants to have filled in. What it left out, or sent in another type, reads as empty.
#[derive(Debug, Clone)]
pub struct Form {
    params: Value,
}

impl Form {
    pub(super) fn of(request: &Request) -> Self {
        Self { params: request.params.clone().unwrap_or_default() }
    }

    /// One parameter, as it came.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&Value> {
        self.params.get(name)
    }

    /// Why the server asks.
    #[must_use]
    pub fn message(&self) -> &str {
        self.param("message").and_then(Value::as_str).unwrap_or_default()
    }

    /// The fields, in the order of the schema.
    #[must_use]
    pub fn fields(&self) -> Vec<Field> {
        self.param("requestedSchema").map(form::fields).unwrap_or_default()
    }

    /// Accepts, with `content` and the defaults of the schema for fields that `content` does not name.
    ///
    /// To accept with nothing but `content`, see [`Elicited::accept`].
    pub fn accept(&self, content: impl Into<Value>) -> Elicited {
        let default = |field: &Field| field.default.clone();
        Elicited::accept(filled(content.into(), &self.fields(), default))
    }

    /// Accepts with the default of each field, and with an example that its schema allows where there is none.
    ///
    /// A `pattern` is beyond it: such a field without a default gets a text that may not match.
    pub fn accept_examples(&self) -> Elicited {
        let example = |field: &Field| field.default.clone().or_else(|| field.example());
        Elicited::accept(filled(Object::new().into(), &self.fields(), example))
    }
}

/// `content`, and what `fill` says for the fields that it does not name; what is no object stays as it is.
fn filled(mut content: Value, fields: &[Field], fill: impl Fn(&Field) -> Option<Value>) -> Value {
    if let Value::Object(members) = &mut content {
        for field in fields {
            if !members.contains(&field.name)
                && let Some(value) = fill(field)
            {
                members.push(field.name.as_str(), value);
            }
        }
    }
    content
}

/// A URL that the server wants the user to visit.
#[derive(Debug, Clone)]
pub struct Visit {
    params: Value,
}

impl Visit {
    pub(super) fn of(request: &Request) -> Self {
        Self { params: request.params.clone().unwrap_or_default() }
    }

    /// Why the server asks.
    #[must_use]
    pub fn message(&self) -> &str {
        self.text("message")
    }

    /// Where to go. The client never goes there by itself.
    #[must_use]
    pub fn url(&self) -> &str {
        self.text("url")
    }

    /// What `notifications/elicitation/complete` will name.
    #[must_use]
    pub fn elicitation_id(&self) -> &str {
        self.text("elicitationId")
    }

    fn text(&self, name: &str) -> &str {
        self.params.get(name).and_then(Value::as_str).unwrap_or_default()
    }
}

/// What a user says to an `elicitation/create`.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a handler returns it"]
pub struct Elicited {
    answer: Answer,
}

impl Elicited {
    /// Accepts with exactly this content.
    pub fn accept(content: impl Into<Value>) -> Self {
        Self::action("accept", Some(content.into()))
    }

    /// Agrees to go to a URL: accepts without content.
    pub fn agree() -> Self {
        Self::action("accept", None)
    }

    /// Says no.
    pub fn decline() -> Self {
        Self::action("decline", None)
    }

    /// Closes the dialogue without a choice.
    pub fn cancel() -> Self {
        Self::action("cancel", None)
    }

    /// Does not take the request at all.
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

    fn answer(user: impl Fn(&Form) -> Elicited) -> String {
        let params = json!({"message": "who?", "requestedSchema": {"type": "object", "properties": {
            "age": {"type": "integer", "minimum": 18, "default": 30},
            "name": {"type": "string", "minLength": 8},
            "colours": {"type": "array", "items": {"enum": ["Red", "Green"]}, "default": ["Green"]},
        }}});
        let request = Request::new(1, "elicitation/create", Some(params.into()));
        user(&Form::of(&request)).into_answer().map_or_else(|e| e.to_string(), |r| r.to_string())
    }

    #[test]
    fn what_the_user_leaves_out_has_its_default() {
        insta::assert_snapshot!(answer(|form| form.accept(json!({"age": 31}))), @r#"{"action":"accept","content":{"age":31,"colours":["Green"]}}"#);
        insta::assert_snapshot!(answer(|form| form.accept(json!({}))), @r#"{"action":"accept","content":{"age":30,"colours":["Green"]}}"#);
        insta::assert_snapshot!(answer(Form::accept_examples), @r#"{"action":"accept","content":{"age":30,"colours":["Green"],"name":"examplee"}}"#);
        insta::assert_snapshot!(answer(|_| Elicited::accept(json!({}))), @r#"{"action":"accept","content":{}}"#);
        insta::assert_snapshot!(answer(|form| form.accept(json!(5))), @r#"{"action":"accept","content":5}"#);
    }

    #[test]
    fn the_user_may_say_no_in_several_ways() {
        insta::assert_snapshot!(answer(|_| Elicited::decline()), @r#"{"action":"decline"}"#);
        insta::assert_snapshot!(answer(|_| Elicited::cancel()), @r#"{"action":"cancel"}"#);
        insta::assert_snapshot!(answer(|form| Elicited::error(-32602, form.message())), @"error -32602: who?");
    }
}
