//! The base protocol: messages, ids, errors, `_meta` and capabilities.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic>

scenarios![
    base_unknown_method,
    base_invalid_params,
    base_request_ids,
    base_concurrent_requests,
    base_notifications,
    base_invalid_messages,
    base_invalid_ids,
    base_large_messages,
    base_batch,
    base_meta,
    base_capabilities,
    base_unknown_capability,
    base_stateless,
];
