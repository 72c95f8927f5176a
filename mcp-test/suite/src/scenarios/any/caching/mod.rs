//! Caching of results.
//!
//! <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching>

scenarios![caching_hints];
