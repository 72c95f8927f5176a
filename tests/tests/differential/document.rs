//! The JSON Schema with the definitions of a revision: the official one, from the folder that `MCP_TEST_OFFICIAL_SCHEMAS` names,
//! or ours. The `jsonschema` crate makes validators from it.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use mcp_test::spec::Revision;
use mcp_test::spec::schema::{self, Authority};
use serde_json::{Map, Value, json};

/// The folder of the official schemas. Tests that use it are ignored unless asked for.
pub(crate) fn folder() -> PathBuf {
    let folder = env::var_os("MCP_TEST_OFFICIAL_SCHEMAS")
        .expect("MCP_TEST_OFFICIAL_SCHEMAS names the folder that has <revision>/schema.json");
    // Cargo runs tests in the folder of their package, but paths are given relative to the workspace.
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder)
}

/// The schema of a revision.
pub(crate) struct Document {
    pub(crate) revision: Revision,
    /// The definitions, by name.
    pub(crate) definitions: Map<String, Value>,
    /// The `$schema` of the document.
    dialect: Value,
    /// The key of the definitions, which depends on the revision.
    key: &'static str,
    /// Whether the schema is ours, which uses a format `base64`.
    ours: bool,
}

impl Document {
    /// The official schema of a revision.
    pub(crate) fn official(revision: Revision) -> Self {
        let path = folder().join(revision.as_str()).join("schema.json");
        let text = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self::read(revision, serde_json::from_slice(&text).expect("a schema in JSON"), false)
    }

    /// Our schema of a revision.
    pub(crate) fn ours(revision: Revision, authority: Authority) -> Self {
        Self::read(revision, schema::json_schema(revision, authority), true)
    }

    /// The same document with one definition from another.
    pub(crate) fn with(&self, name: &str, from: &Self) -> Self {
        let mut definitions = self.definitions.clone();
        definitions.insert(name.to_owned(), from.definitions[name].clone());
        Self { definitions, dialect: self.dialect.clone(), ..*self }
    }

    fn read(revision: Revision, mut whole: Value, ours: bool) -> Self {
        let key = if whole.get("$defs").is_some() { "$defs" } else { "definitions" };
        let Value::Object(definitions) = whole[key].take() else {
            panic!("the schema of {revision} has no {key}")
        };
        Self { revision, definitions, dialect: whole["$schema"].take(), key, ours }
    }

    /// The library's validator for a definition.
    pub(crate) fn validator(&self, name: &str) -> jsonschema::Validator {
        let mut names = BTreeSet::new();
        self.collect_references(name, &mut names);
        let definitions: Map<_, _> =
            names.iter().map(|&name| (name.to_owned(), self.definitions[name].clone())).collect();
        let schema = json!({
            "$schema": self.dialect,
            // Older dialects ignore keywords beside a `$ref`.
            "allOf": [{ "$ref": format!("#/{}/{name}", self.key) }],
            self.key: definitions,
        });
        let mut options = jsonschema::options().should_validate_formats(true);
        if self.ours {
            options = options.with_format("base64", is_base64);
        }
        options.build(&schema).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Collects a definition and all those that it refers to, transitively.
    pub(crate) fn collect_references<'a>(&'a self, name: &'a str, names: &mut BTreeSet<&'a str>) {
        if names.insert(name) {
            self.collect_from(&self.definitions[name], names);
        }
    }

    fn collect_from<'a>(&'a self, schema: &'a Value, names: &mut BTreeSet<&'a str>) {
        match schema {
            Value::Object(members) => {
                for (member, inner) in members {
                    match inner.as_str().filter(|_| member == "$ref") {
                        Some(target) => {
                            self.collect_references(
                                target.rsplit('/').next().unwrap_or_default(),
                                names,
                            );
                        }
                        None => self.collect_from(inner, names),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.collect_from(item, names)),
            _ => {}
        }
    }
}

/// Whether this is Base64: complete groups of four digits, padded, with unused bits set to zero.
fn is_base64(text: &str) -> bool {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.strip_suffix("==").or(text.strip_suffix('=')).unwrap_or(text);
    let padding = text.len() - digits.len();
    let values: Option<Vec<usize>> = digits.chars().map(|digit| DIGITS.find(digit)).collect();
    let spare = [0b00_0000, 0b00_0011, 0b00_1111][padding];
    let spare_bits_are_zero = |values: &[usize]| values.last().is_none_or(|last| last & spare == 0);
    text.len().is_multiple_of(4) && values.is_some_and(|values| spare_bits_are_zero(&values))
}
