//! The refusal of a message: whether it is answered, with which code, and in which words.
//!
//! Nothing of what the peer wrote comes back to it but the id of its request, and the plain names on the way to the place
//! that is wrong.

use mcp_test_core::json::{Object, ParseError, Pointer, Value};
use mcp_test_core::spec::schema::Violation;
use mcp_test_core::spec::{Revision, Side, error_code};
use mcp_test_core::wire::{ErrorReply, Id, Malformed, RpcError};

use super::ambiguity::Ambiguity;
use super::invalid_message::{Disposition, InvalidMessage, sentence, shown};

/// A message that does not reach the handler.
#[derive(Debug, Clone)]
pub(super) struct Refusal {
    pub(super) code: i64,
    pub(super) method: Option<String>,
    pub(super) id: Option<Id>,
    pub(super) pointer: Pointer,
    pub(super) reason: String,
    pub(super) shape: Option<String>,
    /// The keyword of JSON Schema that the shape has there.
    keyword: Option<String>,
    /// Why no alternative of the shape fits, and what else is wrong.
    causes: Vec<Cause>,
    /// Whether its author gets an answer: not for a notification or a reply.
    pub(super) is_answered: bool,
    /// The HTTP status that comes with it.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only HTTP has statuses"))]
    pub(super) status: u16,
    /// The id of an error reply that cannot name a request.
    pub(super) nameless: Option<Id>,
}

/// How many causes an answer lists.
const CAUSES: usize = 6;

/// Why no alternative of a shape fits, or what else is wrong with a message.
#[derive(Debug, Clone)]
struct Cause {
    pointer: Pointer,
    reason: String,
    shape: String,
    keyword: String,
}

impl Cause {
    fn to_value(&self) -> Value {
        let (pointer, reason) = shown(&self.pointer, &self.reason);
        let members = [
            ("pointer", pointer.as_str()),
            ("reason", &reason),
            ("shape", &self.shape),
            ("keyword", &self.keyword),
        ];
        Object::from_iter(members).into()
    }
}

impl Refusal {
    /// A refusal that says nothing yet about where and why.
    pub(super) fn new(code: i64, revision: Option<Revision>, reason: impl Into<String>) -> Self {
        // JSON-RPC 2.0, section 5: the id is null if that of the request cannot be read. MCP allows to omit it from
        // 2025-11-25 on.
        let without = revision.is_some_and(Revision::has_errors_without_id);
        Self {
            code,
            method: None,
            id: None,
            pointer: Pointer::root(),
            reason: reason.into(),
            shape: None,
            keyword: None,
            causes: Vec::new(),
            is_answered: true,
            // Streamable HTTP: input that cannot be accepted gets an HTTP error status, such as 400.
            status: 400,
            nameless: if without { None } else { Some(Id::Null) },
        }
    }

    /// Text that is not JSON. The reason is the first half of the parser's message: what it expected, not what it got.
    pub(super) fn unreadable(error: &ParseError, revision: Option<Revision>) -> Self {
        let ParseError { line, column, reason, .. } = error;
        // The second half quotes the text of the peer.
        let reason = reason.split(", found").next().unwrap_or_default();
        let reason = match error.is_over_limit() {
            // What follows was not read, so that nobody knows whether it is JSON.
            true => format!("line {line}, column {column}: {reason}"),
            false => format!("no JSON at line {line}, column {column}: {reason}"),
        };
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
        let reason = reason(&malformed.expected.to_string(), value.at(malformed.pointer.as_str()));
        Self {
            is_answered: is_answered(value, malformed.method.as_deref()),
            method: malformed.method,
            id: malformed.id,
            pointer: malformed.pointer,
            ..Self::new(error_code::INVALID_REQUEST, revision, reason)
        }
    }

    /// A message that the handler may read differently.
    pub(super) fn ambiguous(
        value: &Value,
        ambiguity: Ambiguity,
        revision: Option<Revision>,
    ) -> Self {
        let Ambiguity { pointer, reason } = ambiguity;
        let method = value.get("method").and_then(Value::as_str);
        // Of several ids, none is certainly that of the request.
        let in_id = pointer.tokens().next().is_some_and(|name| name.eq_ignore_ascii_case("id"));
        Self {
            is_answered: is_answered(value, method),
            method: method.map(str::to_owned),
            id: value.get("id").and_then(Id::read).filter(|_| !in_id),
            pointer,
            ..Self::new(error_code::INVALID_REQUEST, revision, reason)
        }
    }

    /// A batch with more ambiguous places than are told apart.
    pub(super) fn ambiguous_batch(revision: Option<Revision>) -> Self {
        let reason = "the batch has too many members that occur twice";
        Self::new(error_code::INVALID_REQUEST, revision, reason)
    }

    /// A line with a carriage return inside.
    pub(super) fn inner_return(revision: Option<Revision>) -> Self {
        let reason = "expected one line per message, got a carriage return inside of it";
        Self::new(error_code::PARSE_ERROR, revision, reason)
    }

