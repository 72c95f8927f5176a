//! Writes lists and mappings in brackets.

use super::block::{is_empty, is_unspelled, strays};
use super::{Item, STEP, Writer};
use crate::yaml::{Comment, Kind, Node, Spacing};

/// The last column at which lines are aligned with the first item.
const LAST_ALIGNED_COLUMN: usize = 60;

impl Writer {
    /// Writes a node without its comments above and beside. Lines in brackets are indented relative to `base`, lines of a
    /// scalar by `child`.
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
            Kind::List(_) => self.brackets(node, ['[', ']'], base),
            Kind::Mapping(_) => self.brackets(node, ['{', '}'], base),
            _ => self.scalar(node, child),
        }
    }

    /// Writes the items of a list or mapping in brackets, with the comments inside.
    fn brackets(&mut self, node: &Node, [open, close]: [char; 2], base: usize) {
        let comments = node.comments();
        let start = self.out.len();
        self.out.push(open);
        self.brackets += 1;
        // A key has to stay on one line; its comments are written above it, see `strays`.
        let at = comments.at.as_ref().filter(|_| !self.is_at_key(node) && !self.is_key);
        self.trailing_comment(at);
        let must_break = at.is_some();
        let mut layout =
            Layout { base, start, indent: None, is_open: false, line: base, must_break };
        let count = Item::all(node).count();
        for (index, item) in Item::all(node).enumerate() {
            if self.is_full() {
                // The text is too long and will be discarded, so nothing needs to be closed.
                return;
            }
            self.item(&item, index == 0, &mut layout);
            if index + 1 < count {
                self.out.push(',');
            }
            let beside = item.value.comments().beside.as_ref().filter(|_| !self.is_key);
            self.trailing_comment(beside);
            layout.must_break = beside.is_some();
        }
        if !comments.below.is_empty() && !self.is_key {
            layout.is_open |= count == 0;
            let indent = layout.indent(self);
            self.comments(comments.below.iter(), indent);
            layout.must_break = true;
        }
        if layout.must_break || layout.is_open {
            layout.is_open |= count == 0;
            // Aligned lines begin one column behind the opening bracket, so this is the column of the bracket.
            let indent = if layout.is_open { base } else { layout.indent(self) - 1 };
            self.start_line(indent);
        }
        self.brackets -= 1;
        self.out.push(close);
    }

    /// Writes an item: on a new line if it was on one, or if comments require it.
    fn item(&mut self, item: &Item<'_>, is_first: bool, layout: &mut Layout) {
        let lead = item.key.unwrap_or(item.value);
        let strays = self.strays(item);
        let has_above = !strays.is_empty() || !lead.comments().above.is_empty();
        let begins_line = layout.must_break || lead.spacing != Spacing::SameLine || has_above;
        if begins_line && !self.is_key {
            layout.is_open |= is_first;
            layout.line = layout.indent(self);
            self.lead(lead, &strays, is_first, layout.line);
        } else if !is_first {
            self.out.push(' ');
        }
        let line = layout.line;
        match item.key {
            Some(key) => {
                self.key(key, line, false);
                self.flow_value(item.value, line);
            }
            None => self.inline(item.value, line, line),
        }
    }

    /// The comments of an item that cannot be written beside it.
    fn strays<'n>(&self, item: &Item<'n>) -> Vec<&'n Comment> {
        match item.key {
            Some(key) => strays(key),
            None => {
                item.value.comments().at.iter().filter(|_| self.is_at_key(item.value)).collect()
            }
        }
    }

    /// Writes the value of a member in brackets.
    fn flow_value(&mut self, node: &Node, line: usize) {
        let comments = node.comments();
        let child = line + STEP;
        let at = comments.at.as_ref().filter(|_| self.is_at_key(node));
        if (!comments.above.is_empty() || at.is_some()) && !self.is_key {
            self.trailing_comment(at);
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

/// The layout of lines in brackets.
struct Layout {
    base: usize,
    /// The byte of the opening bracket.
    start: usize,
    /// The indentation of each line, once it is decided.
    indent: Option<usize>,
    /// Whether the first item begins a line.
    is_open: bool,
    /// The indentation of the current line.
    line: usize,
    /// Whether a comment ends the current line.
    must_break: bool,
}

impl Layout {
    /// The indentation of each line, which is decided at the first one.
    fn indent(&mut self, writer: &Writer) -> usize {
        let (base, start, is_open) = (self.base, self.start, self.is_open);
        *self.indent.get_or_insert_with(|| {
            if is_open {
                return base + STEP;
            }
            let line = writer.out[..start].rfind('\n').map_or(0, |at| at + 1);
            let column = writer.out[line..start].chars().count();
            if column < LAST_ALIGNED_COLUMN { column + 1 } else { base + STEP }
        })
    }
}
