//! What must not be called is not called, as the trace shows.

use std::collections::{BTreeMap, BTreeSet};

use mcp_test_core::json::Value;
use mcp_test_core::scenario::{CalledTools, ToolCalls};
use mcp_test_core::server::reference::everything;
use mcp_test_core::server::{Answer, Call};
use mcp_test_core::transport::Target;
use serde_json::json;

use super::{explore_some, options};
use crate::explore::ExploreOptions;

/// A server with a tool of each kind.
fn target() -> Target {
    let tool = |name: &str, annotations: serde_json::Value| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": annotations});
    let tools = json!({"tools": [
        tool("reads", json!({"readOnlyHint": true})),
        tool("writes", json!({"destructiveHint": false})),
        tool("unknown", json!({})),
        tool("deletes", json!({"destructiveHint": true})),
    ]});
    Target::duplex(move |io| {
        let tools = tools.clone();
        let server = everything().on("tools/list", move |_: Call| {
            let tools = tools.clone();
            async move { tools }
        });
        let text = json!({"type": "text", "text": "done"});
        let server = server.on("tools/call", move |_: Call| {
            let answer: Answer = json!({"content": [text]}).into();
            async move { answer }
        });
        async move { Ok(server.serve(io).await?) }
    })
}

/// The names of the tools in the `tools/call` requests that were sent.
fn called(unnamed: CalledTools, named: &[&str], skipped: &[&str]) -> BTreeSet<String> {
    let calls = ToolCalls {
        unnamed,
        named: named.iter().map(|name| ((*name).to_owned(), None)).collect::<BTreeMap<_, _>>(),
        skipped: skipped.iter().map(|name| (*name).to_owned()).collect(),
    };
    let (_, trace) = explore_some(target(), ExploreOptions { calls: 5, ..options() }, calls);
    let messages = trace.messages().filter(|(_, it)| it.method() == Some("tools/call"));
    let names = messages.filter_map(|(_, message)| {
        let params = message.to_value();
        params.at("/params/name").and_then(Value::as_str).map(str::to_owned)
    });
    names.collect()
}

#[test]
fn only_what_the_run_may_call_is_called() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let none: BTreeSet<String> = names(&[]);
    assert_eq!(called(CalledTools::None, &[], &[]), none);
    assert_eq!(called(CalledTools::ReadOnly, &[], &[]), names(&["reads"]));
    assert_eq!(called(CalledTools::All, &[], &[]), names(&["reads", "writes", "unknown"]));
    assert_eq!(called(CalledTools::None, &["deletes"], &[]), names(&["deletes"]));
    assert_eq!(called(CalledTools::All, &[], &["writes"]), names(&["reads", "unknown"]));
}
