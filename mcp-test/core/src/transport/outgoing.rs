//! What a client sends: a message, a batch or raw bytes, with its HTTP headers.

use bytes::Bytes;

use crate::trace::Seq;
use crate::wire::Message;

/// A message that is sent to the peer.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct Outgoing {
    /// The bytes, without any framing.
    pub text: Bytes,
    /// The message; `None` for a batch and for raw bytes.
    pub message: Option<Message>,
    /// Additional HTTP headers; one of the same name replaces the transport's own.
    pub headers: Vec<(String, String)>,
    /// HTTP headers that are not sent.
    pub without: Vec<String>,
}

impl From<Message> for Outgoing {
    fn from(message: Message) -> Self {
        Self {
            text: message.to_value().to_string().into(),
            message: Some(message),
            headers: Vec::new(),
            without: Vec::new(),
        }
    }
}

impl Outgoing {
    /// Messages that are sent as one JSON-RPC batch, which only 2025-03-26 has.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::transport::Outgoing;
    /// use mcp_test::wire::{Message, Notification};
    ///
    /// let note = |method: &str| Message::Notification(Notification { method: method.into(), params: None });
    /// let batch = Outgoing::batch([note("a"), note("b")]);
    /// assert_eq!(batch.text, r#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]"#);
    /// ```
    #[must_use]
    pub fn batch(messages: impl IntoIterator<Item = Message>) -> Self {
        let items: Vec<String> =
            messages.into_iter().map(|message| message.to_value().to_string()).collect();
        // No message stands for the whole batch, so no header mirrors one.
        Self::raw(format!("[{}]", items.join(",")))
    }

    /// Bytes that are sent as they are, valid or not.
    #[must_use]
    pub fn raw(text: impl Into<Bytes>) -> Self {
        Self { text: text.into(), message: None, headers: Vec::new(), without: Vec::new() }
    }

    /// Adds an HTTP header; see [`Outgoing::headers`].
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
}

/// Where a sent message is in the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    /// The event that records it.
    pub seq: Seq,
    /// The HTTP exchange that carries it, on HTTP transports.
    pub exchange: Option<u64>,
    /// Whether it was written before the deadline; a peer that does not read blocks the transport.
    pub written: bool,
}
