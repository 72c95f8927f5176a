//! The reference server over all carriers: whatever fails or is skipped here is our own defect.

use crate::program::{MCP_TEST, free_port, mcp_test};
use crate::report::Report;

/// Every scenario passes at every revision at which it exists.
const VERDICTS: &str = "\
ping: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25
prompts-get-simple: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
prompts-list: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
resources-list: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
resources-read-text: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
server-initialize: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25
tools-call-error: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
tools-call-simple-text: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
tools-list: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
";

fn passes(target: &[&str]) {
    let words = [&["check", "--format", "json"], target].concat();
    let run = mcp_test(words);
    assert_eq!(Report::read(&run).verdicts(), VERDICTS, "{}", run.stderr);
    assert_eq!(run.code, 0);
}

#[test]
fn over_duplex() {
    passes(&["--reference", "--transport", "duplex"]);
}

#[test]
fn over_the_router() {
    passes(&["--reference", "--transport", "router"]);
}

#[test]
fn over_stdio() {
    passes(&["--", MCP_TEST, "reference", "server", "--stdio"]);
}

#[test]
fn over_http() {
    let address = format!("127.0.0.1:{}", free_port());
    let url = format!("http://{address}/mcp");
    passes(&["--url", &url, "--", MCP_TEST, "reference", "server", "--listen", &address]);
}
