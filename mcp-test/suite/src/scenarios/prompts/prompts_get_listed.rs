//! `prompts-get-listed`.

use crate::scenarios::links::{Link, links};
use crate::scenarios::nothing_tested::report_nothing_tested;
use crate::scenarios::prelude::*;

scenario! {
    /// The listed prompts can be requested, and the resources in their messages can be read.
    ///
    /// Each prompt is requested with a value for each required argument: one that the server completes, or else one of our own, which
    /// it may refuse. What the messages must be is judged in every conversation; this scenario makes one. At most 10 prompts are
    /// requested.
    Server "prompts-get-listed": "Listed prompts can be requested",
    revisions: Revisions::all(),
    needs: [Need::Any(ItemKind::Prompt)],
    shares_connection: Revisions::all(),
    checks: [
        check!("prompt-arguments-omitted",
            "A prompt that accepts `{}` as its arguments can be requested without `arguments`",
            [PROMPTS_GET_ARGUMENTS_OPTIONAL]).conditional(),
        check!("listed-prompts-available",
            "No listed prompt without required arguments is unknown when it is requested",
            [PROMPTS_GET_LISTED_AVAILABLE]).conditional().fails_or_warns("what the prompt needs may be out of reach"),
        check!("prompt-links-fetchable", "A resource to which a prompt links can be read, unless it is on the web",
            [PROMPTS_CONTENT_RESOURCE_LINK_FETCHABLE]).conditional(),
    ],
}

/// How many prompts are requested.
const MOST: usize = 10;
/// How many resources of their messages are read.
const MOST_RESOURCES: usize = 10;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    make(ctx).await?;
    report_nothing_tested(
        ctx,
        &SCENARIO,
        "no prompt without required arguments is listed, and none was returned for ours",
    );
    Ok(())
}

async fn make(ctx: &mut Ctx) -> Result<(), Finding> {
    let prompts = ctx.offered(ItemKind::Prompt).await?;
    let (mut available, mut omitted) = (Vec::new(), Vec::new());
    let mut found: Vec<Link> = Vec::new();
    for prompt in prompts.items.iter().take(MOST) {
        let Some(name) = prompt.get("name").and_then(Value::as_str) else { continue };
        let arguments = arguments(ctx, name, &required(prompt)).await?;
        let needs_none = arguments.is_empty();
        let reply = get(ctx, json!({ "name": name, "arguments": arguments })).await?;
        let result = match reply.outcome() {
            Ok(result) => result,
            Err(error) => {
                // The values of arguments may be wrong, and a prompt may fail.
                let unknown = [error_code::METHOD_NOT_FOUND, error_code::INVALID_PARAMS];
                if needs_none && unknown.contains(&error.code) && is_listed(ctx, name).await? {
                    let finding = Finding::peer(format!("the listed prompt `{name}` is refused"))
                        .expected("its messages, since no argument is required")
                        .got(error.to_string())
                        .evidence_all(reply.evidence());
                    // Of several optional arguments the prompt may need one, which the page lets it refuse with the same code.
                    let may_need_one =
                        error.code == error_code::INVALID_PARAMS && has_arguments(prompt);
                    available.push(Err(if may_need_one { finding.should() } else { finding }));
                }
                continue;
            }
        };
        available.push(Ok(()));
        let messages = result.get("messages").and_then(Value::as_array).unwrap_or_default();
        let content: Vec<Value> =
            messages.iter().filter_map(|it| it.get("content").cloned()).collect();
        found.extend(links(&content, &format!("the prompt `{name}`"), &reply));
        if needs_none {
            let bare = get(ctx, json!({ "name": name })).await?;
            omitted.push(bare.outcome().map(|_| ()).map_err(|error| {
                Finding::peer(format!("the prompt `{name}` is refused without `arguments`"))
                    .expected("the same messages as with `{}`, since no argument is required")
                    .got(error.to_string())
                    .evidence_all(bare.evidence())
            }));
        }
    }
    let more = prompts.items.len().saturating_sub(MOST);
    for (id, outcomes) in
        [("listed-prompts-available", available), ("prompt-arguments-omitted", omitted)]
    {
        if !outcomes.is_empty() {
            let details = json!({ "prompts": outcomes.len(), "notRequested": more });
            ctx.check(id).details(details).judge(outcomes.into_iter().collect());
        }
    }
    found.retain(|link| !link.is_embedded);
    if ctx.makes("prompt-links-fetchable") && !found.is_empty() {
        let mut outcomes = Vec::new();
        for link in found.iter().take(MOST_RESOURCES) {
            outcomes.push(link.read(ctx).await?);
        }
        ctx.check("prompt-links-fetchable").judge(outcomes.into_iter().collect());
    }
    Ok(())
}

