//! Compares the tables of this room with the official schemas, which are not part of this project.
//!
//! `MCP_TEST_OFFICIAL_SCHEMAS` names a folder with `<revision>/schema.json`; without it these tests say that they were
//! skipped.

use std::collections::BTreeSet;
use std::path::PathBuf;

use pretty_assertions::assert_eq;
use serde_json::{Map, Value};

use super::error_code::ERROR_CODES;
use super::{Capability, METHODS, Method, MethodKind, Revision, Side};

struct Schema {
    revision: Revision,
    definitions: Map<String, Value>,
}

/// The official schemas, or none when they are not at hand.
fn schemas() -> Vec<Schema> {
    let Some(folder) = std::env::var_os("MCP_TEST_OFFICIAL_SCHEMAS").map(PathBuf::from) else {
        eprintln!("skipped: MCP_TEST_OFFICIAL_SCHEMAS does not name a folder");
        return Vec::new();
    };
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

    /// The definitions that a union consists of; a union of one is that definition itself.
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
fn what_is_known_of_a_method_agrees() {
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
fn facts_agree() {
    for schema in schemas() {
        let revision = schema.revision;
        let has = |definition: &str, pointer: &str| schema.at(definition, pointer).is_some();
        let member = |definition: &str, name: &str| has(definition, &format!("/properties/{name}"));
        let param = |definition: &str, name: &str| {
            let params = schema.params(definition);
            params.is_some_and(|params| params["properties"].get(name).is_some())
        };
        let defines = |mode: &str| schema.definitions.contains_key(mode);
        for (fact, ours, theirs) in [
            ("handshake", revision.has_handshake(), defines("InitializeRequest")),
            ("batches", revision.has_batches(), defines("JSONRPCBatchRequest")),
            (
                "errors without id",
                revision.has_errors_without_id(),
                defines("JSONRPCErrorResponse"),
            ),
            ("request meta", revision.has_request_meta(), defines("RequestMetaObject")),
            ("server requests", revision.has_server_requests(), defines("ServerRequest")),
            ("input requests", revision.has_input_requests(), defines("InputRequiredResult")),
            ("listen", revision.has_listen(), defines("SubscriptionsListenRequest")),
            ("result type", revision.has_result_type(), member("Result", "resultType")),
            ("cacheable results", revision.has_cacheable_results(), defines("CacheableResult")),
            ("tool annotations", revision.has_tool_annotations(), member("Tool", "annotations")),
            ("audio", revision.has_audio_content(), defines("AudioContent")),
            (
                "progress messages",
                revision.has_progress_messages(),
                param("ProgressNotification", "message"),
            ),
            (
                "structured content",
                revision.has_structured_content(),
                member("CallToolResult", "structuredContent"),
            ),
            (
                "any structured content",
                revision.has_structured_content() && !revision.has_any_structured_content(),
                has("CallToolResult", "/properties/structuredContent/type"),
            ),
            ("resource links", revision.has_resource_links(), defines("ResourceLink")),
            ("titles", revision.has_titles(), member("Tool", "title")),
            (
                "completion context",
                revision.has_completion_context(),
                param("CompleteRequest", "context"),
            ),
            ("icons", revision.has_icons(), member("Tool", "icons")),
            (
                "elicitation by URL",
                revision.has_url_elicitation(),
                defines("ElicitRequestURLParams"),
            ),
            (
                "sampling tools",
                revision.has_sampling_tools(),
                param("CreateMessageRequest", "tools"),
            ),
        ] {
            assert_eq!(ours, theirs, "{fact} of {revision}");
        }
    }
}

#[test]
fn capabilities_agree() {
    for schema in schemas() {
        let revision = schema.revision;
        for (side, definition) in
            [(Side::Client, "ClientCapabilities"), (Side::Server, "ServerCapabilities")]
        {
            let mut theirs = BTreeSet::new();
            gather(&schema.definitions[definition], "", &mut theirs);
            let ours: BTreeSet<String> = Capability::ALL
                .iter()
                .filter(|capability| {
                    capability.sides().contains(side)
                        && capability.revisions().contains(revision)
                        && **capability != Capability::TasksExtension
                })
                .map(|capability| capability.pointer().to_owned())
                .collect();
            // What stands between a capability and its parts has no meaning of its own.
            theirs.retain(|pointer| {
                !pointer.starts_with("/tasks/requests") || pointer.matches('/').count() == 4
            });
            assert_eq!(ours, theirs, "{definition} of {revision}");
        }
    }
}

fn gather(object: &Value, at: &str, into: &mut BTreeSet<String>) {
    let members = object["properties"].as_object();
    for (name, member) in members.into_iter().flatten() {
        let pointer = format!("{at}/{name}");
        gather(member, &pointer, into);
        into.insert(pointer);
    }
}

#[test]
fn error_codes_agree() {
    for schema in schemas() {
        let revision = schema.revision;
        let mut theirs = BTreeSet::new();
        for definition in schema.definitions.values() {
            codes(definition, &mut theirs);
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

/// The constants of all members named `code`.
fn codes(schema: &Value, into: &mut BTreeSet<i64>) {
    let Some(object) = schema.as_object() else {
        for item in schema.as_array().into_iter().flatten() {
            codes(item, into);
        }
        return;
    };
    into.extend(schema.pointer("/code/const").and_then(Value::as_i64));
    for member in object.values() {
        codes(member, into);
    }
}
