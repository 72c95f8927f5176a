//! `--header`: its value reaches the server, and no report.

use std::fs;
use std::future::ready;
use std::path::Path;
use std::process::Command;

use mcp_test::json::Value;
use mcp_test::server::reference::everything;
use mcp_test::server::{Call, Server};
use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::{Run, report_options, run_command};

use crate::guarded::Guarded;
use crate::program::{MCP_TEST, mcp_test};

const SECRET: &str = "s3cr3t-k3y-of-mine";
/// The whole value, which is masked like the credentials in it.
const VALUE: &str = "Bearer s3cr3t-k3y-of-mine";
const HEADER: &str = "Authorization=Bearer s3cr3t-k3y-of-mine";

/// A server that repeats the secret wherever it can.
fn indiscreet() -> Server {
    let value = |text: String| Value::parse(text.as_bytes()).expect("it is JSON").value;
    let tools = value(format!(r#"{{"tools":[{{"name":"{SECRET}"}}]}}"#));
    let pong = value(format!(r#"{{"{VALUE}":["{SECRET}"]}}"#));
    everything()
        .on("tools/list", move |_: Call| ready(tools.clone()))
        .on("ping", move |_: Call| ready(pong.clone()))
}

/// The texts of all files below a folder.
fn texts(folder: &Path) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            texts.extend(self::texts(&path));
        } else {
            let text = fs::read(&path).expect("a file");
            texts.push((path.display().to_string(), String::from_utf8_lossy(&text).into_owned()));
        }
    }
    texts
}

#[track_caller]
fn assert_kept(run: &Run, folder: &Path) {
    let mut all = texts(folder);
    all.push(("stdout".to_owned(), run.stdout.clone()));
    all.push(("stderr".to_owned(), run.stderr.clone()));
    for (place, text) in all {
        assert!(!text.contains(SECRET), "{place} tells the secret:\n{text}");
    }
}

#[test]
fn the_header_reaches_the_server_with_every_request() {
    let server = Guarded::new(&everything(), "authorization", VALUE);
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "header-reaches");
    let out = folder.word("out");
    let run = mcp_test(["check", "--url", &server.url, "--header", HEADER, "-o", &out]);
    assert_eq!(run.code, 0, "{}", run.text(&[]));
    assert!(server.admitted() > 50, "{} requests came", server.admitted());
    assert_kept(&run, folder.path());

    let admitted = server.admitted();
    let without = mcp_test(["check", "--url", &server.url]);
    assert_eq!(without.code, 3, "{}", without.text(&[]));
    assert_eq!(server.admitted(), admitted);
}

#[test]
fn the_other_forms_of_the_value_reach_the_server_too() {
    let server = Guarded::new(&everything(), "x-key", SECRET);
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "header-from-a-file");
    fs::write(folder.path().join("key"), format!("{SECRET}\n")).expect("it can be written");
    let from_file = format!("X-Key=@{}", folder.word("key"));
    let from_variable = "X-Key=${MCP_TEST_TESTS_KEY}";
    for header in [from_file.as_str(), from_variable, "X-Key: s3cr3t-k3y-of-mine"] {
        let words = ["check", "--url", &server.url, "--scenario", "ping", "--header", header];
        let mut command = Command::new(MCP_TEST);
        command.args(words).env("MCP_TEST_TESTS_KEY", SECRET);
        let run = run_command(command);
        assert_eq!(run.code, 0, "{header}\n{}", run.text(&[]));
        assert!(!run.text(&[]).contains(SECRET), "{header}\n{}", run.text(&[]));
    }
}

#[test]
fn failures_do_not_show_a_value_that_the_server_repeats() {
    let server = Guarded::new(&indiscreet(), "authorization", VALUE);
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "header-in-failures");
    let (human, json) = (folder.word("human"), folder.word("json"));
    let words = ["check", "--url", &server.url, "--spec-version", "2025-11-25", "--header", HEADER];

    let run = mcp_test(words.iter().chain(&["-o", &human, "--verbose"]));
    assert_eq!(run.code, 1, "{}", run.text(&[]));
    assert!(run.stdout.contains("[secret]"), "the server's words are shown: {}", run.stdout);
    let rerun = run.stdout.lines().find(|line| line.contains("Rerun: "));
    let rerun = rerun.unwrap_or_else(|| panic!("no rerun line in {}", run.stdout));
    assert!(rerun.contains("Authorization"), "{rerun}");
    assert_kept(&run, folder.path());

    let reports = report_options(folder.path());
    let reports = reports.iter().map(|option| &**option).chain(["--report", "github"]);
    let mut command = Command::new(MCP_TEST);
    command.args(words.iter().chain(&["-o", &json, "--format", "json"])).args(reports);
    command.env("GITHUB_STEP_SUMMARY", folder.word("step-summary.md"));
    let run = run_command(command);
    assert_eq!(run.code, 1, "{}", run.text(&[]));
    Value::parse(run.stdout.as_bytes()).unwrap_or_else(|why| panic!("{why}\n{}", run.stdout));
    assert_kept(&run, folder.path());
    let files = texts(folder.path());
    for file in ["summary.json", "checks.json", "report.junit", "report.tap", "step-summary.md"] {
        assert!(files.iter().any(|(path, _)| path.ends_with(file)), "no {file}: {files:?}");
    }

    let single = mcp_test(words.iter().chain(&["--scenario", "ping", "--verbose"]));
    assert_eq!(single.code, 1, "{}", single.text(&[]));
    assert_kept(&single, folder.path());
}

#[test]
fn a_refusal_does_not_show_the_refused_value() {
    let server = Guarded::new(&everything(), "authorization", "another");
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "header-refused");
    for format in ["human", "json"] {
        let out = folder.word(format);
        let words = ["check", "--url", &server.url, "--header", HEADER, "-o", &out];
        let run = mcp_test(words.iter().chain(&["--format", format]));
        assert_eq!(run.code, 3, "{}", run.text(&[]));
        assert!(run.stderr.contains("not the right key"), "{}", run.text(&[]));
        assert_kept(&run, folder.path());
    }
}

#[test]
fn wrong_usage_does_not_show_the_value() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "header-wrong");
    let wrong: [&[&str]; 4] = [
        &["check", "--header", HEADER, "--", "true"],
        &["check", "--reference", "--header", HEADER],
        &["check", "--url", "http://127.0.0.1:1/mcp", "--header", "Bearer s3cr3t-k3y-of-mine"],
        &["check", "--url", "http://127.0.0.1:1/mcp", "--header", HEADER, "--bogus"],
    ];
    for words in wrong {
        let run = mcp_test(words);
        assert_eq!(run.code, 2, "{}", run.text(&[]));
        assert_kept(&run, folder.path());
    }
}
