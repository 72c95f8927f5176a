//! Other people's clients on our reference server: each finds what it asks for, and the judge finds nothing to blame it for
//! but what is listed here.

use mcp_test::check::{Finding, judge};
use mcp_test::server::reference;
use mcp_test::spec::Revision;
use mcp_test::trace::{Party, Recorder};
use tokio::runtime::Runtime;

use crate::peers::Peers;
use crate::program::{MCP_TEST, run};

/// What a client of the handshake era is told. The TypeScript SDK drops progress that comes in one piece with the reply, so
/// only the Python client counts it.
const HANDSHAKE: &str = r#"
{"tools":true}
{"add":["5"]}
{"error":true}
{"sampling":["LLM response: sampled"]}
{"elicitation":1}
{"resource":"This is the content of the static text resource."}
{"prompt":"This is a simple prompt for testing."}
{"closed":true}
"#;

/// Without what the server asks of the client in the handshake era.
fn stateless() -> String {
    let asked = |line: &&str| !line.contains("sampling") && !line.contains("elicitation");
    HANDSHAKE.lines().filter(asked).map(|line| format!("{line}\n")).collect()
}

/// Runs a client to its end, and compares what it was told.
#[track_caller]
fn told(words: &[String], expected: &str) {
    let run = run(&words[0], &words[1..]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let without_blanks = |text: &str| text.replace(' ', "");
    let told = run.stdout.lines().filter(|line| !line.contains("\"server\""));
    let told: String = told.map(|line| format!("{line}\n")).collect();
    assert_eq!(
        without_blanks(told.trim()),
        without_blanks(expected.trim()),
        "{}{}",
        run.stdout,
        run.stderr
    );
}

/// How a client reaches the reference server.
enum Over {
    /// Streamable HTTP.
    Http,
    /// HTTP+SSE, of 2024-11-05.
    Sse,
}

/// Runs a client against a server in this process, and tells what is wrong with what it said.
#[track_caller]
fn over_http(client: &[String], over: &Over, revision: Revision, expected: &str) -> Vec<String> {
    let runtime = Runtime::new().expect("a runtime");
    let recorder = Recorder::new();
    let server = reference::everything().record(recorder.clone());
    let listening = runtime.block_on(server.listen("127.0.0.1:0")).expect("a free port");
    let (carrier, url) = match over {
        Over::Http => ("http", listening.url().to_string()),
        Over::Sse => ("sse", listening.url().to_string().replace("/mcp", "/sse")),
    };
    told(&[client, &[carrier.to_owned(), url]].concat(), expected);
    drop(listening);
    let said: fn(&Finding) -> String = |finding| finding.headline.clone();
    judge(&recorder.trace(), Party::Client, &|_| revision).iter().map(said).collect()
}

#[track_caller]
fn over_stdio(client: &[String], expected: &str) {
    let server = ["stdio", MCP_TEST, "reference", "server", "--stdio"].map(str::to_owned);
    told(&[client, &server].concat(), expected);
}

#[test]
fn the_typescript_sdk_of_the_first_line() {
    let Some(peers) = Peers::installed() else { return };
    let client = peers.typescript("client_v1.mjs", &[]);
    assert_eq!(over_http(&client, &Over::Http, Revision::V2025_11_25, HANDSHAKE), [""; 0]);
    assert_eq!(over_http(&client, &Over::Sse, Revision::V2024_11_05, HANDSHAKE), [""; 0]);
    over_stdio(&client, HANDSHAKE);
}

#[test]
fn the_typescript_sdk_of_the_second_line() {
    let Some(peers) = Peers::installed() else { return };
    let legacy = peers.typescript("client_v2.mjs", &["legacy"]);
    assert_eq!(over_http(&legacy, &Over::Http, Revision::V2025_11_25, HANDSHAKE), [""; 0]);
    over_stdio(&legacy, HANDSHAKE);
    let newest = Revision::V2026_07_28;
    for mode in [newest.as_str(), "auto"] {
        let client = peers.typescript("client_v2.mjs", &[mode]);
        assert_eq!(over_http(&client, &Over::Http, newest, &stateless()), [""; 0], "{mode}");
        over_stdio(&client, &stateless());
    }
}

#[test]
fn the_python_sdk() {
    let Some(peers) = Peers::installed() else { return };
    let legacy = peers.python("client.py", &["legacy"]);
    assert_eq!(over_http(&legacy, &Over::Http, Revision::V2025_11_25, HANDSHAKE), [""; 0]);
    assert_eq!(over_http(&legacy, &Over::Sse, Revision::V2024_11_05, HANDSHAKE), [""; 0]);
    over_stdio(&legacy, HANDSHAKE);
    let newest = Revision::V2026_07_28;
    for mode in [newest.as_str(), "auto"] {
        let client = peers.python("client.py", &[mode]);
        assert_eq!(over_http(&client, &Over::Http, newest, &stateless()), [""; 0], "{mode}");
        over_stdio(&client, &stateless());
    }
}
