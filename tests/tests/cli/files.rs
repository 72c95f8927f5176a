//! The files of `-o`, and the document of `--format json`.

use std::fs;
use std::future::ready;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test::json::Value;
use mcp_test::scenario::{Scenario, Suite, TestedSide};
use mcp_test::server::reference::everything;
use mcp_test::server::{Call, Server};
use mcp_test::spec::Revision;
use mcp_test::transport::TransportKind;
use mcp_test_suite::scenarios;
use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::free_port;
use tokio::runtime::Runtime;

use crate::program::{MCP_TEST, mcp_test};

fn read(path: &Path) -> Value {
    let text = fs::read(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    Value::parse(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display())).value
}

fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.at(pointer).and_then(Value::as_str)
}

#[test]
fn a_run_that_cannot_take_place_is_reported_as_json() {
    let nobody = format!("http://127.0.0.1:{}/mcp", free_port());
    let targets: [&[&str]; 3] =
        [&["--url", &nobody], &["--", "a-server-that-nobody-wrote"], &["--", "echo", "hello"]];
    for (index, target) in targets.into_iter().enumerate() {
        let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), &format!("not-run-{index}"));
        for command in ["server", "check"] {
            let out = folder.word(command);
            let options = [command, "--format", "json", "--spec-version", "2025-11-25", "-o", &out];
            let run = mcp_test(options.iter().chain(target));
            assert_eq!(run.code, 3, "{}", run.text(&[]));
            let printed = Value::parse(run.stdout.as_bytes());
            let printed = printed.unwrap_or_else(|why| panic!("{why}\n{}", run.stdout)).value;
            let written = read(&folder.path().join(command).join("summary.json"));
            for document in [&printed, &written] {
                assert_eq!(document.at("/exitCode").and_then(Value::as_i64), Some(3), "{document}");
                assert!(text(document, "/notRun/headline").is_some(), "{document}");
                let blame = text(document, "/notRun/blame");
                assert!(matches!(blame, Some("peer" | "environment")), "{document}");
                assert_eq!(document.at("/cells").and_then(Value::as_array), Some(&[][..]));
            }
            let errors = run.stderr.lines().filter(|line| line.starts_with("error: "));
            assert_eq!(errors.count(), 1, "{}", run.stderr);
        }
    }
}

/// The folders below a folder.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

/// Whether a text has a form in which `0` means any digit.
fn is_like(text: &str, form: &str) -> bool {
    text.len() == form.len()
        && text.chars().zip(form.chars()).all(|(got, wanted)| match wanted {
            '0' => got.is_ascii_digit(),
            wanted => got == wanted,
        })
}

/// The official members of a check, in order, and whether each is required.
const MEMBERS: [(&str, bool); 8] = [
    ("id", true),
    ("name", true),
    ("description", true),
    ("status", true),
    ("timestamp", true),
    ("errorMessage", false),
    ("specReferences", false),
    ("details", false),
];

#[track_caller]
fn assert_official_row(row: &Value) {
    let row = row.as_object().unwrap_or_else(|| panic!("no object: {row}"));
    let names: Vec<&str> = row.iter().map(|(name, _)| name).collect();
    let wanted: Vec<&str> = MEMBERS
        .iter()
        .filter(|(name, always)| *always || names.contains(name))
        .map(|(name, _)| *name)
        .collect();
    assert_eq!(names, wanted);
    let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
    for (name, _) in MEMBERS.iter().filter(|(_, always)| *always) {
        assert!(!text(name).is_empty(), "`{name}` is no text: {row:?}");
    }
    let statuses = ["SUCCESS", "FAILURE", "WARNING", "SKIPPED", "INFO"];
    assert!(statuses.contains(&text("status")), "{row:?}");
    assert!(is_like(text("timestamp"), "0000-00-00T00:00:00.000Z"), "{row:?}");
    if matches!(text("status"), "FAILURE" | "WARNING") {
        assert!(!text("errorMessage").is_empty(), "{row:?}");
    }
    if let Some(references) = row.get("specReferences") {
        let references = references.as_array().expect("a list of references");
        assert!(!references.is_empty(), "{row:?}");
        for reference in references {
            let reference = reference.as_object().expect("a reference is an object");
            let names: Vec<&str> = reference.iter().map(|(name, _)| name).collect();
            assert!(names == ["id", "url"] || names == ["id"], "{names:?}");
            assert!(reference.iter().all(|(_, value)| value.as_str().is_some()), "{row:?}");
        }
    }
    if let Some(details) = row.get("details") {
        assert!(details.is_object(), "{row:?}");
    }
}

