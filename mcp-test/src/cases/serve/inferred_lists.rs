//! Lists that no case has, inferred from the calls, so that a contract of a few calls works with a real client.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use mcp_test_core::expect::words;
use mcp_test_core::json::{Object, Value};
use mcp_test_core::spec::Revision;
use serde_json::json;

use super::conversation::ServedConversation;
use super::message_ref::MessageRef;
use super::turn::Turn;

/// The member of `_meta` that marks an inferred item.
const INFERRED: &str = "mcp-test/inferred";

/// The lists, inferred from the cases.
#[derive(Debug)]
pub(super) struct InferredLists {
    tools: Vec<Value>,
    prompts: Vec<Value>,
    resources: Vec<Value>,
}

impl InferredLists {
    pub(super) fn new(conversations: &[ServedConversation]) -> Self {
        Self {
            tools: items(conversations, "tools/call", "name").iter().map(Item::tool).collect(),
            prompts: items(conversations, "prompts/get", "name").iter().map(Item::prompt).collect(),
            resources: items(conversations, "resources/read", "uri")
                .iter()
                .map(Item::resource)
                .collect(),
        }
    }

    /// The result of a list method, and its source; `None` for other methods.
    pub(super) fn result(&self, method: &str, revision: Revision) -> Option<(Value, String)> {
        let (member, items): (_, &[Value]) = match method {
            "tools/list" => ("tools", &self.tools),
            "prompts/list" => ("prompts", &self.prompts),
            "resources/list" => ("resources", &self.resources),
            "resources/templates/list" => ("resourceTemplates", &[]),
            _ => return None,
        };
        let mut items = items.to_vec();
        if !revision.has_titles() {
            // Before 2025-06-18, when titles came, items of lists have no `_meta`.
            for item in &mut items {
                item.remove("/_meta");
            }
        }
        let source = match items.len() {
            0 => "inferred: no case has any".to_owned(),
            number => format!("inferred from the cases: {}", words::count(number, "item")),
        };
        let mut result = Object::new();
        result.push(member, items);
        Some((result.into(), source))
    }
}

/// A tool, prompt or resource that cases use.
struct Item<'a> {
    name: &'a str,
    turns: Vec<&'a Turn>,
}

/// What the cases use by a method with success, in the order of first use.
fn items<'a>(conversations: &'a [ServedConversation], method: &str, member: &str) -> Vec<Item<'a>> {
    let mut items: Vec<Item<'a>> = Vec::new();
    let mut known = HashMap::new();
    let turns = conversations.iter().flat_map(|conversation| &conversation.turns);
    for turn in turns.filter(|turn| turn.incoming.method() == Some(method)) {
        // What is only refused may not exist. A turn without a reply does not show that, so it counts.
        let refused = turn.reply().is_some() && !turn.succeeds();
        let name = turn.incoming.param(member).and_then(Value::as_str);
        let Some(name) = name.filter(|name| !refused && !name.contains("${")) else { continue };
        let number = *known.entry(name).or_insert_with(|| {
            items.push(Item { name, turns: Vec::new() });
            items.len() - 1
        });
        items[number].turns.push(turn);
    }
    items
}

impl Item<'_> {
    fn tool(&self) -> Value {
        let mut properties = Object::new();
        for (name, types) in self.arguments() {
            let types: Vec<_> = types.into_iter().collect();
            let schema = match types.as_slice() {
                [] => json!({}),
                [one] => json!({ "type": one }),
                several => json!({ "type": several }),
            };
            properties.insert(name, schema);
        }
        let mut tool = Value::from(json!({ "name": self.name }));
        tool.set("/description", self.description().into());
        // Nothing is `required`: that all cases have an argument does not prove that a call needs it.
        tool.set("/inputSchema", json!({ "type": "object" }).into());
        tool.set("/inputSchema/properties", properties.into());
        marked(tool)
    }

    fn prompt(&self) -> Value {
        let arguments =
            self.arguments().into_iter().map(|(name, _)| json!({ "name": name }).into());
        let mut prompt = Value::from(json!({ "name": self.name }));
        prompt.set("/description", self.description().into());
        prompt.set("/arguments", Value::Array(arguments.collect()));
        marked(prompt)
    }

    fn resource(&self) -> Value {
        let end = self.name.trim_end_matches('/').rsplit('/').next();
        let name = end.filter(|end| !end.is_empty()).unwrap_or(self.name);
        let mut resource = Value::from(json!({ "uri": self.name, "name": name }));
        resource.set("/description", self.description().into());
        let mut replies = self.turns.iter().filter_map(|turn| turn.reply());
        if let Some(kind) =
            replies.find_map(|reply| reply.value().at("/result/contents/0/mimeType"))
        {
            resource.set("/mimeType", kind.clone());
        }
        marked(resource)
    }

    fn description(&self) -> String {
        let mut cases: Vec<_> = self.turns.iter().map(|turn| &turn.incoming).collect();
        cases.dedup_by(|one, other| Arc::ptr_eq(&one.case, &other.case));
        let first = cases
            .first()
            .map(|line: &&MessageRef| format!("{:?} ({})", line.case.title(), line.place()));
        let rest = match cases.len().saturating_sub(1) {
            0 => String::new(),
            1 => " and another case".to_owned(),
            more => format!(" and {more} other cases"),
        };
        format!("Inferred by mcp-test from the case {}{rest}.", first.unwrap_or_default())
    }

    /// The arguments in the cases, with the types that they have.
    fn arguments(&self) -> Vec<(&str, BTreeSet<&'static str>)> {
        let mut arguments: Vec<(&str, BTreeSet<&'static str>)> = Vec::new();
        let seen =
            self.turns.iter().filter_map(|turn| turn.incoming.param("arguments")?.as_object());
        for (name, value) in seen.flat_map(Object::effective) {
            let number = arguments.iter().position(|(known, _)| *known == name);
            let number = number.unwrap_or_else(|| {
                arguments.push((name, BTreeSet::new()));
                arguments.len() - 1
            });
            arguments[number].1.extend(json_type(value));
        }
        arguments
    }
}

fn marked(mut item: Value) -> Value {
    item.set("/_meta", json!({ INFERRED: true }).into());
    item
}

/// The JSON Schema type of a value; a text with a `${name}` in it may become any type.
fn json_type(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(text) if text.contains("${") => return None,
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    })
}
