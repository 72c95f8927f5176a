//! The `mcp-test` binary again, so that cargo hands its path to the tests of this package.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcp_test::cli::main(std::env::args_os())
}
