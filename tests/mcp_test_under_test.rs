//! The `mcp-test` binary once more, since Cargo gives tests the paths of binaries of their own package only.
//!
//! If `MCP_TEST_TESTS_PEAK` names a file, the peak memory is written to it, as Linux reports it. The faults of a reference peer may
//! hold texts that are too long for an argument: `@1000000@` stands for so many characters.

use std::process::ExitCode;
use std::{env, fs};

fn main() -> ExitCode {
    let code = match env::args().nth(1).as_deref() {
        Some("reference") => mcp_test::cli::main(env::args().map(|it| with_long_texts(&it).into())),
        _ => mcp_test::cli::main(env::args_os()),
    };
    if let Some(file) = env::var_os("MCP_TEST_TESTS_PEAK") {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        fs::write(file, peak.unwrap_or_default()).expect("the file can be written");
    }
    code
}

/// The argument with `@1000000@` replaced by so many characters.
fn with_long_texts(argument: &str) -> String {
    let parts = argument.split('@').enumerate();
    let long = |(index, part): (usize, &str)| match part.parse() {
        Ok(count) if index % 2 == 1 => "x".repeat(count),
        _ => part.to_owned(),
    };
    parts.map(long).collect()
}
