//! Which HTTP requests of a client are for the MCP endpoint. What is wrong with them is for the scenarios.

use mcp_test_core::trace::{EventKind, Party, Trace};

/// The path of the MCP endpoint: that of the client's first message over HTTP.
///
/// A client may ask for documents at other paths, such as the metadata for authorization, which no rule about the endpoint is about.
pub(super) fn endpoint_path(trace: &Trace) -> Option<&str> {
    let mut events = trace.events.iter().filter(|event| event.party == Party::Client);
    let is_posted = |kind: &EventKind| matches!(kind, EventKind::Message { .. });
    let first = events.find(|event| event.exchange.is_some() && is_posted(&event.kind))?;
    trace.events.iter().find_map(|event| match &event.kind {
        EventKind::HttpRequest { path, .. }
            if (event.connection, event.exchange) == (first.connection, first.exchange) =>
        {
            Some(path.as_str())
        }
        _ => None,
    })
}
