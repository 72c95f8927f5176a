//! Shared parts of the scenarios about tools that request input from their client.

use super::server_messages::{Params, input_requests, open_listening_stream};
use crate::check::Finding;
use crate::client::{Handlers, Reply, RequestOptions};
use crate::json::Value;
use crate::scenario::{CheckBuilder, Ctx, Part};
use crate::scenarios::ensure;

/// Whether a tool requested input before it answered.
pub(super) fn requested(requests: &[Params], method: &str, reply: &Reply) -> Result<(), Finding> {
    ensure(!requests.is_empty(), || {
        Finding::peer("the tool does not request input from its client")
            .expected(format!("a `{method}` before the result of the call"))
            .got("only the result")
            .evidence_all(reply.evidence())
    })
}

/// Judges the parameters of every request for input, or skips the check if there was none.
pub(super) fn judge_each(
    ctx: &mut Ctx,
    check: &str,
    requests: &[Params],
    judge: impl for<'a> Fn(CheckBuilder<'a>, &Part<'_>) -> CheckBuilder<'a>,
) {
    let mut check = ctx.check(check);
    for (seq, params) in requests {
        check = judge(check, &Part::new("the parameters of the request", params, Some(*seq)));
    }
    if requests.is_empty() {
        check.skip("the tool requested no input");
    }
}

/// Calls a tool from a new client that declares no capabilities, and returns the input requests to that client.
pub(super) async fn requests_to_incapable_client(
    ctx: &Ctx,
    method: &str,
    call: Value,
) -> Result<Vec<Params>, Finding> {
    // A handler declares its capability, so a client without handlers declares none.
    let mut incapable = ctx.connect(ctx.options().handlers(Handlers::new())).await?;
    open_listening_stream(&mut incapable).await;
    // The trace also contains the requests to the client of the scenario.
    let before = input_requests(&ctx.trace(), method).len();
    // Any answer will do: the specification leaves it to the tool how to handle a missing capability.
    let once = RequestOptions::new().once();
    let _ = incapable.request_with("tools/call", call, once).await?.error();
    Ok(input_requests(&ctx.trace(), method).split_off(before))
}

/// Whether a client without the capability was left alone.
pub(super) fn not_requested(requests: &[Params], capability: &str) -> Result<(), Finding> {
    let Some((seq, params)) = requests.first() else { return Ok(()) };
    Err(Finding::peer("the server requests input from a client that cannot provide it")
        .expected(format!("no such request, because the client does not declare `{capability}`"))
        .got(params.short(120))
        .evidence(*seq))
}
