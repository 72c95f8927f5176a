//! The lifecycle of connections that begin with a handshake.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle>

scenarios![
    server_initialize,
    initialize,
    lifecycle_versions,
    lifecycle_order,
    client_handshake,
    client_initialize_refused,
];

use serde_json::{Value, json};

/// The name of a capability that no server knows.
pub(super) const UNKNOWN_CAPABILITY: &str = "com.example/mcp-test";

/// The parameters of `initialize` that propose a version, from a client with these capabilities.
pub(super) fn proposing(version: &Value, capabilities: &Value) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": capabilities,
        "clientInfo": {"name": "mcp-test", "version": env!("CARGO_PKG_VERSION")},
    })
}
