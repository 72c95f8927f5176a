//! Running the `mcp-test` command.

pub(crate) use mcp_test_tests::program::{Run, Serving, free_port, run, without_times};

/// The path of the `mcp-test` binary.
pub(crate) const MCP_TEST: &str = env!("CARGO_BIN_EXE_mcp-test-under-test");

/// Runs `mcp-test` with these arguments until it exits, and checks that nothing it started is left running.
pub(crate) fn mcp_test<S: AsRef<str>>(args: impl IntoIterator<Item = S>) -> Run {
    run(MCP_TEST, args)
}
