//! How similar two messages are, to find the one that was meant.

use mcp_test_core::json::Value;

/// The largest number of members or items compared per value.
const MEMBERS: usize = 64;
/// The largest number of characters compared.
const CHARACTERS: usize = 256;
/// The largest depth.
const DEPTH: usize = 16;

/// The similarity of two values, from 0 (nothing in common) to 1 (equal).
///
/// All members of an object have the same weight, so that the name of a tool counts as much as all its arguments. `jsonrpc`
/// and `id` of messages are ignored. Only the beginning of a large value is compared.
///
/// ```
/// use mcp_test::{cases::compare::similarity, json::Value};
/// use serde_json::json;
///
/// let call = |tool| Value::from(json!({"method": "tools/call", "params": {"name": tool}}));
/// assert!(similarity(&call("add"), &call("adds")) > similarity(&call("add"), &call("echo")));
/// ```
#[must_use]
pub fn similarity(expected: &Value, got: &Value) -> f64 {
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
        // At least the same kind of value.
        _ if expected.kind() == got.kind() => 0.2,
        _ => 0.0,
    }
}

fn members(expected: &Value, got: &Value, depth: usize, skip: impl Fn(&str) -> bool) -> f64 {
    let (Some(wanted), Some(actual)) = (expected.as_object(), got.as_object()) else {
        return 0.0;
    };
    let counted = |name: &str| !skip(name);
    let shared = wanted.effective().filter(|(name, _)| counted(name)).take(MEMBERS);
    let (mut sum, mut count) = (0.0, 0);
    for (name, value) in shared {
        count += 1;
        sum += got.get(name).map_or(0.0, |actual| alike(value, actual, depth));
    }
    let new = actual.effective().take(MEMBERS).filter(|(name, _)| counted(name));
    count += new.filter(|(name, _)| expected.get(name).is_none()).count();
    share(sum, count)
}

fn texts(expected: &str, got: &str) -> f64 {
    let (expected, got): (Vec<char>, Vec<char>) =
        (expected.chars().take(CHARACTERS).collect(), got.chars().take(CHARACTERS).collect());
    // Not an edit distance, which takes quadratic time: many candidates are ranked by this.
    let longer = expected.len().max(got.len());
    let shorter = expected.len().min(got.len());
    let start = expected.iter().zip(&got).take_while(|(a, b)| a == b).count();
    let end = expected.iter().rev().zip(got.iter().rev()).take_while(|(a, b)| a == b).count();
    // The common beginning and end may overlap. At most 0.5: an equal text always counts for more than a similar one.
    0.1 + 0.4 * share(to_f64((start + end).min(shorter)), longer)
}

fn share(sum: f64, count: usize) -> f64 {
    // Two empty values are equal.
    if count == 0 { 1.0 } else { sum / to_f64(count) }
}

/// Converts exactly, because counts are small.
fn to_f64(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}
