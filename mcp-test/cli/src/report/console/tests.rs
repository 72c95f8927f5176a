//! The console output for sample runs.

use anstream::StripStream;
use mcp_test_core::check::{Check, Finding, Origin};
use mcp_test_core::run::Comparison;
use mcp_test_core::scenario::{Need, Official, Scenario};
use mcp_test_core::spec::{Capability, ItemKind};
use mcp_test_core::transport::TransportKind;
use pretty_assertions::assert_eq;

use super::*;
use crate::report::sample;

fn shown(
    options: ConsoleOptions,
    scenario_runs: Vec<ScenarioRun>,
    outcomes: Vec<Outcome>,
) -> String {
    shown_with(options, sample::events(scenario_runs, outcomes))
}

fn shown_with(options: ConsoleOptions, events: Vec<RunEvent>) -> String {
    let mut console = Console::new(StripStream::new(Vec::new()), options);
    for event in events {
        console.event(&sample::masked(event)).expect("writing to memory succeeds");
    }
    String::from_utf8(console.out.into_inner()).expect("UTF-8")
}

fn options() -> ConsoleOptions {
    ConsoleOptions {
        timestamps: true,
        tested_side: TestedSide::Server,
        target: "http://localhost:3000/mcp".to_owned(),
        selection: "active suite".to_owned(),
        profile: Profile::Official,
        single: false,
        brief: false,
        verbose: false,
        coverage: false,
        results: None,
        rerun: sample::rerun(),
    }
}

