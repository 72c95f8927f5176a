//! Versions and extensions without a handshake.
//!
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning>

scenarios![
    versioning_unsupported,
    versioning_metadata,
    versioning_supported,
    versioning_initialize,
    versioning_extensions
];
