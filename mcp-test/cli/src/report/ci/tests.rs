//! Tests of the reports for CI.

use std::fs;

use mcp_test_core::check::{Finding, Status};
use mcp_test_core::json::Value;
use mcp_test_core::run::{Comparison, Outcome, RunEvent, Verdict};

use super::*;
use crate::report::{Reporter, RunInfo, sample};

/// What a hostile peer puts into names and errors.
const HOSTILE: &str = "]]> \u{1b}[31mred\u{0}\r\n::error::pwned\n##[error]x <script>alert(1)</script> ```\n# h 100%, \u{202e}a:b\u{ffff}\tc";

fn info() -> RunInfo {
    RunInfo { target: "node 'my <server>.js'".to_owned(), ..sample::info() }
}

/// The events of a run, with a change to the summary.
fn events(
    outcomes: Vec<Outcome>,
    change: impl FnOnce(&mut mcp_test_core::run::Summary),
) -> Vec<RunEvent> {
    let scenario_runs = outcomes.iter().map(|outcome| outcome.scenario_run.clone()).collect();
    let mut events = sample::events(scenario_runs, outcomes);
    if let Some(RunEvent::Ended(summary)) = events.last_mut() {
        change(summary);
    }
    events
}

/// The file in this format.
fn file(format: FileFormat, events: &[RunEvent]) -> String {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("report");
    let mut reports = FileReports::new(info(), sample::rerun());
    reports.add(format, &path);
    for event in events {
        reports.event(&sample::masked(event.clone())).expect("the file can be written");
    }
    fs::read_to_string(path).expect("the file was written")
}

fn junit(events: &[RunEvent]) -> String {
    file(FileFormat::Junit, events)
}

/// The commands, and the step summary.
fn github(events: &[RunEvent]) -> (String, String) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("summary.md");
    fs::write(&path, "of another command\n").expect("it can be written");
    let mut out = Vec::new();
    let mut github = GitHub::new(&mut out, Some(&path), info(), sample::rerun());
    for event in events {
        github.event(&sample::masked(event.clone())).expect("the file can be written");
    }
    let summary = fs::read_to_string(path).expect("the file was written");
    (String::from_utf8(out).expect("a text"), summary)
}

/// A run with every conclusion.
fn mixed() -> Vec<RunEvent> {
    let mut not_run = sample::ping();
    not_run.checks[0] = mcp_test_core::check::Check::from_finding(
        "ping",
        not_run.checks[0].origin,
        Finding::environment("no such program"),
    );
    not_run.verdict = Verdict::NotRun;
    events(vec![sample::passed(), sample::failed(), sample::skipped(), not_run], |_| {})
}

fn hostile() -> Outcome {
    let mut outcome = sample::failed();
    let check = &mut outcome.checks[1];
    let finding = Finding::peer(format!("the tool is {HOSTILE}")).got(HOSTILE);
    check.message = Some(finding.to_string());
    check.finding = Some(finding);
    outcome.stderr_tail = vec![HOSTILE.to_owned()];
    outcome
}

