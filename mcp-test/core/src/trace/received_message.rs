//! The messages that a server received from its client, with the headers that came with them.

use std::collections::HashMap;

use super::{ConnectionId, Event, EventKind, Party, Seq, Trace};
use crate::json::Value;
use crate::spec::{Era, Revision, Side, meta, method, named_revision};
use crate::wire::Message;

/// A message that the server received from the client.
#[doc(hidden)]
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ReceivedMessage {
    /// The event that records it.
    pub seq: Seq,
    /// The message.
    pub message: Message,
    /// The headers of its HTTP request, in order.
    pub headers: Vec<(String, String)>,
    #[doc(hidden)]
    pub exchange: Exchange,
}

impl ReceivedMessage {
    /// The method, if it is a request or a notification.
    #[must_use]
    pub fn method(&self) -> &str {
        self.message.method().unwrap_or_default()
    }

    /// The params; `null` if there are none.
    #[must_use]
    pub fn params(&self) -> &Value {
        self.message.params().unwrap_or(&Value::Null)
    }

    /// The name of the tool, if it calls one.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        let is_call = self.method() == "tools/call";
        self.params().get("name").filter(|_| is_call).and_then(Value::as_str)
    }

    /// One argument, if it calls a tool.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&Value> {
        self.params().get("arguments")?.get(name)
    }

    /// A member of `_meta`.
    #[must_use]
    pub fn meta(&self, key: &str) -> Option<&Value> {
        self.params().get("_meta")?.get(key)
    }

    /// The value of the first header of this name, which is compared without regard to case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers
            .find(|(header, _)| header.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Whether it has the form of the stateless era, whatever revision it names.
    #[must_use]
    pub fn is_stateless(&self) -> bool {
        self.meta(meta::PROTOCOL_VERSION).is_some() || self.stateless_revision().is_some()
    }

    /// The revision of the stateless era that it names, or that has its method first.
    pub(crate) fn stateless_revision(&self) -> Option<Revision> {
        let in_meta = named_revision::in_meta(&self.message).known();
        let in_header = named_revision::in_headers(&self.headers).known();
        let by_method = method(self.method()).and_then(|method| {
            Revision::ALL.into_iter().find(|revision| method.sent_by(Side::Client, *revision))
        });
        let named = [in_meta, in_header, by_method].into_iter().flatten();
        named.filter(|revision| revision.era() == Era::Stateless).max()
    }
}

/// The connection of an event, and the number of its exchange there.
pub(crate) type Exchange = (ConnectionId, Option<u64>);

pub(crate) fn exchange(event: &Event) -> Exchange {
    (event.connection, event.exchange)
}

impl Trace {
    /// Every well-formed message of the client, in the order of arrival.
    #[must_use]
    pub(crate) fn received_messages(&self) -> Vec<ReceivedMessage> {
        // A message is recorded after the HTTP request that carried it, as another event of the same exchange.
        let requests = self.events.iter().filter_map(|event| match &event.kind {
            EventKind::HttpRequest { headers, .. } => Some((exchange(event), headers.as_slice())),
            _ => None,
        });
        let headers: HashMap<Exchange, &[(String, String)]> = requests.collect();
        let of_client = self.messages().filter(|(event, _)| event.party == Party::Client);
        let received = of_client.map(|(event, message)| ReceivedMessage {
            seq: event.seq,
            message: message.clone(),
            headers: headers.get(&exchange(event)).map(|it| it.to_vec()).unwrap_or_default(),
            exchange: exchange(event),
        });
        received.collect()
    }
}
