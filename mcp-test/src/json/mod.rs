//! JSON as it was written: a value that loses nothing a verdict may need.
//!
//! `serde_json` forgets member order, spelling of numbers and duplicate members unless crate
//! features are turned on, and those features would leak into the in-process server under test.
//! So the harness reads what its peers write with this room's own strict [RFC 8259] reader:
//! numbers keep their source text, objects keep order and duplicates, and what is legal but odd
//! is kept as a [`Note`] with its place.
//!
//! This room knows nothing of JSON-RPC or MCP. Test authors write values with
//! `serde_json::json!`; `Value: From<serde_json::Value>` takes them in.
//!
//! ```
//! use mcp_test::json::Value;
//!
//! let document = Value::parse(br#"{"a": 1.0, "a": 2}"#)?;
//! assert_eq!(document.value.get("a").and_then(Value::as_i64), Some(2));
//! assert_eq!(document.notes[0].to_string(), "/a: a second member named \"a\"");
//! # Ok::<(), mcp_test::json::ParseError>(())
//! ```
//!
//! [RFC 8259]: https://www.rfc-editor.org/rfc/rfc8259

mod convert;
mod diff;
mod document;
mod number;
mod object;
mod parse;
mod pointer;
mod print;
mod value;

#[cfg(test)]
pub(crate) mod arbitrary;
#[cfg(test)]
mod tests;

pub use diff::{Difference, DifferenceKind, diff};
pub use document::{Document, Note, NoteKind};
pub use number::Number;
pub use object::{Effective, Object};
pub use parse::{DEPTH_LIMIT, ParseError};
pub use pointer::Pointer;
pub use value::Value;
