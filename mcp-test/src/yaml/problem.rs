//! What is wrong with a text, and where.

use std::fmt;

use super::Span;

/// What is wrong at one place of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// What sort of problem it is.
    pub kind: ProblemKind,
    /// Where it is.
    pub span: Span,
    /// What is wrong, in a clause: `the key "a" occurs twice`.
    pub message: String,
    /// Other places that have to do with it, and what is there.
    pub also: Vec<(Span, String)>,
}

/// The sorts of [`Problem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The bytes are not UTF-8.
    Encoding,
    /// A character that YAML does not allow.
    Character,
    /// The text is no YAML.
    Syntax,
    /// More than the [`Limits`](super::Limits) allow.
    Limit,
    /// An alias that stands inside of what it names.
    Alias,
    /// A key that the mapping has already.
    Duplicate,
    /// A key that is a list or a mapping, which JSON does not have.
    Key,
    /// A tag that is not of the core schema, or that its value does not fit.
    Tag,
    /// A number that JSON does not have, such as `.inf`; it is read as a text.
    Number,
    /// A plain key `<<`: merging is no part of YAML 1.2, the key is one like any other.
    Merge,
    /// A carriage return without a line feed: YAML ends a line there, most tools do not.
    LineBreak,
}

impl Problem {
    pub(super) fn new(kind: ProblemKind, span: Span, message: impl Into<String>) -> Self {
        Self { kind, span, message: message.into(), also: Vec::new() }
    }

    pub(super) fn also(mut self, span: Span, what: impl Into<String>) -> Self {
        self.also.push((span, what.into()));
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.span.line, self.span.column, self.message)
    }
}

impl std::error::Error for Problem {}