/// The rows of every `checks.json` of a run with these arguments, which has this many scenario runs.
fn rows(name: &str, words: &[&str], scenario_runs: usize) -> Vec<Value> {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), name);
    let output = ["-o", &folder.word("")];
    let (command, words) = words.split_first().expect("a command");
    let run = mcp_test([command].into_iter().chain(&output).chain(words));
    assert_eq!(run.code, i32::from(run.stdout.contains('✗')), "{}", run.text(&[]));
    let mut rows = Vec::new();
    let folders = folders(folder.path());
    assert_eq!(folders.len(), scenario_runs, "{folders:?}");
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stamp = name.get(name.len().saturating_sub(24)..).unwrap_or_default();
        assert!(name.starts_with("server-"), "{name}");
        assert!(is_like(stamp, "0000-00-00T00-00-00-000Z"), "{name}");
        let text = fs::read_to_string(folder.join("checks.json")).expect("checks.json is written");
        let document = Value::parse(text.as_bytes()).expect("checks.json is JSON").value;
        assert!(text.starts_with("[\n  {\n    \"id\": "), "two spaces per level:\n{text}");
        rows.extend(document.as_array().expect("checks.json is a list").iter().cloned());
    }
    rows
}

/// How many scenarios a run over stdio has at 2025-11-25.
fn over_stdio(command: &str) -> usize {
    // `server` runs only the active scenarios of the official suite.
    let exists = |scenario: &&Scenario| {
        scenario.tested_side == TestedSide::Server
            && (command == "check" || Suite::Active.selects(scenario))
            && scenario.transports.contains(TransportKind::Stdio)
            && scenario.revisions.contains(Revision::V2025_11_25)
    };
    scenarios::all().filter(exists).count()
}

#[test]
fn checks_have_the_official_members_and_no_others() {
    let server = ["--", MCP_TEST, "reference", "server", "--stdio"];
    let fault = ["--fault", "error:tools/call:-32603"];
    for command in ["server", "check"] {
        let words = [&[command, "--spec-version", "2025-11-25"][..], &server, &fault].concat();
        let rows = rows(&format!("rows-of-{command}"), &words, over_stdio(command));
        rows.iter().for_each(assert_official_row);
        for member in ["errorMessage", "specReferences"] {
            assert!(rows.iter().any(|row| row.get(member).is_some()), "no row has `{member}`");
        }
        assert!(rows.iter().any(|row| text(row, "/status") == Some("FAILURE")), "{rows:?}");
    }
}

#[test]
fn untestable_scenarios_are_reported_as_officially() {
    let runtime = Runtime::new().expect("a runtime");
    let listening = runtime.block_on(growing().listen("127.0.0.1:0"));
    let listening = listening.expect("a free port");
    let url = listening.url();
    let words = ["server", "--scenario", "tools-list", "--spec-version", "2026-07-28"];
    let rows = rows("untestable", &[&words[..], &["--url", url]].concat(), 1);
    rows.iter().for_each(assert_official_row);
    let order = |row: &&Value| text(row, "/id") == Some("tools-list-deterministic-order");
    let row = rows.iter().find(order).unwrap_or_else(|| panic!("no such row: {rows:?}"));
    assert_eq!(row.at("/details/untestable"), Some(&Value::from(true)), "{row}");
    let message = text(row, "/errorMessage").unwrap_or_default();
    assert!(message.starts_with("Not testable: "), "{row}");
}

/// A server that lists another tool each time, so that its order cannot be judged.
fn growing() -> Server {
    let turns = AtomicUsize::new(0);
    everything().on("tools/list", move |_: Call| {
        let names = 0..turns.fetch_add(1, Ordering::Relaxed) + 2;
        let tools = names.map(|name| {
            format!(
                r#"{{"name":"t{name}","description":"a tool","inputSchema":{{"type":"object"}}}}"#
            )
        });
        let list = format!(r#"{{"tools":[{}]}}"#, tools.collect::<Vec<_>>().join(","));
        ready(Value::parse(list.as_bytes()).expect("it is JSON").value)
    })
}
