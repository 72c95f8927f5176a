//! What is wrong with a text, and where.

use std::fmt;

use granit_parser::Tag;

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

/// The problems of a document, as far as anybody would read them.
#[derive(Default)]
pub(super) struct Problems {
    pub(super) list: Vec<Problem>,
}

impl Problems {
    pub(super) fn tell(&mut self, problem: Problem) {
        const MOST: usize = 100;
        if self.list.len() < MOST {
            self.list.push(problem);
        }
    }

    pub(super) fn odd_tag(&mut self, tag: &Tag, span: Span) {
        let name = tag.original();
        let message = match tag.is_yaml_core_schema() {
            true => format!("the tag `{}` does not fit its value", shown(&name)),
            false => format!("the tag `{}` means nothing here", shown(&name)),
        };
        self.tell(Problem::new(ProblemKind::Tag, span, message));
    }
}

/// A name as messages show it: not too long, and without what would garble a terminal.
pub(super) fn shown(name: &str) -> String {
    const MOST: usize = 60;
    let mut chars = name.chars();
    let visible = |char: char| if char.is_control() { '\u{fffd}' } else { char };
    let mut shown: String = chars.by_ref().take(MOST).map(visible).collect();
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}
