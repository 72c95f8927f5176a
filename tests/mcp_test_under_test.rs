//! The `mcp-test` binary once more, since Cargo gives tests the paths of binaries of their own package only.
//!
//! If `MCP_TEST_TESTS_PEAK` names a file, the peak memory and the processor time are written to it, as Linux reports them. The faults
//! of a reference peer may hold texts that are too long for an argument: `@1000000@` stands for so many characters.

use std::process::ExitCode;
use std::{env, fs};

fn main() -> ExitCode {
    let code = match env::args().nth(1).as_deref() {
        Some("reference") => mcp_test_cli::main(env::args().map(|it| with_long_texts(&it).into())),
        _ => mcp_test_cli::main(env::args_os()),
    };
    if let Some(file) = env::var_os("MCP_TEST_TESTS_PEAK") {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let text = format!("{}\n{}", peak.unwrap_or_default(), processor_time());
        fs::write(file, text).expect("the file can be written");
    }
    code
}

/// The processor time of this process in hundredths of a second; 0 on systems that do not report it in this way.
fn processor_time() -> u64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, which may contain anything, is in parentheses; user and system time are 12 fields further on.
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ').skip(11).take(2);
    fields.filter_map(|field| field.parse::<u64>().ok()).sum()
}

/// The argument with `@1000000@` replaced by so many characters.
fn with_long_texts(argument: &str) -> String {
    let mut parts = argument.split('@');
    let mut text = parts.next().unwrap_or_default().to_owned();
    let mut is_after_count = false;
    for part in parts {
        match part.parse() {
            Ok(count) if !is_after_count => text.push_str(&"x".repeat(count)),
            _ if is_after_count => text.push_str(part),
            _ => text.extend(["@", part]),
        }
        is_after_count = !is_after_count && part.parse::<usize>().is_ok();
    }
    text
}
