//! The requests and notifications of all cases, each request with its outcome.

use std::collections::HashMap;
use std::sync::Arc;

use mcp_test_core::json::{Object, Value};
use mcp_test_core::trace::{Correlation, Relation};
use mcp_test_core::wire::{Message, RpcError};

use super::anchor::Anchors;
use crate::cases::{Case, CaseFile, Cases, Direction};

/// All cases, with their requests and notifications.
#[derive(Debug, Default)]
pub(super) struct CaseIndex<'a> {
    pub(super) cases: Vec<IndexedCase<'a>>,
    pub(super) exchanges: Vec<Exchange<'a>>,
    pub(super) notifications: Vec<SentNotification<'a>>,
}

/// A case and its place on the page.
#[derive(Debug)]
pub(super) struct IndexedCase<'a> {
    pub(super) file: &'a CaseFile,
    pub(super) case: &'a Case,
    pub(super) anchor: String,
}

/// A request and its outcome.
#[derive(Debug)]
pub(super) struct Exchange<'a> {
    /// The case, as an index into the cases.
    pub(super) case: usize,
    pub(super) sender: Direction,
    pub(super) method: &'a str,
    pub(super) params: Option<&'a Value>,
    pub(super) outcome: Option<Outcome<'a>>,
}

/// The outcome of a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Outcome<'a> {
    Result(&'a Value),
    Error(&'a RpcError),
}

/// A notification.
#[derive(Debug)]
pub(super) struct SentNotification<'a> {
    pub(super) case: usize,
    pub(super) sender: Direction,
    pub(super) method: &'a str,
    pub(super) params: Option<&'a Value>,
}

impl<'a> Exchange<'a> {
    pub(super) fn result(&self) -> Option<&'a Value> {
        match self.outcome? {
            Outcome::Result(result) => Some(result),
            Outcome::Error(_) => None,
        }
    }

    /// The string at a pointer into the params.
    pub(super) fn param(&self, pointer: &str) -> Option<&'a str> {
        self.params?.at(pointer)?.as_str()
    }
}

/// A conversation, which may consist of several cases.
#[derive(Debug, Default)]
struct Conversation<'a> {
    /// The position of a request is its index in the exchanges.
    messages: Correlation<usize>,
    /// Open input requests, by the method of the request that has to be repeated, and by key.
    input_requests: HashMap<(&'a str, &'a str), usize>,
}

impl<'a> CaseIndex<'a> {
    pub(super) fn of(cases: &'a Cases, anchors: &mut Anchors) -> Self {
        let mut index = Self::default();
        let mut conversation = Conversation::default();
        for (file, case) in cases.iter() {
            // The ids in a case are labels, which the next conversation may use for other requests.
            if !case.settings.continues {
                conversation = Conversation::default();
            }
            index.add(file, case, &mut conversation, anchors);
        }
        index
    }

    fn add(
        &mut self,
        file: &'a Arc<CaseFile>,
        entry: &'a Arc<Case>,
        conversation: &mut Conversation<'a>,
        anchors: &mut Anchors,
    ) {
        let case = self.cases.len();
        self.cases.push(IndexedCase { file, case: entry, anchor: anchors.of("case", &entry.id) });
        for case_message in &entry.messages {
            let Some(message) = &case_message.message else { continue };
            let sender = case_message.direction;
            let position = self.exchanges.len();
            let correlated =
                conversation.messages.message(sender.sender(), None, position, message);
            let request = match correlated.relation {
                Relation::Reply(reply) => reply.settles,
                Relation::Request { .. } | Relation::Notification => None,
            };
            match message {
                Message::Request(request) => {
                    let (method, params) = (request.method.as_str(), request.params.as_ref());
                    self.add_input_responses(conversation, method, params);
                    self.exchanges.push(Exchange { case, sender, method, params, outcome: None });
                }
                Message::Notification(notification) => {
                    let (method, params) = (&notification.method, notification.params.as_ref());
                    self.notifications.push(SentNotification { case, sender, method, params });
                }
                Message::Response(reply) => {
                    let Some(request) = request else { continue };
                    self.exchanges[request].outcome = Some(Outcome::Result(&reply.result));
                    self.add_input_requests(conversation, request, &reply.result, case);
                }
                Message::Error(reply) => {
                    let Some(request) = request else { continue };
                    self.exchanges[request].outcome = Some(Outcome::Error(&reply.error));
                }
            }
        }
    }

    /// Adds the requests of the server in a result that asks for input, from 2026-07-28 on.
    fn add_input_requests(
        &mut self,
        conversation: &mut Conversation<'a>,
        request: usize,
        result: &'a Value,
        case: usize,
    ) {
        // The next request only answers the latest result.
        conversation.input_requests.clear();
        let requests = result.get("inputRequests").and_then(Value::as_object);
        for (key, input) in requests.into_iter().flat_map(Object::iter) {
            let Some(method) = input.get("method").and_then(Value::as_str) else { continue };
            let answered_by = (self.exchanges[request].method, key);
            conversation.input_requests.insert(answered_by, self.exchanges.len());
            let (sender, params) = (Direction::Out, input.get("params"));
            self.exchanges.push(Exchange { case, sender, method, params, outcome: None });
        }
    }

    /// Adds the responses to them, which are in the next request with the same method.
    fn add_input_responses(
        &mut self,
        conversation: &Conversation<'a>,
        method: &str,
        params: Option<&'a Value>,
    ) {
        let responses = params.and_then(|params| params.get("inputResponses")?.as_object());
        for (key, response) in responses.into_iter().flat_map(Object::iter) {
            if let Some(&request) = conversation.input_requests.get(&(method, key)) {
                self.exchanges[request].outcome = Some(Outcome::Result(response));
            }
        }
    }

    /// The requests of one side with one method, in order.
    pub(super) fn requests(
        &self,
        sender: Direction,
        method: &str,
    ) -> impl Iterator<Item = &Exchange<'a>> {
        self.exchanges.iter().filter(move |it| it.sender == sender && it.method == method)
    }

    /// The items of a list, from all of its pages and from all cases, each with its exchange.
    pub(super) fn listed(
        &self,
        method: &str,
        member: &str,
    ) -> impl Iterator<Item = (&'a Value, &Exchange<'a>)> {
        self.requests(Direction::In, method).flat_map(move |exchange| {
            let items = exchange.result().and_then(|result| result.get(member)?.as_array());
            items.unwrap_or_default().iter().map(move |item| (item, exchange))
        })
    }
}
