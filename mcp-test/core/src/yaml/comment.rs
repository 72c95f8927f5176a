//! Comments, and their positions relative to a node.

use super::Span;

/// A comment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comment {
    /// What follows the `#` on the line, without trailing whitespace.
    pub text: String,
    /// Its range, from the `#` on.
    pub span: Span,
    /// Whether a blank line precedes it.
    pub gap: bool,
    /// The number of spaces before it, so that aligned comments stay aligned.
    pub(super) pad: usize,
}

/// Whether two lists of comments have the same texts.
pub(super) fn same_texts(ours: &[Comment], theirs: &[Comment]) -> bool {
    ours.iter().map(|it| &it.text).eq(theirs.iter().map(|it| &it.text))
}

impl Comment {
    /// Creates a comment; a space is put before the text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let text = format!(" {text}").trim_end().to_owned();
        Self { text, ..Self::default() }
    }
}

/// The comments of a node.
///
/// ```yaml
/// # above the key
/// key: # at the value, on the line of its key
///   # above the value
///   [ 1 ] # beside the value
/// list: [ # at the list as well
///   1, # beside the item
///   # below: after the last item, inside the list
/// ]
/// text: | # at the text
///   …
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comments {
    /// On their own lines before the node.
    pub above: Vec<Comment>,
    /// On the line on which the node begins: behind its key, `-`, opening bracket or `|`.
    pub at: Option<Comment>,
    /// On their own lines after the last item of a list or mapping, inside it.
    pub below: Vec<Comment>,
    /// On the line on which the node ends.
    pub beside: Option<Comment>,
}

impl Comments {
    /// No comments.
    pub(super) const NONE: &Self =
        &Self { above: Vec::new(), at: None, below: Vec::new(), beside: None };

    pub(super) fn same_texts(&self, other: &Self) -> bool {
        same_texts(&self.above, &other.above)
            && same_texts(self.at.as_slice(), other.at.as_slice())
            && same_texts(&self.below, &other.below)
            && same_texts(self.beside.as_slice(), other.beside.as_slice())
    }

    /// All comments, in text order.
    pub fn iter(&self) -> impl Iterator<Item = &Comment> {
        self.above.iter().chain(&self.at).chain(&self.below).chain(&self.beside)
    }
}
