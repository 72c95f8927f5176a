//! A document of definitions, of which each is compiled when it is first asked for.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use jsonschema::Registry;
use serde_json::{Value, json};

use super::bounds::{self, Facts};
use super::validator::{self, refused_reference};
use super::{CompileError, Formats, Limits, Validator};

/// Under which URI the document is known to the schemas that refer into it.
const DOCUMENT: &str = "urn:mcp-test:definitions";

/// A JSON Schema whose `$defs` (or `definitions`) are what matters: validators for each of them.
///
/// The document is read once; a definition is compiled, with those it refers to, when it is first asked for.
///
/// ```
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
    facts: Facts,
    container: &'static str,
    formats: Formats,
    limits: Limits,
    compiled: BTreeMap<String, OnceLock<Result<Validator, CompileError>>>,
}

impl Definitions {
    /// Reads a document; texts of the formats named are looked at, those of others are not.
    ///
    /// # Errors
    /// When it is no valid JSON Schema, of an unknown dialect, refers to what is not in it, or is beyond
    /// [`Limits::document`].
    pub fn read(document: Value, formats: Formats) -> Result<Self, CompileError> {
        let limits = Limits::document();
        let facts = bounds::check(&document, &limits)?;
        Validator::build(&document, facts, &limits, &validator::options(&formats))?;
        let container = if document.get("$defs").is_some() { "$defs" } else { "definitions" };
        let names = document.get(container).and_then(Value::as_object);
        let names = names.into_iter().flat_map(|definitions| definitions.keys().cloned());
        let compiled = names.map(|name| (name, OnceLock::new())).collect();
        let registry = Registry::new()
            .draft(facts.draft)
            .add(DOCUMENT, Arc::new(document))
            .and_then(jsonschema::RegistryBuilder::prepare)
            .map_err(|error| refused_reference(&error, crate::json::Pointer::root()))?;
        Ok(Self { registry, facts, container, formats, limits, compiled })
    }

    /// The names of the definitions, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.compiled.keys().map(String::as_str)
    }

    /// The validator of a definition, `None` if there is no such definition.
    ///
    /// # Errors
    /// When the definition cannot be compiled, each time again.
    pub fn validator(&self, name: &str) -> Option<Result<&Validator, CompileError>> {
        let compiled = self.compiled.get(name)?;
        let compiled = compiled.get_or_init(|| self.compile(name));
        Some(compiled.as_ref().map_err(Clone::clone))
    }

    fn compile(&self, name: &str) -> Result<Validator, CompileError> {
        let place = crate::json::Pointer::root().member(self.container).member(name);
        let encoded = place.as_str().replace('%', "%25");
        let options = validator::options(&self.formats)
            .with_registry(&self.registry)
            .with_draft(self.facts.draft);
        let schema = json!({"$ref": format!("{DOCUMENT}#{encoded}")});
        Validator::build(&schema, self.facts, &self.limits, &options)
    }
}
