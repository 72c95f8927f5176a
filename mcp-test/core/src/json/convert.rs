//! Conversions between this module's values and Rust types or `serde_json`.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Array, Number, Object, Value};

impl Value {
    /// Converts to a `serde_json` value.
    ///
    /// Loses what `serde_json` cannot represent: only the last of duplicate members stays, and numbers become `i64`, `u64` or
    /// the nearest finite `f64`.
    #[must_use]
    pub fn to_serde(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(boolean) => (*boolean).into(),
            Self::Number(number) => number.to_serde().into(),
            Self::String(text) => text.as_str().into(),
            Self::Array(items) => items.iter().map(Self::to_serde).collect(),
            Self::Object(object) => {
                object.iter().map(|(name, value)| (name, value.to_serde())).collect()
            }
        }
    }
}

impl Value {
    /// Serializes a Rust value.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::json::Value;
    ///
    /// #[derive(serde::Serialize)]
    /// struct Sum {
    ///     a: i64,
    ///     b: i64,
    /// }
    ///
    /// # fn main() -> mcp_test::Result {
    /// assert_eq!(Value::serialize(&Sum { a: 1, b: 2 })?.to_string(), r#"{"a":1,"b":2}"#);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the value cannot be represented in JSON, such as a map whose keys are not strings.
    pub fn serialize(value: &(impl Serialize + ?Sized)) -> Result<Self, serde_json::Error> {
        serde_json::to_value(value).map(Self::from)
    }

    /// Deserializes into a Rust type; numbers are rounded like in [`Value::to_serde`].
    ///
    /// # Errors
    ///
    /// If the value does not have that type.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        T::deserialize(self.to_serde())
    }
}

impl Number {
    /// Converts to a `serde_json` number, rounding like [`Value::to_serde`].
    pub(crate) fn to_serde(&self) -> serde_json::Number {
        // `serde_json` distinguishes 1 from 1.0: a fraction or an exponent makes a double.
        if !self.as_str().contains(['.', 'e', 'E']) {
            let signed = self.as_i64().map(Into::into);
            if let Some(integer) = signed.or_else(|| self.as_u64().map(Into::into)) {
                return integer;
            }
        }
        // Numbers beyond the range of doubles would become infinite, which `serde_json` cannot represent.
        let limit = if self.as_str().starts_with('-') { f64::MIN } else { f64::MAX };
        serde_json::Number::from_f64(self.as_f64().unwrap_or(limit)).unwrap_or_else(|| 0.into())
    }
}

impl From<serde_json::Value> for Value {
    fn from(value: serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(boolean) => Self::Bool(boolean),
            serde_json::Value::Number(number) => Self::Number(number.into()),
            serde_json::Value::String(text) => Self::String(text),
            serde_json::Value::Array(items) => items.into_iter().collect(),
            serde_json::Value::Object(members) => Self::Object(members.into_iter().collect()),
        }
    }
}

impl From<&serde_json::Value> for Value {
    fn from(value: &serde_json::Value) -> Self {
        value.clone().into()
    }
}

impl From<serde_json::Number> for Number {
    fn from(number: serde_json::Number) -> Self {
        // Always valid, because a `serde_json` number is neither infinite nor NaN.
        Self::from_valid(&number.to_string())
    }
}

/// Compares with a value from `json!`, by JSON equality.
impl PartialEq<serde_json::Value> for Value {
    fn eq(&self, other: &serde_json::Value) -> bool {
        // Converted in this direction, because `to_serde` would lose what `serde_json` cannot represent.
        let other = Self::from(other);
        *self == other
    }
}

impl PartialEq<Value> for serde_json::Value {
    fn eq(&self, other: &Value) -> bool {
        other == self
    }
}

