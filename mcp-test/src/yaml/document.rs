//! A document, and the stream of them that a text is.

use super::{Comment, Node, Problem, Span, comment};

/// A text, document by document.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Stream {
    /// The documents; one that is broken does not hide those after it.
    pub documents: Vec<Result<Document, Broken>>,
    /// Comments after the last document, or those of a text that has no document.
    pub comments: Vec<Comment>,
    /// Whether the text begins with a byte order mark.
    pub bom: bool,
    /// Whether its lines end with a carriage return and a line feed.
    pub crlf: bool,
}

/// A document that was read.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Document {
    /// The whole of it, from its directives, its comments or its `---` to where the next document begins.
    pub span: Span,
    /// The directives, such as `%YAML 1.2`.
    pub directives: Vec<String>,
    /// Comments before its `---`, if those are not still part of the document before.
    pub comments: Vec<Comment>,
    /// Whether a `---` begins it.
    pub explicit: bool,
    /// Whether an empty line stands before that.
    pub gap: bool,
    /// What stands in it; [`Kind::Null`](super::Kind::Null) if that is nothing.
    pub root: Node,
    /// What is wrong with it, although it could be read: duplicate keys, unknown tags.
    pub problems: Vec<Problem>,
}

/// A document that could not be read.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Broken {
    /// Why not.
    pub problem: Problem,
    /// The whole of it, as far as that can be told.
    pub span: Span,
    /// Its text.
    pub text: String,
    /// Whether an empty line stands before it.
    pub gap: bool,
}

impl Document {
    /// Whether another one says the same, with the same comments.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.directives == other.directives
            && comment::are_like(&self.comments, &other.comments)
            && self.root.is_like(&other.root)
    }

    /// A document with this root.
    #[must_use]
    pub fn new(root: Node) -> Self {
        Self {
            span: Span::default(),
            directives: Vec::new(),
            comments: Vec::new(),
            explicit: false,
            gap: false,
            root,
            problems: Vec::new(),
        }
    }
}
