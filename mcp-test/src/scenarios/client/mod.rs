//! Scenarios for clients.

mod references;
mod skills;

scenarios![
    initialize,
    tools_call,
    elicitation_sep1034_client_defaults,
    sse_retry,
    request_metadata,
    http_standard_headers,
    sep_2640_client_no_prefetch,
    sep_2640_client_verify_digest,
    sep_2640_client_verify_size,
    sep_2640_client_verify_frontmatter,
];
