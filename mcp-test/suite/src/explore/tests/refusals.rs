//! Tools that refuse every call.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test_core::check::Status;
use mcp_test_core::json::Value;
use mcp_test_core::run::{Plan, RunEvent, Selection, run};
use mcp_test_core::scenario::Shared;
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

/// The statuses of the check that a tool succeeds, in a run with this tool and one that succeeds.
fn statuses(name: &str) -> BTreeSet<Status> {
    let scenario = Shared::Counted(Arc::new(scenario(options(), Arc::default())));
    let target = target(json!([tool(name), tool("open")]));
    let plan = Plan::build([scenario], target, Profile::Adaptive, &Selection::default());
    let calls = ToolCalls { unnamed: CalledTools::All, ..ToolCalls::default() };
    let plan = plan.expect("a plan").calls(calls);
    let mut found = BTreeSet::new();
    let on = &mut |event| {
        if let RunEvent::Finished(outcome) = event {
            let checks = outcome.checks.iter().filter(|it| it.id == "tool-succeeds");
            found.extend(checks.map(|it| it.status));
        }
    };
    virtual_time::block_on(run(&plan, on));
    found
}

#[test]
fn the_check_that_a_tool_succeeds_warns_about_one_that_refuses_every_call() {
    assert_eq!(statuses("locked"), BTreeSet::from([Status::Success, Status::Warning]));
    assert_eq!(statuses("open"), BTreeSet::from([Status::Success]));
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

/// Explores a tool that searches up to `most` times, and answers with the reason that this function gives to refuse a query with a
/// limit, if any.
fn searched(most: usize, refuses: fn(&str, i64) -> Option<&'static str>) -> Vec<String> {
    let schema = json!({
        "type": "object",
        "properties": { "query": { "type": "string" }, "limit": { "type": "integer", "minimum": 1 } },
        "required": ["query", "limit"],
        "examples": [{ "query": "forty-two words", "limit": 7 }],
    });
    let tools = json!([{ "name": "search", "inputSchema": schema }]);
    let server = everything().on("tools/list", move |_: Call| {
        let tools = tools.clone();
        async move { json!({ "tools": tools, "ttlMs": 0, "cacheScope": "public" }) }
    });
    let calls = Arc::new(AtomicUsize::new(0));
    let server = server.on("tools/call", move |call: Call| {
        let earlier = calls.fetch_add(1, Ordering::Relaxed);
        let argument = |name: &str| call.param("arguments").and_then(|it| it.get(name)).cloned();
        let (query, limit) = (argument("query"), argument("limit"));
        let reason = match (query.as_ref().and_then(Value::as_str), &limit) {
            _ if earlier >= most => Some("too many calls"),
            (None, _) => Some("query: expected a string"),
            (_, None) => Some("limit: missing"),
            (Some(query), Some(limit)) => match limit.as_i64() {
                Some(limit) => refuses(query, limit),
                None => Some("limit: expected an integer"),
            },
        };
        let text = reason.unwrap_or("nothing found");
        let result =
            json!({ "content": [{ "type": "text", "text": text }], "isError": reason.is_some() });
        async move { result }
    });
    let target = Target::duplex(move |io| {
        let server = server.clone();
        async move { Ok(server.serve(io).await?) }
    });
    let exploration = explore(target, options());
    let failures = exploration.operations.iter().flat_map(|it| &it.failures);
    failures.map(|it| it.failure.finding.to_string()).collect()
}

#[test]
fn a_refusal_without_the_name_is_not_reduced_to_one_for_another_reason() {
    // The shortest query is refused before the limit is looked at.
    let found = searched(usize::MAX, |query, limit| match (query, limit) {
        ("", _) => Some("nothing to look for"),
        (_, ..1) => Some("out of range"),
        _ => None,
    });
    let [finding] = &found[..] else { panic!("{found:#?}") };
    assert!(finding.contains("`out of range`"), "{finding}");
}

#[test]
fn a_refusal_that_valid_arguments_get_later_is_not_about_the_argument() {
    for most in 2..12 {
        let found = searched(most, |_, limit| (limit < 1).then_some("limit: too small"));
        assert!(found.is_empty(), "after {most} calls: {found:#?}");
    }
}
