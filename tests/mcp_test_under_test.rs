//! The `mcp-test` binary once more, since cargo tells tests the paths of binaries of their own package only.

fn main() -> std::process::ExitCode {
    mcp_test::cli::main(std::env::args_os())
}