#[test]
fn a_single_scenario_is_shown_check_by_check() {
    let options = ConsoleOptions { single: true, results: Some("out".into()), ..options() };
    let outcome = sample::failed();
    insta::assert_snapshot!(shown(options, vec![outcome.scenario_run.clone()], vec![outcome]), @r#"
    Running client scenario 'tools-list' against server: http://localhost:3000/mcp
    Results saved to out/server-tools-list-2026-11-21T21-37-43-473Z
    Checks:
    2026-11-21T21:37:43.480Z [server-answers  ] SUCCESS Server answers
    2026-11-21T21:37:43.480Z [tools-list      ] FAILURE Server lists its tools
    2026-11-21T21:37:43.480Z [tools-described ] WARNING Tools have a description
    2026-11-21T21:37:43.480Z [tools-annotated ] FAILURE 
    2026-11-21T21:37:43.480Z [wire-well-formed] FAILURE Every message is well-formed (advisory)
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
        The official suite fails this, but the specification allows it: the specification does not demand it
        Requirement: tools.list.respond (MUST) Having advertised `tools`, the server answers `tools/list` with the tools currently available to that caller.
          https://modelcontextprotocol.io/specification/2025-11-25/server/tools#capabilities
        Exchange:
          1  client → server  tools/list
          2  client ← server  result {"tools":[{"name":7}]}

      - tools-annotated:
        Error: Not testable: no tool has annotations
        Check: tools-annotated

      - wire-well-formed: Every message is well-formed
        Error: the schema cannot be read
        Check: wire-well-formed (advisory: does not count)
        Blame: mcp-test itself, not the peer; please report it

    === Warnings ===

      - tools-described: Tools have a description
        Warning: the tool has no description
        Check: tools-described

      The last lines on the server's stderr:
        | warning: no name
      Rerun: mcp-test server --scenario tools-list --spec-version 2025-11-25 -- node 'my server.js'
      What it checks and why: mcp-test explain tools-list
    Advisory: 1 passed, 1 failed (mcp-test's own checks; they do not count in profile official)
    "#);
}

#[test]
fn verbose_shows_the_checks_of_a_single_scenario_as_json() {
    let options = ConsoleOptions { single: true, verbose: true, ..options() };
    let outcome = sample::passed();
    insta::assert_snapshot!(shown(options, vec![outcome.scenario_run.clone()], vec![outcome]), @r#"
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
fn a_suite_is_shown_in_the_official_format() {
    let (failed, passed) = (sample::failed(), sample::ping());
    let scenario_runs = vec![failed.scenario_run.clone(), passed.scenario_run.clone()];
    insta::assert_snapshot!(shown(options(), scenario_runs, vec![failed, passed]), @r#"
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
        The official suite fails this, but the specification allows it: the specification does not demand it
        Requirement: tools.list.respond (MUST) Having advertised `tools`, the server answers `tools/list` with the tools currently available to that caller.
          https://modelcontextprotocol.io/specification/2025-11-25/server/tools#capabilities
        Exchange:
          1  client → server  tools/list
          2  client ← server  result {"tools":[{"name":7}]}

      - tools-annotated:
        Error: Not testable: no tool has annotations
        Check: tools-annotated

      - wire-well-formed: Every message is well-formed
        Error: the schema cannot be read
        Check: wire-well-formed (advisory: does not count)
        Blame: mcp-test itself, not the peer; please report it

    === Warnings ===

      - tools-described: Tools have a description
        Warning: the tool has no description
        Check: tools-described

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
    Advisory: 1 passed, 1 failed (mcp-test's own checks; they do not count in profile official)
    `--profile adaptive` reports each cause once
    "#);
}

#[test]
fn scenario_runs_of_one_scenario_are_labelled_and_passed_ones_are_shown_only_in_the_summary() {
    let options = ConsoleOptions {
        selection: "adaptive check".to_owned(),
        profile: Profile::Adaptive,
        brief: true,
        ..options()
    };
    let (passed, skipped) = (sample::passed(), sample::skipped());
    let scenario_runs = vec![passed.scenario_run.clone(), skipped.scenario_run.clone()];
    insta::assert_snapshot!(shown(options, scenario_runs, vec![passed, skipped]), @"
    Running adaptive check (1 scenario, 2 runs) against http://localhost:3000/mcp
    Server: sample 1.0.0
    Revisions over stdio: 2025-11-25, 2026-07-28

    no problems; 1 check passed
    - not tested: 1 scenario: 1 for other reasons; `--verbose` lists them
    ");
}

#[test]
fn scenarios_that_are_not_tested_are_counted_by_what_they_need() {
    let options = ConsoleOptions { profile: Profile::Adaptive, brief: true, ..options() };
    let needs = [
        Some(Need::Tool("add")),
        Some(Need::Capability(Capability::Logging)),
        Some(Need::CallableTool),
        Some(Need::Any(ItemKind::Prompt)),
        None,
    ];
    let outcomes: Vec<_> = (1..)
        .zip(needs)
        .map(|(number, unmet)| {
            let mut outcome = sample::skipped();
            let id = format!("s{number}").into();
            outcome.scenario_run.scenario =
                Scenario { id, ..(*outcome.scenario_run.scenario).clone() }.into();
            outcome.unmet = unmet;
            outcome
        })
        .collect();
    let scenario_runs = outcomes.iter().map(|outcome| outcome.scenario_run.clone()).collect();
    let text = shown(options, scenario_runs, outcomes);
    let (_, not_tested) = text.rsplit_once("- not tested").expect("what was not tested");
    insta::assert_snapshot!(not_tested, @"
    : 5 scenarios: 1 of the official suite need a tool, resource or prompt that this server
      does not have, 1 need a capability that is not declared, 1 need a tool that may be called, 2 for
      other reasons
    ");
}

#[test]
fn a_scenario_that_is_skipped_everywhere_for_the_same_reason_is_one_line() {
    let options = ConsoleOptions { profile: Profile::Adaptive, brief: true, ..options() };
    let (mut first, second) = (sample::skipped(), sample::skipped());
    first.scenario_run.revision = Revision::V2025_11_25;
    let text = shown(
        options,
        vec![first.scenario_run.clone(), second.scenario_run.clone()],
        vec![first, second],
    );
    let summary = text.split_once("SUMMARY ===\n").map(|(_, summary)| summary.to_owned());
    insta::assert_snapshot!(summary.unwrap_or(text), @"
    Running active suite (1 scenario, 2 runs) against http://localhost:3000/mcp
    Server: sample 1.0.0
    Revisions over stdio: 2025-11-25, 2026-07-28

    Not tested:
      - tools-list: the server does not declare the capability `tools`

    nothing was tested; 0 checks passed, 1 skipped
    - not tested: 1 scenario: 1 for other reasons
    ");
}

#[test]
fn a_brief_report_shows_a_scenario_run_with_the_same_problems_in_one_line() {
    let options = ConsoleOptions { profile: Profile::Adaptive, brief: true, ..options() };
    let (first, mut second) = (sample::failed(), sample::failed());
    second.scenario_run.revision = Revision::NEWEST;
    let text = shown(
        options,
        vec![first.scenario_run.clone(), second.scenario_run.clone()],
        vec![first, second],
    );
    let end = text.split_once("What it checks").map(|(_, end)| end.to_owned());
    insta::assert_snapshot!(end.unwrap_or(text), @"
     and why: mcp-test explain tools-list

    ✗ 2. Not testable: no tool has annotations
       Shows in: tools-list since 2025-11-25 over stdio; 2 scenario runs; check `tools-annotated`
       Rerun: mcp-test server --scenario tools-list --spec-version 2025-11-25 -- node 'my server.js'
       What it checks and why: mcp-test explain tools-list

    ! 3. the tool has no description
       Shows in: tools-list since 2025-11-25 over stdio; 2 scenario runs; check `tools-described`
       Rerun: mcp-test server --scenario tools-list --spec-version 2025-11-25 -- node 'my server.js'
       What it checks and why: mcp-test explain tools-list

    i 4. the schema cannot be read
       Shows in: tools-list since 2025-11-25 over stdio; 2 scenario runs; check `wire-well-formed`
       Blame: mcp-test itself, not the peer; please report it
       Rerun: mcp-test server --scenario tools-list --spec-version 2025-11-25 -- node 'my server.js'
       What it checks and why: mcp-test explain tools-list

    2 problems, 1 warning, 1 remark; 1 check passed, 2 failed, 1 with a warning
    ✗ 1. the tool list is malformed (tools-list since 2025-11-25 over stdio; tools.list.respond)
    ✗ 2. Not testable: no tool has annotations (tools-list since 2025-11-25 over stdio)
    ! 3. the tool has no description (tools-list since 2025-11-25 over stdio)
    i 4. the schema cannot be read (tools-list since 2025-11-25 over stdio)
    ");
}

#[test]
fn one_warning_is_singular_and_is_not_drawn_as_a_failure() {
    let options = ConsoleOptions { profile: Profile::Adaptive, brief: true, ..options() };
    let warned = || {
        let mut outcome = sample::passed();
        outcome.profile = Profile::Adaptive;
        let slow = Finding::peer("the reply took 6 s").should();
        outcome.checks.push(Check::from_finding("slow", Origin::Own, slow));
        outcome
    };
    let (first, mut second) = (warned(), warned());
    second.scenario_run.revision = Revision::NEWEST;
    let text = shown(
        options,
        vec![first.scenario_run.clone(), second.scenario_run.clone()],
        vec![first, second],
    );
    let end = text.split_once("What it checks").map(|(_, end)| end.to_owned());
    insta::assert_snapshot!(end.unwrap_or(text), @"
     and why: mcp-test explain tools-list

    no problems, 1 warning; 1 check passed, 1 with a warning
    ! 1. the reply took 6 s (tools-list since 2025-11-25 over stdio)
    ");
    assert_eq!(warnings(1, Profile::Strict), ", 1 warning");
    // As the official suite says it.
    assert_eq!(warnings(1, Profile::Official), ", 1 warnings");
}

#[test]
fn problems_of_two_scenario_runs_are_shown_once_if_they_are_the_same() {
    let (first, mut second) = (sample::failed(), sample::failed());
    second.scenario_run.revision = Revision::NEWEST;
    let text = shown(
        options(),
        vec![first.scenario_run.clone(), second.scenario_run.clone()],
        vec![first, second],
    );
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
    Advisory: 2 passed, 2 failed (mcp-test's own checks; they do not count in profile official)
    `--profile adaptive` reports each cause once
    ");
}

#[test]
fn a_baseline_is_compared_in_the_official_words() {
    let outcome = sample::failed();
    let events = |comparison: Comparison| {
        let mut events = sample::events(vec![outcome.scenario_run.clone()], vec![outcome.clone()]);
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
    insta::assert_snapshot!(tail(shown_with(options(), events(mixed))), @r"
     1 passed, 2 failed
    Advisory: 1 passed, 1 failed (mcp-test's own checks; they do not count in profile official)
    `--profile adaptive` reports each cause once

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
    insta::assert_snapshot!(tail(shown_with(options(), events(clean))), @r"
     1 passed, 2 failed
    Advisory: 1 passed, 1 failed (mcp-test's own checks; they do not count in profile official)
    `--profile adaptive` reports each cause once

    Expected failures (in baseline):
      ~ tools-list

    Baseline check passed: all failures are expected.
    ");
}

#[test]
fn inapplicable_scenarios_are_shown_before_the_run() {
    let mut console = Console::new(StripStream::new(Vec::new()), options());
    let scenario = sample::ping().scenario_run.scenario;
    let at = |transport| Inapplicable {
        scenario: scenario.clone(),
        revision: Revision::NEWEST,
        transport,
    };
    let all = [at(None), at(Some(TransportKind::Stdio)), at(Some(TransportKind::Stdio))];
    console.inapplicable(&all).expect("writing to memory succeeds");
    console
        .event(&sample::masked(RunEvent::Planned(Vec::new())))
        .expect("writing to memory succeeds");
    let text = String::from_utf8(console.out.into_inner()).expect("UTF-8");
    insta::assert_snapshot!(text, @"
    SKIPPED: scenario 'ping' is not applicable at spec version 2026-07-28 (introduced in 2025-06-18, removed in 2026-07-28). Use --force to run it anyway.
    Not applicable over stdio (HTTP only): ping, ping
    Running active suite (0 scenarios) against http://localhost:3000/mcp
    ");
}

#[test]
fn an_extension_is_on_no_timeline() {
    let mut console = Console::new(StripStream::new(Vec::new()), options());
    let scenario = Scenario {
        official: Some(Official::extension()),
        ..(*sample::ping().scenario_run.scenario).clone()
    };
    let (scenario, revision) = (scenario.into(), Revision::NEWEST);
    let all = [Inapplicable { scenario, revision, transport: None }];
    console.inapplicable(&all).expect("writing to memory succeeds");
    let text = String::from_utf8(console.out.into_inner()).expect("UTF-8");
    insta::assert_snapshot!(text, @"SKIPPED: scenario 'ping' is not applicable at spec version 2026-07-28 (extension scenario, not on the spec timeline). Use --force to run it anyway.");
}

#[test]
fn inapplicable_scenarios_are_shown_for_an_empty_run() {
    let mut console = Console::new(StripStream::new(Vec::new()), options());
    let (scenario, transport) = (sample::ping().scenario_run.scenario, Some(TransportKind::Stdio));
    let all = [Inapplicable { scenario, revision: Revision::NEWEST, transport }];
    console.inapplicable(&all).expect("writing to memory succeeds");
    console.report_not_applicable().expect("writing to memory succeeds");
    console.report_not_applicable().expect("writing to memory succeeds");
    let text = String::from_utf8(console.out.into_inner()).expect("UTF-8");
    assert_eq!(text, "Not applicable over stdio (HTTP only): ping\n");
}

#[test]
fn nothing_is_shown_for_a_target_that_could_not_be_tested() {
    let mut events = sample::events(Vec::new(), Vec::new());
    if let Some(RunEvent::Ended(summary)) = events.last_mut() {
        summary.not_run = Some(Finding::environment("nothing listens"));
    }
    events.retain(|event| matches!(event, RunEvent::Ended(_)));
    assert_eq!(shown_with(options(), events), "");
}

#[test]
fn one_line_says_what_a_client_speaks() {
    let line = |spoken, asked| {
        let mut outcome = sample::passed();
        outcome.spoken = Some(spoken);
        outcome.scenario_run.revision = asked;
        let options = ConsoleOptions { tested_side: TestedSide::Client, ..options() };
        let text = shown(options, vec![outcome.scenario_run.clone()], vec![outcome]);
        let line = text.lines().find(|line| line.starts_with("The client"));
        line.unwrap_or_default().to_owned()
    };
    insta::assert_snapshot!(line(Revision::V2025_06_18, Revision::V2025_11_25), @"The client speaks 2025-06-18; it did not speak 2025-11-25");
    insta::assert_snapshot!(line(Revision::V2025_11_25, Revision::V2025_11_25), @"The client speaks 2025-11-25; newer revisions were not tried");
    insta::assert_snapshot!(line(Revision::NEWEST, Revision::NEWEST), @"The client speaks 2026-07-28");
}
