//! Bounds of generation, and values without parts at the boundaries of their keywords.

use mcp_test_core::json::Value;

use super::document::NodeId;
use super::shape::Shape;

/// The longest text that is generated, in characters.
pub(super) const MAX_TEXT: usize = 1 << 16;

/// The most items of an array and members of an object that are generated.
pub(super) const MAX_PARTS: usize = 1 << 10;

/// How deep generated values nest.
pub(super) const MAX_DEPTH: usize = 32;

/// The longest value that is generated, in bytes of JSON, roughly.
pub(super) const MAX_BYTES: usize = 1 << 20;

/// A value at a boundary of a keyword, or beyond it.
#[derive(Debug, Clone)]
pub(super) struct Leaf {
    pub(super) value: Value,
    pub(super) keyword: &'static str,
    pub(super) node: NodeId,
    pub(super) is_stated: bool,
    /// To be read after the location: `has the least length, 1`.
    pub(super) predicate: String,
}

impl Leaf {
    /// At a boundary that a keyword states.
    pub(super) fn stated(
        value: impl Into<Value>,
        (keyword, node): (&'static str, NodeId),
        predicate: impl Into<String>,
    ) -> Self {
        let (value, predicate) = (value.into(), predicate.into());
        Self { value, keyword, node, is_stated: true, predicate }
    }

    /// Of what the type leaves open.
    pub(super) fn open(
        value: impl Into<Value>,
        shape: &Shape,
        predicate: impl Into<String>,
    ) -> Self {
        let (value, predicate) = (value.into(), predicate.into());
        Self { value, keyword: "type", node: shape.node(), is_stated: false, predicate }
    }
}

/// A value with its size in bytes, roughly.
#[derive(Debug, Clone)]
pub(super) struct Sized {
    pub(super) value: Value,
    pub(super) size: usize,
}

/// A value without parts, or one that the schema states.
pub(super) fn sized(value: Value) -> Sized {
    let size = match &value {
        Value::String(text) => text.len() + 2,
        Value::Array(_) | Value::Object(_) => value.to_string().len(),
        Value::Number(number) => number.as_str().len(),
        Value::Null | Value::Bool(_) => 4,
    };
    Sized { value, size }
}
