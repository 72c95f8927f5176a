//! Texts of a hundred thousand characters, from servers, clients and files: what is printed of each is short, and says how much is missing.

use std::fs;

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use mcp_test_cli::report::FileFormat;
use mcp_test_tests::program::{Run, Serving, report_options, run};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

const MCP_TEST: &str = env!("CARGO_BIN_EXE_mcp-test-under-test");

/// The most that a command may print about such a text, in bytes.
const MOST: usize = 64 * 1024;

/// Faults with a long text, and how the part of the report begins that is cut.
const FAULTS: [(&str, &str, &str); 12] = [
    ("the name of the server", r#"set:initialize:/serverInfo/name:"@100000@""#, "Server: xxxx"),
    (
        "the id of a reply",
        r#"stray:tools/list:{"jsonrpc":"2.0","id":"@100000@","result":{}}"#,
        "result for unknown id \"xxxx",
    ),
    (
        "the id of a request",
        r#"stray:tools/list:{"jsonrpc":"2.0","id":"@100000@","method":"roots/list"}"#,
        "got \"xxxx",
    ),
    (
        "the method of a request",
        r#"stray:tools/list:{"jsonrpc":"2.0","id":99,"method":"@100000@"}"#,
        "client ← server  xxxx",
    ),
    (
        "the message of an error",
        r#"stray:tools/list:{"jsonrpc":"2.0","id":"7","error":{"code":1,"message":"@100000@"}}"#,
        "error for unknown id \"7\" 1 \"xxxx",
    ),
    (
        "the name of a member",
        r#"stray:tools/list:{"jsonrpc":"2.0","method":"notifications/message","@100000@":1,"params":{"@100000@":1}}"#,
        "also {\"xxxx",
    ),
    ("a line that is not a message", "noise:tools/list:@100000@", "noise \"xxxx"),
    (
        "the names of two tools",
        r#"answer:tools/list:{"tools":[{"name":"@100000@","inputSchema":{"type":"object"}},{"name":"@100000@","inputSchema":{"type":"object"}}]}"#,
        "`xxxx",
    ),
    (
        "the name of a parameter",
        r#"set:tools/list:/tools/0/inputSchema:{"type":"object","properties":{"@100000@":7}}"#,
        "at /result/tools/0/inputSchema/properties/xxxx",
    ),
    (
        "a reference in a schema",
        r##"set:tools/list:/tools/0/inputSchema:{"type":"object","$ref":"#/$defs/@100000@"}"##,
        "#/$defs/xxxx",
    ),
    ("a URI", r#"set:resources/list:/resources/0/uri:"@100000@""#, "xxxx"),
    ("the protocol version", r#"set:initialize:/protocolVersion:"@100000@""#, "xxxx"),
];

/// Checks that the output is short, and shows the beginning of the text and how much is missing.
#[track_caller]
fn assert_cut(run: &Run, begin: &str, what: &str) {
    let output = format!("{}{}", run.stdout, run.stderr);
    let size = output.len();
    let shown: String = output.chars().take(4000).collect();
    assert!(size < MOST, "{what}: {size} bytes\n{shown}");
    // The report wraps lines.
    let [output, begin] = [&*output, begin].map(|text| text.split_whitespace().collect::<String>());
    let at = output.find(&begin).unwrap_or_else(|| panic!("{what}: no `{begin}`\n{shown}"));
    let after = output[at + begin.len()..].trim_start_matches('x');
    assert!(after.starts_with('…'), "{what}: {}", after.chars().take(80).collect::<String>());
}

fn check(options: &[&str]) -> Run {
    let check = ["check", "--spec-version", "2025-11-25", "--timeout", "1m"];
    run(MCP_TEST, check.iter().chain(options))
}

#[test]
fn what_a_server_sends_over_lines_is_cut() {
    for (what, fault, begin) in FAULTS {
        let server = ["--", MCP_TEST, "reference", "server", "--stdio", "--fault", fault];
        assert_cut(&check(&server), begin, what);
    }
}

#[test]
fn what_a_server_sends_over_http_is_cut() {
    // There, only a stream has place for other messages; `long_event` sends one.
    let is_reply = |fault: &str| !fault.starts_with("stray") && !fault.starts_with("noise");
    for (what, fault, begin) in FAULTS.iter().filter(|(_, fault, _)| is_reply(fault)) {
        let serving = Serving::reference(MCP_TEST, &[fault]);
        assert_cut(&check(&["--url", &serving.url]), begin, what);
    }
}

#[test]
#[ignore = "takes a minute of processor time: .ci/extended runs it"]
fn a_million_characters_are_cut_too() {
    for (what, fault, begin) in FAULTS {
        let fault = fault.replace("$defs/@100000@", "$defs/@200000@");
        let fault = fault.replace("@100000@", "@1000000@");
        let server = ["--", MCP_TEST, "reference", "server", "--stdio", "--fault", &fault];
        assert_cut(&check(&server), begin, what);
    }
}

#[test]
fn the_official_report_is_cut() {
    for (what, fault, _) in FAULTS {
        for more in [&[][..], &["--verbose"]] {
            let server = ["--", MCP_TEST, "reference", "server", "--stdio", "--fault", fault];
            let options = ["server", "--scenario", "tools-list", "--spec-version", "2025-11-25"];
            let run = run(MCP_TEST, options.iter().chain(more).chain(&server));
            let size = run.stdout.len() + run.stderr.len();
            assert!(size < MOST, "{what} {more:?}: {size} bytes");
        }
    }
}

#[test]
fn each_report_is_short() {
    let folder = tempfile::tempdir().expect("a folder");
    let check = |what: &str, arguments: &[&str]| {
        let options = report_options(folder.path());
        let end = arguments.iter().position(|it| *it == "--").unwrap_or(arguments.len());
        let mut arguments = arguments.to_vec();
        arguments.splice(end..end, options.iter().map(|option| &**option));
        let run = run(MCP_TEST, arguments);
        for format in FileFormat::ALL {
            let file = folder.path().join(format!("report.{format}"));
            let text = fs::read_to_string(&file).unwrap_or_else(|why| panic!("{why}: {run:?}"));
            assert!(text.len() < 2 * MOST, "{what}, {format}: {} bytes", text.len());
            let longest = text.split(|c| c != 'x').map(str::len).max().unwrap_or_default();
            assert!(longest < 1000, "{what}, {format}: {longest}");
            fs::remove_file(&file).expect("it is ours");
        }
    };
    let select = ["check", "--spec-version", "2025-11-25", "--timeout", "1m"];
    for (what, fault, _) in FAULTS {
        let server = ["--", MCP_TEST, "reference", "server", "--stdio", "--fault", fault];
        let scenarios = ["--scenario", "tools-list", "--scenario", "resources-list"];
        check(what, &[&select[..], &scenarios, &server].concat());
    }
    let long = "x".repeat(100_000);
    let case = folder.path().join("case.yaml");
    let text = format!(
        "case: {long}\nin: {{jsonrpc: '2.0', id: 1, method: {long}}}\nout: {{id: 1, result: {{a: {long}}}}}\n"
    );
    fs::write(&case, text).expect("the folder is ours");
    check("a case", &["cases", "run", &case.to_string_lossy(), "--reference"]);
}

/// A server whose replies are events with a long id and type, a long header, and another reply before; the results are wrong.
async fn long_event(body: String) -> Response {
    let request: Value = serde_json::from_str(&body).unwrap_or_default();
    let Some(id) = request.get("id") else { return StatusCode::ACCEPTED.into_response() };
    let server = json!({"name": "long", "version": "1"});
    let is_first = request["method"] == "initialize";
    let result = match is_first {
        true => json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": server}),
        false => json!({"_meta": 7}),
    };
    let long = "x".repeat(100_000);
    let reply = json!({"jsonrpc": "2.0", "id": id, "result": result});
    let event = format!("id: i{long}\nevent: message\ndata: {reply}\n\n");
    let other = format!("id: o{long}\nevent: e{long}\ndata: {reply}\n\n");
    let unknown = json!({"jsonrpc": "2.0", "id": long, "result": {}});
    // A wrong id in reply to `initialize` would end the run.
    let stray = match is_first {
        true => String::new(),
        false => format!("data: {unknown}\n\n"),
    };
    let headers = [(CONTENT_TYPE.as_str(), "text/event-stream"), ("mcp-long", &*long)];
    (headers, stray + &other + &event).into_response()
}

#[test]
fn headers_and_what_a_stream_holds_are_cut() {
    let runtime = Runtime::new().expect("a runtime");
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let router = Router::new().route("/mcp", post(long_event));
    runtime.spawn(async { axum::serve(listener, router).await });
    let run = check(&["--scenario", "ping", "--url", &url]);
    for begin in ["mcp-long: xxxx", "event: exxxx", "id: oxxxx", "result for unknown id \"xxxx"] {
        assert_cut(&run, begin, begin);
    }
}

#[test]
fn what_a_server_writes_to_stderr_is_cut() {
    let script = "head -c 1000000 /dev/zero | tr '\\0' x >&2; \"$@\"";
    for fault in ["error:ping:-32603", "exit:ping", "exit:initialize"] {
        let server = ["sh", "-c", script, "sh", MCP_TEST, "reference", "server", "--stdio"];
        let ping = ["--scenario", "ping", "--spec-version", "2025-11-25", "--"];
        for command in ["check", "server"] {
            let arguments = [&[command][..], &ping, &server, &["--fault", fault]].concat();
            assert_cut(&run(MCP_TEST, arguments), " xxxx", &format!("{command} {fault}"));
        }
    }
}

#[test]
fn what_a_client_sends_is_cut() {
    let faults = [
        (r#"set:initialize:/method:"@100000@""#, "client → server xxxx"),
        (r#"set:initialize:/protocolVersion:"@100000@""#, "\"xxxx"),
        (
            r#"stray:initialize:{"jsonrpc":"2.0","id":"@100000@","result":{}}"#,
            "result for unknown id \"xxxx",
        ),
        ("header:notifications/initialized:mcp-protocol-version:@100000@", "version: xxxx"),
    ];
    for (fault, begin) in faults {
        let client = format!("'{MCP_TEST}' reference client --fault '{fault}'");
        for profile in ["official", "adaptive"] {
            let options = ["client", "--profile", profile, "--scenario", "initialize"];
            let run = run(MCP_TEST, options.iter().chain(&["--command", &client]));
            assert_cut(&run, begin, &format!("{fault}, {profile}"));
        }
    }
}

#[test]
fn what_files_say_is_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let long = "x".repeat(100_000);
    let file = |name: &str, text: String| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("a file");
        path.to_str().expect("a path in UTF-8").to_owned()
    };
    let case = file(
        "case.yaml",
        format!(
            "case: {long}\nin: {{jsonrpc: '2.0', id: 1, method: {long}}}\nout: {{id: 1, result: {{a: {long}}}}}\n"
        ),
    );
    let wrong = file("wrong.yaml", format!("case: a\n{long}: {{{long}: {long}}}\n"));
    let baseline = file("baseline.yml", format!("server:\n  - {long}\n"));
    let section = file("section.yml", format!("{}:\n  - ping\n", &long[..1000]));
    let request = format!(r#"{{"jsonrpc":"2.0","id":"{long}","method":"{long}","{long}":1}}"#);
    let messages = file("messages.jsonl", format!("{request}\n{{\"jsonrpc\":\"{long}\"}}\n"));
    let commands: [&[&str]; 12] = [
        &["cases", "lint", &case],
        &["cases", "run", &case, "--reference"],
        &["cases", "run", &case, "--reference", "--verbose"],
        &["cases", "doc", &case],
        &["cases", "verify-client", &case, "--command", "true"],
        &["cases", "lint", &wrong],
        &["cases", "run", &wrong, "--reference"],
        &["validate", "--spec-version", "2025-11-25", &messages],
        &["check", "--scenario", "ping", "--reference", "--expected-failures", &baseline],
        &["server", "--scenario", "ping", "--reference", "--expected-failures", &baseline],
        &["check", "--scenario", "ping", "--reference", "--expected-failures", &section],
        &["server", "--scenario", "ping", "--reference", "--expected-failures", &section],
    ];
    for arguments in commands {
        let run = run(MCP_TEST, arguments);
        let output = format!("{}{}", run.stdout, run.stderr);
        let size = output.len();
        let shown: String = output.chars().take(1000).collect();
        assert!(size < MOST, "{arguments:?}: {size} bytes\n{shown}");
        assert!(output.contains("xxxx"), "{arguments:?}: {shown}");
        assert!(output.contains('…') || output.contains("..."), "{arguments:?}: {shown}");
    }
}
