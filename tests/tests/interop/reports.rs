//! `--report`: each format is read by a reader of its ecosystem, and contains what `summary.json` has.

use std::fs;
use std::future::ready;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test::server::Call;
use mcp_test::server::reference::everything;
use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::run_command;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::peers::Peers;
use crate::program::{MCP_TEST, Run, run};

/// Text that is markup in each of the formats; the JSON string `\u001b` is an escape character.
const HOSTILE: &str = r##"x]]> | \\| \\\\|y `a` ``` \u001b[31m\u0000\r\n| a | b |\n<script>alert(1)</script> <img src=x onerror=y> &lt; [a](http://b.example) http://c.example www.d.example @org ok 9 - pwned # SKIP\nnot ok 7\n  ...\n---\n{0} \u202e\uffff\ud83d\ude00"##;

/// The files of a run, and what its `summary.json` says.
struct Reported {
    folder: Folder,
    summary: Value,
}

/// Runs `check` with every format against the reference server: it passes, fails, warns, skips, and fails as expected.
fn reported(name: &str, more: &[&str]) -> Reported {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), name);
    let baseline = folder.word("known.yml");
    fs::write(&baseline, "server:\n  - logging-set-level\n").expect("the folder is ours");
    let mut command = Command::new(MCP_TEST);
    command.args(["check", "--spec-version", "2025-11-25", "--expected-failures", &baseline]);
    for format in ["junit", "markdown", "sarif", "ctrf", "tap"] {
        command.args(["--report", &format!("{format}={}", folder.word(format))]);
    }
    command.args(["-o", &folder.word("results"), "--", MCP_TEST, "reference", "server", "--stdio"]);
    for fault in [
        "set:logging/setLevel:/level:true",
        "error:prompts/get:-32603",
        "remove:initialize:/capabilities/completions",
        "set:resources/subscribe:/subscribed:true",
    ]
    .iter()
    .chain(more)
    {
        command.args(["--fault", fault]);
    }
    let run = run_command(command);
    assert_eq!(run.code, 1, "{}", run.text(&[]));
    let summary = fs::read_to_string(folder.path().join("results/summary.json"));
    let summary = serde_json::from_str(&summary.expect("it was written")).expect("it is JSON");
    Reported { folder, summary }
}

