//! What faults keep from an actor, and answer in its place.

use super::{Fault, change::Change};
use crate::{
    json::Value,
    transport::serve::{Emitted, Received},
    wire::{Id, Response},
};

/// What an actor hears of a text, and the replies that are given without it.
#[must_use]
pub fn intake(received: Received, faults: &[Fault]) -> (Option<Received>, Vec<Emitted>) {
    let misheard = |fault: &&Fault| matches!(fault.change, Change::Ignore | Change::Answer { .. });
    let faults: Vec<_> = faults.iter().filter(misheard).collect();
    let Received::Json(mut document) = received else { return (Some(received), Vec::new()) };
    if faults.is_empty() {
        return (Some(Received::Json(document)), Vec::new());
    }
    let mut replies = Vec::new();
    let mut keeps = |message: &Value| match change_for(message, &faults) {
        None => true,
        Some(Change::Answer { result }) => match message.get("id").and_then(Id::read) {
            Some(id) => {
                replies.push(answered(id, message, result));
                false
            }
            None => true,
        },
        Some(_) => false,
    };
    let is_heard = match &mut document.value {
        Value::Array(items) if !items.is_empty() => {
            items.retain(&mut keeps);
            !items.is_empty()
        }
        message => keeps(message),
    };
    (is_heard.then_some(Received::Json(document)), replies)
}

/// What the first fault for a message does to it.
fn change_for<'a>(message: &Value, faults: &[&'a Fault]) -> Option<&'a Change> {
    let method = message.get("method").and_then(Value::as_str)?;
    let is_request = message.get("id").is_some();
    let concerns = |fault: &&&Fault| fault.names(method) || is_request && fault.is_for_all();
    faults.iter().find(concerns).map(|fault| &fault.change)
}

fn answered(id: Id, message: &Value, result: &Value) -> Emitted {
    let method = message.get("method").and_then(Value::as_str).map(str::to_owned);
    let value = Response::new(id, result.clone()).to_value();
    Emitted { answers: method, ..Emitted::unprompted(value) }
}
