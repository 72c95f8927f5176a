//! JSON Schema validation of lossless values, by untrusted schemas and within limits.
//!
//! This is the only module that uses the `jsonschema` crate, which appears in no signature. The crate is generic over value
//! types, so it reads [`json::Value`](crate::json::Value) without a conversion: numbers are compared exactly, and only the
//! last of duplicate members counts.
//!
//! A schema may come from a hostile peer. [`Limits`] apply twice: before it is compiled (size, nesting, references, schemas
//! applied to one value) and while it validates a value (steps, time, stack). Exceeding the first is a [`CompileError`],
//! exceeding the second is [`Aborted`]; neither is a verdict. Nothing is ever fetched.
//!
//! The module does not know where schemas come from, nor who is to blame for a mismatch.
//!
//! ```
//! # extern crate mcp_test_core as mcp_test;
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
mod reference;
mod validator;

#[cfg(test)]
mod tests;

pub use definitions::Definitions;
pub use error::{Aborted, Bound, CompileError};
pub use formats::Formats;
pub use limits::Limits;
#[doc(hidden)]
pub use mismatch::Failure;
pub use validator::Validator;
