//! Lets the library read a [`Value`] in place; every access spends from the budget of the validation.
//!
//! The library compares integers within 64 bits exactly, in any notation, and other numbers as doubles.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node, NodeIdentity, Object as JsonObject};

use super::meter::{has_patterns, spend, spend_for_text};
use crate::json::{Effective, Number, Object, Value};

/// The cost of an error of the library, in steps: there may be as many errors as values.
const ERROR_COST: u64 = 64;

/// Selects our value types in the library, which is generic over them.
pub(super) enum AsWritten {}

impl Json for AsWritten {
    type Node<'a> = &'a Value;
    type PreparedKey = String;
    type StringBuffer = Value;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(buffer: &mut Value, text: &str, read: impl FnOnce(&Value) -> T) -> T {
        *buffer = text.into();
        read(buffer)
    }
}

impl<'a> Node<'a, AsWritten> for &'a Value {
    type Object = &'a Object;
    type Array = &'a [Value];
    type Number = &'a Number;

    fn as_object(&self) -> Option<&'a Object> {
        // The result does not matter here: an empty budget shows in the accessors that lead into the value.
        spend(1);
        Value::as_object(self)
    }

    fn as_array(&self) -> Option<&'a [Value]> {
        let items = Value::as_array(self)?;
        Some(if spend(1) { items } else { &[] })
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        let text = self.as_str()?;
        Some(Cow::Borrowed(if spend_for_text(text.len()) { text } else { "" }))
    }

    fn as_number(&self) -> Option<&'a Number> {
        let number = Value::as_number(self)?;
        // Comparing it may read every digit.
        spend(1 + number.as_str().len() as u64 / 4);
        Some(number)
    }

    fn as_boolean(&self) -> Option<bool> {
        spend(1);
        self.as_bool()
    }

    fn is_null(&self) -> bool {
        spend(1);
        Value::is_null(self)
    }

    fn is_number(&self) -> bool {
        spend(1);
        Value::is_number(self)
    }

    fn json_type(&self) -> JsonType {
        spend(1);
        match self {
            Value::Null => JsonType::Null,
            Value::Bool(_) => JsonType::Boolean,
            Value::Number(_) => JsonType::Number,
            Value::String(_) => JsonType::String,
            Value::Array(_) => JsonType::Array,
            Value::Object(_) => JsonType::Object,
        }
    }

    fn string_length(&self) -> Option<u64> {
        let text = self.as_str()?;
        spend(1 + text.len() as u64 / 64);
        Some(text.chars().count() as u64)
    }

    fn equals_value(&self, expected: &serde_json::Value) -> bool {
        equal(self, expected)
    }

    /// Called only for errors, whose messages are not used: containers are left out. With patterns they are not, because the
    /// library looks for the text there when it stops matching one.
    fn to_value(&self) -> Cow<'a, serde_json::Value> {
        let is_omitted = matches!(self, Value::Array(_) | Value::Object(_)) && !has_patterns();
        let converted = if spend(ERROR_COST) && !is_omitted { convert(self) } else { None };
        Cow::Owned(converted.unwrap_or_default())
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(std::ptr::from_ref::<Value>(self).addr()))
    }
}

/// Converts to a `serde_json` value, and spends for each part.
fn convert(value: &Value) -> Option<serde_json::Value> {
    let length = match value {
        Value::String(text) => text.len(),
        Value::Number(number) => number.as_str().len(),
        _ => 0,
    };
    if !spend(1 + length as u64 / 16) {
        return None;
    }
    Some(match value {
        Value::Array(items) => items.iter().map(convert).collect::<Option<_>>()?,
        Value::Object(object) => {
            let member = |(name, value): (&str, &Value)| Some((name.to_owned(), convert(value)?));
            serde_json::Value::Object(object.effective().map(member).collect::<Option<_>>()?)
        }
        other => other.to_serde(),
    })
}

/// Compares with a value in a schema, and spends for each part.
fn equal(value: &Value, expected: &serde_json::Value) -> bool {
    use serde_json::Value as Expected;
    if !spend(1) {
        return false;
    }
    match (value, expected) {
        (Value::Null, Expected::Null) => true,
        (Value::Bool(value), Expected::Bool(expected)) => value == expected,
        (Value::String(value), Expected::String(expected)) => value == expected,
        (Value::Number(value), Expected::Number(expected)) => equal_numbers(value, expected),
        (Value::Array(items), Expected::Array(expected)) => {
            items.len() == expected.len()
                && items.iter().zip(expected).all(|(item, expected)| equal(item, expected))
        }
        (Value::Object(object), Expected::Object(expected)) => {
            let same = |(name, expected): (&String, &serde_json::Value)| {
                spend_for_lookup(object)
                    && object.get(name).is_some_and(|member| equal(member, expected))
            };
            object.effective().len() == expected.len() && expected.iter().all(same)
        }
        _ => false,
    }
}

