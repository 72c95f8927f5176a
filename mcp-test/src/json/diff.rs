//! Where two values differ, by pointer.
//!
//! Two values have no differences exactly when they are equal.

use std::fmt;

use super::{Pointer, Value};

/// How much of a value a [`Difference`] shows.
const SHOWN: usize = 80;

/// One place where two values differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Where; in the expected value for what is missing, in the other one else.
    pub pointer: Pointer,
    /// In what way.
    pub kind: DifferenceKind,
    /// What was expected there, unless the difference is something extra.
    pub expected: Option<Value>,
    /// What is there, unless it is missing.
    pub got: Option<Value>,
}

/// In what way two values differ at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// Expected, but not there.
    Missing,
    /// There, but not expected.
    Extra,
    /// There, but not what was expected.
    Changed,
}

/// Lists where `got` differs from `expected`: the expected's order first, then what is extra.
///
/// Arrays are compared item by item between what is the same at their beginnings and ends, so
/// that one item too many is one difference.
///
/// ```
/// use mcp_test::json::{Value, diff};
/// use serde_json::json;
///
/// let differences = diff(&json!({"a": 1, "b": [2]}).into(), &json!({"a": 3, "b": []}).into());
/// assert_eq!(differences[0].to_string(), "/a: expected 1, got 3");
/// assert_eq!(differences[1].to_string(), "/b/0: expected 2, got nothing");
/// ```
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
            for name in in_order(expected.keys(), &want) {
                let here = at.clone().member(name);
                match have.get(name) {
                    Some(got) => compare(&here, want[name], got, out),
                    None => out.push(missing(here, want[name])),
                }
            }
            for name in in_order(got.keys(), &have).filter(|name| !want.contains_key(name)) {
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

/// Each name once, where it first stands.
fn in_order<'a, V>(
    names: impl Iterator<Item = &'a str>,
    index: &std::collections::HashMap<&'a str, V>,
) -> impl Iterator<Item = &'a str> {
    let mut seen = std::collections::HashSet::with_capacity(index.len());
    names.filter(move |name| seen.insert(*name))
}

fn compare_items(at: &Pointer, expected: &[Value], got: &[Value], out: &mut Vec<Difference>) {
    let start = expected.iter().zip(got).take_while(|(want, have)| want == have).count();
    let (want, have) = (&expected[start..], &got[start..]);
    let end = if want.len() == have.len() {
        0
    } else {
        want.iter().rev().zip(have.iter().rev()).take_while(|(want, have)| want == have).count()
    };
    let (want, have) = (&want[..want.len() - end], &have[..have.len() - end]);
    for index in 0..want.len().max(have.len()) {
        let here = at.clone().index(start + index);
        match (want.get(index), have.get(index)) {
            (Some(want), Some(have)) => compare(&here, want, have, out),
            (Some(want), None) => out.push(missing(here, want)),
            (None, Some(have)) => out.push(extra(here, have)),
            (None, None) => {}
        }
    }
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
        let word = |value: &Option<Value>| {
            value.as_ref().map_or_else(|| "nothing".to_owned(), |value| value.short(SHOWN))
        };
        if !self.pointer.is_root() {
            write!(f, "{}: ", self.pointer)?;
        }
        write!(f, "expected {}, got {}", word(&self.expected), word(&self.got))
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
    fn names_what_is_missing_extra_and_changed() {
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
    fn one_item_more_or_less_is_one_difference() {
        assert_eq!(lines(json!([1, 2, 3]), json!([0, 1, 2, 3])), ["/0: expected nothing, got 0"]);
        assert_eq!(lines(json!([1, 2, 3]), json!([1, 3])), ["/1: expected 2, got nothing"]);
        assert_eq!(lines(json!([1, 1]), json!([1, 1, 1])), ["/2: expected nothing, got 1"]);
    }

    #[test]
    fn spelling_order_and_overruled_duplicates_are_no_difference() {
        let read = |text: &str| Value::parse(text.as_bytes()).unwrap().value;
        let (left, right) = (read(r#"{"a":1.0,"b":2,"b":3}"#), read(r#"{"b":3,"a":1}"#));
        assert_eq!(diff(&left, &right), []);
        assert_eq!(diff(&right, &left), []);
    }
}
