//! What one JSON text on the wire holds: a message, or a batch of them.

use super::{Expected, Malformed, Message};
use crate::json::{Pointer, Value};

/// A message or a batch: one JSON text.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    /// A single message.
    One(Message),
    /// A batch, never empty; each item is a message or the reason why it is not one.
    Batch(Vec<Result<Message, Malformed>>),
}

impl Frame {
    /// Reads a value as a message or, if it is an array, as a batch.
    ///
    /// # Errors
    ///
    /// When the value is neither, or an empty batch. A malformed item is kept in the batch instead, with a pointer that
    /// starts at the batch.
    pub fn read(value: &Value) -> Result<Self, Malformed> {
        let Value::Array(items) = value else {
            return Message::read(value).map(Self::One);
        };
        // JSON-RPC 2.0: an empty array is an invalid request, not a batch.
        if items.is_empty() {
            return Err(Malformed {
                pointer: Pointer::root(),
                expected: Expected::NonEmptyBatch,
                found: Some("[]".to_owned()),
                id: None,
                method: None,
            });
        }
        let item = |(index, item): (usize, &Value)| {
            Message::read(item).map_err(|malformed| Malformed {
                pointer: Pointer::root().index(index).join(&malformed.pointer),
                ..malformed
            })
        };
        Ok(Self::Batch(items.iter().enumerate().map(item).collect()))
    }

    /// The well-formed messages in order.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        let (one, batch) = match self {
            Self::One(message) => (Some(message), [].as_slice()),
            Self::Batch(items) => (None, items.as_slice()),
        };
        one.into_iter().chain(batch.iter().filter_map(|item| item.as_ref().ok()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn batch_keeps_valid_and_malformed_items() {
        let batch = json!([{"jsonrpc": "2.0", "method": "a"}, {"jsonrpc": "2.0", "method": 5}, 7]);
        let frame = Frame::read(&batch.into()).unwrap();
        assert_eq!(frame.messages().filter_map(Message::method).collect::<Vec<_>>(), ["a"]);
        let Frame::Batch(items) = frame else { panic!("an array is a batch") };
        let words: Vec<_> =
            items.iter().filter_map(|item| Some(item.as_ref().err()?.to_string())).collect();
        assert_eq!(
            words,
            ["expected /1/method is a string, got 5", "expected /2 is a JSON-RPC message, got 7"]
        );
    }

    #[test]
    fn object_is_one_message_and_empty_array_is_malformed() {
        let one = Frame::read(&json!({"jsonrpc": "2.0", "method": "a"}).into()).unwrap();
        assert_eq!(one.messages().count(), 1);
        let empty = Frame::read(&json!([]).into()).unwrap_err();
        assert_eq!(empty.to_string(), "expected a batch of at least one message, got []");
    }
}
