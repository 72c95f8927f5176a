//! The `mcp-test` binary.
fn main() {}
