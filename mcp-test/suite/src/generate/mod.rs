//! Values from a JSON Schema: arguments for a tool from its `inputSchema`.
//!
//! Three kinds are made: valid values at the boundaries of each keyword, values that violate exactly one keyword, and random
//! valid values as a strategy of proptest. Whatever is made is then classified by the
//! [`Validator`](mcp_test_core::json_schema::Validator): what is not of the intended class is dropped, so that a mistake here loses a
//! sample and never makes a wrong verdict.
//!
//! A schema comes from a server and may be hostile. It is first checked by [`Limits`](mcp_test_core::json_schema::Limits); its values are
//! bounded in length, number of parts, depth and total size, and the effort for each phase by a number of variants and by time. What
//! is beyond a bound, or has no valid value, is a [`GenerateError`] that names the location in the schema.
//!
//! # What was compared
//!
//! - `noson` makes one random value without boundaries, knows no `pattern`, does not shrink, and prints what the validator then
//!   refuses for `oneOf` with overlapping alternatives.
//! - Strategies of `proptest`, composed along the schema, need a tree for all that a schema allows, which schemas that refer to
//!   themselves do not have, and shrink each part without regard to the others. So there is one strategy for the whole value, which
//!   draws from the generator of random numbers of `proptest` and shrinks through the validator.
//! - The strategies of `proptest` for regular expressions refuse anchors and give no text of a certain length: the expression is
//!   parsed by `regex-syntax`, as there, and walked here.
//!
//! Integers that are mirrored into headers (`x-mcp-header`) stay in the range that clients may send. Formats are annotations: a text
//! without the stated format has a class of its own, [`Class::FormatOnly`].

mod candidates;
mod classifier;
mod coverage;
mod decimal;
mod document;
mod error;
mod expand;
mod formats;
mod generator;
mod items;
mod leaf;
mod members;
mod model;
mod numbers;
mod pattern;
mod presence;
mod random;
mod sample;
mod sample_set;
mod shape;
mod smaller;
mod stated;
mod strategy;
mod texts;
mod variant;
mod violations;

#[cfg(test)]
mod tests;

pub use error::GenerateError;
pub use generator::Generator;
pub use sample::{Class, Exercised, Sample};
