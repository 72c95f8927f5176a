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
];

use crate::check::Finding;
use crate::scenario::Judging;
use crate::server::{Answer, Call};
use serde_json::json;

/// Answers `tools/list` with one tool.
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
