//! What faults do to the JSON value of a message.

use serde_json::json;

use super::change::Change;
use crate::json::{Pointer, Value};

/// Does to the value what a fault does to it.
pub(super) fn rewrite(value: &mut Value, change: &Change) {
    let place = |pointer: &str, value: &Value| from_the_envelope(pointer, value);
    match change {
        Change::Set { pointer, value: new } => {
            value.set(&place(pointer, value), new.clone());
        }
        Change::Remove { pointer } => {
            value.remove(&place(pointer, value));
        }
        Change::Retype { pointer } => {
            if let Some(found) = value.at_mut(&place(pointer, value)) {
                *found = retyped(found);
            }
        }
        Change::Duplicate { pointer } => duplicate(value, &place(pointer, value)),
        Change::Error { code, message } if value.get("method").is_none() => {
            value.remove("/result");
            value.set("/error", json!({ "code": code, "message": message }).into());
        }
        Change::WrongId => {
            value.set("/id", wrong(value.get("id")));
        }
        Change::RetypedId => {
            value.set("/id", respelled(value.get("id")));
        }
        Change::NullId => {
            value.set("/id", Value::Null);
        }
        _ => {}
    }
}

fn from_the_envelope(pointer: &str, value: &Value) -> String {
    const ENVELOPE: [&str; 6] = ["jsonrpc", "id", "result", "error", "method", "params"];
    let first = pointer.split('/').nth(1).unwrap_or_default();
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
        object.push(name, found);
    }
}

fn retyped(value: &Value) -> Value {
    match value {
        Value::Null => Value::from(false),
        Value::Bool(value) => Value::from(value.to_string()),
        Value::Number(number) => Value::from(number.to_string()),
        Value::String(_) => Value::from(7),
        Value::Array(_) => json!({}).into(),
        Value::Object(_) => json!([]).into(),
    }
}

fn wrong(id: Option<&Value>) -> Value {
    match id {
        Some(Value::String(text)) => Value::from(format!("{text}-wrong")),
        Some(Value::Number(number)) => {
            Value::from(number.as_i64().unwrap_or_default().wrapping_add(1000))
        }
        _ => Value::from(1000),
    }
}

fn respelled(id: Option<&Value>) -> Value {
    match id {
        Some(Value::String(text)) => Value::from(text.parse::<i64>().unwrap_or_default()),
        Some(other) => Value::from(other.to_string()),
        None => Value::from("0"),
    }
}
