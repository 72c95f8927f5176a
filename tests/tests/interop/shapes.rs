//! The shapes of all messages that third-party servers and clients send.
//!
//! Each peer is explored over all its transports and at all revisions that it supports. The invalid messages are compared with
//! the tables in `FINDINGS.md`. Any other finding is either a bug in one of our shapes, or has to be looked up in the
//! specification and added there.

use std::fs;
use std::path::Path;
use std::time::Duration;

use futures_util::future::join_all;
use mcp_test::client::{Client, Options};
use mcp_test::process::Command;
use mcp_test::server::reference;
use mcp_test::spec::{Revision, Revisions};
use mcp_test::trace::{EventKind, Party, Recorder};
use mcp_test::transport::{Limits, Target};
use mcp_test::wire::Message;
use rmcp::ClientServiceExt;
use rmcp::transport::StreamableHttpClientTransport;
use tokio::runtime::Runtime;

use crate::explorer::{explore, handlers};
use crate::findings::Findings;
use crate::peers::Peers;
use crate::program::{MCP_TEST, free_port, run};
use crate::rmcp_client::{Plain, check_reference_server, lifecycles};

/// Explores a server at each revision, and judges its messages.
#[track_caller]
fn judge_server(
    findings: &mut Findings,
    over: &'static str,
    target: &Target,
    revisions: Revisions,
) {
    const LEAST: usize = 10;
    let explore_at = async |revision: Revision| {
        let recorder = Recorder::new();
        let transport = target.transports()[0];
        let connection = target
            .open(transport, &recorder, Limits::default())
            .await
            .expect("the server is reachable");
        let options = Options::speaking(revision).handlers(handlers(revision));
        let options = options.timeout(Duration::from_secs(30));
        let mut client = Client::connect(connection, options).await.expect("the client connects");
        assert_eq!(client.revision(), revision);
        explore(&mut client).await;
        client.end().await;
        (revision, recorder.trace())
    };
    let explored = Runtime::new().expect("a runtime").block_on(async {
        let prepared = target.prepare().await.expect("the server starts");
        let explored = join_all(revisions.iter().map(explore_at)).await;
        prepared.end().await;
        explored
    });
    for (revision, trace) in explored {
        findings.judge(Party::Server, (over, revision), &trace, LEAST);
    }
}

fn command(args: Vec<String>) -> Command {
    Command::parse(args).expect("a command line")
}

/// The URL of a server that takes its port from the variable `PORT`, and the command that starts it.
fn http_server(path: &str, args: impl FnOnce(&str) -> Vec<String>) -> (String, Command) {
    let port = free_port().to_string();
    (format!("http://127.0.0.1:{port}/{path}"), command(args(&port)).env("PORT", port))
}

const HANDSHAKE: Revisions = Revisions::until(Revision::V2025_11_25);
/// The revisions that have Streamable HTTP.
const OVER_HTTP: Revisions = Revisions::from(Revision::V2025_03_26);

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn findings_about_the_everything_server_are_documented() {
    let peers = Peers::installed();
    let mut findings = Findings::default();
    let target = Target::command(command(peers.everything("stdio")));
    judge_server(&mut findings, "stdio", &target, HANDSHAKE);
    let (url, program) = http_server("mcp", |_| peers.everything("streamableHttp"));
    let target = Target::url_started_by(url, program);
    judge_server(&mut findings, "http", &target, OVER_HTTP.intersection(HANDSHAKE));
    let (url, program) = http_server("sse", |_| peers.everything("sse"));
    let target = Target::sse_started_by(url, program);
    judge_server(&mut findings, "sse", &target, Revisions::only(Revision::V2024_11_05));
    findings.assert_documented("server-everything");
}

