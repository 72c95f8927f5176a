//! How much of a text is read.

use crate::json::DEPTH_LIMIT;

/// What a text may cost; beyond it reading stops, with a problem that names the place.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of the text.
    pub bytes: usize,
    /// Levels of lists and mappings, those that aliases bring along included.
    pub depth: usize,
    /// Documents of the text, broken ones included.
    pub documents: usize,
    /// Nodes of all documents together; and as many comments.
    pub nodes: usize,
    /// Bytes that anchors and aliases may copy, in all documents together.
    pub copied: usize,
}

impl Default for Limits {
    /// 16 MiB, 128 levels, 100,000 documents, two million nodes, and 16 MiB of copies.
    fn default() -> Self {
        Self {
            bytes: 16 << 20,
            depth: DEPTH_LIMIT,
            documents: 100_000,
            nodes: 2_000_000,
            copied: 16 << 20,
        }
    }
}
