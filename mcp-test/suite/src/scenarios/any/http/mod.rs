//! Streamable HTTP, and what all HTTP servers have in common.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http>

scenarios![
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
    http_version_header
];
