//! A correct server that offers very much, in very small pages: the requests of a run are bounded, and it says where it stopped.

use std::future::ready;

use mcp_test::client::MAX_PAGES;
use mcp_test::json::Value;
use mcp_test::scenario::Profile;
use mcp_test::server::reference::everything;
use mcp_test::server::{Answer, Call};
use mcp_test::spec::{ItemKind, Revision, error_code};
use mcp_test::trace::{Party, Trace};
use mcp_test::wire::Message;
use mcp_test_core::run::{Plan, RunEvent, Selection, run};
use serde_json::json;
use tokio::runtime::Runtime;

use crate::scenario_run::NO_TIMEOUT;

const TOOLS: usize = 500;
const RESOURCES: usize = 2000;

/// How often a scenario may read a list to its last allowed page.
const READINGS: usize = 2;

/// The most requests of a scenario run beside those for pages: a few for each of ten items.
const OTHERS: usize = 100;

#[test]
fn the_requests_of_a_run_are_bounded_and_the_bound_is_shown() {
    // Without the extensions of the reference server, whose files it does not read.
    let capabilities = json!({
        "tools": {}, "resources": { "subscribe": true }, "prompts": {}, "completions": {}, "logging": {},
    });
    let server = everything()
        .capabilities(capabilities)
        .on("tools/list", |call: Call| ready(page(&call, "tools", TOOLS, tool)))
        .on("resources/list", |call: Call| ready(page(&call, "resources", RESOURCES, resource)))
        // It reads nothing else.
        .on("resources/templates/list", |_: Call| ready(json!({ "resourceTemplates": [] })))
        .on("resources/read", |call: Call| ready(read(&call)));
    let plan = Plan::build(
        mcp_test_suite::scenarios::all(),
        server.target(),
        Profile::Adaptive,
        &Selection::default(),
    );
    let plan = plan.expect("a plan").timeout(NO_TIMEOUT);
    let (mut cut, mut outcomes) = (Vec::new(), Vec::new());
    let mut on = |event: RunEvent| match event {
        RunEvent::PreflightDone(preflight) => cut = preflight.cut_lists,
        RunEvent::Finished(outcome) => outcomes.push(*outcome),
        _ => {}
    };
    let runtime = Runtime::new().expect("a runtime");
    let summary = runtime.block_on(run(&plan, &mut on));
    assert_eq!(cut, [ItemKind::Tool, ItemKind::Resource]);
    assert_eq!(summary.exit.number(), 0, "{:?}", summary.problems);
    let said = outcomes.iter().flat_map(|outcome| &outcome.checks);
    let bound = format!("only the first {MAX_PAGES} pages were read");
    assert!(said.filter_map(|check| check.message.as_ref()).any(|it| it.contains(&bound)));
    for outcome in outcomes {
        let (lists, others) = requests(&outcome.trace);
        let id = &outcome.scenario_run.scenario.id;
        assert!(lists <= READINGS * 2 * MAX_PAGES, "{id} requests {lists} pages");
        assert!(others <= OTHERS, "{id} makes {others} other requests");
    }
}

/// How many requests for pages there are, and how many others.
fn requests(trace: &Trace) -> (usize, usize) {
    let requests = trace.messages().filter_map(|(event, message)| match message {
        Message::Request(request) if event.party == Party::Client => Some(&*request.method),
        _ => None,
    });
    let (lists, others): (Vec<_>, Vec<_>) =
        requests.partition(|method| matches!(*method, "tools/list" | "resources/list"));
    (lists.len(), others.len())
}

/// A page of one item.
fn page(call: &Call, member: &str, count: usize, item: fn(usize) -> serde_json::Value) -> Answer {
    let index = match call.param("cursor").map(Value::as_str) {
        None => Some(0),
        Some(cursor) => cursor.and_then(|cursor| cursor.parse().ok()),
    };
    match index.filter(|index| *index < count) {
        Some(index) if index + 1 < count => {
            json!({ member: [item(index)], "nextCursor": (index + 1).to_string() }).into()
        }
        Some(index) => json!({ member: [item(index)] }).into(),
        None => Answer::error(error_code::INVALID_PARAMS, "not a cursor of this list"),
    }
}

fn tool(index: usize) -> serde_json::Value {
    json!({ "name": format!("tool_{index}"), "inputSchema": {"type": "object"} })
}

fn resource(index: usize) -> serde_json::Value {
    json!({ "uri": format!("many:///{index}"), "name": format!("{index}") })
}

fn read(call: &Call) -> Answer {
    let uri = call.param("uri").and_then(Value::as_str).unwrap_or_default();
    let index = uri.strip_prefix("many:///").and_then(|index| index.parse::<usize>().ok());
    if index.is_some_and(|index| index < RESOURCES) {
        return json!({ "contents": [{"uri": uri, "text": "text"}] }).into();
    }
    let code = match call.revision() {
        Revision::V2026_07_28 => error_code::INVALID_PARAMS,
        _ => error_code::RESOURCE_NOT_FOUND,
    };
    Answer::error(code, "no such resource")
}
