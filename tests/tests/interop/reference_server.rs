//! The reference server over all transports: any check that fails or is skipped here is our own bug.

use std::collections::BTreeMap;

use mcp_test::scenario::{Need, Scenario, TestedSide};
use mcp_test::spec::Revision;
use mcp_test::transport::TransportKind;
use mcp_test_suite::scenarios;

use crate::json_report::Report;
use crate::program::{MCP_TEST, Run, Serving, free_port, mcp_test};

/// A placeholder, which the official suite skips, too.
const UNTRIED: &str = "tasks-status-notifications";

/// Checks that every scenario passes at every revision at which it exists, or at one that stands for others at which it shows
/// the same.
#[track_caller]
fn passes_everything(transport: TransportKind, target: &[&str]) {
    let args = [&["check", "--format", "json"], target].concat();
    let run = mcp_test(args);
    let mut expected: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    // Those for protected servers need tokens; `cli/auth_check.rs` has the reference server protected.
    let is_run = |scenario: &&Scenario| {
        scenario.tested_side == TestedSide::Server && !scenario.needs.contains(&Need::Protection)
    };
    let server_scenarios = scenarios::all().filter(is_run);
    for scenario in server_scenarios.filter(|scenario| scenario.transports.contains(transport)) {
        let exists = scenario.revisions.iter().filter(|it| transport.exists_at(*it));
        let revisions: Vec<Revision> = exists.collect();
        let is_run = |it: &&Revision| scenario.repeats.runs_at(**it, &revisions);
        for revision in revisions.iter().filter(is_run) {
            // It has no tasks of 2025-11-25, and without annotations, which 2024-11-05 lacks, no tool may be called.
            let is_unmet = |need: &Need| match need {
                Need::Capability(capability) => capability.to_string().starts_with("tasks"),
                Need::CallableTool => *revision == Revision::V2024_11_05,
                _ => false,
            };
            let is_skipped = scenario.id == UNTRIED || scenario.needs.iter().any(is_unmet);
            let verdict = if is_skipped { "skipped" } else { "passed" };
            expected.entry((&*scenario.id, verdict)).or_default().push(revision.as_str());
        }
    }
    let line = |((id, verdict), revisions): ((&str, &str), Vec<&str>)| {
        format!("{id}: {verdict} at {}", revisions.join(" "))
    };
    let expected: Vec<String> = expected.into_iter().map(line).collect();
    let report = Report::read(&run);
    assert_eq!(report.verdicts().trim_end(), expected.join("\n"), "{}", run.stderr);
    assert_eq!(run.code, 0);
}

#[test]
fn passes_over_duplex() {
    passes_everything(TransportKind::Duplex, &["--reference", "--transport", "duplex"]);
}

#[test]
fn passes_over_the_router() {
    passes_everything(TransportKind::Router, &["--reference", "--transport", "router"]);
}

#[test]
fn passes_over_stdio() {
    passes_everything(TransportKind::Stdio, &["--", MCP_TEST, "reference", "server", "--stdio"]);
}

#[test]
fn passes_over_http() {
    let address = format!("127.0.0.1:{}", free_port());
    let url = format!("http://{address}/mcp");
    let target = ["--url", &url, "--", MCP_TEST, "reference", "server", "--listen", &address];
    passes_everything(TransportKind::Http, &target);
}

/// The event stream of HTTP+SSE has its own URL, at which the transport is also detected without `--transport`.
#[test]
fn passes_over_sse() {
    let serving = Serving::reference(MCP_TEST, &[]);
    let url = serving.url.replace("/mcp", "/sse");
    passes_everything(TransportKind::Sse, &["--url", &url, "--transport", "sse"]);
    passes_everything(TransportKind::Sse, &["--url", &url]);
}

/// Runs `ping` against a URL whose server a shell script starts; `$0` is `mcp-test`, `$1` the address to listen on.
fn check_started_by(script: &str) -> Run {
    let address = format!("127.0.0.1:{}", free_port());
    let url = format!("http://{address}/mcp");
    let check = ["check", "--scenario", "ping", "--spec-version", "2025-11-25", "--url", &url];
    mcp_test(check.iter().chain(&["--", "sh", "-c", script, MCP_TEST, &address]))
}

#[test]
fn a_failure_ends_with_the_stderr_of_the_program_behind_the_url() {
    let run = check_started_by(
        "echo 'low on memory' >&2; \
         exec \"$0\" reference server --listen \"$1\" --fault error:ping:-32603",
    );
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    let stderr = "The last lines on the server's stderr:\n     | low on memory\n";
    assert!(run.stdout.contains(stderr), "{}", run.stdout);
}

#[test]
fn an_error_ends_with_the_stderr_of_the_program_behind_the_url() {
    let run = check_started_by(
        "echo 'low on memory' >&2; \
         exec \"$0\" reference server --listen \"$1\" --fault html:initialize --fault html:server/discover",
    );
    assert_eq!(run.code, 3, "{}{}", run.stdout, run.stderr);
    assert!(!run.stderr.contains("does not serve"), "{}", run.stderr);
    assert!(run.stderr.contains("its stderr ends with"), "{}", run.stderr);
    assert!(run.stderr.contains("low on memory"), "{}", run.stderr);
}
