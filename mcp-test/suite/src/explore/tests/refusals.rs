//! Tools that refuse every call.

use mcp_test_core::server::reference::everything;
use mcp_test_core::server::{Call, Server};
use serde_json::json;

use super::*;

/// A server with tools that refuse every call, but for one with the name `open`.
fn locked(tools: serde_json::Value) -> Server {
    let server = everything().on("tools/list", move |_: Call| {
        let tools = tools.clone();
        async move { json!({"tools": tools, "ttlMs": 0, "cacheScope": "public"}) }
    });
    server.on("tools/call", |call: Call| async move {
        let is_open = call.param("name") == Some(&"open".into());
        let text = if is_open { "done" } else { "API_KEY is not set" };
        json!({"content": [{"type": "text", "text": text}], "isError": !is_open})
    })
}

fn tool(name: &str) -> serde_json::Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

fn explored(tools: serde_json::Value) -> Exploration {
    let server = locked(tools);
    explore(
        Target::duplex(move |io| {
            let server = server.clone();
            async move { Ok(server.serve(io).await?) }
        }),
        options(),
    )
}

#[test]
fn a_tool_that_refuses_every_call_is_reported() {
    let exploration = explored(json!([tool("locked"), tool("open")]));
    let findings: Vec<String> = exploration
        .operations
        .iter()
        .filter_map(crate::explore::Explored::never_succeeded)
        .map(|it| it.to_string())
        .collect();
    insta::assert_snapshot!(findings.join("\n"), @r#"
    no call of `locked` has succeeded
      expected a result for some arguments that the schema allows
      got 31 calls, refused with "API_KEY is not set"
      hint: `examples` in the schema of the tool, or --call NAME=JSON, give arguments that succeed; the server may also lack credentials
    "#);
    assert!(exploration.untested().is_none());
}

#[test]
fn nothing_is_tested_if_every_call_is_refused() {
    let finding = explored(json!([tool("locked")])).untested().expect("a finding");
    insta::assert_snapshot!(finding, @r#"
    nothing was tested: no call has succeeded
      got `locked`: 12 calls, refused with "API_KEY is not set"
      hint: `examples` in the schema of the tool, or --call NAME=JSON, give arguments that succeed; the server may also lack credentials
    "#);
}

#[test]
fn a_tool_that_runs_only_as_a_task_may_refuse_every_call() {
    let mut task = tool("task");
    task["execution"] = json!({"taskSupport": "required"});
    let exploration = explored(json!([task, tool("open")]));
    let mut operations = exploration.operations.iter();
    assert!(operations.all(|explored| explored.never_succeeded().is_none()));
}
