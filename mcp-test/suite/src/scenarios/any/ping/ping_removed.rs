//! `ping-removed`.

use mcp_test_core::check::Finding;
use mcp_test_core::scenario::Ctx;
use mcp_test_core::server::reference::everything;
use mcp_test_core::server::{given, method};
use mcp_test_core::spec::{Revision, Revisions, error_code};
use mcp_test_core::{check, proofs, scenario};
use serde_json::json;

use crate::scenarios::reference_server_with;
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
