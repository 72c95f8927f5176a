//! The definitions of all revisions, together: what to judge by.

use super::book::Book;
use super::model::Index;
use super::{Authority, Definition, export};
use crate::spec::Revision;

/// What messages are judged by: our shapes.
///
/// Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Schemas {}

impl Schemas {
    /// Our own shapes at every revision.
    #[must_use]
    pub fn ours() -> Self {
        Self::default()
    }

    /// The definition called `name` at `revision`.
    pub fn definition(
        &self,
        name: &str,
        revision: Revision,
        authority: Authority,
    ) -> Option<Definition> {
        let book = Book::ours(revision, authority);
        book.model.find(name).map(|index| Definition::new(book, index))
    }

    /// All definitions of `revision`, by name.
    pub fn definitions(
        &self,
        revision: Revision,
        authority: Authority,
    ) -> impl Iterator<Item = Definition> {
        let book = Book::ours(revision, authority);
        (0..).zip(&book.model.shapes).map(|(index, _)| Definition::new(book, Index(index)))
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
    export::document(&Book::ours(revision, authority).model)
}
