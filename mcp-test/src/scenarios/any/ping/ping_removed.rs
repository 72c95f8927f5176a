//! `ping-removed`.

use serde_json::json;

use crate::check::Finding;
use crate::scenario::{CheckSpec, Ctx};
use crate::scenarios::everything_but;
use crate::scenarios::refusal::refused;
use crate::server::reference::everything;
use crate::server::{Server, given, method};
use crate::spec::{Revision, Revisions, error_code};
use crate::{proofs, scenario};

scenario! {
    /// `ping` is an unknown method since 2026-07-28.
    ///
    /// A server that still answers it lets its clients believe that they speak another revision than they do.
    Server "ping-removed": "A ping is refused where it no longer exists",
    revisions: Revisions::from(Revision::V2026_07_28),
    shares_connection: Revisions::all(),
    checks: [
        CheckSpec::own("ping-refused", "PingRefused", "`ping` is refused with -32601")
            .requires(&["ping.removed"])
            .warns(),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let reply = ctx.request("ping", json!({})).deliberate().promptly().await?;
    ctx.check("ping-refused").judge(refused(&reply, error_code::METHOD_NOT_FOUND));
    Ok(())
}

proofs! {
    passes on everything();
    warns "ping-refused" on answering_ping();
}

/// Answers `ping` at all revisions.
fn answering_ping() -> Server {
    everything_but([given(method("ping")).respond_with(json!({}))])
}
