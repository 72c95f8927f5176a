//! Support for scripts that stand in for a whole server: they answer methods that they did not name beforehand, remember
//! each conversation, and keep sending after a reply.
#![allow(dead_code, reason = "not every combination of features builds a server that needs it")]

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Weak};

use super::answer::NoResult;
use super::conversation::{ServerConversation, State};
use super::outgoing_requests::ClientReply;
use super::reply::reply;
use super::{Answer, Call, CallError, Server};
use crate::json::Value;
use crate::spec::{Capability, Era, Revision, Revisions};
use crate::transport::actor::{Conversation, OutboundMessage};
use crate::transport::fault::FollowUp;
use crate::wire::{Id, Response, RpcError};

/// How a server introduces itself in a conversation.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The name and version: `serverInfo`.
    #[doc(hidden)]
    pub info: Value,
    #[doc(hidden)]
    pub instructions: Option<String>,
    #[doc(hidden)]
    pub capabilities: Value,
    /// The revisions that the server supports.
    #[doc(hidden)]
    pub revisions: Revisions,
}

/// Where the identity for a new conversation comes from.
#[derive(Clone)]
pub(super) struct Identities(Arc<dyn Fn() -> Arc<Identity> + Send + Sync>);

/// Sends unsolicited messages in a conversation; clones belong to the same conversation.
///
/// The reference is weak: a handler that continues after its reply must not keep a conversation alive that the client has left.
#[derive(Debug, Clone)]
pub struct Outbound(Weak<State>);

impl Server {
    /// Asks for the server's identity at the beginning of each conversation, since it may change while the server runs.
    #[doc(hidden)]
    pub fn identified_by(
        self,
        identity: impl Fn() -> Arc<Identity> + Send + Sync + 'static,
    ) -> Self {
        self.with(|script| script.identities = Some(Identities(Arc::new(identity))))
    }

    /// Also serves a JSON document at this path, to whoever asks a server that [listens](Self::listen).
    #[doc(hidden)]
    pub fn document(self, path: impl Into<String>, document: impl Into<Value>) -> Self {
        self.with(|script| script.documents.push((path.into(), document.into())))
    }

    /// The revisions that a new conversation may use.
    pub(super) fn speaks(&self) -> Revisions {
        let served = self.served();
        let identities = self.0.identities.as_ref();
        identities.map_or(served, |Identities(current)| served.intersection(current().revisions))
    }

    /// The server with the identity that it has now.
    pub(super) fn presented(&self) -> Self {
        let Some(Identities(current)) = &self.0.identities else { return self.clone() };
        let identity = current();
        let mut script = (*self.0).clone();
        // The identity is fixed for the conversation; asking again could return another one.
        script.identities = None;
        script.info = identity.info.clone();
        script.instructions.clone_from(&identity.instructions);
        script.capabilities = identity.capabilities.clone();
        // The server may be limited to fewer revisions than its identity supports.
        script.served = script.served.intersection(identity.revisions);
        Self(Arc::new(script))
    }
}

impl Answer {
    /// Sends no reply: it was sent by [`Call::reply`], or the client no longer wants it.
    #[doc(hidden)]
    pub const fn already_sent() -> Self {
        Self(Err(NoResult::Instead(FollowUp::Continue)))
    }

    /// The error, if the answer is one.
    pub(crate) fn into_error(self) -> Option<RpcError> {
        match self.0 {
            Err(NoResult::Error(error)) => Some(error),
            Ok(_) | Err(NoResult::Instead(_) | NoResult::SessionEnd) => None,
        }
    }
}

impl Call {
    /// Whether the request is a conversation of its own, as in the stateless era over HTTP.
    #[doc(hidden)]
    pub fn is_alone(&self) -> bool {
        self.conversation.0.era == Some(Era::Stateless)
    }

    /// The script's state for this conversation, created by its first call; `None` if it has another type.
    #[doc(hidden)]
    pub fn state<T: Any + Send + Sync>(&self, create: impl FnOnce() -> T) -> Option<Arc<T>> {
        let state = self.conversation.0.script_state.get_or_init(|| Arc::new(create()));
        Arc::downcast(Arc::clone(state)).ok()
    }

    /// The answer that the server has for the method without a script.
    #[doc(hidden)]
    pub fn built_in(&self) -> Answer {
        self.conversation.0.server.built_in(&self.method, &self.context).into()
    }

