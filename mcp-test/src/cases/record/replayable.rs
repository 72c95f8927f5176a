//! Selects the messages of a conversation that can be replayed: requests with their replies, and the notifications that
//! belong to them.
//!
//! A case must not demand what is not always sent. Messages that depend on timing are left out: unsolicited notifications,
//! and requests that were cancelled or never answered.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use mcp_test_core::json::Value;
use mcp_test_core::spec::meta;
use mcp_test_core::wire::Message;

use super::conversation::{RecordedConversation, RecordedMessage, named};
use super::left_out::LeftOut;
use crate::cases::Direction;

/// A conversation that can be replayed.
#[derive(Debug, Clone)]
pub(super) struct Replayable {
    /// The messages, in order. Each request has its reply and each reply its request.
    pub(super) messages: Vec<RecordedMessage>,
    /// For each reply the index of its request.
    pub(super) replies_to: Vec<Option<usize>>,
    /// What was left out.
    pub(super) left_out: LeftOut,
}

/// Requests that do the server's work: a log message during one belongs to it.
const WORK: [&str; 5] =
    ["tools/call", "prompts/get", "resources/read", "completion/complete", "tasks/result"];

/// Removes what could not be replayed.
pub(super) fn filter_replayable(conversation: RecordedConversation) -> Replayable {
    let RecordedConversation { messages, left_out, .. } = conversation;
    let partners = partners(&messages);
    let mut filter = ReplayFilter {
        kept: vec![true; messages.len()],
        messages: &messages,
        partners: &partners,
        left_out,
    };
    // In this order: which notifications are kept depends on the requests that are.
    filter.leave_out_cancelled();
    filter.leave_out_unanswered();
    filter.leave_out_notifications();
    let ReplayFilter { kept, left_out, .. } = filter;
    let mut order: Vec<usize> = (0..messages.len()).filter(|index| kept[*index]).collect();
    in_order_of_requests(&mut order, &messages, &partners);
    let places: BTreeMap<usize, usize> =
        order.iter().enumerate().map(|(place, index)| (*index, place)).collect();
    let request_of = |index: &usize| partners[*index].filter(|partner| partner < index);
    let replies_to = order.iter().map(|index| places.get(&request_of(index)?).copied()).collect();
    let messages = order.iter().map(|index| messages[*index].clone()).collect();
    Replayable { messages, replies_to, left_out }
}

/// For each request the index of its reply, and the other way round.
fn partners(messages: &[RecordedMessage]) -> Vec<Option<usize>> {
    let numbers = messages.iter().enumerate().map(|(index, message)| (message.number, index));
    let by_number: HashMap<usize, usize> = numbers.collect();
    let mut partners = vec![None; messages.len()];
    for (index, message) in messages.iter().enumerate() {
        // The request may belong to the conversation before this one.
        if let Some(&request) = message.answers.and_then(|number| by_number.get(&number)) {
            partners[request] = Some(index);
            partners[index] = Some(request);
        }
    }
    partners
}

/// Sorts consecutive replies in the order of their requests, because their own order depends on timing.
fn in_order_of_requests(
    order: &mut [usize],
    messages: &[RecordedMessage],
    partners: &[Option<usize>],
) {
    let is_reply = |index: usize| {
        messages[index].message.is_reply() && messages[index].direction == Direction::Out
    };
    let mut rest = order;
    while let Some(first) = rest.iter().position(|index| is_reply(*index)) {
        let tail = &mut rest[first..];
        let end = tail.iter().position(|index| !is_reply(*index)).unwrap_or(tail.len());
        let (run, after) = tail.split_at_mut(end);
        run.sort_by_key(|index| partners[*index]);
        rest = after;
    }
}

struct ReplayFilter<'a> {
    messages: &'a [RecordedMessage],
    partners: &'a [Option<usize>],
    kept: Vec<bool>,
    left_out: LeftOut,
}