#[test]
fn junit_has_every_conclusion() {
    insta::assert_snapshot!(junit(&mixed()), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="mcp-test server" tests="4" skipped="1" failures="1" errors="1">
        <testsuite name="server at 2025-11-25 over stdio" tests="3" skipped="0" errors="1" failures="1" time="0.036">
            <properties>
                <property name="target" value="node &apos;my &lt;server&gt;.js&apos;"/>
                <property name="server" value="sample 1.0.0"/>
                <property name="profile" value="official"/>
            </properties>
            <testcase name="tools-list" classname="server.2025-11-25.stdio" time="0.012" timestamp="2026-11-21T21:37:43.473Z"/>
            <testcase name="tools-list" classname="server.2025-11-25.stdio" time="0.012" timestamp="2026-11-21T21:37:43.473Z">
                <failure message="tools-list: the tool list is malformed (and 1 more)" type="FAILURE">  - ToolsList: Server lists its tools
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
          2  client ← server  result {&quot;tools&quot;:[{&quot;name&quot;:7}]}

      - tools-annotated:
        Error: Not testable: no tool has annotations
        Check: tools-annotated

      The last lines on the server&apos;s stderr:
        | warning: no name
      Rerun: mcp-test server --scenario tools-list --spec-version 2025-11-25 -- node &apos;my server.js&apos;
    </failure>
                <system-out>  - tools-described: Tools have a description
        Warning: the tool has no description
        Check: tools-described

      - wire-well-formed: Every message is well-formed
        Error: the schema cannot be read
        Check: wire-well-formed (advisory: does not count)
        Blame: mcp-test itself, not the peer; please report it
    </system-out>
            </testcase>
            <testcase name="ping" classname="server.2025-11-25.stdio" time="0.012" timestamp="2026-11-21T21:37:43.473Z">
                <error message="ping: no such program" type="FAILURE">  - ping:
        Error: no such program
        Check: ping
        Blame: the environment, not the peer

      Rerun: mcp-test server --scenario ping --spec-version 2025-11-25 -- node &apos;my server.js&apos;
    </error>
            </testcase>
        </testsuite>
        <testsuite name="server at 2026-07-28 over stdio" tests="1" skipped="1" errors="0" failures="0" time="0.012">
            <properties>
                <property name="target" value="node &apos;my &lt;server&gt;.js&apos;"/>
                <property name="server" value="sample 1.0.0"/>
                <property name="profile" value="official"/>
            </properties>
            <testcase name="tools-list" classname="server.2026-07-28.stdio" time="0.012" timestamp="2026-11-21T21:37:43.473Z">
                <skipped message="the server does not declare the capability `tools`"/>
            </testcase>
        </testsuite>
    </testsuites>
    "#);
}

#[test]
fn github_has_every_conclusion() {
    let (commands, summary) = github(&mixed());
    insta::assert_snapshot!(commands, @"
    ::error title=mcp-test%3A tools-list::the tool list is malformed%0A  expected `/tools/0/name` is a non-empty string%0A  got 7, which is a number%0A  hint: give every tool a name%0ARequirement: tools.list.respond (MUST) Having advertised `tools`, the server answers `tools/list` with the tools currently available to that caller.%0A  https://modelcontextprotocol.io/specification/2025-11-25/server/tools#capabilities%0AFound by tools-list at 2025-11-25 over stdio
    ::error title=mcp-test%3A tools-annotated::Not testable: no tool has annotations%0AFound by tools-list at 2025-11-25 over stdio
    ::error title=mcp-test%3A ping::no such program%0AFound by ping at 2025-11-25 over stdio
    ::warning title=mcp-test%3A tools-described::the tool has no description%0AFound by tools-list at 2025-11-25 over stdio
    ");
    insta::assert_snapshot!(summary, @r#"
    of another command

    ## mcp-test server: ❌ failed

    `node 'my <server>.js'` (`sample 1.0.0`), profile official: 4 scenario runs, 1 passed, 1 failed, 1 skipped, 1 could not be run

    2 problems, 1 cause that kept something from being tested, 1 warning, 1 remark; 1 check passed, 3 failed, 1 with a warning

    | | problem | where | requirement |
    |---|---|---|---|
    | ❌ | <code>the tool list is malformed</code> | <code>tools-list at 2025-11-25 over stdio</code> | [tools.list.respond](https://modelcontextprotocol.io/specification/2025-11-25/server/tools#capabilities) |
    | ❌ | <code>Not testable&#58; no tool has annotations</code> | <code>tools-list at 2025-11-25 over stdio</code> |  |
    | ❌ | <code>no such program</code> | <code>ping at 2025-11-25 over stdio</code> |  |
    | ⚠️ | <code>the tool has no description</code> | <code>tools-list at 2025-11-25 over stdio</code> |  |

    <details>
    <summary>❌ <code>tools-list</code>: <code>the tool list is malformed</code></summary>

    ```text
    the tool list is malformed
       expected `/tools/0/name` is a non-empty string
       got 7, which is a number
       hint: give every tool a name
       Shows in: tools-list at 2025-11-25 over stdio; 1 scenario run; check `tools-list`
       Note: the official suite fails this, but the specification allows it: the specification does not
         demand it
       Requirement: tools.list.respond (MUST) Having advertised `tools`, the server answers `tools/list`
         with the tools currently available to that caller.
           https://modelcontextprotocol.io/specification/2025-11-25/server/tools#capabilities
       Exchange (`tools-list at 2025-11-25 over stdio`):
         1  client → server  tools/list
         2  client ← server  result {"tools":[{"name":7}]}
       The last lines on the server's stderr:
         | warning: no name
       Rerun: mcp-test server --scenario tools-list --spec-version 2025-11-25 -- node 'my server.js'
       What it checks and why: mcp-test explain tools-list
    ```

    </details>

    <details>
    <summary>❌ <code>tools-annotated</code>: <code>Not testable&#58; no tool has annotations</code></summary>

    ```text
    Not testable: no tool has annotations
       Shows in: tools-list at 2025-11-25 over stdio; 1 scenario run; check `tools-annotated`
       Rerun: mcp-test server --scenario tools-list --spec-version 2025-11-25 -- node 'my server.js'
       What it checks and why: mcp-test explain tools-list
    ```

    </details>

    <details>
    <summary>❌ <code>ping</code>: <code>no such program</code></summary>

    ```text
    no such program
       Shows in: ping at 2025-11-25 over stdio; 1 scenario run; check `ping`
       Blame: the environment, not the peer
       Rerun: mcp-test server --scenario ping --spec-version 2025-11-25 -- node 'my server.js'
       What it checks and why: mcp-test explain ping
    ```

    </details>

    <details>
    <summary>⚠️ <code>tools-described</code>: <code>the tool has no description</code></summary>

    ```text
    the tool has no description
       Shows in: tools-list at 2025-11-25 over stdio; 1 scenario run; check `tools-described`
       Rerun: mcp-test server --scenario tools-list --spec-version 2025-11-25 -- node 'my server.js'
       What it checks and why: mcp-test explain tools-list
    ```

    </details>

    <details>
    <summary>Not tested: 1 scenario run</summary>

    - `` tools-list at 2026-07-28: the server does not declare the capability `tools` ``

    </details>
    "#);
}

/// JSON, with the version of mcp-test replaced.
fn json(format: FileFormat, events: &[RunEvent]) -> Value {
    let mut document = Value::parse(file(format, events).as_bytes()).expect("JSON").value;
    for version in ["/results/tool/version", "/runs/0/tool/driver/semanticVersion"] {
        document.set(version, "[version]".into());
    }
    document
}

#[test]
fn ctrf_has_every_conclusion() {
    insta::assert_snapshot!(json(FileFormat::Ctrf, &mixed()).pretty());
}

#[test]
fn tap_has_every_conclusion() {
    insta::assert_snapshot!(file(FileFormat::Tap, &mixed()));
}

#[test]
fn sarif_has_each_problem_once_with_its_rule() {
    let document = json(FileFormat::Sarif, &mixed());
    insta::assert_snapshot!(document.pretty());
    // The same problems again are the same results, whatever is said about them.
    let mut again = sample::failed();
    again.scenario_run.revision = mcp_test_core::spec::Revision::NEWEST;
    if let Some(finding) = &mut again.checks[1].finding {
        finding.headline = "the tool list of session 4711 is malformed".to_owned();
    }
    let fingerprints = |document: &Value| -> Vec<String> {
        let results = document.at("/runs/0/results").and_then(Value::as_array).expect("results");
        let one = |result: &Value| result.get("partialFingerprints").expect("some").to_string();
        results.iter().map(one).collect()
    };
    let of_failed =
        |outcome| fingerprints(&json(FileFormat::Sarif, &events(vec![outcome], |_| {})));
    let first = of_failed(sample::failed());
    assert_eq!(first, of_failed(again));
    let different: std::collections::BTreeSet<_> = first.iter().collect();
    assert_eq!(different.len(), first.len());
}

#[test]
fn markdown_is_short_enough_for_a_comment() {
    let comment = |checks: usize, repeats: usize| {
        let mut outcome = sample::failed();
        let check = outcome.checks[3].clone();
        outcome.checks = (0..checks)
            .map(|number| {
                let text = format!("`|` {number} ü<b>@all").repeat(repeats);
                let mut check = check.clone();
                check.id = format!("c{number}");
                check.message = Some(text);
                check
            })
            .collect();
        file(FileFormat::Markdown, &events(vec![outcome], |_| {}))
    };
    let few = comment(3, 1);
    assert_eq!((few.matches("| ❌ |").count(), few.matches("</details>").count()), (3, 3), "{few}");
    assert!(!few.contains("the log has all of them"), "{few}");
    for (checks, repeats) in [(900, 1), (900, 100), (2, 100_000), (30, 1000)] {
        let text = comment(checks, repeats);
        assert!(text.len() < 60_000, "{}", text.len());
        assert!(text.contains("</details>") && text.contains("❌ failed"), "{text}");
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count(), "{text}");
        assert_eq!(text.contains("the log has all of them"), checks > 10, "{text}");
    }
}

#[test]
fn text_of_a_peer_is_inert_in_each_file() {
    for format in FileFormat::ALL {
        let text = file(format, &events(vec![hostile()], |_| {}));
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{format}: {text:?}");
        assert!(!text.contains(['\u{202e}', '\u{ffff}']), "{format}: {text:?}");
    }
    insta::assert_snapshot!(file(FileFormat::Markdown, &events(vec![hostile()], |_| {})));
    insta::assert_snapshot!(file(FileFormat::Tap, &events(vec![hostile()], |_| {})));
}

#[test]
fn text_of_a_peer_is_inert_in_junit() {
    let text = junit(&events(vec![hostile()], |_| {}));
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    assert!(!text.contains(['\u{202e}', '\u{ffff}']), "{text:?}");
    insta::assert_snapshot!(text, @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="mcp-test server" tests="1" skipped="0" failures="1" errors="0">
        <testsuite name="server at 2025-11-25 over stdio" tests="1" skipped="0" errors="0" failures="1" time="0.012">
            <properties>
                <property name="target" value="node &apos;my &lt;server&gt;.js&apos;"/>
                <property name="server" value="sample 1.0.0"/>
                <property name="profile" value="official"/>
            </properties>
            <testcase name="tools-list" classname="server.2025-11-25.stdio" time="0.012" timestamp="2026-11-21T21:37:43.473Z">
                <failure message="tools-list: the tool is ]]&gt; ·[31mred·· (and 1 more)" type="FAILURE">  - ToolsList: Server lists its tools
        Error: the tool is ]]&gt; ·[31mred··
          ::error::pwned
          ##[error]x &lt;script&gt;alert(1)&lt;/script&gt; ```
          # h 100%, ·a:b·    c
          got ]]&gt; ·[31mred··
            ::error::pwned
            ##[error]x &lt;script&gt;alert(1)&lt;/script&gt; ```
            # h 100%, ·a:b·    c
        Check: tools-list
        The official suite fails this, but the specification allows it: the specification does not demand it
        Exchange:
          1  client → server  tools/list
          2  client ← server  result {&quot;tools&quot;:[{&quot;name&quot;:7}]}

      - tools-annotated:
        Error: Not testable: no tool has annotations
        Check: tools-annotated

      The last lines on the server&apos;s stderr:
        | ]]&gt; ·[31mred···::error::pwned·##[error]x &lt;script&gt;alert(1)&lt;/script&gt; ```·# h 100%, ·a:b·    c
      Rerun: mcp-test server --scenario tools-list --spec-version 2025-11-25 -- node &apos;my server.js&apos;
    </failure>
                <system-out>  - tools-described: Tools have a description
        Warning: the tool has no description
        Check: tools-described

      - wire-well-formed: Every message is well-formed
        Error: the schema cannot be read
        Check: wire-well-formed (advisory: does not count)
        Blame: mcp-test itself, not the peer; please report it
    </system-out>
            </testcase>
        </testsuite>
    </testsuites>
    "#);
}

#[test]
fn text_of_a_peer_is_inert_on_github() {
    let (commands, summary) = github(&events(vec![hostile()], |_| {}));
    let expected = [
        "::error title=mcp-test%3A tools-list::",
        "::error title=mcp-test%3A tools-annotated::",
        "::warning ",
    ];
    assert!(commands.lines().count() == 3, "{commands}");
    assert!(
        commands.lines().zip(expected).all(|(line, start)| line.starts_with(start)),
        "{commands}"
    );
    insta::assert_snapshot!(summary, @r#"
    of another command

    ## mcp-test server: ❌ failed

    `node 'my <server>.js'` (`sample 1.0.0`), profile official: 1 scenario run, 1 failed

    2 problems, 1 warning, 1 remark; 1 check passed, 2 failed, 1 with a warning

    | | problem | where | requirement |
    |---|---|---|---|
    | ❌ | <code>the tool is &#93;&#93;&#62; ·&#91;31mred··</code> | <code>tools-list at 2025-11-25 over stdio</code> |  |
    | ❌ | <code>Not testable&#58; no tool has annotations</code> | <code>tools-list at 2025-11-25 over stdio</code> |  |
    | ⚠️ | <code>the tool has no description</code> | <code>tools-list at 2025-11-25 over stdio</code> |  |

    <details>
    <summary>❌ <code>tools-list</code>: <code>the tool is &#93;&#93;&#62; ·&#91;31mred··</code></summary>

    ````text
    the tool is ]]> ·[31mred··
       ::error::pwned
         ##[error]x <script>alert(1)</script> ```
         # h 100%, ·a:b· c
       got ]]> ·[31mred··
         ::error::pwned
         ##[error]x <script>alert(1)</script> ```
         # h 100%, ·a:b· c
       Shows in: tools-list at 2025-11-25 over stdio; 1 scenario run; check `tools-list`
       Note: the official suite fails this, but the specification allows it: the specification does not
         demand it
       End of the conversation (`tools-list at 2025-11-25 over stdio`):
         1  client → server  tools/list
         2  client ← server  result {"tools":[{"name":7}]}
       The last lines on the server's stderr:
         | ]]> ·[31mred···::error::pwned·##[error]x <script>alert(1)</script> ```·# h 100%, ·a:b·    c
       Rerun: mcp-test server --scenario tools-list --spec-version 2025-11-25 -- node 'my server.js'
       What it checks and why: mcp-test explain tools-list
    ````

    </details>

    <details>
    <summary>❌ <code>tools-annotated</code>: <code>Not testable&#58; no tool has annotations</code></summary>

    ```text
    Not testable: no tool has annotations
       Shows in: tools-list at 2025-11-25 over stdio; 1 scenario run; check `tools-annotated`
       Rerun: mcp-test server --scenario tools-list --spec-version 2025-11-25 -- node 'my server.js'
       What it checks and why: mcp-test explain tools-list
    ```

    </details>

    <details>
    <summary>⚠️ <code>tools-described</code>: <code>the tool has no description</code></summary>

    ```text
    the tool has no description
       Shows in: tools-list at 2025-11-25 over stdio; 1 scenario run; check `tools-described`
       Rerun: mcp-test server --scenario tools-list --spec-version 2025-11-25 -- node 'my server.js'
       What it checks and why: mcp-test explain tools-list
    ```

    </details>
    "#);
}

