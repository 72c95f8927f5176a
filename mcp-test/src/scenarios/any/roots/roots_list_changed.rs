//! `roots-list-changed`.

use serde_json::json;

use crate::check::Finding;
use crate::scenario::{CheckSpec, Ctx};
use crate::scenarios::any::without_id::reply_without_id;
use crate::server::reference::everything;
use crate::spec::{Revision, Revisions};
use crate::{proofs, scenario};

scenario! {
    /// The server copes with a client that reports changes of its roots.
    ///
    /// Whether it uses roots or not, a notification is not answered, and the server goes on serving. Several come at once, as when
    /// the user opens folders one after the other.
    Server "roots-list-changed": "The server copes with changes of the roots",
    revisions: Revisions::until(Revision::V2025_11_25),
    once_per_era: true,
    checks: [
        CheckSpec::own(
            "roots-changed-handled",
            "RootsChangedHandled",
            "After several `notifications/roots/list_changed` the server answers as before, and none of them is answered",
        )
        .requires(&["roots.list-changed.server-graceful"])
        .warns(),
    ],
}

const CHANGED: &str = "notifications/roots/list_changed";

/// How many changes are reported.
const CHANGES: usize = 3;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    ctx.on_roots(["file:///mcp-test/before"]);
    ctx.ping().await?.result()?;
    ctx.on_roots(["file:///mcp-test/after"]);
    let before = ctx.fence("the roots change").await?;
    for _ in 0..CHANGES {
        ctx.notify(CHANGED, json!({})).await?;
    }
    let reply = ctx.ping().await;
    let outcome = reply.and_then(|reply| reply.result().map(|_| ())).and_then(|()| {
        let answer = reply_without_id(&ctx.trace(), before);
        answer.map_or(Ok(()), |(seq, text)| {
            Err(Finding::peer(format!("`{CHANGED}` was answered"))
                .expected("no reply to a notification")
                .got(text)
                .evidence(seq))
        })
    });
    ctx.check("roots-changed-handled").judge(outcome.map_err(Finding::should));
    Ok(())
}

proofs! {
    passes on everything();
    warns "roots-changed-handled" by stray("ping", json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32601, "message": "unknown"}})),
        also "wire-well-formed" Failure;
}
