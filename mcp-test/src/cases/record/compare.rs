//! Two recordings of the same: what differs is not decided by the contract.

use std::collections::BTreeMap;

use super::super::{Direction, JsonType, Matcher};
use super::draft::{Draft, DraftMessage};
use super::names::is_label;
use super::walk;
use crate::json::{Difference, DifferenceKind, Pointer, Value, diff};

/// The places where recordings of a case differ, by the place of the message, and what to ask there.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Differing(BTreeMap<usize, Vec<(Pointer, Matcher)>>);

impl Differing {
    /// Whether the recordings differ at this place of a message.
    pub(super) fn has(&self, message: usize, place: &Pointer) -> bool {
        self.of(message).iter().any(|(known, _)| known == place)
    }

    /// The places of a message, with what to ask there.
    pub(super) fn of(&self, message: usize) -> &[(Pointer, Matcher)] {
        self.0.get(&message).map_or(&[], Vec::as_slice)
    }

    fn put(&mut self, message: usize, place: Pointer, matcher: Matcher) {
        let places = self.0.entry(message).or_default();
        let inside = |outer: &Pointer, inner: &Pointer| {
            inner.as_str().strip_prefix(outer.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        if places.iter().any(|(known, _)| *known == place || inside(known, &place)) {
            return;
        }
        places.retain(|(known, _)| !inside(&place, known));
        places.push((place, matcher));
    }
}

/// Takes from a recording what another one of the same does not have, and notes where they differ.
///
/// Nothing is changed if they are not of the same: that is what the error says.
pub(super) fn agree(
    draft: &mut Draft,
    differing: &mut Differing,
    other: &Draft,
) -> Result<(), String> {
    if draft.revision != other.revision || draft.bare != other.bare {
        return Err("they are of different revisions".to_owned());
    }
    let mine = essential(draft);
    let theirs = essential(other);
    if mine.len() != theirs.len() {
        return Err(format!("one has {} messages, and the other {}", mine.len(), theirs.len()));
    }
    for (one, two) in mine.iter().zip(&theirs) {
        let (one, two) = (&draft.messages[*one], &other.messages[*two]);
        if one.key != two.key || method(one) != method(two) {
            return Err(format!("where one has `{}`, the other has `{}`", one.key, two.key));
        }
        if one.value.get("error").is_some() != two.value.get("error").is_some() {
            return Err(format!("`{}` is an error in one of them only", one.key));
        }
    }
    keep_what_both_have(draft, differing, other);
    let pairs = pairs(draft, other);
    for (index, two) in pairs {
        let (one, two) = (&draft.messages[index].value, &other.messages[two].value);
        for difference in diff(one, two) {
            let (place, matcher) = asked(one, two, &difference);
            if !walk::is_envelope(&place) && !is_label(&place) {
                differing.put(index, place, matcher);
            }
        }
    }
    Ok(())
}

/// The messages that have to be there: all but the notifications of the server.
fn essential(draft: &Draft) -> Vec<usize> {
    (0..draft.messages.len()).filter(|index| !is_aside(&draft.messages[*index])).collect()
}

fn is_aside(message: &DraftMessage) -> bool {
    message.direction == Direction::Out && message.value.get("id").is_none()
}

fn method(message: &DraftMessage) -> Option<&str> {
    message.value.get("method").and_then(Value::as_str)
}

/// A notification that one of them does not have only sometimes comes.
fn keep_what_both_have(draft: &mut Draft, differing: &mut Differing, other: &Draft) {
    let both: Vec<bool> = draft
        .messages
        .iter()
        .map(|mine| !is_aside(mine) || other.messages.iter().any(|it| it.key == mine.key))
        .collect();
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
            draft.left_out.because(&format!("`{name}`"), "it came in one of the recordings only");
        }
    }
    let known = std::mem::take(&mut differing.0);
    differing.0 = known
        .into_iter()
        .filter_map(|(index, rules)| Some((*places.get(&index)?, rules)))
        .collect();
}

fn pairs(draft: &Draft, other: &Draft) -> Vec<(usize, usize)> {
    let theirs: BTreeMap<&str, usize> =
        other.messages.iter().enumerate().map(|(index, it)| (it.key.as_str(), index)).collect();
    let mine = draft.messages.iter().enumerate();
    mine.filter_map(|(index, it)| Some((index, *theirs.get(it.key.as_str())?))).collect()
}

/// Where to ask for less, and for what: as little less as covers the difference.
pub(super) fn asked(one: &Value, two: &Value, difference: &Difference) -> (Pointer, Matcher) {
    let Difference { pointer, kind, expected, got } = difference;
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
        // One item more or less moves all others: the list as a whole may differ. A member need not be there.
        _ => match pointer.split_last() {
            Some((parent, _)) if one.at(parent.as_str()).is_some_and(Value::is_array) => {
                (parent, Matcher::Type(JsonType::Array))
            }
            _ => (pointer.clone(), Matcher::Ignored),
        },
    }
}

/// The outermost list on the way to a place that has the same items in both, in another order.
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