impl PartialEq<str> for Value {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<&str> for Value {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl PartialEq<String> for Value {
    fn eq(&self, other: &String) -> bool {
        self == other.as_str()
    }
}

impl PartialEq<bool> for Value {
    fn eq(&self, other: &bool) -> bool {
        self.as_bool() == Some(*other)
    }
}

macro_rules! from_contents {
    ($($contents:ty => $variant:ident,)*) => {$(
        impl From<$contents> for Value {
            fn from(contents: $contents) -> Self {
                Self::$variant(contents)
            }
        }
    )*};
}
from_contents!(bool => Bool, Number => Number, String => String, Array => Array, Object => Object,);

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

/// A finite double becomes a number, any other `null`, as in JavaScript's `JSON.stringify`.
impl From<f64> for Value {
    fn from(double: f64) -> Self {
        Number::from_f64(double).map_or(Self::Null, Self::Number)
    }
}

/// Compares with a number, by exact value.
macro_rules! compare_with_number {
    ($number:ty) => {
        impl PartialEq<$number> for Value {
            fn eq(&self, other: &$number) -> bool {
                let other = Self::from(*other);
                *self == other
            }
        }
    };
}
compare_with_number!(f64);

macro_rules! from_integers {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Number {
            fn from(integer: $integer) -> Self {
                Self::from_valid(&integer.to_string())
            }
        }

        impl From<$integer> for Value {
            fn from(integer: $integer) -> Self {
                Self::Number(integer.into())
            }
        }

        compare_with_number!($integer);
    )*};
}

from_integers!(i32 i64 isize u16 u32 u64 usize);

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

/// `None` becomes `null`.
impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn serde_values_round_trip() {
        let written = json!({"a": [null, true, -1, 18_446_744_073_709_551_615_u64, 1.5, "x"]});
        let value = Value::from(&written);
        assert_eq!(value, written);
        assert_eq!(value.to_serde(), written);
        assert_ne!(value, json!({"a": []}));
    }

    #[test]
    fn numbers_beyond_serde_json_become_the_nearest_double() {
        let to_serde = |text: &str| Value::parse(text.as_bytes()).unwrap().value.to_serde();
        assert_eq!(to_serde("18446744073709551616"), json!(18_446_744_073_709_551_616.0));
        assert_eq!(to_serde("-1e999"), json!(f64::MIN));
        assert_eq!(to_serde("1.0"), json!(1.0));
    }

    #[test]
    fn compares_with_rust_values_in_both_directions() {
        let value = Value::from(json!({"a": "x", "b": [1, 1.5, true, null]}));
        assert_eq!(value["a"], "x");
        assert_eq!(value["a"], "x".to_owned());
        assert_eq!(value["b"][0], 1);
        assert_eq!(value["b"][0], 1.0);
        assert_eq!(value["b"][1], 1.5);
        assert_eq!(value["b"][2], true);
        assert_eq!(value["b"][3], Value::Null);
        assert_eq!(json!([1, 1.5, true, null]), value["b"]);
        assert_ne!(value["b"][0], "1");
        assert_ne!(value["b"][0], 2);
        // What a double cannot represent is another number.
        let large = Value::parse(b"9007199254740993").unwrap().value;
        assert_eq!(large, 9_007_199_254_740_993_i64);
        assert_ne!(large, 9_007_199_254_740_992.0);
    }

    #[test]
    fn serializes_and_deserializes_rust_types() {
        let pairs: Vec<(String, i64)> = vec![("a".to_owned(), 1)];
        let value = Value::serialize(&pairs).unwrap();
        assert_eq!(value, json!([["a", 1]]));
        assert_eq!(value.deserialize::<Vec<(String, i64)>>().unwrap(), pairs);
        assert!(value.deserialize::<String>().is_err());
        let keyed_by_pairs = std::collections::BTreeMap::from([((1, 2), 3)]);
        assert!(Value::serialize(&keyed_by_pairs).is_err());
    }

    #[test]
    fn converts_rust_values() {
        let value: Value = vec![Some("a"), None].into();
        assert_eq!(value.to_string(), r#"["a",null]"#);
        assert_eq!(Value::from(f64::NAN), Value::Null);
        assert_eq!(Value::from(0.1).to_string(), "0.1");
        assert_eq!(Value::from(u64::MAX).to_string(), u64::MAX.to_string());
    }
}
