//! What a serving carrier and the actor behind it say to each other.
//!
//! A carrier knows bytes, lines and HTTP; an actor knows JSON-RPC and MCP. Between them go [`Received`] texts,
//! [`Outbound`] messages, and nothing else, so that one actor serves every carrier.

use std::{future::Future, io, pin::Pin, sync::Arc};

use tokio::sync::mpsc;

use super::fault::Then;
use crate::{
    json::{Document, Value},
    spec::{Era, Revision, Revisions},
};

/// How many messages may wait for their carrier before the actor has to.
const OUTBOX: usize = 64;

/// What has to be done for one received text; it ends when everything it leads to is in the [`Outbox`].
pub type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// One text from the peer: a line, or the body of a POST.
#[derive(Debug, Clone)]
pub enum Received {
    /// It is JSON.
    Json(Document),
    /// It is none, for this reason.
    Unreadable(String),
}

impl Received {
    /// Reads a text.
    #[must_use]
    pub fn read(text: &[u8]) -> Self {
        match Value::parse(text) {
            Ok(document) => Self::Json(document),
            Err(error) => Self::Unreadable(error.to_string()),
        }
    }

    /// The value, if it is JSON.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        match self {
            Self::Json(document) => Some(&document.value),
            Self::Unreadable(_) => None,
        }
    }
}

/// One message, or one batch, on its way to the peer.
#[derive(Debug, Clone, PartialEq)]
pub struct Emitted {
    /// The JSON text to be.
    pub value: Value,
    /// The method of the request that this replies to; `None` for what the server sends on its own account.
    pub answers: Option<String>,
    /// The HTTP status that the revision wants for this reply, where it is not 200.
    pub status: Option<u16>,
    /// The methods of the requests that the items reply to, where the value is a batch.
    pub batch: Vec<Option<String>>,
    /// What the carrier does after it, or, if there is no value, instead of a reply.
    pub then: Then,
}

impl Emitted {
    /// Something the server sends on its own account.
    #[must_use]
    pub fn unprompted(value: Value) -> Self {
        Self { value, answers: None, status: None, batch: Vec::new(), then: Then::GoOn }
    }

    /// A reply to a request of this method.
    #[must_use]
    pub fn reply(value: Value, method: impl Into<String>, status: Option<u16>) -> Self {
        Self { answers: Some(method.into()), status, ..Self::unprompted(value) }
    }

    /// The replies to the items of a batch, as one batch.
    #[must_use]
    pub fn batch(replies: impl IntoIterator<Item = Self>) -> Self {
        let (mut values, mut batch, mut then) = (Vec::new(), Vec::new(), Then::GoOn);
        for reply in replies {
            if reply.then == Then::GoOn {
                values.push(reply.value);
                batch.push(reply.answers);
            } else {
                then = reply.then;
            }
        }
        if values.is_empty() {
            return Self { then, ..Self::unprompted(Value::Null) };
        }
        // What is not answered is merely absent beside what is.
        let then = if then == Then::Silence { Then::GoOn } else { then };
        Self { batch, then, ..Self::unprompted(Value::Array(values)) }
    }

    /// What happens instead of the reply to a request of this method.
    #[must_use]
    pub fn instead(method: impl Into<String>, then: Then) -> Self {
        Self { then, ..Self::reply(Value::Null, method, None) }
    }

    /// Whether it is a reply rather than a request or a notification of the server.
    #[must_use]
    pub fn is_reply(&self) -> bool {
        self.value.get("method").is_none()
    }
}

/// What an actor hands to its carrier.
#[derive(Debug, Clone, PartialEq)]
pub enum Outbound {
    /// A message, or a batch.
    Message(Emitted),
    /// The wish to end the connection without ending the stream: the client is to come back for the rest.
    ///
    /// Where a carrier has no such thing, it goes on as if nothing had been said.
    EndConnection,
}

/// The way from an actor to the carrier; it closes when the last copy is gone.
#[derive(Debug, Clone)]
pub struct Outbox(mpsc::Sender<Outbound>);

impl Outbox {
    /// An outbox and the carrier's end of it.
    #[must_use]
    pub fn channel() -> (Self, mpsc::Receiver<Outbound>) {
        let (sender, receiver) = mpsc::channel(OUTBOX);
        (Self(sender), receiver)
    }

    /// Hands over a message; `false` when the carrier is gone and nobody will ever read it.
    pub async fn send(&self, emitted: Emitted) -> bool {
        self.0.send(Outbound::Message(emitted)).await.is_ok()
    }

    /// Hands over a message if there is room for it, without waiting for a slow reader.
    pub fn offer(&self, emitted: Emitted) -> bool {
        self.0.try_send(Outbound::Message(emitted)).is_ok()
    }

    /// Asks for the end of the connection; see [`Outbound::EndConnection`].
    pub async fn end_connection(&self) -> bool {
        self.0.send(Outbound::EndConnection).await.is_ok()
    }
}

/// A server behind a carrier.
pub trait Actor: Send + Sync + 'static {
    /// The revisions that it serves.
    fn revisions(&self) -> Revisions;

    /// A new conversation: one byte stream, or one HTTP session, or one HTTP request of the stateless era.
    ///
    /// `era` is what the carrier knows of it; without it, each request decides for itself.
    fn converse(&self, era: Option<Era>) -> Arc<dyn Conversation>;

    /// The arguments of a tool that requests mirror in headers, where [`Revision::mirrors_headers`].
    fn mirrored(&self, _tool: &str) -> Vec<Mirrored> {
        Vec::new()
    }
}

/// An argument of a tool that a header mirrors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mirrored {
    /// The tool.
    pub tool: String,
    /// Where the argument is among the tool's arguments.
    pub pointer: String,
    /// The header's name, after `Mcp-Param-`.
    pub header: String,
}

/// One conversation of a server with a client.
pub trait Conversation: Send + Sync {
    /// Takes in one text, at once where order matters; what is left to do is in the returned work.
    fn receive(&self, received: Received, outbox: Outbox) -> Work;

    /// The revision that `initialize` settled on.
    fn revision(&self) -> Option<Revision>;

    /// Where to put what the server sends on its own account; before, and after [`close`](Self::close), there is no such way.
    fn attach(&self, outbox: Outbox);

    /// The conversation is over: whoever still waits for the peer waits no longer.
    fn close(&self);

    /// Whether the conversation is over; the actor, too, may have ended it.
    fn is_over(&self) -> bool;
}

/// Why serving ended other than by the peer's leaving.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The bytes could not be read or written.
    #[error("the connection broke: {0}")]
    Io(#[from] io::Error),
    /// A fault wants the whole server to end, as if it had crashed.
    #[error("the fault `exit:{method}` ended the server")]
    Exited {
        /// The request that was not answered any more.
        method: String,
    },
}
