//! Lists and mappings by indentation, and whatever stands in them.

use super::super::{Before, Comment, Kind, Member, Node, Style};
use super::{STEP, Writer};

/// A key is written behind `?` when it is longer: YAML looks for the colon of others within 1024 characters.
const LONGEST_KEY: usize = 1000;

impl Writer {
    /// The root of a document, behind its `---` if it has one.
    pub(super) fn root(&mut self, node: &Node, is_marked: bool) {
        let comments = node.comments();
        let remark = comments.at.as_ref().filter(|_| self.is_at_key(node));
        let is_block = is_block(node);
        if is_marked || remark.is_some() {
            self.start_line(0);
            self.out.push_str("---");
            if is_block {
                self.properties(node);
            }
            self.remark(remark);
        } else if is_block && (node.anchor().is_some() || node.tag().is_some()) {
            self.properties(node);
            self.out.remove(0);
        }
        self.comments(comments.above.iter(), 0);
        if node.before == Before::Gap && !self.out.is_empty() {
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

    /// A value behind its key or its dash, in a line that is indented by `indent`.
    fn value(&mut self, node: &Node, indent: usize, is_item: bool) {
        let comments = node.comments();
        let child = indent + STEP;
        // What stands above an item stands above its dash.
        let above = if is_item { &[][..] } else { &comments.above };
        if is_block(node) {
            self.properties(node);
            self.remark(comments.at.as_ref());
            let goes_on = is_item
                && comments.at.is_none()
                && node.anchor().is_none()
                && node.tag().is_none()
                && first(node).is_some_and(|first| first.comments().above.is_empty());
            if goes_on {
                self.out.push(' ');
            } else {
                self.above(above, child);
            }
            self.items(node, child, goes_on);
            return;
        }
        let at = comments.at.as_ref().filter(|_| self.is_at_key(node));
        self.remark(at);
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

    /// The comment in the line in which a node ends; that of a text behind `|` stands in its header.
    fn beside(&mut self, node: &Node) {
        if !self.is_block_text(node) {
            self.remark(node.comments().beside.as_ref());
        }
    }

    /// Comments between a key and its value.
    fn above(&mut self, comments: &[Comment], indent: usize) {
        if let [first, rest @ ..] = comments {
            self.start_line(indent);
            self.comment(first);
            self.comments(rest.iter(), indent);
        }
    }

    /// The items of a block; the first one goes on in the line at hand if `goes_on`.
    fn items(&mut self, node: &Node, indent: usize, goes_on: bool) {
        let mut is_first = true;
        match &node.kind {
            Kind::List(items) => {
                for item in items {
                    if self.is_full() {
                        return;
                    }
                    if !(is_first && goes_on) {
                        self.lead(item, &[], is_first, indent);
                    }
                    self.out.push('-');
                    self.value(item, indent, true);
                    is_first = false;
                }
            }
            Kind::Mapping(members) => {
                for Member { key, value } in members {
                    if self.is_full() {
                        return;
                    }
                    if !(is_first && goes_on) {
                        self.lead(key, &strays(key), is_first, indent);
                    }
                    self.key(key, indent, true);
                    self.value(value, indent, false);
                    is_first = false;
                }
            }
            _ => {}
        }
        let comments = node.comments();
        self.comments(comments.below.iter().chain(&comments.beside), indent);
    }

    /// Whether the comment in the line in which a node begins stands before it. In brackets it stands behind the first, and in
    /// a text behind `|` in the header.
    pub(super) fn is_at_key(&self, node: &Node) -> bool {
        let comments = node.comments();
        let (Some(at), Some(above)) = (&comments.at, comments.above.first()) else {
            let is_collection = matches!(node.kind, Kind::List(_) | Kind::Mapping(_));
            let has_place = is_collection && node.alias().is_none() || self.is_block_text(node);
            return is_block(node) || !has_place;
        };
        is_block(node) || at.span.start < above.span.start
    }

    /// A key with its colon.
    pub(super) fn key(&mut self, key: &Node, indent: usize, is_block: bool) {
        let start = self.out.len();
        let was_key = std::mem::replace(&mut self.is_key, true);
        self.inline(key, indent, indent + STEP);
        self.is_key = was_key;
        // Else the colon would be part of the name.
        if key.alias().is_some() || is_unspelled(key) && !is_empty(key) {
            self.out.push(' ');
        }
        if self.out.len() - start > LONGEST_KEY {
            self.out.insert_str(start, "? ");
            if is_block {
                self.start_line(indent);
            }
        }
        self.out.push(':');
    }
}

/// Whether a node is written by indentation.
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

/// Whether nothing is written for a node but what it may have in anchors and tags.
pub(super) fn is_unspelled(node: &Node) -> bool {
    let is_nothing = match &node.kind {
        Kind::Null => node.raw() == Some(""),
        Kind::String(text) => text.is_empty() && node.style == Style::Plain && node.tag().is_some(),
        _ => false,
    };
    is_nothing && node.alias().is_none()
}

/// Comments about a key, and inside of it, that have no place beside it.
pub(super) fn strays(key: &Node) -> Vec<&Comment> {
    let comments = key.comments();
    let mut strays: Vec<&Comment> =
        comments.at.iter().chain(&comments.below).chain(&comments.beside).collect();
    let mut inner = |node| {
        strays.extend(Node::comments(node).above.iter());
        strays.extend(self::strays(node));
    };
    match &key.kind {
        Kind::List(items) => items.iter().for_each(inner),
        Kind::Mapping(members) => members.iter().for_each(|member| {
            inner(&member.key);
            inner(&member.value);
        }),
        _ => {}
    }
    strays
}

fn first(node: &Node) -> Option<&Node> {
    match &node.kind {
        Kind::List(items) => items.first(),
        Kind::Mapping(members) => members.first().map(|member| &member.key),
        _ => None,
    }
}
