//! How often a run calls tools that fail or are slow.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use mcp_test_core::clock;
use mcp_test_core::scenario::{CalledTools, ToolCalls};
use mcp_test_core::server::reference::everything;
use mcp_test_core::server::{Answer, Call};

use super::*;

/// How often each tool was called with the arguments that its schema states.
type Counts = BTreeMap<String, usize>;

/// The counts of a run of all scenarios at all revisions, which share connections if several are run at a time.
fn calls(named: &[&str], jobs: usize) -> Counts {
    let counts = Arc::new(Mutex::new(Counts::new()));
    let stated = json!({ "query": "a word", "unit": "pages" });
    let schema = json!({
        "type": "object",
        "properties": { "query": { "type": "string" }, "unit": { "enum": ["pages", "lines"] } },
        "required": ["query"],
        "examples": [stated],
    });
    let tools: Vec<_> = ["fails", "works", "is_slow", "is_slow_if_valid", "hangs"]
        .map(|name| json!({ "name": name, "description": "Searches.", "inputSchema": schema }))
        .into();
    let seen = Arc::clone(&counts);
    let server = everything()
        .on("tools/list", move |_: Call| {
            let list = json!({ "tools": tools, "ttlMs": 0, "cacheScope": "public" });
            async move { list }
        })
        .on("tools/call", move |call: Call| {
            let name = call.param("name").and_then(|it| it.as_str()).unwrap_or_default().to_owned();
            let is_valid = call.param("arguments") == Some(&stated.clone().into());
            if is_valid {
                *seen.lock().expect("no panic").entry(name.clone()).or_default() += 1;
            }
            async move {
                if is_valid && name == "hangs" {
                    std::future::pending::<()>().await;
                }
                if name == "is_slow" || is_valid && name == "is_slow_if_valid" {
                    clock::quiet(Duration::from_secs(4)).await;
                }
                let content = json!([{ "type": "text", "text": "the network is down" }]);
                Answer::from(json!({ "content": content, "isError": name == "fails" }))
            }
        });
    let plan = plan(&server, Profile::Adaptive, &[]);
    let mut plan = plan.jobs(NonZeroUsize::new(jobs).expect("some"));
    plan.calls = ToolCalls { unnamed: CalledTools::All, ..ToolCalls::default() };
    for name in named {
        plan.calls.named.insert((*name).to_owned(), None);
    }
    let _ = run_plan(&plan);
    counts.lock().expect("no panic").clone()
}

#[test]
fn a_tool_that_fails_or_is_slow_is_called_less_often_than_one_that_works() {
    let counts = calls(&[], 1);
    // What is left are scenarios that look for a tool which asks its client for something.
    assert!(counts["fails"] * 2 < counts["works"], "{counts:?}");
    assert_eq!(counts["is_slow"], 1, "{counts:?}");
    assert_eq!(counts["is_slow_if_valid"], 1, "{counts:?}");
    // With all the time of its scenario.
    assert_eq!(counts["hangs"], 1, "{counts:?}");
}

#[test]
fn a_tool_that_does_not_answer_is_called_once_more_with_more_time() {
    let counts = calls(&[], 2);
    assert_eq!(counts["hangs"], 2, "{counts:?}");
}

#[test]
fn a_tool_that_the_user_has_named_is_called_although_it_fails() {
    let counts = calls(&["fails"], 1);
    assert!(counts["fails"] >= counts["works"], "{counts:?}");
}
