//! Merges two recordings of the same conversation: what differs is not part of the contract.

use std::collections::BTreeMap;

use mcp_test_core::json::{Difference, DifferenceKind, Pointer, Value, diff};

use super::draft::{Draft, DraftMessage};
use super::mismatch::ConversationMismatch as Mismatch;
use super::walk;
use crate::cases::{Direction, JsonType, Matcher};

/// The places where recordings of a case differ, by message, and the matchers for them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Differing(BTreeMap<usize, Vec<(Pointer, Matcher)>>);

impl Differing {
    /// Whether the recordings differ at this place of a message.
    pub(super) fn has(&self, message: usize, place: &Pointer) -> bool {
        self.of(message).iter().any(|(known, _)| known == place)
    }

    /// The places of a message, with their matchers.
    pub(super) fn of(&self, message: usize) -> &[(Pointer, Matcher)] {
        self.0.get(&message).map_or(&[], Vec::as_slice)
    }

    fn add(&mut self, message: usize, place: Pointer, matcher: Matcher) {
        let places = self.0.entry(message).or_default();
        if places.iter().any(|(known, _)| *known == place || walk::is_inside(&place, known)) {
            return;
        }
        // A matcher for the whole replaces those for its parts.
        places.retain(|(known, _)| !walk::is_inside(known, &place));
        places.push((place, matcher));
    }
}

/// Removes from a recording the notifications that another one lacks, and records where they differ.
///
/// Changes nothing if their conversations are different.
pub(super) fn merge(
    draft: &mut Draft,
    differing: &mut Differing,
    other: &Draft,
) -> Result<(), Mismatch> {
    // At another revision, the same requests may have other results.
    if draft.revision != other.revision || draft.bare != other.bare {
        return Err(Mismatch::Revision);
    }
    let mine = essential(draft);
    let theirs = essential(other);
    if mine.len() != theirs.len() {
        return Err(Mismatch::Length { expected: mine.len(), got: theirs.len() });
    }
    for (one, two) in mine.iter().zip(&theirs) {
        let (one, two) = (&draft.messages[*one], &other.messages[*two]);
        if one.key != two.key || method(one) != method(two) {
            return Err(Mismatch::Message { expected: one.key.clone(), got: two.key.clone() });
        }
        if one.value.get("error").is_some() != two.value.get("error").is_some() {
            return Err(Mismatch::Outcome { key: one.key.clone() });
        }
    }
    // Before places are recorded: the removal of a notification changes the indices of messages.
    keep_common(draft, differing, other);
    for (index, two) in pairs(draft, other) {
        let (one, two) = (&draft.messages[index].value, &other.messages[two].value);
        for difference in diff(one, two) {
            let (place, matcher) = relaxed(one, two, &difference);
            if !walk::is_envelope(&place) && !walk::is_label(&place) {
                differing.add(index, place, matcher);
            }
        }
    }
    Ok(())
}

/// The messages that always occur: all but the server's notifications.
fn essential(draft: &Draft) -> Vec<usize> {
    let messages = draft.messages.iter().enumerate();
    let essential = messages.filter(|(_, it)| !is_notification(it.direction, &it.value));
    essential.map(|(index, _)| index).collect()
}

/// Whether a message is a notification of the server.
pub(super) fn is_notification(direction: Direction, message: &Value) -> bool {
    direction == Direction::Out && message.get("id").is_none()
}

fn method(message: &DraftMessage) -> Option<&str> {
    message.value.get("method").and_then(Value::as_str)
}

/// Removes notifications that only occur in one recording, because they are not always sent.
fn keep_common(draft: &mut Draft, differing: &mut Differing, other: &Draft) {
    let in_both = |mine: &DraftMessage| {
        !is_notification(mine.direction, &mine.value)
            || other.messages.iter().any(|it| it.key == mine.key)
    };
    let both: Vec<bool> = draft.messages.iter().map(in_both).collect();
    let mut places = BTreeMap::new();
    for (index, _) in both.iter().enumerate().filter(|(_, both)| **both) {
        places.insert(index, places.len());
    }
    let messages = std::mem::take(&mut draft.messages);
    for (message, both) in messages.into_iter().zip(&both) {
        if *both {
            let replies_to = message.replies_to.and_then(|it| places.get(&it).copied());
            draft.messages.push(DraftMessage { replies_to, ..message });
        } else {
            let name = method(&message).unwrap_or_default();
            draft.left_out.add_reason(&format!("`{name}`"), "it is in only one of the recordings");
        }
    }
    let known = std::mem::take(&mut differing.0);
    differing.0 = known
        .into_iter()
        .filter_map(|(index, rules)| Some((*places.get(&index)?, rules)))
        .collect();
}

/// The indices of messages with the same key in both recordings.
fn pairs(draft: &Draft, other: &Draft) -> Vec<(usize, usize)> {
    let theirs: BTreeMap<&str, usize> =
        other.messages.iter().enumerate().map(|(index, it)| (it.key.as_str(), index)).collect();
    let mine = draft.messages.iter().enumerate();
    mine.filter_map(|(index, it)| Some((index, *theirs.get(it.key.as_str())?))).collect()
}

/// The place and the matcher that tolerate a difference, and as little else as possible.
pub(super) fn relaxed(one: &Value, two: &Value, difference: &Difference) -> (Pointer, Matcher) {
    let Difference { pointer, kind, expected, got } = difference;
    // First, because a difference in order also shows as differences of each item.
    if let Some(list) = shuffled(one, two, pointer) {
        return (list, Matcher::Unordered);
    }
    match (kind, expected, got) {
        (DifferenceKind::Changed, Some(expected), Some(got)) => {
            let matcher = match (json_type(expected), json_type(got)) {
                (one, two) if one == two => Matcher::Type(one),
                _ => Matcher::Any,
            };
            (pointer.clone(), matcher)
        }
        // An additional item shifts all others, so that the whole list may differ. A member may be absent.
        _ => match pointer.split_last() {
            Some((parent, _)) if one.at(parent.as_str()).is_some_and(Value::is_array) => {
                (parent, Matcher::Type(JsonType::Array))
            }
            _ => (pointer.clone(), Matcher::Ignored),
        },
    }
}

/// The outermost list around a place that has the same items in both messages, in another order.
fn shuffled(one: &Value, two: &Value, place: &Pointer) -> Option<Pointer> {
    let mut list = Pointer::root();
    for token in place.tokens() {
        let items = |value: &Value| {
            let items = value.at(list.as_str())?.as_array()?;
            let mut items: Vec<String> = items.iter().map(ToString::to_string).collect();
            items.sort();
            Some(items)
        };
        if let (Some(mine), Some(theirs)) = (items(one), items(two))
            && mine == theirs
        {
            return Some(list);
        }
        list = list.member(&token);
    }
    None
}

fn json_type(value: &Value) -> JsonType {
    match value {
        Value::String(_) => JsonType::String,
        Value::Number(_) => JsonType::Number,
        Value::Bool(_) => JsonType::Boolean,
        Value::Object(_) => JsonType::Object,
        Value::Array(_) => JsonType::Array,
        Value::Null => JsonType::Null,
    }
}
