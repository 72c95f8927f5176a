//! A range of a text in bytes, with the line and column of its start.

use std::ops::Range;

/// A range of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
    /// The line of the start, counted from one.
    pub line: usize,
    /// The column of the start in characters, counted from one.
    pub column: usize,
}

impl Span {
    /// The range in bytes.
    #[must_use]
    pub const fn bytes(self) -> Range<usize> {
        self.start..self.end
    }
}
