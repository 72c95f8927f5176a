//! Checks a schema against the limits before the library compiles it.
//!
//! Each step takes time linear in the schema: its size and nesting (`size`), its subschemas and the references between them
//! (`graph`), and how many of them apply to one value (`applications`).

mod applications;
mod dialect;
mod external_uris;
mod graph;
mod size;

use jsonschema::{Draft, Registry, RegistryBuilder};
use serde_json::Value;

use self::dialect::dialect;
use self::external_uris::ExternalUris;
use self::graph::Rejection;
use super::reference::reference_error;
use super::{CompileError, Limits};
use crate::json::Pointer;

/// The base URI of a schema without an `$id`.
pub(super) const BASE: &str = "json-schema:///";

/// The properties of a schema within the limits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Analysis {
    /// Its dialect.
    pub(super) draft: Draft,
    /// The number of its patterns.
    pub(super) patterns: usize,
    /// Whether some of them have lookarounds or backreferences, which need backtracking.
    pub(super) backtracks: bool,
}

/// Refuses a schema that exceeds a limit, has an unsupported dialect or a reference that cannot be resolved.
pub(super) fn check(schema: &Value, limits: &Limits) -> Result<Analysis, CompileError> {
    // First, so that what follows may recurse into the schema.
    size::check(schema, limits)?;
    let draft = dialect(schema)?;
    // The retriever of the compiler proper is offline; here a recording one finds the reference to report.
    let external = ExternalUris::default();
    let unusable = |error: &_| reference_error(error, Pointer::root());
    let registry = Registry::new()
        .draft(draft)
        .retriever(external.clone())
        .add(BASE, schema)
        .and_then(RegistryBuilder::prepare)
        .map_err(|error| unusable(&error))?;
    let base = jsonschema::uri::from_str(BASE).map_err(|error| unusable(&error))?;
    let locate = |(subschema, error): Rejection<'_>| error.at(pointer_to(schema, subschema));
    let graph = graph::build(schema, draft, &registry.resolver(base), &external, limits);
    let graph = graph.map_err(locate)?;
    applications::check(&graph, limits).map_err(locate)?;
    Ok(Analysis { draft, patterns: graph.patterns.len(), backtracks: graph.backtracks() })
}

/// The location of a subschema in the document; the root if it is not part of the document.
fn pointer_to(document: &Value, schema: &Value) -> Pointer {
    fn find(value: &Value, wanted: &Value, here: &Pointer) -> Option<Pointer> {
        // By address, because equal schemas may occur at several locations.
        if std::ptr::eq(value, wanted) {
            return Some(here.clone());
        }
        match value {
            Value::Object(members) => members
                .iter()
                .find_map(|(name, value)| find(value, wanted, &here.clone().member(name))),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .find_map(|(index, value)| find(value, wanted, &here.clone().index(index))),
            _ => None,
        }
    }
    find(document, schema, &Pointer::root()).unwrap_or_default()
}
