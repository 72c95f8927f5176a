//! `prompts-get-invalid`.

use super::prompts_get_listed::{arguments, required};
use crate::scenarios::prelude::*;
use crate::scenarios::refusal::refused;
use crate::scenarios::resources::OBJECT_MEMBER;

scenario! {
    /// Unknown prompts, missing arguments and arguments that are not strings are refused.
    ///
    /// A prompt that is rendered without what it requires reads `undefined` where the user expects a text. At most 10 prompts are
    /// requested.
    Server "prompts-get-invalid": "Invalid requests of prompts are refused",
    revisions: Revisions::all(),
    needs: [Need::Capability(Capability::Prompts)],
    shares_connection: Revisions::all(),
    checks: [
        check!("unknown-prompt", "An unknown prompt is refused with -32602",
            [PROMPTS_GET_UNKNOWN_PROMPT_32602]),
        check!("missing-prompt-argument", "A prompt without a required argument is refused with -32602",
            [PROMPTS_GET_MISSING_ARGUMENT_32602]).conditional(),
        check!("prompt-argument-types", "An argument that is not a string is not rendered as if it were one",
            [PROMPTS_IMPL_VALIDATE_ARGUMENTS]).conditional(),
    ],
}

/// A name that no server has by accident.
const UNKNOWN: &str = "no-such-prompt-of-mcp-test";
/// How many prompts are requested.
const MOST: usize = 10;
/// As what JavaScript prints an object.
const PRINTED: &str = "[object Object]";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let prompts = ctx.offered(ItemKind::Prompt).await?;
    let is_listed = |name: &str| {
        prompts.items.iter().any(|it| it.get("name").and_then(Value::as_str) == Some(name))
    };
    let mut outcomes = Vec::new();
    for name in [UNKNOWN, OBJECT_MEMBER].into_iter().filter(|name| !is_listed(name)) {
        let reply = ctx.request("prompts/get", json!({ "name": name })).promptly().await?;
        outcomes.push(refused(&reply, error_code::INVALID_PARAMS));
    }
    let outcome: Result<(), Finding> = outcomes.into_iter().collect();
    ctx.check("unknown-prompt").judge(
        outcome
            .map_err(|finding| finding.headed("an unknown prompt is not refused as it should be")),
    );
    let with_required: Vec<_> =
        prompts.items.iter().filter(|it| !required(it).is_empty()).take(MOST).collect();
    let details = json!({ "prompts": with_required.len(), "listed": prompts.items.len() });
    for prompt in with_required {
        let Some(name) = prompt.get("name").and_then(Value::as_str) else { continue };
        let params = json!({ "name": name, "arguments": {} });
        let reply = ctx.request("prompts/get", params).await?;
        let refused = refused(&reply, error_code::INVALID_PARAMS).map_err(|finding| {
            let headline =
                format!("the prompt `{name}` does not refuse missing arguments as it should");
            finding.headed(headline)
        });
        ctx.check("missing-prompt-argument").details(details.clone()).judge(refused);
        let names = required(prompt);
        let mut arguments = arguments(ctx, name, &names).await?;
        arguments.insert(names[0].clone(), json!({ "mcp-test": true }));
        let params = json!({ "name": name, "arguments": arguments });
        let reply = ctx.request("prompts/get", params).deliberate().promptly().await?;
        let outcome = is_not_printed(name, &names[0], &reply);
        ctx.check("prompt-argument-types").details(details.clone()).judge(outcome);
    }
    Ok(())
}

fn is_not_printed(prompt: &str, argument: &str, reply: &Reply) -> Result<(), Finding> {
    let Ok(result) = reply.outcome() else { return Ok(()) };
    let messages = result.get("messages").and_then(Value::as_array).unwrap_or_default();
    let texts = messages.iter().filter_map(|message| message.get("content")?.get("text")?.as_str());
    let Some(text) = texts.into_iter().find(|text| text.contains(PRINTED)) else { return Ok(()) };
    Err(Finding::peer(format!(
        "the prompt `{prompt}` renders an object as the text of `{argument}`"
    ))
    .expected("a JSON-RPC error with code -32602: arguments of prompts are strings")
    .got(mcp_test_core::expect::words::excerpt(text).into_owned())
    .evidence_all(reply.evidence())
    .in_any_state()
    .should())
}

proofs! {
    passes on everything();
    warns "unknown-prompt" on with_another_code();
    warns "unknown-prompt" on knowing_members_of_objects();
    warns "missing-prompt-argument" on rendering_undefined();
    warns "prompt-argument-types" on printing_objects();
}

/// Looks prompts up in an object of JavaScript.
fn knowing_members_of_objects() -> Server {
    let member = given(method("prompts/get")).and(param("/name", equals(OBJECT_MEMBER)));
    reference_server_with([member.respond_with(json!({ "messages": [] }))])
}

/// The error of an unknown prompt has no code of its own.
fn with_another_code() -> Server {
    let error = Answer::error(0, "Unknown prompt");
    reference_server_with([given(method("prompts/get"))
        .and(param("/name", equals(UNKNOWN)))
        .respond_with(error)])
}

fn message(text: &str) -> serde_json::Value {
    json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": text } }] })
}

/// Renders a prompt without its arguments.
fn rendering_undefined() -> Server {
    reference_server_with([given(method("prompts/get"))
        .and(param("/arguments", equals(json!({}))))
        .respond_with(message("temperature=undefined"))])
}

/// Renders an argument as JavaScript does.
fn printing_objects() -> Server {
    let object = json!({ "mcp-test": true });
    reference_server_with([given(method("prompts/get"))
        .and(param("/arguments/arg1", equals(object)))
        .respond_with(message(&format!("arg1={PRINTED}")))])
}
