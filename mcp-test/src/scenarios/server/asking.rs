//! What the scenarios of tools that ask their client for something have in common.

use super::heard::{Said, asked, open_stream};
use crate::check::Finding;
use crate::client::{Handlers, Reply, RequestOptions};
use crate::json::Value;
use crate::scenario::Ctx;

/// That a tool has asked its client before it answered.
pub(super) fn asks(asked: &[Said], method: &str, reply: &Reply) -> Result<(), Finding> {
    if !asked.is_empty() {
        return Ok(());
    }
    Err(Finding::peer("the tool does not ask its client")
        .expected(format!("a `{method}` before the result of the call"))
        .got("the result alone")
        .evidence_all(reply.evidence()))
}

/// Calls a tool by a client of its own, which has declared nothing, and returns what that client was asked nevertheless.
pub(super) async fn asked_though_incapable(
    ctx: &Ctx,
    method: &str,
    call: Value,
) -> Result<Vec<Said>, Finding> {
    let mut incapable = ctx.connect(ctx.options().handlers(Handlers::new())).await?;
    open_stream(&mut incapable).await;
    let before = asked(&ctx.trace(), method).len();
    // Any answer will do: how a tool does without is its own affair.
    let once = RequestOptions::new().once();
    let _ = incapable.request_with("tools/call", call, once).await?.error();
    Ok(asked(&ctx.trace(), method).split_off(before))
}

/// That nothing was asked of a client that had not declared that it can answer.
pub(super) fn asks_nobody(asked: &[Said], capability: &str) -> Result<(), Finding> {
    let Some((seq, params)) = asked.first() else { return Ok(()) };
    Err(Finding::peer("the server asks a client that cannot answer")
        .expected(format!("nothing of the kind, as the client does not declare `{capability}`"))
        .got(params.short(120))
        .evidence(*seq))
}
