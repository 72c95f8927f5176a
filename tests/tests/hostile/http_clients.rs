//! Hostile clients over HTTP: each is refused as HTTP requires, the server keeps serving others, and the trace shows what
//! they did.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};

use mcp_test::client::{Client, Options};
use mcp_test::server::HttpListener;
use mcp_test::server::reference::everything;
use mcp_test::spec::Revision;
use mcp_test::trace::Recorder;
use mcp_test::transport::{Limits, Target, TransportKind};
use tokio::runtime::Runtime;

use crate::clients::{INITIALIZE, INITIALIZED, PING, report, texts};
use crate::scenario_run::NO_TIMEOUT;

/// A server that listens.
struct Served {
    recorder: Recorder,
    listening: HttpListener,
    runtime: Runtime,
}

impl Served {
    fn new() -> Self {
        let recorder = Recorder::new();
        let runtime = Runtime::new().expect("a runtime");
        let server = everything().record(recorder.clone());
        let listening = runtime.block_on(server.listen("127.0.0.1:0")).expect("a free port");
        Self { recorder, listening, runtime }
    }

    fn address(&self) -> SocketAddr {
        self.listening.address()
    }

    /// Opens a session.
    fn session(&self) -> String {
        let begun = self.send(&post("application/json", "", INITIALIZE.as_bytes()));
        let session = begun.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        let session = session.unwrap_or_else(|| panic!("no session: {begun}")).to_owned();
        let accepted =
            self.send(&post("application/json", &in_session(&session), INITIALIZED.as_bytes()));
        assert!(accepted.starts_with("HTTP/1.1 202"), "{accepted}");
        session
    }

    /// Sends these bytes on a new connection, and returns everything until the server closes it.
    fn send(&self, bytes: &[u8]) -> String {
        self.exchange(bytes, false)
    }

    /// Like [`Served::send`], and then closes the sending side.
    fn send_and_close(&self, bytes: &[u8]) -> String {
        self.exchange(bytes, true)
    }

