//! Compares a received message with a message of a case.
//!
//! | file | what it is for |
//! |---|---|
//! | `difference` | a difference, described in bounded text without secrets |
//! | `pattern` | the pointers of `_match`, followed step by step |
//! | `matcher` | checks a value against a matcher |
//! | `walk`, `items` | compares two values member by member, item by item |
//! | `tolerance` | members that a revision adds to messages |
//! | `similarity` | how similar two messages are |
//! | `text` | where two long strings differ |
//! | `render` | renders differences at the lines of the case |
//!
//! # What is compared
//!
//! - `jsonrpc` and `id` never are: replies are matched by correlation, and the shape of messages is checked separately.
//! - A reply of the other kind (an error instead of a result) is one difference, and so is another method.
//! - Values are equal as JSON: `1` equals `1.0`, the order of members is ignored, and of two members with one name the last
//!   counts.
//! - **exact**: the message has every value of the case, and nothing else.
//! - **contains**: the message has every value of the case. Objects may have more members. Arrays may have more items: each
//!   item of the case has its own counterpart, in order.
//! - **unordered**, for one array: each item has its own counterpart, in any order.
//! - A mode at a pointer applies from there on down.
//!
//! # Pointers of `_match`
//!
//! - A number is an index into the array of the case, or, past its end, of the message.
//! - `*` means every item or member; it requires none to exist.
//! - A pointer to a value that the case does not have requires that value to satisfy its matcher. On the way to it nothing else
//!   may exist, unless the mode allows it.
//! - Of several matchers for one value, the one with the fewest `*` counts, and among these the last.
//! - Below a matcher the values of the case are ignored, but further pointers are not.

mod difference;
mod items;
mod matcher;
mod pattern;
mod render;
mod similarity;
#[cfg(test)]
mod tests;
mod text;
mod tolerance;
mod walk;

pub use difference::{Difference, details};
pub use render::{finding, render};
pub use similarity::similarity;
pub use tolerance::Tolerance;
pub use walk::MOST;

use mcp_test_core::json::Value;
use mcp_test_core::trace::SecretTexts;

use crate::cases::Rule;

/// Compares `got`, the received message, with `expected`, the message of the case with its `${names}`
/// [replaced](super::expand).
///
/// Returns at most [`MOST`] differences in the order of the case, with secrets masked.
///
/// ```
/// use mcp_test::cases::{Rule, compare, compare::Tolerance};
/// use mcp_test::{json::Value, trace::SecretTexts};
///
/// let expected = Value::parse(br#"{"result": {"sum": 3}}"#)?.value;
/// let got = Value::parse(br#"{"result": {"sum": 4}}"#)?.value;
/// let differences = compare::compare(
///     &expected,
///     &got,
///     &Rule::default(),
///     &Tolerance::none(),
///     &SecretTexts::default(),
/// );
/// assert_eq!(differences[0].to_string(), "/result/sum: expected 3, got 4");
/// # Ok::<(), mcp_test::json::ParseError>(())
/// ```
#[must_use]
pub fn compare(
    expected: &Value,
    got: &Value,
    rule: &Rule,
    tolerance: &Tolerance,
    secrets: &SecretTexts,
) -> Vec<Difference> {
    let raw = walk::Walk::new(rule, tolerance).differences(expected, got, rule.mode);
    raw.into_iter().map(|raw| Difference::new(raw, secrets)).collect()
}

/// Whether [`compare`] would find no difference; stops at the first one.
#[must_use]
pub fn matches(expected: &Value, got: &Value, rule: &Rule, tolerance: &Tolerance) -> bool {
    walk::Walk::new(rule, tolerance).matches(expected, got, rule.mode)
}
