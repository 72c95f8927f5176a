//! Loads an official schema that replaces our shapes at one revision.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::compiled::Compiled;
use super::definition_set::{DefinitionInfo, DefinitionSet, ErrorDefinition};
use super::model::Index;
use super::{Authority, Schemas};
use crate::expect::words;
use crate::json;
use crate::json_schema::Limits;
use crate::spec::Revision;

/// Definitions that the schema of every revision has.
const REQUIRED: [&str; 4] =
    ["JSONRPCMessage", "JSONRPCRequest", "JSONRPCNotification", "RequestId"];

/// Why a text cannot be loaded as the schema of a revision.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// The text is too long.
    #[error("the schema has {bytes} bytes; at most {most} are read")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The limit.
        most: usize,
    },
    /// The text is not JSON.
    #[error("the schema is not JSON: {0}")]
    NotJson(#[from] json::ParseError),
    /// The document has no definitions.
    #[error(
        "the schema has no definitions: expected an object with `$defs` or `definitions`, got {got}"
    )]
    NoDefinitions {
        /// The document, truncated.
        got: String,
    },
    /// The document is not a schema of MCP.
    #[error("this is not a schema of MCP: it does not define {missing}")]
    NotMcp {
        /// The first required definition that it lacks.
        missing: &'static str,
    },
    /// The document is the schema of another revision.
    #[error("this is the schema of MCP {is}, not of {given}")]
    OtherRevision {
        /// Its revision.
        is: Revision,
        /// The revision that it was to be loaded for.
        given: Revision,
    },
    /// The document is not a valid JSON Schema.
    #[error("the schema cannot be used: {0}")]
    Unusable(String),
    /// One of its definitions cannot be compiled.
    #[error("the definition `{name}` cannot be used: {reason}")]
    UnusableDefinition {
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
}

impl Schemas {
    /// Replaces our shapes at `revision` with an official `schema.json`, and compiles all of it.
    ///
    /// External references are not fetched.
    ///
    /// # Errors
    /// Fails if the text is too long, is not JSON, is not a JSON Schema with the definitions of MCP, is the schema of another
    /// revision, or has a definition that cannot be compiled.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::spec::Revision;
    /// use mcp_test::spec::schema::Schemas;
    ///
    /// let error = Schemas::ours().load(Revision::V2025_06_18, b"{\"$defs\": {}}").unwrap_err();
    /// assert_eq!(error.to_string(), "this is not a schema of MCP: it does not define JSONRPCMessage");
    /// ```
    pub fn load(&self, revision: Revision, text: &[u8]) -> Result<Self, SchemaError> {
        // Before parsing; the same limit applies to the document when it is compiled.
        let most = Limits::document().bytes;
        if text.len() > most {
            return Err(SchemaError::TooLong { bytes: text.len(), most });
        }
        let value = json::Value::parse(text)?.value;
        let document = value.to_serde();
        // The schemas until 2025-06-18 are draft 7, which has `definitions`; later ones have `$defs`.
        let definitions = ["$defs", "definitions"].iter().find_map(|key| document[key].as_object());
        let Some(definitions) = definitions else {
            return Err(SchemaError::NoDefinitions { got: words::got(Some(&value)) });
        };
        if let Some(missing) = REQUIRED.into_iter().find(|name| !definitions.contains_key(*name)) {
            return Err(SchemaError::NotMcp { missing });
        }
        // Before compiling, which takes longer and would not notice: the schema of another revision is valid.
        if let Some(is) = revision_of(definitions).filter(|is| *is != revision) {
            return Err(SchemaError::OtherRevision { is, given: revision });
        }
        let definitions = definition_infos(definitions, revision);
        let compiled =
            Compiled::read(document).map_err(|error| SchemaError::Unusable(error.to_string()))?;
        compiled.compile_all().map_err(|(name, error)| SchemaError::UnusableDefinition {
            name,
            reason: error.to_string(),
        })?;
        Ok(self.with(DefinitionSet::new(revision, definitions, None, compiled)))
    }
}

/// The revision of a schema: the one that has all of its definitions and the fewest others.
///
/// `None` for a draft, which has definitions that no revision has, and for less than half of a schema.
fn revision_of(definitions: &Map<String, Value>) -> Option<Revision> {
    let sets = Revision::ALL.map(|revision| DefinitionSet::ours(revision, Authority::Schema));
    let has_all = |set: &&&DefinitionSet| definitions.keys().all(|name| set.find(name).is_some());
    let nearest = sets.iter().filter(has_all).min_by_key(|set| set.definitions.len())?;
    // A few common definitions occur at every revision and name none.
    (2 * definitions.len() >= nearest.definitions.len()).then_some(nearest.revision)
}

