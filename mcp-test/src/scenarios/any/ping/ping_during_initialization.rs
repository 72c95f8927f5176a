//! `ping-during-initialization`.

use serde_json::json;

use crate::check::Finding;
use crate::client::Reply;
use crate::expect::Matcher;
use crate::json::Value;
use crate::scenario::{CheckSpec, Ctx, empty_result};
use crate::server::reference::everything;
use crate::server::{Answer, Call, Server};
use crate::spec::{Revision, Revisions, error_code};
use crate::{proofs, scenario};

scenario! {
    /// The server answers a `ping` that comes between its reply to `initialize` and `notifications/initialized`.
    ///
    /// It is the only request that a client may send before the server is initialized: a client that prepares itself for long
    /// wants to know whether the server is still alive.
    Server "ping-during-initialization": "A ping is answered before the initialization is complete",
    revisions: Revisions::until(Revision::V2025_11_25),
    checks: [
        CheckSpec::own(
            "ping-before-initialized",
            "PingBeforeInitialized",
            "`ping` before `notifications/initialized` gets an empty result",
        )
        .requires(&["ping.during-initialization"]),
        CheckSpec::own(
            "initialized-after-ping",
            "InitializedAfterPing",
            "The initialization can be completed afterwards, and `ping` is still answered",
        )
        .requires(&["ping.during-initialization"]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut client = ctx.connect_uninitialized(ctx.options()).await?;
    let params = json!({
        "protocolVersion": ctx.revision().as_str(),
        "capabilities": {},
        "clientInfo": {"name": "mcp-test", "version": env!("CARGO_PKG_VERSION")},
    });
    let opened = client.request("initialize", params).await?;
    // From here on, HTTP requests name the negotiated revision.
    client.adopt_revision(&opened);
    opened.result()?;
    let early = client.request("ping", json!({})).await;
    let early = early.and_then(|reply| is_empty(&reply));
    let was_silent = early.as_ref().is_err_and(|_| ctx.trace().deadline_fired());
    ctx.check("ping-before-initialized").judge(early);
    if was_silent {
        ctx.skip_the_rest("the first `ping` was not answered");
        return Ok(());
    }
    client.notify("notifications/initialized", Value::Null).await;
    let late = client.request("ping", json!({})).await;
    ctx.check("initialized-after-ping").judge(late.and_then(|reply| is_empty(&reply)));
    Ok(())
}

fn is_empty(reply: &Reply) -> Result<(), Finding> {
    let result = reply.result()?;
    empty_result().check(result).map_err(|mismatch| {
        Finding::mismatch("the result of `ping` is wrong", &mismatch).evidence_all(reply.evidence())
    })
}

proofs! {
    passes on everything();
    catches "ping-before-initialized" on refusing_early_pings();
    catches "initialized-after-ping" on confused_by_early_pings();
}

/// Refuses pings at the turns for which `wrong` holds.
fn refusing(wrong: fn(usize) -> bool) -> Server {
    let turns = std::sync::atomic::AtomicUsize::new(0);
    everything().on("ping", move |_: Call| {
        let turn = turns.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let error = Answer::error(error_code::INVALID_REQUEST, "not initialized");
        async move { if wrong(turn) { error } else { json!({}).into() } }
    })
}

/// Refuses all requests before it is initialized.
fn refusing_early_pings() -> Server {
    refusing(|turn| turn == 0)
}

/// Takes the early ping for the end of the initialization, and refuses what follows.
fn confused_by_early_pings() -> Server {
    refusing(|turn| turn > 0)
}
