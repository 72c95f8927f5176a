//! Scenarios for clients.

mod references;

scenarios![
    initialize,
    tools_call,
    elicitation_sep1034_client_defaults,
    sse_retry,
    request_metadata,
    http_standard_headers,
    server_exit,
];