/// The properties of the definitions, as far as the schema shows them.
fn definition_infos(definitions: &Map<String, Value>, revision: Revision) -> Vec<DefinitionInfo> {
    let mut names: Vec<&String> = definitions.keys().collect();
    names.sort();
    let indices: HashMap<&str, Index> =
        names.iter().map(|name| name.as_str()).zip((0..=u16::MAX).map(Index)).collect();
    let ours = DefinitionSet::ours(revision, Authority::Schema);
    let info = |name: &&String| {
        let definition = &definitions[*name];
        let members = &definition["properties"];
        let method = members["method"]["const"].as_str();
        let params = members["params"]["$ref"].as_str().and_then(|reference| {
            let (_, name) = reference.rsplit_once('/')?;
            indices.get(name).copied()
        });
        let code = |error: &Value| {
            // Errors with a code of their own extend the general `Error` by `allOf`.
            let inside = error["allOf"].as_array().into_iter().flatten().chain([error]);
            inside.filter_map(|part| part["properties"]["code"]["const"].as_i64()).next()
        };
        let reply = code(&members["error"]).map(ErrorDefinition::Response);
        let required = definition["required"].as_array().into_iter().flatten();
        // JSON Schema has no pages of the specification; those of our definitions with the same name apply.
        let known = ours.find(name).map(|index| ours.info(index));
        DefinitionInfo {
            name: Cow::Owned((*name).clone()),
            page: known.and_then(|known| known.page),
            method: method.map(|method| Cow::Owned(method.to_owned())),
            params,
            result: method.and_then(|_| result(name, &indices)),
            error: reply.or_else(|| code(definition).map(ErrorDefinition::Object)),
            required: required
                .filter_map(Value::as_str)
                .map(|name| Cow::Owned(name.to_owned()))
                .collect(),
        }
    };
    names.iter().map(info).collect()
}

/// The result of a request by its name, or the empty result.
fn result(request: &str, indices: &HashMap<&str, Index>) -> Option<Index> {
    // No schema refers from a request to its result, only the names connect them.
    let stem = request.strip_suffix("Request")?;
    let own = indices.get(format!("{stem}Result").as_str());
    own.or_else(|| indices.get("EmptyResult")).copied()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::spec::schema::{Definition, json_schema};
    use crate::wire::{Message, Response};

    fn error(text: &str) -> String {
        Schemas::ours().load(Revision::NEWEST, text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn invalid_schemas_are_refused_with_a_reason() {
        insta::assert_snapshot!(error("<html>"), @"the schema is not JSON: line 1, column 1: expected a value, found `<`");
        insta::assert_snapshot!(error("[]"), @"the schema has no definitions: expected an object with `$defs` or `definitions`, got []");
        insta::assert_snapshot!(error(r#"{"type": "object"}"#), @r#"the schema has no definitions: expected an object with `$defs` or `definitions`, got {"type":"object"}"#);
        insta::assert_snapshot!(error(r#"{"$defs": {"JSONRPCMessage": {}}}"#), @"this is not a schema of MCP: it does not define JSONRPCRequest");
    }

    #[test]
    fn a_loaded_schema_applies_to_its_revision_only() {
        let revision = Revision::V2025_11_25;
        let mut document = json_schema(revision, Authority::Schema);
        document["$defs"]["Tool"]["required"] = json!(["name", "title"]);
        let text = document.to_string();
        let loaded = Schemas::ours().load(revision, text.as_bytes()).unwrap();
        assert!(loaded.is_loaded(revision) && !loaded.is_loaded(Revision::NEWEST));

        let listed = |tool| Message::from(Response::new(1, json!({"tools": [tool]})));
        let violations = |schemas: &Schemas, tool| {
            let list = Some("tools/list");
            let found = schemas.validate(&listed(tool), list, revision, Authority::Text);
            found.iter().map(|it| format!("{it} ({})", it.shape)).collect::<Vec<_>>().join("\n")
        };
        let tool = || json!({"name": "add", "inputSchema": {"type": "object"}});
        assert_eq!(violations(&Schemas::ours(), tool()), "");
        insta::assert_snapshot!(violations(&loaded, tool()), @"expected `/result/tools/0/title` is present, got nothing (ListToolsResult)");
        assert_eq!(violations(&loaded, json!({"name": "add", "title": "Add"})), "");

        let call = loaded.method_definition("tools/call", revision, Authority::Text).unwrap();
        let name = |found: Option<Definition>| found.map(|found| found.name().to_owned());
        assert_eq!(name(call.result()).as_deref(), Some("CallToolResult"));
        assert_eq!(name(call.params()).as_deref(), Some("CallToolRequestParams"));
        let level =
            loaded.method_definition("logging/setLevel", revision, Authority::Text).unwrap();
        assert_eq!(name(level.result()).as_deref(), Some("EmptyResult"));
    }

    #[test]
    fn the_schema_of_another_revision_is_refused() {
        for of in Revision::ALL {
            let text = json_schema(of, Authority::Schema).to_string();
            for given in Revision::ALL {
                let loaded = Schemas::ours().load(given, text.as_bytes()).map(drop);
                let other = SchemaError::OtherRevision { is: of, given };
                assert_eq!(loaded, if of == given { Ok(()) } else { Err(other) });
            }
        }
        let mut draft = json_schema(Revision::V2025_11_25, Authority::Schema);
        draft["$defs"]["Whisper"] = json!({"type": "string"});
        assert!(Schemas::ours().load(Revision::NEWEST, draft.to_string().as_bytes()).is_ok());
    }

    #[test]
    fn an_invalid_definition_is_named() {
        let mut document = json_schema(Revision::NEWEST, Authority::Schema);
        document["$defs"]["Tool"]["properties"]["name"] = json!({"$ref": "#/$defs/Nowhere"});
        insta::assert_snapshot!(error(&document.to_string()), @r##"the schema cannot be used: `/$defs/Tool/properties/name/$ref` refers to "#/$defs/Nowhere", which does not exist"##);
        document["$defs"]["Tool"] = json!({"type": "objekt"});
        insta::assert_snapshot!(error(&document.to_string()), @r#"the schema cannot be used: `/$defs/Tool/type` is not valid JSON Schema 2020-12: expected "array", "boolean", "integer", "null", "number", "object", "string" or an array, got "objekt""#);
    }
}
