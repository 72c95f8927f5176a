//! A page as HTML, by the template `page.html`. The template escapes whatever it is given.

use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Value, context};

use super::super::Direction;
use super::markdown::spans;
use super::page::{Block, Item, Page, Section, Word};

const TEMPLATE: &str = "page.html";

/// The template, which is read once.
static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    let read = environment.add_template(TEMPLATE, include_str!("page.html"));
    debug_assert!(read.is_ok(), "{read:?}");
    environment
});

/// Writes the page.
pub(super) fn write(page: &Page) -> String {
    let values = context! {
        title => &page.title,
        lead => blocks(&page.lead),
        sections => page.sections.iter().map(section).collect::<Vec<_>>(),
    };
    let written = TEMPLATES.get_template(TEMPLATE).and_then(|template| template.render(values));
    // The template is part of this crate, and knows every value that it can be given.
    written.unwrap_or_else(|error| format!("<!doctype html>\n<title>{error:?}</title>\n"))
}

fn section(section: &Section) -> Value {
    context! {
        anchor => &section.anchor,
        title => &section.title,
        blocks => blocks(&section.blocks),
        items => section.items.iter().map(item).collect::<Vec<_>>(),
    }
}

fn item(item: &Item) -> Value {
    context! { anchor => &item.anchor, title => words(&item.title), blocks => blocks(&item.blocks) }
}

fn blocks(blocks: &[Block]) -> Vec<Value> {
    blocks.iter().map(block).collect()
}

fn block(block: &Block) -> Value {
    match block {
        Block::Paragraph(line) => context! { kind => "paragraph", words => words(line) },
        Block::Prose(text) => context! { kind => "prose", paragraphs => paragraphs(text) },
        Block::Table { head, rows } => {
            let cells = |row: &Vec<Vec<Word>>| row.iter().map(|it| words(it)).collect::<Vec<_>>();
            let rows: Vec<Vec<Value>> = rows.iter().map(cells).collect();
            let is_headed = head.iter().any(|cell| !cell.is_empty());
            context! { kind => "table", head => head.to_vec(), is_headed => is_headed, rows => rows }
        }
        Block::Json { caption, text } => {
            context! { kind => "json", caption => words(caption), json => coloured(text) }
        }
        Block::Folded { summary, text } => {
            context! { kind => "folded", summary => summary, json => coloured(text) }
        }
        Block::Message { by, caption, prose, text, notes } => context! {
            kind => "message",
            by => match by { Direction::In => "client", Direction::Out => "server" },
            caption => words(caption),
            paragraphs => paragraphs(prose),
            json => coloured(text),
            notes => notes.iter().map(|note| words(note)).collect::<Vec<_>>(),
        },
    }
}

fn words(line: &[Word]) -> Value {
    line.iter().map(word).collect()
}

fn word(word: &Word) -> Value {
    match word {
        Word::Text(text) => context! { kind => "text", text => text },
        Word::Code(text) => context! { kind => "code", text => text },
        Word::Strong(text) => context! { kind => "strong", text => text },
        Word::Link { anchor, words } => {
            context! { kind => "link", to => format!("#{anchor}"), text => words }
        }
        Word::Outside { url, words } => context! { kind => "link", to => url, text => words },
        Word::Mark(text) => context! { kind => "mark", text => text },
    }
}

/// The paragraphs of a text, lists of lines of words.
fn paragraphs(text: &str) -> Vec<Value> {
    let line = |line: &str| -> Value {
        let part = |(is_code, text): (bool, &str)| {
            let kind = if is_code { "code" } else { "text" };
            context! { kind => kind, text => text }
        };
        spans(line.trim()).map(part).collect()
    };
    let mut paragraphs: Vec<Vec<Value>> = vec![Vec::new()];
    for it in text.lines() {
        match paragraphs.last_mut() {
            Some(last) if !it.trim().is_empty() => last.push(line(it)),
            Some(last) if !last.is_empty() => paragraphs.push(Vec::new()),
            _ => {}
        }
    }
    paragraphs.into_iter().filter(|lines| !lines.is_empty()).map(Value::from).collect()
}

/// JSON with its names, texts and other values in elements of their own. The only HTML that is not from the template.
fn coloured(json: &str) -> Value {
    let mut out = String::with_capacity(json.len() * 2);
    let mut rest = json;
    while let Some(first) = rest.chars().next() {
        let (length, class) = match first {
            '"' => {
                let end = end_of_string(rest);
                let is_name = rest[end..].starts_with(": ");
                (end, if is_name { "n" } else { "s" })
            }
            '-' | '0'..='9' | 'a'..='z' => {
                let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.');
                (rest.find(|c| !inside(c)).unwrap_or(rest.len()), "v")
            }
            _ => (
                rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_alphanumeric())
                    .unwrap_or(rest.len()),
                "",
            ),
        };
        let (part, after) = rest.split_at(length.max(first.len_utf8()));
        if class.is_empty() {
            escape(part, &mut out);
        } else {
            out.push_str("<span class=\"");
            out.push_str(class);
            out.push_str("\">");
            escape(part, &mut out);
            out.push_str("</span>");
        }
        rest = after;
    }
    Value::from_safe_string(out)
}

/// Where the string ends that a text begins with.
fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            plain => out.push(plain),
        }
    }
}
