//! Why a value is no JSON-RPC message, and what could be read of it all the same.

use std::fmt;

use super::Id;
use crate::json::Pointer;

/// What is expected of an object that is neither a call nor a reply.
pub(crate) const A_KIND: &str = "a message with a method, a result or an error";
/// What is expected of the error of a reply that has a result too.
pub(crate) const NOT_BOTH: &str = "absent beside a result";

/// A value that is no JSON-RPC message: what breaks it, and the rest of what could be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Malformed {
    /// Where it breaks.
    pub pointer: Pointer,
    /// What should be there, to be read after "is": `"2.0"`, `a string`.
    pub expected: String,
    /// What is there, or `nothing`.
    pub got: String,
    /// The id, if there is a readable one.
    pub id: Option<Id>,
    /// The method, if there is a readable one.
    pub method: Option<String>,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pointer, expected, got, .. } = self;
        if pointer.is_root() {
            write!(f, "expected {expected}, got {got}")
        } else {
            write!(f, "expected {pointer} is {expected}, got {got}")
        }
    }
}
