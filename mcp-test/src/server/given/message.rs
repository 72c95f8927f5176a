//! A message of a client, as rules see it.

use crate::{
    json::Value,
    spec::Revision,
    wire::{Id, Message},
};

/// A message that a client sent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ClientMessage {
    /// Which conversation it belongs to, counted from 0 in the order in which they began.
    ///
    /// A conversation is a byte stream, a session, or, in the stateless era over HTTP, a single request.
    pub client: u64,
    /// Who the client says it is, where it has said so.
    pub client_info: Option<Value>,
    /// The revision by which the message is served, once that is agreed.
    pub revision: Option<Revision>,
    /// What it says.
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

    /// A part of the parameters.
    #[must_use]
    pub fn param(&self, pointer: &str) -> Option<&Value> {
        self.params().at(pointer)
    }

    /// The id, unless it is a notification.
    #[must_use]
    pub fn id(&self) -> Option<&Id> {
        self.message.id()
    }

    /// The name that the client gives itself.
    #[must_use]
    pub fn client_name(&self) -> Option<&str> {
        self.client_info.as_ref()?.get("name")?.as_str()
    }
}
