//! A page as GitHub Flavored Markdown. Whatever is text stays text.

use super::page::{Block, Page, Word};

/// Writes the page.
pub(super) fn write(page: &Page) -> String {
    let mut out = Writer::default();
    out.line(&format!("# {}", escaped(&page.title)));
    page.lead.iter().for_each(|block| out.block(block));
    out.contents(page);
    for section in &page.sections {
        out.heading("##", &section.anchor, &escaped(&section.title));
        section.blocks.iter().for_each(|block| out.block(block));
        for item in &section.items {
            out.heading("###", &item.anchor, &words(&item.title, Place::Text));
            item.blocks.iter().for_each(|block| out.block(block));
        }
    }
    out.0
}

/// What has been written: blocks with an empty line between them.
#[derive(Default)]
struct Writer(String);

impl Writer {
    fn line(&mut self, text: &str) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.0.push_str(text);
        self.0.push('\n');
    }

    fn heading(&mut self, level: &str, anchor: &str, title: &str) {
        self.line(&format!("<a id=\"{anchor}\"></a>"));
        self.line(&format!("{level} {title}"));
    }

    fn contents(&mut self, page: &Page) {
        let mut lines = Vec::new();
        for section in &page.sections {
            lines.push(format!("- [{}](#{})", escaped(&section.title), section.anchor));
            for item in &section.items {
                let title = words(&item.title, Place::Link);
                lines.push(format!("  - [{title}](#{})", item.anchor));
            }
        }
        if !lines.is_empty() {
            self.line(&lines.join("\n"));
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Paragraph(line) => self.line(&words(line, Place::Text)),
            Block::Prose(text) => self.line(&prose(text)),
            Block::Table { head, rows } => self.table(head, rows),
            Block::Json { caption, text } => {
                if !caption.is_empty() {
                    self.line(&words(caption, Place::Text));
                }
                self.line(&fenced(text));
            }
            Block::Folded { summary, text } => {
                self.line(&format!("<details>\n<summary>{}</summary>", escaped(summary)));
                self.line(&fenced(text));
                self.line("</details>");
            }
            Block::Message { by: _, caption, prose: said, text, notes } => {
                if !said.is_empty() {
                    self.line(&prose(said));
                }
                self.line(&words(caption, Place::Text));
                self.line(&fenced(text));
                if !notes.is_empty() {
                    let notes = notes.iter().map(|it| format!("- {}", words(it, Place::Text)));
                    self.line(&notes.collect::<Vec<_>>().join("\n"));
                }
            }
        }
    }

    fn table(&mut self, head: &[&str], rows: &[Vec<Vec<Word>>]) {
        let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        let mut lines = vec![
            row(head.iter().map(|cell| escaped(cell)).collect()),
            row(head.iter().map(|_| "---".to_owned()).collect()),
        ];
        let cells = |cells: &Vec<Vec<Word>>| {
            row(cells.iter().map(|cell| words(cell, Place::Cell).trim().to_owned()).collect())
        };
        lines.extend(rows.iter().map(cells));
        self.line(&lines.join("\n"));
    }
}

/// Where a line stands, which decides what may be in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Text,
    Cell,
    /// Inside of a link, where there can be no other.
    Link,
}

fn words(line: &[Word], place: Place) -> String {
    let mut out = String::new();
    for word in line {
        match word {
            Word::Text(text) => out.push_str(&escaped(text)),
            Word::Code(text) => out.push_str(&code(text, place)),
            Word::Strong(text) => {
                let inner = text.trim();
                out.push_str(&format!("**{}**", escaped(inner)));
                out.push_str(&text[text.trim_end().len()..]);
            }
            Word::Link { words, .. } | Word::Outside { words, .. } if place == Place::Link => {
                out.push_str(&escaped(words));
            }
            Word::Link { anchor, words } => {
                out.push_str(&format!("[{}](#{anchor})", escaped(words)));
            }
            Word::Outside { url, words } => out.push_str(&format!("[{}]({url})", escaped(words))),
            Word::Mark(text) => out.push_str(&code(text, place)),
        }
    }
    if place == Place::Text { start(&out) } else { out }
}

/// Text in which nothing is markup, wherever on a line it stands.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let is_markup = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '$' | '#' => true,
            // Between letters it means nothing: snake_case.
            '_' => {
                let word = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric());
                !(word(before.as_ref()) && word(chars.peek()))
            }
            '!' => chars.peek() == Some(&'['),
            // Schemes would make links of addresses that nobody has looked at.
            ':' => chars.peek() == Some(&'/'),
            _ => false,
        };
        if is_markup {
            out.push('\\');
        }
        out.push(c);
        before = Some(c);
    }
    out
}

/// A line whose beginning is no list, no number of one, no rule and no code.
fn start(line: &str) -> String {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after = line[digits..].chars().next();
    match (digits, after) {
        (0, Some('-' | '+' | '=')) => format!("\\{line}"),
        (1.., Some('.' | ')')) => format!("{}\\{}", &line[..digits], &line[digits..]),
        _ => line.to_owned(),
    }
}

/// Paragraphs of somebody's text; its `code` stays code, its lines stay lines.
fn prose(text: &str) -> String {
    let mut out = String::new();
    let mut is_new = true;
    for line in text.lines().map(str::trim) {
        if line.is_empty() {
            is_new = true;
            continue;
        }
        if !out.is_empty() {
            out.push_str(if is_new { "\n\n" } else { "\\\n" });
        }
        is_new = false;
        out.push_str(&start(&with_code(line)));
    }
    out
}

fn with_code(line: &str) -> String {
    let parts = spans(line);
    parts
        .map(|(is_code, part)| if is_code { code(part, Place::Text) } else { escaped(part) })
        .collect()
}

/// The parts of a line of prose: what stands between two backticks is code.
pub(super) fn spans(line: &str) -> impl Iterator<Item = (bool, &str)> {
    let mut parts: Vec<&str> = line.split('`').collect();
    let is_odd = parts.len().is_multiple_of(2);
    if is_odd || parts.iter().skip(1).step_by(2).any(|part| part.trim().is_empty()) {
        parts = vec![line];
    }
    parts.into_iter().enumerate().map(|(index, part)| (index % 2 == 1, part))
}

/// A span of code that can hold anything.
fn code(text: &str, place: Place) -> String {
    if text.trim().is_empty() {
        return if text.is_empty() { "*empty*".to_owned() } else { "*blank*".to_owned() };
    }
    let fence = "`".repeat(longest_run(text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    let text = if place == Place::Cell { text.replace('|', "\\|") } else { text.to_owned() };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A block of code that can hold anything.
fn fenced(text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}json\n{text}\n{fence}")
}

/// The longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}
