//! The attribute `#[mcp_scenario]`; use it through the `mcp-test` crate, which re-exports it.
