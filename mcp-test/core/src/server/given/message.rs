//! [`ClientMessage`]: a received message, as rules see it.

use crate::json::Value;
use crate::spec::Revision;
use crate::wire::{Id, Message};

/// A message received from a client.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ClientMessage {
    /// The number of its conversation, counted from 0 in order of their start.
    ///
    /// A conversation is a byte stream, a session, or, in the stateless era over HTTP, a single request.
    pub client: u64,
    /// The `clientInfo`, if the client has sent it.
    pub client_info: Option<Value>,
    /// The revision of the message, once it is negotiated.
    pub revision: Option<Revision>,
    /// The message.
    pub message: Message,
}

impl ClientMessage {
    /// The method; `None` for a reply.
    #[must_use]
    pub fn method(&self) -> Option<&str> {
        self.message.method()
    }

    /// The parameters; `null` if there are none.
    #[must_use]
    pub fn params(&self) -> &Value {
        self.message.params().unwrap_or(&Value::Null)
    }

    /// The part of the parameters at a JSON pointer.
    #[must_use]
    pub fn param(&self, pointer: &str) -> Option<&Value> {
        self.params().at(pointer)
    }

    /// The id, unless it is a notification.
    #[must_use]
    pub fn id(&self) -> Option<&Id> {
        self.message.id()
    }

    /// The name in `clientInfo`.
    #[must_use]
    pub fn client_name(&self) -> Option<&str> {
        self.client_info.as_ref()?.get("name")?.as_str()
    }
}
