//! The differences between two values, by pointer.
//!
//! There are none if and only if the values are equal.

use std::collections::HashSet;
use std::fmt;

use super::{Pointer, Value};

/// How many characters of a value a [`Difference`] shows.
const SHOWN: usize = 80;

/// A difference between two values.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Where: in the expected value if something is missing, otherwise in the actual one.
    pub pointer: Pointer,
    /// How they differ.
    pub kind: DifferenceKind,
    /// The expected value; `None` if the actual one is extra.
    pub expected: Option<Value>,
    /// The actual value; `None` if it is missing.
    pub got: Option<Value>,
}

/// How two values differ at a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// Expected, but not found.
    Missing,
    /// Found, but not expected.
    Extra,
    /// Found, but with another value.
    Changed,
}

/// Lists how `got` differs from `expected`: in the order of `expected`, then what is extra.
///
/// Arrays are compared item by item between their common prefix and suffix, so that one extra item is one difference.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::json::{Value, diff};
/// use serde_json::json;
///
/// let differences = diff(&json!({"a": 1, "b": [2]}).into(), &json!({"a": 3, "b": []}).into());
/// assert_eq!(differences[0].to_string(), "/a: expected 1, got 3");
/// assert_eq!(differences[1].to_string(), "/b/0: expected 2, got nothing");
/// ```
#[doc(hidden)]
#[must_use]
pub fn diff(expected: &Value, got: &Value) -> Vec<Difference> {
    let mut differences = Vec::new();
    compare(&Pointer::root(), expected, got, &mut differences);
    differences
}

fn compare(at: &Pointer, expected: &Value, got: &Value, out: &mut Vec<Difference>) {
    match (expected, got) {
        (Value::Object(expected), Value::Object(got)) => {
            let (want, have) = (expected.index(), got.index());
            for name in in_order(expected.keys()) {
                let here = at.clone().member(name);
                match have.get(name) {
                    Some(got) => compare(&here, want[name], got, out),
                    None => out.push(missing(here, want[name])),
                }
            }
            for name in in_order(got.keys()).filter(|name| !want.contains_key(name)) {
                out.push(extra(at.clone().member(name), have[name]));
            }
        }
        (Value::Array(expected), Value::Array(got)) => compare_items(at, expected, got, out),
        _ if expected == got => {}
        _ => out.push(Difference {
            pointer: at.clone(),
            kind: DifferenceKind::Changed,
            expected: Some(expected.clone()),
            got: Some(got.clone()),
        }),
    }
}

/// Each name once, in the order of first occurrence.
fn in_order<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> impl Iterator<Item = &'a str> {
    let mut seen = HashSet::with_capacity(names.len());
    names.filter(move |name| seen.insert(*name))
}

fn compare_items(at: &Pointer, expected: &[Value], got: &[Value], out: &mut Vec<Difference>) {
    // Without the common prefix, an item that is inserted would change the index of every later one.
    let start = expected.iter().zip(got).take_while(|(want, have)| want == have).count();
    let (want, have) = (&expected[start..], &got[start..]);
    // At equal lengths items correspond by index; otherwise a common suffix shows where items were inserted.
    let end = if want.len() == have.len() {
        0
    } else {
        want.iter().rev().zip(have.iter().rev()).take_while(|(want, have)| want == have).count()
    };
    let (want, have) = (&want[..want.len() - end], &have[..have.len() - end]);
    let here = |index| at.clone().index(start + index);
    for (index, (want, have)) in want.iter().zip(have).enumerate() {
        compare(&here(index), want, have, out);
    }
    // Only one of the two is longer.
    let common = want.len().min(have.len());
    out.extend(want.iter().enumerate().skip(common).map(|(at, item)| missing(here(at), item)));
    out.extend(have.iter().enumerate().skip(common).map(|(at, item)| extra(here(at), item)));
}

fn missing(pointer: Pointer, expected: &Value) -> Difference {
    let expected = Some(expected.clone());
    Difference { pointer, kind: DifferenceKind::Missing, expected, got: None }
}

fn extra(pointer: Pointer, got: &Value) -> Difference {
    Difference { pointer, kind: DifferenceKind::Extra, expected: None, got: Some(got.clone()) }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |value: &Option<Value>| {
            value.as_ref().map_or_else(|| "nothing".to_owned(), |value| value.short(SHOWN))
        };
        if !self.pointer.is_root() {
            write!(f, "{}: ", self.pointer)?;
        }
        write!(f, "expected {}, got {}", shown(&self.expected), shown(&self.got))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lines(expected: serde_json::Value, got: serde_json::Value) -> Vec<String> {
        diff(&expected.into(), &got.into()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn missing_extra_and_changed_values_are_listed() {
        assert_eq!(
            lines(
                json!({"a": 1, "b": {"c": [1, 2]}, "d": 0}),
                json!({"b": {"c": [1, 3]}, "d": 0, "e": 5})
            ),
            [
                "/a: expected 1, got nothing",
                "/b/c/1: expected 2, got 3",
                "/e: expected nothing, got 5"
            ]
        );
        assert_eq!(lines(json!(1), json!([1])), ["expected 1, got [1]"]);
    }

    #[test]
    fn an_extra_or_missing_item_is_one_difference() {
        assert_eq!(lines(json!([1, 2, 3]), json!([0, 1, 2, 3])), ["/0: expected nothing, got 0"]);
        assert_eq!(lines(json!([1, 2, 3]), json!([1, 3])), ["/1: expected 2, got nothing"]);
        assert_eq!(lines(json!([1, 1]), json!([1, 1, 1])), ["/2: expected nothing, got 1"]);
    }

    #[test]
    fn notation_order_and_superseded_duplicates_do_not_differ() {
        let read = |text: &str| Value::parse(text.as_bytes()).unwrap().value;
        let (left, right) = (read(r#"{"a":1.0,"b":2,"b":3}"#), read(r#"{"b":3,"a":1}"#));
        assert_eq!(diff(&left, &right), []);
        assert_eq!(diff(&right, &left), []);
    }
}
