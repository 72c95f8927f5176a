//! Holding what really came against what the case has.
//!
//! | file | what it knows |
//! |---|---|
//! | `difference` | one place that differs, in words |
//! | `pattern` | the pointers of `_match`, on the way down |
//! | `matcher` | what is asked of one place |
//! | `walk`, `items` | both values, side by side |
//! | `tolerance` | what a revision adds by itself |
//! | `nearness` | how much alike two messages are |
//! | `text` | where two long texts differ |
//! | `render` | the differences at the case's own lines |
//!
//! # What is compared
//!
//! - `jsonrpc` and `id` never are: replies are matched by correlation, and the form of messages is judged for itself.
//! - A reply of the other kind (an error for a result) is one difference, and so is another method.
//! - Values are equal as JSON: `1` and `1.0` are, the order of members means nothing, and of two members with one name
//!   the last counts.
//! - **exact**: every place of the case is there, and nothing else is.
//! - **contains**: every place of the case is there. An object may have more members. An array may have more items: each item
//!   of the case has a counterpart of its own, in the order of the case.
//! - **unordered**, for one array: each item has a counterpart of its own, in any order.
//! - A mode that is asked for at a pointer holds from there on down.
//!
//! # Pointers of `_match`
//!
//! - A number counts the items of the case's array; past its end, those of the message.
//! - `*` stands for every item or member. It does not make them be there: where there are none, nothing is asked.
//! - A place that the case does not have is asked for by its pointer alone: its matcher has to hold. On the way to it nothing
//!   else may be there, unless the mode says so.
//! - Of several matchers for one place, the one with the fewest `*` counts, and among these the last.
//! - Below a matcher, the case's own value does not count; further pointers do.

mod difference;
mod items;
mod matcher;
mod nearness;
mod pattern;
mod render;
#[cfg(test)]
mod tests;
mod text;
mod tolerance;
mod walk;

pub use difference::{Difference, details};
pub use matcher::regex;
pub use nearness::nearness;
pub use render::{finding, render};
pub use tolerance::Tolerance;

use super::Rule;
use crate::json::Value;
use crate::trace::SecretTexts;

/// Where `got`, the message that really came, is not what the case expects; nowhere, if it is what it should be.
///
/// `expected` is the message of the case with its `${names}` [replaced](super::expand). The differences stand in the order of
/// the case, and there are at most [`MOST`] of them; they show nothing of the secrets.
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

/// Whether `got` is what the case expects: as [`compare`], but without words, and done at the first difference.
#[must_use]
pub fn matches(expected: &Value, got: &Value, rule: &Rule, tolerance: &Tolerance) -> bool {
    walk::Walk::new(rule, tolerance).matches(expected, got, rule.mode)
}

/// How many differences are told; after so many, nobody reads on.
pub const MOST: usize = 100;
