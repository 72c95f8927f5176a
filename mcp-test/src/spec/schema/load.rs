//! Loads an official schema of a revision in the place of our shapes.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::book::{Book, Entry, ErrorEntry};
use super::compiled::Compiled;
use super::model::Index;
use super::{Authority, Schemas};
use crate::json;
use crate::json_schema::{CompileError, Limits};
use crate::spec::Revision;

/// Definitions without which a schema is not that of any revision of MCP.
const NEEDED: [&str; 4] = ["JSONRPCMessage", "JSONRPCRequest", "JSONRPCNotification", "RequestId"];

/// Why a text cannot be loaded as the schema of a revision.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// It is too long.
    #[error("the schema has {bytes} bytes; at most {most} are read")]
    TooLong {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
    /// It is no JSON.
    #[error("the schema is not JSON: {0}")]
    NotJson(#[from] json::ParseError),
    /// It has no definitions.
    #[error(
        "the schema has no definitions: expected an object with `$defs` or `definitions`, got {got}"
    )]
    NoDefinitions {
        /// What it is, cut short.
        got: String,
    },
    /// It is the schema of something else.
    #[error("this is not a schema of MCP: it does not define {missing}")]
    NotMcp {
        /// The first definition that it lacks.
        missing: &'static str,
    },
    /// It is the schema of another revision.
    #[error("this is the schema of MCP {is}, not of {given}")]
    OtherRevision {
        /// The one whose definitions it has.
        is: Revision,
        /// The one that was to be judged by it.
        given: Revision,
    },
    /// It is not a valid JSON Schema.
    #[error("the schema is not usable: {0}")]
    Unusable(#[source] CompileError),
    /// One of its definitions cannot be compiled.
    #[error("the definition `{name}` is not usable: {error}")]
    UnusableDefinition {
        /// Which.
        name: String,
        /// Why.
        #[source]
        error: CompileError,
    },
}

impl Schemas {
    /// The same with an official `schema.json` in the place of our shapes at `revision`, all of it compiled.
    ///
    /// Nothing that it refers to outside itself is fetched.
    ///
    /// # Errors
    /// When it is longer than a schema may be, is not JSON or no JSON Schema with definitions, does not define what
    /// every schema of MCP defines, is the schema of another revision, or has a definition that cannot be compiled.
    ///
    /// ```
    /// use mcp_test::spec::Revision;
    /// use mcp_test::spec::schema::Schemas;
    ///
    /// let error = Schemas::ours().load(Revision::V2025_06_18, b"{\"$defs\": {}}").unwrap_err();
    /// assert_eq!(error.to_string(), "this is not a schema of MCP: it does not define JSONRPCMessage");
    /// ```
    pub fn load(&self, revision: Revision, text: &[u8]) -> Result<Self, SchemaError> {
        let most = Limits::document().bytes;
        if text.len() > most {
            return Err(SchemaError::TooLong { bytes: text.len(), most });
        }
        let read = json::Value::parse(text)?.value;
        let document = read.to_serde();
        let definitions = ["$defs", "definitions"].iter().find_map(|key| document[key].as_object());
        let Some(definitions) = definitions else {
            return Err(SchemaError::NoDefinitions { got: crate::expect::words::got(Some(&read)) });
        };
        if let Some(missing) = NEEDED.into_iter().find(|name| !definitions.contains_key(*name)) {
            return Err(SchemaError::NotMcp { missing });
        }
        if let Some(is) = told_by_names(definitions).filter(|is| *is != revision) {
            return Err(SchemaError::OtherRevision { is, given: revision });
        }
        let entries = entries(definitions, revision);
        let compiled = Compiled::read(document).map_err(SchemaError::Unusable)?;
        compiled
            .compile_all()
            .map_err(|(name, error)| SchemaError::UnusableDefinition { name, error })?;
        Ok(self.with(Book::new(revision, entries, None, compiled)))
    }
}

/// The revision that a schema is of, by the names of its definitions: the one with the fewest others besides. A draft has
/// names that no revision has, and what is not half of a schema has too few.
fn told_by_names(definitions: &Map<String, Value>) -> Option<Revision> {
    let books = Revision::ALL.map(|revision| Book::ours(revision, Authority::Schema));
    let has_all = |book: &&&Book| definitions.keys().all(|name| book.find(name).is_some());
    let nearest = books.iter().filter(has_all).min_by_key(|book| book.entries.len())?;
    (2 * definitions.len() >= nearest.entries.len()).then_some(nearest.revision)
}

