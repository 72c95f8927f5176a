//! An error in a YAML text, with its span.

use std::fmt;

use granit_parser::{ErrorKind, Tag};

use super::Span;
use crate::json::is_deceptive;

/// An error in a YAML text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The kind of problem.
    pub kind: ProblemKind,
    /// Where it is.
    pub span: Span,
    /// What is wrong: ``the key `a` occurs twice``.
    pub message: String,
    /// Related spans, each with a label.
    pub also: Vec<(Span, String)>,
}

/// The kind of a [`Problem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// The bytes are not UTF-8.
    Encoding,
    /// A character that YAML does not allow.
    Character,
    /// The text is not YAML.
    Syntax(SyntaxError),
    /// A [limit](super::Limits) is exceeded.
    Limit,
    /// An alias inside the node it names.
    Alias,
    /// A key that occurs twice in a mapping.
    Duplicate,
    /// A key that is a list or a mapping, which JSON does not have.
    Key,
    /// A tag outside the core schema, or one that does not fit its value.
    Tag,
    /// A number that JSON does not have, such as `.inf`; it is read as a string.
    Number,
    /// A plain key `<<`: YAML 1.2 has no merging, it is an ordinary key.
    Merge,
    /// A carriage return without a line feed: it ends a line in YAML, but not in most tools.
    LineBreak,
}

/// What breaks the syntax of YAML, as far as advice depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyntaxError {
    /// A tab where YAML only allows spaces.
    Tab,
    /// An alias of an anchor that does not exist.
    UnknownAnchor,
    /// A quoted string that is not closed, or goes on behind its closing quote.
    Quote,
    /// A `:` where no mapping can be.
    MappingValue,
    /// A line that is not indented like the lines it belongs to.
    Indentation,
    /// A flow mapping without `,` or `}`.
    FlowMapping,
    /// A flow sequence without `,` or `]`.
    FlowSequence,
    /// Anything else.
    Other,
}

impl SyntaxError {
    pub(super) const fn of(kind: &ErrorKind) -> Self {
        match kind {
            ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation
            | ErrorKind::TabAtBlockScalarStart
            | ErrorKind::TabInIndentation
            | ErrorKind::TabInPlainScalar => Self::Tab,
            ErrorKind::UnknownAnchor => Self::UnknownAnchor,
            ErrorKind::UnclosedQuotedScalar
            | ErrorKind::DocumentIndicatorInQuotedScalar
            | ErrorKind::InvalidQuotedScalarIndent
            | ErrorKind::InvalidTrailingSingleQuotedScalar
            | ErrorKind::InvalidTrailingDoubleQuotedScalar => Self::Quote,
            ErrorKind::MappingValueNotAllowed => Self::MappingValue,
            ErrorKind::ExpectedBlockMappingKey
            | ErrorKind::InvalidIndentation
            | ErrorKind::InvalidFlowScalarIndent => Self::Indentation,
            ErrorKind::ExpectedFlowMappingSeparator => Self::FlowMapping,
            ErrorKind::ExpectedFlowSequenceSeparator => Self::FlowSequence,
            _ => Self::Other,
        }
    }
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

/// The first problems of a document.
#[derive(Default)]
pub(super) struct Problems {
    pub(super) list: Vec<Problem>,
}

impl Problems {
    pub(super) fn push(&mut self, problem: Problem) {
        // In a large text every key or tag may be wrong, and nobody reads more problems than these.
        const MOST: usize = 100;
        if self.list.len() < MOST {
            self.list.push(problem);
        }
    }

    pub(super) fn push_tag(&mut self, tag: &Tag, span: Span) {
        let name = tag.original();
        let message = match tag.is_yaml_core_schema() {
            true => format!("the tag `{}` does not fit its value", printable(&name)),
            false => format!("the tag `{}` has no meaning here", printable(&name)),
        };
        self.push(Problem::new(ProblemKind::Tag, span, message));
    }
}

/// A name as shown in messages: bounded in length, and without what controls a terminal, hides or reverses text.
pub(super) fn printable(name: &str) -> String {
    const MOST: usize = 60;
    let mut chars = name.chars();
    let visible = |char: char| if is_deceptive(char) { '\u{fffd}' } else { char };
    let mut shown: String = chars.by_ref().take(MOST).map(visible).collect();
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}