/// Compares by mathematical value, as JSON Schema does: 1, 1.0 and 1e0 are equal.
fn equal_numbers(value: &Number, expected: &serde_json::Number) -> bool {
    if let Some(expected) = expected.as_i64() {
        return value.as_i64() == Some(expected);
    }
    if let Some(expected) = expected.as_u64() {
        return value.as_u64() == Some(expected);
    }
    *value == Number::from(expected.clone())
}

impl JsonNumber for &Number {
    fn as_u64(&self) -> Option<u64> {
        Number::as_u64(self)
    }

    fn as_i64(&self) -> Option<i64> {
        Number::as_i64(self)
    }

    fn as_f64(&self) -> Option<f64> {
        Number::as_f64(self)
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Borrowed(Number::as_str(self))
    }

    fn to_number(&self) -> Cow<'_, serde_json::Number> {
        Cow::Owned(self.to_serde())
    }

    fn is_integer(&self) -> bool {
        Number::is_integer(self)
    }

    fn is_written_as_integer(&self) -> bool {
        !Number::as_str(self).contains(['.', 'e', 'E'])
    }
}

/// Spends for a lookup, which is linear.
fn spend_for_lookup(object: &Object) -> bool {
    spend(1 + object.len() as u64 / 16)
}

impl<'a> JsonObject<'a, AsWritten> for &'a Object {
    type Node = &'a Value;
    type MemberName = &'a str;
    type MembersIter = Members<'a>;

    fn len(&self) -> usize {
        spend_for_lookup(self);
        self.effective().len()
    }

    fn get(&self, key: &String) -> Option<&'a Value> {
        if spend_for_lookup(self) { Object::get(self, key) } else { None }
    }

    fn members(&self) -> Members<'a> {
        Members(self.effective())
    }
}

/// The effective members of an object; each spends from the budget.
pub(super) struct Members<'a>(Effective<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, &'a Value);

    fn next(&mut self) -> Option<Self::Item> {
        let member = self.0.next()?;
        // Patterns may be matched against names.
        spend_for_text(member.0.len()).then_some(member)
    }
}

impl<'a> Array<'a, AsWritten> for &'a [Value] {
    type Node = &'a Value;
    type ElementsIter = Items<'a>;

    fn len(&self) -> usize {
        spend(1);
        <[Value]>::len(self)
    }

    fn elements(&self) -> Items<'a> {
        Items(self.iter())
    }

    fn is_unique(&self) -> bool {
        // By hash, because comparing all pairs is quadratic in the length of an array that a peer chooses.
        let mut seen: HashMap<u64, Vec<&Value>> = HashMap::new();
        for item in *self {
            let mut hasher = DefaultHasher::new();
            hash(item, &mut hasher);
            let alike = seen.entry(hasher.finish()).or_default();
            // Each collision costs a comparison; there are only many if the values were crafted for it.
            if !spend(1 + alike.len() as u64 * ERROR_COST) {
                // Either result would be discarded, since the budget is exhausted.
                return true;
            }
            if alike.contains(&item) {
                return false;
            }
            alike.push(item);
        }
        true
    }
}

/// Hashes equal values alike, and spends for each part.
fn hash(value: &Value, hasher: &mut DefaultHasher) {
    if !spend(1) {
        return;
    }
    match value {
        Value::Null => 0_u8.hash(hasher),
        Value::Bool(truth) => (1_u8, truth).hash(hasher),
        Value::Number(number) => (2_u8, number).hash(hasher),
        Value::String(text) => (3_u8, text).hash(hasher),
        Value::Array(items) => {
            (4_u8, items.len()).hash(hasher);
            items.iter().for_each(|item| hash(item, hasher));
        }
        Value::Object(object) => {
            // The sum does not depend on the order of members.
            let members = object.effective().map(|(name, value)| {
                let mut hasher = DefaultHasher::new();
                name.hash(&mut hasher);
                hash(value, &mut hasher);
                hasher.finish()
            });
            (5_u8, members.fold(0_u64, u64::wrapping_add)).hash(hasher);
        }
    }
}

/// The items of an array; each spends from the budget.
pub(super) struct Items<'a>(std::slice::Iter<'a, Value>);

impl<'a> Iterator for Items<'a> {
    type Item = &'a Value;

    fn next(&mut self) -> Option<Self::Item> {
        if spend(1) { self.0.next() } else { None }
    }
}
