//! The shape of every message that other people's servers and clients say.
//!
//! Each peer is gone through over all its carriers and in all the revisions that it speaks. What is wrong with what it
//! says is compared with the tables of `FINDINGS.md`; anything else that comes up is a defect of a shape of ours, or has
//! to be looked up and told there.

use std::fs;
use std::path::Path;
use std::time::Duration;

use futures_util::future::join_all;
use mcp_test::client::{Client, Options};
use mcp_test::process::Command;
use mcp_test::server::reference;
use mcp_test::spec::{Revision, Revisions};
use mcp_test::trace::{Party, Reading, Recorder, What};
use mcp_test::transport::{Limits, Target};
use mcp_test::wire::Message;
use rmcp::ClientServiceExt;
use rmcp::transport::StreamableHttpClientTransport;
use tokio::runtime::Runtime;

use crate::findings::Findings;
use crate::peers::Peers;
use crate::program::{MCP_TEST, free_port, run};
use crate::rmcp_client::{Plain, lifecycles, uses};
use crate::tour::{handlers, tour};

/// Goes through a server, once in each revision.
#[track_caller]
fn visit(findings: &mut Findings, over: &'static str, target: &Target, revisions: Revisions) {
    const LEAST: usize = 10;
    let visit = async |revision: Revision| {
        let recorder = Recorder::new();
        let carrier = target.carriers()[0];
        let link = target.open(carrier, &recorder, Limits::default()).await.expect("a link");
        let options = Options::speaking(revision).handlers(handlers(revision));
        let options = options.timeout(Duration::from_secs(30));
        let mut client = Client::connect(link, options).await.expect("a connection");
        assert_eq!(client.revision(), revision);
        tour(&mut client).await;
        client.end().await;
        (revision, recorder.trace())
    };
    let visited = Runtime::new().expect("a runtime").block_on(async {
        let prepared = target.prepare().await.expect("a server that listens");
        let visited = join_all(revisions.iter().map(visit)).await;
        prepared.end().await;
        visited
    });
    for (revision, trace) in visited {
        findings.judge(Party::Server, (over, revision), &trace, LEAST);
    }
}

fn command(words: Vec<String>) -> Command {
    Command::parse(words).expect("a program")
}

/// A server that is told in the variable `PORT` where to listen.
fn listening(place: &str, words: impl FnOnce(&str) -> Vec<String>) -> (String, Command) {
    let port = free_port().to_string();
    (format!("http://127.0.0.1:{port}/{place}"), command(words(&port)).env("PORT", port))
}

const HANDSHAKE: Revisions = Revisions::until(Revision::V2025_11_25);
/// What Streamable HTTP carries.
const OVER_HTTP: Revisions = Revisions::from(Revision::V2025_03_26);

#[test]
fn the_everything_server() {
    let Some(peers) = Peers::installed() else { return };
    let mut findings = Findings::default();
    let target = Target::command(command(peers.everything("stdio")));
    visit(&mut findings, "stdio", &target, HANDSHAKE);
    let (url, program) = listening("mcp", |_| peers.everything("streamableHttp"));
    let target = Target::url_started_by(url, program);
    visit(&mut findings, "http", &target, OVER_HTTP.intersection(HANDSHAKE));
    let (url, program) = listening("sse", |_| peers.everything("sse"));
    let target = Target::sse_started_by(url, program);
    visit(&mut findings, "sse", &target, Revisions::only(Revision::V2024_11_05));
    findings.assert_told_of("server-everything");
}

/// Goes through a program of ours on an SDK of both eras, over stdio and HTTP.
#[track_caller]
fn both_eras(findings: &mut Findings, program: impl Fn(&[&str]) -> Vec<String>) {
    let target = Target::command(command(program(&["stdio"])));
    visit(findings, "stdio", &target, Revisions::all());
    let (url, program) = listening("mcp", |port| program(&["http", port]));
    visit(findings, "http", &Target::url_started_by(url, program), OVER_HTTP);
}

#[test]
fn servers_of_the_python_sdk() {
    let Some(peers) = Peers::installed() else { return };
    let mut findings = Findings::default();
    for script in ["everything.py", "varied.py"] {
        both_eras(&mut findings, |words| peers.python(script, words));
    }
    findings.assert_told_of("servers of the Python SDK");
}

#[test]
fn servers_of_the_typescript_sdk_of_the_second_line() {
    let Some(peers) = Peers::installed() else { return };
    let mut findings = Findings::default();
    for script in ["server_v2.mjs", "varied_v2.mjs"] {
        both_eras(&mut findings, |words| peers.typescript(script, words));
    }
    findings.assert_told_of("servers of the TypeScript SDK 2.x");
}

/// Has a client visit the reference server, once in each revision over HTTP, then over HTTP+SSE and stdio.
#[track_caller]
fn visited_by(findings: &mut Findings, client: &[String], revisions: Revisions, sse: bool) {
    const LEAST: usize = 5;
    let runtime = Runtime::new().expect("a runtime");
    let mut over = |carrier: &'static str, place: &str, revision: Revision| {
        let recorder = Recorder::new();
        let served = reference::everything().revisions(Revisions::only(revision));
        let served = served.record(recorder.clone());
        let listening = runtime.block_on(served.listen("127.0.0.1:0")).expect("a free port");
        let url = listening.url().to_string().replace("/mcp", place);
        // Where a revision lacks what the client wants, it may give up; what it has said until then counts.
        run(&client[0], client[1..].iter().chain(&[carrier.to_owned(), url]));
        drop(listening);
        findings.judge(Party::Client, (carrier, revision), &recorder.trace(), LEAST);
    };
    for revision in OVER_HTTP.intersection(revisions).iter() {
        over("http", "/mcp", revision);
    }
    if sse {
        over("sse", "/sse", Revision::V2024_11_05);
    }
}

