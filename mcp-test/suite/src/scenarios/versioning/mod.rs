//! Versions and extensions without a handshake.
//!
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning>

scenarios![
    server_stateless,
    request_metadata,
    versioning_unsupported,
    versioning_metadata,
    versioning_supported,
    versioning_initialize,
    versioning_extensions,
    client_unsupported_version,
    client_stateless,
    client_modern_refusal,
];

use crate::scenarios::prelude::*;

/// Whether an identifier has the form of a key of `_meta` with a prefix.
pub(super) fn has_extension_form(id: &str) -> Result<(), Finding> {
    ensure(meta::is_key(id) && id.contains('/'), || {
        Finding::peer("an extension has an identifier of another form")
            .expected("labels joined by dots, a slash and a name, such as `com.example/reports`")
            .got(mcp_test_core::expect::words::quoted(id.as_bytes()))
    })
}
