//! `mcp_test::main!()`.
