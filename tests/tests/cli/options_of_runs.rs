//! What is run, how often, and until when: patterns, sets of scenarios, `--fail-fast`, `--retries`, `--shard`; and what is said meanwhile.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test::json::Value;
use mcp_test::server::reference::everything;
use mcp_test::server::{Call, Server};
use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::{Run, Serving};
use roxmltree::Document;
use tokio::runtime::Runtime;

use crate::program::{MCP_TEST, mcp_test};

/// Options for runs whose order is that of the plan.
const CHECK: [&str; 5] = ["check", "--spec-version", "2025-11-25", "--jobs", "1"];

/// The reference server over stdio, with a fault.
fn faulty(fault: &str) -> [&str; 7] {
    ["--", MCP_TEST, "reference", "server", "--stdio", "--fault", fault]
}

fn document(run: &Run) -> Value {
    let parsed = Value::parse(run.stdout.as_bytes());
    parsed.unwrap_or_else(|why| panic!("{why}\n{}", run.text(&[]))).value
}

/// The names of the scenario runs in a list of the document.
fn names(document: &Value, list: &str) -> Vec<String> {
    let scenario_runs =
        document.at(list).and_then(Value::as_array).unwrap_or_else(|| panic!("{document}"));
    let text = |scenario_run: &Value, name: &str| {
        scenario_run.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let name = |scenario_run| {
        ["scenario", "revision", "transport", "verdict"]
            .map(|name| text(scenario_run, name))
            .join(" ")
    };
    scenario_runs.iter().map(|scenario_run| name(scenario_run).trim_end().to_owned()).collect()
}

#[test]
fn patterns_select_scenarios() {
    let words = ["--scenario", "tools-l*", "--scenario", "*/none", "--reference"];
    let run = mcp_test(CHECK.iter().chain(&words));
    assert_eq!(run.code, 2);
    insta::assert_snapshot!(run.text(&[]), @"
    error: --scenario: nothing matches `*/none`
    `mcp-test list` lists the scenarios
    ");
    let words = ["--scenario", "tools-l*", "--scenario", "p?ng", "--format", "json", "--reference"];
    let run = mcp_test(CHECK.iter().chain(&words));
    assert_eq!(run.code, 0, "{}", run.text(&[]));
    insta::assert_snapshot!(names(&document(&run), "/cells").join("\n"), @"
    ping 2025-11-25 duplex passed
    ping 2025-11-25 router passed
    tools-list 2025-11-25 duplex passed
    tools-list 2025-11-25 router passed
    ");
    let words = ["server", "--scenario", "pin*", "--reference"];
    insta::assert_snapshot!(mcp_test(words).text(&[]), @"
    Running selected scenarios (2 scenarios, 4 runs) against the reference server


    === Running scenario: ping [2025-11-25 duplex] ===
    Running client scenario 'ping' against server: the reference server

    === Running scenario: ping [2025-11-25 router] ===
    Running client scenario 'ping' against server: the reference server

    === Running scenario: ping-removed [2026-07-28 duplex] ===
    Running client scenario 'ping-removed' against server: the reference server

    === Running scenario: ping-removed [2026-07-28 router] ===
    Running client scenario 'ping-removed' against server: the reference server

    === SUMMARY ===
    ✓ ping [2025-11-25 duplex]: 2 passed, 0 failed
    ✓ ping [2025-11-25 router]: 2 passed, 0 failed
    ✓ ping-removed [2026-07-28 duplex]: 0 passed, 0 failed
    ✓ ping-removed [2026-07-28 router]: 0 passed, 0 failed

    Total: 4 passed, 0 failed
    Advisory: 8 passed, 0 failed (mcp-test's own checks; they do not count in profile official)
    ");
    let client = format!("'{MCP_TEST}' reference client");
    let run = mcp_test([
        "client",
        "--scenario",
        "*_call",
        "--scenario",
        "initial*",
        "--command",
        &client,
    ]);
    assert_eq!(run.code, 0, "{}", run.text(&[]));
    assert!(run.stdout.contains("Running selected scenarios"), "{}", run.stdout);
}

#[test]
fn patterns_select_cases() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "cases-by-pattern");
    let case = |name: &str| {
        let (envelope, result) = ("jsonrpc: '2.0', id: 1", "result: {}");
        format!("case: {name}\nin: {{{envelope}, method: ping}}\nout: {{{envelope}, {result}}}\n")
    };
    let path = folder.path().join("some.yaml");
    fs::write(&path, ["first one", "second one", "third"].map(case).join("---\n")).expect("a file");
    let path = path.to_str().expect("a path in UTF-8");
    let selected = |pattern: &str| {
        let words = ["cases", "run", path, "--case", pattern, "--format", "json"];
        mcp_test(words.iter().chain(&["--", MCP_TEST, "reference", "server", "--stdio"]))
    };
    let run = selected("some::*-one");
    assert_eq!(run.code, 0, "{}", run.text(&[]));
    let found = names(&document(&run), "/cells");
    assert_eq!(
        found,
        ["some::first-one", "some::second-one"].map(|id| format!("{id} 2025-11-25 stdio passed"))
    );
    let run = selected("soem::*");
    assert_eq!(run.code, 2);
    insta::assert_snapshot!(run.text(&[]), @"error: --case: nothing matches `soem::*`; did you mean `some:*`?");
    for (pattern, code) in [("so*e", 1), ("other*", 2)] {
        let words = ["cases", "verify-client", path, "--scenario", pattern, "--command", "true"];
        let run = mcp_test(words);
        assert_eq!(run.code, code, "{}", run.text(&[]));
        assert_eq!(run.stdout.contains("some::first-one"), code == 1, "{}", run.text(&[]));
    }
}

#[test]
fn a_run_ends_with_the_first_failure() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "fail-fast");
    let junit = format!("junit={}", folder.word("junit.xml"));
    let words =
        ["--fail-fast", "--scenario", "ping", "--scenario", "prompts-*", "--report", &junit];
    let faulty = faulty("set:ping:/pong:true");
    let run = mcp_test(CHECK.iter().chain(&words).chain(&faulty));
    assert_eq!(run.code, 1);
    let text = run.text(&[]);
    // How the first line is wrapped depends on the path of this build.
    let start = text.find("Server: ").expect("the server is named");
    insta::assert_snapshot!(text[start..], @r#"
    Server: mcp-test-everything 0.1.0
    Revisions over stdio: at least 2025-11-25

    ✗ 1. the result of `ping` is wrong
       expected the value is an object with nothing but `_meta`
       got {"pong":true}, which has the member `pong`
       Shows in: ping at 2025-11-25 over stdio; 1 scenario run; check `ping`
       Requirement: ping.result-empty (MUST) The result of ping is an empty object.
           https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping#behavior-requirements
       Exchange (`ping at 2025-11-25 over stdio`):
             … 3 messages not shown
         4  client → server  ping {}
         5  client ← server  result {"pong":true}
       Rerun: mcp-test check --scenario ping --spec-version 2025-11-25 -- mcp-test reference server --stdio --fault set:ping:/pong:true
       What it checks and why: mcp-test explain ping

    1 problem; 2 checks passed, 1 failed
    ✗ 1. the result of `ping` is wrong (ping at 2025-11-25 over stdio; ping.result-empty)
    - not run after the first failure: 7 scenario runs: prompts-list, prompts-get-simple,
      prompts-get-with-args, prompts-get-embedded-resource, prompts-get-with-image, prompts-get-listed,
      prompts-get-invalid
    "#);
    let xml = fs::read_to_string(folder.path().join("junit.xml")).expect("a report");
    let xml = Document::parse(&xml).expect("XML");
    let cases = xml.descendants().filter(|node| node.has_tag_name("testcase"));
    let cases = cases.map(|case| {
        let status = case.first_element_child().expect("a status");
        let message = status.attribute("message").unwrap_or_default();
        let name = case.attribute("name").unwrap_or_default();
        format!("{name}: {} {message}", status.tag_name().name())
    });
    insta::assert_snapshot!(cases.collect::<Vec<_>>().join("\n"), @"
    ping: failure ping: the result of `ping` is wrong
    prompts-list: skipped not run after the first failure
    prompts-get-simple: skipped not run after the first failure
    prompts-get-with-args: skipped not run after the first failure
    prompts-get-embedded-resource: skipped not run after the first failure
    prompts-get-with-image: skipped not run after the first failure
    prompts-get-listed: skipped not run after the first failure
    prompts-get-invalid: skipped not run after the first failure
    ");

    let official =
        ["server", "--fail-fast", "--jobs", "1", "--scenario", "ping", "--scenario", "prompts-*"];
    let run = mcp_test(official.iter().chain(&faulty));
    assert_eq!(run.code, 1);
    let (_, end) = run.stdout.split_once("=== SUMMARY ===").expect("a summary");
    insta::assert_snapshot!(end, @"

    ✗ ping: 1 passed, 1 failed

    Total: 1 passed, 1 failed
    not run after the first failure: 15 scenario runs: prompts-list, prompts-get-simple, prompts-get-with-args, prompts-get-embedded-resource, prompts-get-with-image, prompts-get-listed, prompts-get-invalid
    Advisory: 1 passed, 0 failed (mcp-test's own checks; they do not count in profile official)
    ");
    let run = mcp_test(official.iter().chain(&["--format", "json"]).chain(&faulty));
    let document = document(&run);
    assert_eq!(names(&document, "/cells"), ["ping 2025-11-25 stdio failed"]);
    let names = names(&document, "/notStarted");
    assert!(
        names.len() == 15 && names.contains(&"prompts-list 2025-11-25 stdio".to_owned()),
        "{names:?}"
    );
}

/// A server whose first reply to `ping` is wrong.
fn recovering() -> (Server, Arc<AtomicUsize>) {
    let replies = Arc::new(AtomicUsize::new(0));
    let sent = replies.clone();
    let server = everything().on("ping", move |_: Call| {
        let is_first = sent.fetch_add(1, Ordering::SeqCst) == 0;
        let text: &[u8] = if is_first { br#"{"pong":true}"# } else { b"{}" };
        std::future::ready(Value::parse(text).expect("it is JSON").value)
    });
    (server, replies)
}

/// The files below a folder, in order.
fn files_below(folder: &Path) -> BTreeSet<String> {
    let mut folders = vec![folder.to_owned()];
    let mut files = BTreeSet::new();
    while let Some(below) = folders.pop() {
        for entry in fs::read_dir(below).expect("a folder").flatten() {
            match entry.path().is_dir() {
                true => folders.push(entry.path()),
                false => {
                    let path = entry.path();
                    let relative = path.strip_prefix(folder).expect("it is below");
                    files.insert(relative.to_string_lossy().replace('\\', "/"));
                }
            }
        }
    }
    files
}

#[test]
fn a_flaky_scenario_run_is_not_passed() {
    let runtime = Runtime::new().expect("a runtime");
    let (server, replies) = recovering();
    let listening = runtime.block_on(server.listen("127.0.0.1:0")).expect("a free port");
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "flaky");
    let run = |command: &str, more: &[&str]| {
        replies.store(0, Ordering::SeqCst);
        let words = [command, "--spec-version", "2025-11-25", "--jobs", "1", "--retries", "3"];
        let target = ["--scenario", "ping", "--scenario", "tools-list", "--url", listening.url()];
        let run = mcp_test(words.iter().chain(more).chain(&target));
        assert_eq!(run.code, 1, "{}", run.text(&[]));
        run
    };
    let (out, junit) = (folder.word("out"), format!("junit={}", folder.word("junit.xml")));
    let record = folder.word("trace.jsonl");
    let files = ["-o", &out, "--no-timestamps", "--report", &junit, "--record", &record];
    let shown = run("check", &files).text(&[]);
    let digest = shown.find("\n1 problem").map_or("", |start| &shown[start + 1..]);
    let digest = digest.split("\nRecorded in").next().unwrap_or_default();
    insta::assert_snapshot!(digest, @"
    1 problem, 1 flaky scenario run; 8 checks passed, 1 failed
    ✗ 1. the result of `ping` is wrong (ping at 2025-11-25 over http; ping.result-empty)
    - flaky: 1 scenario run failed, and did not when run again: ping at 2025-11-25 over http (2
      attempts)
    ");
    let written = files_below(&folder.path().join("out"));
    insta::assert_snapshot!(written.into_iter().collect::<Vec<_>>().join("\n"), @"
    server-ping/attempt-2/checks.json
    server-ping/checks.json
    server-tools-list/checks.json
    summary.json
    ");
    let xml = fs::read_to_string(folder.path().join("junit.xml")).expect("a report");
    let xml = Document::parse(&xml).expect("XML");
    let flaky: Vec<_> =
        xml.descendants().filter(|node| node.has_tag_name("flakyFailure")).collect();
    let [flaky] = flaky[..] else { panic!("{flaky:?}") };
    let message = flaky.attribute("message").unwrap_or_default();
    assert!(message.contains("ping"), "{message}");
    assert_eq!(flaky.parent().and_then(|case| case.attribute("name")), Some("ping"));
    let trace = fs::read_to_string(&record).expect("a trace");
    assert!(trace.contains("ping at 2025-11-25 over http, attempt 1"), "{trace}");
    assert!(trace.contains("ping at 2025-11-25 over http, attempt 2"), "{trace}");

    let official = run("server", &[]);
    let (_, end) = official.stdout.split_once("=== SUMMARY ===").expect("a summary");
    insta::assert_snapshot!(end, @"

    ✗ ping: 1 passed, 1 failed (flaky: failed, and then did not)
    ✓ tools-list: 3 passed, 0 failed

    Total: 4 passed, 1 failed
    flaky: 1 scenario run failed, and did not when run again: ping at 2025-11-25 over http (2 attempts)
    Advisory: 4 passed, 0 failed (mcp-test's own checks; they do not count in profile official)
    ");
    let document = document(&run("check", &["--format", "json"]));
    let scenario_runs = names(&document, "/cells");
    assert_eq!(scenario_runs, ["ping 2025-11-25 http flaky", "tools-list 2025-11-25 http passed"]);
    let verdict = |attempt: usize| {
        let pointer = format!("/cells/0/attempts/{attempt}/verdict");
        document.at(&pointer).and_then(Value::as_str).map(str::to_owned)
    };
    let verdicts = [verdict(0), verdict(1), verdict(2)];
    assert_eq!(verdicts, [Some("failed".to_owned()), Some("passed".to_owned()), None]);
}

#[test]
fn shards_of_every_command_have_everything_once() {
    let client = format!("'{MCP_TEST}' reference client");
    let commands: [&[&str]; 3] = [
        &["server", "--reference"],
        &["check", "--spec-version", "2025-11-25", "--reference"],
        &["client", "--suite", "core", "--command", &client],
    ];
    for command in commands {
        let scenario_runs = |shard: &[&str]| {
            let options = [&command[..1], &["--format", "json"], shard, &command[1..]].concat();
            let run = mcp_test(options);
            assert_eq!(run.code, 0, "{}", run.text(&[]));
            names(&document(&run), "/cells")
        };
        let shards = ["1/3", "2/3", "3/3"].map(|shard| scenario_runs(&["--shard", shard]));
        assert!(shards.iter().all(|shard| !shard.is_empty()), "{command:?}");
        let mut all = shards.concat();
        let mut whole = scenario_runs(&[]);
        all.sort();
        whole.sort();
        assert_eq!(all, whole, "{command:?}");
    }
    let words = ["--shard", "2/2", "--scenario", "ping", "--scenario", "tools-list", "--reference"];
    let run = mcp_test(CHECK.iter().chain(&words));
    assert_eq!(run.code, 0);
    insta::assert_snapshot!(run.text(&[]), @"
    Running shard 2/2 of selected scenarios (2 scenarios) against the reference server
    Server: mcp-test-everything 0.1.0
    Revisions over duplex: at least 2025-11-25
    Revisions over router: at least 2025-11-25

    no problems; 9 checks passed
    ");
}

/// Where connections are shared, how a scenario run ended is known only when nobody uses its connection any more.
#[test]
fn what_fails_is_repeated_also_where_connections_are_shared() {
    let faulty = faulty("set:ping:/pong:true");
    let words =
        ["check", "--jobs", "2", "--retries", "2", "--scenario", "ping", "--scenario", "tools-*"];
    let run = mcp_test(words.iter().chain(&["--format", "json"]).chain(&faulty));
    assert_eq!(run.code, 1, "{}", run.text(&[]));
    let document = document(&run);
    let scenario_runs = document.at("/cells").and_then(Value::as_array).expect("a list");
    assert!(scenario_runs.len() > 20, "{}", scenario_runs.len());
    let text = |scenario_run: &Value, name: &str| {
        scenario_run.get(name).and_then(Value::as_str).map(str::to_owned)
    };
    for scenario_run in scenario_runs {
        let is_ping = text(scenario_run, "scenario").as_deref() == Some("ping");
        assert_eq!(
            text(scenario_run, "verdict").as_deref() == Some("failed"),
            is_ping,
            "{scenario_run}"
        );
        let attempts = scenario_run.get("attempts").and_then(Value::as_array).map(<[Value]>::len);
        assert_eq!(attempts, is_ping.then_some(3), "{scenario_run}");
    }
    let words =
        ["check", "--jobs", "2", "--fail-fast", "--scenario", "ping", "--scenario", "tools-*"];
    let run = mcp_test(words.iter().chain(&["--format", "json"]).chain(&faulty));
    let document = self::document(&run);
    let (run, left) = (names(&document, "/cells"), names(&document, "/notStarted"));
    assert!(run.len() <= 2 && run.len() + left.len() == scenario_runs.len(), "{run:?}");
}

#[test]
fn folders_without_a_time_are_replaced() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "no-timestamps");
    let out = folder.word("out");
    let select = ["--scenario", "ping", "-o", &out, "--no-timestamps"];
    let run = |words: &[&str], target: &[&str]| {
        let run = mcp_test(words.iter().chain(&select).chain(target));
        (
            run.code,
            files_below(&folder.path().join("out")).into_iter().collect::<Vec<_>>().join(" "),
            run.stdout,
        )
    };
    let faulty = faulty("set:ping:/pong:true");
    let well = ["--", MCP_TEST, "reference", "server", "--stdio"];
    let (code, files, _) =
        run(&["check", "--retries", "1", "--spec-version", "2025-11-25"], &faulty);
    assert_eq!(code, 1);
    insta::assert_snapshot!(files, @"server-ping/attempt-2/checks.json server-ping/checks.json summary.json");
    fs::write(folder.path().join("out/server-ping/mine.txt"), "kept").expect("a file");
    let (code, files, shown) = run(&["server", "--spec-version", "2025-11-25"], &well);
    assert_eq!(code, 0, "{shown}");
    insta::assert_snapshot!(files, @"server-ping/advisory.json server-ping/checks.json server-ping/mine.txt summary.json");
    assert!(shown.contains(&format!("Results saved to {out}/server-ping\n")), "{shown}");
    let (code, again, _) = run(&["server", "--spec-version", "2025-11-25"], &well);
    assert_eq!((code, again), (0, files));
}

#[cfg(target_os = "linux")]
#[test]
fn a_slow_scenario_run_is_named_on_the_status_line() {
    let mut command = Command::new(MCP_TEST);
    command.args(CHECK.iter().chain(&["--timeout", "4s", "--scenario", "ping"]));
    command.args(faulty("never:ping"));
    let (shown, ..) = crate::terminal::command_on_terminal(command, true);
    assert!(shown.contains("ping (2025-11-25 stdio), 2 s"), "{shown}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_new_is_shown_on_a_terminal() {
    let shown = |words: &[&str]| {
        let mut command = Command::new(MCP_TEST);
        let target = [
            "--scenario",
            "ping",
            "--scenario",
            "prompts-list",
            "--",
            "mcp-test",
            "reference",
            "server",
            "--stdio",
            "--fault",
            "set:ping:/pong:true",
        ];
        command.args(CHECK.iter().chain(words).chain(&target)).env("NO_COLOR", "1");
        let (shown, _, code) = crate::terminal::command_on_terminal(command, false);
        let shown = shown.replace('\r', "");
        let first = shown.find("\n\n").map_or("", |end| &shown[..end]);
        let end = shown.rfind("\n\n").map_or("", |start| &shown[start..]);
        format!("{first}\n…{end}exit code {code:?}\n")
    };
    insta::assert_snapshot!(shown(&["--fail-fast"]), @"
    Running selected scenarios (2 scenarios) against mcp-test reference server --stdio --fault
      set:ping:/pong:true
    Server: mcp-test-everything 0.1.0
    Revisions over stdio: at least 2025-11-25
    …

    1 problem; 2 checks passed, 1 failed
    ✗ 1. the result of `ping` is wrong (ping at 2025-11-25 over stdio; ping.result-empty)
    - not run after the first failure: 1 scenario run: prompts-list
    exit code Some(1)
    ");
    insta::assert_snapshot!(shown(&["--shard", "1/2", "--retries", "1"]), @"
    Running shard 1/2 of selected scenarios (1 scenario) against mcp-test reference server --stdio
      --fault set:ping:/pong:true
    Server: mcp-test-everything 0.1.0
    Revisions over stdio: at least 2025-11-25
    …

    1 problem; 2 checks passed, 1 failed
    ✗ 1. the result of `ping` is wrong (ping at 2025-11-25 over stdio; ping.result-empty)
    exit code Some(1)
    ");
}

#[test]
fn what_a_set_of_scenarios_does_not_score_has_no_effect() {
    let set = ["server", "--requirements", "2025-11-25", "--url"];
    let unscored = "remove:tools/list:/tools/1/inputSchema/$schema";
    let serving = Serving::reference(MCP_TEST, &[unscored]);
    let run = mcp_test(set.iter().chain(&[serving.url.as_str()]));
    assert_eq!(run.code, 0, "{}", run.text(&[]));
    let (_, end) =
        run.stdout.split_once("\nNot scored").unwrap_or_else(|| panic!("{}", run.stdout));
    insta::assert_snapshot!(end.split("\nAdvisory").next().unwrap_or_default(), @"
    for 2025-11-25: 3 scenario(s) run, 1 failing. These do not affect conformance.
     ✓ server-session-lifecycle (added-after-release)
     ✗ json-schema-2020-12 (pending)
     ✓ server-sse-polling (pending)
    ");
    let json = mcp_test(set.iter().chain(&[serving.url.as_str(), "--format", "json"]));
    let document = document(&json);
    let failed = |scenario_run: &&Value| {
        scenario_run.at("/counts/failure").and_then(Value::as_i64) != Some(0)
    };
    let scenario_runs = document.at("/cells").and_then(Value::as_array).expect("a list");
    let failed: Vec<_> = scenario_runs
        .iter()
        .filter(failed)
        .map(|scenario_run| scenario_run.at("/unscored"))
        .collect();
    assert_eq!(failed, [Some(&Value::from("pending"))]);
    assert_eq!(document.at("/requirements"), Some(&Value::from("2025-11-25")));

    let scored = Serving::reference(MCP_TEST, &["error:tools/call:-32603"]);
    assert_eq!(mcp_test(set.iter().chain(&[scored.url.as_str()])).code, 1);
}
