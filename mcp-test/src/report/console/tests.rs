//! What the console shows of hand-made runs.

use anstream::StripStream;
use pretty_assertions::assert_eq;

use super::super::sample;
use super::*;
use crate::run::Comparison;
use crate::transport::CarrierKind;

fn shown(view: View, cells: Vec<Cell>, outcomes: Vec<Outcome>) -> String {
    shown_with(view, sample::events(cells, outcomes))
}

fn shown_with(view: View, events: Vec<RunEvent>) -> String {
    let mut console = Console::new(StripStream::new(Vec::new()), view);
    for event in events {
        console.event(&event).expect("memory does not refuse");
    }
    String::from_utf8(console.out.into_inner()).expect("UTF-8")
}

fn view() -> View {
    View {
        leg: Leg::Server,
        target: "http://localhost:3000/mcp".to_owned(),
        what: "active suite".to_owned(),
        profile: Profile::Official,
        single: false,
        brief: false,
        verbose: false,
        results: None,
        rerun: sample::rerun(),
    }
}

#[test]
fn a_single_scenario_is_shown_check_by_check() {
    let view = View { single: true, results: Some("out".into()), ..view() };
    let outcome = sample::failed();
    insta::assert_snapshot!(shown(view, vec![outcome.cell], vec![outcome]), @r#"
    Running client scenario 'tools-list' against server: http://localhost:3000/mcp
    Results saved to out/server-tools-list-2026-11-21T21-37-43-473Z
    Checks:
    2026-11-21T21:37:43.480Z [server-answers  ] SUCCESS Server answers
    2026-11-21T21:37:43.480Z [tools-list      ] FAILURE Server lists its tools
    2026-11-21T21:37:43.480Z [tools-described ] WARNING Tools say what they do
    2026-11-21T21:37:43.480Z [tools-annotated ] FAILURE 
    2026-11-21T21:37:43.480Z [wire-well-formed] FAILURE Every message is well formed (advisory)
    2026-11-21T21:37:43.480Z [own-fine        ] SUCCESS  (advisory)

    Test Results:
    Passed: 1/3, 2 failed, 1 warnings

    === Failed Checks ===

      - ToolsList: Server lists its tools
        Error: the tool list is malformed
          expected `/tools/0/name` is a non-empty string
          got 7, which is a number
          hint: give every tool a name
        Check: tools-list
        Known false: the specification does not demand it
        Requirement: tools.list.respond (MUST) Having advertised `tools`, the server answers `tools/list` with the tools currently available to that caller.
          https://modelcontextprotocol.io/specification/2025-11-25/server/tools#capabilities
        Exchange:
          1  client → server  tools/list
          2  client ← server  result {"tools":[{"name":7}]}

      - tools-annotated:
        Error: Not testable: there is no tool with annotations
        Check: tools-annotated

      - wire-well-formed: Every message is well formed
        Error: the schema cannot be read
        Check: wire-well-formed (advisory: does not count)
        Blame: mcp-test itself, not the peer; please report it
        Exchange: the same as above

    === Warnings ===

      - tools-described: Tools say what they do
        Warning: the tool has no description
        Check: tools-described
        Exchange: the same as above

      The last lines on the server's stderr:
        | warning: no name
      Rerun: mcp-test server --scenario tools-list --spec-version 2025-11-25 -- node 'my server.js'
      What it checks and why: mcp-test explain tools-list
    Advisory: 1 passed, 1 failed (checks of our own; they do not count in profile official)
    "#);
}

#[test]
fn verbose_shows_the_checks_of_a_single_scenario_as_json() {
    let view = View { single: true, verbose: true, ..view() };
    let outcome = sample::passed();
    insta::assert_snapshot!(shown(view, vec![outcome.cell], vec![outcome]), @r#"
    Running client scenario 'tools-list' against server: http://localhost:3000/mcp
    [
      {
        "id": "tools-list",
        "name": "ToolsList",
        "description": "Server lists its tools",
        "status": "SUCCESS",
        "timestamp": "2026-11-21T21:37:43.480Z",
        "specReferences": [
          {
            "id": "MCP-Tools-List",
            "url": "https://example.org/tools"
          }
        ]
      }
    ]

    Test Results:
    Passed: 1/1, 0 failed, 0 warnings
    "#);
}

#[test]
fn a_suite_is_shown_as_officially() {
    let (failed, passed) = (sample::failed(), sample::ping());
    let cells = vec![failed.cell, passed.cell];
    insta::assert_snapshot!(shown(view(), cells, vec![failed, passed]), @r#"
    Running active suite (2 scenarios) against http://localhost:3000/mcp


    === Running scenario: tools-list ===
    Running client scenario 'tools-list' against server: http://localhost:3000/mcp

    === Failed Checks ===

      - ToolsList: Server lists its tools
        Error: the tool list is malformed
          expected `/tools/0/name` is a non-empty string
          got 7, which is a number
          hint: give every tool a name
        Check: tools-list
        Known false: the specification does not demand it
        Requirement: tools.list.respond (MUST) Having advertised `tools`, the server answers `tools/list` with the tools currently available to that caller.
          https://modelcontextprotocol.io/specification/2025-11-25/server/tools#capabilities
        Exchange:
          1  client → server  tools/list
          2  client ← server  result {"tools":[{"name":7}]}

      - tools-annotated:
        Error: Not testable: there is no tool with annotations
        Check: tools-annotated

      - wire-well-formed: Every message is well formed
        Error: the schema cannot be read
        Check: wire-well-formed (advisory: does not count)
        Blame: mcp-test itself, not the peer; please report it
        Exchange: the same as above

    === Warnings ===

      - tools-described: Tools say what they do
        Warning: the tool has no description
        Check: tools-described
        Exchange: the same as above

      The last lines on the server's stderr:
        | warning: no name
      Rerun: mcp-test server --scenario tools-list --spec-version 2025-11-25 -- node 'my server.js'
      What it checks and why: mcp-test explain tools-list

    === Running scenario: ping ===
    Running client scenario 'ping' against server: http://localhost:3000/mcp

    === SUMMARY ===
    ✗ tools-list: 1 passed, 2 failed
    ✓ ping: 1 passed, 0 failed

    Total: 2 passed, 2 failed
    Advisory: 1 passed, 1 failed (checks of our own; they do not count in profile official)
    "#);
}

#[test]
fn several_cells_of_a_scenario_are_told_apart_and_those_that_went_well_are_not_announced() {
    let view = View {
        what: "adaptive check".to_owned(),
        profile: Profile::Adaptive,
        brief: true,
        ..view()
    };
    let (passed, skipped) = (sample::passed(), sample::skipped());
    let cells = vec![passed.cell, skipped.cell];
    insta::assert_snapshot!(shown(view, cells, vec![passed, skipped]), @r"
    Running adaptive check (1 scenario, 2 runs) against http://localhost:3000/mcp
    The server is sample 1.0.0
    It speaks 2025-11-25, 2026-07-28 over stdio


    === SUMMARY ===
    ✓ tools-list [2025-11-25 stdio]: 1 passed, 0 failed
    - tools-list [2026-07-28 stdio]: skipped (the server does not declare the capability `tools`)

    Total: 1 passed, 0 failed, 1 skipped
    ");
}

#[test]
fn a_scenario_that_is_skipped_everywhere_for_the_same_reason_is_one_line() {
    let view = View { profile: Profile::Adaptive, brief: true, ..view() };
    let (mut first, second) = (sample::skipped(), sample::skipped());
    first.cell.revision = Revision::V2025_11_25;
    let text = shown(view, vec![first.cell, second.cell], vec![first, second]);
    let summary = text.split_once("SUMMARY ===\n").map(|(_, summary)| summary.to_owned());
    insta::assert_snapshot!(summary.unwrap_or(text), @"
    - tools-list [2025-11-25..2026-07-28 stdio]: skipped (the server does not declare the capability `tools`)

    Total: 0 passed, 0 failed, 2 skipped
    ");
}

#[test]
fn briefly_told_a_cell_like_another_is_one_line_and_both_are_one_in_the_summary() {
    let view = View { profile: Profile::Adaptive, brief: true, ..view() };
    let (first, mut second) = (sample::failed(), sample::failed());
    second.cell.revision = Revision::NEWEST;
    let text = shown(view, vec![first.cell, second.cell], vec![first, second]);
    let end = text.split_once("What it checks").map(|(_, end)| end.to_owned());
    insta::assert_snapshot!(end.unwrap_or(text), @"
     and why: mcp-test explain tools-list
    ✗ tools-list [2026-07-28 stdio]: tools-list, tools-described, tools-annotated, wire-well-formed, the same as in tools-list [2025-11-25 stdio]

    === SUMMARY ===
    ✗ tools-list [2025-11-25..2026-07-28 stdio]: 2 runs, 2 passed, 4 failed, 2 warnings

    Total: 2 passed, 4 failed, 2 warnings
    Advisory: 2 passed, 2 failed (checks of our own; they do not count in profile adaptive)
    ");
}

#[test]
fn what_is_wrong_with_two_cells_alike_is_told_once() {
    let (first, mut second) = (sample::failed(), sample::failed());
    second.cell.revision = Revision::NEWEST;
    let text = shown(view(), vec![first.cell, second.cell], vec![first, second]);
    let second = text.split("=== Running scenario: ").nth(2).unwrap_or_default();
    insta::assert_snapshot!(second, @r"
    tools-list [2026-07-28 stdio] ===
    Running client scenario 'tools-list' against server: http://localhost:3000/mcp
    The same as in tools-list [2025-11-25 stdio]: tools-list, tools-described, tools-annotated, wire-well-formed
      Rerun: mcp-test server --scenario tools-list --spec-version 2026-07-28 -- node 'my server.js'

    === SUMMARY ===
    ✗ tools-list [2025-11-25 stdio]: 1 passed, 2 failed
    ✗ tools-list [2026-07-28 stdio]: 1 passed, 2 failed

    Total: 2 passed, 4 failed
    Advisory: 2 passed, 2 failed (checks of our own; they do not count in profile official)
    ");
}

#[test]
fn a_baseline_is_compared_in_the_official_words() {
    let outcome = sample::failed();
    let events = |comparison: Comparison| {
        let mut events = sample::events(vec![outcome.cell], vec![outcome.clone()]);
        if let Some(RunEvent::Ended(summary)) = events.last_mut() {
            summary.baseline = Some(comparison);
        }
        events
    };
    let mixed = Comparison {
        expected: vec!["tools-call-image".to_owned()],
        stale: vec!["ping".to_owned()],
        unexpected: vec!["tools-list:tools-list".to_owned()],
    };
    let tail =
        |text: String| text.split_once("Total:").map(|(_, tail)| tail.to_owned()).unwrap_or(text);
    insta::assert_snapshot!(tail(shown_with(view(), events(mixed))), @r"
     1 passed, 2 failed
    Advisory: 1 passed, 1 failed (checks of our own; they do not count in profile official)

    Expected failures (in baseline):
      ~ tools-call-image

    Stale baseline entries (now passing - remove from baseline):
      ✓ ping

    Unexpected failures (not in baseline):
      ✗ tools-list:tools-list

    Baseline is stale: update your expected-failures file to remove passing entries.
    Unexpected failures detected: these are not in your expected-failures baseline.
    ");
    let clean = Comparison { expected: vec!["tools-list".to_owned()], ..Comparison::default() };
    insta::assert_snapshot!(tail(shown_with(view(), events(clean))), @r"
     1 passed, 2 failed
    Advisory: 1 passed, 1 failed (checks of our own; they do not count in profile official)

    Expected failures (in baseline):
      ~ tools-list

    Baseline check passed: all failures are expected.
    ");
}

#[test]
fn what_is_not_played_is_told_before_the_run() {
    let mut console = Console::new(StripStream::new(Vec::new()), view());
    let scenario = sample::ping().cell.scenario;
    let at = |carrier| Inapplicable { scenario, revision: Revision::NEWEST, carrier };
    let all = [at(None), at(Some(CarrierKind::Stdio)), at(Some(CarrierKind::Stdio))];
    console.inapplicable(&all).expect("memory does not refuse");
    console.event(&RunEvent::Planned(Vec::new())).expect("memory does not refuse");
    let text = String::from_utf8(console.out.into_inner()).expect("UTF-8");
    insta::assert_snapshot!(text, @"
    SKIPPED: scenario 'ping' is not applicable at spec version 2026-07-28 (introduced in 2025-06-18, removed in 2026-07-28). Use --force to run it anyway.
    Not applicable over stdio, since they are about HTTP: ping, ping
    Running active suite (0 scenarios) against http://localhost:3000/mcp
    ");
}

#[test]
fn what_is_not_played_is_told_of_a_run_without_anything_else() {
    let mut console = Console::new(StripStream::new(Vec::new()), view());
    let (scenario, carrier) = (sample::ping().cell.scenario, Some(CarrierKind::Stdio));
    let all = [Inapplicable { scenario, revision: Revision::NEWEST, carrier }];
    console.inapplicable(&all).expect("memory does not refuse");
    console.left_out().expect("memory does not refuse");
    console.left_out().expect("memory does not refuse");
    let text = String::from_utf8(console.out.into_inner()).expect("UTF-8");
    assert_eq!(text, "Not applicable over stdio, since they are about HTTP: ping\n");
}

#[test]
fn a_target_that_is_not_there_is_left_to_the_error_message() {
    let mut events = sample::events(Vec::new(), Vec::new());
    if let Some(RunEvent::Ended(summary)) = events.last_mut() {
        summary.not_run = Some(crate::check::Finding::environment("nothing listens"));
    }
    events.retain(|event| matches!(event, RunEvent::Ended(_)));
    assert_eq!(shown_with(view(), events), "");
}