/// Judges one of our servers on an SDK that supports both eras, over stdio and HTTP.
#[track_caller]
fn judge_sdk_server(findings: &mut Findings, program: impl Fn(&[&str]) -> Vec<String>) {
    let target = Target::command(command(program(&["stdio"])));
    judge_server(findings, "stdio", &target, Revisions::all());
    let (url, program) = http_server("mcp", |port| program(&["http", port]));
    judge_server(findings, "http", &Target::url_started_by(url, program), OVER_HTTP);
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn findings_about_python_sdk_servers_are_documented() {
    let peers = Peers::installed();
    let mut findings = Findings::default();
    for script in ["everything.py", "varied.py"] {
        judge_sdk_server(&mut findings, |args| peers.python(script, args));
    }
    findings.assert_documented("servers of the Python SDK");
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn findings_about_typescript_sdk_2_servers_are_documented() {
    let peers = Peers::installed();
    let mut findings = Findings::default();
    for script in ["server_v2.mjs", "varied_v2.mjs"] {
        judge_sdk_server(&mut findings, |args| peers.typescript(script, args));
    }
    findings.assert_documented("servers of the TypeScript SDK 2.x");
}

/// Judges a client that connects to the reference server over HTTP at each revision, and if `sse` over HTTP+SSE.
#[track_caller]
fn judge_client_over_http(
    findings: &mut Findings,
    client: &[String],
    revisions: Revisions,
    sse: bool,
) {
    const LEAST: usize = 5;
    let runtime = Runtime::new().expect("a runtime");
    let mut judge = |transport: &'static str, path: &str, revision: Revision| {
        let recorder = Recorder::new();
        let server = reference::everything().revisions(Revisions::only(revision));
        let server = server.record(recorder.clone());
        let listening = runtime.block_on(server.listen("127.0.0.1:0")).expect("a free port");
        let url = listening.url().to_string().replace("/mcp", path);
        // A client may give up at a revision that lacks something it needs; the messages until then are judged.
        run(&client[0], client[1..].iter().chain(&[transport.to_owned(), url]));
        drop(listening);
        findings.judge(Party::Client, (transport, revision), &recorder.trace(), LEAST);
    };
    for revision in OVER_HTTP.intersection(revisions).iter() {
        judge("http", "/mcp", revision);
    }
    if sse {
        judge("sse", "/sse", Revision::V2024_11_05);
    }
}

/// Judges a client that starts the reference server over stdio, with both directions copied to files by `tee`.
#[track_caller]
fn judge_client_over_stdio(findings: &mut Findings, client: &[String], revision: Revision) {
    const LEAST: usize = 5;
    let folder = tempfile::tempdir().expect("a folder");
    let [from_client, from_server] = ["client", "server"].map(|name| folder.path().join(name));
    let quoted = |path: &Path| format!("'{}'", path.display());
    let server = format!("'{MCP_TEST}' reference server --stdio");
    let pipe = format!("tee {} | {server} | tee {}", quoted(&from_client), quoted(&from_server));
    let server = ["stdio", "sh", "-c", &pipe].map(str::to_owned);
    run(&client[0], client[1..].iter().chain(&server));
    let recorder = Recorder::new();
    let wire = recorder.open("stdio");
    let read = |path: &Path| fs::read_to_string(path).expect("tee wrote the file");
    let both = [(Party::Client, read(&from_client)), (Party::Server, read(&from_server))];
    let lines = both.iter().flat_map(|(party, text)| text.lines().map(|line| (*party, line)));
    let events = lines.map(|(party, line)| (party, EventKind::message(line.to_owned().into())));
    // The files do not show the order of the two directions, but every reply comes after its request.
    let (replies, others): (Vec<_>, Vec<_>) = events.partition(|(_, event)| is_reply(event));
    for (party, event) in others.into_iter().chain(replies) {
        recorder.record(wire, party, event);
    }
    findings.judge(Party::Client, ("stdio", revision), &recorder.trace(), LEAST);
}

fn is_reply(event: &EventKind) -> bool {
    let reply = |message: &Message| matches!(message, Message::Response(_) | Message::Error(_));
    matches!(event, EventKind::Message { parsed, .. } if parsed.messages().all(reply))
}

const NEWEST: Revision = Revision::NEWEST;

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn findings_about_typescript_sdk_1_clients_are_documented() {
    let peers = Peers::installed();
    let mut findings = Findings::default();
    let client = peers.typescript("client_v1.mjs", &[]);
    judge_client_over_http(&mut findings, &client, HANDSHAKE, true);
    judge_client_over_stdio(&mut findings, &client, Revision::V2025_11_25);
    findings.assert_documented("clients of the TypeScript SDK 1.x");
}

/// Judges a client that supports both eras, in each of its modes.
#[track_caller]
fn judge_sdk_client(findings: &mut Findings, client: impl Fn(&str) -> Vec<String>, sse: bool) {
    judge_client_over_http(findings, &client("legacy"), HANDSHAKE, sse);
    judge_client_over_stdio(findings, &client("legacy"), Revision::V2025_11_25);
    for mode in [NEWEST.as_str(), "auto"] {
        judge_client_over_http(findings, &client(mode), Revisions::only(NEWEST), false);
        judge_client_over_stdio(findings, &client(mode), NEWEST);
    }
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn findings_about_typescript_sdk_2_clients_are_documented() {
    let peers = Peers::installed();
    let mut findings = Findings::default();
    judge_sdk_client(&mut findings, |mode| peers.typescript("client_v2.mjs", &[mode]), false);
    findings.assert_documented("clients of the TypeScript SDK 2.x");
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn findings_about_python_sdk_clients_are_documented() {
    let peers = Peers::installed();
    let mut findings = Findings::default();
    judge_sdk_client(&mut findings, |mode| peers.python("client.py", &[mode]), true);
    findings.assert_documented("clients of the Python SDK");
}

#[test]
fn findings_about_the_rust_sdk_client_are_documented() {
    const LEAST: usize = 4;
    // Fails if another test of this process has installed it already.
    rustls::crypto::ring::default_provider().install_default().ok();
    let [legacy, stateless] = lifecycles();
    let handshake = HANDSHAKE.iter().map(|revision| (revision, legacy.clone()));
    let mut findings = Findings::default();
    let runtime = Runtime::new().expect("a runtime");
    for (revision, lifecycle) in handshake.chain([(NEWEST, stateless)]) {
        let server = || reference::everything().revisions(Revisions::only(revision));
        let recorder = Recorder::new();
        runtime.block_on(async {
            let (ours, theirs) = tokio::io::duplex(1 << 16);
            let server = server().record(recorder.clone());
            let serving = tokio::spawn(async move { server.serve(ours).await });
            let client = Plain.serve_with_lifecycle(theirs, lifecycle.clone()).await;
            check_reference_server(client.expect("the client connects")).await;
            serving.await.expect("no panic").expect("the server ends without an error");
        });
        findings.judge(Party::Client, ("pipe", revision), &recorder.trace(), LEAST);
        if !OVER_HTTP.contains(revision) {
            continue;
        }
        let recorder = Recorder::new();
        runtime.block_on(async {
            let server = server().record(recorder.clone());
            let listening = server.listen("127.0.0.1:0").await.expect("a free port");
            let url = listening.url().to_string();
            let transport = StreamableHttpClientTransport::from_uri(url);
            let client = Plain.serve_with_lifecycle(transport, lifecycle.clone()).await;
            check_reference_server(client.expect("the client connects")).await;
        });
        findings.judge(Party::Client, ("http", revision), &recorder.trace(), LEAST);
    }
    findings.assert_documented("the client of the Rust SDK");
}
