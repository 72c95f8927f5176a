//! Values for the variables of a template: those that the server completes, and those found in what it lists and returns.

use std::collections::BTreeMap;

use mcp_test_core::clock::Stopwatch;
use mcp_test_core::spec::uri_template::{UriTemplate, is_plain};

use super::ReadBudget;
use crate::known_values::{KnownValues, Readable, ResultPart, readable};
use crate::scenarios::prelude::*;
use crate::scenarios::tools::{Calls, call_params};

/// How many values of the last variable are tried.
const VALUES: usize = 3;
/// Beginnings for which most servers complete something.
const BEGINNINGS: [&str; 3] = ["", "1", "a"];
/// How many items of each list are taken.
const LISTED: usize = 20;
/// How many resources are read, and tools called, for the values in them.
const SOURCES: usize = 3;
/// After how much time no more resources are read for the values in them.
const LONGEST: Duration = Duration::from_secs(3);

/// URIs with values that the server completes; none if it completes nothing for one of the variables.
pub(super) async fn completed_expansions(
    ctx: &mut Ctx,
    text: &str,
    template: &UriTemplate<'_>,
) -> Result<Vec<String>, Finding> {
    let variables = template.variables();
    let mut uris = Vec::new();
    let mut chosen = serde_json::Map::new();
    for (number, name) in variables.iter().enumerate() {
        let values = completed(ctx, text, name, &chosen).await?;
        let Some(first) = values.first() else { return Ok(Vec::new()) };
        // Of the last variable several values are tried.
        if number + 1 == variables.len() {
            let others = |it: &str| chosen.get(it).and_then(serde_json::Value::as_str);
            uris = expand_each(template, name, &values, others);
        }
        chosen.insert((*name).to_owned(), json!(first));
    }
    Ok(uris)
}

async fn completed(
    ctx: &mut Ctx,
    template: &str,
    name: &str,
    chosen: &serde_json::Map<String, serde_json::Value>,
) -> Result<Vec<String>, Finding> {
    for beginning in BEGINNINGS {
        let mut params = json!({
            "ref": { "type": "ref/resource", "uri": template },
            "argument": { "name": name, "value": beginning },
        });
        if ctx.revision().has_completion_context() && !chosen.is_empty() {
            params["context"] = json!({ "arguments": chosen });
        }
        let reply = ctx.request("completion/complete", params).await?;
        let completion = reply.outcome().ok().and_then(|result| result.get("completion"));
        let values = completion.and_then(|it| it.get("values")?.as_array()).unwrap_or_default();
        let values = values.iter().filter_map(Value::as_str).filter(|value| !value.is_empty());
        let mut values: Vec<String> = values.map(str::to_owned).collect();
        values.sort_by_key(|value| !is_plain(value));
        values.truncate(VALUES);
        if !values.is_empty() {
            return Ok(values);
        }
    }
    Ok(Vec::new())
}

/// The URIs with each of these values of one variable.
fn expand_each<'v>(
    template: &UriTemplate<'_>,
    variable: &str,
    values: &'v [String],
    others: impl Fn(&str) -> Option<&'v str>,
) -> Vec<String> {
    let expand = |value: &'v String| {
        template.expand(|name| if name == variable { Some(value.as_str()) } else { others(name) })
    };
    values.iter().map(expand).collect()
}

/// Values in what the server lists and returns, which are looked for once they are needed.
#[derive(Default)]
pub(super) struct FoundValues(Option<KnownValues>);

impl FoundValues {
    /// URIs with values that were found under names like those of the variables, and need not exist; none if there is none for one
    /// of the variables.
    pub(super) async fn expansions(
        &mut self,
        ctx: &mut Ctx,
        template: &UriTemplate<'_>,
        budget: &mut ReadBudget,
    ) -> Result<Vec<String>, Finding> {
        let known = match &mut self.0 {
            Some(known) => known,
            none => none.insert(found(ctx, budget).await?),
        };
        let variables = template.variables();
        let mut values: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for name in &variables {
            values.insert(name, candidates(known, name));
        }
        let Some((last, others)) = variables.split_last() else { return Ok(Vec::new()) };
        if others.iter().any(|name| values[name].is_empty()) {
            return Ok(Vec::new());
        }
        let first = |name: &str| values.get(name)?.first().map(String::as_str);
        Ok(expand_each(template, last, &values[last], first))
    }
}

/// The best values for a variable, without repetition.
fn candidates(known: &KnownValues, variable: &str) -> Vec<String> {
    let mut values = Vec::new();
    for (value, _) in known.candidates(variable) {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if values.len() < VALUES && is_plain(&value) && !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

/// The values of lists, of resources and of the results of tools. The later ones are preferred.
async fn found(ctx: &mut Ctx, budget: &mut ReadBudget) -> Result<KnownValues, Finding> {
    let mut known = KnownValues::default();
    for kind in [ItemKind::Prompt, ItemKind::Tool, ItemKind::Resource] {
        let items = ctx.offered(kind).await?;
        for item in items.items.iter().take(LISTED) {
            let Some(key) = item.get(kind.key()) else { continue };
            let value = Value::Object(Object::from_iter([(kind.key(), key.clone())]));
            known.add(kind.noun(), 0, &Readable { value, part: ResultPart::Structured });
        }
    }
    let resources = ctx.offered(ItemKind::Resource).await?;
    let stopwatch = Stopwatch::start();
    for resource in resources.items.iter().take(SOURCES) {
        let Some(uri) = resource.get("uri").and_then(Value::as_str) else { continue };
        if !budget.admits(resource) || stopwatch.elapsed() > LONGEST {
            break;
        }
        let reply = ctx.request("resources/read", json!({ "uri": uri })).deliberate().await?;
        budget.spend(&reply);
        if let Some(contents) = reply.outcome().ok().and_then(readable) {
            known.add(uri, 0, &contents);
        }
    }
    let mut calls = Calls::default();
    let tools = ctx.working_tools().await?;
    let callable = tools.iter().filter_map(|tool| Some((tool, tool.arguments.as_ref()?)));
    for (tool, arguments) in callable.take(SOURCES) {
        let Some(reply) = calls.call(ctx, call_params(&tool.name, arguments)).await? else { break };
        ctx.note_stated_call(&tool.name, &reply);
        let result = reply.outcome().ok().filter(|it| it.get("isError") != Some(&true.into()));
        if let Some(result) = result.and_then(readable) {
            known.add(&tool.name, 0, &result);
        }
    }
    Ok(known)
}
