//! The state of one conversation of the server.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use futures_util::future::BoxFuture;
use tokio::sync::watch;

use super::Server;
use super::in_flight::InFlight;
use super::outgoing_requests::OutgoingRequests;
use super::request_context::RequestContext;
use super::subscriptions::Subscriptions;
use crate::spec::Era;
use crate::transport::actor::{OutboundMessage, Outbox};

/// The reply to one message, if it gets one.
pub(super) type Reply = BoxFuture<'static, Option<OutboundMessage>>;

/// One conversation; clones share its state.
#[derive(Debug, Clone)]
pub(super) struct ServerConversation(pub(super) Arc<State>);

#[derive(Debug)]
pub(super) struct State {
    /// The number of the conversation, counted from 0.
    pub(super) number: u64,
    pub(super) server: Server,
    pub(super) era: Option<Era>,
    pub(super) agreed: Mutex<Option<RequestContext>>,
    /// Where unsolicited messages are sent, if there is a stream for them.
    pub(super) own_outbox: Mutex<Option<Outbox>>,
    pub(super) over: watch::Sender<bool>,
    pub(super) subscriptions: Subscriptions,
    /// The minimum log level that the client set for the whole conversation.
    pub(super) log_level: Mutex<Option<String>>,
    pub(super) outgoing_requests: OutgoingRequests,
    pub(super) in_flight: InFlight,
    /// The state of the script, which lasts as long as the conversation.
    pub(super) script_state: OnceLock<Arc<dyn Any + Send + Sync>>,
}

impl ServerConversation {
    pub(super) fn new(server: Server, era: Option<Era>) -> Self {
        Self(Arc::new(State {
            // Counted by the rules, so that a server that is reconfigured starts again at 0.
            number: server.rules().next_client(),
            server,
            era,
            agreed: Mutex::default(),
            own_outbox: Mutex::default(),
            log_level: Mutex::default(),
            over: watch::Sender::default(),
            subscriptions: Subscriptions::default(),
            outgoing_requests: OutgoingRequests::default(),
            in_flight: InFlight::default(),
            script_state: OnceLock::new(),
        }))
    }

    /// Where unsolicited messages are sent, if there is a stream for them.
    pub(super) fn own_outbox(&self) -> Option<Outbox> {
        self.lock_own_outbox().clone()
    }

    /// Waits until the conversation is over.
    pub(super) async fn over(&self) {
        // The sender lives as long as this conversation does.
        self.0.over.subscribe().wait_for(|over| *over).await.ok();
    }

    pub(super) fn lock_own_outbox(&self) -> MutexGuard<'_, Option<Outbox>> {
        self.0.own_outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn outgoing_requests(&self) -> &OutgoingRequests {
        &self.0.outgoing_requests
    }

    /// What the handshake negotiated, once it has.
    pub(super) fn agreed(&self) -> Option<RequestContext> {
        self.0.agreed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
