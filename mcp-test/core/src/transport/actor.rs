//! The interface between a serving transport and the actor behind it.
//!
//! A transport knows bytes, lines and HTTP; an actor knows JSON-RPC and MCP. They exchange nothing but [`InboundText`] and
//! [`OutboxItem`], so that one actor serves every transport.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

use super::event_form::EventForm;
use super::fault::FollowUp;
use super::memory_budget::Reservation;
use crate::json::{Document, Value};
use crate::spec::{Era, Revision, Revisions};

/// How many messages may wait for the transport before the actor has to wait.
const OUTBOX: usize = 64;

/// The work that one received text requires; it ends when all resulting messages are in the [`Outbox`].
pub(crate) type Work = BoxFuture<'static, ()>;

/// One text from the peer: a line, or the body of a POST.
#[derive(Debug, Clone)]
pub(crate) enum InboundText {
    /// JSON.
    Json(Document),
    /// Not JSON, for this reason.
    Unreadable(String),
}

impl InboundText {
    /// Parses a text, without copying it.
    #[must_use]
    pub(crate) fn parse(text: Bytes) -> Self {
        match Document::parse(text) {
            Ok(document) => Self::Json(document),
            Err(error) => Self::Unreadable(error.to_string()),
        }
    }

    /// The value, if it is JSON.
    #[must_use]
    pub(crate) fn value(&self) -> Option<&Value> {
        match self {
            Self::Json(document) => Some(&document.value),
            Self::Unreadable(_) => None,
        }
    }
}

/// A message or a batch that is sent to the peer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OutboundMessage {
    /// The message.
    pub value: Value,
    /// The method of the request that this replies to; `None` for unsolicited messages.
    pub answers: Option<String>,
    /// The HTTP status that the revision requires for this reply, if it is not 200.
    pub status: Option<u16>,
    /// For a batch, the methods of the requests that its items reply to.
    pub batch: Vec<Option<String>>,
    /// What the transport does afterwards, or instead of a reply if the value is null.
    pub then: FollowUp,
    /// How it is written in an event stream; in any form but the plain one it is sent in a stream over HTTP.
    pub form: EventForm,
    /// Whether it is as it is on purpose, so that it does not count against the actor.
    pub deliberate: bool,
    /// Reserved for what it answers, until the transport has reserved its own.
    pub memory: Reservation,
}

impl OutboundMessage {
    /// A message that is not a reply.
    #[must_use]
    pub(crate) fn unsolicited(value: Value) -> Self {
        let (then, form) = (FollowUp::Continue, EventForm::Plain);
        Self {
            value,
            answers: None,
            status: None,
            batch: Vec::new(),
            then,
            form,
            deliberate: false,
            memory: Reservation::default(),
        }
    }

    /// A reply to a request of this method.
    #[must_use]
    pub(crate) fn reply(value: Value, method: impl Into<String>, status: Option<u16>) -> Self {
        Self { answers: Some(method.into()), status, ..Self::unsolicited(value) }
    }

    /// The replies to the items of a batch, as one batch.
    #[must_use]
    pub(crate) fn batch(replies: impl IntoIterator<Item = Self>) -> Self {
        let (mut values, mut batch, mut then) = (Vec::new(), Vec::new(), FollowUp::Continue);
        for reply in replies {
            if reply.then == FollowUp::Continue {
                values.push(reply.value);
                batch.push(reply.answers);
            } else {
                // One fault ends the connection for the whole batch, so the last one decides.
                then = reply.then;
            }
        }
        if values.is_empty() {
            return Self { then, ..Self::unsolicited(Value::Null) };
        }
        // JSON-RPC 2.0: an item without a reply is absent from the batch.
        let then = if then == FollowUp::Silence { FollowUp::Continue } else { then };
        Self { batch, then, ..Self::unsolicited(values.into()) }
    }

    /// Does this instead of replying to a request of this method.
    #[must_use]
    pub(crate) fn instead(method: impl Into<String>, then: FollowUp) -> Self {
        Self { then, ..Self::reply(Value::Null, method, None) }
    }

