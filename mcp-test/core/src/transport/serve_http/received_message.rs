//! A message as a client sent it, with the memory that is reserved for it.

use std::sync::Arc;

use axum::body::Bytes;

use crate::json::{VALUE_BYTES, VALUE_LIMIT, Value};
use crate::transport::actor::{Conversation, InboundText, Outbox, Work};
use crate::transport::interceptor::InterceptedConnection;
use crate::transport::memory_budget::{MemoryBudget, MemoryUsedUp, Reservation, Usage};

/// A message, or what else is in a body, until it is passed to the actor.
pub(super) struct ReceivedMessage {
    text: InboundText,
    /// The most memory that its values take.
    parsed_bytes: usize,
    body_memory: Reservation,
    memory: Reservation,
}

impl ReceivedMessage {
    /// Parses and records a body.
    ///
    /// # Errors
    ///
    /// When no memory is left for its values.
    pub(super) async fn read(
        budget: &MemoryBudget,
        wire: &InterceptedConnection,
        (text, body_memory): (Bytes, Reservation),
    ) -> Result<Self, MemoryUsedUp> {
        let parsed_bytes = parsed_bytes(&text);
        // With another copy of the text, since the reply may repeat what was sent.
        let memory = budget.reserve(Usage::Message, parsed_bytes + text.len()).await?;
        wire.received(&text);
        Ok(Self { text: InboundText::parse(text), parsed_bytes, body_memory, memory })
    }

    /// The value, if it is JSON.
    pub(super) fn value(&self) -> Option<&Value> {
        self.text.value()
    }

    /// The most memory that a conversation keeps of it.
    pub(super) fn parsed_bytes(&self) -> usize {
        self.parsed_bytes
    }

    /// Passes it to a conversation; its memory is reserved until the work is done and what it sends is delivered.
    pub(super) fn start(self, conversation: &Arc<dyn Conversation>, outbox: Outbox) -> Work {
        let Self { text, body_memory, memory, .. } = self;
        let work = conversation.receive(text, outbox.with_memory(memory));
        // The conversation has its values, and nobody the text any more.
        drop(body_memory);
        work
    }
}

/// The most memory that the values of a text take.
fn parsed_bytes(text: &[u8]) -> usize {
    // Every value but the first follows one of these. In strings they are counted as well, which is only too much.
    let values = 1 + text.iter().filter(|byte| matches!(byte, b'[' | b'{' | b',' | b':')).count();
    text.len() + VALUE_BYTES * values.min(VALUE_LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_values_is_bounded_by_their_text() {
        for (text, values) in
            [(r"7", 1), (r"[[0],[0]]", 5), (r#"{"a":[1,"b"],"c":{}}"#, 5), (r#""a text""#, 1)]
        {
            let document = Value::parse(text.as_bytes()).unwrap();
            assert_eq!(document.values, values, "{text}");
            assert!(parsed_bytes(text.as_bytes()) >= text.len() + VALUE_BYTES * values, "{text}");
        }
        let many = "0,".repeat(VALUE_LIMIT + 10);
        assert_eq!(parsed_bytes(many.as_bytes()), many.len() + VALUE_BYTES * VALUE_LIMIT);
    }
}
