//! The command line under test.

use mcp_test_tests::program::{Run, run};

/// The command line, as `mcp-test` ships it.
pub(crate) const MCP_TEST: &str = env!("CARGO_BIN_EXE_mcp-test-under-test");

/// Runs `mcp-test` with these arguments to its end, and asserts that nothing it started is left running.
pub(crate) fn mcp_test<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Run {
    run(MCP_TEST, words)
}
