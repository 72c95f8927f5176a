//! `ping-removed`.

use crate::scenarios::prelude::*;
use crate::scenarios::refusal::refused;

scenario! {
    /// `ping` is an unknown method since 2026-07-28.
    ///
    /// A server that still answers it lets its clients believe that they speak another revision than they do.
    Server "ping-removed": "A ping is refused where it no longer exists",
    revisions: Revisions::from(Revision::V2026_07_28),
    shares_connection: Revisions::all(),
    checks: [
        check!("ping-refused", "`ping` is refused with -32601", [PING_REMOVED]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let reply = ctx.request("ping", json!({})).deliberate().promptly().await?;
    ctx.check("ping-refused").judge(refused(&reply, error_code::METHOD_NOT_FOUND));
    Ok(())
}

proofs! {
    passes on everything();
    // Answers `ping` at all revisions.
    warns "ping-refused" on reference_server_with([given(method("ping")).respond_with(json!({}))]);
}
