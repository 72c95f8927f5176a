//! One place where a value is not what was expected, in words.

use std::fmt;

use super::words;
use crate::json::{Pointer, Value};

/// Where a value is not what was expected, and how.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Mismatch {
    /// The place in the value that was checked.
    pub pointer: Pointer,
    /// What was expected there, to be read after "is": `a string`.
    pub expected: String,
    /// What is there, cut short, or `nothing`.
    pub got: String,
    /// What that is or does, to be read after "which": `is a number`.
    pub which: Option<String>,
}

impl Mismatch {
    /// `got` is not `expected`, and what kind of value it is says why.
    pub fn new(expected: impl Into<String>, got: &Value) -> Self {
        Self::because(expected, got, words::which(got))
    }

    /// `got` is not `expected`, for a reason that is read after "which".
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

    /// There is nothing where `expected` should be.
    pub fn absent(expected: impl Into<String>) -> Self {
        Self {
            pointer: Pointer::root(),
            expected: expected.into(),
            got: words::got(None),
            which: None,
        }
    }

    /// The same mismatch, seen from the object or array around the value.
    #[must_use]
    pub fn within(self, place: Pointer) -> Self {
        Self { pointer: place.join(&self.pointer), ..self }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pointer, expected, got, which } = self;
        match pointer.is_root() {
            true => write!(f, "expected the value is {expected}\ngot {got}")?,
            false => write!(f, "expected {pointer} is {expected}\ngot {got}")?,
        }
        which.as_ref().map_or(Ok(()), |which| write!(f, ", which {which}"))
    }
}
