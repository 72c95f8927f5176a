//! JSON values, with access to their parts by name, type and JSON Pointer.
//!
//! Parsing is in `parse`, printing in `print`, conversions are in `convert`.

use std::ops::Index;
use std::sync::Arc;

use super::pointer::array_index;
use super::{Number, Pointer};

/// The most memory in bytes that a value takes apart from its text: a member of an object with its name, or a small array.
#[doc(hidden)]
pub const VALUE_BYTES: usize = 96;

/// A JSON value with exact numbers and ordered objects.
///
/// Equality is JSON equality: member order does not matter, only the last of duplicate members
/// counts, and numbers are compared by exact value (`1 == 1.0 == 1e0`). Clones share the parts of arrays and objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string, with its escapes resolved.
    String(String),
    /// An array.
    Array(Array),
    /// An object.
    Object(Object),
}

/// A JSON array: a vector of values. Its clones share their items until one of them is changed.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::json::{Array, Value};
///
/// let mut array = Array::from(vec![Value::from(1)]);
/// array.push("two".into());
/// assert_eq!(Value::Array(array).to_string(), r#"[1,"two"]"#);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Array {
    // What a peer sends is kept as a value, as a message and as parts of it; a large one must not be copied for each.
    pub(super) items: Arc<Vec<Value>>,
}

/// A JSON object: its members in source order, including duplicates. Its clones share their members until one of them is
/// changed.
#[derive(Clone, Debug, Default)]
pub struct Object {
    pub(super) members: Arc<Vec<(String, Value)>>,
}

impl Value {
    /// The kind of the value in words, with an article: `"a number"`, `"an object"`, `"null"`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }

    /// The most memory that it takes, in bytes; parts that it shares with other values count as its own.
    #[must_use]
    #[doc(hidden)]
    pub fn memory_bytes(&self) -> usize {
        VALUE_BYTES
            + match self {
                Self::Null | Self::Bool(_) => 0,
                Self::Number(number) => number.as_str().len(),
                Self::String(text) => text.len(),
                Self::Array(items) => items.iter().map(Self::memory_bytes).sum(),
                Self::Object(members) => {
                    members.iter().map(|(name, member)| name.len() + member.memory_bytes()).sum()
                }
            }
    }

    /// The member `name`; the last one if there are several, `None` if this is not an object.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.as_object()?.get(name)
    }

    /// The value at a JSON Pointer, such as `/tools/0/name`; `""` is the value itself.
    #[must_use]
    pub fn at(&self, pointer: &str) -> Option<&Value> {
        let mut value = self;
        for token in Pointer::parse(pointer)?.tokens() {
            value = match value {
                Self::Object(object) => object.get(&token)?,
                Self::Array(items) => items.get(array_index(&token)?)?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// The value at a JSON Pointer, mutably.
    pub fn at_mut(&mut self, pointer: &str) -> Option<&mut Value> {
        let mut value = self;
        for token in Pointer::parse(pointer)?.tokens() {
            value = match value {
                Self::Object(object) => object.get_mut(&token)?,
                Self::Array(items) => items.get_mut(array_index(&token)?)?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// Sets the value at a JSON Pointer; returns false if there is no such location.
    ///
    /// The last token may name a new member, or the end of an array (its length, or `-`); everything before it must exist.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::json::Value;
    ///
    /// let mut value = Value::from(serde_json::json!({"tools": []}));
    /// assert!(value.set("/tools/-", "add".into()));
    /// assert!(!value.set("/prompts/0", "add".into()));
    /// assert_eq!(value.to_string(), r#"{"tools":["add"]}"#);
    /// ```
    pub fn set(&mut self, pointer: &str, new: Value) -> bool {
        let Some(pointer) = Pointer::parse(pointer) else {
            return false;
        };
        let Some((parent, last)) = pointer.split_last() else {
            *self = new;
            return true;
        };
        match self.at_mut(parent.as_str()) {
            Some(Self::Object(object)) => {
                object.insert(last, new);
                true
            }
            Some(Self::Array(items)) => {
                // RFC 6901: `-` is the position after the last item.
                let index = if last == "-" { Some(items.len()) } else { array_index(&last) };
                match index {
                    Some(index) if index < items.len() => items[index] = new,
                    Some(index) if index == items.len() => items.push(new),
                    _ => return false,
                }
                true
            }
            _ => false,
        }
    }

    /// Removes the member (with its duplicates) or array item at a JSON Pointer.
    ///
    /// Returns `None` and changes nothing if there is no such location, or for the root.
    pub fn remove(&mut self, pointer: &str) -> Option<Value> {
        let (parent, last) = Pointer::parse(pointer)?.split_last()?;
        match self.at_mut(parent.as_str())? {
            Self::Object(object) => object.remove(&last),
            Self::Array(items) => {
                let index = array_index(&last).filter(|&index| index < items.len())?;
                Some(items.remove(index))
            }
            _ => None,
        }
    }

    /// The text, if this is a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The boolean, if this is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(truth) = self { Some(*truth) } else { None }
    }

    /// The number, if this is one.
    #[must_use]
    pub fn as_number(&self) -> Option<&Number> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    /// The items, if this is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Value]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The items, mutably, if this is an array.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Value>> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The object, if this is one.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// The object, mutably, if this is one.
    pub fn as_object_mut(&mut self) -> Option<&mut Object> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// The number as an `i64`, if it is an integer in range, in any notation (`1`, `1.0`, `1e0`).
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// The number as a `u64`, if it is an integer in range, in any notation.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// The number as the nearest `f64`, if it is within its range.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number()?.as_f64()
    }

    /// Whether this is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Whether this is a boolean.
    #[must_use]
    pub fn is_bool(&self) -> bool {
        matches!(self, Self::Bool(_))
    }

    /// Whether this is a number.
    #[must_use]
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }

    /// Whether this is an integer, in any notation.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        self.as_number().is_some_and(Number::is_integer)
    }

    /// Whether this is a string.
    #[must_use]
    pub fn is_string(&self) -> bool {
        matches!(self, Self::String(_))
    }

    /// Whether this is an array.
    #[must_use]
    pub fn is_array(&self) -> bool {
        matches!(self, Self::Array(_))
    }

    /// Whether this is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }
}

/// What indexing returns for a member or item that is absent.
static ABSENT: Value = Value::Null;

/// The member of this name, as in a value of `serde_json`: `null` if it is absent or this is not an object.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::json::Value;
///
/// let info = Value::from(serde_json::json!({"name": "calculator", "icons": [{"src": "a.png"}]}));
/// assert_eq!(info["name"], "calculator");
/// assert_eq!(info["icons"][0]["src"], "a.png");
/// assert!(info["title"].is_null());
/// ```
impl Index<&str> for Value {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        self.get(name).unwrap_or(&ABSENT)
    }
}