/// With names and messages that are markup.
fn hostile(name: &str) -> Reported {
    let tools =
        format!(r#"answer:tools/list:{{"tools":[{{"name":"{HOSTILE}","description":7}}]}}"#);
    let long = format!(r#"set:resources/list:/resources/0/uri:"{}""#, "@1000000@");
    let server = format!(r#"set:initialize:/serverInfo/name:"{HOSTILE}""#);
    reported(name, &[&tools, &long, &server])
}

impl Reported {
    /// How many scenario runs ended in each way.
    fn count(&self, verdict: &str) -> usize {
        let scenario_runs = self.summary["cells"].as_array().expect("it has cells");
        let is_expected = |scenario_run: &Value| scenario_run["scenario"] == "logging-set-level";
        let is_it = |scenario_run: &&Value| match verdict {
            "expected" => is_expected(scenario_run),
            "failed" => scenario_run["verdict"] == "failed" && !is_expected(scenario_run),
            verdict => scenario_run["verdict"] == verdict,
        };
        scenario_runs.iter().filter(is_it).count()
    }

    /// How many problems have this level, without the expected one.
    fn problems(&self, level: &str) -> usize {
        let problems = self.summary["problems"].as_array().expect("it has problems");
        let is_it = |problem: &&Value| {
            problem["level"] == level && problem["scenarios"] != json!(["logging-set-level"])
        };
        problems.iter().filter(is_it).count()
    }

    fn read(&self, peers: &Peers, format: &str) -> Value {
        let file = self.folder.word(format);
        let command = match format {
            "junit" => peers.python("read_junit.py", &[&file]),
            format => peers.typescript("read_report.mjs", &[format, &file]),
        };
        output(&run(&command[0], &command[1..]))
    }
}

fn output(run: &Run) -> Value {
    assert_eq!(run.code, 0, "{}", run.text(&[]));
    serde_json::from_str(&run.stdout).unwrap_or_else(|why| panic!("{why}: {}", run.text(&[])))
}

#[test]
fn the_run_has_results_of_every_kind() {
    let reported = reported("reports-kinds", &[]);
    for verdict in ["passed", "failed", "skipped", "expected"] {
        assert!(reported.count(verdict) > 0, "{verdict}: {}", reported.summary);
    }
    for level in ["failing", "warning"] {
        assert!(reported.problems(level) > 0, "{level}: {}", reported.summary);
    }
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn junit_is_read_by_junitparser() {
    let peers = Peers::installed();
    for reported in [reported("reports-junit", &[]), hostile("reports-junit-hostile")] {
        let read = reported.read(&peers, "junit");
        let skipped = reported.count("skipped") + reported.count("expected");
        let counts = ["passed", "failed"].map(|verdict| json!(reported.count(verdict)));
        assert_eq!(["passed", "failed"].map(|it| read["counts"][it].clone()), counts, "{read}");
        assert_eq!(read["counts"]["skipped"], json!(skipped), "{read}");
        assert_eq!(read["counts"]["error"], Value::Null, "{read}");
    }
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn ctrf_is_read_by_its_reference_implementation() {
    let peers = Peers::installed();
    for reported in [reported("reports-ctrf", &[]), hostile("reports-ctrf-hostile")] {
        let read = reported.read(&peers, "ctrf");
        for (status, verdict) in [
            ("passed", "passed"),
            ("failed", "failed"),
            ("skipped", "skipped"),
            ("other", "expected"),
        ] {
            assert_eq!(read["summary"][status], json!(reported.count(verdict)), "{read}");
        }
    }
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn tap_is_read_by_tap_parser_in_strict_mode() {
    let peers = Peers::installed();
    for reported in [reported("reports-tap", &[]), hostile("reports-tap-hostile")] {
        let read = reported.read(&peers, "tap");
        let [failed, skipped, expected] =
            ["failed", "skipped", "expected"].map(|verdict| reported.count(verdict));
        let scenario_runs = reported.summary["cells"].as_array().map_or(0, Vec::len);
        // What is to do counts as failed, which does not fail the run.
        let numbers =
            [scenario_runs, failed + expected, skipped, expected].map(|number| json!(number));
        assert_eq!(["count", "fail", "skip", "todo"].map(|it| read[it].clone()), numbers, "{read}");
        assert_eq!((&read["extra"], &read["broken"]), (&json!([]), &json!([])), "{read}");
        let diagnostics = read["diagnostics"].as_array().expect("a list").iter();
        let severities: Vec<_> = diagnostics.filter_map(|it| it["severity"].as_str()).collect();
        let count = |severity: &str| severities.iter().filter(|it| **it == severity).count();
        assert_eq!((count("fail"), count("todo")), (failed, expected), "{read}");
    }
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn markdown_is_read_by_marked() {
    const TAGS: [&str; 6] =
        ["</code>", "</details>", "</summary>", "<code>", "<details>", "<summary>"];
    let peers = Peers::installed();
    for reported in [reported("reports-markdown", &[]), hostile("reports-markdown-hostile")] {
        let read = reported.read(&peers, "markdown");
        let rows = reported.problems("failing") + reported.problems("warning");
        assert_eq!(read["rows"], json!(rows), "{read}");
        assert_eq!(read["tags"], json!(TAGS), "only our own tags are tags");
        let links = read["links"].as_array().expect("a list");
        let is_ours = |link: &str| {
            link.starts_with("https://modelcontextprotocol.io/")
                || link.starts_with("https://github.com/modelcontextprotocol/")
        };
        assert!(links.iter().all(|link| link.as_str().is_some_and(is_ours)), "{links:?}");
        let text = fs::read_to_string(reported.folder.path().join("markdown")).expect("a file");
        assert!(text.len() < 60_000, "{}", text.len());
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn sarif_is_validated_by_the_rules_of_the_format_and_of_github() {
    let peers = Peers::installed();
    for reported in [reported("reports-sarif", &[]), hostile("reports-sarif-hostile")] {
        // The validator knows a file of SARIF by its name.
        let file = reported.folder.word("report.sarif");
        fs::rename(reported.folder.word("sarif"), &file).expect("the folder is ours");
        let found = reported.folder.word("found.sarif");
        let options = ["-o", &found, "--log", "ForceOverwrite", "--rule-kind", "Sarif;Ghas"];
        let run = run(&peers.sarif_validator(), ["validate", &file].iter().chain(&options));
        assert_eq!(run.code, 0, "{}", run.text(&[]));
        let read = |file: &str| -> Value {
            let text = fs::read_to_string(file).expect("it was written");
            serde_json::from_str(text.trim_start_matches('\u{feff}')).expect("it is JSON")
        };
        let found = read(&found);
        assert_eq!(found["runs"][0]["results"], json!([]), "{}", run.text(&[]));
        assert_eq!(found["runs"][0]["invocations"][0]["executionSuccessful"], true, "{found}");

        let report = read(&file);
        let results = report["runs"][0]["results"].as_array().expect("results");
        let is = |result: &&Value, level: &str| {
            result["level"] == level && result.get("suppressions").is_none()
        };
        let count = |level: &str| results.iter().filter(|result| is(result, level)).count();
        let numbers = ["failing", "warning"].map(|level| reported.problems(level));
        assert_eq!([count("error"), count("warning")], numbers, "{report}");
        let suppressed = results.iter().filter(|it| it.get("suppressions").is_some()).count();
        assert_eq!(suppressed, 1, "{report}");
        let runs = &report["runs"][0]["properties"]["scenarioRuns"];
        for (name, verdict) in [("passed", "passed"), ("failed", "failed"), ("skipped", "skipped")]
        {
            assert_eq!(runs[name], json!(reported.count(verdict)), "{runs}");
        }
    }
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn a_flaky_scenario_run_is_flaky_for_each_reader() {
    let peers = Peers::installed();
    let runtime = Runtime::new().expect("a runtime");
    let replies = AtomicUsize::new(0);
    let recovers = move |_: Call| {
        let is_first = replies.fetch_add(1, Ordering::SeqCst) == 0;
        ready(if is_first { json!({"pong": true}) } else { json!({}) })
    };
    let server = everything().on("ping", recovers);
    let listening = runtime.block_on(server.listen("127.0.0.1:0")).expect("a free port");
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "reports-flaky");
    let mut command = Command::new(MCP_TEST);
    command.args(["check", "--spec-version", "2025-11-25", "--jobs", "1", "--retries", "2"]);
    command.args(["--scenario", "ping", "--scenario", "tools-list", "--url", listening.url()]);
    for format in ["junit", "ctrf", "tap"] {
        command.args(["--report", &format!("{format}={}", folder.word(format))]);
    }
    let run = run_command(command);
    assert_eq!(run.code, 1, "{}", run.text(&[]));
    let reported = Reported { folder, summary: Value::Null };

    let ctrf = reported.read(&peers, "ctrf");
    let counts = ["passed", "failed", "flaky"].map(|status| ctrf["summary"][status].clone());
    assert_eq!(counts, [json!(1), json!(1), json!(1)], "{ctrf}");
    let tap = reported.read(&peers, "tap");
    assert_eq!([&tap["pass"], &tap["fail"]], [&json!(1), &json!(1)], "{tap}");
    assert!(tap["diagnostics"].to_string().contains("flaky"), "{tap}");
    let junit = reported.read(&peers, "junit");
    assert_eq!(junit["flaky"], json!(1), "{junit}");
}

#[test]
fn fingerprints_are_the_same_in_each_run() {
    let fingerprints = |name| {
        let text = fs::read_to_string(hostile(name).folder.path().join("sarif")).expect("a file");
        let report: Value = serde_json::from_str(&text).expect("it is JSON");
        let results = report["runs"][0]["results"].as_array().expect("results").clone();
        results.iter().map(|it| it["partialFingerprints"].clone()).collect::<Vec<Value>>()
    };
    let first = fingerprints("reports-first");
    assert!(first.len() > 3, "{first:?}");
    assert_eq!(first, fingerprints("reports-again"));
    let all: std::collections::BTreeSet<String> = first.iter().map(Value::to_string).collect();
    assert_eq!(all.len(), first.len(), "{first:?}");
}
