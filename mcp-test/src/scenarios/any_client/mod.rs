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
    client_features,
    client_tolerant,
    client_task_polling,
    client_task_input,
    client_tasks,
    client_subscriptions,
    server_exit,
];

mod endpoint;
mod exchange;
mod task_requests;

use serde_json::json;

use crate::check::Finding;
use crate::scenario::{ClientTest, Judging};
use crate::server::{Answer, Call, Server};
use crate::spec::Revisions;

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

/// The finding that the client, which may do anything else, never listed the tools.
fn never_listed(judging: &Judging) -> Finding {
    judging
        .task_not_done("the client never listed the tools")
        .expected("`tools/list`, since the server declares tools")
        .got("no `tools/list` in the whole conversation")
}
