//! `roots-list-changed`.

use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test_core::client::wait::Step;
use mcp_test_core::clock::format_duration;

use crate::scenarios::prelude::*;
use crate::scenarios::server_messages::receive_requests;
use crate::scenarios::without_id::reply_without_id;

scenario! {
    /// The server copes with a client that reports changes of its roots.
    ///
    /// Whether it uses roots or not, a notification is not answered, and the server goes on serving. Several come at once, as when
    /// the user opens folders one after the other. A server that has asked for the roots as soon as it was initialized depends on
    /// them, and asks for the new ones.
    Server "roots-list-changed": "The server copes with changes of the roots",
    revisions: Revisions::until(Revision::V2025_11_25),
    repeats: OncePerEra,
    checks: [
        check!("roots-changed-handled",
            "After several `notifications/roots/list_changed` the server answers as before, and none of them is answered",
            [ROOTS_LIST_CHANGED_SERVER_GRACEFUL]),
        check!("roots-fetched-again",
            "A server that has asked for the roots asks again after `notifications/roots/list_changed`",
            [ROOTS_LIST_CHANGED_SERVER_REFETCHES]).conditional(),
    ],
}

const METHOD: &str = "roots/list";
const CHANGED: &str = "notifications/roots/list_changed";

/// How many changes are reported.
const CHANGES: usize = 3;

/// How long a server may take to ask again; some wait for further changes.
const ASKS: Duration = Duration::from_secs(2);

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    ctx.on_roots(["file:///mcp-test/before"]);
    receive_requests(ctx).await?;
    ctx.ping().await?.result()?;
    ctx.on_roots(["file:///mcp-test/after"]);
    let before = ctx.fence("the roots change").await?;
    let has_asked = last_request(&ctx.trace()).is_some();
    for _ in 0..CHANGES {
        ctx.notify(CHANGED, json!({})).await?;
    }
    let reply = ctx.ping().await;
    let is_answered = reply.is_ok();
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
    if !has_asked || !is_answered {
        return Ok(());
    }
    let deadline = Deadline::after(ASKS);
    let asks_again = loop {
        if last_request(&ctx.trace()).is_some_and(|asked| asked > before) {
            break true;
        }
        if ctx.client().await?.step(deadline).await != Step::Observed {
            break false;
        }
    };
    ctx.check("roots-fetched-again").judge(ensure(asks_again, || {
        Finding::peer(format!("the server does not ask for the roots again after `{CHANGED}`"))
            .expected(format!("`{METHOD}`, as before the change"))
            .got(format!("no request within {}", format_duration(ASKS)))
            .evidence(before)
            .should()
    }));
    Ok(())
}

/// The last request for the roots.
fn last_request(trace: &Trace) -> Option<Seq> {
    let requests = trace.messages().filter(|(event, message)| {
        event.party == Party::Server && message.method() == Some(METHOD)
    });
    requests.last().map(|(event, _)| event.seq)
}

proofs! {
    // A server that asks for the roots before it answers a `ping`, the first one and the first one after a change.
    passes on asking_if(|_| true);
    // A server that keeps the roots that it got first.
    warns "roots-fetched-again" on asking_if(|changes| changes == 0);
    warns "roots-changed-handled"
        by stray("ping", json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32601, "message": "unknown"}}));
}

/// A server that asks for the roots again after these changes.
fn asking_if(asks: fn(usize) -> bool) -> Server {
    let changes = Arc::new(AtomicUsize::new(0));
    let known = Arc::new(AtomicUsize::new(usize::MAX));
    let count = changes.clone();
    let server = everything().on(CHANGED, move |_: Call| {
        count.fetch_add(1, Ordering::Relaxed);
        async { json!({}) }
    });
    server.on("ping", move |call: Call| {
        let now = changes.load(Ordering::Relaxed);
        let is_new = asks(now) && known.swap(now, Ordering::Relaxed) != now;
        async move {
            if is_new && call.require(Capability::Roots).is_ok() {
                let _ = call.request(METHOD, json!({})).await;
            }
            json!({})
        }
    })
}
