//! The return value of an assertion.

use std::ops::Deref;

/// A reply that an assertion has checked; it has all assertions of the reply.
///
/// Unlike a fresh reply it may be dropped without a warning. It dereferences to the reply.
#[derive(Debug, Clone)]
pub struct Asserted<T>(pub(super) T);

impl<T> Asserted<T> {
    /// The reply itself.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Asserted<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