    /// Whether the server declares a capability in this conversation.
    #[doc(hidden)]
    pub fn is_declared(&self, capability: Capability) -> bool {
        self.conversation.0.server.declares(capability)
    }

    /// The same call, whose messages are written in this form where they are events of a stream.
    #[cfg(any(test, feature = "suite"))]
    #[must_use]
    #[doc(hidden)]
    pub fn written(&self, form: crate::transport::event_form::EventForm) -> Self {
        Self { form, ..self.clone() }
    }

    /// Sends a message that belongs to this request.
    #[doc(hidden)]
    pub async fn send_raw(&self, message: Value) -> Result<(), CallError> {
        self.send(message).await
    }

    /// Reserves an id for a request to the client whose response goes to `respond`; `None` if no more requests can be sent.
    #[doc(hidden)]
    pub fn reserve_id(&self, respond: impl FnOnce(ClientReply) + Send + 'static) -> Option<Id> {
        self.conversation.outgoing_requests().register_with(respond)
    }

    /// Replies now, so that the handler can go on; it must return [`Answer::already_sent`].
    ///
    /// Returns `false` where the reply is part of a batch and cannot be sent by itself; the handler must then return it.
    #[doc(hidden)]
    pub async fn reply(&self, answer: &Answer) -> bool {
        // The replies to a batch are one message, which is sent when all of them are known.
        let (Some(id), false) = (&self.id, self.in_batch) else { return false };
        let Ok(outcome) = answer.clone().into_outcome() else { return false };
        if outcome.is_ok() {
            let uri = self.param("uri").and_then(Value::as_str);
            // As in `dispatch`, before the reply is sent.
            self.conversation.0.subscriptions.record(&self.method, uri);
        }
        let server = &self.conversation.0.server;
        let emitted = reply(id.clone(), self.method.clone(), outcome, &self.context, server);
        // If the client has disconnected, the handler has nothing left to reply to either.
        self.outbox.send(OutboundMessage { form: self.form, ..emitted }).await;
        true
    }

    /// Replies with exactly this result, without the members that the revision requires; the handler returns the answer.
    ///
    /// What is wrong with it is deliberate, and does not count against the server.
    #[doc(hidden)]
    pub async fn reply_exactly(&self, result: impl Into<Value>) -> Answer {
        let result = result.into();
        // The replies to a batch are one message, so this one cannot be sent by itself.
        let (Some(id), false) = (&self.id, self.in_batch) else { return result.into() };
        let reply = Response::new(id.clone(), result).to_value();
        // If the client has disconnected, there is nobody left to reply to.
        let emitted = OutboundMessage::reply(reply, self.method.clone(), None);
        self.outbox.send(OutboundMessage { deliberate: true, ..emitted }).await;
        Answer::already_sent()
    }

    /// Waits until the conversation is over.
    #[doc(hidden)]
    pub async fn over(&self) {
        self.conversation.over().await;
    }

    /// A handle for unsolicited messages in this conversation.
    #[doc(hidden)]
    pub fn outbound(&self) -> Outbound {
        Outbound(Arc::downgrade(&self.conversation.0))
    }
}

impl Outbound {
    /// Sends a message without waiting for a slow reader; `false` if there is no stream for it, or its queue is full.
    #[doc(hidden)]
    pub fn send(&self, message: Value) -> bool {
        let Some(conversation) = self.0.upgrade().map(ServerConversation) else { return false };
        conversation
            .own_outbox()
            .is_some_and(|own| own.offer(OutboundMessage::unsolicited(message)))
    }

    /// Notifies every client that has subscribed; see [`Server::announce`].
    #[doc(hidden)]
    pub fn announce(&self, method: &str, params: Value) {
        if let Some(conversation) = self.0.upgrade() {
            conversation.server.announce(method, params);
        }
    }

    /// Reserves an id for a request to the client whose response goes to `respond`; `None` if no requests can be sent.
    #[doc(hidden)]
    pub fn reserve_id(&self, respond: impl FnOnce(ClientReply) + Send + 'static) -> Option<Id> {
        let conversation = self.0.upgrade().map(ServerConversation)?;
        // In the stateless era servers send no requests, and nothing is negotiated.
        let may_ask = conversation.revision().is_some_and(Revision::has_server_requests);
        if may_ask { conversation.outgoing_requests().register_with(respond) } else { None }
    }
}

impl fmt::Debug for Identities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identities")
    }
}
