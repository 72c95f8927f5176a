//! Streamable HTTP, and what all HTTP servers have in common.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http>

scenarios![
    server_session_lifecycle,
    server_sse_polling,
    server_sse_multiple_streams,
    dns_rebinding_protection,
    http_header_validation,
    http_custom_header_server_validation,
    sse_retry,
    http_standard_headers,
    http_custom_headers,
    http_invalid_tool_headers,
    http_bind_address,
    http_clients,
    http_disconnects,
    http_malformed_bodies,
    http_methods,
    http_modern_endpoint,
    http_negotiation,
    http_param_headers,
    http_response_end,
    http_resumption,
    http_version_header,
    client_http_headers,
    client_session,
    client_event_streams,
    client_optional_http,
];
