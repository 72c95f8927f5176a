//! Documents a server from its cases, as Markdown and HTML.
//!
//! | file | contents |
//! |---|---|
//! | `case_index` | the requests and notifications of all cases, with outcomes |
//! | `sections` | the chapters: server, tools, resources, prompts, completions, requests to the client, notifications, errors, other requests, conversations |
//! | `page` | a page, independent of its format |
//! | `anchor` | stable anchors |
//! | `abridge` | truncates long and deep values, and escapes deceptive characters |
//! | `markdown` | a page as Markdown |
//! | `html` | a page as HTML, with feature `html` |
//!
//! The same cases result in the same bytes, and an anchor depends only on what it names, so that pages can be kept under version
//! control and linked to. Descriptions, names and values come from others: they are escaped, bounded, and never markup.
//! Comments above a case or a message become its description.

mod abridge;
mod anchor;
mod case_index;
#[cfg(feature = "html")]
mod html;
mod markdown;
mod page;
mod sections;
#[cfg(test)]
mod tests;

use self::anchor::Anchors;
use self::case_index::CaseIndex;
#[doc(hidden)]
pub use self::markdown::{code_block, code_span};
use self::page::Page;
use super::Cases;

/// The documentation of a server: its tools, resources, prompts and everything else that its cases show.
///
/// ```
/// use mcp_test::cases::{Cases, Doc};
///
/// let page = Doc::of(&Cases::default()).titled("Calculator");
/// assert!(page.markdown().starts_with("# Calculator\n"));
/// ```
#[derive(Debug)]
pub struct Doc(Page);

impl Doc {
    /// Documents the server of some cases. The title is its name.
    #[must_use]
    pub fn of(cases: &Cases) -> Self {
        let mut anchors = Anchors::default();
        let index = CaseIndex::of(cases, &mut anchors);
        let title = sections::name(&index).unwrap_or("MCP server").to_owned();
        Self(sections::page(&index, &mut anchors, &title))
    }

    /// The same page under another title.
    #[must_use]
    pub fn titled(mut self, title: &str) -> Self {
        self.0.title = abridge::name(title);
        self
    }

    /// The title.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.0.title
    }

    /// A file name without extension, made of the title: lower-case letters, digits and dashes.
    #[must_use]
    pub fn file_stem(&self) -> String {
        let slug = anchor::slug(&self.0.title);
        if slug.is_empty() { "server".to_owned() } else { slug }
    }

    /// The page as GitHub Flavored Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        markdown::write(&self.0)
    }

    /// The page as one self-contained HTML file without scripts, light or dark as the reader prefers.
    #[cfg(feature = "html")]
    #[must_use]
    pub fn html(&self) -> String {
        html::write(&self.0)
    }
}
