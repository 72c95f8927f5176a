//! The `mcp-test` binary; everything is in [`mcp_test_cli`].

fn main() -> std::process::ExitCode {
    mcp_test_cli::main(std::env::args_os())
}
