//! The official conformance suite and `mcp-test server`: our reference server passes the official suite, and both suites give the
//! same verdicts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use mcp_test::json::Value;
use mcp_test::process::Command;
use mcp_test::scenario::Leg;
use mcp_test::scenarios;
use mcp_test::spec::Revision;
use mcp_test::transport::Target;
use mcp_test_tests::folder::Folder;
use tokio::runtime::Runtime;

use crate::peers::Peers;
use crate::program::{MCP_TEST, Serving, free_port, mcp_test, run};

/// The server scenarios that the official suite has at a revision.
fn scenarios_at(revision: Revision) -> impl Iterator<Item = &'static str> {
    scenarios::all()
        .filter(move |it| it.leg == Leg::Server && it.is_official_at(revision))
        .map(|it| &*it.id)
}

/// Runs one scenario of the official suite; returns the exit code and the output.
pub(crate) fn run_official(
    peers: &Peers,
    url: &str,
    scenario: &str,
    options: &[&str],
) -> (i32, String) {
    let mut args = peers.conformance("server");
    let target = ["--url", url, "--scenario", scenario];
    args.extend(target.iter().chain(options).map(|&arg| arg.to_owned()));
    let program = args.remove(0);
    let run = run(&program, args);
    (run.code, run.text(&[]))
}

#[track_caller]
fn reference_server_passes_at(revision: Revision) {
    let peers = Peers::installed();
    let serving = Serving::reference(MCP_TEST, &[]);
    for scenario in scenarios_at(revision) {
        let found = scenarios::find(Leg::Server, scenario).expect("a scenario");
        // Asking for a revision excludes an extension, which belongs to none.
        let options: &[&str] = match found.official.is_some_and(|it| it.is_extension()) {
            true => &[],
            false => &["--spec-version", revision.as_str()],
        };
        let (code, text) = run_official(&peers, &serving.url, scenario, options);
        assert_eq!(code, 0, "{scenario} at {revision}\n{text}");
        assert!(text.contains("0 failed, 0 warnings"), "{scenario} at {revision}\n{text}");
    }
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn the_reference_server_passes_the_official_suite_at_2025_06_18() {
    reference_server_passes_at(Revision::V2025_06_18);
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn the_reference_server_passes_the_official_suite_at_2025_11_25() {
    reference_server_passes_at(Revision::V2025_11_25);
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn the_reference_server_passes_the_official_suite_at_2026_07_28() {
    reference_server_passes_at(Revision::V2026_07_28);
}

/// The sets by which the official suite scores a revision, and all that it has.
#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn the_reference_server_passes_whole_runs_of_the_official_suite() {
    let peers = Peers::installed();
    let serving = Serving::reference(MCP_TEST, &[]);
    for (selection, scenarios) in [
        (["--requirements", "2025-11-25"], 33),
        (["--requirements", "2026-07-28"], 50),
        (["--suite", "all"], 65),
    ] {
        let mut args = peers.conformance("server");
        args.extend(["--url", &serving.url].iter().chain(&selection).map(|&arg| arg.to_owned()));
        let program = args.remove(0);
        let run = run(&program, args);
        assert_eq!(run.code, 0, "{selection:?}\n{}", run.text(&[]));
        let (_, summary) = run.stdout.split_once("=== SUMMARY ===").expect("a summary");
        let (lines, _) = summary.split_once("\nTotal: ").expect("a total");
        let lines: Vec<&str> = lines.lines().filter(|line| !line.is_empty()).collect();
        assert!(lines.iter().all(|line| line.starts_with('✓')), "{selection:?}\n{summary}");
        assert_eq!(lines.len(), scenarios, "{selection:?}\n{summary}");
    }
}

/// With the official profile, each check has the same status in our suite as in the official one.
#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn the_everything_server_has_the_same_statuses_in_both_suites() {
    let peers = Peers::installed();
    let port = free_port();
    let url = format!("http://127.0.0.1:{port}/mcp");
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "everything-in-both-suites");
    let mut failing = Vec::new();
    let command = Command::parse(peers.everything("streamableHttp")).expect("a command line");
    let target = Target::url_started_by(&url, command.env("PORT", port.to_string()));
    let runtime = Runtime::new().expect("a runtime");
    let server = runtime.block_on(target.prepare()).expect("the server listens");
    for scenario in scenarios_at(Revision::V2025_11_25) {
        let (theirs, ours) = (
            folder.path().join("theirs").join(scenario),
            folder.path().join("ours").join(scenario),
        );
        let (code, text) = run_official(
            &peers,
            &url,
            scenario,
            &["--spec-version", "2025-11-25", "-o", &path_arg(&theirs)],
        );
        let args = [
            "server",
            "--url",
            &url,
            "--scenario",
            scenario,
            "--spec-version",
            "2025-11-25",
            "-o",
            &path_arg(&ours),
        ];
        let run = mcp_test(args);
        let their_statuses = statuses(&theirs);
        let mut our_statuses = statuses(&ours);
        // Ours also lists checks that were not reached, as skipped.
        our_statuses.retain(|id, status| status != "SKIPPED" || their_statuses.contains_key(id));
        assert_eq!(our_statuses, their_statuses, "{scenario}\n{text}\n{}", run.stdout);
        assert_eq!(run.code, code, "{scenario}\n{text}\n{}", run.stdout);
        if code != 0 {
            failing.push(scenario);
        }
    }
    runtime.block_on(server.end());
    // The server lacks the resource, prompts and tools of these scenarios. It returns an error result for an unknown tool, which
    // is enough for some of the official tool checks, and accepts a subscription to any URI. It responds with 400 instead of 404
    // once a session has ended, and validates neither the Host nor the Origin header.
    let expected = [
        "server-session-lifecycle",
        "completion-complete",
        "tools-call-image",
        "tools-call-audio",
        "tools-call-embedded-resource",
        "tools-call-mixed-content",
        "tools-call-with-logging",
        "tools-call-with-progress",
        "tools-call-sampling",
        "tools-call-elicitation",
        "json-schema-2020-12",
        "elicitation-sep1034-defaults",
        "server-sse-polling",
        "elicitation-sep1330-enums",
        "resources-read-text",
        "resources-read-binary",
        "resources-templates-read",
        "prompts-get-simple",
        "prompts-get-with-args",
        "prompts-get-embedded-resource",
        "prompts-get-with-image",
        "dns-rebinding-protection",
    ];
    assert_eq!(failing, expected);
}

