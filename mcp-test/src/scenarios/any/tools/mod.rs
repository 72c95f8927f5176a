//! Tools.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/server/tools>

scenarios![tools_call_unknown];
