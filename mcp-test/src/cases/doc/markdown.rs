//! A page as GitHub Flavored Markdown, in which text is never markup.

use super::page::{Block, Inline, Page};

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
            out.heading("###", &item.anchor, &inlines(&item.title, Place::Text));
            item.blocks.iter().for_each(|block| out.block(block));
        }
    }
    out.0
}

/// The output: blocks with an empty line between them.
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
        // GitHub's own anchors are made of titles, and numbered by their order on the page.
        self.line(&format!("<a id=\"{anchor}\"></a>"));
        self.line(&format!("{level} {title}"));
    }

    fn contents(&mut self, page: &Page) {
        let mut lines = Vec::new();
        for section in &page.sections {
            lines.push(format!("- [{}](#{})", escaped(&section.title), section.anchor));
            for item in &section.items {
                let title = inlines(&item.title, Place::Link);
                lines.push(format!("  - [{title}](#{})", item.anchor));
            }
        }
        if !lines.is_empty() {
            self.line(&lines.join("\n"));
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Paragraph(line) => self.line(&inlines(line, Place::Text)),
            Block::Prose(text) => self.line(&prose(text)),
            Block::Table { head, rows } => self.table(head, rows),
            Block::Json { caption, text } => {
                if !caption.is_empty() {
                    self.line(&inlines(caption, Place::Text));
                }
                self.line(&fenced(text));
            }
            Block::Folded { summary, text } => {
                self.line(&format!("<details>\n<summary>{}</summary>", escaped(summary)));
                self.line(&fenced(text));
                self.line("</details>");
            }
            Block::Message { sender: _, caption, prose: description, text, notes } => {
                if !description.is_empty() {
                    self.line(&prose(description));
                }
                self.line(&inlines(caption, Place::Text));
                self.line(&fenced(text));
                if !notes.is_empty() {
                    let notes = notes.iter().map(|it| format!("- {}", inlines(it, Place::Text)));
                    self.line(&notes.collect::<Vec<_>>().join("\n"));
                }
            }
        }
    }

    fn table(&mut self, head: &[&str], rows: &[Vec<Vec<Inline>>]) {
        let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        let mut lines = vec![
            row(head.iter().map(|cell| escaped(cell)).collect()),
            row(head.iter().map(|_| "---".to_owned()).collect()),
        ];
        let cells = |cells: &Vec<Vec<Inline>>| {
            row(cells.iter().map(|cell| inlines(cell, Place::Cell).trim().to_owned()).collect())
        };
        lines.extend(rows.iter().map(cells));
        self.line(&lines.join("\n"));
    }
}

/// The place of a line, which decides what it may contain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Text,
    Cell,
    /// Inside a link, which cannot contain another.
    Link,
}

fn inlines(line: &[Inline], place: Place) -> String {
    let mut out = String::new();
    for inline in line {
        match inline {
            Inline::Text(text) => out.push_str(&escaped(text)),
            Inline::Code(text) | Inline::Mark(text) => out.push_str(&code(text, place)),
            Inline::Strong(text) => {
                // CommonMark: with a space inside, the asterisks would not be emphasis.
                out.push_str(&format!("**{}**", escaped(text.trim())));
                out.push_str(&text[text.trim_end().len()..]);
            }
            Inline::Link { text, .. } | Inline::External { text, .. } if place == Place::Link => {
                out.push_str(&escaped(text));
            }
            Inline::Link { anchor, text } => {
                out.push_str(&format!("[{}](#{anchor})", escaped(text)));
            }
            Inline::External { url, text } => out.push_str(&format!("[{}]({url})", escaped(text))),
        }
    }
    if place == Place::Text { start(&out) } else { out }
}

/// Text in which nothing is markup, at any place of a line.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let is_markup = match c {
            // `|` separates cells; on GitHub `~` begins strikethrough, `$` a formula, and `#` may link to an issue.
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '$' | '#' => true,
            // Between letters it is not markup: snake_case.
            '_' => {
                let word = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric());
                !(word(before.as_ref()) && word(chars.peek()))
            }
            '!' => chars.peek() == Some(&'['),
            // GitHub would turn URLs from cases into links.
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

/// A line whose beginning is not a list item, a rule, code or, as `=` below text, the underline of a heading.
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

/// Paragraphs of text from a case, with its `code` and its line breaks.
fn prose(text: &str) -> String {
    let mut out = String::new();
    let mut is_new = true;
    for line in text.lines().map(str::trim) {
        if line.is_empty() {
            is_new = true;
            continue;
        }
        // A backslash at the end of a line is a line break.
        if !out.is_empty() {
            out.push_str(if is_new { "\n\n" } else { "\\\n" });
        }
        is_new = false;
        out.push_str(&start(&with_code(line)));
    }
    out
}

fn with_code(line: &str) -> String {
    let part = |(is_code, part)| if is_code { code(part, Place::Text) } else { escaped(part) };
    spans(line).map(part).collect()
}

/// The parts of a line of prose: text between two backticks is code.
pub(super) fn spans(line: &str) -> impl Iterator<Item = (bool, &str)> {
    let mut parts: Vec<&str> = line.split('`').collect();
    // An even number of parts has an odd number of backticks, so that one of them does not end.
    let is_odd = parts.len().is_multiple_of(2);
    if is_odd || parts.iter().skip(1).step_by(2).any(|part| part.trim().is_empty()) {
        parts = vec![line];
    }
    parts.into_iter().enumerate().map(|(index, part)| (index % 2 == 1, part))
}

/// A code span with any content.
fn code(text: &str, place: Place) -> String {
    if text.trim().is_empty() {
        return if text.is_empty() { "*empty*".to_owned() } else { "*blank*".to_owned() };
    }
    // A code span ends at the first run of as many backticks as it begins with.
    let fence = "`".repeat(longest_run(text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    // A `|` separates cells even in code.
    let text = if place == Place::Cell { text.replace('|', "\\|") } else { text.to_owned() };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A code span with any content, on one line outside of a table.
pub fn code_span(text: &str) -> String {
    code(&text.replace('\n', " "), Place::Text)
}

/// A code block of JSON.
fn fenced(text: &str) -> String {
    code_block("json", text)
}

/// A code block with any content.
pub fn code_block(language: &str, text: &str) -> String {
    // A fence has at least three backticks, and more than any run inside.
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

/// The longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}
