//! A document of definitions, each compiled on first use.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use jsonschema::Registry;
use serde_json::{Value, json};

use super::bounds::{self, Analysis};
use super::reference::reference_error;
use super::validator;
use super::{CompileError, Formats, Limits, Validator};
use crate::json::Pointer;

/// The URI of the document in references to its definitions.
const DOCUMENT: &str = "urn:mcp-test:definitions";

/// The `$defs` (or `definitions`) of a JSON Schema, with a validator for each.
///
/// The document is read once; a definition is compiled, with those it refers to, on first use.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::json_schema::{Definitions, Formats};
/// use serde_json::json;
///
/// let document = json!({"$defs": {
///     "Tool": {"type": "object", "properties": {"name": {"$ref": "#/$defs/Name"}}, "required": ["name"]},
///     "Name": {"type": "string", "minLength": 1},
/// }});
/// let definitions = Definitions::read(document, Formats::none())?;
/// assert_eq!(definitions.names().collect::<Vec<_>>(), ["Name", "Tool"]);
///
/// let tool = definitions.validator("Tool").expect("it is defined")?;
/// assert_eq!(tool.is_valid(&json!({"name": ""}).into())?, false);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Definitions {
    registry: Registry<'static>,
    analysis: Analysis,
    container: &'static str,
    formats: Formats,
    limits: Limits,
    compiled: BTreeMap<String, OnceLock<Result<Validator, CompileError>>>,
}

impl Definitions {
    /// Reads a document; only `formats` are asserted.
    ///
    /// # Errors
    /// Fails if it is not a valid JSON Schema, has an unsupported dialect or a reference that cannot be resolved, or exceeds
    /// [`Limits::document`].
    pub fn read(document: Value, formats: Formats) -> Result<Self, CompileError> {
        let limits = Limits::document();
        let analysis = bounds::check(&document, &limits)?;
        // Compiled once as a whole, only for its errors: they show at once and with locations in the document.
        Validator::build(&document, analysis, &limits, &validator::options(&formats))?;
        let container = if document.get("$defs").is_some() { "$defs" } else { "definitions" };
        let names = document.get(container).and_then(Value::as_object);
        let names = names.into_iter().flat_map(|definitions| definitions.keys().cloned());
        let compiled = names.map(|name| (name, OnceLock::new())).collect();
        let registry = Registry::new()
            .draft(analysis.draft)
            .add(DOCUMENT, Arc::new(document))
            .and_then(jsonschema::RegistryBuilder::prepare)
            .map_err(|error| reference_error(&error, Pointer::root()))?;
        Ok(Self { registry, analysis, container, formats, limits, compiled })
    }

    /// The names of the definitions, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.compiled.keys().map(String::as_str)
    }

    /// The validator of a definition; `None` if there is no such definition.
    ///
    /// # Errors
    /// Fails if the definition cannot be compiled.
    pub fn validator(&self, name: &str) -> Option<Result<&Validator, CompileError>> {
        let compiled = self.compiled.get(name)?;
        let compiled = compiled.get_or_init(|| self.compile(name));
        Some(compiled.as_ref().map_err(Clone::clone))
    }

    fn compile(&self, name: &str) -> Result<Validator, CompileError> {
        let pointer = Pointer::root().member(self.container).member(name);
        // Percent escapes in a URI fragment are decoded before the pointer is read.
        let encoded = pointer.as_str().replace('%', "%25");
        let options = validator::options(&self.formats)
            .with_registry(&self.registry)
            .with_draft(self.analysis.draft);
        // By reference into the registry, so that the references inside the definition resolve in the document.
        let schema = json!({"$ref": format!("{DOCUMENT}#{encoded}")});
        // With the analysis of the whole document, which is at least as strict as one of the definition alone.
        Validator::build(&schema, self.analysis, &self.limits, &options)
    }
}
