//! Iterates over the values of a message.

use mcp_test_core::json::{Object, Pointer, Value};
use mcp_test_core::spec::meta;

/// Every value of a message with its place, in the order of the text.
pub(super) fn values(root: &Value) -> Vec<(Pointer, &Value)> {
    let mut found = Vec::new();
    gather(&Pointer::root(), root, &mut found);
    found
}

/// Recursive, because the readers of messages bound their depth.
fn gather<'a>(at: &Pointer, value: &'a Value, found: &mut Vec<(Pointer, &'a Value)>) {
    found.push((at.clone(), value));
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| gather(&at.clone().member(name), value, found));
        }
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(index, item)| gather(&at.clone().index(index), item, found));
        }
        _ => {}
    }
}

/// The value, with replacements where `map` returns one.
pub(super) fn mapped(
    at: &Pointer,
    value: &Value,
    map: &mut impl FnMut(&Pointer, &Value) -> Option<Value>,
) -> Value {
    if let Some(other) = map(at, value) {
        return other;
    }
    match value {
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.map(|(index, item)| mapped(&at.clone().index(index), item, map)).collect()
        }
        Value::Object(members) => {
            let members = members.iter();
            let mapped =
                members.map(|(name, member)| (name, mapped(&at.clone().member(name), member, map)));
            Object::from_iter(mapped).into()
        }
        scalar => scalar.clone(),
    }
}

/// Whether a place is below another.
pub(super) fn is_inside(place: &Pointer, outer: &Pointer) -> bool {
    place.as_str().strip_prefix(outer.as_str()).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether a place belongs to the JSON-RPC envelope: it has no matcher, because it identifies the message.
pub(super) fn is_envelope(place: &Pointer) -> bool {
    matches!(place.as_str(), "" | "/id" | "/jsonrpc" | "/method")
}

/// Whether a place has a progress token, which is a label like an id.
pub(super) fn is_label(place: &Pointer) -> bool {
    let of_request = place.as_str().strip_prefix("/params/_meta/") == Some(meta::PROGRESS_TOKEN);
    of_request || place.as_str() == "/params/progressToken"
}
