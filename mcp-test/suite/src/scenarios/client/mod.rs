//! Scenarios for clients.

pub mod auth;
mod lenient_server;
mod references;
mod skills;

use mcp_test_core::scenario::Scenario;

/// The scenarios for clients that the official suite has, in its order.
pub(super) fn all() -> impl Iterator<Item = &'static &'static Scenario> {
    // Those of clients that sign in are in the middle.
    let (first, last) = ALL.split_at(FIRST);
    let auth = auth::ALL;
    first.iter().chain(auth).chain(last)
}

/// How many scenarios come before those of clients that sign in.
const FIRST: usize = 5;

scenarios![
    initialize,
    tools_call,
    elicitation_sep1034_client_defaults,
    sse_retry,
    request_metadata,
    sep_2322_client_request_state,
    http_standard_headers,
    http_custom_headers,
    http_invalid_tool_headers,
    json_schema_ref_no_deref,
    json_schema_2020_12_preservation,
    sep_2640_client_no_prefetch,
    sep_2640_client_verify_digest,
    sep_2640_client_verify_size,
    sep_2640_client_verify_frontmatter,
];
