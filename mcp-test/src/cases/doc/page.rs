//! A page, independent of its format: sections, items and blocks.
//!
//! Its texts are bounded and have no deceptive characters; the writer of each format escapes them.

use crate::cases::Direction;

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
    pub(super) title: Inlines,
    pub(super) blocks: Vec<Block>,
}

/// A block of a section or item.
#[derive(Debug)]
pub(super) enum Block {
    /// A line.
    Paragraph(Inlines),
    /// Text from a case: paragraphs with empty lines between them.
    Prose(String),
    /// Rows of cells under their headings.
    Table { head: Vec<&'static str>, rows: Vec<Vec<Inlines>> },
    /// JSON, under a caption.
    Json { caption: Inlines, text: String },
    /// JSON that can be unfolded.
    Folded { summary: String, text: String },
    /// A message of a conversation.
    Message {
        #[cfg_attr(not(feature = "html"), expect(dead_code, reason = "only HTML shows it"))]
        sender: Direction,
        caption: Inlines,
        prose: String,
        text: String,
        notes: Vec<Inlines>,
    },
}

/// The parts of a line, in order.
pub(super) type Inlines = Vec<Inline>;

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Inline {
    /// Text.
    Text(String),
    /// Code.
    Code(String),
    /// Emphasis.
    Strong(String),
    /// A place on this page.
    Link { anchor: String, text: String },
    /// A page of the specification; the URL does not come from a case.
    External { url: String, text: String },
    /// A mark, such as a tag.
    Mark(String),
}

/// Text.
pub(super) fn text(text: impl Into<String>) -> Inline {
    Inline::Text(text.into())
}

/// Code.
pub(super) fn code(text: impl Into<String>) -> Inline {
    Inline::Code(text.into())
}

/// The lines, joined by a separator.
pub(super) fn joined(lines: impl IntoIterator<Item = Inlines>, between: &str) -> Inlines {
    let mut all = Inlines::new();
    for line in lines {
        if !all.is_empty() {
            all.push(text(between));
        }
        all.extend(line);
    }
    all
}
