//! Comments, and where they stand about a node.

use super::Span;

/// A comment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Comment {
    /// What follows the `#`, to the end of the line.
    pub text: String,
    /// Where it stands, from the `#` on.
    pub span: Span,
    /// Whether an empty line stands before it.
    pub gap: bool,
    /// How many blanks stand before it, which keeps comments aligned that were.
    pub(super) pad: usize,
}

/// Whether two sets of comments say the same.
pub(super) fn are_like(ours: &[Comment], theirs: &[Comment]) -> bool {
    let same = |(ours, theirs): (&Comment, &Comment)| ours.is_like(theirs);
    ours.len() == theirs.len() && ours.iter().zip(theirs).all(same)
}

impl Comment {
    fn is_like(&self, other: &Self) -> bool {
        self.text.trim_end() == other.text.trim_end()
    }

    /// A comment that says this: a blank is put before it.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let text = if text.is_empty() { String::new() } else { format!(" {text}") };
        Self { text, ..Self::default() }
    }
}

/// The comments about a node.
///
/// ```yaml
/// # above the key
/// key: # at the value: beside what comes before it
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
#[non_exhaustive]
pub struct Comments {
    /// On lines of their own, before the node.
    pub above: Vec<Comment>,
    /// In the line in which the node begins: behind its key, its `-`, its bracket or its `|`.
    pub at: Option<Comment>,
    /// On lines of their own, after the last item of a list or mapping, and still inside of it.
    pub below: Vec<Comment>,
    /// In the line in which the node ends.
    pub beside: Option<Comment>,
}

impl Comments {
    /// None at all.
    pub(super) const NONE: &Self =
        &Self { above: Vec::new(), at: None, below: Vec::new(), beside: None };

    pub(super) fn are_like(&self, other: &Self) -> bool {
        let same = |ours: &Option<Comment>, theirs: &Option<Comment>| match (ours, theirs) {
            (Some(ours), Some(theirs)) => ours.is_like(theirs),
            (ours, theirs) => ours.is_none() && theirs.is_none(),
        };
        are_like(&self.above, &other.above)
            && same(&self.at, &other.at)
            && are_like(&self.below, &other.below)
            && same(&self.beside, &other.beside)
    }

    /// All of them, in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = &Comment> {
        self.above.iter().chain(&self.at).chain(&self.below).chain(&self.beside)
    }
}
