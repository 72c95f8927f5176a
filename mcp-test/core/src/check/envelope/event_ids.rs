//! The ids of server-sent events and of requests, which are unique in a session.

use std::collections::HashMap;

use super::EnvelopeJudge;
use crate::check::Finding;
use crate::check::cited::cites;
use crate::check::walk::JudgedEvent;
use crate::expect::words;
use crate::spec::header;
use crate::trace::{ConnectionId, Party};
use crate::wire::Id;

cites! {
    TRANSPORT_HTTP_EVENT_ID_UNIQUE,
}

/// How many ids of events are remembered: each costs its text.
const REMEMBERED: usize = 10_000;

/// The events that have an id, by connection, session and id.
pub(super) type EventIds = HashMap<(ConnectionId, String, String), u64>;

/// The session that the headers of a request or response name.
pub(super) fn session(headers: &[(String, String)]) -> Option<String> {
    let named = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(header::MCP_SESSION_ID));
    named.map(|(_, id)| id.clone())
}

impl EnvelopeJudge {
    /// Whether the id of a request was used before in the same session.
    ///
    /// A server repeats a request on a stream that is resumed, and a client one that was refused, for want of a token for instance.
    pub(super) fn is_of_same_session(&mut self, event: JudgedEvent<'_>, id: &Id) -> bool {
        let Some(number) = event.exchange else { return false };
        let before = self.asked_in.insert((event.connection, id.to_string()), number);
        let exchange = |number| self.exchanges.get(&(event.connection, number));
        let (Some(before), Some(now)) = (before.and_then(exchange), exchange(number)) else {
            return false;
        };
        let is_repeated = match self.who {
            Party::Server => now.resumes_after.is_some(),
            _ => before.status.is_some_and(|status| !(200..300).contains(&status)),
        };
        !is_repeated && now.session.is_some() && before.session == now.session
    }

    /// The id of an event, unless the event was asked for again.
    ///
    /// Without a session the ids are unique for a client, and which requests come from the same client is not known.
    pub(super) fn event_id(&mut self, event: JudgedEvent<'_>, id: &str) {
        let Some(number) = event.exchange else { return };
        let Some(exchange) = self.exchange(event) else { return };
        exchange.event_ids.insert(id.to_owned(), ());
        if exchange.resumes_after.is_some() || id.is_empty() {
            return;
        }
        let Some(session) = exchange.session.clone() else { return };
        if self.event_ids.len() >= REMEMBERED {
            return;
        }
        let before = self.event_ids.insert((event.connection, session, id.to_owned()), number);
        let Some(before) = before else { return };
        let place = if before == number { "the same stream" } else { "another stream" };
        let finding = Finding::peer("two events of a session have the same id")
            .expected("an id that no other event of the session has")
            .got(format!("{:?}, which an event of {place} had before", words::excerpt(id)));
        self.find(event, finding, TRANSPORT_HTTP_EVENT_ID_UNIQUE);
    }
}
