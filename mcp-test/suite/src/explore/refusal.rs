//! Refusals of calls, and which of them have one reason.

use std::cmp::Reverse;

use mcp_test_core::json::{Object, Value};

use crate::known_values::texts;

/// Whether a result has `isError`.
pub(super) fn has_failed(result: &Value) -> bool {
    result.get("isError").and_then(Value::as_bool) == Some(true)
}

/// How many characters of a refusal tell it apart from others.
const LONGEST_REFUSAL: usize = 200;

/// A result with `isError`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The beginning of its text.
    pub(super) text: String,
    /// The same with an ellipsis in place of each argument.
    pattern: String,
}

impl Refusal {
    /// Reads a result of a call with these arguments; `None` if it has no `isError`.
    pub(super) fn of(result: &Value, arguments: &Value) -> Option<Self> {
        let text = texts(result).first().copied().unwrap_or_default();
        // An argument at its end may go on for long.
        let text: String = text.chars().take(10 * LONGEST_REFUSAL).collect();
        let members = arguments.as_object().into_iter().flat_map(Object::iter);
        let mut values: Vec<String> = members
            .map(|(_, value)| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            .filter(|value| !value.is_empty())
            .collect();
        values.sort_by_key(|value| Reverse(value.len()));
        let pattern = values.iter().fold(text.clone(), |text, value| text.replace(value, "…"));
        let cut = |text: &str| text.chars().take(LONGEST_REFUSAL).collect();
        has_failed(result).then(|| Self { text: cut(&text), pattern: cut(&pattern) })
    }

    /// Whether two refusals have one reason, as far as can be seen: they differ in the arguments alone.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        // A short argument may be part of any word, so that equal texts may have different patterns.
        self.text == other.text || self.pattern == other.pattern
    }
}
