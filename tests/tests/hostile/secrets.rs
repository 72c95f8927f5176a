//! Peers that repeat what they were given in confidence, in every form and place: no output of a run contains it.

use std::fs;
use std::future::ready;
use std::path::Path;
use std::process::Command;

use axum::extract::Request;
use axum::http::HeaderName;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use mcp_test::json::Value;
use mcp_test::server::reference::everything;
use mcp_test::server::{Call, Server};
use mcp_test_cli::report::FileFormat;
use mcp_test_tests::program::{Run, report_options, run_command};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

const PEER: &str = env!("CARGO_BIN_EXE_hostile-peer");

/// Where secrets come from, as the tests give them.
const INHERITED: &str = "inh3rited?s3cret/of+mine";
const OPTION: &str = "0ption?s3cret/of+mine";
const SEPARATE: &str = "s3parate?s3cret/of+mine";
const IN_URL: &str = "url-s3cret-of-mine";
const HEADER: &str = "h3ader?s3cret/of+mine";

/// A secret that is repeated behind so much other text that it is cut off.
const CUT: &str = "q7Zk-2vB.x9_Lm4/Rt8+Wp3s";

/// What no output may contain of a secret: itself, and pieces of its encoded forms.
///
/// They were made with `printf %s … | base64`, `xxd -p` and `encodeURIComponent`, and begin within the secret.
const TRACES: [&str; 23] = [
    "s3cret/of",
    "s3cret\\/of",
    "s3cret-of",
    "s3cret%2Fof",
    "s3cret%2fof",
    "s3cret%2dof",
    "s3cret%2Dof",
    "%73%33%63%72",
    "7333637265742f6f66",
    "7333637265742F6F66",
    "7333637265742d6f66",
    "7333637265742D6F66",
    "czNjcmV0L2",
    "MzY3JldC9v",
    "zM2NyZXQvb",
    "czNjcmV0LW",
    "MzY3JldC1v",
    "zM2NyZXQtb",
    "inh3rited",
    "0ption",
    "s3parate",
    "h3ader",
    "url-s3cret",
];

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

/// Runs the command with every kind of report, and returns all that it writes.
fn outputs(arguments: &[&str], target: &[&str]) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut all = Vec::new();
    for (format, record) in [("human", "trace.jsonl"), ("json", "cases.yaml")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-test-under-test"));
        command.args(arguments).args(["--format", format, "--verbose", "-o", format]);
        command.args(["--record", record, "--report", "github"]);
        command.args(report_options(Path::new("")));
        command.args(target).current_dir(folder.path());
        command.env("GITHUB_STEP_SUMMARY", "step-summary.md").env("MY_API_TOKEN", INHERITED);
        command.env("MY_OTHER_TOKEN", CUT);
        let Run { code, stdout, stderr, .. } = run_command(command);
        assert_eq!(code, 1, "{stdout}{stderr}");
        all.extend([(format!("{format} stdout"), stdout), (format!("{format} stderr"), stderr)]);
    }
    all.extend(texts(folder.path()));
    let reports = FileFormat::ALL.map(|format| format!("report.{format}"));
    let others = ["checks.json", "summary.json", "trace.jsonl", "cases.yaml", "step-summary.md"];
    for name in reports.iter().map(|it| &**it).chain(others) {
        assert!(all.iter().any(|(place, _)| place.ends_with(name)), "no {name}");
    }
    all
}

/// Checks that none of the outputs contains a secret.
fn run(arguments: &[&str], target: &[&str]) -> Vec<(String, String)> {
    let all = outputs(arguments, target);
    for (place, text) in &all {
        for trace in TRACES {
            assert!(!text.contains(trace), "{place} contains {trace}:\n{text}");
        }
    }
    all
}

/// The text of the output with this name.
#[track_caller]
fn text<'a>(outputs: &'a [(String, String)], name: &str) -> &'a str {
    let output = outputs.iter().find(|(place, _)| place.ends_with(name));
    output.map(|(_, text)| text.as_str()).unwrap_or_else(|| panic!("no {name}"))
}

#[track_caller]
fn assert_masked(outputs: &[(String, String)]) {
    // The peer was heard, and the rest of what it said is shown.
    for name in ["human stdout", "json stdout", "trace.jsonl", "checks.json", "report.junit"] {
        assert!(text(outputs, name).contains("[secret]"), "{name}: {}", text(outputs, name));
    }
}

const SCENARIOS: [&str; 5] = ["check", "--scenario", "ping", "--spec-version", "2025-11-25"];

