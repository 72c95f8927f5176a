//! The definitions of all revisions, together: what to judge by.

#[cfg(feature = "schema")]
use std::sync::Arc;

use super::book::{Book, BookRef};
use super::model::Index;
use super::{Authority, Definition, export};
use crate::spec::Revision;

/// What messages are judged by: our shapes, and official schemas in the place of ours where they were
/// [loaded](Self::load).
///
/// Cheap to clone. Definitions are compiled when they are first asked for, ours once for the whole process.
#[derive(Debug, Clone, Default)]
pub struct Schemas {
    loaded: [Option<BookRef>; Revision::ALL.len()],
}

impl Schemas {
    /// Our own shapes at every revision.
    #[must_use]
    pub fn ours() -> Self {
        Self::default()
    }

    pub(super) fn book(&self, revision: Revision, authority: Authority) -> BookRef {
        match &self.loaded[revision as usize] {
            Some(loaded) => loaded.clone(),
            None => BookRef::Ours(Book::ours(revision, authority)),
        }
    }

    /// Whether `revision` is judged by an official schema that was loaded. It is its own authority.
    #[must_use]
    pub fn is_loaded(&self, revision: Revision) -> bool {
        self.loaded[revision as usize].is_some()
    }

    /// The same with `book` in the place of our shapes.
    #[cfg(feature = "schema")]
    pub(super) fn with(&self, book: Book) -> Self {
        let mut schemas = self.clone();
        let place = &mut schemas.loaded[book.revision as usize];
        *place = Some(BookRef::Loaded(Arc::new(book)));
        schemas
    }

    /// The definition called `name` at `revision`.
    pub fn definition(
        &self,
        name: &str,
        revision: Revision,
        authority: Authority,
    ) -> Option<Definition> {
        let book = self.book(revision, authority);
        book.find(name).map(|index| Definition::new(book, index))
    }

    /// The request or notification with that method at `revision`.
    pub fn of_method(
        &self,
        method: &str,
        revision: Revision,
        authority: Authority,
    ) -> Option<Definition> {
        let book = self.book(revision, authority);
        book.of_method(method).map(|index| Definition::new(book, index))
    }

    /// All definitions of `revision`, by name.
    pub fn definitions(
        &self,
        revision: Revision,
        authority: Authority,
    ) -> impl Iterator<Item = Definition> {
        let book = self.book(revision, authority);
        let count = u16::try_from(book.entries.len()).unwrap_or(u16::MAX);
        (0..count).map(move |index| Definition::new(book.clone(), Index(index)))
    }
}

/// Our shapes at `revision` as one JSON Schema document, draft 2020-12, with the definitions in `$defs`.
///
/// ```
/// use mcp_test::spec::Revision;
/// use mcp_test::spec::schema::{self, Authority};
///
/// let document = schema::json_schema(Revision::V2025_11_25, Authority::Text);
/// assert_eq!(document["$defs"]["RequestId"]["type"], serde_json::json!(["string", "integer"]));
/// ```
pub fn json_schema(revision: Revision, authority: Authority) -> serde_json::Value {
    Book::ours(revision, authority).model.as_ref().map(export::document).unwrap_or_default()
}
