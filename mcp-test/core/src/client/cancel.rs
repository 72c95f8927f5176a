//! Cancellation in both directions: of requests of the client and of requests of the server.
//!
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation>

use std::time::Duration;

use super::Client;
use super::state::Abandoned;
use super::wait::Pending;
use crate::clock::Deadline;
use crate::json::Object;
use crate::trace::{Event, Party, Seq, Trace};
use crate::transport::Sent;
use crate::wire::{Id, Message, Notification};

/// How long a server that does not read may delay the report of a time-out.
const CANCEL_GRACE: Duration = Duration::from_millis(50);

/// A cancelled request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CancelledRequest {
    id: Id,
    request: Seq,
}

impl CancelledRequest {
    /// The id of the request.
    #[must_use]
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// The event of the request in a trace of its conversation, if the trace still has it.
    pub(crate) fn event<'a>(&self, trace: &'a Trace) -> Option<&'a Event> {
        trace.event(self.request)
    }

    /// The event of a reply to the request; the client may have disconnected since.
    pub(crate) fn reply(&self, request: &Event, trace: &Trace) -> Option<Seq> {
        // Another connection may use the same id.
        let mut later = trace.messages().filter(|(event, _)| {
            event.seq > request.seq
                && event.connection == request.connection
                && event.party == Party::Server
        });
        let reply = later.find(|(_, message)| {
            matches!(message, Message::Response(_) | Message::Error(_))
                && message.id() == Some(&self.id)
        });
        reply.map(|(event, _)| event.seq)
    }
}

impl Client {
    /// Cancels a request: stops waiting for its reply and notifies the server.
    ///
    /// The server is notified by `notifications/cancelled`; over HTTP from 2026-07-28 on, by closing the response
    /// stream instead. [`Client::reply_to_cancelled`] returns a reply that arrives nevertheless.
    pub async fn cancel(&mut self, pending: Pending, reason: Option<&str>) -> CancelledRequest {
        let deadline = self.options.deadline();
        // First, so that a reply that arrives while the notification is sent counts as late.
        self.state.abandon(pending.id(), Abandoned::Cancelled);
        self.send_cancellation(&pending.id, pending.sent, reason, deadline).await;
        CancelledRequest { id: pending.id, request: pending.sent.seq }
    }

    /// Cancels a request that has timed out, as a client should. `initialize` must not be cancelled, and a server of the
    /// handshake era may not know `server/discover`.
    ///
    /// <https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#timeouts>
    pub(super) async fn abandon(&mut self, pending: &Pending) {
        let may_be_cancelled = !["initialize", "server/discover"].contains(&&*pending.method);
        // A cancellation cannot name a request with an id that no message can have.
        let has_valid_id = match &pending.id {
            Id::Number(number) => number.is_integer(),
            id => *id != Id::Null,
        };
        if !may_be_cancelled || !has_valid_id {
            return;
        }
        // Briefly: the finding about the time-out waits for this.
        let deadline = Deadline::after(CANCEL_GRACE);
        self.send_cancellation(&pending.id, pending.sent, Some("timed out"), deadline).await;
    }

    /// Cancels the subscriptions that are still open: some servers wait for that before they exit.
    pub(super) async fn end_subscriptions(&mut self) {
        for (id, sent) in self.state.open_subscriptions() {
            self.state.abandon(&id, Abandoned::Cancelled);
            self.send_cancellation(&id, sent, None, Deadline::after(CANCEL_GRACE)).await;
        }
    }

    async fn send_cancellation(
        &mut self,
        id: &Id,
        sent: Sent,
        reason: Option<&str>,
        deadline: Deadline,
    ) {
        // From 2026-07-28 on, closing the stream is the cancellation over HTTP, and no notification is expected.
        if let Some(exchange) = sent.exchange.filter(|_| self.cancels_by_closing()) {
            self.connection.close_exchange(exchange);
            return;
        }
        let mut params = Object::new();
        params.push("requestId", id.to_value());
        if let Some(reason) = reason {
            params.push("reason", reason);
        }
        let cancelled = Notification::new("notifications/cancelled", Some(params.into()));
        self.send_without_reply(Message::Notification(cancelled), deadline).await;
    }

    /// The event of a reply that arrived after its request was cancelled, if one has been processed.
    ///
    /// The server may have sent it before it could read the cancellation, so it is not necessarily at fault.
    #[must_use]
    pub fn reply_to_cancelled(&self, cancelled: &CancelledRequest) -> Option<Seq> {
        self.state.late_reply(&cancelled.id)
    }

    /// The requests that the server has cancelled: its own or, from 2026-07-28 on, subscriptions of the client.
    #[must_use]
    pub fn cancelled_by_server(&self) -> Vec<Id> {
        self.state.received().cancelled().collect()
    }

    pub(super) fn cancels_by_closing(&self) -> bool {
        self.facts.revision.cancels_by_closing_stream() && self.connection.kind().is_http()
    }
}
