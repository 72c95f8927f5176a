//! The peers of the proofs about tasks.

use mcp_test_core::server::reference::everything_with_second;
use mcp_test_core::server::{Respond, Rule};

use crate::scenarios::prelude::*;

/// The reference server whose seconds last ten milliseconds, so that no proof waits for the end of a task.
pub(super) fn quick() -> Server {
    everything_with_second(Duration::from_millis(10))
}

/// The same server with other responses.
pub(super) fn quick_but(rules: impl IntoIterator<Item = Rule>) -> Server {
    let server = quick();
    rules.into_iter().for_each(|rule| server.mount(rule));
    server
}

/// Another response to calls of one tool.
pub(super) fn answering(tool: &str, response: impl Respond) -> Rule {
    given(method("tools/call")).and(param("/name", equals(tool))).respond_with(response)
}

/// The same server, which never makes a task of `slow_compute`. That is its right, but not what the fixture does.
pub(super) fn computing_at_once() -> Server {
    let text = json!({ "type": "text", "text": "Computed" });
    quick_but([answering("slow_compute", json!({ "content": [text] }))])
}
