//! Going through the values of a message.

use crate::json::{Object, Pointer, Value};

/// Every value of a message with its place, in the order of the text.
pub(super) fn values(root: &Value) -> Vec<(Pointer, &Value)> {
    let mut found = Vec::new();
    gather(&Pointer::root(), root, &mut found);
    found
}

/// How deep values nest is bounded by those who read them.
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

/// The value, with another one wherever something is given for a place.
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
            let mut object = Object::new();
            for (name, member) in members.iter() {
                object.push(name, mapped(&at.clone().member(name), member, map));
            }
            object.into()
        }
        scalar => scalar.clone(),
    }
}

/// Whether a place is one of what JSON-RPC needs: nothing is asked of it, since messages are told apart by it.
pub(super) fn is_envelope(place: &Pointer) -> bool {
    matches!(place.as_str(), "" | "/id" | "/jsonrpc" | "/method")
}
