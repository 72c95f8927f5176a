//! The file format, its reader and its diagnostics.
//!
#![doc = include_str!("../FORMAT.md")]

pub(super) mod capture;
pub(super) mod case;
mod context;
pub(super) mod diagnostic;
pub(super) mod document;
pub(super) mod error;
pub(super) mod expand;
pub(super) mod expression;
pub(super) mod extension;
pub(super) mod files;
mod id;
pub(super) mod inputs;
mod keys;
pub(super) mod lints;
pub(super) mod message;
mod placeholders;
pub(super) mod read;
pub(super) mod schema;
pub(super) mod suggest;
mod syntax;
#[cfg(test)]
mod tests;
pub(super) mod values;
