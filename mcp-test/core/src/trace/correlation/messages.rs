//! One conversation, message by message.

use std::sync::Arc;

use super::relation::{Correlated, Relation, Reply, Request};
use super::revisions::Revisions;
use super::sent_requests::SentRequests;
use crate::json::Value;
use crate::spec::Revision;
use crate::spec::named_revision::{self, NamedRevision};
use crate::trace::Party;
use crate::wire::Expected;
pub(super) use crate::wire::{ErrorReply, Id, Malformed, Message, Notification, Response};

/// How the messages of one conversation are related, as far as it was followed.
///
/// `P` is the position of a message: whatever the caller finds it by. Of each side 10,000 requests are remembered, and the ids of
/// those before.
#[doc(hidden)]
#[derive(Debug)]
pub struct Correlation<P> {
    client: SentRequests<P>,
    server: SentRequests<P>,
    pub(super) revisions: Revisions,
}

impl<P> Default for Correlation<P> {
    fn default() -> Self {
        let (client, server) = (SentRequests::default(), SentRequests::default());
        Self { client, server, revisions: Revisions::default() }
    }
}

impl<P: Copy> Correlation<P> {
    /// Adds a message, and returns it with what the messages before it imply.
    #[doc(hidden)]
    pub fn message<'m>(
        &mut self,
        from: Party,
        exchange: Option<u64>,
        position: P,
        message: &'m Message,
    ) -> Correlated<'m, P> {
        let (revision, relation) = match message {
            Message::Request(request) => {
                let revision = self.revision_of_call(message, exchange);
                let names_nothing = named_revision::in_meta(message) == NamedRevision::Absent;
                let known = Request {
                    position,
                    id: Arc::new(request.id.clone()),
                    method: request.method.as_str().into(),
                    revision,
                    is_of_unnamed_revision: revision.is_none() && names_nothing,
                    reply: None,
                    is_cancelled: false,
                };
                let (previous, is_repeated) = self.side(from).add(exchange, known);
                (revision, Relation::Request { previous, is_repeated })
            }
            Message::Notification(notification) => {
                if let Some(id) = cancelled_by(notification) {
                    // Only requests that were sent in the same direction can be cancelled, so the id is one of the
                    // sender's.
                    self.side(from).cancel(id, exchange);
                }
                self.side(from).send_without_reply();
                (self.revision_of_call(message, exchange), Relation::Notification)
            }
            Message::Response(Response { id, result }) => {
                self.side(from).send_without_reply();
                let reply = self.reply(from, exchange, Some(id), position);
                // The result of `initialize` is in the revision that it selects, which need not be the proposed one.
                let agreed = self.agree(&reply, result);
                let revision = agreed.or_else(|| self.revision_of_reply(&reply, exchange));
                (revision, Relation::Reply(reply))
            }
            Message::Error(ErrorReply { id, .. }) => {
                self.side(from).send_without_reply();
                let reply = self.reply(from, exchange, id.as_ref(), position);
                (self.revision_of_reply(&reply, exchange), Relation::Reply(reply))
            }
        };
        Correlated { position, message, revision, relation }
    }

    /// Adds something malformed with an id: it may have been meant as a reply, so that nothing else is expected to be one.
    pub(super) fn malformed_reply(&mut self, from: Party, malformed: &Malformed) {
        if let Some(id) = &malformed.id {
            // Replies go in the opposite direction to the requests that they settle.
            self.side(other(from)).settle(id);
        }
    }

    /// Adds something malformed with an id: it may have been meant as a request, and may be refused under its id.
    pub(super) fn malformed_request(&mut self, from: Party, malformed: &Malformed) {
        if let Some(id) = &malformed.id {
            self.side(from).add_malformed(id, malformed.method.as_deref().unwrap_or_default());
        } else if malformed.expected == Expected::Id && malformed.found.as_deref() == Some("true") {
            self.side(from).send_true();
        }
    }

    /// The requests of a side that are remembered, in order.
    #[doc(hidden)]
    pub fn requests(&self, of: Party) -> impl Iterator<Item = &Request<P>> {
        self.side_of(of).iter()
    }

    /// The latest request of a side that has this id and no reply.
    #[doc(hidden)]
    pub fn unanswered(&self, of: Party, id: &Id) -> Option<P> {
        self.side_of(of).latest_unanswered(id)
    }

    fn side_of(&self, party: Party) -> &SentRequests<P> {
        match party {
            Party::Client => &self.client,
            _ => &self.server,
        }
    }

    fn side(&mut self, party: Party) -> &mut SentRequests<P> {
        match party {
            Party::Client => &mut self.client,
            // The harness records no messages, so any other party is the server.
            _ => &mut self.server,
        }
    }

    fn reply(
        &mut self,
        from: Party,
        exchange: Option<u64>,
        id: Option<&Id>,
        position: P,
    ) -> Reply<P> {
        match id {
            Some(id) => self.side(other(from)).answer(id, exchange, position),
            // Only an error may lack an id, which then answers a text that could not be read.
            None => {
                let only_open = self.side(other(from)).presume_answered();
                Reply { only_open, ..Reply::UNKNOWN }
            }
        }
    }

    /// The revision of a request or a notification.
    fn revision_of_call(&self, message: &Message, exchange: Option<u64>) -> Option<Revision> {
        // `initialize` proposes a revision in its params; since 2026-07-28 each request names its own in `_meta`.
        named_revision::proposed(message)
            .or_else(|| named_revision::in_meta(message).known())
            .or_else(|| self.revisions.in_force(exchange))
    }

    /// Remembers the revision that a result agrees on, if it is that of `initialize`.
    fn agree(&mut self, reply: &Reply<P>, result: &Value) -> Option<Revision> {
        reply.request.as_ref().filter(|request| &*request.method == "initialize")?;
        let agreed = named_revision::negotiated(result).known()?;
        self.revisions.agreed = Some(agreed);
        Some(agreed)
    }

    /// A reply is in the revision of its request, whatever has been agreed on since.
    fn revision_of_reply(&self, reply: &Reply<P>, exchange: Option<u64>) -> Option<Revision> {
        match &reply.request {
            Some(request) => request.revision,
            None => self.revisions.in_force(exchange),
        }
    }
}

