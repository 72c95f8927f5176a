//! A page as HTML, with the template `page.html`, which escapes all values.

use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Value, context};

use super::markdown::spans;
use super::page::{Block, Inline, Item, Page, Section};
use crate::cases::Direction;

/// The name of the template: because it ends with `.html`, minijinja escapes all values.
const TEMPLATE: &str = "page.html";

/// The template, which is parsed once.
static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    // A broken template fails the tests; a released program shows the error as the page.
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
    // Never an error, because the template is part of this crate.
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
    context! { anchor => &item.anchor, title => inlines(&item.title), blocks => blocks(&item.blocks) }
}

fn blocks(blocks: &[Block]) -> Vec<Value> {
    blocks.iter().map(block).collect()
}

fn block(block: &Block) -> Value {
    match block {
        Block::Paragraph(line) => context! { kind => "paragraph", words => inlines(line) },
        Block::Prose(text) => context! { kind => "prose", paragraphs => paragraphs(text) },
        Block::Table { head, rows } => {
            let cells =
                |row: &Vec<Vec<Inline>>| row.iter().map(|it| inlines(it)).collect::<Vec<_>>();
            let rows: Vec<Vec<Value>> = rows.iter().map(cells).collect();
            let is_headed = head.iter().any(|cell| !cell.is_empty());
            context! { kind => "table", head => head.to_vec(), is_headed => is_headed, rows => rows }
        }
        Block::Json { caption, text } => {
            context! { kind => "json", caption => inlines(caption), json => highlighted(text) }
        }
        Block::Folded { summary, text } => {
            context! { kind => "folded", summary => summary, json => highlighted(text) }
        }
        Block::Message { sender, caption, prose, text, notes } => context! {
            kind => "message",
            by => match sender { Direction::In => "client", Direction::Out => "server" },
            caption => inlines(caption),
            paragraphs => paragraphs(prose),
            json => highlighted(text),
            notes => notes.iter().map(|note| inlines(note)).collect::<Vec<_>>(),
        },
    }
}

fn inlines(line: &[Inline]) -> Value {
    line.iter().map(inline).collect()
}

fn inline(inline: &Inline) -> Value {
    match inline {
        Inline::Text(text) => context! { kind => "text", text => text },
        Inline::Code(text) => context! { kind => "code", text => text },
        Inline::Strong(text) => context! { kind => "strong", text => text },
        Inline::Link { anchor, text } => {
            context! { kind => "link", to => format!("#{anchor}"), text => text }
        }
        Inline::External { url, text } => context! { kind => "link", to => url, text => text },
        Inline::Mark(text) => context! { kind => "mark", text => text },
    }
}

/// The paragraphs of a text; each is a list of lines.
fn paragraphs(text: &str) -> Vec<Value> {
    let line = |line: &&str| -> Value {
        let part = |(is_code, text): (bool, &str)| {
            let kind = if is_code { "code" } else { "text" };
            context! { kind => kind, text => text }
        };
        spans(line).map(part).collect()
    };
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let paragraphs = lines.split(|line| line.is_empty()).filter(|lines| !lines.is_empty());
    paragraphs.map(|lines| lines.iter().map(line).collect()).collect()
}

/// JSON with elements around names, strings and other values: the only HTML that is not from the template.
fn highlighted(json: &str) -> Value {
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
        // At least one character, so that unexpected text cannot stop the loop.
        let (part, after) = rest.split_at(length.max(first.len_utf8()));
        if class.is_empty() {
            escape(part, &mut out);
        } else {
            out.push_str(&format!("<span class=\"{class}\">"));
            escape(part, &mut out);
            out.push_str("</span>");
        }
        rest = after;
    }
    Value::from_safe_string(out)
}

/// The end of the string at the beginning of a text.
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
