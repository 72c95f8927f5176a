//! Compares the tables of this module with the official schemas, which are not part of this project.
//!
//! `MCP_TEST_OFFICIAL_SCHEMAS` names a folder with `<revision>/schema.json`. These tests are ignored unless asked for:
//! `cargo test -p mcp-test-core --all-features --lib spec -- --ignored`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use pretty_assertions::assert_eq;
use serde_json::{Map, Value};

use super::error_code::ERROR_CODES;
use super::{Capability, FEATURES, METHODS, Method, MethodKind, Revision, Side};

struct Schema {
    revision: Revision,
    definitions: Map<String, Value>,
}

/// The folder of the official schemas.
pub(in crate::spec) fn folder() -> PathBuf {
    std::env::var_os("MCP_TEST_OFFICIAL_SCHEMAS")
        .expect("MCP_TEST_OFFICIAL_SCHEMAS names the folder that has <revision>/schema.json")
        .into()
}

/// The official schemas.
fn schemas() -> Vec<Schema> {
    let folder = folder();
    Revision::ALL
        .into_iter()
        .map(|revision| {
            let file = folder.join(revision.as_str()).join("schema.json");
            let text = std::fs::read_to_string(&file)
                .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let schema: Value = serde_json::from_str(&text).unwrap();
            let definitions = schema.get("definitions").or(schema.get("$defs")).unwrap();
            Schema { revision, definitions: definitions.as_object().unwrap().clone() }
        })
        .collect()
}

impl Schema {
    fn at(&self, definition: &str, pointer: &str) -> Option<&Value> {
        self.definitions.get(definition)?.pointer(pointer)
    }

    /// The definitions in a union; the schemas write a union of one as that definition itself.
    fn members<'a>(&'a self, union: &'a str) -> Vec<&'a str> {
        let Some(members) = self.at(union, "/anyOf").and_then(Value::as_array) else {
            return vec![union];
        };
        members.iter().filter_map(|member| member["$ref"].as_str()?.rsplit('/').next()).collect()
    }

    fn method_of(&self, definition: &str) -> Option<&str> {
        self.at(definition, "/properties/method/const")?.as_str()
    }

    fn methods<'a>(&'a self, union: &'a str) -> BTreeSet<&'a str> {
        let members = self.members(union).into_iter();
        members.filter_map(|name| self.method_of(name)).collect()
    }

    /// The definition of the request or notification.
    fn definition(&self, method: &Method) -> Option<&str> {
        let mut names = self.definitions.keys().map(String::as_str);
        names.find(|name| self.method_of(name) == Some(method.name))
    }

    fn params(&self, definition: &str) -> Option<&Value> {
        let params = self.at(definition, "/properties/params")?;
        match params["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
            Some(name) => self.definitions.get(name),
            None => Some(params),
        }
    }

    fn core(&self) -> impl Iterator<Item = &'static Method> {
        METHODS.iter().filter(|method| {
            method.revisions().contains(self.revision) && !method.extension.contains(self.revision)
        })
    }
}

#[test]
#[ignore = "needs the official schemas, in MCP_TEST_OFFICIAL_SCHEMAS"]
fn methods_and_their_senders_agree() {
    for schema in schemas() {
        let revision = schema.revision;
        for (side, kind, union) in [
            (Side::Client, MethodKind::Request, "ClientRequest"),
            (Side::Client, MethodKind::Notification, "ClientNotification"),
            (Side::Server, MethodKind::Request, "ServerRequest"),
            (Side::Server, MethodKind::Notification, "ServerNotification"),
        ] {
            let ours: BTreeSet<&str> = schema
                .core()
                .filter(|method| method.kind == kind && method.sent_by(side, revision))
                .map(|method| method.name)
                .collect();
            assert_eq!(ours, schema.methods(union), "{union} of {revision}");
        }
        let embedded: BTreeSet<&str> = METHODS
            .iter()
            .filter(|method| method.embedded.contains(revision))
            .map(|method| method.name)
            .collect();
        assert_eq!(embedded, schema.methods("InputRequest"), "{revision}");
    }
}

#[test]
#[ignore = "needs the official schemas, in MCP_TEST_OFFICIAL_SCHEMAS"]
fn properties_of_methods_agree() {
    for schema in schemas() {
        for method in schema.core() {
            let revision = schema.revision;
            let name = schema.definition(method).unwrap();
            let params = schema.params(name);
            let has = |member: &str| {
                params.is_some_and(|params| params["properties"].get(member).is_some())
            };
            assert_eq!(method.paged.is_some(), has("cursor"), "{method} of {revision}");
            if let Some(member) = method.name_param {
                let required = &params.unwrap()["required"];
                assert!(required.as_array().unwrap().contains(&member.into()), "{method}");
            }
            // Only the names connect a request with its result.
            let result = name.replace("Request", "Result");
            if let Some(member) = method.paged {
                let pointer = format!("/properties/{member}/type");
                assert_eq!(schema.at(&result, &pointer), Some(&"array".into()), "{method}");
            }
            if revision.has_cacheable_results() {
                let caches = schema.at(&result, "/properties/ttlMs").is_some();
                assert_eq!(method.cacheable, caches, "{method}");
            }
            if revision.has_input_requests() {
                assert_eq!(method.may_need_input, has("inputResponses"), "{method}");
            }
        }
    }
}

