//! Matchers: what a value is expected to be, and the words for why it is not.
//!
//! A [`Matcher`] describes itself ("a non-empty string") and, where a value does not match, tells
//! the place, what was expected there, what stands there instead, and what that is. Matchers are
//! about JSON values in general; what MCP says about them, and whose fault a mismatch is, is
//! decided further up.
//!
//! ```
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
pub mod words;

pub use array::{
    array, array_of, array_of_length, first, item, non_empty_array, non_empty_array_of, some_item,
};
pub use combine::{all_of, any_of, not};
pub use matcher::{Matcher, Satisfying, satisfying};
pub use mismatch::Mismatch;
pub use number::{integer, number, number_between};
pub use object::{ObjectMatcher, empty_object, object};
pub use text::{
    InCharacters, TextWith, in_characters, non_empty_string, string, text_containing,
    text_starting_with,
};
pub use value::{Equals, OneOf, anything, boolean, equals, null, one_of};
