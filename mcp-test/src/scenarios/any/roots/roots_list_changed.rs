//! `roots-list-changed`.

use std::time::Duration;

use serde_json::json;

use crate::check::Finding;
use crate::client::Client;
use crate::client::wait::Step;
use crate::clock::Deadline;
use crate::scenario::{CheckSpec, Ctx};
use crate::scenarios::ensure;
use crate::server::reference::everything;
use crate::server::{Answer, Call, Server};
use crate::spec::{Revision, Revisions};
use crate::trace::{Party, Seq, Trace};
use crate::wire::{Id, Message};
use crate::{proofs, scenario};

scenario! {
    /// The server copes with a client that reports changes of its roots, and asks for the new ones.
    ///
    /// Whether it uses roots or not, a notification is not answered, and the server goes on serving. A server that has asked for the
    /// roots on its own knows outdated ones now, so that it is expected to ask again.
    Server "roots-list-changed": "The server copes with changes of the roots",
    revisions: Revisions::until(Revision::V2025_11_25),
    checks: [
        CheckSpec::own(
            "roots-changed-handled",
            "RootsChangedHandled",
            "After several `notifications/roots/list_changed` the server answers as before, and none of them is answered",
        )
        .requires(&["roots.list-changed.server-graceful"])
        .warns(),
        CheckSpec::own(
            "roots-changed-fetched",
            "RootsChangedFetched",
            "A server that has asked for the roots on its own asks again after they have changed",
        )
        .requires(&["roots.list-changed.server-refetches"])
        .conditional()
        .warns(),
    ],
}

const CHANGED: &str = "notifications/roots/list_changed";
const LIST: &str = "roots/list";

/// How many changes are reported.
const CHANGES: usize = 3;

/// How long a server that uses roots has to ask for the new ones: it may gather several changes first.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long the stream for messages of the server may take to open.
const LISTEN: Duration = Duration::from_secs(1);

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    ctx.on_roots(["file:///mcp-test/before"]);
    let client = ctx.client().await?;
    // Requests of the server may come on that stream only; another scenario tests it.
    client.listen_within(LISTEN).await.ok();
    ctx.ping().await?.result()?;
    // After the answer to what the server asks first, whose request has been read by now on an ordered transport.
    ctx.ping().await?.result()?;
    let asked_before = times_asked(ctx.client().await?);
    ctx.on_roots(["file:///mcp-test/after"]);
    let before = ctx.fence("the roots change").await?;
    for _ in 0..CHANGES {
        ctx.notify(CHANGED, json!({})).await?;
    }
    let reply = ctx.ping().await;
    let outcome = reply.and_then(|reply| reply.result().map(|_| ())).and_then(|()| {
        let answer = error_without_request(&ctx.trace(), before);
        ensure(answer.is_none(), || {
            let finding = Finding::peer(format!("`{CHANGED}` was answered"))
                .expected("no reply to a notification")
                .got("a JSON-RPC error without the id of a request");
            finding.evidence_all(answer)
        })
    });
    let is_sound = outcome.is_ok();
    ctx.check("roots-changed-handled").judge(outcome.map_err(Finding::should));
    if asked_before > 0 && is_sound {
        let outcome = fetched(ctx.client().await?, asked_before).await;
        ctx.check("roots-changed-fetched").judge(outcome.map_err(Finding::should));
    }
    Ok(())
}

/// How often the server has asked for the roots.
fn times_asked(client: &Client) -> usize {
    client.server_requests().iter().filter(|request| request.method == LIST).count()
}

/// Whether the server asks for the roots once more.
async fn fetched(client: &mut Client, before: usize) -> Result<(), Finding> {
    let deadline = Deadline::after(PATIENCE);
    while times_asked(client) == before {
        if client.step(deadline).await != Step::Observed {
            return Err(Finding::peer("the server goes on with roots that have changed")
                .expected(format!("another `{LIST}` after `{CHANGED}`"))
                .got(format!("none within {} s", PATIENCE.as_secs())));
        }
    }
    Ok(())
}

/// An error of the server since then that answers no request.
fn error_without_request(trace: &Trace, since: Seq) -> Option<Seq> {
    let is_answer = |message: &Message| match message {
        Message::Error(reply) => reply.id.as_ref().is_none_or(|id| *id == Id::Null),
        _ => false,
    };
    let mut messages = trace.messages().filter(|(event, _)| event.party == Party::Server);
    let found = messages.find(|(event, message)| event.seq > since && is_answer(message));
    found.map(|(event, _)| event.seq)
}

proofs! {
    passes on using_roots();
    warns "roots-changed-handled" by stray("ping", json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32601, "message": "unknown"}})),
        also "wire-well-formed" Failure, also "roots-changed-fetched" Info;
    warns "roots-changed-handled" on crashing(), also "roots-changed-fetched" Info;
    warns "roots-changed-fetched" on keeping_old_roots();
}

/// Asks for the roots when the conversation begins.
fn asking_once() -> Server {
    everything().on("notifications/initialized", |call: Call| async move { fetch(&call).await })
}

async fn fetch(call: &Call) -> serde_json::Value {
    call.on_standalone_stream().request(LIST, json!({})).await.ok();
    json!({})
}

/// Asks for the roots again whenever they change.
fn using_roots() -> Server {
    asking_once().on(CHANGED, |call: Call| async move { fetch(&call).await })
}

/// Asks for the roots once only.
fn keeping_old_roots() -> Server {
    asking_once()
}

/// Exits when the roots change.
fn crashing() -> Server {
    asking_once().on(CHANGED, |_: Call| async { Answer::exit() })
}
