//! Servers whose tools any client may list, and what such a server waits for.

use std::sync::atomic::{AtomicBool, Ordering};

use mcp_test_core::clock;

use crate::scenarios::prelude::*;

/// How long the server waits for replies. A client may still reply later: all that it sends before it exits counts.
pub(super) const REPLY_TIME: Duration = Duration::from_secs(2);

/// A server with a tool, which a client may list and call.
pub(super) fn server(test: &ClientTest) -> Server {
    let name = format!("{}-server", test.scenario.id);
    Server::new(json!({ "name": name, "version": "1.0.0" }))
        .revisions(Revisions::until(test.revision))
        .capabilities(json!({ "tools": {} }))
        .on("tools/list", one_tool)
        .on("tools/call", |_: Call| async {
            json!({ "content": [{ "type": "text", "text": "called" }] })
        })
}

/// A server with tools that speaks the revision of the test.
///
/// It does not validate mirrored headers, so that a missing one does not hide what the scenario is about.
pub(super) fn lenient_server(test: &ClientTest) -> Server {
    let name = format!("{}-server", test.scenario.id);
    Server::new(json!({ "name": name, "version": "1.0.0" }))
        .revisions(Revisions::only(test.revision))
        .capabilities(json!({ "tools": {} }))
        .faults([Fault::misbehavior(Misbehavior::SkipsMirrors)])
}

pub(super) async fn one_tool(_: Call) -> Answer {
    json!({ "tools": [{ "name": "add", "inputSchema": { "type": "object" } }] }).into()
}

/// A handler that knows whether it is called for the first time: a client may send its requests again.
pub(super) fn knowing_first<F>(
    handle: impl Fn(Call, bool) -> F + Send + Sync + 'static,
) -> impl Fn(Call) -> F + Send + Sync + 'static {
    let is_first = AtomicBool::new(true);
    // Relaxed: no other data depends on it.
    move |call| handle(call, is_first.swap(false, Ordering::Relaxed))
}

/// The index of the page that a cursor leads to: none leads to the first, and each of those that the server issued to the next.
pub(super) fn page_index(cursor: Option<&Value>, issued: &[&str]) -> Option<usize> {
    let Some(cursor) = cursor else { return Some(0) };
    let before = issued.iter().position(|issued| cursor.as_str() == Some(issued));
    before.map(|before| before + 1)
}

/// Whether the client answers a `ping` now, which shows that it has gone on after what was sent before.
pub(super) async fn answers_ping(call: &Call, params: serde_json::Value) -> bool {
    let ping = call.request("ping", params);
    matches!(clock::within(Deadline::after(REPLY_TIME), ping).await, Ok(Ok(_)))
}
