//! Which messages of a conversation make a case that holds again: requests with their replies, and the notifications that
//! belong to them.
//!
//! A case that demands what only sometimes comes is no contract. What hangs on time is left out: notifications that a server
//! sends when it pleases, requests that were cancelled or never answered.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Direction;
use super::conversation::{Conversation, Said, named};
use super::left_out::LeftOut;
use crate::json::Value;
use crate::spec::meta;
use crate::wire::{Id, Message};

/// A conversation that can be said again.
#[derive(Debug, Clone)]
pub(super) struct Sifted {
    /// The messages, in order. Each request has its reply and each reply its request.
    pub(super) said: Vec<Said>,
    /// For each message the place of its request, if it is a reply.
    pub(super) replies_to: Vec<Option<usize>>,
    /// What was left out.
    pub(super) left_out: LeftOut,
}

/// Requests that run what a server is made for: a log message that comes meanwhile is about them.
const WORK: [&str; 5] =
    ["tools/call", "prompts/get", "resources/read", "completion/complete", "tasks/result"];

/// Takes out of a conversation what would not hold again.
pub(super) fn sift(conversation: Conversation) -> Sifted {
    let Conversation { said, left_out, .. } = conversation;
    let partners = partners(&said);
    let mut sieve =
        Sieve { kept: vec![true; said.len()], said: &said, partners: &partners, left_out };
    sieve.cancelled();
    sieve.unanswered();
    sieve.asides();
    let Sieve { kept, left_out, .. } = sieve;
    let mut order: Vec<usize> = (0..said.len()).filter(|index| kept[*index]).collect();
    in_order_of_requests(&mut order, &said, &partners);
    let places: BTreeMap<usize, usize> =
        order.iter().enumerate().map(|(place, index)| (*index, place)).collect();
    let request_of = |index: &usize| partners[*index].filter(|partner| partner < index);
    let replies_to = order.iter().map(|index| places.get(&request_of(index)?).copied()).collect();
    let said = order.iter().map(|index| said[*index].clone()).collect();
    Sifted { said, replies_to, left_out }
}

/// For each request the place of its reply, and the other way round.
fn partners(said: &[Said]) -> Vec<Option<usize>> {
    let mut partners = vec![None; said.len()];
    let mut open: BTreeMap<(Direction, String), Vec<usize>> = BTreeMap::new();
    for (index, said) in said.iter().enumerate() {
        let Some(id) = said.message.id().map(ToString::to_string) else { continue };
        if !said.message.is_reply() {
            open.entry((said.direction, id)).or_default().push(index);
            continue;
        }
        let asker = match said.direction {
            Direction::In => Direction::Out,
            Direction::Out => Direction::In,
        };
        if let Some(request) = open.get_mut(&(asker, id)).and_then(Vec::pop) {
            partners[request] = Some(index);
            partners[index] = Some(request);
        }
    }
    partners
}

/// Replies that follow each other stand in the order of their requests, whichever came first.
fn in_order_of_requests(order: &mut [usize], said: &[Said], partners: &[Option<usize>]) {
    let is_reply =
        |index: usize| said[index].message.is_reply() && said[index].direction == Direction::Out;
    let mut rest = order;
    while let Some(first) = rest.iter().position(|index| is_reply(*index)) {
        let tail = &mut rest[first..];
        let end = tail.iter().position(|index| !is_reply(*index)).unwrap_or(tail.len());
        let (run, after) = tail.split_at_mut(end);
        run.sort_by_key(|index| partners[*index]);
        rest = after;
    }
}

struct Sieve<'a> {
    said: &'a [Said],
    partners: &'a [Option<usize>],
    kept: Vec<bool>,
    left_out: LeftOut,
}

