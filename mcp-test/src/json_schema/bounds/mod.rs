//! What a schema would do to the library that compiles it, found out before it may.
//!
//! Three questions, each answered in time that is linear in the schema: is it small and flat enough to be walked at all
//! (`size`), which schemas does it consist of, and by which references (`reach`), and how many of them meet one value
//! (`applied`).

mod applied;
mod reach;
mod size;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::{Draft, Registry, RegistryBuilder, Retrieve, Uri};
use serde_json::Value;

use super::validator::refused_reference;
use super::{CompileError, Limits};
use crate::expect::words;
use crate::json::Pointer;

/// Under which URI a schema is known where its `$id` does not say better.
pub(super) const BASE: &str = "json-schema:///";

/// What is known of a schema that is within its bounds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts {
    /// Its dialect.
    pub(super) draft: Draft,
    /// How many patterns may be held against texts.
    pub(super) patterns: usize,
    /// Some of them look around, or back at what they have matched, so that they cannot be matched in one go.
    pub(super) goes_back: bool,
}

/// Refuses a schema that is beyond a bound, of an unknown dialect, or refers to what is not in it.
pub(super) fn check(schema: &Value, limits: &Limits) -> Result<Facts, CompileError> {
    size::check(schema, limits)?;
    let draft = dialect(schema).map_err(|name| CompileError::UnknownDialect {
        pointer: Pointer::root().member("$schema"),
        name,
    })?;
    let unknown = Unknown::default();
    let unusable = |error: &_| refused_reference(error, Pointer::root());
    let registry = Registry::new()
        .draft(draft)
        .retriever(unknown.clone())
        .add(BASE, schema)
        .and_then(RegistryBuilder::prepare)
        .map_err(|error| unusable(&error))?;
    let base = jsonschema::uri::from_str(BASE).map_err(|error| unusable(&error))?;
    let reached = reach::from(schema, draft, &registry.resolver(base), &unknown, limits);
    let reached = reached.map_err(|(there, error)| error.at(pointer_to(schema, there)))?;
    applied::check(&reached, limits)
        .map_err(|(there, error)| error.at(pointer_to(schema, there)))?;
    Ok(Facts { draft, patterns: reached.patterns.len(), goes_back: reached.goes_back() })
}

/// The dialect that `$schema` names: 2020-12 where there is none; what it says if that is none.
fn dialect(schema: &Value) -> Result<Draft, String> {
    let Some(named) = schema.get("$schema") else { return Ok(Draft::default()) };
    match named.as_str().map(Draft::from_schema_uri) {
        Some(draft) if draft != Draft::Unknown => Ok(draft),
        _ => Err(words::got(Some(&named.into()))),
    }
}

/// Where in the document a schema stands; the root for what is not of the document.
fn pointer_to(document: &Value, schema: &Value) -> Pointer {
    fn find(value: &Value, wanted: &Value, here: &Pointer) -> Option<Pointer> {
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

/// What the resolver was asked to fetch. It gets nothing, but goes on, so that the place of the reference is found.
#[derive(Clone, Default)]
struct Unknown {
    asked: Arc<Mutex<HashSet<String>>>,
}

impl Unknown {
    fn contains(&self, uri: &str) -> bool {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).contains(uri)
    }
}

impl Retrieve for Unknown {
    fn retrieve(
        &self,
        uri: &Uri<String>,
    ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.insert(uri.as_str().to_owned());
        Ok(Value::Bool(true))
    }
}
