//! The definitions of all revisions: our shapes, or official schemas that replace them.

#[cfg(feature = "schema")]
use std::sync::Arc;

use super::definition_set::{DefinitionSet, DefinitionSetRef};
use super::model::Index;
use super::{Authority, Definition, export};
use crate::spec::Revision;

/// The definitions that messages are validated against: our shapes, replaced by official schemas where they are
/// [loaded](Self::load).
///
/// Cheap to clone. Definitions are compiled on first use, ours once per process.
#[derive(Debug, Clone, Default)]
pub struct Schemas {
    loaded: [Option<DefinitionSetRef>; Revision::ALL.len()],
}

impl Schemas {
    /// Our own shapes at all revisions.
    #[must_use]
    pub fn ours() -> Self {
        Self::default()
    }

    pub(super) fn set(&self, revision: Revision, authority: Authority) -> DefinitionSetRef {
        match &self.loaded[revision as usize] {
            Some(loaded) => loaded.clone(),
            None => DefinitionSetRef::Ours(DefinitionSet::ours(revision, authority)),
        }
    }

    /// Whether an official schema is loaded for `revision`. It is its own authority.
    #[must_use]
    pub fn is_loaded(&self, revision: Revision) -> bool {
        self.loaded[revision as usize].is_some()
    }

    /// Replaces the definitions of the set's revision.
    #[cfg(feature = "schema")]
    pub(super) fn with(&self, set: DefinitionSet) -> Self {
        let mut schemas = self.clone();
        let revision = set.revision as usize;
        schemas.loaded[revision] = Some(DefinitionSetRef::Loaded(Arc::new(set)));
        schemas
    }

    /// Takes over the definitions of one revision.
    #[doc(hidden)]
    pub fn adopt(&mut self, revision: Revision, from: &Self) {
        self.loaded[revision as usize] = from.loaded[revision as usize].clone();
    }

    /// The definition `name` at `revision`.
    pub fn definition(
        &self,
        name: &str,
        revision: Revision,
        authority: Authority,
    ) -> Option<Definition> {
        let set = self.set(revision, authority);
        set.find(name).map(|index| Definition::new(set, index))
    }

    /// The request or notification with that method at `revision`.
    pub fn method_definition(
        &self,
        method: &str,
        revision: Revision,
        authority: Authority,
    ) -> Option<Definition> {
        let set = self.set(revision, authority);
        set.method_index(method).map(|index| Definition::new(set, index))
    }

    /// All definitions of `revision`, sorted by name.
    pub fn definitions(
        &self,
        revision: Revision,
        authority: Authority,
    ) -> impl Iterator<Item = Definition> {
        let set = self.set(revision, authority);
        // A loaded schema may have more definitions than an index can express; the rest is not found, as by name.
        let count = u16::try_from(set.definitions.len()).unwrap_or(u16::MAX);
        (0..count).map(move |index| Definition::new(set.clone(), Index(index)))
    }
}

/// Our shapes at `revision` as one JSON Schema document, draft 2020-12, with the definitions in `$defs`.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::spec::Revision;
/// use mcp_test::spec::schema::{self, Authority};
///
/// let document = schema::json_schema(Revision::V2025_11_25, Authority::Text);
/// assert_eq!(document["$defs"]["RequestId"]["type"], serde_json::json!(["string", "integer"]));
/// ```
#[doc(hidden)]
pub fn json_schema(revision: Revision, authority: Authority) -> serde_json::Value {
    DefinitionSet::ours(revision, authority)
        .model
        .as_ref()
        .map(export::document)
        .unwrap_or_default()
}
