//! A request as its handler sees it, and the way back to the client while it is being answered.

use serde_json::json;

use super::{conversation::Talk, terms::Terms};
use crate::{
    json::Value,
    spec::{Revision, meta},
    transport::serve::{Emitted, Outbox},
    wire::{Id, Notification, Request, RpcError},
};

/// One request, or one notification, in the hands of its handler.
#[derive(Debug, Clone)]
pub struct Call {
    pub(super) id: Option<Id>,
    pub(super) method: String,
    pub(super) params: Value,
    pub(super) terms: Terms,
    pub(super) talk: Talk,
    pub(super) outbox: Outbox,
    /// Whether its reply is to be one of several in an array.
    #[cfg_attr(not(feature = "cases"), allow(dead_code, reason = "only contracts go on after it"))]
    pub(super) in_batch: bool,
}

/// Why something did not reach the client, or came back without a result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The revision has no requests of the server.
    #[error("at {revision} a server sends no requests, so not `{method}` either")]
    NoServerRequests {
        /// What was to be asked.
        method: String,
        /// The revision of the conversation.
        revision: Revision,
    },
    /// The client answered with an error.
    #[error("the client refused: {0}")]
    Refused(#[from] RpcError),
    /// The client has gone.
    #[error("the client is gone")]
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

    /// What the client answers to one of the requests of [`Answer::input_required`](super::Answer::input_required).
    #[must_use]
    pub fn input_response(&self, name: &str) -> Option<&Value> {
        self.params.get("inputResponses")?.get(name)
    }

    /// The state that the client brings back; whoever relies on it has to see for himself that it is his own.
    #[must_use]
    pub fn request_state(&self) -> Option<&str> {
        self.params.get("requestState")?.as_str()
    }

    /// The revision by which the request is served.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.terms.revision
    }

    /// What the client declared that it can do.
    #[must_use]
    pub fn client_capabilities(&self) -> &Value {
        &self.terms.capabilities
    }

    /// Who the client says it is.
    #[must_use]
    pub fn client_info(&self) -> Option<&Value> {
        self.terms.info.as_ref()
    }

    /// Sends a notification that belongs to this request.
    ///
    /// # Errors
    ///
    /// When the client is gone.
    pub async fn notify(&self, method: &str, params: impl Into<Value>) -> Result<(), CallError> {
        let notification = Notification::new(method, Some(params.into()));
        self.send(notification.to_value()).await
    }

    /// Tells how far the request is, if the client wants to know.
    ///
    /// # Errors
    ///
    /// When the client is gone.
    pub async fn progress(&self, progress: u64, total: u64) -> Result<(), CallError> {
        let token = self.params.get("_meta").and_then(|meta| meta.get(meta::PROGRESS_TOKEN));
        let Some(token) = token else { return Ok(()) };
        let params =
            json!({ "progressToken": token.to_serde(), "progress": progress, "total": total });
        self.notify("notifications/progress", params).await
    }

    /// Asks the client something, and waits for what it says.
    ///
    /// # Errors
    ///
    /// When the revision has no requests of the server, when the client answers with an error, or when it is gone.
    pub async fn request(
        &self,
        method: &str,
        params: impl Into<Value>,
    ) -> Result<Value, CallError> {
        let revision = self.terms.revision;
        if !revision.has_server_requests() {
            return Err(CallError::NoServerRequests { method: method.to_owned(), revision });
        }
        let question = self.talk.asked().ask();
        self.send(Request::new(question.id(), method, Some(params.into())).to_value()).await?;
        Ok(question.answer().await.ok_or(CallError::Gone)??)
    }

    /// The same call, with its messages going where the server speaks on its own account: over HTTP, in the handshake era,
    /// that is the stream which the client opens with GET.
    ///
    /// Elsewhere there is one way only, and this is the call itself.
    #[must_use]
    pub fn apart(&self) -> Self {
        let outbox = self.talk.own_outbox().unwrap_or_else(|| self.outbox.clone());
        Self { outbox, ..self.clone() }
    }

    /// Ends the connection before the answer, so that the client has to come back for it.
    ///
    /// Only a session over HTTP has such a thing, at 2025-11-25; elsewhere nothing happens.
    ///
    /// # Errors
    ///
    /// When the client is gone.
    pub async fn end_stream(&self) -> Result<(), CallError> {
        if self.outbox.end_connection().await { Ok(()) } else { Err(CallError::Gone) }
    }

    pub(super) async fn send(&self, value: Value) -> Result<(), CallError> {
        if self.outbox.send(Emitted::unprompted(value)).await {
            Ok(())
        } else {
            Err(CallError::Gone)
        }
    }
}
