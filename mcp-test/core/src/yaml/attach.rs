//! Attaches comments to the nodes they belong to.
//!
//! The tree and the comments are walked together in text order, so that no comment is lost or reordered.

use std::iter::Peekable;
use std::vec::IntoIter;

use super::{Comment, Document, Kind, Member, Node, Style};

/// Attaches the comments inside a document, from its `---` on.
pub(super) fn comments(text: &str, document: &mut Document, comments: Vec<Comment>) {
    let mut walk = Walk { text, rest: comments.into_iter().peekable() };
    if walk.rest.peek().is_none() {
        return;
    }
    let until = document.span.end;
    walk.node(&mut document.root, until);
    // Whatever found no node belongs to the root, so that formatting never loses a comment.
    if walk.rest.peek().is_some() {
        document.root.comments_mut().below.extend(walk.rest);
    }
}

struct Walk<'t> {
    text: &'t str,
    rest: Peekable<IntoIter<Comment>>,
}

impl Walk<'_> {
    /// Attaches the comments before, inside and beside a node; the next node begins at `until`.
    fn node(&mut self, node: &mut Node, until: usize) {
        self.lead(node);
        self.inner(node, until);
        // A block ends with its last item, which has the comment on that line already.
        if node.style != Style::Block || node.alias().is_some() {
            let (text, end) = (self.text, node.span.end);
            let is_beside = |it: &Comment| {
                let start = it.span.start;
                (end..until).contains(&start) && !text[end..start].contains(['\n', '\r'])
            };
            if let Some(beside) = self.rest.next_if(is_beside) {
                node.comments_mut().beside = Some(beside);
            }
        }
    }

    /// The comments before a node.
    fn lead(&mut self, node: &mut Node) {
        let start = node.span.start;
        while let Some(comment) = self.rest.next_if(|it| it.span.start < start) {
            let comments = node.comments_mut();
            // A comment behind a key, a dash or `---` is on the line of something else and precedes the value.
            if comments.above.is_empty() && comments.at.is_none() && !self.is_alone(&comment) {
                comments.at = Some(comment);
            } else {
                comments.above.push(comment);
            }
        }
    }

    fn inner(&mut self, node: &mut Node, until: usize) {
        if node.alias().is_some() {
            return;
        }
        let span = node.span;
        match node.style {
            Style::Plain | Style::Single | Style::Double => return,
            Style::Literal | Style::Folded => self.at(node, span.end),
            Style::Flow => {
                let first = node.kind.children().next().map_or(span.end, |first| first.span.start);
                self.at(node, first);
            }
            Style::Block => {}
        }
        let inner_end = if node.style == Style::Flow { span.end } else { until };
        match &mut node.kind {
            Kind::List(items) => {
                let mut items = items.iter_mut().peekable();
                while let Some(item) = items.next() {
                    let until = items.peek().map_or(inner_end, |next| next.span.start);
                    self.node(item, until);
                }
            }
            Kind::Mapping(members) => {
                let mut members = members.iter_mut().peekable();
                while let Some(Member { key, value }) = members.next() {
                    self.lead(key);
                    self.inner(key, value.span.start);
                    let until = members.peek().map_or(inner_end, |next| next.key.span.start);
                    self.node(value, until);
                }
            }
            _ => return,
        }
        let is_flow = node.style == Style::Flow;
        let is_inside = |it: &Comment| match is_flow {
            true => it.span.start < span.end,
            // The column decides whether a comment below the last item belongs to this block or to an outer one.
            false => it.span.start < until && it.span.column >= span.column,
        };
        while let Some(comment) = self.rest.next_if(is_inside) {
            node.comments_mut().below.push(comment);
        }
    }

    /// The comment on the line on which a node begins.
    fn at(&mut self, node: &mut Node, before: usize) {
        if node.comments().at.is_some() {
            return;
        }
        let line = node.span.line;
        if let Some(at) = self.rest.next_if(|it| it.span.start < before && it.span.line == line) {
            node.comments_mut().at = Some(at);
        }
    }

    /// Whether a comment is alone on its line.
    fn is_alone(&self, comment: &Comment) -> bool {
        let before = self.text[..comment.span.start].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with(['\n', '\r', '\u{feff}'])
    }
}
