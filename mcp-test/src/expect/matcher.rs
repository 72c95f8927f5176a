//! What every matcher can do, and the plain one made of a description and a function.

use super::Mismatch;
use crate::json::Value;

/// An expectation of a JSON value.
pub trait Matcher: Send + Sync {
    /// What is expected, to be read after "is": `a non-empty string`.
    fn describe(&self) -> String;

    /// Holds a value against the expectation.
    ///
    /// # Errors
    ///
    /// Where and why the value does not match; its first mismatch, if there are several.
    fn check(&self, got: &Value) -> Result<(), Mismatch>;
}

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

/// Matches what the function says yes to; `description` is read after "is".
///
/// ```
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

/// Matches by a function; made by [`satisfying`].
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
