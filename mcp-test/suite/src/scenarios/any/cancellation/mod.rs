//! Cancellation.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation>

scenarios![cancellation_ignored, cancellation_running];
