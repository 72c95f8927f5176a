//! The `Matcher` trait, and matchers made from a function.

use super::Mismatch;
use crate::json::Value;

/// An expectation about a JSON value.
pub trait Matcher: Send + Sync {
    /// Describes the expected value, to be read after "is": `a non-empty string`.
    fn describe(&self) -> String;

    /// Checks a value.
    ///
    /// # Errors
    ///
    /// Returns the first mismatch.
    fn check(&self, got: &Value) -> Result<(), Mismatch>;
}

// `any_of` and `all_of` take boxes, since their matchers have different types.
impl<M: Matcher + ?Sized> Matcher for Box<M> {
    fn describe(&self) -> String {
        (**self).describe()
    }

    fn check(&self, got: &Value) -> Result<(), Mismatch> {
        (**self).check(got)
    }
}

impl<M: Matcher + ?Sized> Matcher for &M {
    fn describe(&self) -> String {
        (**self).describe()
    }

    fn check(&self, got: &Value) -> Result<(), Mismatch> {
        (**self).check(got)
    }
}

/// Matches values for which `holds` returns true; `description` is read after "is".
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::expect::{Matcher, satisfying};
///
/// let even = satisfying("an even number", |got| got.as_i64().is_some_and(|n| n % 2 == 0));
/// assert!(even.check(&4.into()).is_ok());
/// assert!(even.check(&5.into()).is_err());
/// ```
pub fn satisfying<F: Fn(&Value) -> bool + Send + Sync>(
    description: impl Into<String>,
    holds: F,
) -> Satisfying<F> {
    Satisfying { description: description.into(), holds }
}

/// A matcher made from a function by [`satisfying`].
#[doc(hidden)]
#[must_use]
pub struct Satisfying<F> {
    description: String,
    holds: F,
}

impl<F: Fn(&Value) -> bool + Send + Sync> Matcher for Satisfying<F> {
    fn describe(&self) -> String {
        self.description.clone()
    }

    fn check(&self, got: &Value) -> Result<(), Mismatch> {
        if (self.holds)(got) { Ok(()) } else { Err(Mismatch::new(self.describe(), got)) }
    }
}
