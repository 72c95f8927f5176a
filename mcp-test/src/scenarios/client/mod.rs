//! Scenarios for clients.

mod lenient_server;
mod references;
mod skills;

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
