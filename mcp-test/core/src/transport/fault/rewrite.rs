//! Applies faults to the JSON value of a message.

use serde_json::json;

use super::change::{Change, Plain};
use crate::json::{Pointer, Value};

/// Applies a fault to the value of a message.
pub(super) fn rewrite(value: &mut Value, change: &Change) {
    let absolute = |pointer: &str, value: &Value| pointer_from_root(pointer, value);
    match change {
        Change::Set { pointer, value: new } => {
            value.set(&absolute(pointer, value), new.clone());
        }
        Change::Remove { pointer } => {
            value.remove(&absolute(pointer, value));
        }
        Change::Retype { pointer } => {
            if let Some(found) = value.at_mut(&absolute(pointer, value)) {
                *found = retyped(found);
            }
        }
        Change::Duplicate { pointer } => duplicate(value, &absolute(pointer, value)),
        // Only a reply can become an error.
        Change::Error { code, message } if value.get("method").is_none() => {
            value.remove("/result");
            value.set("/error", json!({ "code": code, "message": message }).into());
        }
        Change::Plain(Plain::WrongId) => {
            value.set("/id", wrong_id(value.get("id")));
        }
        Change::Plain(Plain::RetypedId) => {
            value.set("/id", retyped_id(value.get("id")));
        }
        Change::Plain(Plain::NullId) => {
            value.set("/id", Value::Null);
        }
        // The others do not change the value.
        _ => {}
    }
}

fn pointer_from_root(pointer: &str, value: &Value) -> String {
    const ENVELOPE: [&str; 6] = ["jsonrpc", "id", "result", "error", "method", "params"];
    let first = pointer.split('/').nth(1).unwrap_or_default();
    // Other pointers start in the params or the result, whose members are what most faults change.
    if ENVELOPE.contains(&first) {
        return pointer.to_owned();
    }
    let holder = if value.get("method").is_some() { "params" } else { "result" };
    format!("/{holder}{pointer}")
}

fn duplicate(value: &mut Value, pointer: &str) {
    let Some(found) = value.at(pointer).cloned() else { return };
    let Some((parent, name)) = Pointer::parse(pointer).and_then(|place| place.split_last()) else {
        return;
    };
    if let Some(object) = value.at_mut(parent.as_str()).and_then(Value::as_object_mut) {
        // `push` keeps the first member, as a peer that writes a name twice does.
        object.push(name, found);
    }
}

fn retyped(value: &Value) -> Value {
    // Any value of another type will do, as long as it is the same in every run.
    match value {
        Value::Null => Value::from(false),
        Value::Bool(value) => Value::from(value.to_string()),
        Value::Number(number) => Value::from(number.to_string()),
        Value::String(_) => Value::from(7),
        Value::Array(_) => json!({}).into(),
        Value::Object(_) => json!([]).into(),
    }
}

fn wrong_id(id: Option<&Value>) -> Value {
    match id {
        Some(Value::String(text)) => Value::from(format!("{text}-wrong")),
        Some(Value::Number(number)) => {
            // Far from the ids that clients count up, so that it is not that of another request.
            Value::from(number.as_i64().unwrap_or_default().wrapping_add(1000))
        }
        _ => Value::from(1000),
    }
}

fn retyped_id(id: Option<&Value>) -> Value {
    match id {
        Some(Value::String(text)) => Value::from(text.parse::<i64>().unwrap_or_default()),
        Some(other) => Value::from(other.to_string()),
        None => Value::from("0"),
    }
}
