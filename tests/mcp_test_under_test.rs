//! The `mcp-test` binary once more, since Cargo gives tests the paths of binaries of their own package only.
//!
//! If `MCP_TEST_TESTS_PEAK` names a file, the peak memory is written to it, as Linux reports it.

use std::process::ExitCode;
use std::{env, fs};

fn main() -> ExitCode {
    let code = mcp_test::cli::main(env::args_os());
    if let Some(file) = env::var_os("MCP_TEST_TESTS_PEAK") {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        fs::write(file, peak.unwrap_or_default()).expect("the file can be written");
    }
    code
}
