//! What a completion has to look like.

use mcp_test_core::expect::{Matcher, array_of, boolean, integer, object, satisfying, string};
use mcp_test_core::json::Value;

/// Matches a result whose completion `matcher` accepts.
pub(super) fn completion(matcher: impl Matcher + 'static) -> impl Matcher {
    object().member("completion", matcher)
}

/// The members of a completion.
pub(super) fn shape() -> impl Matcher {
    object()
        .member("values", array_of(string()))
        .optional("total", integer())
        .optional("hasMore", boolean())
}

fn values(completion: &Value) -> usize {
    completion.get("values").and_then(Value::as_array).map_or(0, <[Value]>::len)
}

fn total(completion: &Value) -> Option<f64> {
    completion.get("total").and_then(Value::as_f64)
}

/// No more values than one response may have.
pub(super) fn at_most_100_values() -> impl Matcher {
    satisfying("a completion with at most 100 values", |got| values(got) <= 100)
}

/// A `total` that counts at least what is there.
#[expect(clippy::cast_precision_loss, reason = "a reply has fewer than 2^53 values")]
pub(super) fn a_consistent_total() -> impl Matcher {
    let consistent = |got: &Value| total(got).is_none_or(|total| total >= values(got) as f64);
    satisfying("a completion whose `total` is at least the number of values", consistent)
}

/// A `hasMore` that agrees with `total`.
#[expect(clippy::cast_precision_loss, reason = "a reply has fewer than 2^53 values")]
pub(super) fn a_truthful_has_more() -> impl Matcher {
    // Without `total` nothing shows whether there are more.
    let truthful = |got: &Value| match (total(got), got.get("hasMore")) {
        (Some(total), Some(Value::Bool(more))) => *more == (total > values(got) as f64),
        _ => true,
    };
    satisfying(
        "a completion whose `hasMore` is true exactly if `total` is greater than the number of values",
        truthful,
    )
}