    /// A message that violates its shape; `None` without a violation.
    pub(super) fn misshapen(
        message: &Value,
        violations: &[Violation],
        revision: Revision,
    ) -> Option<Self> {
        // A message that cannot be told apart from others is worse than one with wrong params.
        let in_id = violations.iter().find(|violation| violation.pointer.as_str() == "/id");
        let violation = in_id.or(violations.first())?;
        let others = violations.iter().filter(|other| !std::ptr::eq(*other, violation));
        let in_params = violation.pointer.tokens().next().is_some_and(|member| member == "params");
        let code = if in_params { error_code::INVALID_PARAMS } else { error_code::INVALID_REQUEST };
        // Without a `_meta` the request is malformed, whichever of its violations is reported.
        let about_meta = message.at("/params/_meta").is_none()
            || violation.pointer.as_str().starts_with("/params/_meta");
        let reason_of = |violation: &Violation| {
            reason(&violation.expected, message.at(violation.pointer.as_str()))
        };
        let cause = |violation: &Violation| Cause {
            pointer: violation.pointer.clone(),
            reason: reason_of(violation),
            shape: violation.shape.to_string(),
            keyword: violation.keyword.to_string(),
        };
        let reason = reason_of(violation);
        Some(Self {
            pointer: violation.pointer.clone(),
            shape: Some(violation.shape.to_string()),
            keyword: Some(violation.keyword.to_string()),
            causes: violation.causes.iter().chain(others).map(cause).take(CAUSES).collect(),
            // Invalid params are answered like any other failure of a request; only for a missing or invalid `_meta`
            // does 2026-07-28 demand 400 (basic/index#meta).
            status: if in_params && !(revision.has_request_meta() && about_meta) {
                200
            } else {
                400
            },
            ..Self::new(code, Some(revision), reason)
        })
    }

    /// A method that the revision does not have.
    pub(super) fn unknown_method(revision: Option<Revision>) -> Self {
        let of = revision.map_or("MCP", Revision::as_str);
        let is_missing = revision.is_some_and(Revision::answers_unknown_method_with_404);
        Self {
            pointer: Pointer::root().member("method"),
            // 2026-07-28, basic/transports/streamable-http: 404 with -32601; until then it is an answer like any
            // other.
            status: if is_missing { 404 } else { 200 },
            ..Self::new(
                error_code::METHOD_NOT_FOUND,
                revision,
                format!("expected a method of {of}, got another"),
            )
        }
    }

    /// The same with this HTTP status.
    #[cfg(feature = "http")]
    pub(super) fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// The same for a message with this method and id.
    pub(super) fn of(self, method: Option<&str>, id: Option<&Id>) -> Self {
        Self { method: method.map(str::to_owned), id: id.cloned(), ..self }
    }

    /// The same, for a message that gets no response.
    pub(super) fn unanswered(self) -> Self {
        Self { is_answered: false, status: 400, ..self }
    }

    /// The error reply, if there is one.
    pub(super) fn answer(&self) -> Option<Value> {
        self.is_answered.then(|| {
            let id = match &self.id {
                // MCP forbids the id null in requests, so that there is no request that an answer could name.
                Some(Id::Null) | None => self.nameless.clone(),
                id => id.clone(),
            };
            ErrorReply { id, error: self.error() }.to_value()
        })
    }

    pub(super) fn invalid_message(&self, from: Side) -> InvalidMessage {
        let (pointer, reason) = shown(&self.pointer, &self.reason);
        InvalidMessage {
            from,
            method: self.method.clone(),
            id: self.id.clone(),
            pointer,
            reason,
            shape: self.shape.clone(),
            disposition: if self.is_answered {
                Disposition::Answered(self.code)
            } else {
                Disposition::Dropped
            },
        }
    }

    /// The error object of the answer.
    pub(super) fn error(&self) -> RpcError {
        let title = match self.code {
            error_code::PARSE_ERROR => "Parse error",
            error_code::METHOD_NOT_FOUND => "Method not found",
            error_code::INVALID_PARAMS => "Invalid params",
            error_code::INTERNAL_ERROR => "Internal error",
            _ => "Invalid Request",
        };
        let (pointer, reason) = shown(&self.pointer, &self.reason);
        let message = format!("{title}: {}", sentence(&pointer, &reason));
        let mut data =
            Object::from_iter([("pointer", pointer.as_str()), ("reason", reason.as_str())]);
        let named = [("shape", &self.shape), ("keyword", &self.keyword)];
        for (name, value) in named {
            if let Some(value) = value {
                data.push(name, value.as_str());
            }
        }
        if !self.causes.is_empty() {
            let causes: Vec<Value> = self.causes.iter().map(Cause::to_value).collect();
            data.push("causes", causes);
        }
        RpcError::new(self.code, message).with_data(Value::Object(data))
    }
}

/// Whether something with this method, if it can be read, gets an answer although it is not a valid message.
///
/// Notifications and replies never do, however malformed: two peers that answer them would never stop.
fn is_answered(value: &Value, method: Option<&str>) -> bool {
    match method {
        Some(_) => value.get("id").is_some(),
        None => value.get("method").is_some() || !is_reply(value),
    }
}

/// Whether something looks like a reply that went wrong.
fn is_reply(value: &Value) -> bool {
    value.get("result").is_some() || value.get("error").is_some()
}

/// What was expected, and what kind of value was found instead.
fn reason(expected: &str, got: Option<&Value>) -> String {
    let got = match got {
        None => "nothing",
        Some(Value::String(_)) if wants_text(expected) => "another string",
        Some(value) => value.kind(),
    };
    format!("expected {expected}, got {got}")
}

/// Whether what is expected is a string with further conditions.
fn wants_text(expected: &str) -> bool {
    expected.starts_with('"') || expected.contains("URI") || expected.contains("Base64")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_begins_with_the_title_of_its_code() {
        let titled = |code| Refusal::new(code, None, "it is wrong").error().message;
        assert_eq!(titled(error_code::PARSE_ERROR), "Parse error: it is wrong");
        assert_eq!(titled(error_code::INVALID_REQUEST), "Invalid Request: it is wrong");
        assert_eq!(titled(error_code::METHOD_NOT_FOUND), "Method not found: it is wrong");
        assert_eq!(titled(error_code::INVALID_PARAMS), "Invalid params: it is wrong");
        assert_eq!(titled(error_code::INTERNAL_ERROR), "Internal error: it is wrong");
    }
}
