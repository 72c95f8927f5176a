//! Formats a text without changing its content, styles or comments.

use super::read::{START, is_marked};
use super::write::{document_text, has_ended, join, lines};
use super::{Broken, Comment, Document, Limits, Node, Span, Stream, comment, read};

/// A formatted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formatted {
    /// The formatted text.
    pub text: String,
    /// Documents that are unchanged because they are broken or cannot be formatted without loss.
    pub unformatted: Vec<Span>,
}

/// Formats a text: only indentation and spacing change.
///
/// The result is read again and compared in content, styles and comments; a document that differs is left unchanged.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::yaml::{self, Limits};
///
/// let formatted = yaml::format("case:   Ping\n---\ncase: [\n", &Limits::default());
/// assert_eq!(formatted.text, "case: Ping\n---\ncase: [\n");
/// assert_eq!(formatted.unformatted.len(), 1);
/// ```
#[must_use]
pub fn format(text: &str, limits: &Limits) -> Formatted {
    let stream = read(text, limits);
    let (formatted, unformatted) = format_documents(text, &stream, limits);
    let again = read(&formatted, limits);
    // Text around an unchanged document is not always read in the same way again.
    let is_stable =
        unformatted.is_empty() || format_documents(&formatted, &again, limits).0 == formatted;
    if is_stable && has_same_content(&stream, &again) {
        return Formatted { text: formatted, unformatted };
    }
    Formatted { text: text.to_owned(), unformatted: stream.documents.iter().map(span).collect() }
}

/// The text, formatted as far as possible without loss, and the documents left unchanged.
fn format_documents(text: &str, stream: &Stream, limits: &Limits) -> (String, Vec<Span>) {
    // A broken document without a marker may be the rest of the previous one, so nothing may be put between them.
    let may_continue = |(before, document): (&Result<_, _>, &Result<_, Broken>)| {
        let Err(broken) = document else { return false };
        let above = &text[..span(before).end];
        let has_marker = above.ends_with(['\n', '\r']) && is_marked(&broken.text, START);
        !has_marker && !has_ended(above)
    };
    if stream.documents.iter().zip(stream.documents.iter().skip(1)).any(may_continue) {
        return (text.to_owned(), stream.documents.iter().map(span).collect());
    }
    let mut unformatted = Vec::new();
    let mut texts = Vec::with_capacity(stream.documents.len());
    for (index, document) in stream.documents.iter().enumerate() {
        let formatted = match document {
            Ok(document) => format_document(document, index > 0, stream, limits),
            Err(_) => None,
        };
        texts.push(formatted.unwrap_or_else(|| {
            unformatted.push(span(document));
            text[span(document).bytes()].to_owned()
        }));
    }
    (join(stream, &texts), unformatted)
}

const fn span(document: &Result<Document, Broken>) -> Span {
    match document {
        Ok(document) => document.span,
        Err(broken) => broken.span,
    }
}

/// The formatted document, if it reads as the same document and formatting is idempotent.
fn format_document(
    document: &Document,
    marked: bool,
    stream: &Stream,
    limits: &Limits,
) -> Option<String> {
    // Deep nesting could turn a small text into mostly indentation.
    let most = 4 * (document.span.end - document.span.start) + 4096;
    let text = document_text(document, marked, most);
    if text.len() > most {
        return None;
    }
    let again = read(&text, limits);
    let [Ok(same)] = again.documents.as_slice() else {
        return None;
    };
    // Checked, so that a bug of the writer costs the formatting of a document, but never its content.
    let is_stable = same.has_same_content(document)
        && comment_texts(same) == comment_texts(document)
        && again.comments.is_empty()
        && document_text(same, marked, most) == text;
    is_stable.then(|| lines(text, stream))
}

fn has_same_content(ours: &Stream, theirs: &Stream) -> bool {
    ours.documents.len() == theirs.documents.len()
        && comment::same_texts(&ours.comments, &theirs.comments)
        && ours.documents.iter().zip(&theirs.documents).all(|pair| match pair {
            (Ok(ours), Ok(theirs)) => ours.has_same_content(theirs),
            // The spans differ, because the text before them may have changed.
            (Err(ours), Err(theirs)) => ours.problem.message == theirs.problem.message,
            _ => false,
        })
}

/// The texts of all comments in a document, in text order.
fn comment_texts(document: &Document) -> Vec<&str> {
    let mut comments: Vec<&Comment> = document.comments.iter().collect();
    gather(&document.root, &mut comments);
    comments.sort_by_key(|comment| comment.span.start);
    comments.into_iter().map(|comment| comment.text.as_str()).collect()
}

fn gather<'n>(node: &'n Node, comments: &mut Vec<&'n Comment>) {
    comments.extend(node.comments().iter());
    // What an alias copies is not written again, so it has no comments of its own.
    if node.alias().is_none() {
        node.kind.children().for_each(|child| gather(child, comments));
    }
}
