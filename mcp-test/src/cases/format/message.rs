//! A message of a case.

use std::fmt;
use std::sync::Arc;

use mcp_test_core::json::{Pointer, Value};
use mcp_test_core::trace::Party;
use mcp_test_core::wire::Message;
use mcp_test_core::yaml::{Node, Span};

use super::extension::{Capture, Rule};

/// Which side sends a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// The client, to the server: the key begins with `in`.
    In,
    /// The server, to the client: the key begins with `out`.
    Out,
}

impl Direction {
    /// The prefix of its keys.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
        }
    }

    /// The direction of a key, if it is the key of a message.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        [Self::In, Self::Out].into_iter().find(|direction| key.starts_with(direction.as_str()))
    }

    /// The direction of the other side's messages.
    #[must_use]
    pub(in crate::cases) const fn opposite(self) -> Self {
        match self {
            Self::In => Self::Out,
            Self::Out => Self::In,
        }
    }

    /// Whether the server sends it.
    #[must_use]
    pub const fn is_out(self) -> bool {
        matches!(self, Self::Out)
    }

    /// The sender.
    #[must_use]
    pub const fn sender(self) -> Party {
        match self {
            Self::In => Party::Client,
            Self::Out => Party::Server,
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A message of a case.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CaseMessage {
    /// The key: `in_request_to_initialize`.
    pub key: String,
    /// The comments above the key, one line each, without `#`; those above the first key belong to the case.
    pub comments: Vec<String>,
    /// Which side sends it.
    pub direction: Direction,
    /// The message as JSON.
    pub value: Value,
    /// The message, if it is JSON-RPC 2.0.
    pub message: Option<Message>,
    /// The message, if only `jsonrpc` is missing; boxed because few have it.
    pub(crate) without_version: Option<Box<Message>>,
    /// How a received message is compared with it.
    pub rule: Rule,
    /// Values to keep for later messages.
    pub captures: Vec<Capture>,
    /// The range of the key.
    pub key_span: Span,
    /// The range of the value.
    pub span: Span,
    /// Its syntax tree.
    pub(crate) node: Arc<Node>,
}

/// Reads a message that may lack `jsonrpc`.
pub(crate) fn read_lenient(value: &Value) -> Option<Message> {
    if let Ok(message) = Message::read(value) {
        return Some(message);
    }
    // Without `jsonrpc` the kind of message is still clear, so that its method and id can be used.
    let mut value = value.clone();
    value.as_object_mut()?.insert("jsonrpc", "2.0");
    Message::read(&value).ok()
}

impl CaseMessage {
    /// The message, which may lack `jsonrpc`.
    pub(crate) fn lenient(&self) -> Option<&Message> {
        self.message.as_ref().or(self.without_version.as_deref())
    }

    /// Whether it has a value at a pointer.
    #[must_use]
    pub fn has(&self, pointer: &Pointer) -> bool {
        self.value.at(pointer.as_str()).is_some()
    }

    /// The range of the value at a pointer, or of its deepest existing parent.
    #[must_use]
    pub fn span_of(&self, pointer: &Pointer) -> Span {
        self.node.nearest(pointer).0.span
    }

    /// The range of a member such as `id`, or of the message.
    pub(in crate::cases) fn span_of_member(&self, name: &str) -> Span {
        self.span_of(&Pointer::root().member(name))
    }
}