    fn exchange(&self, bytes: &[u8], close: bool) -> String {
        let mut socket = TcpStream::connect(self.address()).expect("it listens");
        // A server may refuse a request before it has read everything.
        let _ = socket.write_all(bytes);
        if close {
            let _ = socket.shutdown(Shutdown::Write);
        }
        let mut answer = Vec::new();
        let _ = socket.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Checks that a good client is served.
    fn assert_serves(&self) {
        let target = Target::url(self.listening.url());
        self.runtime.block_on(async {
            let recorder = Recorder::new();
            let connection = target.open(TransportKind::Http, &recorder, Limits::default()).await;
            let options = Options::speaking(Revision::V2025_11_25).timeout(NO_TIMEOUT);
            let mut client = Client::connect(connection.expect("a connection"), options)
                .await
                .expect("a client");
            client.request("ping", serde_json::json!({})).await.expect("a reply").assert_ok();
            client.end().await;
        });
    }

    fn end(self) {
        let Self { listening, runtime, .. } = self;
        runtime.block_on(listening.end());
    }
}

fn in_session(session: &str) -> String {
    format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25\r\n")
}

fn post(content_type: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {content_type}\r\nAccept: application/json, text/event-stream\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Status and body of a response.
fn status_and_body(answer: &str) -> String {
    let status = answer.lines().next().unwrap_or("nothing");
    let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.trim()).unwrap_or_default();
    format!("{status} {}", body.replace("\r\n", " ").replace('\n', " ")).trim_end().to_owned()
}

#[test]
fn each_body_is_answered_and_reported() {
    let mut all = Vec::new();
    for (name, text) in texts() {
        let served = Served::new();
        let session = served.session();
        let answer =
            status_and_body(&served.send(&post("application/json", &in_session(&session), &text)));
        let text = report(name, [answer.as_str()], &served.recorder);
        served.assert_serves();
        served.end();
        all.push(text.replace(&session, "[session]"));
    }
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn each_request_is_refused() {
    let served = Served::new();
    let session = in_session(&served.session());
    let ping = PING.as_bytes();
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    let raw = |rest: &str| format!("{head}{session}{rest}").into_bytes();
    let many = "X-More: and more\r\n".repeat(1000);
    let long = format!("X-Long: {}\r\n", "x".repeat(1_000_000));
    let requests: Vec<(&str, Vec<u8>)> = vec![
        ("nothing at all", Vec::new()),
        ("no HTTP", b"EHLO mail.example\r\n\r\n".to_vec()),
        ("the hello of TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec()),
        ("half a head", b"POST /mcp HTTP/1.1\r\nHost: loc".to_vec()),
        ("half a body", raw("Content-Length: 1000\r\n\r\n{\"jsonrpc\"")),
        ("an empty body", raw("Content-Length: 0\r\n\r\n")),
        ("wrong chunks", raw("Transfer-Encoding: chunked\r\n\r\nmany\r\n{}\r\n0\r\n\r\n")),
        ("a length that is none", raw("Content-Length: many\r\n\r\n{}")),
        ("two lengths", raw("Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}")),
        (
            "length and chunks",
            raw("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ),
        ("a thousand headers", post("application/json", &many, ping)),
        ("a long header", post("application/json", &long, ping)),
        ("plain text", post("text/plain", &session, ping)),
        ("no session", post("application/json", "MCP-Protocol-Version: 2025-11-25\r\n", ping)),
        ("an unknown session", post("application/json", &in_session("nobody"), ping)),
        ("two sessions", post("application/json", &format!("{session}{session}"), ping)),
        (
            "an unknown version",
            post("application/json", &session.replace("2025-11-25", "1999-01-01"), ping),
        ),
        (
            "another origin",
            post("application/json", &format!("{session}Origin: http://evil.example\r\n"), ping),
        ),
        (
            "another method",
            b"BREW /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".to_vec(),
        ),
        (
            "another place",
            b"GET /teapot HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".to_vec(),
        ),
        (
            "no host",
            b"POST /mcp HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".to_vec(),
        ),
    ];
    let mut lines = Vec::new();
    for (name, said) in requests {
        let cut = ["nothing at all", "half a head", "half a body"].contains(&name);
        let answer = if cut { served.send_and_close(&said) } else { served.send(&said) };
        let answer = status_and_body(&answer);
        lines.push(format!("{name}: {answer}"));
        served.assert_serves();
    }
    served.end();
    insta::assert_snapshot!(lines.join("\n"));
}

/// Clients that keep their connections open without sending more neither block others nor the shutdown.
#[test]
fn idle_clients_do_not_block_others() {
    let served = Served::new();
    let session = in_session(&served.session());
    let beginnings: [&[u8]; 4] = [
        b"",
        b"POST /mcp HTT",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{",
        &post("application/json", &session, PING.as_bytes())[..60],
    ];
    let mut idle = Vec::new();
    for _ in 0..25 {
        for beginning in beginnings {
            let mut socket = TcpStream::connect(served.address()).expect("it listens");
            socket.write_all(beginning).expect("it is there");
            idle.push(socket);
        }
    }
    served.assert_serves();
    let address = served.address();
    served.end();
    assert!(TcpStream::connect(address).is_err(), "the port is still open");
}

/// Clients that open streams and never read them.
#[test]
fn clients_that_do_not_read_do_not_block_others() {
    let served = Served::new();
    let session = in_session(&served.session());
    let get = format!(
        "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n{session}\r\n"
    );
    let ask = post("application/json", &session, PING.as_bytes());
    let mut unread = Vec::new();
    for said in [get.as_bytes(), &ask].into_iter().cycle().take(50) {
        let mut socket = TcpStream::connect(served.address()).expect("it listens");
        socket.write_all(said).expect("it is there");
        unread.push(socket);
    }
    served.assert_serves();
    served.end();
}
