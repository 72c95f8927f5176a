//! JSON Schema: schemas of strangers, compiled within bounds and held against values as they were written.
//!
//! The only door to the `jsonschema` crate, which appears in no signature. The crate is generic over what holds a value,
//! so it reads [`json::Value`](crate::json::Value) where it stands: nothing is converted, numbers are compared as they
//! were spelled, and of several members with one name the last counts.
//!
//! A schema may come from a hostile peer. What it could do is bounded twice, by [`Limits`]: before it is compiled (size,
//! nesting, references, what it makes of one value) and while it is held against a value (steps, time, stack). A
//! schema beyond the first is a [`CompileError`], a value that takes more than the second is [`Unfinished`]; neither is a
//! verdict, and nothing is left running. Nothing is ever fetched.
//!
//! Which schemas there are, and whose fault a mismatch is, is not known here.
//!
//! ```
//! use mcp_test::json::Value;
//! use mcp_test::json_schema::{Limits, Validator};
//! use serde_json::json;
//!
//! let schema = json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}});
//! let validator = Validator::compile(&schema.into(), &Limits::default())?;
//! assert_eq!(validator.is_valid(&json!({"a": 1}).into()), Ok(true));
//!
//! let mismatches = validator.mismatches(&json!({"a": "1"}).into())?;
//! assert_eq!(mismatches[0].to_string(), "expected /a is an integer\ngot \"1\", which is a string");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounds;
mod definitions;
mod error;
mod formats;
mod limits;
mod meter;
mod mismatch;
mod node;
mod validator;

#[cfg(test)]
mod tests;

pub use definitions::Definitions;
pub use error::{Bound, CompileError, Unfinished};
pub use formats::Formats;
pub use limits::Limits;
pub use validator::Validator;
