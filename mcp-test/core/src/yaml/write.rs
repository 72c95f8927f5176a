//! Serializes documents.
//!
//! Order, styles and comments are kept; indentation is two columns per level, with one space after a colon and a comma. Flow
//! collections keep their line breaks: after an opening bracket at the end of a line each line is indented, otherwise lines are
//! aligned with the first item. YAML's grammar requires a closing bracket to be indented further than its key; one that is in
//! the column of its key, which most parsers accept, stays there.

mod block;
mod flow;
mod scalar;

use super::read::{END, START, is_marked};
use super::{Comment, Document, Member, Node, Spacing, Stream};

/// Columns per level.
const STEP: usize = 2;

/// Writes a text that [reads](super::read()) as this stream; broken documents are written unchanged.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::yaml::{self, Limits};
///
/// let stream = yaml::read("case:   Ping\nin: {method: ping,id: 1}   # asks\n", &Limits::default());
/// assert_eq!(yaml::write(&stream), "case: Ping\nin: {method: ping, id: 1}   # asks\n");
/// ```
#[must_use]
pub fn write(stream: &Stream) -> String {
    let documents = stream.documents.iter().enumerate().map(|(index, document)| match document {
        Ok(document) => lines(document_text(document, index > 0, usize::MAX), stream),
        Err(broken) => broken.text.clone(),
    });
    join(stream, &documents.collect::<Vec<_>>())
}

/// Joins the texts of documents.
pub(super) fn join(stream: &Stream, texts: &[String]) -> String {
    let mut out = String::new();
    for (document, text) in stream.documents.iter().zip(texts) {
        // An unchanged document may begin on the line of the `...` before it.
        let text = if out.is_empty() { text } else { text.trim_start_matches(['\r', '\n']) };
        if !out.is_empty() {
            end_line(&mut out, stream);
            // Without a marker between them, the text would be read as part of the document before it.
            if !is_marked(text, START) && !has_ended(&out) {
                out.push_str(END);
                end_line(&mut out, stream);
            } else if document.as_ref().map_or_else(|broken| broken.gap, |document| document.gap) {
                leave_gap(&mut out, stream);
            }
        }
        out.push_str(text);
    }
    if !stream.comments.is_empty() {
        // Only behind `...` do comments not belong to the last document.
        if !out.is_empty() && !has_ended(&out) {
            end_line(&mut out, stream);
            out.push_str(END);
        }
        end_line(&mut out, stream);
        let mut writer = Writer::new(usize::MAX);
        writer.comments(stream.comments.iter(), 0);
        out.push_str(&lines(writer.out, stream));
    }
    // A line break would change a document that is broken because of how it ends.
    if !stream.comments.is_empty() || !matches!(stream.documents.last(), Some(Err(_))) {
        end_line(&mut out, stream);
    }
    // Spans begin behind the mark, except that of a text which is refused as a whole for its length.
    if stream.bom && !out.starts_with('\u{feff}') {
        out.insert(0, '\u{feff}');
    }
    out
}

/// A text with the line endings of the stream.
pub(super) fn lines(text: String, stream: &Stream) -> String {
    if stream.crlf { text.replace('\n', "\r\n") } else { text }
}

/// Whether the last line is a `...`.
pub(super) fn has_ended(out: &str) -> bool {
    let out = out.trim_end_matches(['\r', '\n']);
    is_marked(&out[out.rfind(['\n', '\r']).map_or(0, |at| at + 1)..], END)
}

fn end_line(out: &mut String, stream: &Stream) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push_str(if stream.crlf { "\r\n" } else { "\n" });
    }
}

fn leave_gap(out: &mut String, stream: &Stream) {
    if !out.ends_with("\n\n") && !out.ends_with("\n\r\n") {
        out.push_str(if stream.crlf { "\r\n" } else { "\n" });
    }
}

/// One document with the comments and directives above its `---`. Writing stops once the text is longer than `most`.
pub(super) fn document_text(document: &Document, marked: bool, most: usize) -> String {
    let mut writer = Writer::new(most);
    writer.comments(document.comments.iter(), 0);
    for directive in &document.directives {
        writer.start_line(0);
        writer.out.push_str(directive);
    }
    let has_head = !document.comments.is_empty() || !document.directives.is_empty();
    // Directives need a `---` below them, and comments without one would be read as those of the root.
    let is_marked = marked || document.explicit || has_head;
    writer.root(&document.root, is_marked);
    writer.start_line(0);
    writer.out
}

/// An item of a list, or a member of a mapping.
struct Item<'n> {
    key: Option<&'n Node>,
    value: &'n Node,
}

impl<'n> Item<'n> {
    fn all(node: &'n Node) -> impl Iterator<Item = Self> {
        let items = node.as_list().unwrap_or_default().iter();
        let members = node.as_mapping().unwrap_or_default().iter();
        let members = members.map(|Member { key, value }| Self { key: Some(key), value });
        items.map(|value| Self { key: None, value }).chain(members)
    }
}

/// Writes one document.
struct Writer {
    out: String,
    /// The length beyond which writing stops.
    most: usize,
    /// The number of open brackets.
    brackets: usize,
    /// Whether a key is being written, which must be one line without comments.
    is_key: bool,
}

impl Writer {
    const fn new(most: usize) -> Self {
        Self { out: String::new(), most, brackets: 0, is_key: false }
    }

    /// Whether the text is longer than allowed.
    const fn is_full(&self) -> bool {
        self.out.len() > self.most
    }

    /// Starts an indented line, unless one has just been started.
    fn start_line(&mut self, indent: usize) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    /// Writes a blank line, unless at the beginning of the text.
    fn gap(&mut self) {
        self.start_line(0);
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Writes comments on their own lines.
    fn comments<'c>(&mut self, comments: impl Iterator<Item = &'c Comment>, indent: usize) {
        for comment in comments {
            if comment.gap {
                self.gap();
            }
            self.start_line(indent);
            self.comment(comment);
        }
    }

    fn comment(&mut self, comment: &Comment) {
        self.out.push('#');
        self.out.push_str(&comment.text);
    }

    /// Writes a comment on the current line.
    fn trailing_comment(&mut self, comment: Option<&Comment>) {
        if let Some(comment) = comment {
            self.out.extend(std::iter::repeat_n(' ', comment.pad.max(1)));
            self.comment(comment);
        }
    }

    /// Writes the comments above an item and those with no other place, and starts its line.
    fn lead(&mut self, node: &Node, strays: &[&Comment], is_first: bool, indent: usize) {
        let mut above = node.comments().above.iter().chain(strays.iter().copied()).peekable();
        let has_above = above.peek().is_some();
        if is_first && let Some(first) = above.next() {
            self.start_line(indent);
            self.comment(first);
        }
        self.comments(above, indent);
        if node.spacing == Spacing::BlankLine && (!is_first || has_above) {
            self.gap();
        }
        self.start_line(indent);
    }

    /// Writes anchor and tag, each after a space.
    fn properties(&mut self, node: &Node) {
        if let Some(anchor) = node.anchor() {
            self.out.push_str(" &");
            self.out.push_str(anchor);
        }
        if let Some(tag) = node.tag() {
            self.out.push(' ');
            self.out.push_str(tag);
        }
    }
}