impl ReplayFilter<'_> {
    /// Leaves out a message, and a request together with its reply.
    fn leave_out(&mut self, index: usize, why: &str) {
        if std::mem::replace(&mut self.kept[index], false)
            && !self.messages[index].message.is_reply()
        {
            self.left_out.add_reason(&named(&self.messages[index].message), why);
        }
        if let Some(partner) = self.partners[index]
            && self.kept[partner]
        {
            self.leave_out(partner, why);
        }
    }

    /// Leaves out cancelled requests: whether a reply still comes depends on timing.
    fn leave_out_cancelled(&mut self) {
        for (index, message) in self.messages.iter().enumerate() {
            if message.is_cancelled {
                self.leave_out(index, "it was cancelled");
            }
            if message.message.method() == Some("notifications/cancelled") {
                self.kept[index] = false;
            }
        }
    }

    /// Leaves out requests without a reply, and replies without a request.
    fn leave_out_unanswered(&mut self) {
        for (index, message) in self.messages.iter().enumerate() {
            if self.partners[index].is_some() {
                continue;
            }
            match &message.message {
                Message::Request(_) => self.leave_out(index, "it was not answered"),
                Message::Response(_) | Message::Error(_) => {
                    self.kept[index] = false;
                    self.left_out.add_reason("a reply", "it answers no request");
                }
                Message::Notification(_) => {}
            }
        }
        // Requests of the server in the same HTTP exchange belong to the request that is left out.
        for (index, message) in self.messages.iter().enumerate() {
            let of_server = message.direction == Direction::Out
                && matches!(message.message, Message::Request(_));
            if of_server && message.exchange.is_some() {
                let gone = self.messages.iter().zip(&self.kept).any(|(other, kept)| {
                    !kept && other.exchange == message.exchange && other.direction == Direction::In
                });
                if gone {
                    self.leave_out(index, "it belongs to a request that is left out");
                }
            }
        }
    }

    /// Leaves out notifications that belong to no message.
    fn leave_out_notifications(&mut self) {
        for index in 0..self.messages.len() {
            let message = &self.messages[index];
            let Message::Notification(notification) = &message.message else { continue };
            if !self.kept[index] {
                continue;
            }
            let belongs = match (message.direction, notification.method.as_str()) {
                (Direction::In, "notifications/progress") => false,
                (Direction::In, _) => true,
                (Direction::Out, "notifications/progress") => self.is_requested(index),
                (Direction::Out, "notifications/message") => self.belongs_to_only_request(index),
                (Direction::Out, _) => false,
            };
            if !belongs {
                self.leave_out(index, "it may come at another time or not at all");
            }
        }
    }

    /// Whether progress belongs to a kept request that requested it.
    fn is_requested(&self, index: usize) -> bool {
        let token = |value: &Value, pointer: &str| value.at(pointer).cloned();
        let Some(wanted) = token(&self.messages[index].value, "/params/progressToken") else {
            return false;
        };
        let requested = format!("/params/_meta/{}", meta::PROGRESS_TOKEN);
        self.in_flight(index).any(|request| {
            token(&self.messages[request].value, &requested).as_ref() == Some(&wanted)
        })
    }

    /// Whether a log message belongs to the only request that was pending.
    fn belongs_to_only_request(&self, index: usize) -> bool {
        let exchange = self.messages[index].exchange;
        let requests: BTreeSet<usize> = self.in_flight(index).collect();
        let mut about = requests
            .iter()
            .filter(|request| exchange.is_none() || self.messages[**request].exchange == exchange);
        let (Some(request), None) = (about.next(), about.next()) else { return false };
        let method = self.messages[*request].message.method().unwrap_or_default();
        WORK.contains(&method) && self.kept[*request]
    }

    /// The client's requests that were pending at a message.
    fn in_flight(&self, index: usize) -> impl Iterator<Item = usize> {
        (0..index).filter(move |request| {
            let message = &self.messages[*request];
            message.direction == Direction::In
                && self.kept[*request]
                && matches!(message.message, Message::Request(_))
                && self.partners[*request].is_some_and(|reply| reply > index)
        })
    }
}
