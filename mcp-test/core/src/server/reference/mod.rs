//! The reference server: a correct "everything" server against which scenarios are proven.
//!
//! It offers the fixtures of the official suite with exactly their texts and, under other names, what the everything
//! server of the MCP project offers (`demo`). It is correct in every revision; add a
//! [`Fault`](crate::transport::Fault) to break it.

mod client_input;
mod completion;
mod demo;
mod logging;
mod prompts;
mod resources;
#[doc(hidden)]
pub mod skills;
mod tasks;
mod tool_result;
#[doc(hidden)]
pub mod tools;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;

use self::tasks::TaskStarter;
use super::{Answer, Call, Server, Tasks, invalid, string};
use crate::json::Value;
use crate::spec::Revision;
use crate::transport::fault::Misbehavior;
use crate::wire::RpcError;

/// A PNG image of one pixel, in Base64.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/// The reference server: tools, resources, prompts, completions, logging and tasks, at all revisions and in both eras.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// let server = mcp_test::server::reference::everything();
/// # drop(server);
/// ```
#[must_use]
pub fn everything() -> Server {
    everything_with_second(Duration::from_secs(1))
}

/// The reference server whose tools that take seconds take this long instead of each.
pub fn everything_with_second(second: Duration) -> Server {
    let tasks = Tasks::new().poll_interval(second / 10);
    let starter = TaskStarter { tasks: tasks.clone(), second };
    let was_called = Arc::new(AtomicBool::new(false));
    let calls = was_called.clone();
    let call_tool = move |call: Call| {
        calls.store(true, Ordering::Relaxed);
        let starter = starter.clone();
        async move { tools::call(&call, &starter).await }
    };
    let list_tools = move |call: Call| {
        let is_unlocked =
            call.misbehaves(Misbehavior::UnlocksTool) && was_called.load(Ordering::Relaxed);
        let list = if is_unlocked { tools::list_with_another } else { tools::list };
        async move { only_page(&call, list) }
    };
    Server::new(json!({ "name": "mcp-test-everything", "version": env!("CARGO_PKG_VERSION") }))
        .instructions("A server for tests: it offers something of everything, and says the same at every call.")
        .capabilities(json!({
            "tools": { "listChanged": true },
            // No `listChanged`: no tool announces a change of the list of resources.
            "resources": { "subscribe": true },
            "prompts": { "listChanged": true },
            "completions": {},
            "logging": {},
            "extensions": {
                "io.modelcontextprotocol/skills": skills::settings(),
                "io.modelcontextprotocol/tasks": {},
            },
        }))
        .on("tools/list", list_tools)
        .on("tools/call", call_tool)
        .on("resources/list", |call: Call| async move { only_page(&call, resources::list) })
        .on("resources/templates/list", |call: Call| async move { only_page(&call, resources::templates) })
        .on("resources/read", |call: Call| async move { resources::read(&call) })
        .on("resources/subscribe", |call: Call| async move { resources::subscribe(&call) })
        .on("resources/unsubscribe", |call: Call| async move { resources::subscribe(&call) })
        .skills(&skills::skills())
        .on("prompts/list", |call: Call| async move { only_page(&call, prompts::list) })
        .on("prompts/get", |call: Call| async move { prompts::get(&call) })
        .on("completion/complete", |call: Call| async move { completion::complete(&call) })
        .mirrors(tools::MIRRORED, format!("/{}", tools::REGION), tools::REGION_HEADER)
        .on("logging/setLevel", |call: Call| async move { logging::set_level(&call) })
        .tasks(&tasks)
}

/// A parameter that must be a string.
fn text<'a>(call: &'a Call, name: &str) -> Result<&'a str, RpcError> {
    string(call.params(), name)
}

/// A message of a prompt.
fn user_message(content: &serde_json::Value) -> serde_json::Value {
    json!({ "role": "user", "content": content })
}

/// The only page of a list; any cursor is invalid.
fn only_page(call: &Call, list: fn(Revision) -> serde_json::Value) -> Answer {
    if call.misbehaves(Misbehavior::EndlessLists) {
        let number = call.param("cursor").and_then(Value::as_str).map_or(0, str::len);
        let mut page = list(call.revision());
        // Longer each time, so that no cursor repeats.
        page["nextCursor"] = json!("x".repeat(number + 1));
        return page.into();
    }
    match call.param("cursor") {
        None => list(call.revision()).into(),
        // The list has one page, so the server has issued no cursor; the specification proposes -32602 for others.
        Some(cursor) => invalid(format!("invalid cursor: {cursor}")).into(),
    }
}
