//! Cancellation, both ways: requests of the client that it does not want any more, and those of the server.
//!
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation>

use std::time::Duration;

use super::Client;
use super::state::GivenUp;
use super::wait::Pending;
use crate::clock::Deadline;
use crate::json::Object;
use crate::trace::Seq;
use crate::wire::{Id, Message, Notification};

/// How long a server that does not read may hold up the news that a request has timed out.
const PARTING: Duration = Duration::from_millis(50);

/// A request that was cancelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cancelled {
    id: Id,
}

impl Cancelled {
    /// The id of the request.
    #[must_use]
    pub fn id(&self) -> &Id {
        &self.id
    }
}

impl Client {
    /// Cancels a request: nobody waits for its reply any more, and the server is told.
    ///
    /// That is `notifications/cancelled`, and over HTTP from 2026-07-28 on the end of the response instead. Whether the
    /// server answers nevertheless, [`Client::answer_to_cancelled`] tells later.
    pub async fn cancel(&mut self, pending: Pending, reason: Option<&str>) -> Cancelled {
        let deadline = self.options.deadline();
        self.state.give_up(pending.id(), GivenUp::Cancelled);
        self.tell_cancelled(&pending, reason, deadline).await;
        Cancelled { id: pending.id }
    }

    /// Tells the server that a request has timed out, as a client should; but for those that are never cancelled, or
    /// that a server may not understand.
    ///
    /// <https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#timeouts>
    pub(super) async fn abandon(&mut self, pending: &Pending) {
        if ["initialize", "server/discover"].contains(&pending.method.as_str()) {
            return;
        }
        self.tell_cancelled(pending, Some("timed out"), Deadline::after(PARTING)).await;
    }

    async fn tell_cancelled(
        &mut self,
        pending: &Pending,
        reason: Option<&str>,
        deadline: Deadline,
    ) {
        if let Some(exchange) = pending.sent.exchange.filter(|_| self.cancels_by_closing()) {
            self.link.hang_up(exchange);
            return;
        }
        let mut params = Object::new();
        params.push("requestId", pending.id.to_value());
        if let Some(reason) = reason {
            params.push("reason", reason);
        }
        let cancelled = Notification::new("notifications/cancelled", Some(params.into()));
        self.link.send(Message::Notification(cancelled), deadline).await;
    }

    /// Where the reply stands that came to a cancelled request nevertheless, as far as it has been looked at.
    ///
    /// What came before the cancellation could be read is no fault of the server.
    #[must_use]
    pub fn answer_to_cancelled(&self, cancelled: &Cancelled) -> Option<Seq> {
        self.state.late_reply(&cancelled.id)
    }

    /// The requests that the server says are cancelled: its own, or, from 2026-07-28 on, subscriptions of the client.
    #[must_use]
    pub fn cancelled_by_server(&self) -> Vec<Id> {
        self.state.said().cancelled().collect()
    }

    pub(super) fn cancels_by_closing(&self) -> bool {
        self.facts.revision.cancels_by_closing_stream() && self.link.kind().is_http()
    }
}
