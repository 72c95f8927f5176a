//! `--report`: JUnit XML, read by another parser, the other files, and the annotations and step summary of GitHub Actions.

use std::fs;
use std::future::ready;
use std::path::Path;
use std::process::Command;

use mcp_test::json::Value;
use mcp_test::server::reference::everything;
use mcp_test::server::{Answer, Call, Server};
use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::{Run, free_port, run_command};
use roxmltree::{Document, Node};
use tokio::runtime::Runtime;

use crate::program::{MCP_TEST, mcp_test};

/// Text that is markup, or a command, in each format; the JSON string `\\u001b` is an escape character.
const HOSTILE: &str = r###"x]]> \u001b[31m\u0000\r\n::error title=a::pwned\n##[error]pwned\n<script>alert(1)</script> ``` [a](b:c) \u202e\uffff"###;

/// A server that sends the text wherever it can.
fn hostile() -> Server {
    let value = |text: String| Value::parse(text.as_bytes()).expect("it is JSON").value;
    let tools = value(format!(r#"{{"tools":[{{"name":"{HOSTILE}","description":7}}]}}"#));
    let pong = value(format!(r#"{{"{HOSTILE}":["{HOSTILE}"]}}"#));
    let text = value(format!(r#""{HOSTILE}""#)).as_str().unwrap_or_default().to_owned();
    everything()
        .on("tools/list", move |_: Call| ready(tools.clone()))
        .on("ping", move |_: Call| ready(pong.clone()))
        .on("prompts/list", move |_: Call| ready(Answer::error(-32603, text.clone())))
}

/// The text with each character replaced that only a hostile peer sends.
fn assert_inert(text: &str) {
    let is_bad = |c: char| {
        (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{202e}' | '\u{ffff}')
    };
    assert!(!text.contains(is_bad), "{text:?}");
}

/// The elements with this name.
fn elements<'a, 'i>(document: &'a Document<'i>, name: &'a str) -> Vec<Node<'a, 'i>> {
    document.descendants().filter(|node| node.has_tag_name(name)).collect()
}

/// Asserts that every number agrees with the elements, and returns the numbers of failures, errors and skipped ones.
fn numbers(document: &Document<'_>) -> [usize; 3] {
    let names = [
        ("tests", "testcase"),
        ("failures", "failure"),
        ("errors", "error"),
        ("skipped", "skipped"),
    ];
    for parent in document
        .descendants()
        .filter(|node| node.has_tag_name("testsuites") || node.has_tag_name("testsuite"))
    {
        for (attribute, element) in names {
            let count = parent.descendants().filter(|node| node.has_tag_name(element)).count();
            assert_eq!(parent.attribute(attribute), Some(&*count.to_string()), "{attribute}");
        }
    }
    ["failure", "error", "skipped"].map(|name| elements(document, name).len())
}

/// The files beside `junit.xml`, by their formats.
const OTHERS: [&str; 4] = ["markdown", "sarif", "ctrf", "tap"];

/// Runs with reports to this folder: `junit.xml`, the other files, and what GitHub gets in `summary.md`.
fn reported<'a>(
    folder: &Folder,
    words: impl IntoIterator<Item = &'a str>,
) -> (Run, String, String) {
    let junit = format!("junit={}", folder.word("junit.xml"));
    let mut command = Command::new(MCP_TEST);
    let mut words: Vec<&str> = words.into_iter().collect();
    let end = words.iter().position(|word| *word == "--").unwrap_or(words.len());
    let others = OTHERS.map(|format| format!("{format}={}", folder.word(format)));
    let reports = others.iter().map(|report| &**report).chain([&*junit, "github"]);
    words.splice(end..end, reports.flat_map(|report| ["--report", report]).collect::<Vec<_>>());
    command.args(words).env("GITHUB_ACTIONS", "true");
    command.env("GITHUB_STEP_SUMMARY", folder.word("summary.md"));
    let run = run_command(command);
    let read = |name: &str| {
        let path = folder.path().join(name);
        fs::read_to_string(&path).unwrap_or_else(|why| panic!("{name}: {why}\n{}", run.text(&[])))
    };
    let (xml, summary) = (read("junit.xml"), read("summary.md"));
    for format in OTHERS {
        assert_inert(&read(format));
    }
    for format in ["sarif", "ctrf"] {
        Value::parse(read(format).as_bytes()).unwrap_or_else(|why| panic!("{format}: {why}"));
    }
    // Both are short; the summary of a step has those of the commands before.
    assert!(summary.ends_with(&format!("\n{}", read("markdown"))), "{summary}");
    (run, xml, summary)
}

/// What is not code in a text of Markdown.
fn prose(markdown: &str) -> String {
    let mut fence: Option<String> = None;
    let mut text = String::new();
    for line in markdown.lines() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        match &fence {
            Some(open) if line == open => fence = None,
            Some(_) => {}
            None if ticks.len() > 2 => fence = Some(ticks),
            None => text.push_str(&format!("{}\n", without_spans(line))),
        }
    }
    assert_eq!(fence, None, "a block is open at the end");
    text
}

fn without_spans(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        text.push_str(&rest[..start]);
        let ticks = rest[start..].chars().take_while(|c| *c == '`').count();
        let fence = "`".repeat(ticks);
        let after = &rest[start + ticks..];
        let end = after
            .match_indices(&fence)
            .map(|(at, _)| at)
            .find(|at| !after[..*at].ends_with('`') && !after[at + ticks..].starts_with('`'));
        let end = end.unwrap_or_else(|| panic!("a span is open at the end of {line}"));
        rest = &after[end + ticks..];
    }
    text + rest
}

#[test]
fn text_of_a_hostile_server_is_inert_in_every_report() {
    let runtime = Runtime::new().expect("a runtime");
    let listening = runtime.block_on(hostile().listen("127.0.0.1:0")).expect("a free port");
    for format in ["human", "json"] {
        let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), &format!("ci-hostile-{format}"));
        let words =
            ["check", "--spec-version", "2025-11-25", "--format", format, "--url", listening.url()];
        let (run, xml, summary) = reported(&folder, words);
        assert_eq!(run.code, 1, "{}", run.text(&[]));

        assert_inert(&xml);
        let document = Document::parse(&xml).unwrap_or_else(|why| panic!("{why}\n{xml}"));
        let [failures, errors, _] = numbers(&document);
        assert!(failures > 1 && errors == 0, "{xml}");
        let texts: String = document.descendants().filter_map(|node| node.text()).collect();
        assert!(texts.contains("<script>alert(1)</script>"), "it is shown as it was sent: {xml}");

        assert_inert(&summary);
        let prose = prose(&summary);
        assert!(summary.contains("<script>"), "{summary}");
        let ours = ["<details>", "</details>", "<summary>", "</summary>", "<code>", "</code>"];
        let prose = ours.iter().fold(prose, |prose, tag| prose.replace(tag, ""));
        // The links to requirements.
        let prose = prose.replace("](https://modelcontextprotocol.io/", "");
        let prose = prose.replace("](https://github.com/modelcontextprotocol/", "");
        assert!(!prose.contains(['<', '\\']) && !prose.contains("]("), "{prose}");

        let commands = run.stderr.lines().filter(|line| line.starts_with("::"));
        let commands: Vec<&str> = commands.collect();
        assert!(!commands.is_empty(), "{}", run.stderr);
        for command in &commands {
            let known = ["::error title=mcp-test", "::warning title=mcp-test"];
            assert!(known.iter().any(|start| command.starts_with(start)), "{command}");
            assert_inert(command);
        }
        for line in run.stdout.lines().chain(run.stderr.lines()) {
            let is_ours = commands.contains(&line);
            assert!(is_ours || !line.trim_start().starts_with("::"), "{line}");
            assert!(is_ours || !line.contains("##["), "{line}");
        }
        if format == "json" {
            Value::parse(run.stdout.as_bytes()).expect("only one document");
        }
    }
}

#[test]
fn failures_and_exit_code_agree_with_a_baseline_too() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "ci-baseline");
    let baseline = folder.word("known.yml");
    let server = ["--", MCP_TEST, "reference", "server", "--stdio"];
    let fault = ["--fault", "error:prompts/get:-32603"];
    let select = ["server", "--spec-version", "2025-11-25"];
    let expecting = ["--expected-failures", &baseline];
    let run = |words: &[&[&str]]| {
        let (run, xml, _) = reported(&folder, words.concat());
        let document = Document::parse(&xml).unwrap_or_else(|why| panic!("{why}\n{xml}"));
        (run.code, numbers(&document), xml.clone())
    };
    let (code, [failures, errors, skipped], xml) = run(&[&select, &server, &fault]);
    assert!(code == 1 && failures > 0 && errors == 0, "{xml}");

    let written =
        mcp_test([&select[..], &["--write-baseline", &baseline], &server, &fault].concat());
    assert_eq!(written.code, 0, "{}", written.text(&[]));
    let (code, numbers, xml) = run(&[&select, &expecting, &server, &fault]);
    assert_eq!((code, numbers), (0, [0, 0, skipped + failures]), "{xml}");
    assert_eq!(xml.matches(r#"<skipped message="expected failure">"#).count(), failures, "{xml}");

    let (code, [stale, errors, _], xml) = run(&[&select, &expecting, &server]);
    assert!(code == 1 && stale > 0 && errors == 0, "{xml}");
    assert_eq!(xml.matches(r#"name="baseline: "#).count(), stale, "{xml}");
}

#[test]
fn a_run_that_cannot_take_place_is_reported() {
    let nobody = format!("http://127.0.0.1:{}/mcp", free_port());
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "ci-not-run");
    let (run, xml, summary) = reported(&folder, ["check", "--url", &nobody]);
    assert_eq!(run.code, 3, "{}", run.text(&[]));
    let document = Document::parse(&xml).unwrap_or_else(|why| panic!("{why}\n{xml}"));
    assert_eq!(numbers(&document), [0, 1, 0], "{xml}");
    assert!(
        run.stderr.contains("::error title=mcp-test%3A not run::cannot test "),
        "{}",
        run.stderr
    );
    assert!(summary.contains("could not be run"), "{summary}");
    let read = |format| fs::read_to_string(folder.path().join(format)).expect("it was written");
    assert!(read("tap").contains("\n1..1\nnot ok 1 - start\n"), "{}", read("tap"));
    assert!(read("sarif").contains("\"executionSuccessful\": false"), "{}", read("sarif"));
    assert!(read("ctrf").contains("\"failed\": 1,"), "{}", read("ctrf"));
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_run_is_reported() {
    let peer = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/signals.sh");
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "ci-interrupted");
    let words = ["server", "--scenario", "ping", "--spec-version", "2025-11-25", "--", "sh"];
    let peer = peer.to_string_lossy();
    let (run, xml, summary) = reported(&folder, words.into_iter().chain([&*peer, "INT"]));
    assert_eq!(run.code, 130, "{}", run.text(&[]));
    let document = Document::parse(&xml).unwrap_or_else(|why| panic!("{why}\n{xml}"));
    assert_eq!(numbers(&document), [0, 1, 0], "{xml}");
    assert!(xml.contains("the run was interrupted after 0 of 1 scenario runs"), "{xml}");
    assert!(run.stderr.contains("::error title=mcp-test%3A interrupted::"), "{}", run.stderr);
    assert!(summary.contains("interrupted"), "{summary}");
    for format in OTHERS {
        let text = fs::read_to_string(folder.path().join(format)).expect("it was written");
        assert!(text.contains("interrupted after 0 of 1 scenario runs"), "{format}: {text}");
    }
}

#[test]
fn clients_and_cases_are_reported_too() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "ci-commands");
    let file = folder.word("contract.yaml");
    let case = r##"case: "Ping # SKIP \\ | `x` <b>"
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "result": {"a": 1}}
"##;
    fs::write(&file, case).expect("the folder is ours");
    let server = ["--", MCP_TEST, "reference", "server", "--stdio"];
    let runs: [&[&str]; 3] = [
        &["client", "--command", "true", "--scenario", "initialize"],
        &[&["cases", "run", &file][..], &server].concat(),
        &["cases", "verify-client", &file, "--command", "true"],
    ];
    for words in runs {
        let (run, xml, summary) = reported(&folder, words.iter().copied());
        assert_eq!(run.code, 1, "{}", run.text(&[]));
        let document = Document::parse(&xml).unwrap_or_else(|why| panic!("{why}\n{xml}"));
        assert_eq!(numbers(&document), [1, 0, 0], "{xml}");
        let is_case = words[0] == "cases";
        let place = format!("::error file={},title=", file.replace(':', "%3A"));
        assert_eq!(run.stderr.contains(&place), is_case, "{}", run.stderr);
        assert!(summary.contains("❌ failed"), "{summary}");
        let tap = fs::read_to_string(folder.path().join("tap")).expect("it was written");
        let points: Vec<&str> =
            tap.lines().filter(|line| line.starts_with("not ok 1 - ")).collect();
        assert!(points.len() == 1 && !points[0].contains('#'), "{tap}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_before_the_run() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "ci-unwritable");
    let missing = folder.word("missing/junit.xml");
    let run = mcp_test(["check", "--reference", "--report", &format!("junit={missing}")]);
    assert_eq!((run.code, &*run.stdout), (2, ""), "{}", run.text(&[]));
    assert!(run.stderr.starts_with(&format!("error: --report {missing}: ")), "{}", run.stderr);

    let selected = |words: &[&str]| {
        let mut command = Command::new(MCP_TEST);
        command.args(["check", "--reference", "--scenario", "ping"]).args(words);
        command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &missing);
        run_command(command)
    };
    let run = selected(&["--report", "github"]);
    assert_eq!((run.code, &*run.stdout), (2, ""), "{}", run.text(&[]));
    assert!(
        run.stderr.starts_with(&format!("error: GITHUB_STEP_SUMMARY {missing}: ")),
        "{}",
        run.stderr
    );
    // Only by default, as in a container that does not have the file.
    let run = selected(&[]);
    assert_eq!(run.code, 0, "{}", run.text(&[]));
    assert!(
        run.stderr.starts_with(&format!("warning: GITHUB_STEP_SUMMARY {missing}: ")),
        "{}",
        run.stderr
    );
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_written_after_the_run_is_an_error() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "ci-unwritten");
    let (pipe, large) = (folder.word("pipe.tap"), folder.word("large.xml"));
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo starts");
    assert!(made.success());
    for (file, report, problem) in [
        (&pipe, format!("tap={pipe}"), "it is a pipe that no program reads"),
        (&large, format!("junit={large}"), "File too large"),
    ] {
        let mut command = Command::new("sh");
        // A block has 512 bytes, or 1,024.
        command.args(["-c", r#"ulimit -f 1; exec "$@""#, "sh", MCP_TEST, "check", "--reference"]);
        command.args(["--scenario", "ping", "--report", &report]);
        let run = run_command(command);
        assert_eq!(run.code, 3, "{}", run.text(&[]));
        let error = format!("error: cannot write {file}: {problem}");
        assert!(run.stderr.contains(&error), "{}", run.text(&[]));
    }
}

#[test]
fn the_formats_are_named_where_one_is_unknown() {
    let run = mcp_test(["check", "--reference", "--report", "html=x"]);
    assert_eq!((run.code, &*run.stdout), (2, ""), "{}", run.text(&[]));
    let expected =
        "expected `junit=FILE`, `markdown=FILE`, `sarif=FILE`, `ctrf=FILE`, `tap=FILE` or `github`";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
}

#[test]
fn github_is_the_default_in_a_workflow_only() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "ci-default");
    let server = ["--", MCP_TEST, "reference", "server", "--stdio", "--fault", "error:ping:-32603"];
    let junit = format!("junit={}", folder.word("junit.xml"));
    let commands = |actions: Option<&str>, options: &[&str]| {
        let mut command = Command::new(MCP_TEST);
        let select = ["check", "--scenario", "ping", "--spec-version", "2025-11-25"];
        command.args(select).args(options).args(server);
        command.envs(actions.map(|value| ("GITHUB_ACTIONS", value)));
        let run = run_command(command);
        assert_eq!(run.code, 1, "{}", run.text(&[]));
        run.stderr.lines().filter(|line| line.starts_with("::error ")).count()
    };
    assert_eq!(commands(Some("true"), &[]), 1);
    assert_eq!(commands(None, &[]), 0);
    assert_eq!(commands(Some("false"), &[]), 0);
    assert_eq!(commands(Some("true"), &["--report", &junit]), 0, "other reports replace it");
    assert_eq!(commands(None, &["--report", "github"]), 1);
}
