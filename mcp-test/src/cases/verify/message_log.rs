//! The messages that were exchanged while the client was connected, in order.

use mcp_test_core::json::Value;
use mcp_test_core::spec::Revision;
use mcp_test_core::trace::{ConnectionId, Party, Seq, Trace};
use mcp_test_core::wire::{Id, Message};

use crate::cases::serve::incoming::Incoming;

/// A message that was exchanged.
pub(super) struct LoggedMessage {
    pub(super) seq: Seq,
    pub(super) sender: Party,
    pub(super) message: Message,
    /// A request or notification of the client, as the mock sees it.
    pub(super) incoming: Option<Incoming>,
    connection: ConnectionId,
}

/// All messages of a trace.
pub(super) struct MessageLog {
    pub(super) messages: Vec<LoggedMessage>,
    pub(super) revision: Revision,
    /// Whether the messages of the client have an order. Over HTTP those that it sends at the same time arrive in any.
    pub(super) is_ordered: bool,
}

impl MessageLog {
    /// The messages of a trace of this revision.
    pub(super) fn new(trace: &Trace, revision: Revision) -> Self {
        let messages = trace.messages().map(|(event, message)| {
            let method = message.method().filter(|_| event.party == Party::Client);
            let params = message.params().unwrap_or(&Value::Null);
            LoggedMessage {
                seq: event.seq,
                sender: event.party,
                message: message.clone(),
                incoming: method.map(|method| Incoming::new(method, params, revision)),
                connection: event.connection,
            }
        });
        let is_ordered = trace.messages().all(|(event, _)| event.exchange.is_none());
        Self { messages: messages.collect(), revision, is_ordered }
    }

    /// The client's requests and notifications from an index on.
    pub(super) fn incoming(
        &self,
        from: usize,
    ) -> impl Iterator<Item = (usize, &LoggedMessage, &Incoming)> {
        let messages = self.messages.iter().enumerate().skip(from);
        messages.filter_map(|(at, logged)| Some((at, logged, logged.incoming.as_ref()?)))
    }

    /// The other side's reply to a request.
    pub(super) fn reply(&self, to: usize) -> Option<(usize, &LoggedMessage)> {
        let sent = self.messages.get(to)?;
        let Message::Request(request) = &sent.message else { return None };
        let answers = |logged: &LoggedMessage| {
            // Each side numbers its own requests, and each connection starts again: the id alone is not enough.
            logged.sender != sent.sender
                && logged.connection == sent.connection
                && logged.message.is_reply()
                && logged.message.id() == Some(&request.id)
        };
        self.messages.iter().enumerate().skip(to + 1).find(|(_, logged)| answers(logged))
    }

    /// The server's next request (`is_request`) or notification of a method from an index on.
    pub(super) fn received(&self, method: &str, is_request: bool, from: usize) -> Option<usize> {
        let matches = |logged: &LoggedMessage| {
            logged.sender == Party::Server
                && logged.message.method() == Some(method)
                && logged.message.id().is_some() == is_request
        };
        let mut messages = self.messages.iter().enumerate().skip(from);
        messages.find(|(_, logged)| matches(logged)).map(|(at, _)| at)
    }
}

/// The id of a message of a case, where it is a label.
pub(super) fn label(message: &Value) -> Option<Id> {
    Id::read(message.get("id")?)
}
