//! The requests of the server that the client has not answered yet.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use tokio::sync::oneshot;

use crate::json::Value;
use crate::transport::actor::OutboundMessage;
use crate::wire::{Id, RpcError};

/// The reply of a client to a request of the server.
pub(crate) type ClientReply = Result<Value, RpcError>;

/// Called with the reply.
type OnReply = Box<dyn FnOnce(ClientReply) + Send>;

/// How many requests with a callback may be open, so that a client that never replies cannot exhaust memory.
const MAX_OPEN: usize = 1024;

/// The open requests of one conversation.
#[derive(Debug, Default)]
pub(super) struct OutgoingRequests(Mutex<Open>);

#[derive(Default)]
struct Open {
    last: u64,
    waiting: HashMap<Id, OnReply>,
    /// With what the replies to some of them are refused.
    refusals: HashMap<Id, OutboundMessage>,
    closed: bool,
}

/// One open request; it is forgotten when this is dropped.
#[derive(Debug)]
pub struct OutgoingRequest<'a> {
    requests: &'a OutgoingRequests,
    id: Id,
    reply: oneshot::Receiver<ClientReply>,
}

impl OutgoingRequests {
    /// Opens a request whose reply is awaited, and refused with this message, if any.
    pub(super) fn register(&self, refusal: Option<OutboundMessage>) -> OutgoingRequest<'_> {
        let (sender, reply) = oneshot::channel();
        // Sending fails if the handler no longer waits, for example because its request was cancelled.
        let on_reply = |reply| drop(sender.send(reply));
        let id = self.with(|open| {
            let id = open.insert(Box::new(on_reply));
            open.refusals.extend(refusal.map(|refusal| (id.clone(), refusal)));
            id
        });
        OutgoingRequest { requests: self, id, reply }
    }

    /// Opens a request whose reply goes to a callback; `None` if there are too many, or the conversation is over.
    #[allow(
        dead_code,
        reason = "only a script that stands in for a whole server asks without waiting"
    )]
    pub(super) fn register_with(
        &self,
        on_reply: impl FnOnce(ClientReply) + Send + 'static,
    ) -> Option<Id> {
        self.with(|open| {
            let is_allowed = !open.closed && open.waiting.len() < MAX_OPEN;
            is_allowed.then(|| open.insert(Box::new(on_reply)))
        })
    }

    /// Delivers a reply to its request, and returns with what it is refused; a reply to an unknown request is dropped.
    pub(super) fn resolve(&self, id: &Id, reply: ClientReply) -> Option<OutboundMessage> {
        let (on_reply, refusal) =
            self.with(|open| (open.waiting.remove(id), open.refusals.remove(id)));
        // Called outside the lock, since a callback may open another request.
        if let Some(on_reply) = on_reply {
            on_reply(reply);
        }
        refusal
    }

    /// Drops all open requests, because the client can no longer reply.
    pub(super) fn close(&self) {
        let waiting = self.with(|open| {
            open.closed = true;
            std::mem::take(&mut open.waiting)
        });
        // Dropped outside the lock: a callback may own an `OutgoingRequest`, which takes the lock when it is dropped.
        drop(waiting);
    }

    fn with<T>(&self, act: impl FnOnce(&mut Open) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Open {
    fn insert(&mut self, on_reply: OnReply) -> Id {
        self.last += 1;
        // A text of its own kind, so that a trace shows at once which side has chosen an id.
        let id = Id::from(format!("server-{}", self.last).as_str());
        // After the end the callback is dropped instead, which ends the wait for its reply at once.
        if !self.closed {
            self.waiting.insert(id.clone(), on_reply);
        }
        id
    }
}

impl fmt::Debug for Open {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Open").field("waiting", &self.waiting.len()).finish_non_exhaustive()
    }
}

impl OutgoingRequest<'_> {
    /// The id of the request.
    #[doc(hidden)]
    pub fn id(&self) -> Id {
        self.id.clone()
    }

    /// Waits for the reply; `None` if the client disconnects first.
    #[doc(hidden)]
    pub async fn reply(mut self) -> Option<ClientReply> {
        (&mut self.reply).await.ok()
    }
}

impl Drop for OutgoingRequest<'_> {
    fn drop(&mut self) {
        // The callback is dropped after the lock is released, as in `close`.
        let on_reply = self.requests.with(|open| {
            open.refusals.remove(&self.id);
            open.waiting.remove(&self.id)
        });
        drop(on_reply);
    }
}
