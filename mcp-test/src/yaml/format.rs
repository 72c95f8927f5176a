//! From a text to the same text, well laid out.

use super::read::{START, is_marked};
use super::write::{document_text, has_ended, join, lines};
use super::{Broken, Comment, Document, Kind, Limits, Member, Node, Span, Stream, comment, read};

/// A text that was laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Formatted {
    /// The text.
    pub text: String,
    /// Documents that stand as they stood: broken ones, and those that cannot be laid out without loss.
    pub kept: Vec<Span>,
}

/// Lays a text out: indentation and blanks change, and nothing else does.
///
/// What was laid out is read again, and has to say the same in the same styles with the same comments; a document of which
/// that is not so stays as it stood.
///
/// ```
/// use mcp_test::yaml::{self, Limits};
///
/// let formatted = yaml::format("case:   Ping\n---\ncase: [\n", &Limits::default());
/// assert_eq!(formatted.text, "case: Ping\n---\ncase: [\n");
/// assert_eq!(formatted.kept.len(), 1);
/// ```
#[must_use]
pub fn format(text: &str, limits: &Limits) -> Formatted {
    let stream = read(text, limits);
    let (laid_out, kept) = lay_out(text, &stream, limits);
    let again = read(&laid_out, limits);
    // What is around a document that stands as it stood is not always read in the same way again.
    let is_stable = kept.is_empty() || lay_out(&laid_out, &again, limits).0 == laid_out;
    if is_stable && is_like(&stream, &again) {
        return Formatted { text: laid_out, kept };
    }
    Formatted { text: text.to_owned(), kept: stream.documents.iter().map(span).collect() }
}

/// The text, laid out as far as that is without loss, and the documents that stand as they stood.
fn lay_out(text: &str, stream: &Stream, limits: &Limits) -> (String, Vec<Span>) {
    // Without a marker before it, it is not certain that a document begins there at all: nothing is put between.
    let hangs_on = |(before, document): (&Result<_, _>, &Result<_, Broken>)| {
        let Err(broken) = document else { return false };
        let above = &text[..span(before).end];
        let has_marker = above.ends_with(['\n', '\r']) && is_marked(&broken.text, START);
        !has_marker && !has_ended(above)
    };
    if stream.documents.iter().zip(stream.documents.iter().skip(1)).any(hangs_on) {
        return (text.to_owned(), stream.documents.iter().map(span).collect());
    }
    let mut kept = Vec::new();
    let mut texts = Vec::with_capacity(stream.documents.len());
    for (index, document) in stream.documents.iter().enumerate() {
        let laid_out = match document {
            Ok(document) => lay_out_document(document, index > 0, stream, limits),
            Err(_) => None,
        };
        texts.push(laid_out.unwrap_or_else(|| {
            kept.push(span(document));
            text[span(document).bytes()].to_owned()
        }));
    }
    (join(stream, &texts), kept)
}

const fn span(document: &Result<Document, Broken>) -> Span {
    match document {
        Ok(document) => document.span,
        Err(broken) => broken.span,
    }
}

/// The text of a document, if it reads as that document, and stays what it is when it is laid out again.
fn lay_out_document(
    document: &Document,
    marked: bool,
    stream: &Stream,
    limits: &Limits,
) -> Option<String> {
    // A text that is mostly indentation is not what anybody wants.
    let most = 4 * (document.span.end - document.span.start) + 4096;
    let text = document_text(document, marked, most);
    if text.len() > most {
        return None;
    }
    let again = read(&text, limits);
    let [Ok(same)] = again.documents.as_slice() else {
        return None;
    };
    let is_stable = same.is_like(document)
        && remarks(same) == remarks(document)
        && again.comments.is_empty()
        && document_text(same, marked, most) == text;
    is_stable.then(|| lines(text, stream))
}

fn is_like(ours: &Stream, theirs: &Stream) -> bool {
    ours.documents.len() == theirs.documents.len()
        && comment::are_like(&ours.comments, &theirs.comments)
        && ours.documents.iter().zip(&theirs.documents).all(|pair| match pair {
            (Ok(ours), Ok(theirs)) => ours.is_like(theirs),
            (Err(ours), Err(theirs)) => ours.problem.message == theirs.problem.message,
            _ => false,
        })
}

/// What the comments of a document say, in the order of the text.
fn remarks(document: &Document) -> Vec<&str> {
    let mut comments: Vec<&Comment> = document.comments.iter().collect();
    gather(&document.root, &mut comments);
    comments.sort_by_key(|comment| comment.span.start);
    comments.into_iter().map(|comment| comment.text.trim_end()).collect()
}

fn gather<'n>(node: &'n Node, comments: &mut Vec<&'n Comment>) {
    comments.extend(node.comments().iter());
    match &node.kind {
        _ if node.alias().is_some() => {}
        Kind::List(items) => items.iter().for_each(|item| gather(item, comments)),
        Kind::Mapping(members) => members.iter().for_each(|Member { key, value }| {
            gather(key, comments);
            gather(value, comments);
        }),
        _ => {}
    }
}
