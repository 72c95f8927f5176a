//! From documents to text.
//!
//! Order, styles and comments are kept; indentation and blanks are ours: two columns for each level, one blank after a colon
//! and a comma. What stands in brackets keeps its line breaks: with one after the opening bracket each line is indented, and
//! otherwise the lines go on below the first item. The grammar of YAML wants brackets to close further in than their key
//! begins; those that close right below it, as most readers of YAML let them, go on doing so.

mod block;
mod flow;
mod scalar;

use super::read::{END, START, is_marked};
use super::{Before, Comment, Document, Node, Stream};

/// The columns of a level.
const STEP: usize = 2;

/// Writes a text that [reads](super::read()) as this stream; broken documents stand as they stood.
///
/// ```
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

/// Puts the texts of documents together.
pub(super) fn join(stream: &Stream, texts: &[String]) -> String {
    let mut out = String::new();
    for (document, text) in stream.documents.iter().zip(texts) {
        // What was kept as it stood may begin in the line of the `...` before it.
        let text = if out.is_empty() { text } else { text.trim_start_matches(['\r', '\n']) };
        if !out.is_empty() {
            end_line(&mut out, stream);
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
        if !out.is_empty() && !has_ended(&out) {
            end_line(&mut out, stream);
            out.push_str(END);
        }
        end_line(&mut out, stream);
        let mut writer = Writer::new(usize::MAX);
        writer.comments(stream.comments.iter(), 0);
        out.push_str(&lines(writer.out, stream));
    }
    // What is broken may be so because of how it ends.
    if !stream.comments.is_empty() || !matches!(stream.documents.last(), Some(Err(_))) {
        end_line(&mut out, stream);
    }
    if stream.bom && !out.starts_with('\u{feff}') {
        out.insert(0, '\u{feff}');
    }
    out
}

/// A text that was written, with the line ends of the stream.
pub(super) fn lines(text: String, stream: &Stream) -> String {
    if stream.crlf { text.replace('\n', "\r\n") } else { text }
}

/// Whether the last line is a `...`.
pub(super) fn has_ended(out: &str) -> bool {
    let out = out.trim_end_matches(['\r', '\n']);
    is_marked(&out[out.rfind('\n').map_or(0, |at| at + 1)..], END)
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

/// A document alone, with what stands before its `---`. The text breaks off when it is longer than `most`.
pub(super) fn document_text(document: &Document, marked: bool, most: usize) -> String {
    let mut writer = Writer::new(most);
    writer.comments(document.comments.iter(), 0);
    for directive in &document.directives {
        writer.start_line(0);
        writer.out.push_str(directive);
    }
    let has_head = !document.comments.is_empty() || !document.directives.is_empty();
    let is_marked = marked || document.explicit || has_head;
    writer.root(&document.root, is_marked);
    writer.start_line(0);
    writer.out
}

struct Writer {
    out: String,
    most: usize,
    /// How many brackets are open.
    brackets: usize,
    /// Whether a key is being written, which has one line and no comments.
    is_key: bool,
}

impl Writer {
    const fn new(most: usize) -> Self {
        Self { out: String::new(), most, brackets: 0, is_key: false }
    }

    /// Whether there is no room left.
    const fn is_full(&self) -> bool {
        self.out.len() > self.most
    }

    /// Goes to the beginning of a line.
    fn start_line(&mut self, indent: usize) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    /// Leaves an empty line, unless nothing stands before it.
    fn gap(&mut self) {
        self.start_line(0);
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Comments on lines of their own.
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
        self.out.push_str(comment.text.trim_end());
    }

    /// A comment in the line at hand.
    fn remark(&mut self, comment: Option<&Comment>) {
        if let Some(comment) = comment {
            self.out.extend(std::iter::repeat_n(' ', comment.pad.max(1)));
            self.comment(comment);
        }
    }

    /// What stands above an item, together with comments that find no other place, and the beginning of its line.
    fn lead(&mut self, node: &Node, strays: &[&Comment], is_first: bool, indent: usize) {
        let mut above = node.comments().above.iter().chain(strays.iter().copied()).peekable();
        let has_above = above.peek().is_some();
        if is_first && let Some(first) = above.next() {
            self.start_line(indent);
            self.comment(first);
        }
        self.comments(above, indent);
        if node.before == Before::Gap && (!is_first || has_above) {
            self.gap();
        }
        self.start_line(indent);
    }

    /// Anchor and tag, each with the blank before it.
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