#[test]
#[ignore = "needs the official schemas, in MCP_TEST_OFFICIAL_SCHEMAS"]
fn features_agree() {
    for schema in schemas() {
        for (name, has) in features_of(&schema) {
            let feature = FEATURES.iter().find(|feature| feature.name == name).unwrap();
            let revision = schema.revision;
            assert_eq!(feature.revisions.contains(revision), has, "{name} of {revision}");
        }
    }
}

/// The features that a schema shows; transports and authorization are only in the text.
fn features_of(schema: &Schema) -> [(&'static str, bool); 20] {
    let has = |definition: &str, pointer: &str| schema.at(definition, pointer).is_some();
    let member = |definition: &str, name: &str| has(definition, &format!("/properties/{name}"));
    let param = |definition: &str, name: &str| {
        let params = schema.params(definition);
        params.is_some_and(|params| params["properties"].get(name).is_some())
    };
    let defines = |name: &str| schema.definitions.contains_key(name);
    // Typed as an object until any JSON value is allowed.
    let is_typed = has("CallToolResult", "/properties/structuredContent/type");
    [
        ("has_handshake", defines("InitializeRequest")),
        ("has_batches", defines("JSONRPCBatchRequest")),
        ("has_errors_without_id", defines("JSONRPCErrorResponse")),
        ("has_request_meta", defines("RequestMetaObject")),
        ("has_server_requests", defines("ServerRequest")),
        ("has_input_requests", defines("InputRequiredResult")),
        ("has_listen", defines("SubscriptionsListenRequest")),
        ("has_result_type", member("Result", "resultType")),
        ("has_cacheable_results", defines("CacheableResult")),
        ("has_tool_annotations", member("Tool", "annotations")),
        ("has_audio_content", defines("AudioContent")),
        ("has_progress_messages", param("ProgressNotification", "message")),
        ("has_structured_content", member("CallToolResult", "structuredContent")),
        ("has_any_structured_content", member("CallToolResult", "structuredContent") && !is_typed),
        ("has_resource_links", defines("ResourceLink")),
        ("has_titles", member("Tool", "title")),
        ("has_completion_context", param("CompleteRequest", "context")),
        ("has_icons", member("Tool", "icons")),
        ("has_url_elicitation", defines("ElicitRequestURLParams")),
        ("has_sampling_tools", param("CreateMessageRequest", "tools")),
    ]
}

#[test]
#[ignore = "needs the official schemas, in MCP_TEST_OFFICIAL_SCHEMAS"]
fn capabilities_agree() {
    for schema in schemas() {
        let revision = schema.revision;
        for (side, definition) in
            [(Side::Client, "ClientCapabilities"), (Side::Server, "ServerCapabilities")]
        {
            let mut theirs = BTreeSet::new();
            collect_capabilities(&schema.definitions[definition], "", &mut theirs);
            let ours: BTreeSet<String> = Capability::ALL
                .iter()
                .filter(|capability| {
                    capability.sides().contains(side)
                        && capability.revisions().contains(revision)
                        // The identifiers of extensions are not in the schema.
                        && **capability != Capability::TasksExtension
                })
                .map(|capability| capability.pointer().to_owned())
                .collect();
            // `requests` and the objects in it only group capabilities.
            theirs.retain(|pointer| {
                !pointer.starts_with("/tasks/requests") || pointer.matches('/').count() == 4
            });
            assert_eq!(ours, theirs, "{definition} of {revision}");
        }
    }
}

fn collect_capabilities(object: &Value, at: &str, into: &mut BTreeSet<String>) {
    let members = object["properties"].as_object();
    for (name, member) in members.into_iter().flatten() {
        let pointer = format!("{at}/{name}");
        collect_capabilities(member, &pointer, into);
        into.insert(pointer);
    }
}

#[test]
#[ignore = "needs the official schemas, in MCP_TEST_OFFICIAL_SCHEMAS"]
fn error_codes_agree() {
    for schema in schemas() {
        let revision = schema.revision;
        let mut theirs = BTreeSet::new();
        for definition in schema.definitions.values() {
            collect_codes(definition, &mut theirs);
        }
        for code in &theirs {
            let known = ERROR_CODES.iter().find(|known| known.code == *code);
            assert!(
                known.is_some_and(|known| known.revisions.contains(revision)),
                "{code} of {revision}"
            );
        }
        // The newest schema names all of them; the older ones leave most to the pages.
        if revision == Revision::NEWEST {
            let ours = ERROR_CODES
                .iter()
                .filter(|known| known.revisions.contains(revision))
                .map(|known| known.code)
                .collect::<BTreeSet<_>>();
            assert_eq!(ours, theirs);
        }
    }
}

/// Collects the constants of all members named `code`.
fn collect_codes(schema: &Value, into: &mut BTreeSet<i64>) {
    let Some(object) = schema.as_object() else {
        for item in schema.as_array().into_iter().flatten() {
            collect_codes(item, into);
        }
        return;
    };
    into.extend(schema.pointer("/code/const").and_then(Value::as_i64));
    for member in object.values() {
        collect_codes(member, into);
    }
}
