//! One conversation, message by message.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::cancelled::Cancelled;
use super::non_request::LatestNonRequest;
use super::relation::{Correlated, Fit, Relation, Reply, Request};
use super::requests::{Limits, OpenRequests};
use super::revisions::Revisions;
use crate::json::Value;
use crate::spec::Revision;
use crate::spec::named_revision::{self, NamedRevision};
use crate::trace::Party;
use crate::wire::Expected;
pub(super) use crate::wire::{ErrorReply, Id, Malformed, Message, Notification, Response};

/// How the messages of one conversation are related, as far as it was followed.
///
/// `P` is the position of a message: whatever the caller finds it by.
#[doc(hidden)]
#[derive(Debug)]
pub struct Correlation<'a, P> {
    client: Side<'a, P>,
    server: Side<'a, P>,
    pub(super) revisions: Revisions,
}

impl<P> Default for Correlation<'_, P> {
    fn default() -> Self {
        let (client, server) = (Side::default(), Side::default());
        Self { client, server, revisions: Revisions::default() }
    }
}

impl<'a, P: Copy> Correlation<'a, P> {
    /// Adds a message, and returns it with what the messages before it imply.
    #[doc(hidden)]
    pub fn message(
        &mut self,
        from: Party,
        exchange: Option<u64>,
        position: P,
        message: &'a Message,
    ) -> Correlated<'a, P> {
        let (revision, relation) = match message {
            Message::Request(request) => {
                let revision = self.revision_of_call(message, exchange);
                let method = &request.method;
                let names_nothing = named_revision::in_meta(message) == NamedRevision::Absent;
                let known = Request {
                    position,
                    id: &request.id,
                    method,
                    revision,
                    is_of_unnamed_revision: revision.is_none() && names_nothing,
                    reply: None,
                    is_cancelled: false,
                };
                let previous = self.side(from).add(&request.id, exchange, known);
                (revision, Relation::Request { previous })
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
    pub(super) fn malformed_reply(&mut self, from: Party, malformed: &'a Malformed) {
        if let Some(id) = &malformed.id {
            // Replies go in the opposite direction to the requests that they settle.
            self.side(other(from)).settle(id);
        }
    }

    /// Adds something malformed with an id: it may have been meant as a request, and may be refused under its id.
    pub(super) fn malformed_request(&mut self, from: Party, malformed: &'a Malformed) {
        if let Some(id) = &malformed.id {
            self.side(from).open(id, malformed.method.as_deref().unwrap_or_default());
        } else if malformed.expected == Expected::Id && malformed.found.as_deref() == Some("true") {
            self.side(from).has_sent_true = true;
        }
    }

    /// The requests of a side, in order.
    #[doc(hidden)]
    pub fn requests(&self, of: Party) -> &[Request<'a, P>] {
        &self.side_of(of).requests
    }

    /// The latest request of a side that has this id and no reply.
    #[doc(hidden)]
    pub fn unanswered(&self, of: Party, id: &Id) -> Option<P> {
        let side = self.side_of(of);
        let place = side.unanswered.get(id)?.last()?;
        Some(side.requests[*place].position)
    }

    fn side_of(&self, party: Party) -> &Side<'a, P> {
        match party {
            Party::Client => &self.client,
            _ => &self.server,
        }
    }

    fn side(&mut self, party: Party) -> &mut Side<'a, P> {
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
        id: Option<&'a Id>,
        position: P,
    ) -> Reply<'a, P> {
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
    fn agree(&mut self, reply: &Reply<'a, P>, result: &Value) -> Option<Revision> {
        reply.request.filter(|request| request.method == "initialize")?;
        let agreed = named_revision::negotiated(result).known()?;
        self.revisions.agreed = Some(agreed);
        Some(agreed)
    }

    /// A reply is in the revision of its request, whatever has been agreed on since.
    fn revision_of_reply(&self, reply: &Reply<'a, P>, exchange: Option<u64>) -> Option<Revision> {
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

/// The requests of one side.
#[derive(Debug)]
struct Side<'a, P> {
    requests: Vec<Request<'a, P>>,
    latest: HashMap<&'a Id, usize>,
    in_exchange: HashMap<(u64, &'a Id), usize>,
    unanswered: HashMap<&'a Id, BTreeSet<usize>>,
    /// The methods of the open requests; of malformed ones, too.
    open: OpenRequests<&'a Id, &'a str>,
    /// The method of the first request with an id, of malformed ones, too.
    first: HashMap<&'a Id, &'a str>,
    cancelled: Cancelled,
    /// The ids of open requests that a reply without an id seems to answer.
    presumed_answered: HashSet<&'a Id>,
    /// In the order of `requests`.
    non_request: LatestNonRequest<usize>,
    /// A request with the id `true`, which no message can have, may be answered with the id 1.
    has_sent_true: bool,
}

impl<P> Default for Side<'_, P> {
    fn default() -> Self {
        Self {
            requests: Vec::new(),
            latest: HashMap::new(),
            in_exchange: HashMap::new(),
            unanswered: HashMap::new(),
            open: OpenRequests::new(Limits::NONE),
            first: HashMap::new(),
            cancelled: Cancelled::default(),
            presumed_answered: HashSet::new(),
            non_request: LatestNonRequest::default(),
            has_sent_true: false,
        }
    }
}

impl<'a, P: Copy> Side<'a, P> {
    fn add(
        &mut self,
        id: &'a Id,
        exchange: Option<u64>,
        request: Request<'a, P>,
    ) -> Option<Request<'a, P>> {
        let place = self.requests.len();
        self.open(id, request.method);
        self.cancelled.ask(id);
        self.presumed_answered.remove(id);
        self.requests.push(request);
        self.unanswered.entry(id).or_default().insert(place);
        if let Some(exchange) = exchange {
            self.in_exchange.insert((exchange, id), place);
        }
        // JSON-RPC leaves ids to the client; MCP forbids reusing one, which is found by the place that this replaces.
        self.latest.insert(id, place).map(|previous| self.requests[previous])
    }

