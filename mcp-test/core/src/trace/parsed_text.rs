//! A text on the wire as JSON and as JSON-RPC, parsed once for everyone who looks at it later.

use std::sync::Arc;

use bytes::Bytes;

use crate::json::{Document, Note, Value};
use crate::wire::{Frame, Malformed, Message};

/// A text on the wire and what it parsed to, as far as it is JSON and JSON-RPC. Cheap to clone.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct ParsedText(Arc<Parsed>);

#[derive(Debug)]
struct Parsed {
    value: Option<Value>,
    notes: Vec<Note>,
    frame: Option<Result<Frame, Malformed>>,
    problem: Option<String>,
    over_limit: bool,
    values: usize,
}

impl ParsedText {
    /// Parses a text; an error is kept, see [`problem`](Self::problem).
    pub fn parse(text: &Bytes) -> Self {
        match Document::parse(text.clone()) {
            Ok(document) => document.into(),
            Err(error) => Self(Arc::new(Parsed {
                value: None,
                notes: Vec::new(),
                frame: None,
                over_limit: error.is_over_limit(),
                values: 0,
                problem: Some(match error.is_over_limit() {
                    // What follows was not read, so that nobody knows whether it is JSON.
                    true => error.to_string(),
                    false => format!("not JSON: {error}"),
                }),
            })),
        }
    }

    /// The value, if the text is JSON.
    pub fn value(&self) -> Option<&Value> {
        self.0.value.as_ref()
    }

    /// What is odd about the JSON, although it parses, such as a duplicate member.
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

    /// What is malformed: the whole text, or items of a batch.
    pub fn malformed(&self) -> impl Iterator<Item = &Malformed> {
        let (whole, items) = match self.frame() {
            Some(Err(malformed)) => (Some(malformed), [].as_slice()),
            Some(Ok(Frame::Batch(items))) => (None, items.as_slice()),
            Some(Ok(Frame::One(_))) | None => (None, [].as_slice()),
        };
        whole.into_iter().chain(items.iter().filter_map(|item| item.as_ref().err()))
    }

    /// Whether this is JSON that does not even look like a message, such as a line of a JSON log.
    pub fn is_unrelated_json(&self) -> bool {
        self.value().is_some_and(|value| !resembles_message(value))
    }

    /// Whether the text is nested deeper than mcp-test parses, or has more values; it may well be valid JSON.
    pub fn is_over_limit(&self) -> bool {
        self.0.over_limit
    }

    /// How many values it has; 0 if the text is not JSON.
    pub(super) fn values(&self) -> usize {
        self.0.values
    }

    /// Why this is not a well-formed message or batch; `None` if it is.
    pub fn problem(&self) -> Option<&str> {
        self.0.problem.as_deref()
    }
}

impl From<Document> for ParsedText {
    fn from(document: Document) -> Self {
        let frame = Frame::read(&document.value);
        // Of a batch the first malformed item only; `malformed` has all of them.
        let malformed = match &frame {
            Err(malformed) => Some(malformed),
            Ok(Frame::Batch(items)) => items.iter().find_map(|item| item.as_ref().err()),
            Ok(Frame::One(_)) => None,
        };
        Self(Arc::new(Parsed {
            problem: malformed.map(ToString::to_string),
            value: Some(document.value),
            notes: document.notes,
            frame: Some(frame),
            over_limit: false,
            values: document.values,
        }))
    }
}

/// Whether a value, or an item of an array, has a member that messages have.
fn resembles_message(value: &Value) -> bool {
    const MEMBERS: [&str; 5] = ["jsonrpc", "id", "method", "result", "error"];
    match value {
        Value::Object(members) => MEMBERS.iter().any(|name| members.contains(name)),
        // A batch, whatever is wrong with it.
        Value::Array(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_json_log_is_not_taken_for_a_message() {
        let is_unrelated_json =
            |text: &'static str| ParsedText::parse(&text.into()).is_unrelated_json();
        for text in [r#"{"level":"info"}"#, "{}", "1", r#""ready""#] {
            assert!(is_unrelated_json(text), "{text}");
        }
        for text in
            [r#"{"jsonrpc":"1.0"}"#, r#"{"id":1}"#, r#"[{"result":{}}]"#, "[]", "[1]", "no JSON"]
        {
            assert!(!is_unrelated_json(text), "{text}");
        }
    }
}
