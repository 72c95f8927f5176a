//! What a server lists whose values can be completed: the arguments of prompts, the variables of resource templates.

use mcp_test_core::spec::uri_template::UriTemplate;

use crate::scenarios::prelude::*;

/// How many arguments, and how many variables, a scenario completes: each is a request.
const MAX_OF_KIND: usize = 10;

/// An argument or a variable.
pub(super) struct Target {
    /// The prompt or the template, as `ref`.
    pub(super) reference: serde_json::Value,
    /// The name of the argument or variable.
    pub(super) argument: String,
}

impl Target {
    /// The parameters that complete what was typed so far.
    pub(super) fn params(&self, typed: &str) -> serde_json::Value {
        json!({ "ref": self.reference, "argument": { "name": self.argument, "value": typed } })
    }
}

/// The arguments and variables to complete, and whether there are more.
pub(super) async fn targets(ctx: &mut Ctx) -> Result<(Vec<Target>, bool), Finding> {
    let prompts = ctx.offered(ItemKind::Prompt).await?;
    let templates = ctx.offered(ItemKind::ResourceTemplate).await?;
    let arguments: Vec<Target> = prompts.items.iter().flat_map(prompt_targets).collect();
    let variables: Vec<Target> = templates.items.iter().flat_map(template_targets).collect();
    let is_cut = arguments.len() > MAX_OF_KIND || variables.len() > MAX_OF_KIND;
    let has_more = is_cut || prompts.has_more || templates.has_more;
    let first = |targets: Vec<Target>| targets.into_iter().take(MAX_OF_KIND);
    Ok((first(arguments).chain(first(variables)).collect(), has_more))
}

fn prompt_targets(prompt: &Value) -> Vec<Target> {
    let Some(name) = prompt.get("name").and_then(Value::as_str) else { return Vec::new() };
    let arguments = prompt.get("arguments").and_then(Value::as_array).unwrap_or_default();
    let names = arguments.iter().filter_map(|argument| argument.get("name")?.as_str());
    let target = |argument: &str| Target {
        reference: json!({ "type": "ref/prompt", "name": name }),
        argument: argument.to_owned(),
    };
    names.map(target).collect()
}

fn template_targets(template: &Value) -> Vec<Target> {
    let Some(uri) = template.get("uriTemplate").and_then(Value::as_str) else { return Vec::new() };
    let target = |argument: &str| Target {
        reference: json!({ "type": "ref/resource", "uri": uri }),
        argument: argument.to_owned(),
    };
    UriTemplate::new(uri).variables().into_iter().map(target).collect()
}