    fn open(&mut self, id: &'a Id, method: &'a str) {
        self.open.insert(id, method);
        // The first method stays: it names the request in the finding about a second reply.
        self.first.entry(id).or_insert(method);
    }

    /// Notes a message that has no reply: a notification or a reply.
    fn send_without_reply(&mut self) {
        self.non_request.send(self.requests.len());
    }

    fn cancel(&mut self, id: Id, exchange: Option<u64>) {
        if let Some(place) = self.latest.get(&id) {
            self.requests[*place].is_cancelled = true;
        }
        // Over HTTP a reply and a cancellation travel on streams of their own: which was read first cannot be known.
        if exchange.is_none() {
            self.cancelled.cancel(id);
        }
    }

    fn answer(&mut self, id: &'a Id, exchange: Option<u64>, position: P) -> Reply<'a, P> {
        if self.has_sent_true && *id == Id::from(1) && self.open.get(id).next().is_none() {
            self.has_sent_true = false;
            return Reply::UNKNOWN;
        }
        let here = exchange.and_then(|exchange| self.in_exchange.get(&(exchange, id))).copied();
        let place = here.or_else(|| self.latest.get(id).copied());
        // Copied before the reply is entered, so that `request.reply` is an earlier reply, if there was one.
        let request = place.map(|place| self.requests[place]);
        if let Some(place) = place {
            self.requests[place].reply.get_or_insert(position);
            self.non_request.answer_request(&place);
        }
        // The id null names no request: an error has it when the id could not be read.
        let is_late = *id != Id::Null && self.cancelled.answer(id);
        let (settles, fit) = (self.take_unanswered(id, here), self.settle(id));
        let only_open = (*id == Id::Null).then(|| self.presume_answered()).flatten();
        Reply { request, settles, fit, is_late, only_open }
    }

    /// The method of the only open request, which a reply without an id is taken to answer; one with the right id may still come.
    /// `None` if it may answer what is not a request.
    fn presume_answered(&mut self) -> Option<&'a str> {
        if self.non_request.may_be_answered() {
            return None;
        }
        let mut open = self.open.keys().filter(|id| !self.presumed_answered.contains(*id));
        let (Some(id), None) = (open.next().copied(), open.next()) else { return None };
        let method = self.open.get(id).next().copied();
        self.presumed_answered.insert(id);
        method
    }

    fn take_unanswered(&mut self, id: &Id, here: Option<usize>) -> Option<P> {
        let places = self.unanswered.get_mut(id)?;
        // A request of this exchange that has its reply already does not keep the reply from settling another one.
        let here = here.filter(|here| places.remove(here));
        let place = here.or_else(|| places.pop_last())?;
        Some(self.requests[place].position)
    }

    fn settle(&mut self, id: &Id) -> Fit<'a> {
        if let Some(method) = self.open.remove(id, 0) {
            return Fit::Open(method);
        }
        // Checked after the open requests: an id that is used again may be answered again.
        if let Some(method) = self.first.get(id) {
            return Fit::Again(method);
        }
        // A peer with doubles only; its numbers are valid, so that the scenario that sends such ids judges this.
        let rounded = self.open.keys().find(|open| id.is_rounded(open)).copied();
        if let Some(method) = rounded.and_then(|open| self.open.remove(open, 0)) {
            return Fit::Open(method);
        }
        let retyped = self.open.keys().find(|open| open.is_retyped(id));
        retyped.map_or(Fit::Unknown, |open| Fit::Retyped(open))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
                Relation::Request { previous } => {
                    assert_eq!(
                        previous.map(|request| request.position),
                        (position == 1).then_some(0)
                    );
                }
                Relation::Notification => panic!("there is none"),
            }
        }
        let expected = [
            (None, Fit::Retyped(&Id::from(2))),
            (None, Fit::Unknown),
            (Some((2, None)), Fit::Open("tools/list")),
            (Some((2, Some(5))), Fit::Again("tools/list")),
            (None, Fit::Unknown),
            (Some((1, None)), Fit::Open("ping")),
            (Some((1, Some(8))), Fit::Open("prompts/list")),
            (Some((1, Some(8))), Fit::Again("ping")),
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
        assert_eq!(fits, [Fit::Open("initialize"), Fit::Unknown, Fit::Again("initialize")]);
    }
}
