//! `base-meta`.

use mcp_test_core::server::meta as of_meta;

use crate::scenarios::prelude::*;
use crate::scenarios::tools::call_params;

scenario! {
    /// Keys of `_meta` that a server does not know do no harm.
    ///
    /// Clients, proxies and extensions put their own data into `_meta`, such as the context of a trace. A server that
    /// validates it as a closed object refuses all their requests. Tried are the lists, and the first prompt, resource and tool
    /// that can be got, read and called without them; the tool only where that is permitted.
    Server "base-meta": "Unknown keys of `_meta` are accepted",
    revisions: Revisions::all(),
    shares_connection: Revisions::all(),
    checks: [
        check!("unknown-meta-tolerated", "A request is answered in the same way with unknown keys in its `_meta`",
            [BASE_META_UNKNOWN_KEYS_TOLERATED]),
    ],
}

/// A key in the form of a vendor's.
const KEY: &str = "com.example/mcp-test";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut requests = vec![(always_answered(ctx.revision()), json!({}))];
    for kind in ItemKind::ALL {
        if ctx.declares(kind.capability()).await? {
            requests.push((kind.method(), json!({})));
        }
    }
    requests.extend(item_requests(ctx).await?);
    for (method, params) in requests {
        let plain = ctx.request(method, params.clone()).deliberate().once().await?;
        if let Some(tool) = params["name"].as_str().filter(|_| method == "tools/call") {
            ctx.note_stated_call(tool, &plain);
        }
        if plain.error().is_some() {
            // Whatever is wrong with it is not about `_meta`.
            continue;
        }
        let strange = json!({"a": [1, null, {"b": "ä"}]});
        let request = ctx.request(method, params.clone()).deliberate().meta(KEY, strange);
        let reply = request.meta("baggage", "a=1").once().await?;
        let outcome = is_served(&reply);
        // What fails from time to time says nothing about `_meta`.
        if outcome.is_ok()
            || ctx.request(method, params).deliberate().once().await?.error().is_none()
        {
            ctx.check("unknown-meta-tolerated").judge(outcome);
        }
    }
    if !ctx.has_checked("unknown-meta-tolerated") {
        ctx.check("unknown-meta-tolerated").skip("the server refuses every request that was tried");
    }
    Ok(())
}

/// Requests of the first prompt without required arguments, the first resource, and the first tool that may be called.
async fn item_requests(ctx: &mut Ctx) -> Result<Vec<(&'static str, serde_json::Value)>, Finding> {
    let prompts = ctx.offered(ItemKind::Prompt).await?;
    let needs_none = |prompt: &&Value| {
        let arguments = prompt.get("arguments").and_then(Value::as_array).unwrap_or_default();
        arguments.iter().all(|argument| argument.get("required") != Some(&Value::Bool(true)))
    };
    let prompt = prompts.items.iter().find(needs_none).and_then(|it| it.get("name")?.as_str());
    let resources = ctx.offered(ItemKind::Resource).await?;
    let resource = resources.keys(ItemKind::Resource).next();
    let tools = ctx.working_tools().await?;
    let tool =
        tools.iter().find_map(|tool| Some(call_params(&tool.name, tool.arguments.as_ref()?)));
    let requests = [
        prompt.map(|name| ("prompts/get", json!({ "name": name }))),
        resource.map(|uri| ("resources/read", json!({ "uri": uri }))),
        tool.map(|call| ("tools/call", call.to_serde())),
    ];
    Ok(requests.into_iter().flatten().collect())
}

fn is_served(reply: &Reply) -> Result<(), Finding> {
    let Err(error) = reply.outcome() else { return Ok(()) };
    let headline = format!("`{}` was refused for an unknown key of `_meta`", reply.method());
    Err(Finding::peer(headline)
        .expected("a result, as without that key")
        .got(error.to_string())
        .evidence_all(reply.evidence()))
}

proofs! {
    passes on everything();
    // Knows all keys of `_meta` of a list.
    catches "unknown-meta-tolerated" on closed("resources/list");
    // Knows all keys of `_meta` where a resource is read.
    catches "unknown-meta-tolerated" on closed("resources/read");
}

/// Knows all keys of `_meta` in requests of this method.
fn closed(name: &'static str) -> Server {
    let error = Answer::error(error_code::INVALID_PARAMS, "unrecognized key in `_meta`");
    let is_strange = of_meta(KEY, anything());
    reference_server_with([given(method(name)).and(is_strange).respond_with(error)])
}
