//! The reference server over all carriers: whatever fails or is skipped here is our own defect.

use std::collections::BTreeMap;

use mcp_test::scenario::Leg;
use mcp_test::scenarios;
use mcp_test::spec::Revision;
use mcp_test::transport::CarrierKind;

use crate::program::{MCP_TEST, Run, Serving, free_port, mcp_test};
use crate::report::Report;

/// Every scenario passes at every revision at which it exists.
#[track_caller]
fn passes(carrier: CarrierKind, target: &[&str]) {
    let words = [&["check", "--format", "json"], target].concat();
    let run = mcp_test(words);
    let mut expected = BTreeMap::new();
    for scenario in scenarios::all().filter(|scenario| scenario.leg == Leg::Server) {
        let revisions = scenario.revisions.iter().filter(|it| carrier.exists_at(*it));
        let revisions: Vec<&str> = revisions.map(Revision::as_str).collect();
        if scenario.carriers.contains(carrier) && !revisions.is_empty() {
            expected.insert(scenario.id, revisions.join(" "));
        }
    }
    let expected: Vec<String> =
        expected.iter().map(|(id, revisions)| format!("{id}: passed at {revisions}")).collect();
    let report = Report::read(&run);
    assert_eq!(report.verdicts().trim_end(), expected.join("\n"), "{}", run.stderr);
    assert_eq!(run.code, 0);
}

#[test]
fn over_duplex() {
    passes(CarrierKind::Duplex, &["--reference", "--transport", "duplex"]);
}

#[test]
fn over_the_router() {
    passes(CarrierKind::Router, &["--reference", "--transport", "router"]);
}

#[test]
fn over_stdio() {
    passes(CarrierKind::Stdio, &["--", MCP_TEST, "reference", "server", "--stdio"]);
}

#[test]
fn over_http() {
    let address = format!("127.0.0.1:{}", free_port());
    let url = format!("http://{address}/mcp");
    let target = ["--url", &url, "--", MCP_TEST, "reference", "server", "--listen", &address];
    passes(CarrierKind::Http, &target);
}

/// The stream of the older carrier is at a place of its own, with and without saying so.
#[test]
fn over_sse() {
    let serving = Serving::reference(MCP_TEST, &[]);
    let url = serving.url.replace("/mcp", "/sse");
    passes(CarrierKind::Sse, &["--url", &url, "--transport", "sse"]);
    passes(CarrierKind::Sse, &["--url", &url]);
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
