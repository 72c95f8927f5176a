//! Matchers of arrays.

use super::{Matcher, Mismatch, satisfying, words};
use crate::json::{Pointer, Value};

/// Matches arrays.
#[must_use]
pub fn array() -> impl Matcher {
    satisfying("an array", Value::is_array)
}

/// Matches arrays of at least one item.
#[must_use]
pub fn non_empty_array() -> impl Matcher {
    satisfying("a non-empty array", |got| got.as_array().is_some_and(|items| !items.is_empty()))
}

/// Matches arrays whose items all match, including empty arrays.
pub fn array_of(items: impl Matcher) -> impl Matcher {
    ArrayOf { items, least: 0 }
}

/// Matches non-empty arrays whose items all match.
pub fn non_empty_array_of(items: impl Matcher) -> impl Matcher {
    ArrayOf { items, least: 1 }
}

/// Matches arrays of exactly `length` items.
#[must_use]
pub fn array_of_length(length: usize) -> impl Matcher {
    OfLength { length }
}

/// Matches arrays whose first item matches.
pub fn first(matcher: impl Matcher) -> impl Matcher {
    item(0, matcher)
}

/// Matches arrays whose item `index`, from 0, matches.
pub fn item(index: usize, matcher: impl Matcher) -> impl Matcher {
    Item { index, matcher }
}

/// Matches arrays in which at least one item matches.
pub fn some_item(matcher: impl Matcher) -> impl Matcher {
    SomeItem { matcher }
}

fn items_of<'a>(matcher: &impl Matcher, got: &'a Value) -> Result<&'a [Value], Mismatch> {
    got.as_array().ok_or_else(|| Mismatch::new(matcher.describe(), got))
}

struct ArrayOf<M> {
    items: M,
    least: usize,
}

impl<M: Matcher> Matcher for ArrayOf<M> {
    fn describe(&self) -> String {
        let kind = if self.least == 0 { "an array" } else { "a non-empty array" };
        format!("{kind} of which each item is {}", self.items.describe())
    }

    fn check(&self, got: &Value) -> Result<(), Mismatch> {
        let items = items_of(self, got)?;
        if items.len() < self.least {
            return Err(Mismatch::new(self.describe(), got));
        }
        for (index, item) in items.iter().enumerate() {
            let here = |mismatch: Mismatch| mismatch.within(Pointer::root().index(index));
            self.items.check(item).map_err(here)?;
        }
        Ok(())
    }
}

struct OfLength {
    length: usize,
}

impl Matcher for OfLength {
    fn describe(&self) -> String {
        format!("an array of {}", words::count(self.length, "item"))
    }

    fn check(&self, got: &Value) -> Result<(), Mismatch> {
        let items = items_of(self, got)?;
        if items.len() == self.length {
            return Ok(());
        }
        let which = format!("has {}", words::count(items.len(), "item"));
        Err(Mismatch::because(self.describe(), got, which))
    }
}

struct Item<M> {
    index: usize,
    matcher: M,
}

impl<M: Matcher> Matcher for Item<M> {
    fn describe(&self) -> String {
        format!("an array of which item {} is {}", self.index, self.matcher.describe())
    }

    fn check(&self, got: &Value) -> Result<(), Mismatch> {
        let checked = match items_of(self, got)?.get(self.index) {
            Some(item) => self.matcher.check(item),
            // Reported at the index that is missing, like a member of an object.
            None => Err(Mismatch::absent(self.matcher.describe())),
        };
        checked.map_err(|mismatch| mismatch.within(Pointer::root().index(self.index)))
    }
}

struct SomeItem<M> {
    matcher: M,
}

impl<M: Matcher> Matcher for SomeItem<M> {
    fn describe(&self) -> String {
        format!("an array with an item that is {}", self.matcher.describe())
    }

    fn check(&self, got: &Value) -> Result<(), Mismatch> {
        let items = items_of(self, got)?;
        if items.iter().any(|item| self.matcher.check(item).is_ok()) {
            return Ok(());
        }
        let which = match items.len() {
            0 => "is an empty array".to_owned(),
            length => format!("has {}, none of them that", words::count(length, "item")),
        };
        Err(Mismatch::because(self.describe(), got, which))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::expect::{integer, string};

    fn failure(matcher: &impl Matcher, got: serde_json::Value) -> String {
        matcher.check(&got.into()).unwrap_err().to_string()
    }

    #[test]
    fn all_items_are_checked() {
        assert!(array_of(integer()).check(&json!([]).into()).is_ok());
        assert!(non_empty_array_of(integer()).check(&json!([1]).into()).is_ok());
        assert_eq!(
            failure(&array_of(array_of(integer())), json!([[1], [2, "x"]])),
            "expected /1/1 is an integer\ngot \"x\", which is a string"
        );
        assert_eq!(
            failure(&non_empty_array_of(integer()), json!([])),
            "expected the value is a non-empty array of which each item is an integer\n\
             got [], which is an empty array"
        );
    }

    #[test]
    fn some_item_and_item_by_index() {
        assert!(first(integer()).check(&json!([1, "x"]).into()).is_ok());
        assert_eq!(
            failure(&item(1, integer()), json!([1])),
            "expected /1 is an integer\ngot nothing"
        );
        assert!(some_item(string()).check(&json!([1, "x"]).into()).is_ok());
        assert_eq!(
            failure(&some_item(string()), json!([1])),
            "expected the value is an array with an item that is a string\n\
             got [1], which has 1 item, none of them that"
        );
        assert!(some_item(string()).check(&json!([]).into()).is_err());
    }

    #[test]
    fn lengths_are_checked() {
        assert!(array().check(&json!([]).into()).is_ok());
        assert!(non_empty_array().check(&json!([]).into()).is_err());
        assert!(array_of_length(1).check(&json!([0]).into()).is_ok());
        assert_eq!(
            failure(&array_of_length(1), json!([0, 0])),
            "expected the value is an array of 1 item\ngot [0,0], which has 2 items"
        );
    }

    #[test]
    fn no_matcher_accepts_an_object() {
        let object = Value::from(json!({"0": 1, "length": 1}));
        let matchers: [Box<dyn Matcher>; 6] = [
            Box::new(array()),
            Box::new(non_empty_array()),
            Box::new(array_of(integer())),
            Box::new(array_of_length(1)),
            Box::new(first(integer())),
            Box::new(some_item(integer())),
        ];
        for matcher in matchers {
            let which = matcher.check(&object).unwrap_err().which;
            assert_eq!(which.as_deref(), Some("is an object"), "{}", matcher.describe());
        }
    }
}
