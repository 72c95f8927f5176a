//! Scenarios for any client, whatever its task: they need it to connect, and some of them to list tools, which nearly every client
//! does.
//!
//! The official suite has none of them.

scenarios![
    client_unsupported_version,
    client_stateless,
    client_pages,
    client_answers_requests,
    client_http_headers,
    client_session,
    client_event_streams,
    client_optional_http,
    client_modern_refusal,
    client_http_sse,
    client_features,
    client_elicitation,
    client_sampling,
    client_tolerant,
    client_malformed,
    client_batches,
    client_handshake,
    client_initialize_refused,
    client_unusual_results,
    client_empty_lists,
    client_result_types,
    client_cached_lists,
    client_input_required,
    client_icons,
    client_task_polling,
    client_task_input,
    client_tasks,
    client_subscriptions,
    server_exit,
    server_ignores_eof,
    server_stderr,
];

pub mod authorization;
mod endpoint;
mod exchange;
mod failing_client;
mod http_exchange;
mod reaction;
mod started_server;
mod task_requests;

use std::sync::atomic::{AtomicBool, Ordering};

use mcp_test_core::client::Client;
use mcp_test_core::client::reference::patient::Reaction;
use mcp_test_core::client::reference::patient::{self, Received};
use mcp_test_core::clock;
use mcp_test_core::process::Exit;
use mcp_test_core::scenario::Scenario;
use mcp_test_core::transport::ClientEnd;
use serde_json::Value;

use crate::scenarios::prelude::*;

/// The scenarios of this module, in the order of reports.
pub(super) fn all() -> impl Iterator<Item = &'static &'static Scenario> {
    let authorization = authorization::ALL;
    ALL.iter().chain(authorization)
}

/// The revisions with a handshake that have Streamable HTTP.
const HANDSHAKE: Revisions = Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25);

/// How long the server waits for replies. A client may still reply later: all that it sends before it exits counts.
const REPLY_TIME: Duration = Duration::from_secs(2);

/// A server with a tool, which a client may list and call.
fn server(test: &ClientTest) -> Server {
    let name = format!("{}-server", test.scenario.id);
    Server::new(json!({ "name": name, "version": "1.0.0" }))
        .revisions(Revisions::until(test.revision))
        .capabilities(json!({ "tools": {} }))
        .on("tools/list", one_tool)
        .on("tools/call", |_: Call| async {
            json!({ "content": [{ "type": "text", "text": "called" }] })
        })
}

async fn one_tool(_: Call) -> Answer {
    json!({ "tools": [{ "name": "add", "inputSchema": { "type": "object" } }] }).into()
}

/// A handler that knows whether it is called for the first time: a client may send its requests again.
fn knowing_first<F>(
    handle: impl Fn(Call, bool) -> F + Send + Sync + 'static,
) -> impl Fn(Call) -> F + Send + Sync + 'static {
    let is_first = AtomicBool::new(true);
    // Relaxed: no other data depends on it.
    move |call| handle(call, is_first.swap(false, Ordering::Relaxed))
}

/// The index of the page that a cursor leads to: none leads to the first, and each of those that the server issued to the next.
fn page_index(cursor: Option<&mcp_test_core::json::Value>, issued: &[&str]) -> Option<usize> {
    let Some(cursor) = cursor else { return Some(0) };
    let before = issued.iter().position(|issued| cursor.as_str() == Some(issued));
    before.map(|before| before + 1)
}

/// The finding that the client, which may do anything else, never listed the tools.
fn never_listed(judging: &Judging) -> Finding {
    judging
        .task_not_done("the client never listed the tools")
        .expected("`tools/list`, since the server declares tools")
        .got("no `tools/list` in the whole conversation")
}

/// Whether the client answers a `ping` now, which shows that it has gone on after what was sent before.
async fn answers_ping(call: &Call, params: Value) -> bool {
    let ping = call.request("ping", params);
    matches!(clock::within(Deadline::after(REPLY_TIME), ping).await, Ok(Ok(_)))
}

/// How the client ended, if it crashed or never ended.
fn crashed_or_hung(judging: &Judging) -> Option<String> {
    match judging.client_end() {
        (ClientEnd::TimedOut, _) => Some("a client that still ran when its time was up".to_owned()),
        (_, Some(exit @ (Exit::Signal(_) | Exit::Code(129..)))) => {
            Some(format!("a client that ended with {exit}"))
        }
        _ => None,
    }
}

/// A client that lists the tools, and does this about whatever comes before the list.
fn reacting(
    react: impl Fn(&Client, Received<'_>) -> Reaction + Copy + Send + Sync + 'static,
) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        patient::list_tools_with(&mut client, react).await?;
        client.end().await;
        Ok(())
    })
}

/// A client that lists the tools, and leaves when this arrives before the list.
fn leaving(is_it: fn(Received<'_>) -> bool) -> ScriptedClient {
    reacting(move |client, received| match is_it(received) {
        true => Reaction::Leave,
        false => patient::correct(client, received),
    })
}
