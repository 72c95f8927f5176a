//! `input-required-result-unsupported-methods`.

use super::input_rounds::declare_all;
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2322;

scenario! {
    /// Only `tools/call`, `prompts/get` and `resources/read` may be answered with a request for input.
    ///
    /// Clients do not expect one in the answer to anything else. The official check requests the lists of tools and prompts, and
    /// passes if both are refused; our own check requests the other lists, and the description of the server.
    Server "input-required-result-unsupported-methods": "Lists ask for no input",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    shares_connection: Revisions::all(),
    checks: [
        check!("sep-2322-not-on-unsupported-requests",
            "Neither `tools/list` nor `prompts/list` is answered with a request for input",
            [MRTR_SUPPORTED_METHODS_ONLY]).official(&[SEP_2322]).named("NotOnUnsupportedRequests"),
        check!("input-required-result-unsupported-methods-others",
            "`server/discover` and the lists of resources and templates are not answered with a request for input",
            [MRTR_SUPPORTED_METHODS_ONLY]),
    ],
}

const OFFICIAL: [&str; 2] = ["tools/list", "prompts/list"];
const OTHERS: [&str; 3] = ["server/discover", "resources/list", "resources/templates/list"];

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    declare_all(ctx);
    let replies = send(ctx, &OFFICIAL).await?;
    // A server with neither list shows nothing about them, except by the official rules.
    let is_refused = replies.iter().all(|reply| reply.error().is_some());
    let is_official = ctx.profile() == Profile::Official;
    let check = ctx.check("sep-2322-not-on-unsupported-requests");
    if is_refused && !is_official {
        check.skip("the server has neither list");
    } else {
        check.judge(ask_nothing(&replies));
    }
    let replies = send(ctx, &OTHERS).await?;
    ctx.check("input-required-result-unsupported-methods-others").judge(ask_nothing(&replies));
    Ok(())
}

async fn send(ctx: &mut Ctx, methods: &[&str]) -> Result<Vec<Reply>, Finding> {
    let mut replies = Vec::new();
    for method in methods {
        replies.push(ctx.request(method, json!({})).once().await?);
    }
    Ok(replies)
}

/// Whether no reply asks for input. Errors do not, such as those of a server without resources.
fn ask_nothing(replies: &[Reply]) -> Result<(), Finding> {
    let asks = |reply: &&Reply| {
        let _any_error = reply.error();
        reply.result_type() == Some("input_required")
    };
    let Some(reply) = replies.iter().find(asks) else { return Ok(()) };
    Err(Finding::peer(format!("the result of `{}` asks for input", reply.method()))
        .expected("a result that is complete")
        .got("the `resultType` \"input_required\"")
        .evidence_all(reply.evidence()))
}

proofs! {
    passes on everything();
    catches "sep-2322-not-on-unsupported-requests" by answer("tools/list", asking());
    catches "sep-2322-not-on-unsupported-requests" by answer("prompts/list", asking());
    catches "input-required-result-unsupported-methods-others" by answer("resources/list", asking());
    catches "input-required-result-unsupported-methods-others" by answer("server/discover", asking());
}

/// A result that asks for input.
fn asking() -> serde_json::Value {
    json!({"resultType": "input_required", "requestState": "wait"})
}
