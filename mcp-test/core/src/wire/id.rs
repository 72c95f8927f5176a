//! The id that correlates a reply with its request.

use std::fmt;

use crate::json::{Number, Value};

/// A JSON-RPC id.
///
/// Ids of different types are never equal: `1` is not `"1"`. Numbers are equal by exact value,
/// so a reply to `1` may spell it `1.0`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Id {
    /// A number, usually a whole one.
    Number(Number),
    /// A string.
    String(String),
    /// `null`: in an error reply, that the request's id could not be read.
    Null,
}

impl Id {
    /// Reads an id; `None` if a value of that type cannot be an id.
    #[must_use]
    pub fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => Some(Self::Number(number.clone())),
            Value::String(text) => Some(Self::String(text.clone())),
            // JSON-RPC 2.0 discourages null in requests and requires it in some errors; `check` judges it.
            Value::Null => Some(Self::Null),
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// The id as a JSON value.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.clone().into()
    }

    /// The length of the id as it was written, without the quotes of a string.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Number(number) => number.as_str().len(),
            Self::String(text) => text.len(),
            Self::Null => "null".len(),
        }
    }

    /// Whether the two differ only in their type: a peer turned `1` into `"1"`, or back.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::wire::Id;
    ///
    /// assert!(Id::from(1).is_retyped(&Id::from("1")));
    /// assert!(!Id::from(1).is_retyped(&Id::from(1)));
    /// ```
    #[must_use]
    pub fn is_retyped(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(number), Self::String(text))
            | (Self::String(text), Self::Number(number)) => {
                // By value, since a peer that converts ids may also change the notation.
                Number::parse(text).is_some_and(|spelled| spelled == *number)
            }
            _ => false,
        }
    }

    /// Whether this is another whole number than `sent`, and the same double.
    ///
    /// RFC 8259 lets a reader of JSON limit the precision of numbers, and many have doubles only, which are exact up to 2^53.
    pub(crate) fn is_rounded(&self, sent: &Self) -> bool {
        let double = |id: &Self| match id {
            Self::Number(number) => number.to_string().parse::<f64>().ok(),
            _ => None,
        };
        self != sent && double(self).is_some_and(|it| double(sent) == Some(it))
    }
}

/// Writes JSON, so that `1` and `"1"` look different.
impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_value().fmt(f)
    }
}

impl From<i64> for Id {
    fn from(number: i64) -> Self {
        Self::Number(number.into())
    }
}

impl From<Number> for Id {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Id {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<Id> for Value {
    fn from(id: Id) -> Self {
        match id {
            Id::Number(number) => number.into(),
            Id::String(text) => text.into(),
            Id::Null => Self::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn a_number_is_rounded_if_only_its_double_is_the_same() {
        let sent = Id::from(9_007_199_254_740_993);
        assert!(Id::from(9_007_199_254_740_992).is_rounded(&sent));
        assert!(!Id::from(9_007_199_254_740_990).is_rounded(&sent));
        assert!(!sent.is_rounded(&sent));
        assert!(!Id::from(2).is_rounded(&Id::from(1)));
        assert!(!Id::from("9007199254740992").is_rounded(&sent));
    }

    #[test]
    fn numbers_are_equal_by_value_and_never_equal_to_strings() {
        let waiting = HashMap::from([(Id::from(1), "number"), (Id::from("1"), "string")]);
        let spelled = Id::from(Number::parse("1.0").unwrap());
        assert_eq!(waiting.get(&spelled), Some(&"number"));
        assert_eq!(waiting.get(&Id::from("1.0")), None);
        assert!(Id::from("1.0").is_retyped(&Id::from(1)));
        assert!(!Id::from("one").is_retyped(&Id::from(1)));
    }

    #[test]
    fn length_is_that_of_the_spelling() {
        let spelled = Id::from(Number::parse("1.00").unwrap());
        let ids = [spelled, Id::from("\u{e9}"), Id::from(""), Id::Null];
        assert_eq!(ids.map(|id| id.bytes()), [4, 2, 0, 4]);
    }

    #[test]
    fn display_shows_the_type() {
        let shown = [Id::from(-7), Id::from("a\"b"), Id::Null].map(|id| id.to_string());
        assert_eq!(shown, ["-7", r#""a\"b""#, "null"]);
    }

    #[test]
    fn id_converts_back_into_its_value() {
        for id in [Value::from(1.5), "x".into(), Value::Null] {
            assert_eq!(Id::read(&id).map(Value::from), Some(id));
        }
        assert_eq!(Id::read(&true.into()), None);
    }
}