    /// Whether it is a reply rather than a request or a notification of the server.
    #[must_use]
    pub(crate) fn is_reply(&self) -> bool {
        // A batch has no method either, and counts as a reply.
        self.value.get("method").is_none()
    }
}

/// What an actor passes to its transport.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum OutboxItem {
    /// A message, or a batch.
    Message(OutboundMessage),
    /// Ends the connection but not the stream: the client resumes the stream.
    ///
    /// Transports without resumption ignore it.
    EndConnection,
}

/// The channel from an actor to the transport; it closes when the last clone is dropped.
#[derive(Debug, Clone)]
pub(crate) struct Outbox {
    sender: mpsc::Sender<OutboxItem>,
    memory: Reservation,
}

impl Outbox {
    /// An outbox and the transport's end of it.
    #[must_use]
    pub(crate) fn channel() -> (Self, mpsc::Receiver<OutboxItem>) {
        let (sender, receiver) = mpsc::channel(OUTBOX);
        (Self { sender, memory: Reservation::default() }, receiver)
    }

    /// The same outbox, for what is sent because of a message that has this memory.
    pub(crate) fn with_memory(self, memory: Reservation) -> Self {
        Self { memory, ..self }
    }

    /// Sends a message; `false` if the transport is gone.
    pub(crate) async fn send(&self, emitted: OutboundMessage) -> bool {
        self.sender.send(self.item(emitted)).await.is_ok()
    }

    /// Sends a message if there is room for it, without waiting for a slow reader.
    pub(crate) fn offer(&self, emitted: OutboundMessage) -> bool {
        // A full queue and a closed one are the same to the caller: the message is lost.
        self.sender.try_send(self.item(emitted)).is_ok()
    }

    fn item(&self, emitted: OutboundMessage) -> OutboxItem {
        OutboxItem::Message(OutboundMessage { memory: self.memory.clone(), ..emitted })
    }

    /// Ends the connection; see [`OutboxItem::EndConnection`].
    pub(crate) async fn end_connection(&self) -> bool {
        self.sender.send(OutboxItem::EndConnection).await.is_ok()
    }
}

/// A server behind a transport.
pub(crate) trait Actor: Send + Sync + 'static {
    /// The revisions that it serves.
    fn revisions(&self) -> Revisions;

    /// Starts a conversation: one byte stream, one HTTP session, or one HTTP request of the stateless era.
    ///
    /// Without an `era`, each request is read by the rules of the era that it belongs to.
    fn new_conversation(&self, era: Option<Era>) -> Arc<dyn Conversation>;

    /// The arguments of a tool that requests mirror in headers, if [`Revision::mirrors_headers`].
    fn mirrored(&self, _tool: &str) -> Vec<MirroredArgument> {
        Vec::new()
    }
}

/// An argument of a tool that a header mirrors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MirroredArgument {
    /// The tool.
    pub tool: String,
    /// The JSON pointer of the argument in the arguments of the tool.
    pub pointer: String,
    /// The header's name, after `Mcp-Param-`.
    pub header: String,
}

/// One conversation of a server with a client.
pub(crate) trait Conversation: Send + Sync {
    /// Receives a text: what depends on the order is done at once, the rest by the returned work.
    fn receive(&self, received: InboundText, outbox: Outbox) -> Work;

    /// The revision that `initialize` negotiated.
    fn revision(&self) -> Option<Revision>;

    /// Sets the outbox for unsolicited messages, which cannot be sent before this or after [`close`](Self::close).
    fn attach(&self, outbox: Outbox);

    /// Ends the conversation, and everything that still waits for the peer.
    fn close(&self);

    /// Whether the conversation has ended; the actor may have ended it too.
    fn is_over(&self) -> bool;
}

/// Why serving failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Reading or writing failed.
    #[error("the connection broke: {0}")]
    Io(#[from] io::Error),
    /// A fault ends the whole server, as if it had crashed.
    #[error("the fault `exit:{method}` ended the server")]
    Exited {
        /// The method of the request that was not answered.
        method: String,
    },
}
