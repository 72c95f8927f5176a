//! `mcp-test client`: clients as commands, in suites and started manually; output, files and exit codes.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use mcp_test::json::Value;
use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::{Mark, Run};

use crate::program::{MCP_TEST, mcp_test};

/// The reference client as a command, with faults.
fn reference(faults: &[&str]) -> String {
    let faults = faults.iter().map(|fault| format!(" --fault {fault}"));
    format!("{MCP_TEST} reference client{}", faults.collect::<String>())
}

fn client(words: &[&str], command: &str) -> Run {
    mcp_test([&["client", "--command", command], words].concat())
}

#[test]
fn the_reference_client_passes_every_suite_and_profile() {
    for words in [
        ["--suite", "all"].as_slice(),
        &["--suite", "core"],
        &["--suite", "draft", "--spec-version", "draft"],
        &["--suite", "all", "--profile", "strict"],
        // Everything that applies; only officially a suite is required.
        &["--profile", "adaptive"],
    ] {
        let run = client(words, &reference(&[]));
        assert_eq!(run.code, 0, "{}", run.text(&[]));
        let is_official = !words.contains(&"--profile");
        let (heading, verdict) = match is_official {
            true => ("=== SUITE SUMMARY ===", " 0 failed"),
            false => ("no problems", "checks passed"),
        };
        assert!(run.stdout.contains(heading), "{}", run.stdout);
        assert!(run.stdout.contains(verdict), "{}", run.stdout);
        assert!(!run.stdout.contains("1 warning"), "{}", run.stdout);
    }
}

#[test]
fn verdicts_wrong_usage_and_runs_that_cannot_take_place_have_different_exit_codes() {
    let one = ["--scenario", "initialize"];
    assert_eq!(client(&one, &reference(&["remove:initialize:/clientInfo/name"])).code, 1);
    assert_eq!(client(&one, "true").code, 1);
    assert_eq!(client(&["--suite", "core"], "true").code, 1);
    let missing = client(&one, "no-such-client");
    assert_eq!(missing.code, 3, "{}", missing.text(&[]));
    assert!(missing.stdout.contains("the client could not be started"), "{}", missing.stdout);
    let wrong: [&[&str]; 5] = [
        &["client"],
        &["client", "--suite", "core"],
        &["client", "--command", " ", "--suite", "core"],
        &["client", "--command", "true", "--scenario", "initialise"],
        &["client", "--command", "true", "--suite", "pending"],
    ];
    for words in wrong {
        let run = mcp_test(words);
        assert_eq!(run.code, 2, "{words:?}: {}", run.text(&[]));
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
    }
}

#[test]
fn verbose_prints_the_checks_as_json_and_nothing_else() {
    let run = client(&["--scenario", "tools_call", "--verbose"], &reference(&[]));
    let checks = Value::parse(run.stdout.as_bytes()).expect("JSON").value;
    let first = checks.at("/0/id").and_then(Value::as_str);
    assert_eq!((run.code, first), (0, Some("tool-add-numbers")));
    assert!(run.stderr.contains("OVERALL: PASSED"), "{}", run.stderr);
}

#[test]
fn what_a_client_prints_is_kept_beside_its_checks() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "client-files");
    let out = folder.path().to_string_lossy().into_owned();
    let command = format!(
        "sh -c 'echo out $MCP_CONFORMANCE_SCENARIO; echo err $MCP_CONFORMANCE_PROTOCOL_VERSION >&2; {} $0'",
        reference(&[])
    );
    let run = client(&["--scenario", "request-metadata", "-o", &out], &command);
    assert_eq!(run.code, 0, "{}", run.text(&[]));
    let mut entries = fs::read_dir(folder.path()).expect("a folder").flatten();
    let scenario_run =
        entries.find(|entry| entry.path().is_dir()).expect("a folder of the scenario");
    assert!(
        scenario_run.file_name().to_string_lossy().starts_with("request-metadata-20"),
        "{scenario_run:?}"
    );
    let read = |name| fs::read_to_string(scenario_run.path().join(name)).expect(name);
    assert_eq!(read("stdout.txt"), "out request-metadata\n");
    assert_eq!(read("stderr.txt"), "err 2026-07-28\n");
    assert!(read("checks.json").starts_with("[\n  {\n    \"id\": \"sep-2575-"));
}

#[test]
fn a_failure_may_be_expected() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "client-baseline");
    let known = folder.path().join("known.yml");
    let known = known.to_string_lossy();
    let faulty = reference(&["never:notifications/initialized", "no-header:tools/list:Mcp-Method"]);
    let words = ["--suite", "draft", "--write-baseline", &known];
    assert_eq!(client(&words, &faulty).code, 0);
    let text = fs::read_to_string(&*known).expect("a baseline");
    assert!(text.contains("client:\n"), "{text}");
    assert_eq!(client(&["--suite", "draft"], &faulty).code, 1);
    assert_eq!(client(&["--suite", "draft", "--expected-failures", &known], &faulty).code, 0);
    let stale = client(&["--suite", "draft", "--expected-failures", &known], &reference(&[]));
    assert_eq!(stale.code, 1, "{}", stale.text(&[]));
}

