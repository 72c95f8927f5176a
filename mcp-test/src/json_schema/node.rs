//! How the library reads a [`Value`]: where it stands, with every look paid for.
//!
//! Numbers are exact as far as the library asks exactly: whole numbers within 64 bits, spelled with a fraction or an
//! exponent or not, and whether a number is whole at all. Others it compares as doubles.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node, NodeIdentity, Object as JsonObject};

use super::meter::{may_match, pay, pay_for_text};
use crate::json::{Effective, Number, Object, Value};

/// What an error of the library costs, in steps: there may be as many as there are values.
const ERROR: u64 = 64;

/// Values as they were written.
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
        pay(1);
        Value::as_object(self)
    }

    fn as_array(&self) -> Option<&'a [Value]> {
        let items = Value::as_array(self)?;
        Some(if pay(1) { items } else { &[] })
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        let text = self.as_str()?;
        Some(Cow::Borrowed(if pay_for_text(text.len()) { text } else { "" }))
    }

    fn as_number(&self) -> Option<&'a Number> {
        let number = Value::as_number(self)?;
        // What is done with it may look at each digit.
        pay(1 + number.as_str().len() as u64 / 4);
        Some(number)
    }

    fn as_boolean(&self) -> Option<bool> {
        pay(1);
        self.as_bool()
    }

    fn is_null(&self) -> bool {
        pay(1);
        Value::is_null(self)
    }

    fn is_number(&self) -> bool {
        pay(1);
        Value::is_number(self)
    }

    fn json_type(&self) -> JsonType {
        pay(1);
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
        pay(1 + text.len() as u64 / 64);
        Some(text.chars().count() as u64)
    }

    fn equals_value(&self, expected: &serde_json::Value) -> bool {
        equal(self, expected)
    }

    /// Only asked for by an error, which then says what stands at its place. That is read from the value itself; but
    /// where a pattern was given up, the library looks for its text in the whole.
    fn to_value(&self) -> Cow<'a, serde_json::Value> {
        let is_left_out = matches!(self, Value::Array(_) | Value::Object(_)) && !may_match();
        let converted = if pay(ERROR) && !is_left_out { convert(self) } else { None };
        Cow::Owned(converted.unwrap_or_default())
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(std::ptr::from_ref::<Value>(self).addr()))
    }
}

/// The value as `serde_json` has it, each part of it paid for.
fn convert(value: &Value) -> Option<serde_json::Value> {
    let length = match value {
        Value::String(text) => text.len(),
        Value::Number(number) => number.as_str().len(),
        _ => 0,
    };
    if !pay(1 + length as u64 / 16) {
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

/// Equality with a value in a schema, each part of it paid for.
fn equal(value: &Value, expected: &serde_json::Value) -> bool {
    use serde_json::Value as Expected;
    if !pay(1) {
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
                pay_to_find(object)
                    && object.get(name).is_some_and(|member| equal(member, expected))
            };
            object.effective().len() == expected.len() && expected.iter().all(same)
        }
        _ => false,
    }
}

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
        match Value::Number((*self).clone()).to_serde() {
            serde_json::Value::Number(number) => Cow::Owned(number),
            _ => Cow::Owned(0.into()),
        }
    }

    fn is_integer(&self) -> bool {
        Number::is_integer(self)
    }

    fn is_written_as_integer(&self) -> bool {
        !Number::as_str(self).contains(['.', 'e', 'E'])
    }
}

/// Lookups are linear, and are paid for as such.
fn pay_to_find(object: &Object) -> bool {
    pay(1 + object.len() as u64 / 16)
}

impl<'a> JsonObject<'a, AsWritten> for &'a Object {
    type Node = &'a Value;
    type MemberName = &'a str;
    type MembersIter = Members<'a>;

    fn len(&self) -> usize {
        pay_to_find(self);
        self.effective().len()
    }

    fn get(&self, key: &String) -> Option<&'a Value> {
        if pay_to_find(self) { Object::get(self, key) } else { None }
    }

    fn members(&self) -> Members<'a> {
        Members(self.effective())
    }
}

/// The members of an object that count, each paid for.
pub(super) struct Members<'a>(Effective<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, &'a Value);

    fn next(&mut self) -> Option<Self::Item> {
        let member = self.0.next()?;
        // Names are texts, which patterns may be held against.
        pay_for_text(member.0.len()).then_some(member)
    }
}

impl<'a> Array<'a, AsWritten> for &'a [Value] {
    type Node = &'a Value;
    type ElementsIter = Items<'a>;

    fn len(&self) -> usize {
        pay(1);
        <[Value]>::len(self)
    }

    fn elements(&self) -> Items<'a> {
        Items(self.iter())
    }

    fn is_unique(&self) -> bool {
        let mut seen: HashMap<u64, Vec<&Value>> = HashMap::new();
        for item in *self {
            let mut hasher = DefaultHasher::new();
            hash(item, &mut hasher);
            let alike = seen.entry(hasher.finish()).or_default();
            // Few have the same hash without being equal, unless somebody means them to.
            if !pay(1 + alike.len() as u64 * ERROR) {
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

/// Hashes equal values alike, each part of them paid for.
fn hash(value: &Value, hasher: &mut DefaultHasher) {
    if !pay(1) {
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
            // In whatever order the members come.
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

/// The items of an array, each paid for.
pub(super) struct Items<'a>(std::slice::Iter<'a, Value>);

impl<'a> Iterator for Items<'a> {
    type Item = &'a Value;

    fn next(&mut self) -> Option<Self::Item> {
        if pay(1) { self.0.next() } else { None }
    }
}
