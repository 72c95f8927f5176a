//! Writes lists and mappings by indentation.

use super::{Item, STEP, Writer};
use crate::yaml::{Comment, Kind, Node, Spacing, Style};

/// A longer key is written behind `?`: YAML limits an implicit key to 1024 characters.
const LONGEST_KEY: usize = 1000;

impl Writer {
    /// Writes the root of a document, behind `---` if it has one.
    pub(super) fn root(&mut self, node: &Node, is_marked: bool) {
        let comments = node.comments();
        let at = comments.at.as_ref().filter(|_| self.is_at_key(node));
        let is_block = is_block(node);
        if is_marked || at.is_some() {
            self.start_line(0);
            self.out.push_str("---");
            if is_block {
                self.properties(node);
            }
            self.trailing_comment(at);
        } else if is_block && (node.anchor().is_some() || node.tag().is_some()) {
            self.properties(node);
            // `properties` begins with a space, which does not belong at the start of the text.
            self.out.remove(0);
        }
        self.comments(comments.above.iter(), 0);
        if node.spacing == Spacing::BlankLine && !self.out.is_empty() {
            self.gap();
        }
        if is_block {
            self.items(node, 0, false);
        } else {
            if !is_empty(node) {
                self.start_line(0);
                self.inline(node, 0, STEP);
            }
            self.beside(node);
            if !matches!(node.kind, Kind::List(_) | Kind::Mapping(_)) {
                self.comments(comments.below.iter(), 0);
            }
        }
    }

    /// Writes a value behind its key or dash, on a line indented by `indent`.
    fn value(&mut self, node: &Node, indent: usize, is_item: bool) {
        let comments = node.comments();
        let child = indent + STEP;
        // The comments above an item were written above its dash.
        let above = if is_item { &[][..] } else { &comments.above };
        if is_block(node) {
            self.properties(node);
            self.trailing_comment(comments.at.as_ref());
            // An anchor or a tag on the line of the first key would be read as that of the key, not of the mapping.
            let first = node.kind.children().next();
            let continues_line = is_item
                && comments.at.is_none()
                && node.anchor().is_none()
                && node.tag().is_none()
                && first.is_some_and(|first| first.comments().above.is_empty());
            if continues_line {
                self.out.push(' ');
            } else {
                self.above(above, child);
            }
            self.items(node, child, continues_line);
            return;
        }
        let at = comments.at.as_ref().filter(|_| self.is_at_key(node));
        self.trailing_comment(at);
        self.above(above, child);
        let moves_down = at.is_some() || !above.is_empty();
        if !is_empty(node) {
            if moves_down {
                self.start_line(child);
            } else {
                self.out.push(' ');
            }
            let base = if node.is_outdented() && !moves_down { indent } else { child };
            self.inline(node, base, child);
        }
        self.beside(node);
    }

    /// Writes the comment on the line on which a node ends; a block scalar has it in its header.
    fn beside(&mut self, node: &Node) {
        if !self.is_block_text(node) {
            self.trailing_comment(node.comments().beside.as_ref());
        }
    }

    /// Writes comments between a key and its value.
    fn above(&mut self, comments: &[Comment], indent: usize) {
        if let [first, rest @ ..] = comments {
            self.start_line(indent);
            self.comment(first);
            self.comments(rest.iter(), indent);
        }
    }

    /// Writes the items of a block; the first one on the current line if `continues_line`.
    fn items(&mut self, node: &Node, indent: usize, continues_line: bool) {
        for (index, Item { key, value }) in Item::all(node).enumerate() {
            if self.is_full() {
                return;
            }
            let is_first = index == 0;
            if !(is_first && continues_line) {
                let strays = key.map(strays).unwrap_or_default();
                self.lead(key.unwrap_or(value), &strays, is_first, indent);
            }
            match key {
                Some(key) => self.key(key, indent, true),
                None => self.out.push('-'),
            }
            self.value(value, indent, key.is_none());
        }
        let comments = node.comments();
        // A block has no line of its own to end, so its comment beside is written below.
        self.comments(comments.below.iter().chain(&comments.beside), indent);
    }

    /// Whether the comment on the line on which a node begins precedes the node. A flow collection has it behind the opening
    /// bracket, a block scalar in its header.
    pub(super) fn is_at_key(&self, node: &Node) -> bool {
        let comments = node.comments();
        let (Some(at), Some(above)) = (&comments.at, comments.above.first()) else {
            let is_collection = matches!(node.kind, Kind::List(_) | Kind::Mapping(_));
            let has_place = is_collection && node.alias().is_none() || self.is_block_text(node);
            return is_block(node) || !has_place;
        };
        is_block(node) || at.span.start < above.span.start
    }

    /// Writes a key with its colon.
    pub(super) fn key(&mut self, key: &Node, indent: usize, is_block: bool) {
        let start = self.out.len();
        let was_key = std::mem::replace(&mut self.is_key, true);
        self.inline(key, indent, indent + STEP);
        self.is_key = was_key;
        // Without the space the colon would be part of the alias's name.
        if key.alias().is_some() || is_unspelled(key) && !is_empty(key) {
            self.out.push(' ');
        }
        if self.out.len() - start > LONGEST_KEY {
            // Inserted afterwards, because only the written key shows its length.
            self.out.insert_str(start, "? ");
            if is_block {
                self.start_line(indent);
            }
        }
        self.out.push(':');
    }
}

/// Whether a node is written in block style.
pub(super) fn is_block(node: &Node) -> bool {
    let has_items = match &node.kind {
        Kind::List(items) => !items.is_empty(),
        Kind::Mapping(members) => !members.is_empty(),
        _ => false,
    };
    has_items && node.style != Style::Flow && node.alias().is_none()
}

/// Whether nothing is written for a node.
pub(super) fn is_empty(node: &Node) -> bool {
    is_unspelled(node) && node.anchor().is_none() && node.tag().is_none()
}

/// Whether nothing is written for a node but its anchor and tag.
pub(super) fn is_unspelled(node: &Node) -> bool {
    let is_empty_value = match &node.kind {
        Kind::Null => node.raw() == Some(""),
        Kind::String(text) => text.is_empty() && node.style == Style::Plain && node.tag().is_some(),
        _ => false,
    };
    is_empty_value && node.alias().is_none()
}

/// Comments of a key, and inside it, that cannot be written beside it.
pub(super) fn strays(key: &Node) -> Vec<&Comment> {
    let comments = key.comments();
    let mut strays: Vec<&Comment> =
        comments.at.iter().chain(&comments.below).chain(&comments.beside).collect();
    for child in key.kind.children() {
        strays.extend(&child.comments().above);
        strays.extend(self::strays(child));
    }
    strays
}
