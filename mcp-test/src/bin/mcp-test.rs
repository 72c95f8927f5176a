//! The `mcp-test` binary; everything is in [`mcp_test::cli`].

fn main() -> std::process::ExitCode {
    mcp_test::cli::main(std::env::args_os())
}
