//! Tools that refuse every call.

use mcp_test_core::server::reference::everything;
use mcp_test_core::server::{Call, Server};
use serde_json::json;

use super::*;
use crate::explore::ExploreExt;

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

fn target(tools: serde_json::Value) -> Target {
    let server = locked(tools);
    Target::duplex(move |io| {
        let server = server.clone();
        async move { Ok(server.serve(io).await?) }
    })
}

fn explored(tools: serde_json::Value) -> Exploration {
    explore(target(tools), options())
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

/// Why a test fails that explores a tool with this many calls, if it does.
fn failure_of_test(tool: &serde_json::Value, calls: usize) -> Option<String> {
    let name = tool["name"].as_str().expect("a name").to_owned();
    virtual_time::block_on(async {
        let (transport, revision) = (TransportKind::Duplex, Revision::V2025_11_25);
        let timeout = Duration::from_secs(60);
        let target = target(json!([tool]));
        let setup = Setup::new(target, transport, revision, Profile::Adaptive, timeout);
        let mut ctx = Ctx::new(setup, None);
        ctx.explore_tool(&name).calls(calls).await.err().map(|finding| finding.to_string())
    })
}

#[test]
fn a_test_in_which_no_call_has_succeeded_fails() {
    let mut task = tool("task");
    task["execution"] = json!({"taskSupport": "required"});
    assert_eq!(failure_of_test(&tool("open"), 20), None);
    insta::assert_snapshot!(failure_of_test(&tool("locked"), 20).unwrap_or_default(), @r#"
    no call of `locked` has succeeded
      expected a result for some arguments that the schema allows
      got 20 calls, refused with "API_KEY is not set"
      hint: `examples` in the schema of the tool, or --call NAME=JSON, give arguments that succeed; the server may also lack credentials
    "#);
    insta::assert_snapshot!(failure_of_test(&task, 20).unwrap_or_default(), @r#"
    nothing was tested: no call of `task` has succeeded
      got 20 calls, refused with "API_KEY is not set"
      hint: the tool runs only as a task, and an exploration makes no tasks
    "#);
    insta::assert_snapshot!(failure_of_test(&tool("open"), 0).unwrap_or_default(), @"
    nothing was tested: no call of `open` has succeeded
      got 0 calls
      hint: allow more calls with `.calls(…)`, or more time with `.time(…)`
    ");
}