async fn get(ctx: &mut Ctx, params: serde_json::Value) -> Result<Reply, Finding> {
    // Once: a prompt that asks for input is available, and in profile `official` the client declares input that it does not give.
    ctx.request("prompts/get", params).once().await
}

fn has_arguments(prompt: &Value) -> bool {
    let arguments = prompt.get("arguments").and_then(Value::as_array);
    arguments.is_some_and(|arguments| !arguments.is_empty())
}

/// Whether the prompt is still listed.
async fn is_listed(ctx: &mut Ctx, name: &str) -> Result<bool, Finding> {
    let listed = ctx.listed_now(ItemKind::Prompt).await?.unwrap_or_default();
    Ok(listed.iter().any(|prompt| prompt.get("name").and_then(Value::as_str) == Some(name)))
}

/// The names of the required arguments of a prompt.
pub(super) fn required(prompt: &Value) -> Vec<String> {
    let arguments = prompt.get("arguments").and_then(Value::as_array).unwrap_or_default();
    let required = arguments.iter().filter(|it| it.get("required") == Some(&Value::Bool(true)));
    required.filter_map(|it| it.get("name")?.as_str()).map(str::to_owned).collect()
}

/// A value for each of the arguments: one that the server completes, if it does.
pub(super) async fn arguments(
    ctx: &mut Ctx,
    prompt: &str,
    names: &[String],
) -> Result<serde_json::Map<String, serde_json::Value>, Finding> {
    let mut values = serde_json::Map::new();
    let has_completions = ctx.revision().has_completions_capability()
        && ctx.declares(Capability::Completions).await?;
    for name in names {
        let mut value = None;
        if has_completions {
            let reference = json!({ "type": "ref/prompt", "name": prompt });
            let argument = json!({ "name": name, "value": "" });
            let params = json!({ "ref": reference, "argument": argument });
            let reply = ctx.request("completion/complete", params).await?;
            let completion = reply.outcome().ok().and_then(|result| result.get("completion"));
            let values = completion.and_then(|it| it.get("values")?.as_array()).unwrap_or_default();
            value = values.first().and_then(Value::as_str).map(str::to_owned);
        }
        values.insert(name.clone(), value.unwrap_or_else(|| own_value(name).to_owned()).into());
    }
    Ok(values)
}

/// A value of our own: a prompt may embed the resource that it names.
fn own_value(argument: &str) -> &'static str {
    if argument.to_ascii_lowercase().ends_with("uri") { "mcp-test://example" } else { "1" }
}

proofs! {
    passes on everything();
    catches "prompt-arguments-omitted" on demanding_arguments();
    catches "listed-prompts-available" on knowing_no_prompt();
    warns "listed-prompts-available" on needing_one_of_two();
    warns "prompt-links-fetchable" on linking_to_nothing();
}

/// Validates the missing arguments as `undefined`.
fn demanding_arguments() -> Server {
    everything().on("prompts/get", |call: Call| async move {
        match call.param("arguments") {
            None => {
                Answer::error(error_code::INVALID_PARAMS, "expected object, received undefined")
            }
            Some(_) => json!({ "messages": [] }).into(),
        }
    })
}

/// Links to a resource that it does not have.
fn linking_to_nothing() -> Server {
    everything().on("prompts/get", |_: Call| async {
        let link = json!({ "type": "resource_link", "uri": "test://gone", "name": "gone" });
        json!({ "messages": [{ "role": "user", "content": link }] })
    })
}

/// Its prompt needs one of two arguments, neither of which it lists as required.
fn needing_one_of_two() -> Server {
    let arguments = json!([{ "name": "path" }, { "name": "text" }]);
    let prompts = json!([{ "name": "a", "arguments": arguments }]);
    knowing_no_prompt().on("prompts/list", move |_: Call| {
        let prompts = prompts.clone();
        async move { json!({ "prompts": prompts, "ttlMs": 0, "cacheScope": "public" }) }
    })
}

/// Lists prompts, and knows none of them.
fn knowing_no_prompt() -> Server {
    everything().on("prompts/get", |_: Call| async {
        Answer::error(error_code::INVALID_PARAMS, "unknown prompt")
    })
}
