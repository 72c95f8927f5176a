//! One message of a case, and what is asked of it.

use std::fmt;
use std::sync::Arc;

use super::{Capture, Rule};
use crate::json::{Pointer, Value};
use crate::trace::Party;
use crate::wire::Message;
use crate::yaml::{Node, Span};

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// The client, to the server: the key begins with `in`.
    In,
    /// The server, to the client: the key begins with `out`.
    Out,
}

impl Direction {
    /// The beginning of its keys.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
        }
    }

    /// The direction of a key at the root of a case, if it is one of a message.
    #[must_use]
    pub fn of_key(key: &str) -> Option<Self> {
        [Self::In, Self::Out].into_iter().find(|direction| key.starts_with(direction.as_str()))
    }

    /// Whether the server speaks.
    #[must_use]
    pub const fn is_out(self) -> bool {
        matches!(self, Self::Out)
    }

    /// Who speaks.
    #[must_use]
    pub const fn speaker(self) -> Party {
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

/// A message as the case has it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CaseMessage {
    /// The key: `in_request_to_initialize`.
    pub key: String,
    /// The comments above the key, a line each, without `#`; those above the first key of a case belong to the case.
    pub comments: Vec<String>,
    /// Who says it.
    pub direction: Direction,
    /// What is said.
    pub value: Value,
    /// What is said, if it is JSON-RPC 2.0.
    pub message: Option<Message>,
    /// How what really comes is compared with it.
    pub rule: Rule,
    /// What of it is kept for later messages.
    pub captures: Vec<Capture>,
    /// Where the key stands.
    pub key_span: Span,
    /// Where the value stands.
    pub span: Span,
    /// How it is written.
    pub(crate) node: Arc<Node>,
}

impl CaseMessage {
    /// Whether the case writes a value at a pointer.
    #[must_use]
    pub fn has(&self, pointer: &Pointer) -> bool {
        self.value.at(pointer.as_str()).is_some()
    }

    /// Where the value at a pointer stands; of what is not there, the nearest that is.
    #[must_use]
    pub fn place(&self, pointer: &Pointer) -> Span {
        self.node.nearest(pointer).0.span
    }
}
