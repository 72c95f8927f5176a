//! [`Call`]: a request as its handler sees it, which can send messages to the client before the answer.

use serde_json::json;

use super::conversation::ServerConversation;
use super::request_context::RequestContext;
use crate::json::Value;
use crate::spec::{Revision, meta};
use crate::transport::actor::{OutboundMessage, Outbox};
use crate::transport::event_form::EventForm;
use crate::transport::fault::Misbehavior;
use crate::wire::{Id, Notification, Request, RpcError};

/// A request or notification, as its handler sees it.
#[derive(Debug, Clone)]
pub struct Call {
    pub(super) id: Option<Id>,
    pub(super) method: String,
    pub(super) params: Value,
    pub(super) context: RequestContext,
    pub(super) conversation: ServerConversation,
    pub(super) outbox: Outbox,
    /// Whether its reply is to be one of several in an array.
    #[allow(
        dead_code,
        reason = "only a script that stands in for a whole server goes on after its reply"
    )]
    pub(super) in_batch: bool,
    /// How its messages are written in an event stream.
    pub(super) form: EventForm,
}

/// Why a message did not reach the client, or a request to it has no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// Servers send no requests at this revision.
    #[error("cannot send `{method}`: at {revision} servers send no requests")]
    NoServerRequests {
        /// The method of the request.
        method: String,
        /// The revision of the conversation.
        revision: Revision,
    },
    /// The client answered with an error.
    #[error("the client refused: {0}")]
    Refused(#[from] RpcError),
    /// The client has disconnected.
    #[error("the client has disconnected")]
    Gone,
}

impl Call {
    /// The method.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The id, unless this is a notification.
    #[must_use]
    pub fn id(&self) -> Option<&Id> {
        self.id.as_ref()
    }

    /// The parameters; `null` if there are none.
    #[must_use]
    pub fn params(&self) -> &Value {
        &self.params
    }

    /// One parameter.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&Value> {
        self.params.get(name)
    }

    /// The response to one of the requests of [`Answer::input_required`](super::Answer::input_required).
    #[must_use]
    pub fn input_response(&self, name: &str) -> Option<&Value> {
        self.params.get("inputResponses")?.get(name)
    }

    /// The state that the client sent back. It is not authenticated: the client may have changed it.
    #[must_use]
    pub fn request_state(&self) -> Option<&str> {
        self.params.get("requestState")?.as_str()
    }

    /// Whether a fault makes the server misbehave in this way.
    pub(super) fn misbehaves(&self, misbehavior: Misbehavior) -> bool {
        self.conversation.0.server.misbehaves(misbehavior)
    }

    /// The revision of the request.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.context.revision
    }

    /// The capabilities that the client declared.
    #[must_use]
    pub fn client_capabilities(&self) -> &Value {
        &self.context.capabilities
    }

    /// The `clientInfo`, if the client sent one.
    #[must_use]
    pub fn client_info(&self) -> Option<&Value> {
        self.context.info.as_ref()
    }

    /// Sends a notification that belongs to this request.
    ///
    /// # Errors
    ///
    /// When the client has disconnected.
    pub async fn notify(&self, method: &str, params: impl Into<Value>) -> Result<(), CallError> {
        let notification = Notification::new(method, Some(params.into()));
        self.send(notification.to_value()).await
    }

    /// Reports progress, if the client sent a progress token.
    ///
    /// # Errors
    ///
    /// When the client has disconnected.
    pub async fn progress(&self, progress: u64, total: u64) -> Result<(), CallError> {
        let token = self.params.get("_meta").and_then(|meta| meta.get(meta::PROGRESS_TOKEN));
        // Progress may only be reported under a token that the client provided.
        let Some(token) = token else { return Ok(()) };
        let params =
            json!({ "progressToken": token.to_serde(), "progress": progress, "total": total });
        self.notify("notifications/progress", params).await
    }

    /// Sends a request to the client and waits for its reply.
    ///
    /// # Errors
    ///
    /// When the revision has no requests of the server, when the client answers with an error, or when it has disconnected.
    pub async fn request(
        &self,
        method: &str,
        params: impl Into<Value>,
    ) -> Result<Value, CallError> {
        self.request_answering(method, params.into(), None).await
    }

    /// Sends a request to the client, and waits for its reply, whose POST is answered with `refusal`, if that is given.
    pub(super) async fn request_answering(
        &self,
        method: &str,
        params: Value,
        refusal: Option<OutboundMessage>,
    ) -> Result<Value, CallError> {
        let revision = self.context.revision;
        if !revision.has_server_requests() {
            return Err(CallError::NoServerRequests { method: method.to_owned(), revision });
        }
        // Registered before it is sent, since the reply may arrive before `send` returns.
        let outgoing = self.conversation.outgoing_requests().register(refusal);
        self.send(Request::new(outgoing.id(), method, Some(params)).to_value()).await?;
        // Two errors: the client is gone, or it has replied with an error.
        Ok(outgoing.reply().await.ok_or(CallError::Gone)??)
    }

    /// The same call, but its messages go on the stream that the client opens with GET, which exists over HTTP in the
    /// handshake era.
    ///
    /// Elsewhere there is only one stream, and this is the call itself.
    #[must_use]
    pub fn on_standalone_stream(&self) -> Self {
        // A conversation has an outbox of its own only where the client can receive messages apart from replies.
        let outbox = self.conversation.own_outbox().unwrap_or_else(|| self.outbox.clone());
        Self { outbox, ..self.clone() }
    }

    /// Closes the connection before the answer, so that the client has to reconnect for it.
    ///
    /// This only has an effect in a session over HTTP at 2025-11-25.
    ///
    /// # Errors
    ///
    /// When the client has disconnected.
    pub async fn end_stream(&self) -> Result<(), CallError> {
        if self.outbox.end_connection().await { Ok(()) } else { Err(CallError::Gone) }
    }

    /// The id and the reply of a request that the caller sends with [`Call::send_raw`].
    #[cfg(any(test, feature = "suite"))]
    #[doc(hidden)]
    pub fn open(&self) -> super::outgoing_requests::OutgoingRequest<'_> {
        self.conversation.outgoing_requests().register(None)
    }

    pub(super) async fn send(&self, value: Value) -> Result<(), CallError> {
        let emitted = OutboundMessage { form: self.form, ..OutboundMessage::unsolicited(value) };
        if self.outbox.send(emitted).await { Ok(()) } else { Err(CallError::Gone) }
    }
}
