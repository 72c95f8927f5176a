//! Limits on what a text may cost.

use crate::json::DEPTH_LIMIT;

/// What a text may cost. Beyond a limit reading stops with a [`Problem`](super::Problem).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the text.
    pub bytes: usize,
    /// Nesting of lists and mappings, including what aliases copy.
    pub depth: usize,
    /// Documents, including broken ones.
    pub documents: usize,
    /// Nodes in all documents together, and separately comments.
    pub nodes: usize,
    /// Bytes that anchors and aliases may copy, in all documents together.
    pub copied: usize,
}

impl Default for Limits {
    /// 16 MiB, 128 levels, 100,000 documents, 500,000 nodes, which take up to 300 bytes each, and 16 MiB of copies.
    fn default() -> Self {
        Self {
            bytes: 16 << 20,
            // A document becomes a JSON value, which may not be deeper than what the JSON parser accepts.
            depth: DEPTH_LIMIT,
            documents: 100_000,
            nodes: 500_000,
            copied: 16 << 20,
        }
    }
}
