//! Matchers that combine other matchers.

use super::{Matcher, Mismatch, words};
use crate::json::Value;

/// Matches values that at least one of the matchers accepts.
///
/// If none does, the mismatch is the deepest one, or a general one if several are equally deep.
#[must_use]
pub fn any_of(matchers: Vec<Box<dyn Matcher>>) -> impl Matcher {
    AnyOf { matchers }
}

/// Matches values that all of the matchers accept.
#[must_use]
pub fn all_of(matchers: Vec<Box<dyn Matcher>>) -> impl Matcher {
    AllOf { matchers }
}

/// Matches values that the matcher refuses.
pub fn not(matcher: impl Matcher) -> impl Matcher {
    Not { matcher }
}

struct AnyOf {
    matchers: Vec<Box<dyn Matcher>>,
}

impl Matcher for AnyOf {
    fn describe(&self) -> String {
        // Without matchers this is "nothing", which is what is accepted.
        words::list(self.matchers.iter().map(Matcher::describe), "or")
    }

    fn check(&self, got: &Value) -> Result<(), Mismatch> {
        let mut mismatches = Vec::new();
        for matcher in &self.matchers {
            match matcher.check(got) {
                Ok(()) => return Ok(()),
                Err(mismatch) => mismatches.push(mismatch),
            }
        }
        // The deeper the mismatch, the more of the value matched before it.
        let depth = |mismatch: &Mismatch| mismatch.pointer.tokens().count();
        let deepest = mismatches.iter().map(depth).max().unwrap_or(0);
        let mut candidates = mismatches.into_iter().filter(|mismatch| depth(mismatch) == deepest);
        match (candidates.next(), candidates.next()) {
            (Some(only), None) => Err(only),
            _ => Err(Mismatch::new(self.describe(), got)),
        }
    }
}

struct AllOf {
    matchers: Vec<Box<dyn Matcher>>,
}

impl Matcher for AllOf {
    fn describe(&self) -> String {
        match self.matchers.as_slice() {
            // Without matchers every value is accepted, so `words::list` would say the opposite with "nothing".
            [] => "anything".to_owned(),
            matchers => words::list(matchers.iter().map(Matcher::describe), "and"),
        }
    }

    fn check(&self, got: &Value) -> Result<(), Mismatch> {
        self.matchers.iter().try_for_each(|matcher| matcher.check(got))
    }
}

struct Not<M> {
    matcher: M,
}

impl<M: Matcher> Matcher for Not<M> {
    fn describe(&self) -> String {
        format!("not {}", self.matcher.describe())
    }

    fn check(&self, got: &Value) -> Result<(), Mismatch> {
        match self.matcher.check(got) {
            // The value is of an accepted kind, so its kind is not what is wrong.
            Ok(()) => Err(Mismatch::because(self.describe(), got, None)),
            Err(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::expect::{equals, integer, non_empty_string, object, string, text_containing};

    fn failure(matcher: &impl Matcher, got: serde_json::Value) -> String {
        matcher.check(&got.into()).unwrap_err().to_string()
    }

    #[test]
    fn any_of_accepts_alternatives() {
        let id = any_of(vec![Box::new(string()), Box::new(integer())]);
        assert!(id.check(&1.into()).is_ok());
        assert!(id.check(&"1".into()).is_ok());
        assert_eq!(
            failure(&id, json!(true)),
            "expected the value is a string or an integer\ngot true, which is a boolean"
        );
        assert!(any_of(Vec::new()).check(&Value::Null).is_err());
    }

    #[test]
    fn any_of_reports_the_deepest_mismatch() {
        let text = object().member("type", equals("text")).member("text", string());
        let content = any_of(vec![Box::new(string()), Box::new(text)]);
        assert_eq!(
            failure(&content, json!({"type": "text", "text": 5})),
            "expected /text is a string\ngot 5, which is a number"
        );
    }

    #[test]
    fn all_of_requires_every_matcher() {
        let both = all_of(vec![Box::new(non_empty_string()), Box::new(text_containing("x"))]);
        assert!(both.check(&"ax".into()).is_ok());
        assert_eq!(
            failure(&both, json!("a")),
            "expected the value is text containing \"x\"\ngot \"a\""
        );
        assert_eq!(both.describe(), "a non-empty string and text containing \"x\"");
        assert!(all_of(Vec::new()).check(&Value::Null).is_ok());
    }

    #[test]
    fn not_inverts_a_matcher() {
        assert!(not(string()).check(&1.into()).is_ok());
        assert_eq!(failure(&not(equals(1)), json!(1.0)), "expected the value is not 1\ngot 1.0");
    }
}
