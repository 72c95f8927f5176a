//! Calls of a tool with generated arguments, compared with as many calls of it in a bare loop.

use std::io::Result;
use std::time::Duration;

use mcp_test::clock::Stopwatch;
use mcp_test::explore::{ExploreOptions, Explorer};
use mcp_test::scenario::{CalledTools, Ctx, Profile, Setup, ToolCalls};
use mcp_test::server::{Call, Server};
use mcp_test::spec::Revision;
use mcp_test::transport::TransportKind;
use serde_json::json;

use crate::row;

const CALLS: usize = 5000;

/// A server with a tool that returns its arguments.
fn echo() -> Server {
    let schema = json!({
        "type": "object",
        "required": ["text"],
        "properties": {
            "text": {"type": "string"},
            "count": {"type": "integer", "minimum": 1, "maximum": 100},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
    });
    let tools = json!({"tools": [{"name": "echo", "inputSchema": schema}]});
    Server::new(json!({"name": "echo", "version": "1.0.0"}))
        .capabilities(json!({"tools": {}}))
        .on("tools/list", move |_: Call| std::future::ready(tools.clone()))
        .on("tools/call", |call: Call| {
            let text = call.param("arguments").map(ToString::to_string).unwrap_or_default();
            std::future::ready(json!({"content": [{"type": "text", "text": text}]}))
        })
}

fn context() -> Ctx {
    let (transport, revision) = (TransportKind::Duplex, Revision::V2025_11_25);
    let time = Duration::from_secs(600);
    Ctx::new(Setup::new(echo().target(), transport, revision, Profile::Adaptive, time), None)
}

pub(crate) fn table() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ours = runtime.block_on(async {
        let mut ctx = context();
        let calls = ToolCalls { unnamed: CalledTools::All, ..ToolCalls::default() };
        let list = ctx.list_tools().await.expect("a list");
        let listed = list.items().expect("tools").into_iter();
        let tools: Vec<_> = listed.filter_map(|tool| calls.callable(tool)).collect();
        let options =
            ExploreOptions { calls: CALLS, time: Duration::MAX, ..ExploreOptions::default() };
        let stopwatch = Stopwatch::start();
        let explored = Explorer::new(&ctx, &tools, |_| None, options).explore().await;
        let calls: usize =
            explored.expect("an exploration").operations.iter().map(|tool| tool.calls).sum();
        per_second(calls, &stopwatch)
    });
    let loop_of_calls = runtime.block_on(async {
        let mut ctx = context();
        let stopwatch = Stopwatch::start();
        for number in 0..CALLS {
            let arguments = json!({"text": "a", "count": number % 100});
            ctx.call_tool("echo", arguments).await.expect("a reply").assert_ok();
        }
        per_second(CALLS, &stopwatch)
    });
    let shown = |calls: f64| format!("{calls:.0}/s");
    // Of costs, as in the other rows: the time of a call.
    row("a generated call of a tool", &shown(ours), &shown(loop_of_calls), loop_of_calls / ours);
    Ok(())
}

fn per_second(calls: usize, stopwatch: &Stopwatch) -> f64 {
    calls as f64 / stopwatch.elapsed().as_secs_f64()
}
