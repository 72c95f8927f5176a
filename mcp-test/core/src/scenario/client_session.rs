//! The sessions that a client under test opened, and what it sent in each.
//!
//! A client may open several. One that speaks both eras may also try requests of the stateless era first, which belong to
//! no session (2026-07-28, `basic/versioning`, backward compatibility).

use std::collections::HashMap;

use crate::json::Value;
use crate::spec::{Era, Revision, header, named_revision};
use crate::trace::{EventKind, Exchange, Party, ReceivedMessage, Trace, exchange};
use crate::wire::{Id, Message};

/// A session that `initialize` opened: what the client sent from there on.
#[doc(hidden)]
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ClientSession {
    /// The request that opened it.
    pub initialize: ReceivedMessage,
    /// The revision that the server selected.
    pub negotiated: Option<Revision>,
    /// What the client sent after `initialize`, in the order of arrival.
    pub later: Vec<ReceivedMessage>,
}

impl ClientSession {
    /// Whether the server selected another revision than the client proposed, so that the client may disconnect.
    #[must_use]
    pub fn is_other_revision(&self) -> bool {
        let proposed = self.initialize.params().get("protocolVersion").and_then(Value::as_str);
        proposed != self.negotiated.map(Revision::as_str)
    }

    /// Whether the client disconnected at once, as it should if it does not speak the revision that the server selected
    /// (`basic/lifecycle#version-negotiation`). What it answers before it knows that revision does not count.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        self.later.iter().all(|received| received.message.is_reply()) && self.is_other_revision()
    }

    /// The revision that the client spoke in it: none but a proposal, if the server selected a newer one and it disconnected.
    fn spoken(&self) -> Option<Revision> {
        let negotiated = self.negotiated?;
        let proposed = self.initialize.params().get("protocolVersion").and_then(Value::as_str);
        let proposed = proposed.and_then(|version| version.parse().ok());
        match proposed.filter(|proposed| self.is_abandoned() && *proposed < negotiated) {
            Some(proposed) => Some(proposed),
            None => Some(negotiated),
        }
    }
}

/// The messages of a client, by session.
#[derive(Debug, Default)]
pub(super) struct ClientSessions {
    /// The sessions, in the order in which they were opened.
    pub(super) sessions: Vec<ClientSession>,
    /// What belongs to no session: what came before the first one, what names the stateless era, and each `initialize` that
    /// was refused.
    pub(super) outside: Vec<ReceivedMessage>,
}

impl ClientSessions {
    /// Sorts the messages of a client; they are in the order of arrival.
    pub(super) fn of(trace: &Trace, messages: Vec<ReceivedMessage>) -> Self {
        let accepted = Accepted::of(trace);
        let mut sorted = Self::default();
        let mut by_id: HashMap<String, usize> = HashMap::new();
        for received in messages {
            if let Some((negotiated, session)) = accepted.by(&received) {
                by_id.extend(session.clone().map(|id| (id, sorted.sessions.len())));
                sorted.sessions.push(ClientSession {
                    negotiated: *negotiated,
                    initialize: received,
                    later: Vec::new(),
                });
                continue;
            }
            let named = received.header(header::MCP_SESSION_ID).and_then(|id| by_id.get(id));
            let index = match named {
                Some(index) => Some(*index),
                None if received.is_stateless() || received.method() == "initialize" => None,
                // Over lines a connection is a session. A client that forgets the id of its session is most likely in the newest one.
                None => sorted.sessions.iter().rposition(|session| {
                    let (connection, exchange) = received.exchange;
                    exchange.is_some() || session.initialize.exchange.0 == connection
                }),
            };
            match index.and_then(|index| sorted.sessions.get_mut(index)) {
                Some(session) => session.later.push(received),
                None => sorted.outside.push(received),
            }
        }
        sorted
    }

    /// The revision that the client spoke, as far as its messages show it: the newest one of the era that it was asked to
    /// use; if there is none, of the other era.
    pub(super) fn spoken(&self, asked: Era) -> Option<Revision> {
        let refused = self.outside.iter().filter(|received| received.method() == "initialize");
        let unknown = self.sessions.iter().filter(|session| session.negotiated.is_none());
        // A server that refuses `initialize`, or selects an unknown revision, does not select an older one, so the proposal
        // counts.
        let proposals = refused.chain(unknown.map(|session| &session.initialize));
        let proposed = proposals.filter_map(|received| {
            let version = received.params().get("protocolVersion")?.as_str()?;
            version.parse::<Revision>().ok().filter(|revision| revision.era() == Era::Handshake)
        });
        let negotiated = self.sessions.iter().filter_map(ClientSession::spoken);
        let handshake = negotiated.chain(proposed).max();
        let stateless = self.outside.iter().filter_map(ReceivedMessage::stateless_revision).max();
        match asked {
            Era::Handshake => handshake.or(stateless),
            Era::Stateless => stateless.or(handshake),
        }
    }
}

/// The `initialize` requests that were answered with a result: exchange and id, then the selected revision and the session.
#[derive(Debug)]
struct Accepted(HashMap<(Exchange, Id), (Option<Revision>, Option<String>)>);

impl Accepted {
    fn of(trace: &Trace) -> Self {
        let mut sessions: HashMap<Exchange, &str> = HashMap::new();
        for event in &trace.events {
            if let EventKind::HttpResponse { headers, .. } = &event.kind
                && let Some((_, id)) = headers
                    .iter()
                    .find(|(name, _)| name.eq_ignore_ascii_case(header::MCP_SESSION_ID))
            {
                sessions.insert(exchange(event), id);
            }
        }
        let results = trace.messages().filter_map(|(event, message)| {
            let Message::Response(response) = message else { return None };
            // Only the result of `initialize` has `serverInfo` as a member.
            let is_handshake =
                event.party == Party::Server && response.result.get("serverInfo").is_some();
            let exchange = exchange(event);
            let negotiated = named_revision::negotiated(&response.result).known();
            let session = sessions.get(&exchange).map(|id| (*id).to_owned());
            is_handshake.then(|| ((exchange, response.id.clone()), (negotiated, session)))
        });
        Self(results.collect())
    }

    /// The revision and the session that this message opened.
    fn by(&self, received: &ReceivedMessage) -> Option<&(Option<Revision>, Option<String>)> {
        let opens = received.method() == "initialize";
        let id = received.message.id().filter(|_| opens)?;
        self.0.get(&(received.exchange, id.clone()))
    }
}
