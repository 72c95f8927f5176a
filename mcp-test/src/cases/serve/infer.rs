//! Lists that no case has, made of what the cases show: a sketch that only has calls can be tried with a real client.

use std::collections::BTreeSet;

use serde_json::json;

use super::edition::Chain;
use super::line::Line;
use super::turn::Turn;
use crate::expect::words;
use crate::json::{Object, Value};
use crate::spec::Revision;

/// The member of `_meta` that marks what is inferred.
const INFERRED: &str = "mcp-test/inferred";

/// The lists, by what cases show.
#[derive(Debug)]
pub(super) struct Lists {
    tools: Vec<Value>,
    prompts: Vec<Value>,
    resources: Vec<Value>,
}

impl Lists {
    /// The result of a request for a list, and what it is made of; `None` if the method asks for none.
    pub(super) fn result(&self, method: &str, revision: Revision) -> Option<(Value, String)> {
        let (member, items): (_, &[Value]) = match method {
            "tools/list" => ("tools", &self.tools),
            "prompts/list" => ("prompts", &self.prompts),
            "resources/list" => ("resources", &self.resources),
            "resources/templates/list" => ("resourceTemplates", &[]),
            _ => return None,
        };
        let mut items = items.to_vec();
        if revision < Revision::V2025_06_18 {
            // Only results had a `_meta` then.
            for item in &mut items {
                item.remove("/_meta");
            }
        }
        let from = match items.len() {
            0 => "inferred: no case shows any".to_owned(),
            number => format!("inferred from the cases: {}", words::count(number, "item")),
        };
        let mut result = Object::new();
        result.push(member, Value::Array(items));
        Some((result.into(), from))
    }
}

/// Makes the lists.
pub(super) fn lists(chains: &[Chain]) -> Lists {
    Lists {
        tools: things(chains, "tools/call", "name").iter().map(Thing::tool).collect(),
        prompts: things(chains, "prompts/get", "name").iter().map(Thing::prompt).collect(),
        resources: things(chains, "resources/read", "uri").iter().map(Thing::resource).collect(),
    }
}

/// Something that cases ask for by its name.
struct Thing<'a> {
    name: &'a str,
    turns: Vec<&'a Turn>,
}

/// What cases ask for with success by a method, in the order of their first.
fn things<'a>(chains: &'a [Chain], method: &str, member: &str) -> Vec<Thing<'a>> {
    let mut things: Vec<Thing<'a>> = Vec::new();
    let mut known = std::collections::HashMap::new();
    let turns = chains.iter().flat_map(|chain| &chain.turns);
    for turn in turns.filter(|turn| turn.heard.method() == Some(method)) {
        // What is refused is perhaps not there; a turn without a reply says nothing either way.
        let refused = turn.reply().is_some() && !turn.succeeds();
        let name = turn.heard.param(member).and_then(Value::as_str);
        let Some(name) = name.filter(|name| !refused && !name.contains("${")) else { continue };
        let number = *known.entry(name).or_insert_with(|| {
            things.push(Thing { name, turns: Vec::new() });
            things.len() - 1
        });
        things[number].turns.push(turn);
    }
    things
}

impl Thing<'_> {
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
        tool.set("/inputSchema", json!({ "type": "object" }).into());
        tool.set("/inputSchema/properties", properties.into());
        self.marked(tool)
    }

    fn prompt(&self) -> Value {
        let arguments =
            self.arguments().into_iter().map(|(name, _)| json!({ "name": name }).into());
        let mut prompt = Value::from(json!({ "name": self.name }));
        prompt.set("/description", self.description().into());
        prompt.set("/arguments", Value::Array(arguments.collect()));
        self.marked(prompt)
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
        self.marked(resource)
    }

    fn description(&self) -> String {
        let mut cases: Vec<_> = self.turns.iter().map(|turn| &turn.heard).collect();
        cases.dedup_by(|one, other| std::sync::Arc::ptr_eq(&one.case, &other.case));
        let first =
            cases.first().map(|line: &&Line| format!("{:?} ({})", line.case.title(), line.place()));
        let rest = match cases.len().saturating_sub(1) {
            0 => String::new(),
            1 => " and another case".to_owned(),
            more => format!(" and {more} other cases"),
        };
        format!("Inferred by mcp-test from the case {}{rest}.", first.unwrap_or_default())
    }

    fn marked(&self, mut item: Value) -> Value {
        item.set("/_meta", json!({ INFERRED: true }).into());
        item
    }

    /// The arguments that were seen, with the types that they had.
    fn arguments(&self) -> Vec<(&str, BTreeSet<&'static str>)> {
        let mut arguments: Vec<(&str, BTreeSet<&'static str>)> = Vec::new();
        let seen = self.turns.iter().filter_map(|turn| turn.heard.param("arguments")?.as_object());
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

/// The type by which JSON Schema knows a value; a text with a name in it may become anything.
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
