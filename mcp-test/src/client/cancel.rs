//! Cancellation, both ways: requests of the client that it does not want any more, and those of the server.
//!
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation>

use super::Client;
use super::state::GivenUp;
use super::wait::Pending;
use crate::json::Object;
use crate::trace::Seq;
use crate::wire::Id;

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
        let Pending { id, sent, .. } = pending;
        let Some(exchange) = sent.exchange.filter(|_| self.cancels_by_closing()) else {
            self.state.give_up(&id, GivenUp::Cancelled);
            let mut params = Object::new();
            params.push("requestId", id.to_value());
            if let Some(reason) = reason {
                params.push("reason", reason);
            }
            self.notify("notifications/cancelled", params).await;
            return Cancelled { id };
        };
        self.link.hang_up(exchange);
        self.state.give_up(&id, GivenUp::Cancelled);
        Cancelled { id }
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

    fn cancels_by_closing(&self) -> bool {
        self.facts.revision.cancels_by_closing_stream() && self.link.kind().is_http()
    }
}
