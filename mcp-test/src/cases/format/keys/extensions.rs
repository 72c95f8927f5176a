//! A key with `_`, and what the keys of a case are read into.

use mcp_test_core::yaml::{Node, Span};
use serde_json::Value;

use crate::cases::format::context::ReadContext;
use crate::cases::format::extension::{Capture, Rule, Settings};

/// A key with `_`.
pub(in crate::cases::format) struct Key {
    pub(in crate::cases::format) name: &'static str,
    /// Its meaning, in one sentence.
    pub(in crate::cases::format) summary: &'static str,
    /// Examples of its value.
    pub(in crate::cases::format) examples: fn() -> Value,
    /// The JSON Schema of its value.
    pub(in crate::cases::format) schema: fn() -> Value,
    /// Reads its value.
    pub(in crate::cases::format) read: fn(&mut ReadContext<'_>, &Node, &mut Extensions),
}

/// The values of the keys with `_` of one case.
#[derive(Default)]
pub(in crate::cases::format) struct Extensions {
    /// Whether the case has any of them.
    pub(in crate::cases::format) are_given: bool,
    pub(in crate::cases::format) settings: Settings,
    /// The key of the message, the range of that key, and the rule.
    pub(in crate::cases::format) rules: Vec<(String, Span, Rule)>,
    pub(in crate::cases::format) captures: Vec<(String, Span, Vec<Capture>)>,
}

/// The items of a list, or a single node.
pub(super) fn each(node: &Node) -> &[Node] {
    node.as_list().unwrap_or(std::slice::from_ref(node))
}
