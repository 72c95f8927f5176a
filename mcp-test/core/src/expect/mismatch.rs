//! A mismatch between a value and an expectation, in words.

use std::fmt;

use super::words;
use crate::json::{Pointer, Value};

/// Where and how a value differs from what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Mismatch {
    /// The location in the checked value.
    pub pointer: Pointer,
    /// What was expected there, to be read after "is": `a string`.
    pub expected: String,
    /// The value there, truncated, or `nothing`.
    pub got: String,
    /// Why the value is wrong, to be read after "which": `is a number`.
    pub which: Option<String>,
}

impl Mismatch {
    /// `got` is not `expected`; its kind is the reason.
    pub fn new(expected: impl Into<String>, got: &Value) -> Self {
        Self::because(expected, got, words::which(got))
    }

    /// `got` is not `expected`, with a reason to be read after "which".
    pub fn because(
        expected: impl Into<String>,
        got: &Value,
        which: impl Into<Option<String>>,
    ) -> Self {
        Self {
            pointer: Pointer::root(),
            expected: expected.into(),
            got: words::got(Some(got)),
            which: which.into(),
        }
    }

    /// `expected` is missing.
    pub fn absent(expected: impl Into<String>) -> Self {
        Self {
            pointer: Pointer::root(),
            expected: expected.into(),
            got: words::got(None),
            which: None,
        }
    }

    /// The same mismatch, as seen from a value that contains the checked one at `location`.
    #[must_use]
    pub fn within(self, location: Pointer) -> Self {
        Self { pointer: location.join(&self.pointer), ..self }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pointer, expected, got, which } = self;
        match pointer.is_root() {
            // The text of the root pointer is empty.
            true => write!(f, "expected the value is {expected}\ngot {got}")?,
            false => write!(f, "expected {pointer} is {expected}\ngot {got}")?,
        }
        which.as_ref().map_or(Ok(()), |which| write!(f, ", which {which}"))
    }
}
