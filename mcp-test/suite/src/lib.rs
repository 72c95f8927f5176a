//! The built-in scenarios of [mcp-test](https://docs.rs/mcp-test), the proofs that their checks can fail, and generated calls.
//!
//! Use them through the crate `mcp-test` or the command `mcp-test`. This crate promises no stable API.

pub mod explore;
pub mod generate;
mod known_values;
pub mod scenarios;
