//! Values of results in resources and prompts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcp_test_core::json::Value;
use mcp_test_core::server::reference::everything;
use mcp_test_core::server::{Answer, Call, Server};
use mcp_test_core::spec::error_code;
use mcp_test_core::transport::Target;
use serde_json::json;

use super::{explained, explore, options, saved_cases, saved_tests};
use crate::explore::{Exploration, ExploreOptions};

/// A server that exits at one request about its report, once it has made that.
fn target(exits_at: &'static str) -> Target {
    Target::duplex(move |io| async move { Ok(server(exits_at).serve(io).await?) })
}

fn server(exits_at: &'static str) -> Server {
    let is_made = Arc::new(AtomicBool::new(false));
    let (is_read, is_used) = (Arc::clone(&is_made), Arc::clone(&is_made));
    let report = json!({"report_id": 7});
    let link = json!({"type": "resource_link", "uri": "reports://7", "name": "report"});
    everything()
        .on("tools/list", |_: Call| async {
            let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
            json!({"tools": [tool("newest"), tool("find")]})
        })
        .on("tools/call", move |call: Call| {
            let (report, link) = (report.clone(), link.clone());
            is_made.store(true, Ordering::Relaxed);
            let is_find = call.param("name").and_then(Value::as_str) == Some("find");
            async move {
                match is_find {
                    true => json!({"content": [link]}),
                    false => {
                        let text = json!({"type": "text", "text": report.to_string()});
                        json!({"content": [text], "structuredContent": report})
                    }
                }
            }
        })
        .on("resources/templates/list", |_: Call| async {
            let template =
                json!({"uriTemplate": "reports://{report_id}/summary", "name": "summary"});
            json!({"resourceTemplates": [template]})
        })
        .on("resources/read", move |call: Call| {
            let is_made = is_read.load(Ordering::Relaxed);
            async move {
                let uri = call.param("uri").and_then(Value::as_str).unwrap_or_default();
                match uri {
                    _ if uri == exits_at && is_made => Answer::exit(),
                    "reports://7" | "reports://7/summary" if is_made => {
                        json!({"contents": [{"uri": uri, "text": "all is well"}]}).into()
                    }
                    _ => Answer::error(error_code::RESOURCE_NOT_FOUND, "not found"),
                }
            }
        })
        .on("prompts/list", |_: Call| async {
            let argument = json!({"name": "report_id", "required": true});
            json!({"prompts": [{"name": "summarize", "arguments": [argument]}]})
        })
        .on("prompts/get", move |call: Call| {
            let is_made = is_used.load(Ordering::Relaxed);
            async move {
                let id = call.params().at("/arguments/report_id").and_then(Value::as_str);
                match id {
                    Some("7") if exits_at == "summarize" && is_made => Answer::exit(),
                    _ => json!({"messages": []}).into(),
                }
            }
        })
}

fn explored(exits_at: &'static str) -> Exploration {
    explore(target(exits_at), ExploreOptions { calls: 20, ..options() })
}

#[test]
fn values_of_results_lead_to_resources_and_prompts() {
    let exploration = explored("");
    let called = |it: &crate::explore::Explored| format!("{} {}", it.operation, it.answers.len());
    let called: Vec<String> = exploration.operations.iter().map(called).collect();
    assert_eq!(
        called,
        [
            "newest 1",
            "find 1",
            "prompt summarize 1",
            "resource 1",
            "resource reports://{report_id}/summary 1"
        ]
    );
    assert!(exploration.operations.iter().all(|it| it.failures.is_empty()));
}

#[test]
fn what_fails_is_explained_with_the_call_that_led_to_it() {
    let mut text = String::new();
    for exits_at in ["reports://7", "reports://7/summary", "summarize"] {
        let exploration = explored(exits_at);
        let failing: Vec<_> =
            exploration.operations.iter().filter(|it| !it.failures.is_empty()).collect();
        let [failing] = failing[..] else { panic!("{exits_at}: {failing:#?}") };
        let [reduced] = &failing.failures[..] else { panic!("{exits_at}: {failing:#?}") };
        text.push_str(&format!("{}\n\n", explained(reduced, failing)));
        text.push_str(&saved_cases(&exploration));
        text.push_str(&saved_tests(&exploration));
    }
    insta::assert_snapshot!(text);
}