#[test]
fn a_failure_that_the_baseline_expects_is_skipped() {
    let expects = |entries: &[&str]| Comparison {
        expected: entries.iter().map(|entry| (*entry).to_owned()).collect(),
        stale: vec!["ping:ping".to_owned()],
        unexpected: Vec::new(),
    };
    let all = ["tools-list:tools-list", "tools-list:tools-described", "tools-list:tools-annotated"];
    for (entries, failures) in
        [(&all[..], 1), (&["tools-list"], 1), (&all[..2], 2), (&["tools"], 2)]
    {
        let baseline = expects(entries);
        let events = events(vec![sample::failed()], |summary| summary.baseline = Some(baseline));
        let text = junit(&events);
        // One of them is the stale entry.
        assert!(
            text.contains(&format!("failures=\"{failures}\" errors=\"0\"")),
            "{entries:?}: {text}"
        );
        let is_expected = failures == 1;
        assert_eq!(text.contains("<skipped message=\"expected failure\">"), is_expected, "{text}");
        let tap = file(FileFormat::Tap, &events);
        assert_eq!(tap.contains(" # TODO expected failure\n"), is_expected, "{tap}");
        assert!(tap.contains("not ok 1 - baseline: ping:ping\n"), "{tap}");
        let ctrf = json(FileFormat::Ctrf, &events);
        let count = |status: &str| ctrf.at(&format!("/results/summary/{status}")).cloned();
        let other = usize::from(is_expected);
        assert_eq!((count("failed"), count("other")), (Some(failures.into()), Some(other.into())));
        let markdown = file(FileFormat::Markdown, &events);
        assert_eq!(markdown.contains("Failed as expected: 1 scenario run"), is_expected);
        let sarif = json(FileFormat::Sarif, &events);
        let results = sarif.at("/runs/0/results").and_then(Value::as_array).expect("results");
        let fails = |result: &&Value| {
            let is_error = result.get("level").and_then(Value::as_str) == Some("error");
            is_error && result.get("suppressions").is_none()
        };
        assert_eq!(results.iter().any(|result| fails(&result)), !is_expected, "{sarif}");
        let notifications = sarif.at("/runs/0/invocations/0/toolExecutionNotifications");
        assert_eq!(notifications.and_then(Value::as_array).map(<[Value]>::len), Some(1));
        assert!(text.contains("<testcase name=\"baseline: ping:ping\""), "{text}");
    }
    // A warning has to be in the baseline as well, in each profile but adaptive.
    let baseline = expects(&[all[0], all[2]]);
    let events = events(vec![sample::failed()], |summary| summary.baseline = Some(baseline));
    let (commands, _) = github(&events);
    assert_eq!(commands.lines().count(), 2, "{commands}");
    assert!(commands.lines().all(|line| line.starts_with("::error ")), "{commands}");
    assert!(
        commands.contains("tools-described") && commands.contains("stale baseline entry"),
        "{commands}"
    );
}