/// The client has a child, and one outside of its process group; `mcp_test` asserts that neither is left.
#[cfg(target_os = "linux")]
#[test]
fn a_client_that_does_not_exit_is_killed_with_its_descendants() {
    let hanging = "sh -c 'trap : TERM; sleep 3600 & setsid sleep 3600 & while :; do wait; done'";
    let run = client(&["--scenario", "initialize", "--timeout", "300ms"], hanging);
    assert_eq!(run.code, 1, "{}", run.text(&[]));
    assert!(run.stdout.contains("the client did not exit in time"), "{}", run.stdout);
    assert!(run.stdout.contains("CLIENT TIMED OUT"), "{}", run.stdout);
}

/// Each client creates a folder while it runs, which a second one at the same time could not.
#[test]
fn no_more_clients_run_in_parallel_than_there_are_jobs() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "client-jobs");
    let lock = folder.path().join("lock");
    let command = format!(
        "sh -c 'mkdir \"$0\" || exit 9; {} \"$1\"; code=$?; rmdir \"$0\"; exit $code' {}",
        reference(&[]),
        lock.display()
    );
    let run = client(&["--suite", "all", "--profile", "adaptive", "--jobs", "1"], &command);
    assert_eq!(run.code, 0, "{}", run.text(&[]));
}

#[cfg(unix)]
#[test]
fn without_a_command_a_server_waits_for_a_manually_started_client() {
    let mark = Mark::new();
    let mut waiting = Command::new(MCP_TEST);
    mark.put_on(&mut waiting);
    waiting.args(["client", "--scenario", "tools_call"]);
    waiting.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut waiting = waiting.spawn().expect("it starts");
    let mut stdout = BufReader::new(waiting.stdout.take().expect("it is piped"));
    let mut output = String::new();
    while !output.contains("Press Ctrl+C to stop...\n") {
        let read = stdout.read_line(&mut output).expect("it is text");
        assert!(read > 0, "it ended before it was asked to:\n{output}");
    }
    let url = output.lines().find_map(|line| line.strip_prefix("Server URL: ")).expect("the URL");
    let mut manual = Command::new(MCP_TEST);
    manual.args(["reference", "client", url]).env("MCP_CONFORMANCE_SCENARIO", "tools_call");
    assert!(manual.status().expect("it starts").success(), "{output}");
    let kill = Command::new("kill").args(["-INT", &waiting.id().to_string()]).status();
    assert!(kill.expect("kill").success());
    stdout.read_to_string(&mut output).expect("it is text");
    assert_eq!(waiting.wait().expect("it ends").code(), Some(0), "{output}");
    mark.assert_nothing_left();
    assert!(output.contains("[tool-add-numbers") && output.contains("OVERALL: PASSED"), "{output}");
}

#[cfg(unix)]
#[test]
fn what_a_client_opens_in_its_browser_is_seen() {
    let run = |scenario: &str, faults: &[&str]| {
        client(&["--profile", "adaptive", "--scenario", scenario], &reference(faults))
    };
    for (scenario, faults) in [
        ("client-authorization-url-scheme", ["open-any-url"].as_slice()),
        ("client-authorization-url-file", &["open-any-url"]),
        ("client-authorization-url-insecure", &["open-any-url", "any-url"]),
        ("client-authorization-url-shell", &["open-any-url", "open-in-shell"]),
    ] {
        let good = run(scenario, &[]);
        assert_eq!(good.code, 0, "{}", good.text(&[]));
        assert!(!good.stdout.contains("what the client opens is seen only"), "{}", good.stdout);
        for fault in faults {
            let bad = run(scenario, &[fault]);
            assert_eq!(bad.code, 1, "{scenario} with {fault}: {}", bad.text(&[]));
        }
    }
}

#[test]
fn a_client_that_opens_a_browser_signs_in_without_its_user() {
    // Such a client is the command itself.
    let line =
        format!("{MCP_TEST} check --sign-in --open-browser --scenario server-initialize --url");
    let signs_in = |profile: &str| {
        let words = ["--profile", profile, "--scenario", "auth/metadata-default"];
        let words =
            [&words[..], &["--spec-version", "2025-11-25", "--timeout", "30s", "--format", "json"]];
        let run = client(&words.concat(), &line);
        let report = Value::parse(run.stdout.as_bytes()).expect("a report").value;
        let checks = report.at("/cells/0/checks").and_then(Value::as_array).expect("checks");
        let of = |id: &str| {
            checks.iter().filter(|it| it.get("id") == Some(&id.into())).cloned().collect::<Vec<_>>()
        };
        ["authorization-request", "token-request", "valid-bearer-token"].map(|id| {
            let made = of(id);
            assert!(!made.is_empty(), "{id}: {}", run.text(&[]));
            made.iter().all(|it| it.get("status") == Some(&"SUCCESS".into()))
        })
    };
    assert_eq!(signs_in("adaptive"), [true; 3]);
    assert_eq!(signs_in("strict"), [true; 3]);
}