/// The item at this index: `null` if it is absent or this is not an array.
impl Index<usize> for Value {
    type Output = Value;

    fn index(&self, index: usize) -> &Value {
        self.as_array().and_then(|items| items.get(index)).unwrap_or(&ABSENT)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn value() -> Value {
        json!({"a": [1, {"b/c": "x"}], "~": true}).into()
    }

    #[test]
    fn finds_values_by_pointer() {
        let value = value();
        assert_eq!(value.at("/a/1/b~1c").and_then(Value::as_str), Some("x"));
        assert_eq!(value.at("/~0").and_then(Value::as_bool), Some(true));
        assert_eq!(value.at(""), Some(&value));
        for absent in ["/a/2", "/a/01", "/a/-", "/a/+1", "/a/0/x", "a", "/nothing", "/~2"] {
            assert_eq!(value.at(absent), None, "{absent}");
        }
    }

    #[test]
    fn sets_members_items_and_the_root() {
        let mut value = value();
        assert!(value.set("/a/0", Value::Null));
        assert!(value.set("/a/2", 7.into()));
        assert!(value.set("/new", "n".into()));
        assert!(!value.set("/a/9", 7.into()));
        assert!(!value.set("/~0/deep", 7.into()));
        assert_eq!(value.to_string(), r#"{"a":[null,{"b/c":"x"},7],"~":true,"new":"n"}"#);
        assert!(value.set("", Value::Null));
        assert!(value.is_null());
    }

    #[test]
    fn removes_members_and_items_but_never_the_root() {
        let mut value = value();
        assert_eq!(value.remove("/a/0"), Some(1.into()));
        assert_eq!(value.remove("/~0"), Some(true.into()));
        assert_eq!(value.remove("/a/5"), None);
        assert_eq!(value.remove(""), None);
        assert_eq!(value.to_string(), r#"{"a":[{"b/c":"x"}]}"#);
    }

    #[test]
    fn equality_ignores_notation() {
        let read = |text: &str| Value::parse(text.as_bytes()).unwrap().value;
        assert_eq!(read(r#"{"a":1,"b":[2.50]}"#), read(r#"{"b":[25e-1],"a":1.0}"#));
        assert_eq!(read(r#"{"a":1,"a":2}"#), read(r#"{"a":2}"#));
        assert_ne!(read(r#"{"a":1}"#), read(r#"{"a":1,"b":null}"#));
        assert_ne!(read("9007199254740993"), read("9007199254740992"));
        assert_ne!(read("1"), read("\"1\""));
    }
}
