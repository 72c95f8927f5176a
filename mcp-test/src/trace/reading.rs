//! What a text on the wire means, read once and kept for those who judge it later.

use std::sync::Arc;

use bytes::Bytes;

use super::What;
use crate::json::{Document, Note, Value};
use crate::wire::{Frame, Malformed, Message};

/// A text on the wire as JSON and as JSON-RPC, as far as it is either. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Reading(Arc<Read>);

#[derive(Debug)]
struct Read {
    value: Option<Value>,
    notes: Vec<Note>,
    frame: Option<Result<Frame, Malformed>>,
    problem: Option<String>,
    too_deep: bool,
}

impl Reading {
    /// Reads a text; what is wrong with it is part of the reading.
    pub fn of(text: &Bytes) -> Self {
        match Document::parse(text.clone()) {
            Ok(document) => document.into(),
            Err(error) => Self(Arc::new(Read {
                value: None,
                notes: Vec::new(),
                frame: None,
                too_deep: error.is_too_deep(),
                problem: Some(format!("not JSON: {error}")),
            })),
        }
    }

    /// The event that a text is said where a message belongs.
    pub fn message(text: Bytes) -> What {
        let reading = Self::of(&text);
        What::Message { text, reading }
    }

    /// The value, if the text is JSON.
    pub fn value(&self) -> Option<&Value> {
        self.0.value.as_ref()
    }

    /// What is odd about the JSON, though it can be read.
    pub fn notes(&self) -> &[Note] {
        &self.0.notes
    }

    /// The message or the batch; `None` if the text is not JSON.
    pub fn frame(&self) -> Option<Result<&Frame, &Malformed>> {
        self.0.frame.as_ref().map(Result::as_ref)
    }

    /// The well-formed messages: one, or those of a batch.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.frame().and_then(Result::ok).into_iter().flat_map(Frame::messages)
    }

    /// What is not well-formed: the whole, or items of a batch.
    pub fn malformed(&self) -> impl Iterator<Item = &Malformed> {
        let (whole, items) = match self.frame() {
            Some(Err(malformed)) => (Some(malformed), [].as_slice()),
            Some(Ok(Frame::Batch(items))) => (None, items.as_slice()),
            Some(Ok(Frame::One(_))) | None => (None, [].as_slice()),
        };
        whole.into_iter().chain(items.iter().filter_map(|item| item.as_ref().err()))
    }

    /// Whether this is JSON in which nothing attempts to be a message, as the lines of some logs are.
    pub fn is_no_attempt(&self) -> bool {
        self.value().is_some_and(|value| !attempts(value))
    }

    /// Whether the text may well be JSON, nested deeper than mcp-test reads.
    pub fn is_too_deep(&self) -> bool {
        self.0.too_deep
    }

    /// Why this is no well-formed message or batch; `None` if it is.
    pub fn problem(&self) -> Option<&str> {
        self.0.problem.as_deref()
    }
}

impl From<Document> for Reading {
    fn from(document: Document) -> Self {
        let frame = Frame::read(&document.value);
        let mut read = Read {
            value: Some(document.value),
            notes: document.notes,
            frame: Some(frame),
            problem: None,
            too_deep: false,
        };
        let problem = match &read.frame {
            Some(Err(malformed)) => Some(malformed.to_string()),
            Some(Ok(Frame::Batch(items))) => {
                let first = items.iter().find_map(|item| item.as_ref().err());
                first.map(ToString::to_string)
            }
            Some(Ok(Frame::One(_))) | None => None,
        };
        read.problem = problem;
        Self(Arc::new(read))
    }
}

/// Whether a value has a member of messages, or is an array of which an item has.
fn attempts(value: &Value) -> bool {
    const MEMBERS: [&str; 5] = ["jsonrpc", "id", "method", "result", "error"];
    match value {
        Value::Object(members) => MEMBERS.iter().any(|name| members.contains(name)),
        Value::Array(items) => items.iter().any(attempts),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_log_in_json_is_no_attempt_at_a_message() {
        let is_no_attempt = |text: &'static str| Reading::of(&text.into()).is_no_attempt();
        for text in [r#"{"level":"info"}"#, "{}", "[]", "[1]", r#""ready""#] {
            assert!(is_no_attempt(text), "{text}");
        }
        for text in [r#"{"jsonrpc":"1.0"}"#, r#"{"id":1}"#, r#"[{"result":{}}]"#, "no JSON"] {
            assert!(!is_no_attempt(text), "{text}");
        }
    }
}
