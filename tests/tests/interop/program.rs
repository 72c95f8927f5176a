//! The command line under test.

pub(crate) use mcp_test_tests::program::{Run, Serving, free_port, run, without_times};

/// The command line, as `mcp-test` ships it.
pub(crate) const MCP_TEST: &str = env!("CARGO_BIN_EXE_mcp-test-under-test");

/// Runs `mcp-test` with these words to its end, and makes sure that nothing it started is left running.
pub(crate) fn mcp_test<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Run {
    run(MCP_TEST, words)
}
