//! A document, and the stream of documents in a text.

use super::{Comment, Node, Problem, Span, comment};

/// The documents of a text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stream {
    /// The documents; a broken one does not hide those after it.
    pub documents: Vec<Result<Document, Broken>>,
    /// Comments after the last document, or all comments of a text without documents.
    pub comments: Vec<Comment>,
    /// Whether the text begins with a byte order mark.
    pub bom: bool,
    /// Whether lines end with CRLF.
    pub crlf: bool,
}

/// A document that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Its range, from its directives, comments or `---` to the start of the next document.
    pub span: Span,
    /// The directives, such as `%YAML 1.2`.
    pub directives: Vec<String>,
    /// Comments above its `---`, unless they belong to the previous document.
    pub comments: Vec<Comment>,
    /// Whether it begins with `---`.
    pub explicit: bool,
    /// Whether a blank line precedes its `---`.
    pub gap: bool,
    /// Its content; [`Kind::Null`](super::Kind::Null) if it is empty.
    pub root: Node,
    /// Problems that do not keep it from being read: duplicate keys, unknown tags.
    pub problems: Vec<Problem>,
}

/// A document that could not be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Broken {
    /// Why it could not be read.
    pub problem: Problem,
    /// Its range, as far as it is known.
    pub span: Span,
    /// Its text.
    pub text: String,
    /// Whether a blank line precedes it.
    pub gap: bool,
}

impl Document {
    /// Whether another document has the same content and comments.
    pub(super) fn has_same_content(&self, other: &Self) -> bool {
        self.directives == other.directives
            && comment::same_texts(&self.comments, &other.comments)
            && self.root.has_same_content(&other.root)
    }

    /// Creates a document.
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
