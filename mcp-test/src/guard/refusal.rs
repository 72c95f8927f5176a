//! The refusal of a message: whom it is told, with which code, and in which words.
//!
//! Nothing of what the peer wrote comes back to it but the id of its request, and the plain names on the way to the place
//! that is wrong.

use super::flaw::{Fate, Flaw, sentence, shown};
use crate::{
    json::{Object, ParseError, Pointer, Value},
    spec::{Revision, Side, error_code, schema::Violation},
    wire::{ErrorReply, Id, Malformed, RpcError},
};

/// A message that does not reach the handler.
#[derive(Debug, Clone)]
pub(super) struct Refusal {
    pub(super) code: i64,
    pub(super) method: Option<String>,
    pub(super) id: Option<Id>,
    pub(super) pointer: Pointer,
    pub(super) reason: String,
    pub(super) shape: Option<String>,
    /// Whether its author is told: not of what is a notification or a reply.
    pub(super) is_answered: bool,
    /// The HTTP status that comes with it.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only HTTP has statuses"))]
    pub(super) status: u16,
    /// How an error reply looks that can name no request.
    pub(super) nameless: Option<Id>,
}

impl Refusal {
    /// A refusal that says nothing yet about where and why.
    pub(super) fn new(code: i64, revision: Option<Revision>, reason: impl Into<String>) -> Self {
        let without = revision.is_some_and(Revision::has_errors_without_id);
        Self {
            code,
            method: None,
            id: None,
            pointer: Pointer::root(),
            reason: reason.into(),
            shape: None,
            is_answered: true,
            status: 400,
            nameless: if without { None } else { Some(Id::Null) },
        }
    }

    /// Text that is not JSON. Of the reader's words the first half is told: what it expected, not what it found.
    pub(super) fn unreadable(error: &ParseError, revision: Option<Revision>) -> Self {
        let ParseError { line, column, reason, .. } = error;
        let reason = reason.split(", found").next().unwrap_or_default();
        let reason = format!("no JSON at line {line}, column {column}: {reason}");
        Self::new(error_code::PARSE_ERROR, revision, reason)
    }

    /// A message that is longer than what is read.
    pub(super) fn too_long(limit: usize, revision: Option<Revision>) -> Self {
        let reason = format!("the message is longer than {limit} bytes");
        Self { status: 413, ..Self::new(error_code::PARSE_ERROR, revision, reason) }
    }

    /// JSON that is not JSON-RPC.
    pub(super) fn malformed(
        value: &Value,
        malformed: Malformed,
        revision: Option<Revision>,
    ) -> Self {
        let reason = reason(&malformed.expected, value.at(malformed.pointer.as_str()));
        Self {
            // What tells something, or answers something, is not answered, however wrongly it does so.
            is_answered: match malformed.method {
                Some(_) => value.get("id").is_some(),
                None => value.get("method").is_some() || !is_reply(value),
            },
            method: malformed.method,
            id: malformed.id,
            pointer: malformed.pointer,
            ..Self::new(error_code::INVALID_REQUEST, revision, reason)
        }
    }

    /// A message that is not as its shape wants it.
    pub(super) fn misshapen(message: &Value, violation: &Violation, revision: Revision) -> Self {
        let in_params = violation.pointer.tokens().next().is_some_and(|member| member == "params");
        let code = if in_params { error_code::INVALID_PARAMS } else { error_code::INVALID_REQUEST };
        let about_meta = message.at("/params/_meta").is_none()
            || violation.pointer.as_str().starts_with("/params/_meta");
        let reason = reason(&violation.expected, message.at(violation.pointer.as_str()));
        Self {
            pointer: violation.pointer.clone(),
            shape: Some(violation.shape.to_string()),
            // Wrong params are answered like any other failure of a request; only of `_meta` a revision demands more.
            status: if in_params && !(revision.has_request_meta() && about_meta) {
                200
            } else {
                400
            },
            ..Self::new(code, Some(revision), reason)
        }
    }

    /// A method that the revision does not have.
    pub(super) fn unknown_method(revision: Revision) -> Self {
        Self {
            pointer: Pointer::root().member("method"),
            status: if revision.answers_unknown_method_with_404() { 404 } else { 200 },
            ..Self::new(
                error_code::METHOD_NOT_FOUND,
                Some(revision),
                format!("expected a method of {revision}, got another"),
            )
        }
    }

    /// The same for a message with this method and id.
    pub(super) fn of(self, method: Option<&str>, id: Option<&Id>) -> Self {
        Self { method: method.map(str::to_owned), id: id.cloned(), ..self }
    }

    /// The same, but nobody is told.
    pub(super) fn untold(self) -> Self {
        Self { is_answered: false, status: 400, ..self }
    }

    /// The error reply, if there is one.
    pub(super) fn answer(&self) -> Option<Value> {
        self.is_answered.then(|| {
            let id = match &self.id {
                Some(Id::Null) | None => self.nameless.clone(),
                id => id.clone(),
            };
            ErrorReply { id, error: self.error() }.to_value()
        })
    }

    pub(super) fn flaw(&self, from: Side) -> Flaw {
        let (pointer, reason) = shown(&self.pointer, &self.reason);
        Flaw {
            from,
            method: self.method.clone(),
            id: self.id.clone(),
            pointer,
            reason,
            shape: self.shape.clone(),
            fate: if self.is_answered { Fate::Answered(self.code) } else { Fate::Dropped },
        }
    }

    /// What is told, to whomever.
    pub(super) fn error(&self) -> RpcError {
        let title = match self.code {
            error_code::PARSE_ERROR => "Parse error",
            error_code::METHOD_NOT_FOUND => "Method not found",
            error_code::INVALID_PARAMS => "Invalid params",
            _ => "Invalid Request",
        };
        let (pointer, reason) = shown(&self.pointer, &self.reason);
        let message = format!("{title}: {}", sentence(&pointer, &reason));
        let mut data =
            Object::from_iter([("pointer", pointer.as_str()), ("reason", reason.as_str())]);
        if let Some(shape) = &self.shape {
            data.push("shape", shape.as_str());
        }
        RpcError::new(self.code, message).with_data(Value::Object(data))
    }
}

/// Whether something looks like a reply that went wrong.
fn is_reply(value: &Value) -> bool {
    value.get("result").is_some() || value.get("error").is_some()
}

/// What was expected, and what kind of thing is there instead.
fn reason(expected: &str, got: Option<&Value>) -> String {
    let got = match got {
        None => "nothing",
        Some(Value::String(_)) if wants_text(expected) => "another string",
        Some(value) => value.kind(),
    };
    format!("expected {expected}, got {got}")
}

/// Whether what is expected is a string with something more to it.
fn wants_text(expected: &str) -> bool {
    expected.starts_with('"') || expected.contains("URI") || expected.contains("Base64")
}
