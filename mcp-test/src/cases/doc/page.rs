//! A page before it is written: sections, items and blocks, the same for every way of writing.
//!
//! Texts here are as they are to be read, bounded and without what deceives; to escape them is for who writes.

use super::super::Direction;

/// A page.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) title: String,
    pub(super) lead: Vec<Block>,
    pub(super) sections: Vec<Section>,
}

/// A chapter, with an entry in the table of contents.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) anchor: String,
    pub(super) title: String,
    pub(super) blocks: Vec<Block>,
    pub(super) items: Vec<Item>,
}

/// A tool, a resource, a case.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) anchor: String,
    pub(super) title: Words,
    pub(super) blocks: Vec<Block>,
}

/// What follows one below the other.
#[derive(Debug)]
pub(super) enum Block {
    /// Some words.
    Paragraph(Words),
    /// Somebody's text: paragraphs, between them empty lines.
    Prose(String),
    /// Rows of cells under their headings.
    Table { head: Vec<&'static str>, rows: Vec<Vec<Words>> },
    /// JSON, under a caption.
    Json { caption: Words, text: String },
    /// JSON that is shown when it is asked for.
    Folded { summary: String, text: String },
    /// A message of a conversation.
    Message {
        #[cfg_attr(not(feature = "cli"), expect(dead_code, reason = "only HTML shows it"))]
        by: Direction,
        caption: Words,
        prose: String,
        text: String,
        notes: Vec<Words>,
    },
}

/// A line of text.
pub(super) type Words = Vec<Word>;

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    /// Text.
    Text(String),
    /// What programs say.
    Code(String),
    /// What matters.
    Strong(String),
    /// A place on this page.
    Link { anchor: String, words: String },
    /// A page of the specification: the address is ours.
    Outside { url: String, words: String },
    /// A mark, such as a tag.
    Mark(String),
}

/// Text.
pub(super) fn text(text: impl Into<String>) -> Word {
    Word::Text(text.into())
}

/// What programs say.
pub(super) fn code(text: impl Into<String>) -> Word {
    Word::Code(text.into())
}

/// Lines, one after the other, with something between them.
pub(super) fn joined(lines: impl IntoIterator<Item = Words>, between: &str) -> Words {
    let mut all = Words::new();
    for line in lines {
        if !all.is_empty() {
            all.push(text(between));
        }
        all.extend(line);
    }
    all
}
