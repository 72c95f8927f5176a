//! Lists and mappings in brackets.

use super::super::{Before, Comment, Kind, Member, Node};
use super::block::{is_empty, is_unspelled, strays};
use super::{STEP, Writer};

/// The last column in which the lines of a collection begin below its first item.
const FURTHEST: usize = 60;

impl Writer {
    /// A node without what stands above and beside it. Lines inside of brackets are indented from `base`, those of a text by
    /// `child`.
    pub(super) fn inline(&mut self, node: &Node, base: usize, child: usize) {
        if let Some(name) = node.alias() {
            self.out.push('*');
            self.out.push_str(name);
            return;
        }
        let start = self.out.len();
        self.properties(node);
        if self.out.len() > start {
            self.out.remove(start);
            if is_unspelled(node) {
                return;
            }
            self.out.push(' ');
        }
        match &node.kind {
            Kind::List(items) => {
                let items = items.iter().map(|item| Item { key: None, value: item });
                self.brackets(node, ['[', ']'], items, base);
            }
            Kind::Mapping(members) => {
                let items =
                    members.iter().map(|Member { key, value }| Item { key: Some(key), value });
                self.brackets(node, ['{', '}'], items, base);
            }
            _ => self.scalar(node, child),
        }
    }

    fn brackets<'n>(
        &mut self,
        node: &Node,
        [open, close]: [char; 2],
        items: impl ExactSizeIterator<Item = Item<'n>>,
        base: usize,
    ) {
        let comments = node.comments();
        let start = self.out.len();
        self.out.push(open);
        self.brackets += 1;
        let at = comments.at.as_ref().filter(|_| !self.is_at_key(node) && !self.is_key);
        self.remark(at);
        let mut layout = Layout { base, start, indent: None, is_open: false };
        // Whether a comment ends the line.
        let mut must_break = at.is_some();
        let mut line = base;
        let count = items.len();
        for (index, item) in items.enumerate() {
            if self.is_full() {
                return;
            }
            let is_first = index == 0;
            let lead = item.key.unwrap_or(item.value);
            let strays = self.strays(&item);
            let has_above = !strays.is_empty() || !lead.comments().above.is_empty();
            let begins_line = must_break || lead.before != Before::Nothing || has_above;
            if begins_line && !self.is_key {
                layout.is_open |= is_first;
                line = layout.indent(self);
                self.lead(lead, &strays, is_first, line);
            } else if !is_first {
                self.out.push(' ');
            }
            if let Some(key) = item.key {
                self.key(key, line, false);
                self.flow_value(item.value, line);
            } else {
                self.inline(item.value, line, line);
            }
            if index + 1 < count {
                self.out.push(',');
            }
            let beside = item.value.comments().beside.as_ref().filter(|_| !self.is_key);
            self.remark(beside);
            must_break = beside.is_some();
        }
        if !comments.below.is_empty() && !self.is_key {
            layout.is_open |= count == 0;
            let indent = layout.indent(self);
            self.comments(comments.below.iter(), indent);
            must_break = true;
        }
        if must_break || layout.is_open {
            layout.is_open |= count == 0;
            let indent = if layout.is_open { base } else { layout.indent(self) - 1 };
            self.start_line(indent);
        }
        self.brackets -= 1;
        self.out.push(close);
    }

    /// The comments about an item that have no place beside it.
    fn strays<'n>(&self, item: &Item<'n>) -> Vec<&'n Comment> {
        match item.key {
            Some(key) => strays(key),
            None => {
                item.value.comments().at.iter().filter(|_| self.is_at_key(item.value)).collect()
            }
        }
    }

    /// The value of a member in brackets.
    fn flow_value(&mut self, node: &Node, line: usize) {
        let comments = node.comments();
        let child = line + STEP;
        let at = comments.at.as_ref().filter(|_| self.is_at_key(node));
        if (!comments.above.is_empty() || at.is_some()) && !self.is_key {
            self.remark(at);
            self.comments(comments.above.iter(), child);
            self.start_line(child);
            self.inline(node, child, child);
            return;
        }
        if !is_empty(node) {
            self.out.push(' ');
        }
        self.inline(node, line, child);
    }
}

struct Item<'n> {
    key: Option<&'n Node>,
    value: &'n Node,
}

/// Where the lines inside of brackets begin.
struct Layout {
    base: usize,
    /// The byte of the opening bracket.
    start: usize,
    indent: Option<usize>,
    /// Whether the first item begins a line.
    is_open: bool,
}

impl Layout {
    fn indent(&mut self, writer: &Writer) -> usize {
        let (base, start, is_open) = (self.base, self.start, self.is_open);
        *self.indent.get_or_insert_with(|| {
            if is_open {
                return base + STEP;
            }
            let line = writer.out[..start].rfind('\n').map_or(0, |at| at + 1);
            let column = writer.out[line..start].chars().count();
            if column < FURTHEST { column + 1 } else { base + STEP }
        })
    }
}
