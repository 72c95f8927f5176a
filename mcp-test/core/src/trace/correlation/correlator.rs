//! The messages of a trace, connection by connection.

use std::collections::BTreeMap;

use super::messages::Correlation;
use super::relation::Correlated;
use crate::json::Value;
use crate::spec::named_revision;
use crate::trace::{ConnectionId, Event, EventKind, ParsedText, Seq};
use crate::wire::{Frame, Malformed, Message};

/// Where a message is in a trace.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// Its event.
    pub(crate) seq: Seq,
    /// Its index in a batch.
    pub(crate) item: Option<usize>,
}

/// Follows the events of a trace, in order.
///
/// What it remembers of a connection is bounded; connections that are over are for the caller to [`forget`](Self::forget).
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct Correlator {
    connections: BTreeMap<ConnectionId, Connection>,
}

/// Of how many HTTP exchanges the revision and the status are remembered.
const EXCHANGES: usize = 10_000;

#[derive(Debug, Default)]
struct Connection {
    messages: Correlation<Position>,
    /// The statuses of the latest HTTP exchanges.
    statuses: BTreeMap<u64, u16>,
}

impl Correlator {
    /// Follows an event, and returns its well-formed messages.
    pub(crate) fn event<'e>(&mut self, event: &'e Event) -> Vec<Correlated<'e, Position>> {
        match &event.kind {
            EventKind::HttpRequest { headers, .. } => {
                if let (Some(exchange), Some(revision)) =
                    (event.exchange, named_revision::in_headers(headers).known())
                {
                    let revisions = &mut self.connection(event).messages.revisions;
                    revisions.set_header(exchange, revision, EXCHANGES);
                }
            }
            EventKind::HttpResponse { status, .. } => {
                // Remembered for the body, which is an event of its own.
                if let Some(exchange) = event.exchange {
                    let statuses = &mut self.connection(event).statuses;
                    statuses.insert(exchange, *status);
                    if statuses.len() > EXCHANGES {
                        // Exchanges are numbered in order, so the first one is the oldest.
                        statuses.pop_first();
                    }
                }
            }
            EventKind::Message { parsed, .. } => {
                return self.connection(event).frame(event, parsed);
            }
            _ => {}
        }
        Vec::new()
    }

    /// Forgets a connection that is over.
    pub(crate) fn forget(&mut self, connection: ConnectionId) {
        self.connections.remove(&connection);
    }

    fn connection(&mut self, event: &Event) -> &mut Connection {
        self.connections.entry(event.connection).or_default()
    }
}

impl Connection {
    fn frame<'e>(
        &mut self,
        event: &Event,
        parsed: &'e ParsedText,
    ) -> Vec<Correlated<'e, Position>> {
        match parsed.frame() {
            None => Vec::new(),
            Some(Ok(Frame::One(message))) => vec![self.message(event, None, message)],
            Some(Ok(Frame::Batch(items))) => {
                let mut messages = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    match item {
                        // The index tells the items apart, which share the event of their batch.
                        Ok(message) => messages.push(self.message(event, Some(index), message)),
                        Err(malformed) => self.malformed(event, parsed, malformed),
                    }
                }
                messages
            }
            Some(Err(malformed)) => {
                self.malformed(event, parsed, malformed);
                // What is malformed may have been meant as a request, too; the error that refuses it under its id is
                // then expected.
                self.messages.malformed_request(event.party, malformed);
                Vec::new()
            }
        }
    }

    fn message<'e>(
        &mut self,
        event: &Event,
        item: Option<usize>,
        message: &'e Message,
    ) -> Correlated<'e, Position> {
        let position = Position { seq: event.seq, item };
        self.messages.message(event.party, event.exchange, position, message)
    }

    fn malformed(&mut self, event: &Event, parsed: &ParsedText, malformed: &Malformed) {
        let status = event.exchange.and_then(|exchange| self.statuses.get(&exchange));
        let is_refusal = status.is_some_and(|status| !(200..300).contains(status));
        // The body of an HTTP response that refuses may be JSON of any form, which replies to nothing.
        if !is_refusal || parsed.value().is_some_and(claims_to_be_json_rpc) {
            self.messages.malformed_reply(event.party, malformed);
        }
    }
}

