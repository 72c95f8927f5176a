//! Matchers for JSON values, and the wording of their failures.
//!
//! A [`Matcher`] describes itself ("a non-empty string"). Its [`Mismatch`] contains the location,
//! what was expected there, and what was found instead. Matchers know nothing about MCP, nor who is
//! to blame for a mismatch. A plain value, such as `3`, `"add"` or `json!([1, 2])`, is a matcher of what equals it.
//!
//! ```
//! # extern crate mcp_test_core as mcp_test;
//! use mcp_test::{expect::*, json::Value};
//!
//! let tools = object().member("tools", array_of(object().member("name", non_empty_string())));
//! let got = Value::parse(br#"{"tools": [{"name": "add"}, {"name": 7}]}"#)?.value;
//! assert_eq!(
//!     tools.check(&got).unwrap_err().to_string(),
//!     "expected /tools/1/name is a non-empty string\ngot 7, which is a number",
//! );
//! # Ok::<(), mcp_test::json::ParseError>(())
//! ```

mod array;
mod combine;
mod matcher;
mod mismatch;
mod number;
mod object;
mod text;
mod value;
#[doc(hidden)]
pub mod words;

pub use array::{
    array, array_of, array_of_length, first, item, non_empty_array, non_empty_array_of, some_item,
};
pub use combine::{all_of, any_of, not};
#[doc(hidden)]
pub use matcher::Satisfying;
pub use matcher::{Matcher, satisfying};
pub use mismatch::Mismatch;
pub use number::{integer, number, number_between};
pub use object::{ObjectMatcher, empty_object, object};
#[doc(hidden)]
pub use text::{InCharacters, TextWith};
pub use text::{in_characters, non_empty_string, string, text_containing, text_starting_with};
#[doc(hidden)]
pub use value::{Equals, OneOf};
pub use value::{anything, boolean, equals, null, one_of};
