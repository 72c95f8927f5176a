//! Documentation from cases: the server as they show it, as Markdown and as a page of HTML.
//!
//! | file | what |
//! |---|---|
//! | `dialogue` | what was asked and what came of it, from all cases |
//! | `sections` | the chapters: server, tools, resources, prompts, completions, requests to the client, notifications, errors, other requests, conversations |
//! | `page` | a page before it is written |
//! | `anchor` | stable names for places on a page |
//! | `abridge` | what is shown of values that are long, deep or deceiving |
//! | `markdown` | a page as Markdown |
//! | `html` | a page as HTML, with feature `cli` |
//!
//! The same cases give the same bytes, and an anchor depends on nothing but what it names, so that pages can be kept under
//! version control and linked to. Descriptions, names and values are somebody else's: they are escaped, bounded, and never
//! markup. Comments above a case, and above a message, are its prose.

mod abridge;
mod anchor;
mod dialogue;
#[cfg(feature = "cli")]
mod html;
mod markdown;
mod page;
mod sections;
#[cfg(test)]
mod tests;

use self::anchor::Anchors;
use self::dialogue::Dialogue;
use self::page::Page;
use super::Cases;

/// A page on a server: tools, resources, prompts and whatever else its cases show.
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
    /// Lays the page out. Its title is what the server calls itself.
    #[must_use]
    pub fn of(cases: &Cases) -> Self {
        let mut anchors = Anchors::default();
        let dialogue = Dialogue::of(cases, &mut anchors);
        let title = sections::name(&dialogue).unwrap_or("MCP server").to_owned();
        Self(sections::page(&dialogue, &mut anchors, &title))
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

    /// A name for files, from the title: small letters, digits and dashes.
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

    /// The page as one file of HTML that needs nothing else: neither scripts nor anything from elsewhere. It is light or dark
    /// as its reader likes.
    #[cfg(feature = "cli")]
    #[must_use]
    pub fn html(&self) -> String {
        html::write(&self.0)
    }
}
