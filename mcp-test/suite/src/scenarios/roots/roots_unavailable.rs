//! `roots-unavailable`.

use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test_core::client::Handlers;
use mcp_test_core::server::AskError;

use crate::scenarios::nothing_tested::is_slow;
use crate::scenarios::prelude::*;
use crate::scenarios::server_messages::receive_requests;

scenario! {
    /// A tool that asks for the roots copes with a root that does not exist.
    ///
    /// Users delete folders and unplug drives while they are roots. Whatever the tool does with the roots, its call is answered,
    /// and the server goes on. Tried on the first tool that may be called and asks for roots.
    Server "roots-unavailable": "A tool copes with a root that does not exist",
    revisions: Revisions::all(),
    repeats: OncePerEra,
    needs: [Need::Capability(Capability::Tools), Need::CallableTool],
    // In a handshake the client declares what it needs here.
    shares_connection: Revisions::from(Revision::V2026_07_28),
    checks: [
        check!("roots-unavailable",
            "A call that asks for the roots is answered, and so is the next request, although the root does not exist",
            [ROOTS_SERVER_HANDLES_UNAVAILABLE]).conditional(),
    ],
}

const METHOD: &str = "roots/list";

/// A folder that nobody has.
const ROOT: &str = "file:///no-such-folder-of-mcp-test";

/// How many tools are called to find one that asks for roots.
const TOOLS: usize = 5;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    ctx.handle(Handlers::new().on(METHOD, move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(json!({"roots": [{"uri": ROOT}]}).into())
    }));
    receive_requests(ctx).await?;
    let tools = ctx.callable_tools().await?;
    for tool in tools.iter().filter(|tool| tool.arguments.is_some()).take(TOOLS) {
        let before = asked.load(Ordering::Relaxed);
        let arguments = tool.arguments.as_ref().map(Value::to_serde);
        let params = json!({"name": tool.name, "arguments": arguments});
        let reply = ctx.request("tools/call", params).await;
        if asked.load(Ordering::Relaxed) == before {
            let reply = reply?;
            let _ = reply.outcome();
            if is_slow(&reply) {
                break;
            }
            continue;
        }
        let method = match ctx.revision().era() {
            Era::Handshake => "ping",
            Era::Stateless => "server/discover",
        };
        let mut outcome = reply.map(|reply| drop(reply.error().cloned()));
        if outcome.is_ok() {
            let next = ctx.request(method, json!({})).await;
            outcome = next.and_then(|reply| reply.result().map(drop));
        }
        ctx.check("roots-unavailable").judge(outcome.map_err(Finding::should));
        return Ok(());
    }
    let why = "no tool that may be called asks for the roots";
    drop(ctx.check("roots-unavailable").skip(why));
    Ok(())
}

proofs! {
    passes on counting();
    // Exits, since it cannot open the folder.
    warns "roots-unavailable" on with_tool(|_| Answer::exit());
}

/// A tool that counts the roots.
fn counting() -> Server {
    with_tool(|roots| {
        let count = roots.get("roots").and_then(Value::as_array).map_or(0, <[Value]>::len);
        json!({"content": [{"type": "text", "text": format!("{count} roots")}]}).into()
    })
}

/// A server whose tool does something with the roots.
fn with_tool(answer: fn(&Value) -> Answer) -> Server {
    let harmless = json!({"readOnlyHint": true});
    let tool = json!({"name": "roots", "inputSchema": {"type": "object"}, "annotations": harmless});
    let server = everything().on("tools/list", move |_: Call| {
        let tool = tool.clone();
        async move { json!({"tools": [tool]}) }
    });
    server.on("tools/call", move |call: Call| async move {
        if let Err(instead) = call.require(Capability::Roots) {
            return instead;
        }
        // Some servers send their requests there, where it exists.
        let asking = match call.revision().has_get_stream() {
            true => call.on_standalone_stream(),
            false => call,
        };
        match asking.ask(METHOD, json!({})).await {
            Ok(roots) => answer(&roots),
            Err(AskError::InputRequired(answer)) => answer,
            Err(error) => error.into(),
        }
    })
}