/// Whether a value, or an item of it, has the member that marks JSON-RPC.
#[doc(hidden)]
pub fn claims_to_be_json_rpc(value: &Value) -> bool {
    let has_mark = |value: &Value| value.get("jsonrpc").is_some();
    has_mark(value) || value.as_array().is_some_and(|items| items.iter().any(has_mark))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::spec::{Revision, meta};
    use crate::trace::{Party, Recorder};

    /// The revision of the last message of a conversation, and the method that it answers.
    fn last(lines: &[(Party, Option<u64>, serde_json::Value)]) -> (Revision, Option<String>) {
        let recorder = Recorder::new();
        let on = recorder.open("http");
        for (party, exchange, said) in lines {
            let what = match said.as_str() {
                Some(version) => EventKind::HttpRequest {
                    method: "POST".to_owned(),
                    path: "/mcp".to_owned(),
                    headers: vec![("Mcp-Protocol-Version".to_owned(), version.to_owned())],
                },
                None => EventKind::message(said.to_string().into()),
            };
            recorder.record_in(on, *exchange, *party, what);
        }
        let mut correlator = Correlator::default();
        let trace = recorder.trace();
        let messages = trace.events.iter().flat_map(|event| correlator.event(event));
        let last = messages.last().expect("a message");
        let revision = last.revision.unwrap_or(Revision::V2025_03_26);
        (revision, last.request().map(|request| request.method.to_string()))
    }

    use Party::{Client, Server};

    fn asked(id: impl Into<serde_json::Value>, method: &str) -> serde_json::Value {
        json!({"jsonrpc": "2.0", "id": id.into(), "method": method})
    }

    fn answer(id: impl Into<serde_json::Value>) -> serde_json::Value {
        json!({"jsonrpc": "2.0", "id": id.into(), "result": {}})
    }

    #[test]
    fn a_reply_answers_the_request_of_its_exchange_with_exactly_its_id() {
        let two = |reply: (Party, Option<u64>, serde_json::Value)| {
            let lines = [
                (Client, Some(1), asked(1, "ping")),
                (Client, Some(2), asked(1, "tools/list")),
                reply,
            ];
            last(&lines).1
        };
        assert_eq!(two((Server, Some(1), answer(1))).as_deref(), Some("ping"));
        assert_eq!(two((Server, Some(2), answer(1))).as_deref(), Some("tools/list"));
        assert_eq!(two((Server, Some(7), answer(1))).as_deref(), Some("tools/list"));
        assert_eq!(two((Server, Some(1), answer("1"))), None);
        assert_eq!(two((Client, Some(1), answer(1))), None);
    }

    #[test]
    fn the_revision_is_the_one_that_was_agreed_on_or_is_carried() {
        let begin = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}});
        let agreed =
            json!({"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": "2025-06-18"}});
        let carrying = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": {"_meta": {meta::PROTOCOL_VERSION: "2026-07-28"}}});
        let revision = |lines: &[(Party, Option<u64>, serde_json::Value)]| last(lines).0.as_str();
        assert_eq!(revision(&[(Client, None, asked(1, "ping"))]), "2025-03-26");
        assert_eq!(revision(&[(Client, None, begin.clone())]), "2025-11-25");
        let mut newer = begin.clone();
        newer["params"]["protocolVersion"] = json!("2026-07-28");
        assert_eq!(revision(&[(Client, None, newer.clone())]), "2025-11-25");
        newer["params"]["protocolVersion"] = json!("1999-01-01");
        assert_eq!(revision(&[(Client, None, newer)]), "2025-11-25");
        let handshake = [(Client, None, begin), (Server, None, agreed)];
        assert_eq!(revision(&handshake), "2025-06-18");
        let after = |more: &[(Party, Option<u64>, serde_json::Value)]| {
            let lines: Vec<_> = handshake.iter().chain(more).cloned().collect();
            last(&lines).0.as_str()
        };
        assert_eq!(after(&[(Client, None, asked(1, "ping"))]), "2025-06-18");
        assert_eq!(after(&[(Client, None, carrying.clone())]), "2026-07-28");
        assert_eq!(after(&[(Client, None, carrying), (Server, None, answer(5))]), "2026-07-28");
        let mut without = handshake.to_vec();
        without[1].2["result"]["protocolVersion"] = json!("2026-07-28");
        without.push((Client, None, asked(1, "ping")));
        assert_eq!(revision(&without), "2025-11-25");
        let header = (Client, Some(4), json!(" 2024-11-05 "));
        assert_eq!(after(&[header.clone(), (Client, Some(4), asked(1, "ping"))]), "2024-11-05");
        assert_eq!(after(&[header, (Client, Some(5), asked(1, "ping"))]), "2025-06-18");
        let unknown = (Client, Some(4), json!("1999-01-01"));
        assert_eq!(after(&[unknown, (Client, Some(4), asked(1, "ping"))]), "2025-06-18");
    }
}
