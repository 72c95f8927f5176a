//! The official conformance suite: our reference server passes it. `agreement` compares its verdicts with ours.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mcp_test::json::Value;
use mcp_test::scenario::TestedSide;
use mcp_test::spec::Revision;
use mcp_test_suite::scenarios;

use crate::peers::Peers;
use crate::program::{MCP_TEST, Serving, run};

/// The server scenarios that the official suite has at a revision.
fn scenarios_at(revision: Revision) -> impl Iterator<Item = &'static str> {
    scenarios::all()
        .filter(move |it| it.tested_side == TestedSide::Server && it.is_official_at(revision))
        .map(|it| &*it.id)
}

/// Runs one scenario of the official suite on a server, given by its URL, or a client, given by its command; returns the exit code
/// and the output.
pub(crate) fn run_official(
    peers: &Peers,
    tested_side: TestedSide,
    address: &str,
    scenario: &str,
    options: &[&str],
) -> (i32, String) {
    let (command, option) = command_of(tested_side);
    let mut args = peers.conformance(command);
    let target = [option, address, "--scenario", scenario];
    args.extend(target.iter().chain(options).map(|&arg| arg.to_owned()));
    let program = args.remove(0);
    let run = run(&program, args);
    (run.code, run.text(&[]))
}

/// The command of both suites that tests servers or clients, and its option that takes the URL or the command.
pub(crate) fn command_of(tested_side: TestedSide) -> (&'static str, &'static str) {
    match tested_side {
        TestedSide::Server => ("server", "--url"),
        TestedSide::Client => ("client", "--command"),
        _ => panic!("{tested_side} is not tested"),
    }
}

#[track_caller]
fn reference_server_passes_at(revision: Revision) {
    let peers = Peers::installed();
    let serving = Serving::reference(MCP_TEST, &[]);
    for scenario in scenarios_at(revision) {
        let found = scenarios::find(TestedSide::Server, scenario).expect("a scenario");
        // Asking for a revision excludes an extension, which belongs to none.
        let options: &[&str] = match found.official.is_some_and(|it| it.is_extension()) {
            true => &[],
            false => &["--spec-version", revision.as_str()],
        };
        let (code, text) =
            run_official(&peers, TestedSide::Server, &serving.url, scenario, options);
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

/// The statuses of the one `checks.json` below a folder, by check id.
pub(crate) fn statuses(folder: &Path) -> BTreeMap<String, String> {
    statuses_by("id", folder)
}

/// The statuses of the one `checks.json` below a folder, by a member of the checks; the most severe one if several checks
/// share its value.
pub(crate) fn statuses_by(key: &str, folder: &Path) -> BTreeMap<String, String> {
    const BY_SEVERITY: [&str; 5] = ["INFO", "SUCCESS", "SKIPPED", "WARNING", "FAILURE"];
    let severity = |status: &str| BY_SEVERITY.iter().position(|known| *known == status);
    let file = checks_file(folder).expect("checks.json was written");
    let text = fs::read(file).expect("checks.json can be read");
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

/// The `checks.json` of the one run below a folder, in the folder of its scenario, whose id may have a slash.
pub(crate) fn checks_file(folder: &Path) -> Option<PathBuf> {
    let own = folder.join("checks.json");
    if own.is_file() {
        return Some(own);
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).find_map(|it| checks_file(&it))
}

/// A path as a command-line argument.
pub(crate) fn path_arg(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
