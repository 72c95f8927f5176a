//! The reference server over all carriers: whatever fails or is skipped here is our own defect.

use crate::program::{MCP_TEST, Run, free_port, mcp_test};
use crate::report::{Report, over_lines, over_streamable_http};

/// Every scenario passes at every revision at which it exists.
const VERDICTS: &str = "\
completion-complete: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
dns-rebinding-protection: passed at 2025-03-26 2025-06-18 2025-11-25 2026-07-28
http-header-validation: passed at 2026-07-28
logging-set-level: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25
ping: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25
prompts-get-simple: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
prompts-list: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
resources-list: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
resources-read-text: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
resources-subscribe: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25
resources-unsubscribe: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25
server-initialize: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25
server-session-lifecycle: passed at 2025-03-26 2025-06-18 2025-11-25
server-sse-multiple-streams: passed at 2025-03-26 2025-06-18 2025-11-25 2026-07-28
server-sse-polling: passed at 2025-11-25
server-stateless: passed at 2026-07-28
tools-call-elicitation: passed at 2025-06-18 2025-11-25 2026-07-28
tools-call-error: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
tools-call-sampling: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
tools-call-simple-text: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
tools-call-with-logging: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
tools-call-with-progress: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
tools-list: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
";

fn passes(target: &[&str], verdicts: &str) {
    let words = [&["check", "--format", "json"], target].concat();
    let run = mcp_test(words);
    assert_eq!(Report::read(&run).verdicts(), verdicts, "{}", run.stderr);
    assert_eq!(run.code, 0);
}

#[test]
fn over_duplex() {
    passes(&["--reference", "--transport", "duplex"], &over_lines(VERDICTS));
}

#[test]
fn over_the_router() {
    passes(&["--reference", "--transport", "router"], &over_streamable_http(VERDICTS));
}

#[test]
fn over_stdio() {
    let target = ["--", MCP_TEST, "reference", "server", "--stdio"];
    passes(&target, &over_lines(VERDICTS));
}

#[test]
fn over_http() {
    let address = format!("127.0.0.1:{}", free_port());
    let url = format!("http://{address}/mcp");
    let target = ["--url", &url, "--", MCP_TEST, "reference", "server", "--listen", &address];
    passes(&target, &over_streamable_http(VERDICTS));
}

/// Checks the ping of a reference server behind a URL, which a shell script starts; `$1` is the address.
fn behind(script: &str) -> Run {
    let address = format!("127.0.0.1:{}", free_port());
    let url = format!("http://{address}/mcp");
    let check = ["check", "--scenario", "ping", "--spec-version", "2025-11-25", "--url", &url];
    mcp_test(check.iter().chain(&["--", "sh", "-c", script, MCP_TEST, &address]))
}

#[test]
fn the_program_behind_a_url_has_the_last_word() {
    let run = behind(
        "echo 'low on memory' >&2; \
         exec \"$0\" reference server --listen \"$1\" --fault error:ping:-32603",
    );
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    let words = "The last lines on the server's stderr:\n    | low on memory\n";
    assert!(run.stdout.contains(words), "{}", run.stdout);
}

#[test]
fn a_program_behind_a_url_that_cannot_be_tested_has_the_last_word() {
    let run = behind(
        "echo 'low on memory' >&2; \
         exec \"$0\" reference server --listen \"$1\" --fault html:initialize --fault html:server/discover",
    );
    assert_eq!(run.code, 3, "{}{}", run.stdout, run.stderr);
    assert!(!run.stderr.contains("does not serve"), "{}", run.stderr);
    assert!(run.stderr.contains("its stderr ends with"), "{}", run.stderr);
    assert!(run.stderr.contains("low on memory"), "{}", run.stderr);
}