fn other(party: Party) -> Party {
    match party {
        Party::Client => Party::Server,
        _ => Party::Client,
    }
}

/// The id of the request that a notification cancels.
fn cancelled_by(notification: &Notification) -> Option<Id> {
    let is_it = notification.method == "notifications/cancelled";
    let params = notification.params.as_ref().filter(|_| is_it)?;
    Id::read(params.get("requestId")?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::trace::Fit;

    #[test]
    fn the_id_of_a_reply_fits_the_open_requests_or_says_how_it_does_not() {
        let request = |id: i64, method: &str| json!({"jsonrpc": "2.0", "id": id, "method": method});
        let reply = |id: serde_json::Value| json!({"jsonrpc": "2.0", "id": id, "result": {}});
        let lines = [
            request(1, "ping"),
            request(1, "prompts/list"),
            request(2, "tools/list"),
            reply("2".into()),
            reply("null".into()),
            reply(2.into()),
            reply(2.into()),
            reply(9.into()),
            reply(1.into()),
            reply(1.into()),
            reply(1.into()),
        ];
        let messages = lines.map(|line| Message::read(&line.into()).expect("a message"));
        let mut conversation = Correlation::default();
        let mut fits = Vec::new();
        for (position, message) in messages.iter().enumerate() {
            let from = if message.is_reply() { Party::Server } else { Party::Client };
            match conversation.message(from, None, position, message).relation {
                Relation::Reply(reply) => fits.push((
                    reply.request.map(|request| (request.position, request.reply)),
                    reply.fit,
                )),
                Relation::Request { previous, .. } => {
                    assert_eq!(
                        previous.map(|request| request.position),
                        (position == 1).then_some(0)
                    );
                }
                Relation::Notification => panic!("there is none"),
            }
        }
        let expected = [
            (None, Fit::Retyped(Arc::new(Id::from(2)))),
            (None, Fit::Unknown),
            (Some((2, None)), Fit::Open("tools/list".into())),
            (Some((2, Some(5))), Fit::Again("tools/list".into())),
            (None, Fit::Unknown),
            (Some((1, None)), Fit::Open("ping".into())),
            (Some((1, Some(8))), Fit::Open("prompts/list".into())),
            (Some((1, Some(8))), Fit::Again("ping".into())),
        ];
        assert_eq!(fits, expected);
    }

    #[test]
    fn the_id_1_may_be_what_became_of_true() {
        let first = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize"});
        let untyped = json!({"jsonrpc": "2.0", "id": true, "method": "ping"});
        let reply = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
        let [first, reply] = [first, reply].map(|it| Message::read(&it.into()).expect("one"));
        let malformed = Message::read(&untyped.into()).expect_err("no id");
        let mut conversation = Correlation::default();
        conversation.message(Party::Client, None, 0, &first);
        let mut fits = Vec::new();
        for step in 0..3 {
            if step == 1 {
                conversation.malformed_request(Party::Client, &malformed);
            }
            let answer = conversation.message(Party::Server, None, step, &reply);
            if let Relation::Reply(reply) = answer.relation {
                fits.push(reply.fit);
            }
        }
        let again = Fit::Again("initialize".into());
        assert_eq!(fits, [Fit::Open("initialize".into()), Fit::Unknown, again]);
    }
}
