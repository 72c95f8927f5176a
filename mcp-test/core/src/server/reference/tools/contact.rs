//! The tool whose input schema uses many keywords of JSON Schema 2020-12.

use serde_json::json;

use crate::json::Value;
use crate::server::reference::tool_result::{invalid_arguments, text_result};
use crate::server::{Answer, Call};

pub const NAME: &str = "json_schema_2020_12_tool";

/// An address, and a phone number or an email address: whichever is the contact method.
pub fn input_schema() -> serde_json::Value {
    let text = json!({ "type": "string" });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": text, "city": text },
            },
        },
        "properties": {
            "name": text,
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": text,
            "email": text,
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": {
            "properties": { "contactMethod": { "const": "phone" } },
            "required": ["contactMethod"],
        },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

pub(super) fn call(call: &Call, arguments: &Value) -> Answer {
    match wrong(arguments) {
        Some(why) => invalid_arguments(call, &why),
        None => text_result("These are valid arguments."),
    }
}

/// What the input schema does not allow.
fn wrong(arguments: &Value) -> Option<String> {
    let members = arguments.as_object()?;
    for (name, value) in members.iter() {
        let is_valid = match name {
            "name" | "phone" | "email" => value.as_str().is_some(),
            "contactMethod" => matches!(value.as_str(), Some("phone" | "email")),
            "address" => is_address(value),
            _ => return Some(format!("`{name}` is not an argument of this tool")),
        };
        if !is_valid {
            return Some(format!("`{name}` has a wrong type or value"));
        }
    }
    let by_phone = arguments.get("contactMethod").and_then(Value::as_str) == Some("phone");
    let required = if by_phone { "phone" } else { "email" };
    members.get(required).is_none().then(|| format!("`{required}` is missing"))
}

fn is_address(value: &Value) -> bool {
    let is_text = |name: &str| value.get(name).is_none_or(|it| it.as_str().is_some());
    value.is_object() && is_text("street") && is_text("city")
}
