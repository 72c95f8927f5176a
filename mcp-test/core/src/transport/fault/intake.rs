//! Filters what an actor receives, and answers in its place.

use super::Fault;
use super::change::{Change, Plain};
use crate::json::Value;
use crate::transport::actor::{InboundText, OutboundMessage};
use crate::wire::{Id, Response};

/// Returns what the actor receives of a text, and the replies that are sent without it.
#[must_use]
pub(crate) fn intake(
    received: InboundText,
    faults: &[Fault],
) -> (Option<InboundText>, Vec<OutboundMessage>) {
    let is_of_intake = |fault: &&Fault| {
        matches!(fault.change, Change::Plain(Plain::Ignore) | Change::Answer { .. })
    };
    let faults: Vec<_> = faults.iter().filter(is_of_intake).collect();
    let InboundText::Json(mut document) = received else { return (Some(received), Vec::new()) };
    // The usual case, in which the messages need not be looked at.
    if faults.is_empty() {
        return (Some(InboundText::Json(document)), Vec::new());
    }
    let mut replies = Vec::new();
    let mut keeps = |message: &Value| match change_for(message, &faults) {
        None => true,
        Some(Change::Answer { result }) => match message.get("id").and_then(Id::read) {
            Some(id) => {
                replies.push(reply(id, message, result));
                false
            }
            // A notification cannot be answered, so the actor receives it.
            None => true,
        },
        // `ignore`: the actor never learns of the message.
        Some(_) => false,
    };
    let is_received = match &mut document.value {
        Value::Array(items) if !items.is_empty() => {
            items.retain(&mut keeps);
            // An empty batch would be an invalid request (JSON-RPC 2.0, section 6).
            !items.is_empty()
        }
        message => keeps(message),
    };
    (is_received.then_some(InboundText::Json(document)), replies)
}

/// The change of the first fault that affects a message.
fn change_for<'a>(message: &Value, faults: &[&'a Fault]) -> Option<&'a Change> {
    let method = message.get("method").and_then(Value::as_str)?;
    let is_request = message.get("id").is_some();
    let affects = |fault: &&&Fault| fault.names(method) || is_request && fault.is_for_all();
    faults.iter().find(affects).map(|fault| &fault.change)
}

fn reply(id: Id, message: &Value, result: &Value) -> OutboundMessage {
    let method = message.get("method").and_then(Value::as_str).map(str::to_owned);
    let value = Response::new(id, result.clone()).to_value();
    OutboundMessage { answers: method, ..OutboundMessage::unsolicited(value) }
}
