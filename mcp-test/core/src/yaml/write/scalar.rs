//! Writes scalars: in their original spelling if it is known, otherwise by style.

use std::fmt::Write as _;

use super::{STEP, Writer};
use crate::yaml::{Kind, Node, Style, scalar};

impl Writer {
    /// Writes a scalar; lines after the first are indented by `child`.
    pub(super) fn scalar(&mut self, node: &Node, child: usize) {
        match (&node.kind, node.style, node.raw()) {
            (Kind::String(text), style, raw) if self.is_block_text(node) => match raw {
                Some(raw) if style == Style::Folded => self.folded(node, text, raw, child),
                _ => self.literal(node, text, child),
            },
            (_, Style::Plain | Style::Single | Style::Double, Some(raw))
                if !self.is_key || !raw.contains('\n') =>
            {
                self.raw(raw, node.style, child);
            }
            (Kind::String(text), Style::Plain, _)
                if suits_plain(text, self.brackets > 0, node.tag().is_some()) =>
            {
                self.out.push_str(text);
            }
            (Kind::String(text), Style::Single, _) if !text.contains(scalar::is_special) => {
                self.out.push('\'');
                self.out.push_str(&text.replace('\'', "''"));
                self.out.push('\'');
            }
            (Kind::String(text), ..) => double(text, &mut self.out),
            (Kind::Bool(boolean), ..) => self.out.push_str(if *boolean { "true" } else { "false" }),
            (Kind::Number(number), ..) => self.out.push_str(number.as_str()),
            (Kind::Null, ..) => self.out.push_str("null"),
            (Kind::List(_) | Kind::Mapping(_), ..) => {}
        }
    }

    /// Whether a node is written as a block scalar.
    pub(super) fn is_block_text(&self, node: &Node) -> bool {
        if self.brackets > 0 || self.is_key || node.alias().is_some() {
            return false;
        }
        match (&node.kind, node.style, node.raw()) {
            // An explicit indentation indicator would be wrong at another indentation.
            (Kind::String(_), Style::Folded, Some(raw)) => {
                let header = raw.split_whitespace().next().unwrap_or_default();
                !header.contains(|char: char| char.is_ascii_digit())
            }
            (Kind::String(text), Style::Literal | Style::Folded, _) => suits_block(text),
            _ => false,
        }
    }

    /// Writes the original spelling. Leading and trailing whitespace of continuation lines is insignificant.
    fn raw(&mut self, raw: &str, style: Style, child: usize) {
        let trimmed = |line: &str| match line.trim_end_matches([' ', '\t']) {
            // Escaped whitespace is significant.
            end if style == Style::Double && end.ends_with('\\') => line.len(),
            end => end.len(),
        };
        let mut lines = raw.lines().peekable();
        let mut is_first = true;
        while let Some(line) = lines.next() {
            let line = if is_first { line } else { line.trim_start_matches([' ', '\t']) };
            let end = if lines.peek().is_some() { trimmed(line) } else { line.len() };
            if !is_first {
                self.out.push('\n');
                self.out.extend(std::iter::repeat_n(' ', if end > 0 { child } else { 0 }));
            }
            self.out.push_str(&line[..end]);
            is_first = false;
        }
    }

    fn literal(&mut self, node: &Node, text: &str, child: usize) {
        let content = text.trim_end_matches('\n');
        self.out.push('|');
        // Without an indicator, the spaces of the first line that is not empty would count as indentation.
        let is_indented = text
            .lines()
            .find(|line| !line.is_empty())
            .is_some_and(|line| line.starts_with([' ', '\t']));
        if is_indented {
            self.out.push_str(&STEP.to_string());
        }
        self.block_text(node, content, text.len() - content.len(), child);
    }

    fn folded(&mut self, node: &Node, text: &str, raw: &str, child: usize) {
        let (_, body) = raw.split_once('\n').unwrap_or_default();
        let ends = text.len() - text.trim_end_matches('\n').len();
        let first = body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        // The original indentation: folding depends on which lines are indented further, so the lines are kept as they
        // are.
        let indent = first.len() - first.trim_start_matches(' ').len();
        let lines = body.lines().map(|line| line.get(indent..).unwrap_or_default());
        let content = lines.collect::<Vec<_>>().join("\n");
        self.out.push('>');
        self.block_text(node, content.trim_end_matches('\n'), ends, child);
    }

    /// Writes the rest of the header and the lines; `ends` trailing line breaks are part of the string.
    fn block_text(&mut self, node: &Node, content: &str, ends: usize, child: usize) {
        // Stripped (`-`), clipped to one line break (no indicator), or kept (`+`); clipping empty content leaves none.
        match ends {
            0 => self.out.push('-'),
            1 if !content.is_empty() => {}
            _ => self.out.push('+'),
        }
        let comments = node.comments();
        let at = comments.at.as_ref().filter(|_| !self.is_at_key(node));
        self.trailing_comment(at.or(comments.beside.as_ref()));
        for line in content.split('\n').filter(|_| !content.is_empty()) {
            self.out.push('\n');
            if !line.is_empty() {
                self.out.extend(std::iter::repeat_n(' ', child));
                self.out.push_str(line);
            }
        }
        let further = if content.is_empty() { ends + 1 } else { ends };
        if further > 1 {
            self.out.extend(std::iter::repeat_n('\n', further));
        }
    }
}

/// Writes a string in double quotes, as JSON does.
fn double(text: &str, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            special if scalar::is_special(special) => {
                // Writing to a `String` cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(special));
            }
            plain => out.push(plain),
        }
    }
    out.push('"');
}

fn suits_block(text: &str) -> bool {
    !text.is_empty()
        && !text.contains(|char| scalar::is_special(char) && !matches!(char, '\n' | '\t'))
        // In lines of whitespace alone, indentation and content cannot be distinguished.
        && (text.chars().all(|char| char == '\n') || !text.trim().is_empty())
}

/// Whether a string without quotes reads as itself.
fn suits_plain(text: &str, in_brackets: bool, is_tagged: bool) -> bool {
    let mut chars = text.chars();
    let Some(first) = chars.next() else {
        return false;
    };
    let ends = |char: char| char.is_whitespace() || in_brackets && is_flow(char);
    let begins = match first {
        '-' | '?' | ':' => chars.next().is_some_and(|second| !ends(second)),
        ',' | '[' | ']' | '{' | '}' | '#' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%'
        | '@' | '`' => false,
        _ => true,
    };
    let breaks_off = text.trim() != text
        || text.ends_with(':')
        || [": ", ":\t", " #", "\t#"].iter().any(|end| text.contains(end))
        || text.contains(scalar::is_special)
        || in_brackets && text.contains(is_flow)
        // Read as document markers at the start of a line.
        || matches!(text.get(..3), Some("---" | "..."));
    begins && !breaks_off && (is_tagged || matches!(scalar::plain(text), Kind::String(_)))
}

fn is_flow(char: char) -> bool {
    matches!(char, ',' | '[' | ']' | '{' | '}')
}
