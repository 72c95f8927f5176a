//! Why a value is not a JSON-RPC message, and what could be read of it.

use std::fmt;

use super::Id;
use crate::json::Pointer;

/// A value that is not a JSON-RPC message: what is wrong with it, and what could be read anyway.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Malformed {
    /// Where the value is wrong.
    pub pointer: Pointer,
    /// What is expected there.
    pub expected: Expected,
    /// The value there, shortened; `None` if there is none.
    pub found: Option<String>,
    /// The id, if it could be read.
    pub id: Option<Id>,
    /// The method, if it could be read.
    pub method: Option<String>,
}

impl Malformed {
    /// The value there, or `nothing`.
    #[must_use]
    pub fn got(&self) -> &str {
        self.found.as_deref().unwrap_or("nothing")
    }
}

/// What JSON-RPC requires instead of the value that was found; its text is read after "is".
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expected {
    /// A JSON object.
    Message,
    /// A batch that is not empty.
    NonEmptyBatch,
    /// The version, `"2.0"`.
    Version,
    /// One of `method`, `result` and `error`, so that the kind of message is known.
    Kind,
    /// A string.
    String,
    /// An integer.
    Integer,
    /// An object.
    Object,
    /// Params: an object or an array.
    Params,
    /// An id: a string or a number.
    Id,
    /// The id of a request, in a response.
    RequestId,
    /// Nothing, since there is a method.
    AbsentBesideMethod,
    /// Nothing, since there is a result.
    AbsentBesideResult,
}

impl Expected {
    /// Whether nothing is expected in this place.
    #[must_use]
    pub fn is_absence(self) -> bool {
        matches!(self, Self::AbsentBesideMethod | Self::AbsentBesideResult)
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Message => "a JSON-RPC message",
            Self::NonEmptyBatch => "a batch of at least one message",
            Self::Version => "\"2.0\"",
            Self::Kind => "a message with a method, a result or an error",
            Self::String => "a string",
            Self::Integer => "an integer",
            Self::Object => "an object",
            Self::Params => "an object or an array",
            Self::Id => "a string or a number",
            Self::RequestId => "the id of a request",
            Self::AbsentBesideMethod => "absent beside a method",
            Self::AbsentBesideResult => "absent beside a result",
        })
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pointer, expected, .. } = self;
        let got = self.got();
        // The root has no name: its pointer is the empty text.
        if pointer.is_root() {
            write!(f, "expected {expected}, got {got}")
        } else {
            write!(f, "expected {pointer} is {expected}, got {got}")
        }
    }
}