#[test]
fn a_flaky_scenario_run_has_not_passed_and_what_was_not_started_is_shown() {
    let mut flaky = sample::failed();
    flaky.verdict = Verdict::Flaky;
    let mut second = sample::passed();
    second.attempt = 2;
    flaky.other_attempts = vec![second];
    let not_started = vec![sample::ping().scenario_run];
    let events = events(vec![flaky], |summary| summary.not_started = not_started);
    let tap = file(FileFormat::Tap, &events);
    assert!(tap.contains("\n1..2\nnot ok 1 - ") && tap.contains("severity: \"flaky\""), "{tap}");
    let skipped = "\nok 2 - ping at 2025-11-25 over stdio # SKIP not run after the first failure\n";
    assert!(tap.contains(skipped), "{tap}");
    let ctrf = json(FileFormat::Ctrf, &events);
    let count =
        |status: &str| ctrf.at(&format!("/results/summary/{status}")).and_then(Value::as_u64);
    let counts = ["tests", "passed", "failed", "pending", "flaky"].map(count);
    assert_eq!(counts, [Some(2), Some(0), Some(1), Some(1), Some(1)], "{ctrf}");
    assert_eq!(ctrf.at("/results/tests/0/retries").and_then(Value::as_u64), Some(1), "{ctrf}");
    let sarif = json(FileFormat::Sarif, &events);
    let flaky = sarif.at("/runs/0/properties/scenarioRuns/flaky").and_then(Value::as_u64);
    assert_eq!(flaky, Some(1), "{sarif}");
    let markdown = file(FileFormat::Markdown, &events);
    assert!(markdown.contains(": 1 scenario run, 1 flaky\n"), "{markdown}");
    assert!(markdown.contains("not run after the first failure: 1 scenario run"), "{markdown}");
    let junit = junit(&events);
    assert!(junit.contains("<flakyFailure") && junit.contains("skipped=\"1\""), "{junit}");
}

