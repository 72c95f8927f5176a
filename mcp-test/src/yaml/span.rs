//! A stretch of a file: by byte, and by line and column for people.

use std::ops::Range;

/// Where something stands in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// The byte that it begins with.
    pub start: usize,
    /// The byte after its last one.
    pub end: usize,
    /// The line of its beginning, counted from one.
    pub line: usize,
    /// The column of its beginning, in characters, counted from one.
    pub column: usize,
}

impl Span {
    /// The bytes.
    #[must_use]
    pub const fn bytes(self) -> Range<usize> {
        self.start..self.end
    }
}