#[test]
fn over_stdio() {
    let token = format!("--token={OPTION}");
    let url = format!("postgres://me:{IN_URL}@localhost/db");
    let target = ["--", PEER, "echo", &token, "--api-key", SEPARATE, &url];
    let outputs = run(&SCENARIOS, &target);
    assert_masked(&outputs);
    let human = text(&outputs, "human stdout");
    let rerun = human.lines().find(|line| line.contains("Rerun: ")).expect("a rerun line");
    assert!(rerun.contains("--token=[secret]") && rerun.contains("--api-key"), "{rerun}");
}

#[test]
fn in_a_line_for_a_shell() {
    let script =
        format!("MY_SECRET='{OPTION}' exec {PEER} echo -H 'Authorization: Bearer {SEPARATE}'");
    let outputs = run(&SCENARIOS, &["--", "sh", "-c", &script]);
    assert_masked(&outputs);
    let human = text(&outputs, "human stdout");
    let rerun = human.lines().find(|line| line.contains("Rerun: ")).expect("a rerun line");
    assert!(rerun.contains("exec") && rerun.contains("[secret]"), "{rerun}");
}

/// A server that repeats the header in a result, as it is and in a `Basic` credential.
fn indiscreet() -> Server {
    let encoded = "bWU6aDNhZGVyP3MzY3JldC9vZittaW5l";
    let pong = format!(
        r#"{{"{HEADER}":["{HEADER}","h3ader%3Fs3cret%2Fof%2Bmine","{encoded}","{INHERITED}"]}}"#
    );
    let pong = Value::parse(pong.as_bytes()).expect("it is JSON").value;
    everything().on("ping", move |_: Call| ready(pong.clone()))
}

#[test]
fn over_http() {
    let repeat = from_fn(|request: Request, next: Next| async move {
        let sent = request.headers().get("x-mine").cloned();
        let mut response: Response = next.run(request).await;
        response
            .headers_mut()
            .extend(sent.map(|sent| (HeaderName::from_static("x-repeated"), sent)));
        response
    });
    let router = indiscreet().router().layer(repeat);
    let runtime = Runtime::new().expect("a runtime");
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
    let address = listener.local_addr().expect("an address");
    runtime.spawn(async move { axum::serve(listener, router).await });
    let url = format!("http://me:{IN_URL}@{address}/mcp?api_key={IN_URL}");
    let header = format!("X-Mine={HEADER}");
    let outputs = run(&SCENARIOS, &["--url", &url, "--header", &header]);
    assert_masked(&outputs);
}

#[test]
fn of_a_client() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = format!("env MY_SECRET={OPTION} {PEER} print --token {SEPARATE}");
    for format in ["human", "json"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-test-under-test"));
        command.args(["client", "--profile", "adaptive", "--scenario", "initialize"]);
        command.args(["--format", format, "--verbose", "-o", "out", "--command", &line]);
        command.current_dir(folder.path()).env("MY_API_TOKEN", INHERITED);
        let run = run_command(command);
        assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
        let mut all = texts(folder.path());
        assert!(all.iter().any(|(_, text)| text.contains("[secret]")), "{all:?}");
        all.extend([("stdout".to_owned(), run.stdout), ("stderr".to_owned(), run.stderr)]);
        for (place, text) in all {
            for trace in TRACES {
                assert!(!text.contains(trace), "{place} contains {trace}:\n{text}");
            }
        }
    }
}

/// What a server leaves behind has arguments of its own, which nobody has named to mcp-test.
#[cfg(target_os = "linux")]
#[test]
fn in_the_arguments_of_a_process_that_is_left_behind() {
    let script = format!(
        "{PEER} hold --token=$(echo 0ption-s3cret-of-mine) <&- >&- 2>&- & exec {PEER} stdio well ping"
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-test-under-test"));
    command.args([
        "check",
        "--scenario",
        "ping",
        "--spec-version",
        "2025-11-25",
        "--format",
        "json",
    ]);
    let run = run_command({
        command.args(["--", "sh", "-c", &script]);
        command
    });
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("hold --token=[secret]"), "{}", run.stdout);
}

/// A server that repeats its argument wherever a text of its own can stand: on stderr and stdout, in its name, in an error, as the
/// method of a notification, and in results as a name, a value and the name of a member.
const INDISCREET: &str = r#"
    text=$1
    echo "$text" >&2
    while read -r line; do
        case $line in *'"id":'*) ;; *) continue ;; esac
        id=${line#*'"id":'}
        id=${id%%[,\}]*}
        case $line in
            *'"initialize"'*)
                server='{"name":"'$text'","version":"'$text'"}'
                result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":'$server'}' ;;
            *'"tools/list"'*)
                result='{"tools":[{"name":"'$text'","description":7,"inputSchema":{"type":"'$text'"}}]}' ;;
            *'"ping"'*) echo "$text"; result='{"'$text'":"'$text'"}' ;;
            *) echo '{"jsonrpc":"2.0","method":"'$text'"}'
                echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":0,"message":"'$text'"}}'; continue ;;
        esac
        echo '{"jsonrpc":"2.0","id":'$id',"result":'$result'}'
    done
