//! JSON Schemas that several keys share.

use serde_json::{Value, json};

/// The pattern of [`is_name`](crate::cases::is_name).
pub(super) const NAME: &str = "^[A-Za-z_][A-Za-z0-9_.-]*$";

pub(super) fn text() -> Value {
    json!({"type": "string", "pattern": "\\S"})
}

pub(super) fn flag() -> Value {
    json!({"type": "boolean"})
}

pub(super) fn time() -> Value {
    // As `clock::parse_duration` reads it: zero is not a time limit.
    json!({"anyOf": [
        {"type": "integer", "minimum": 1},
        {"type": "string", "pattern": "^0*[1-9][0-9]*\\s*(ms|s|m)?$"},
    ]})
}

pub(super) fn one_or_many(schema: &Value) -> Value {
    json!({"anyOf": [schema, {"type": "array", "items": schema}]})
}