impl Sieve<'_> {
    fn drop(&mut self, index: usize, why: &str) {
        if std::mem::replace(&mut self.kept[index], false) && !self.said[index].message.is_reply() {
            self.left_out.because(&named(&self.said[index].message), why);
        }
        // A request goes with its reply.
        if let Some(partner) = self.partners[index]
            && self.kept[partner]
        {
            self.drop(partner, why);
        }
    }

    /// Whether the reply to what is cancelled still comes is a matter of time.
    fn cancelled(&mut self) {
        for (index, said) in self.said.iter().enumerate() {
            let Message::Notification(told) = &said.message else { continue };
            if told.method != "notifications/cancelled" {
                continue;
            }
            let id = told.params.as_ref().and_then(|params| params.get("requestId"));
            let id = id.and_then(Id::read);
            let cancelled = self.said[..index].iter().rposition(|other| {
                other.direction == said.direction
                    && matches!(&other.message, Message::Request(it) if Some(&it.id) == id.as_ref())
            });
            if let Some(request) = cancelled {
                self.drop(request, "it was cancelled");
            }
            self.kept[index] = false;
        }
    }

    fn unanswered(&mut self) {
        for (index, said) in self.said.iter().enumerate() {
            if self.partners[index].is_some() {
                continue;
            }
            match &said.message {
                Message::Request(_) => self.drop(index, "it was not answered"),
                Message::Response(_) | Message::Error(_) => {
                    self.kept[index] = false;
                    self.left_out.because("a reply", "nothing was asked that it answers");
                }
                Message::Notification(_) => {}
            }
        }
        // What a server asks meanwhile belongs to what it was asked.
        for (index, said) in self.said.iter().enumerate() {
            let of_server =
                said.direction == Direction::Out && matches!(said.message, Message::Request(_));
            if of_server && said.exchange.is_some() {
                let gone = self.said.iter().zip(&self.kept).any(|(other, kept)| {
                    !kept && other.exchange == said.exchange && other.direction == Direction::In
                });
                if gone {
                    self.drop(index, "it was asked for the sake of what is left out");
                }
            }
        }
    }

    /// Notifications that hang on nothing that is said.
    fn asides(&mut self) {
        for index in 0..self.said.len() {
            let said = &self.said[index];
            let Message::Notification(told) = &said.message else { continue };
            if !self.kept[index] {
                continue;
            }
            let belongs = match (said.direction, told.method.as_str()) {
                (Direction::In, "notifications/progress") => false,
                (Direction::In, _) => true,
                (Direction::Out, "notifications/progress") => self.is_asked_for(index),
                (Direction::Out, "notifications/message") => self.is_about_work(index),
                (Direction::Out, _) => false,
            };
            if !belongs {
                self.drop(index, "it may come at another time, or not at all");
            }
        }
    }

    /// Whether progress is on a request that asked for it and is kept.
    fn is_asked_for(&self, index: usize) -> bool {
        let token = |value: &Value, pointer: &str| value.at(pointer).cloned();
        let Some(wanted) = token(&self.said[index].value, "/params/progressToken") else {
            return false;
        };
        let asked = format!("/params/_meta/{}", meta::PROGRESS_TOKEN);
        self.in_flight(index)
            .any(|request| token(&self.said[request].value, &asked).as_ref() == Some(&wanted))
    }

    /// Whether a log message is about the one thing that was being done.
    fn is_about_work(&self, index: usize) -> bool {
        let exchange = self.said[index].exchange;
        let requests: BTreeSet<usize> = self.in_flight(index).collect();
        let mut about = requests
            .iter()
            .filter(|request| exchange.is_none() || self.said[**request].exchange == exchange);
        let (Some(request), None) = (about.next(), about.next()) else { return false };
        let method = self.said[*request].message.method().unwrap_or_default();
        WORK.contains(&method) && self.kept[*request]
    }

    /// The client's requests that were being answered when something was said.
    fn in_flight(&self, index: usize) -> impl Iterator<Item = usize> {
        (0..index).filter(move |request| {
            let said = &self.said[*request];
            said.direction == Direction::In
                && self.kept[*request]
                && matches!(said.message, Message::Request(_))
                && self.partners[*request].is_some_and(|reply| reply > index)
        })
    }
}
