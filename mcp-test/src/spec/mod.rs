//! What MCP says, as data.
