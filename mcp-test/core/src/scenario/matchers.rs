//! Matchers that only scenarios need.

use crate::expect::{Matcher, Mismatch};
use crate::json::{Pointer, Value};

/// Matches what JavaScript considers true, which is how the official suite tests for members.
#[doc(hidden)]
pub fn truthy() -> impl Matcher {
    Truthy
}

struct Truthy;

impl Matcher for Truthy {
    fn describe(&self) -> String {
        "neither empty nor zero, false or null".to_owned()
    }

    fn check(&self, got: &Value) -> Result<(), Mismatch> {
        let which = match got {
            Value::Null => "is null",
            Value::Bool(false) => "is false",
            Value::String(text) if text.is_empty() => "is empty",
            Value::Number(_) if got.as_f64() == Some(0.0) => "is zero",
            // Empty arrays and objects are true in JavaScript.
            _ => return Ok(()),
        };
        Err(Mismatch {
            pointer: Pointer::root(),
            expected: self.describe(),
            got: got.to_string(),
            which: Some(which.to_owned()),
        })
    }
}

/// Matches a result without content: an object without members, apart from those that every result may have.
#[doc(hidden)]
pub fn empty_result() -> impl Matcher {
    EmptyResult
}

struct EmptyResult;

impl Matcher for EmptyResult {
    fn describe(&self) -> String {
        "an object with nothing but `_meta`".to_owned()
    }

    fn check(&self, got: &Value) -> Result<(), Mismatch> {
        let which = match got.as_object() {
            None => format!("is {}", got.kind()),
            Some(members) => match members.keys().find(|name| *name != "_meta") {
                None => return Ok(()),
                Some(name) => format!("has the member `{name}`"),
            },
        };
        Err(Mismatch {
            pointer: Pointer::root(),
            expected: self.describe(),
            got: got.short(120),
            which: Some(which),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn accepts(matcher: &impl Matcher, value: serde_json::Value) -> bool {
        matcher.check(&value.into()).is_ok()
    }

    #[test]
    fn truthy_is_what_javascript_considers_true() {
        for value in [json!("a"), json!(1), json!(true), json!([]), json!({}), json!("0")] {
            assert!(accepts(&truthy(), value.clone()), "{value}");
        }
        for value in [json!(""), json!(0), json!(false), json!(null), json!(0.0)] {
            assert!(!accepts(&truthy(), value.clone()), "{value}");
        }
    }

    #[test]
    fn an_empty_result_may_carry_meta() {
        assert!(accepts(&empty_result(), json!({})));
        assert!(accepts(&empty_result(), json!({"_meta": {"a": 1}})));
        assert!(!accepts(&empty_result(), json!({"ok": true})));
        assert!(!accepts(&empty_result(), json!([])));
    }
}
