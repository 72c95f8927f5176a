//! In which exchange a message stands: the request that it answers, and the revision in force.
//!
//! What is remembered grows with the trace, whose length is bounded.

use std::collections::{BTreeMap, HashMap};

use crate::spec::{Revision, spoken};
use crate::trace::{Connection, Event, Party, Seq};
use crate::wire::{ErrorReply, Id, Message, Response};

/// The conversations of a trace, as far as they have been read.
pub(in crate::check) struct Exchanges<'a> {
    revisions: &'a dyn Fn(Connection) -> Revision,
    connections: BTreeMap<Connection, Conversation>,
}

/// One connection.
#[derive(Default)]
struct Conversation {
    /// What the latest `initialize` settled on.
    agreed: Option<Revision>,
    /// What HTTP requests say in their headers.
    headers: HashMap<u64, Revision>,
    /// The requests by who sent them and their ids; over HTTP, where several clients may share a connection and their
    /// ids, also by their exchanges.
    asked: HashMap<(Party, Option<u64>, Id), Asked>,
}

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::check) struct Asked {
    pub(in crate::check) seq: Seq,
    pub(in crate::check) method: String,
    revision: Revision,
}

/// Where a message stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::check) struct Place {
    pub(in crate::check) revision: Revision,
    /// The request that a reply answers, if it can be found.
    pub(in crate::check) answers: Option<Asked>,
}

impl<'a> Exchanges<'a> {
    pub(in crate::check) fn new(revisions: &'a dyn Fn(Connection) -> Revision) -> Self {
        Self { revisions, connections: BTreeMap::new() }
    }

    /// Takes note of the headers of an HTTP request.
    pub(in crate::check) fn request(&mut self, event: &Event, headers: &[(String, String)]) {
        let Some(exchange) = event.exchange else { return };
        if let Some(revision) = spoken::of_headers(headers).known() {
            self.conversation(event).headers.insert(exchange, revision);
        }
    }

    /// Finds the place of a message, and takes note of it for those that come after it.
    pub(in crate::check) fn place(&mut self, event: &Event, message: &Message) -> Place {
        match message {
            Message::Request(request) => {
                let revision =
                    spoken::proposed(message).or_else(|| spoken::carried(message).known());
                let revision = revision.unwrap_or_else(|| self.in_force(event));
                let (seq, method) = (event.seq, request.method.clone());
                let asked = Asked { seq, method, revision };
                let conversation = self.conversation(event);
                for exchange in [event.exchange, None] {
                    let key = (event.party, exchange, request.id.clone());
                    conversation.asked.insert(key, asked.clone());
                }
                Place { revision, answers: None }
            }
            Message::Notification(_) => {
                let carried = spoken::carried(message).known();
                let revision = carried.unwrap_or_else(|| self.in_force(event));
                Place { revision, answers: None }
            }
            Message::Response(Response { id, result }) => {
                let answers = self.asked(event, id);
                let revision = answers.as_ref().map(|asked| asked.revision);
                let mut revision = revision.unwrap_or_else(|| self.in_force(event));
                if answers.as_ref().is_some_and(|asked| asked.method == "initialize")
                    && let Some(agreed) = spoken::settled(result).known()
                {
                    self.conversation(event).agreed = Some(agreed);
                    revision = agreed;
                }
                Place { revision, answers }
            }
            Message::Error(ErrorReply { id, .. }) => {
                let answers = id.as_ref().and_then(|id| self.asked(event, id));
                let revision = answers.as_ref().map(|asked| asked.revision);
                Place { revision: revision.unwrap_or_else(|| self.in_force(event)), answers }
            }
        }
    }

    fn conversation(&mut self, event: &Event) -> &mut Conversation {
        self.connections.entry(event.connection).or_default()
    }

    /// The request that a reply answers: the one with its id on the same exchange, else the latest one with its id.
    fn asked(&mut self, event: &Event, id: &Id) -> Option<Asked> {
        let asker = match event.party {
            Party::Client => Party::Server,
            _ => Party::Client,
        };
        let asked = &self.conversation(event).asked;
        let found = [event.exchange, None]
            .into_iter()
            .find_map(|exchange| asked.get(&(asker, exchange, id.clone())));
        found.cloned()
    }

    /// The revision of a message that says nothing of it.
    fn in_force(&mut self, event: &Event) -> Revision {
        let conversation = self.conversation(event);
        let header = event.exchange.and_then(|exchange| conversation.headers.get(&exchange));
        header
            .copied()
            .or(conversation.agreed)
            .unwrap_or_else(|| (self.revisions)(event.connection))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::spec::meta;
    use crate::trace::{Reading, Recorder, What};

    /// The revision of the last message of a conversation, and the method that it answers.
    fn last(lines: &[(Party, Option<u64>, serde_json::Value)]) -> (Revision, Option<String>) {
        let recorder = Recorder::new();
        let on = recorder.open("http");
        for (party, exchange, said) in lines {
            let what = match said.as_str() {
                Some(version) => What::HttpRequest {
                    method: "POST".to_owned(),
                    path: "/mcp".to_owned(),
                    headers: vec![("Mcp-Protocol-Version".to_owned(), version.to_owned())],
                },
                None => Reading::message(said.to_string().into()),
            };
            recorder.record_in(on, *exchange, *party, what);
        }
        let mut exchanges = Exchanges::new(&|_| Revision::V2025_03_26);
        let mut place = None;
        for event in &recorder.trace().events {
            match &event.what {
                What::HttpRequest { headers, .. } => exchanges.request(event, headers),
                What::Message { reading, .. } => {
                    for message in reading.messages() {
                        place = Some(exchanges.place(event, message));
                    }
                }
                _ => {}
            }
        }
        let Place { revision, answers } = place.expect("a message");
        (revision, answers.map(|asked| asked.method))
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
