//! What was said while a client was there, in order.

use crate::cases::serve::heard::Heard;
use crate::json::Value;
use crate::spec::Revision;
use crate::trace::{Connection, Party, Seq, Trace};
use crate::wire::{Id, Message};

/// A message that was said.
pub(super) struct Said {
    pub(super) seq: Seq,
    pub(super) by: Party,
    pub(super) message: Message,
    /// A request or notification of the client, as the mock has heard it.
    pub(super) heard: Option<Heard>,
    connection: Connection,
}

/// Everything that was said.
pub(super) struct Visit {
    pub(super) said: Vec<Said>,
    pub(super) revision: Revision,
}

impl Visit {
    /// The messages of a trace; `revision` is what they are said in.
    pub(super) fn of(trace: &Trace, revision: Revision) -> Self {
        let said = trace.messages().map(|(event, message)| {
            let method = message.method().filter(|_| event.party == Party::Client);
            let params = message.params().unwrap_or(&Value::Null);
            Said {
                seq: event.seq,
                by: event.party,
                message: message.clone(),
                heard: method.map(|method| Heard::new(method, params, revision)),
                connection: event.connection,
            }
        });
        Self { said: said.collect(), revision }
    }

    /// What the client said from a place on, in requests and notifications.
    pub(super) fn heard(&self, from: usize) -> impl Iterator<Item = (usize, &Said, &Heard)> {
        let said = self.said.iter().enumerate().skip(from);
        said.filter_map(|(at, said)| Some((at, said, said.heard.as_ref()?)))
    }

    /// The reply of the other side to a request.
    pub(super) fn reply(&self, to: usize) -> Option<(usize, &Said)> {
        let asked = self.said.get(to)?;
        let Message::Request(request) = &asked.message else { return None };
        let answers = |said: &Said| {
            said.by != asked.by
                && said.connection == asked.connection
                && said.message.is_reply()
                && said.message.id() == Some(&request.id)
        };
        self.said.iter().enumerate().skip(to + 1).find(|(_, said)| answers(said))
    }

    /// What the server said from a place on: a request (`asks`), or a notification.
    pub(super) fn told(&self, method: &str, asks: bool, from: usize) -> Option<usize> {
        let is_it = |said: &Said| {
            said.by == Party::Server
                && said.message.method() == Some(method)
                && said.message.id().is_some() == asks
        };
        let mut said = self.said.iter().enumerate().skip(from);
        said.find(|(_, said)| is_it(said)).map(|(at, _)| at)
    }
}

/// The id of a message of a case, which is a label there.
pub(super) fn label(message: &Value) -> Option<Id> {
    Id::read(message.get("id")?)
}
