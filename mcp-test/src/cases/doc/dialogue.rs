//! What was asked and what came of it, from all cases: replies found by their ids, questions inside of results included.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::{Case, CaseFile, Cases, Direction};
use super::anchor::Anchors;
use crate::json::{Object, Value};
use crate::wire::{Id, Message, RpcError};

/// All that was said.
#[derive(Debug, Default)]
pub(super) struct Dialogue<'a> {
    pub(super) talks: Vec<Talk<'a>>,
    pub(super) exchanges: Vec<Exchange<'a>>,
    pub(super) told: Vec<Told<'a>>,
}

/// A case and its place on the page.
#[derive(Debug)]
pub(super) struct Talk<'a> {
    pub(super) file: &'a CaseFile,
    pub(super) case: &'a Case,
    pub(super) anchor: String,
}

/// A request and what came of it.
#[derive(Debug)]
pub(super) struct Exchange<'a> {
    /// The case, as an index into the talks.
    pub(super) talk: usize,
    /// Who asked.
    pub(super) asker: Direction,
    pub(super) method: &'a str,
    pub(super) params: Option<&'a Value>,
    pub(super) outcome: Option<Outcome<'a>>,
}

/// What came of a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Outcome<'a> {
    Result(&'a Value),
    Error(&'a RpcError),
}

/// A notification.
#[derive(Debug)]
pub(super) struct Told<'a> {
    pub(super) talk: usize,
    pub(super) by: Direction,
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

    /// A member of the params that is a text.
    pub(super) fn param(&self, pointer: &str) -> Option<&'a str> {
        self.params?.at(pointer)?.as_str()
    }
}

impl<'a> Dialogue<'a> {
    pub(super) fn of(cases: &'a Cases, anchors: &mut Anchors) -> Self {
        let mut dialogue = Self::default();
        let mut open = Open::default();
        for (file, case) in cases.iter() {
            if !case.settings.continues {
                open = Open::default();
            }
            dialogue.add(file, case, &mut open, anchors);
        }
        dialogue
    }

    fn add(
        &mut self,
        file: &'a Arc<CaseFile>,
        case: &'a Arc<Case>,
        open: &mut Open<'a>,
        anchors: &mut Anchors,
    ) {
        let talk = self.talks.len();
        self.talks.push(Talk { file, case, anchor: anchors.of("case", &case.id) });
        for message in &case.messages {
            let by = message.direction;
            match &message.message {
                Some(Message::Request(request)) => {
                    let params = request.params.as_ref();
                    open.asked.insert((by, request.id.clone()), self.exchanges.len());
                    self.answered_inside(open, &request.method, params);
                    let method = request.method.as_str();
                    let outcome = None;
                    self.exchanges.push(Exchange { talk, asker: by, method, params, outcome });
                }
                Some(Message::Notification(told)) => {
                    let params = told.params.as_ref();
                    self.told.push(Told { talk, by, method: &told.method, params });
                }
                Some(Message::Response(reply)) => {
                    let Some(asked) = open.close(by, &reply.id) else { continue };
                    self.exchanges[asked].outcome = Some(Outcome::Result(&reply.result));
                    self.asked_inside(open, asked, &reply.result, talk);
                }
                Some(Message::Error(reply)) => {
                    let asked = reply.id.as_ref().and_then(|id| open.close(by, id));
                    let Some(asked) = asked else { continue };
                    self.exchanges[asked].outcome = Some(Outcome::Error(&reply.error));
                }
                None => {}
            }
        }
    }

    /// Questions that a result holds instead of an end, since 2026-07-28.
    fn asked_inside(&mut self, open: &mut Open<'a>, asked: usize, result: &'a Value, talk: usize) {
        open.inside.clear();
        let Some(questions) = result.get("inputRequests").and_then(Value::as_object) else {
            return;
        };
        for (key, question) in questions.iter() {
            let Some(method) = question.get("method").and_then(Value::as_str) else { continue };
            open.inside.insert((self.exchanges[asked].method, key), self.exchanges.len());
            let params = question.get("params");
            let outcome = None;
            let asker = Direction::Out;
            self.exchanges.push(Exchange { talk, asker, method, params, outcome });
        }
    }

    /// Their answers, in the next request of the same method.
    fn answered_inside(&mut self, open: &Open<'a>, method: &str, params: Option<&'a Value>) {
        let answers = params.and_then(|params| params.get("inputResponses"));
        for (key, answer) in answers.and_then(Value::as_object).into_iter().flat_map(Object::iter) {
            if let Some(&asked) = open.inside.get(&(method, key)) {
                self.exchanges[asked].outcome = Some(Outcome::Result(answer));
            }
        }
    }

    /// The requests of one side with one method, in order.
    pub(super) fn asked(
        &self,
        asker: Direction,
        method: &str,
    ) -> impl Iterator<Item = &Exchange<'a>> {
        self.exchanges.iter().filter(move |it| it.asker == asker && it.method == method)
    }

    /// The items of a list, from all of its pages and from all cases, with where they stand.
    pub(super) fn listed(
        &self,
        method: &str,
        member: &str,
    ) -> impl Iterator<Item = (&'a Value, &Exchange<'a>)> {
        self.asked(Direction::In, method).flat_map(move |exchange| {
            let items = exchange.result().and_then(|result| result.get(member)?.as_array());
            items.unwrap_or_default().iter().map(move |item| (item, exchange))
        })
    }
}

/// What still waits for a reply in a conversation.
#[derive(Debug, Default)]
struct Open<'a> {
    asked: HashMap<(Direction, Id), usize>,
    /// By the method of the request that is to be said again, and by key.
    inside: HashMap<(&'a str, &'a str), usize>,
}

impl Open<'_> {
    /// The request that a side answers.
    fn close(&mut self, by: Direction, id: &Id) -> Option<usize> {
        let asker = match by {
            Direction::In => Direction::Out,
            Direction::Out => Direction::In,
        };
        self.asked.remove(&(asker, id.clone()))
    }
}
