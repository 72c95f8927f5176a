//! Ping.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping>

scenarios![ping_removed];