/// The wrong shapes here are noticed by a single official check, `wire-schema-valid`, which validates every message.
#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn a_message_of_the_wrong_shape_fails_in_both_suites() {
    let peers = Peers::installed();
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "wrong-shapes-in-both-suites");
    let faulty = [
        ("tools-list", "set:tools/list:/tools/0/name:7"),
        ("tools-list", "set:tools/list:/nextCursor:7"),
        ("resources-list", r#"set:resources/list:/resources/0/uri:"noscheme""#),
        ("prompts-list", "set:prompts/list:/prompts/0/description:7"),
        ("prompts-get-simple", r#"set:prompts/get:/messages/0/role:"system""#),
        ("prompts-get-simple", r#"set:prompts/get:/messages/0/content:"text""#),
    ];
    for (number, (scenario, fault)) in faulty.into_iter().enumerate() {
        let serving = Serving::reference(MCP_TEST, &[fault]);
        let folder = |side: &str| folder.path().join(side).join(number.to_string());
        let options = ["--spec-version", "2025-11-25", "-o"];
        let (theirs, ours) = (path_arg(&folder("theirs")), path_arg(&folder("ours")));
        let (code, text) =
            run_official(&peers, &serving.url, scenario, &[&options[..], &[&theirs]].concat());
        let target = ["server", "--url", &serving.url, "--scenario", scenario];
        let run = mcp_test([&target[..], &options, &[&ours]].concat());
        assert_eq!((code, run.code), (1, 1), "{fault}\n{text}\n{}", run.stdout);
        for statuses in [statuses(Path::new(&theirs)), statuses(Path::new(&ours))] {
            let status = statuses.get("wire-schema-valid").map(String::as_str);
            assert_eq!(status, Some("FAILURE"), "{fault}");
        }
    }
}

/// The statuses of the one `checks.json` below a folder, by check id.
pub(crate) fn statuses(folder: &Path) -> BTreeMap<String, String> {
    statuses_by("id", folder)
}

/// The statuses of the one `checks.json` below a folder, by a member of the checks; the most severe one if several checks
/// share its value.
pub(crate) fn statuses_by(key: &str, folder: &Path) -> BTreeMap<String, String> {
    const BY_SEVERITY: [&str; 5] = ["INFO", "SUCCESS", "SKIPPED", "WARNING", "FAILURE"];
    let severity = |status: &str| BY_SEVERITY.iter().position(|known| *known == status);
    let mut runs =
        fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display())).flatten();
    let run = runs.find(|entry| entry.path().is_dir()).expect("the run has a folder");
    let text = fs::read(run.path().join("checks.json")).expect("checks.json was written");
    let checks = Value::parse(&text).expect("checks.json is JSON").value;
    let member = |check: &Value, name| {
        check.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let mut statuses: BTreeMap<String, String> = BTreeMap::new();
    for check in checks.as_array().expect("checks.json is a list") {
        let status = member(check, "status");
        let most_severe = statuses.entry(member(check, key)).or_default();
        if severity(&status) > severity(most_severe) {
            *most_severe = status;
        }
    }
    statuses
}

/// A path as a command-line argument.
pub(crate) fn path_arg(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
