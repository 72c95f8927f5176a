//! Caching of results.
//!
//! <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching>

scenarios![cacheable_results, caching_hints, client_cached_lists];