"#;

/// [`CUT`] as it is, in base64 alone and behind another letter, in hexadecimal, and percent-encoded by `encodeURIComponent` and
/// as a whole.
const CUT_FORMS: [&str; 6] = [
    CUT,
    "cTdaay0ydkIueDlfTG00L1J0OCtXcDNz",
    "bXE3WmstMnZCLng5X0xtNC9SdDgrV3Azcw==",
    "71375a6b2d3276422e78395f4c6d342f5274382b57703373",
    "q7Zk-2vB.x9_Lm4%2FRt8%2BWp3s",
    "%71%37%5A%6B%2D%32%76%42%2E%78%39%5F%4C%6D%34%2F%52%74%38%2B%57%70%33%73",
];

/// Checks that no output contains six characters of a form of [`CUT`] in a row, if so many others are before it.
fn assert_no_run(form: &str, before: usize) {
    let selected = ["server-initialize", "ping", "tools-list", "base-unknown-method"];
    let mut arguments = vec!["check", "--spec-version", "2025-11-25"];
    arguments.extend(selected.iter().flat_map(|id| ["--scenario", id]));
    let words = "abcdefg ".repeat(before / 8 + 1);
    for before in ["n".repeat(before).as_str(), &words[..before]] {
        let repeated = format!("{before}{form}");
        let target = ["--", "sh", "-c", INDISCREET, "sh", &repeated];
        let outputs = outputs(&arguments, &target);
        // The server was heard.
        assert!(text(&outputs, "human stdout").contains("[secret]"), "{outputs:?}");
        for (place, text) in &outputs {
            let mut runs = (0..=form.len() - 6).map(|start| &form[start..start + 6]);
            let left = runs.find(|run| text.contains(run));
            assert_eq!(left, None, "{place}, after {} characters:\n{text}", before.len());
        }
    }
}

/// The most that is shown of a value, of an excerpt, of a name and of quoted bytes, minus a part of the secret.
#[test]
fn no_run_of_a_secret_is_left_where_a_text_is_cut() {
    for (before, form) in [65, 110, 150, 390, 70, 112].into_iter().zip(CUT_FORMS) {
        assert_no_run(form, before);
    }
}

#[test]
#[ignore = "takes minutes of processor time: .ci/extended runs it"]
fn no_run_of_a_secret_is_left_wherever_a_text_is_cut() {
    for form in CUT_FORMS {
        for before in (40..170).chain(370..404).step_by(2) {
            assert_no_run(form, before);
        }
    }
}

/// A server with a tool whose error repeats a secret of the environment.
const INDISCREET_TOOL: &str = r#"
    while read -r line; do
        case $line in *'"id":'*) ;; *) continue ;; esac
        id=${line#*'"id":'}
        id=${id%%[,\}]*}
        case $line in
            *'"initialize"'*)
                server='{"name":"small","version":"1"}'
                result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":'$server'}' ;;
            *'"tools/list"'*)
                schema='{"type":"object","properties":{"a":{"type":"string"}}}'
                result='{"tools":[{"name":"find","inputSchema":'$schema',"annotations":{"readOnlyHint":true}}]}' ;;
            *'"ping"'*) result='{}' ;;
            *) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32603,"message":"'$MY_API_TOKEN'"}}'; continue ;;
        esac
        echo '{"jsonrpc":"2.0","id":'$id',"result":'$result'}'
    done
"#;

#[test]
fn in_what_exploring_finds_and_saves() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-test-under-test"));
    command.args(["explore", "--max-calls", "5", "--strict", "--verbose"]);
    command.args(["--save-cases", "found.yaml", "--save-tests", "found.rs"]);
    command.args(["--", "sh", "-c", INDISCREET_TOOL]);
    command.current_dir(folder.path()).env("MY_API_TOKEN", INHERITED);
    let run = run_command(command);
    assert_eq!(run.code, 1, "{}", run.text(&[]));
    let mut all = texts(folder.path());
    assert_eq!(all.len(), 2, "{all:?}");
    all.extend([("stdout".to_owned(), run.stdout), ("stderr".to_owned(), run.stderr)]);
    assert!(text(&all, "stdout").contains("[secret]"), "{all:?}");
    for (place, text) in all {
        for trace in TRACES {
            assert!(!text.contains(trace), "{place} contains {trace}:\n{text}");
        }
    }
}
