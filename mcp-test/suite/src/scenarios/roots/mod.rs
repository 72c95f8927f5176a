//! Roots.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/client/roots>

scenarios![roots_list_changed, roots_unavailable];