/// Has a client start the reference server, with both directions written down on the way.
#[track_caller]
fn starting(findings: &mut Findings, client: &[String], revision: Revision) {
    const LEAST: usize = 5;
    let folder = tempfile::tempdir().expect("a folder");
    let [said, heard] = ["client", "server"].map(|name| folder.path().join(name));
    let quoted = |path: &Path| format!("'{}'", path.display());
    let server = format!("'{MCP_TEST}' reference server --stdio");
    let pipe = format!("tee {} | {server} | tee {}", quoted(&said), quoted(&heard));
    let server = ["stdio", "sh", "-c", &pipe].map(str::to_owned);
    run(&client[0], client[1..].iter().chain(&server));
    let recorder = Recorder::new();
    let wire = recorder.open("stdio");
    let read = |path: &Path| fs::read_to_string(path).expect("what was written down");
    let both = [(Party::Client, read(&said)), (Party::Server, read(&heard))];
    let lines = both.iter().flat_map(|(party, text)| text.lines().map(|line| (*party, line)));
    let whats = lines.map(|(party, line)| (party, Reading::message(line.to_owned().into())));
    // Which of two lines came first was not written down, but no reply comes before its request.
    let (replies, others): (Vec<_>, Vec<_>) = whats.partition(|(_, what)| is_reply(what));
    for (party, what) in others.into_iter().chain(replies) {
        recorder.record(wire, party, what);
    }
    findings.judge(Party::Client, ("stdio", revision), &recorder.trace(), LEAST);
}

fn is_reply(what: &What) -> bool {
    let reply = |message: &Message| matches!(message, Message::Response(_) | Message::Error(_));
    matches!(what, What::Message { reading, .. } if reading.messages().all(reply))
}

const NEWEST: Revision = Revision::NEWEST;

#[test]
fn clients_of_the_typescript_sdk_of_the_first_line() {
    let Some(peers) = Peers::installed() else { return };
    let mut findings = Findings::default();
    let client = peers.typescript("client_v1.mjs", &[]);
    visited_by(&mut findings, &client, HANDSHAKE, true);
    starting(&mut findings, &client, Revision::V2025_11_25);
    findings.assert_told_of("clients of the TypeScript SDK 1.x");
}

/// Goes through a client that is told in which era to begin.
#[track_caller]
fn of_both_eras(findings: &mut Findings, client: impl Fn(&str) -> Vec<String>, sse: bool) {
    visited_by(findings, &client("legacy"), HANDSHAKE, sse);
    starting(findings, &client("legacy"), Revision::V2025_11_25);
    for mode in [NEWEST.as_str(), "auto"] {
        visited_by(findings, &client(mode), Revisions::only(NEWEST), false);
        starting(findings, &client(mode), NEWEST);
    }
}

#[test]
fn clients_of_the_typescript_sdk_of_the_second_line() {
    let Some(peers) = Peers::installed() else { return };
    let mut findings = Findings::default();
    of_both_eras(&mut findings, |mode| peers.typescript("client_v2.mjs", &[mode]), false);
    findings.assert_told_of("clients of the TypeScript SDK 2.x");
}

#[test]
fn clients_of_the_python_sdk() {
    let Some(peers) = Peers::installed() else { return };
    let mut findings = Findings::default();
    of_both_eras(&mut findings, |mode| peers.python("client.py", &[mode]), true);
    findings.assert_told_of("clients of the Python SDK");
}

#[test]
fn the_client_of_the_rust_sdk() {
    const LEAST: usize = 4;
    // A second installation fails, which is as good.
    rustls::crypto::ring::default_provider().install_default().ok();
    let [legacy, stateless] = lifecycles();
    let held = HANDSHAKE.iter().map(|revision| (revision, legacy.clone()));
    let mut findings = Findings::default();
    let runtime = Runtime::new().expect("a runtime");
    for (revision, lifecycle) in held.chain([(NEWEST, stateless)]) {
        let served = || reference::everything().revisions(Revisions::only(revision));
        let recorder = Recorder::new();
        runtime.block_on(async {
            let (ours, theirs) = tokio::io::duplex(1 << 16);
            let server = served().record(recorder.clone());
            let serving = tokio::spawn(async move { server.serve(ours).await });
            let client = Plain.serve_with_lifecycle(theirs, lifecycle.clone()).await;
            uses(client.expect("a client")).await;
            serving.await.expect("no panic").expect("an orderly end");
        });
        findings.judge(Party::Client, ("pipe", revision), &recorder.trace(), LEAST);
        if !OVER_HTTP.contains(revision) {
            continue;
        }
        let recorder = Recorder::new();
        runtime.block_on(async {
            let server = served().record(recorder.clone());
            let listening = server.listen("127.0.0.1:0").await.expect("a free port");
            let url = listening.url().to_string();
            let transport = StreamableHttpClientTransport::from_uri(url);
            let client = Plain.serve_with_lifecycle(transport, lifecycle.clone()).await;
            uses(client.expect("a client")).await;
        });
        findings.judge(Party::Client, ("http", revision), &recorder.trace(), LEAST);
    }
    findings.assert_told_of("the client of the Rust SDK");
}