/// What stands for which method, result and error, read from the definitions alone.
fn entries(definitions: &Map<String, Value>, revision: Revision) -> Vec<Entry> {
    let mut names: Vec<&String> = definitions.keys().collect();
    names.sort();
    let places: HashMap<&str, Index> =
        names.iter().map(|name| name.as_str()).zip((0..=u16::MAX).map(Index)).collect();
    let ours = Book::ours(revision, Authority::Schema);
    let entry = |name: &&String| {
        let definition = &definitions[*name];
        let members = &definition["properties"];
        let method = members["method"]["const"].as_str();
        let params = members["params"]["$ref"].as_str().and_then(|reference| {
            let (_, name) = reference.rsplit_once('/')?;
            places.get(name).copied()
        });
        let code = |error: &Value| {
            let inside = error["allOf"].as_array().into_iter().flatten().chain([error]);
            inside.filter_map(|part| part["properties"]["code"]["const"].as_i64()).next()
        };
        let reply = code(&members["error"]).map(ErrorEntry::Reply);
        let required = definition["required"].as_array().into_iter().flatten();
        let known = ours.find(name).map(|index| ours.entry(index));
        Entry {
            name: Cow::Owned((*name).clone()),
            page: known.and_then(|known| known.page),
            method: method.map(|method| Cow::Owned(method.to_owned())),
            params,
            result: method.and_then(|_| result(name, &places)),
            error: reply.or_else(|| code(definition).map(ErrorEntry::Inside)),
            required: required
                .filter_map(Value::as_str)
                .map(|name| Cow::Owned(name.to_owned()))
                .collect(),
        }
    };
    names.iter().map(entry).collect()
}

/// The result that belongs to a request by its name, or the empty one.
fn result(request: &str, places: &HashMap<&str, Index>) -> Option<Index> {
    let stem = request.strip_suffix("Request")?;
    let own = places.get(format!("{stem}Result").as_str());
    own.or_else(|| places.get("EmptyResult")).copied()
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
    fn what_cannot_be_loaded_is_refused_with_the_reason() {
        insta::assert_snapshot!(error("<html>"), @"the schema is not JSON: line 1, column 1: expected a value, found `<`");
        insta::assert_snapshot!(error("[]"), @"the schema has no definitions: expected an object with `$defs` or `definitions`, got []");
        insta::assert_snapshot!(error(r#"{"type": "object"}"#), @r#"the schema has no definitions: expected an object with `$defs` or `definitions`, got {"type":"object"}"#);
        insta::assert_snapshot!(error(r#"{"$defs": {"JSONRPCMessage": {}}}"#), @"this is not a schema of MCP: it does not define JSONRPCRequest");
    }

    #[test]
    fn what_was_loaded_judges_its_revision_and_no_other() {
        let revision = Revision::V2025_11_25;
        let mut document = json_schema(revision, Authority::Schema);
        document["$defs"]["Tool"]["required"] = json!(["name", "title"]);
        let text = document.to_string();
        let loaded = Schemas::ours().load(revision, text.as_bytes()).unwrap();
        assert!(loaded.is_loaded(revision) && !loaded.is_loaded(Revision::NEWEST));

        let listed = |tool| Message::from(Response::new(1, json!({"tools": [tool]})));
        let told = |schemas: &Schemas, tool| {
            let list = Some("tools/list");
            let found = schemas.judge(&listed(tool), list, revision, Authority::Text);
            found.iter().map(|it| format!("{it} ({})", it.shape)).collect::<Vec<_>>().join("\n")
        };
        let tool = || json!({"name": "add", "inputSchema": {"type": "object"}});
        assert_eq!(told(&Schemas::ours(), tool()), "");
        insta::assert_snapshot!(told(&loaded, tool()), @"expected `/result/tools/0/title` is present, got nothing (ListToolsResult)");
        assert_eq!(told(&loaded, json!({"name": "add", "title": "Add"})), "");

        let call = loaded.of_method("tools/call", revision, Authority::Text).unwrap();
        let name = |found: Option<Definition>| found.map(|found| found.name().to_owned());
        assert_eq!(name(call.result()).as_deref(), Some("CallToolResult"));
        assert_eq!(name(call.params()).as_deref(), Some("CallToolRequestParams"));
        let level = loaded.of_method("logging/setLevel", revision, Authority::Text).unwrap();
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
    fn a_definition_that_is_no_schema_is_named() {
        let mut document = json_schema(Revision::NEWEST, Authority::Schema);
        document["$defs"]["Tool"]["properties"]["name"] = json!({"$ref": "#/$defs/Nowhere"});
        insta::assert_snapshot!(error(&document.to_string()), @r##"the schema is not usable: `/$defs/Tool/properties/name/$ref` refers to "#/$defs/Nowhere", which is not there"##);
        document["$defs"]["Tool"] = json!({"type": "objekt"});
        insta::assert_snapshot!(error(&document.to_string()), @r#"the schema is not usable: `/$defs/Tool/type` is no valid JSON Schema 2020-12: expected "array", "boolean", "integer", "null", "number", "object", "string" or an array, got "objekt""#);
    }
}
