//! Matchers of values of any kind.

use super::{Matcher, Mismatch, satisfying, words};
use crate::json::{Value, diff};

/// The maximum number of differences in a message, which also contains both values.
const LISTED: usize = 3;

/// Matches any value.
#[must_use]
pub fn anything() -> impl Matcher {
    satisfying("anything", |_| true)
}

/// Matches `null`.
#[must_use]
pub fn null() -> impl Matcher {
    satisfying("null", Value::is_null)
}

/// Matches `true` and `false`.
#[must_use]
pub fn boolean() -> impl Matcher {
    satisfying("a boolean", Value::is_bool)
}

/// Matches values that are equal as JSON, ignoring member order and the notation of numbers.
pub fn equals(value: impl Into<Value>) -> Equals {
    Equals { value: value.into() }
}

/// Matches values that are equal to one of `values`.
pub fn one_of<V: Into<Value>>(values: impl IntoIterator<Item = V>) -> OneOf {
    OneOf { values: values.into_iter().map(Into::into).collect() }
}

/// A matcher by JSON equality, made by [`equals`].
#[doc(hidden)]
#[must_use]
pub struct Equals {
    value: Value,
}

impl Matcher for Equals {
    fn describe(&self) -> String {
        words::got(Some(&self.value))
    }

    fn check(&self, got: &Value) -> Result<(), Mismatch> {
        let differences = diff(&self.value, got);
        match differences.as_slice() {
            [] => Ok(()),
            // The kind explains a mismatch only if it is not the expected one.
            [only] if only.pointer.is_root() => Err(Mismatch::because(
                self.describe(),
                got,
                words::which(got).filter(|_| got.kind() != self.value.kind()),
            )),
            [only] => Err(Mismatch {
                pointer: only.pointer.clone(),
                expected: only.expected.as_ref().map_or("absent".into(), |it| words::got(Some(it))),
                got: words::got(only.got.as_ref()),
                which: None,
            }),
            several => {
                let shown = several.iter().take(LISTED).map(ToString::to_string);
                let first = shown.collect::<Vec<_>>().join("; ");
                let more = several.len().saturating_sub(LISTED);
                let more = if more > 0 { format!("; and {more} more") } else { String::new() };
                let count = words::count(several.len(), "place");
                let which = format!("differs in {count}: {first}{more}");
                Err(Mismatch::because(self.describe(), got, which))
            }
        }
    }
}

/// Makes plain values matchers, like [`equals`].
macro_rules! equal_to_itself {
    ($($plain:ty)*) => {$(
        impl Matcher for $plain {
            fn describe(&self) -> String {
                equals(self.to_owned()).describe()
            }

            fn check(&self, got: &Value) -> Result<(), Mismatch> {
                equals(self.to_owned()).check(got)
            }
        }
    )*};
}
equal_to_itself!(Value serde_json::Value str String bool i32 i64 isize u16 u32 u64 usize f64);

/// A matcher of several values, made by [`one_of`].
#[doc(hidden)]
#[must_use]
pub struct OneOf {
    values: Vec<Value>,
}

impl Matcher for OneOf {
    fn describe(&self) -> String {
        words::list(self.values.iter().map(|value| words::got(Some(value))), "or")
    }

    fn check(&self, got: &Value) -> Result<(), Mismatch> {
        if self.values.contains(got) {
            return Ok(());
        }
        let kind_matches = self.values.iter().any(|value| value.kind() == got.kind());
        // As for `Equals`: a value of an allowed kind is not wrong because of its kind.
        let which = words::which(got).filter(|_| !kind_matches);
        Err(Mismatch::because(self.describe(), got, which))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::json::arbitrary;

    fn failure(matcher: &impl Matcher, got: serde_json::Value) -> String {
        matcher.check(&got.into()).unwrap_err().to_string()
    }

    #[test]
    fn kinds_are_checked() {
        assert!(null().check(&Value::Null).is_ok());
        assert!(boolean().check(&false.into()).is_ok());
        assert!(anything().check(&Value::Null).is_ok());
        assert_eq!(
            failure(&null(), json!(0)),
            "expected the value is null\ngot 0, which is a number"
        );
        assert_eq!(failure(&boolean(), json!(null)), "expected the value is a boolean\ngot null");
    }

    #[test]
    fn plain_values_match_what_equals_them() {
        assert!("a".check(&"a".into()).is_ok());
        assert!(3.check(&json!(3.0).into()).is_ok());
        assert!(true.check(&true.into()).is_ok());
        assert!(json!({"a": [1]}).check(&json!({"a": [1]}).into()).is_ok());
        assert_eq!(
            failure(&"a", json!(1)),
            "expected the value is \"a\"\ngot 1, which is a number"
        );
        assert_eq!(failure(&json!({"a": 1}), json!({"a": 2})), "expected /a is 1\ngot 2");
        let named = crate::expect::object().member("name", "add").member("count", 2);
        assert!(named.check(&json!({"name": "add", "count": 2}).into()).is_ok());
    }

    #[test]
    fn equality_points_at_the_one_difference() {
        let expected = equals(json!({"a": [1, 2], "b": "x"}));
        assert!(expected.check(&json!({"b": "x", "a": [1.0, 2]}).into()).is_ok());
        assert_eq!(failure(&expected, json!({"a": [1, 3], "b": "x"})), "expected /a/1 is 2\ngot 3");
        assert_eq!(failure(&expected, json!({"a": [1, 2]})), "expected /b is \"x\"\ngot nothing");
        assert_eq!(
            failure(&expected, json!({"a": [1, 2], "b": "x", "c": 0})),
            "expected /c is absent\ngot 0"
        );
        assert_eq!(
            failure(&equals("3"), json!(3)),
            "expected the value is \"3\"\ngot 3, which is a number"
        );
        assert_eq!(failure(&equals(3), json!(4)), "expected the value is 3\ngot 4");
    }

    #[test]
    fn equality_lists_some_of_many_differences() {
        assert_eq!(
            failure(&equals(json!([1, 2, 3, 4])), json!([5, 6, 7, 8])),
            "expected the value is [1,2,3,4]\ngot [5,6,7,8], which differs in 4 places: \
             /0: expected 1, got 5; /1: expected 2, got 6; /2: expected 3, got 7; and 1 more"
        );
    }

    #[test]
    fn one_of_lists_the_choices() {
        let role = one_of(["user", "assistant"]);
        assert!(role.check(&"user".into()).is_ok());
        assert_eq!(
            failure(&role, json!("system")),
            "expected the value is \"user\" or \"assistant\"\ngot \"system\""
        );
        assert_eq!(
            failure(&role, json!(1)),
            "expected the value is \"user\" or \"assistant\"\ngot 1, which is a number"
        );
    }

    proptest! {
        #[test]
        fn equals_is_equality(left in arbitrary::value(), right in arbitrary::value()) {
            prop_assert_eq!(equals(left.clone()).check(&right).is_ok(), left == right);
            prop_assert!(equals(left.clone()).check(&left).is_ok());
        }
    }
}