#[test]
fn a_run_that_could_not_take_place_or_was_interrupted_is_an_error() {
    let finding = Finding::environment("nothing listens").got("connection refused");
    let failed = RunEvent::PreflightFailed { finding: finding.clone(), tried: None };
    let mut not_run = events(Vec::new(), |summary| summary.not_run = Some(finding));
    not_run.splice(..2, [failed]);
    let interrupted = events(vec![sample::passed()], |summary| summary.interrupted = Some(130));
    for (events, words) in
        [(&not_run, "nothing listens"), (&interrupted, "after 1 of 1 scenario runs")]
    {
        let text = junit(events);
        assert!(text.contains("failures=\"0\" errors=\"1\"") && text.contains(words), "{text}");
        let (commands, summary) = github(events);
        assert!(
            commands.starts_with("::error title=mcp-test%3A ") && commands.contains(words),
            "{commands}"
        );
        assert!(summary.contains(words), "{summary}");
        for format in FileFormat::ALL {
            let text = file(format, events);
            assert!(text.contains(words), "{format}: {text}");
        }
        let sarif = json(FileFormat::Sarif, events);
        let successful = sarif.at("/runs/0/invocations/0/executionSuccessful");
        assert_eq!(successful, Some(&false.into()));
    }
}

#[test]
fn equal_problems_are_one_annotation_and_there_are_ten_at_most() {
    let (commands, _) =
        github(&events(vec![sample::failed(), sample::failed(), sample::failed()], |_| {}));
    assert_eq!(commands.lines().count(), 3, "{commands}");
    let mut outcome = sample::failed();
    outcome.checks = (0..30)
        .map(|number| {
            let mut check = outcome.checks[3].clone();
            check.id = format!("check-{number}");
            check.status = if number < 11 { Status::Failure } else { Status::Warning };
            check
        })
        .collect();
    let (commands, summary) = github(&events(vec![outcome], |_| {}));
    assert_eq!(
        commands.lines().filter(|line| line.starts_with("::error ")).count(),
        10,
        "{commands}"
    );
    assert_eq!(
        commands.lines().filter(|line| line.starts_with("::warning ")).count(),
        10,
        "{commands}"
    );
    assert!(commands.contains("::2 more;") && commands.contains("::10 more;"), "{commands}");
    assert_eq!(summary.matches("\n<details>\n").count(), 30, "{summary}");
}

#[test]
fn the_error_names_a_file_that_cannot_be_written() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut junit = FileReports::new(info(), sample::rerun());
    junit.add(FileFormat::Junit, directory.path());
    let mut github = GitHub::new(Vec::new(), Some(directory.path()), info(), sample::rerun());
    let events = mixed();
    let (last, before) = events.split_last().expect("the end");
    for event in before {
        let event = sample::masked(event.clone());
        junit.event(&event).and_then(|()| github.event(&event)).expect("nothing is written yet");
    }
    let last = sample::masked(last.clone());
    for error in [junit.event(&last), github.event(&last)] {
        let error = error.expect_err("a directory is not a file").to_string();
        assert!(
            error.starts_with(&format!("cannot write {}", directory.path().display())),
            "{error}"
        );
    }
}
