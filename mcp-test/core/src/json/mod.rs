//! Lossless JSON: values that keep everything a verdict may depend on.
//!
//! `serde_json` drops member order, number notation and duplicate members unless crate features are
//! enabled, and feature unification would enable them in the in-process server under test as well.
//! So the harness parses what peers send with its own strict [RFC 8259] parser: numbers keep their
//! source text, objects keep order and duplicates, and a [`Note`] records what is legal but unusual.
//!
//! This module knows nothing about JSON-RPC or MCP. Test authors write values with
//! `serde_json::json!`, which `Value: From<serde_json::Value>` converts.
//!
//! ```
//! # extern crate mcp_test_core as mcp_test;
//! use mcp_test::json::Value;
//!
//! let document = Value::parse(br#"{"a": 1.0, "a": 2}"#)?;
//! assert_eq!(document.value.get("a").and_then(Value::as_i64), Some(2));
//! assert_eq!(document.notes[0].to_string(), "/a: a second member named \"a\"");
//! # Ok::<(), mcp_test::json::ParseError>(())
//! ```
//!
//! [RFC 8259]: https://www.rfc-editor.org/rfc/rfc8259

mod array;
mod convert;
mod diff;
mod document;
mod escape;
mod note;
mod number;
mod object;
mod parse;
mod pointer;
mod print;
mod value;

#[cfg(any(test, feature = "test-support"))]
#[doc(hidden)]
pub mod arbitrary;
#[cfg(test)]
mod tests;

#[doc(hidden)]
pub use diff::diff;
pub use diff::{Difference, DifferenceKind};
#[doc(hidden)]
pub use document::Document;
#[doc(hidden)]
pub use escape::is_deceptive;
#[doc(hidden)]
pub use note::{Note, NoteKind};
pub use number::Number;
#[doc(hidden)]
pub use object::Effective;
pub use parse::ParseError;
#[doc(hidden)]
pub use parse::{DEPTH_LIMIT, VALUE_LIMIT};
pub use pointer::Pointer;
#[doc(hidden)]
pub use pointer::array_index;
#[doc(hidden)]
pub use value::VALUE_BYTES;
pub use value::{Array, Object, Value};
