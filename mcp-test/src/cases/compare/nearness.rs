//! How much alike two messages are, to find the one that was meant.

use crate::json::Value;

/// How many members or items of one value are looked at.
const MEMBERS: usize = 64;
/// How much of a text is looked at.
const CHARACTERS: usize = 256;
/// How deep is looked.
const DEPTH: usize = 16;

/// How much alike two values are: from 0, nothing in common, to 1, equal.
///
/// Each member counts as much as its neighbours, so that the name of a tool weighs as much as all its arguments. `jsonrpc` and
/// `id` of a message do not count. The beginnings of large values stand for all of them.
///
/// ```
/// use mcp_test::{cases::compare::nearness, json::Value};
/// use serde_json::json;
///
/// let call = |tool| Value::from(json!({"method": "tools/call", "params": {"name": tool}}));
/// assert!(nearness(&call("add"), &call("adds")) > nearness(&call("add"), &call("echo")));
/// ```
#[must_use]
pub fn nearness(expected: &Value, got: &Value) -> f64 {
    let is_message = |value: &Value| value.get("jsonrpc").is_some();
    let is_envelope = |name: &str| matches!(name, "jsonrpc" | "id");
    match (expected, got) {
        (Value::Object(_), Value::Object(_)) if is_message(expected) || is_message(got) => {
            members(expected, got, DEPTH, is_envelope)
        }
        _ => alike(expected, got, DEPTH),
    }
}

fn alike(expected: &Value, got: &Value, depth: usize) -> f64 {
    match (expected, got) {
        (_, _) if depth == 0 => f64::from(u8::from(expected.kind() == got.kind())),
        (Value::Object(_), Value::Object(_)) => members(expected, got, depth - 1, |_| false),
        (Value::Array(expected), Value::Array(got)) => {
            let pairs = expected.iter().zip(got).take(MEMBERS);
            let alike = pairs.map(|(a, b)| alike(a, b, depth - 1)).sum();
            share(alike, expected.len().max(got.len()).min(MEMBERS))
        }
        (Value::String(expected), Value::String(got)) if expected != got => texts(expected, got),
        _ if expected == got => 1.0,
        // It is at least of the same kind.
        _ if expected.kind() == got.kind() => 0.2,
        _ => 0.0,
    }
}

fn members(expected: &Value, got: &Value, depth: usize, skip: impl Fn(&str) -> bool) -> f64 {
    let (Some(wanted), Some(said)) = (expected.as_object(), got.as_object()) else {
        return 0.0;
    };
    let counted = |name: &str| !skip(name);
    let shared = wanted.effective().filter(|(name, _)| counted(name)).take(MEMBERS);
    let (mut sum, mut count) = (0.0, 0);
    for (name, value) in shared {
        count += 1;
        sum += got.get(name).map_or(0.0, |said| alike(value, said, depth));
    }
    let new = said.effective().take(MEMBERS).filter(|(name, _)| counted(name));
    count += new.filter(|(name, _)| expected.get(name).is_none()).count();
    share(sum, count)
}

fn texts(expected: &str, got: &str) -> f64 {
    let (expected, got): (Vec<char>, Vec<char>) =
        (expected.chars().take(CHARACTERS).collect(), got.chars().take(CHARACTERS).collect());
    let longer = expected.len().max(got.len());
    let shorter = expected.len().min(got.len());
    let start = expected.iter().zip(&got).take_while(|(a, b)| a == b).count();
    let end = expected.iter().rev().zip(got.iter().rev()).take_while(|(a, b)| a == b).count();
    0.1 + 0.4 * share_of((start + end).min(shorter), longer)
}

fn share(sum: f64, count: usize) -> f64 {
    if count == 0 { 1.0 } else { sum / to_f64(count) }
}

fn share_of(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { to_f64(part) / to_f64(whole) }
}

/// Exact: what is counted here is small.
fn to_f64(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}
