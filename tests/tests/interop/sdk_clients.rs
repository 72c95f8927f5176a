//! Third-party clients against our reference server: each receives the expected results, and its messages have valid envelopes.

use mcp_test::check::{Finding, judge_envelopes};
use mcp_test::server::reference;
use mcp_test::spec::Revision;
use mcp_test::trace::{Party, Recorder};
use tokio::runtime::Runtime;

use crate::peers::Peers;
use crate::program::{MCP_TEST, run};

/// What a client of the handshake era prints. The TypeScript SDK drops progress that arrives in one chunk with the response, so
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

/// What a client of the stateless era prints, in which the server sends no requests to the client.
fn stateless() -> String {
    let is_stateless = |line: &&str| !line.contains("sampling") && !line.contains("elicitation");
    HANDSHAKE.lines().filter(is_stateless).map(|line| format!("{line}\n")).collect()
}

/// Runs a client until it exits, and compares what it printed.
#[track_caller]
fn assert_prints(command: &[String], expected: &str) {
    let run = run(&command[0], &command[1..]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    // Python puts spaces into its JSON.
    let without_spaces = |text: &str| text.replace(' ', "");
    // The name of the server, which only some of the clients print.
    let printed = run.stdout.lines().filter(|line| !line.contains("\"server\""));
    let printed: String = printed.map(|line| format!("{line}\n")).collect();
    assert_eq!(
        without_spaces(printed.trim()),
        without_spaces(expected.trim()),
        "{}{}",
        run.stdout,
        run.stderr
    );
}

/// The HTTP transports.
enum HttpTransport {
    /// Streamable HTTP.
    Http,
    /// HTTP+SSE of 2024-11-05.
    Sse,
}

/// Runs a client against a server in this process, and returns the headlines of the findings about its messages.
#[track_caller]
fn over_http(
    client: &[String],
    over: &HttpTransport,
    revision: Revision,
    expected: &str,
) -> Vec<String> {
    let runtime = Runtime::new().expect("a runtime");
    let recorder = Recorder::new();
    let server = reference::everything().record(recorder.clone());
    let listening = runtime.block_on(server.listen("127.0.0.1:0")).expect("a free port");
    let (transport, url) = match over {
        HttpTransport::Http => ("http", listening.url().to_string()),
        HttpTransport::Sse => ("sse", listening.url().to_string().replace("/mcp", "/sse")),
    };
    assert_prints(&[client, &[transport.to_owned(), url]].concat(), expected);
    drop(listening);
    let headline: fn(&Finding) -> String = |finding| finding.headline.clone();
    judge_envelopes(&recorder.trace(), Party::Client, &|_| revision).iter().map(headline).collect()
}

#[track_caller]
fn over_stdio(client: &[String], expected: &str) {
    let server = ["stdio", MCP_TEST, "reference", "server", "--stdio"].map(str::to_owned);
    assert_prints(&[client, &server].concat(), expected);
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn typescript_sdk_1_client_uses_the_reference_server() {
    let peers = Peers::installed();
    let client = peers.typescript("client_v1.mjs", &[]);
    assert_eq!(over_http(&client, &HttpTransport::Http, Revision::V2025_11_25, HANDSHAKE), [""; 0]);
    assert_eq!(over_http(&client, &HttpTransport::Sse, Revision::V2024_11_05, HANDSHAKE), [""; 0]);
    over_stdio(&client, HANDSHAKE);
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn typescript_sdk_2_client_uses_the_reference_server() {
    let peers = Peers::installed();
    let legacy = peers.typescript("client_v2.mjs", &["legacy"]);
    assert_eq!(over_http(&legacy, &HttpTransport::Http, Revision::V2025_11_25, HANDSHAKE), [""; 0]);
    over_stdio(&legacy, HANDSHAKE);
    let newest = Revision::V2026_07_28;
    for mode in [newest.as_str(), "auto"] {
        let client = peers.typescript("client_v2.mjs", &[mode]);
        assert_eq!(
            over_http(&client, &HttpTransport::Http, newest, &stateless()),
            [""; 0],
            "{mode}"
        );
        over_stdio(&client, &stateless());
    }
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn python_sdk_client_uses_the_reference_server() {
    let peers = Peers::installed();
    let legacy = peers.python("client.py", &["legacy"]);
    assert_eq!(over_http(&legacy, &HttpTransport::Http, Revision::V2025_11_25, HANDSHAKE), [""; 0]);
    assert_eq!(over_http(&legacy, &HttpTransport::Sse, Revision::V2024_11_05, HANDSHAKE), [""; 0]);
    over_stdio(&legacy, HANDSHAKE);
    let newest = Revision::V2026_07_28;
    for mode in [newest.as_str(), "auto"] {
        let client = peers.python("client.py", &[mode]);
        assert_eq!(
            over_http(&client, &HttpTransport::Http, newest, &stateless()),
            [""; 0],
            "{mode}"
        );
        over_stdio(&client, &stateless());
    }
}
