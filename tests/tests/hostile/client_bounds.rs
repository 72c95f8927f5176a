//! Clients that send too much over HTTP and HTTP+SSE: they are refused, memory stays within bounds, and the next client is
//! served.
//!
//! The server is a process of its own, so that its memory can be measured.
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::Command;

use mcp_test_tests::program::Serving;
use tempfile::TempDir;

use crate::bounds::{BOUND, mib_of, within};
use crate::clients::{INITIALIZE, INITIALIZED, PING};

/// A server of the command behind a port.
pub(crate) struct Served {
    serving: Serving,
    what: String,
    peak: PathBuf,
    folder: TempDir,
}

impl Served {
    /// The reference server.
    pub(crate) fn start() -> Self {
        Self::command(&["reference", "server", "--listen", "127.0.0.1:0"], &[])
    }

    /// The server of a command that runs in a folder with these files.
    pub(crate) fn command(arguments: &[&str], files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        let peak = folder.path().join("peak");
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-test-under-test"));
        command.env("MCP_TEST_TESTS_PEAK", &peak).args(arguments).current_dir(folder.path());
        Self { serving: Serving::start(command), what: arguments.join(" "), peak, folder }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> &str {
        self.serving.address()
    }

    /// Posts a body to a path, piece by piece, and returns the status line and the headers of the response.
    pub(crate) fn post<'a>(
        &self,
        path: &str,
        headers: &str,
        body: impl IntoIterator<Item = &'a [u8]> + Clone,
    ) -> String {
        let mut socket = TcpStream::connect(self.serving.address()).expect("it listens");
        let length: usize = body.clone().into_iter().map(<[u8]>::len).sum();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{headers}Content-Length: {length}\r\n\r\n"
        );
        let mut writing = socket.try_clone().expect("a second handle");
        socket.write_all(head.as_bytes()).expect("it reads");
        let answer = std::thread::spawn(move || {
            let mut answer = Vec::new();
            // A server that refuses a body while it is being written resets the connection after its answer.
            let _ = socket.read_to_end(&mut answer);
            String::from_utf8_lossy(&answer).into_owned()
        });
        for piece in body {
            if writing.write_all(piece).is_err() {
                break;
            }
        }
        answer.join().expect("an answer")
    }

    /// Opens a session at 2025-03-26, which has batches; returns its header.
    pub(crate) fn session(&self) -> String {
        let initialize = INITIALIZE.replace("2025-11-25", "2025-03-26");
        let begun = self.post("/mcp", "", [initialize.as_bytes()]);
        let session = begun.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        let session = session.unwrap_or_else(|| panic!("no session: {begun}"));
        let header = format!("Mcp-Session-Id: {session}\r\n");
        let accepted = self.post("/mcp", &header, [INITIALIZED.as_bytes()]);
        assert_eq!(status(&accepted), "HTTP/1.1 202 Accepted");
        header
    }

    /// Checks that another client is served.
    pub(crate) fn assert_serves(&self) {
        let session = self.session();
        let answer = self.post("/mcp", &session, [PING.as_bytes()]);
        assert_eq!(status(&answer), "HTTP/1.1 200 OK", "{answer}");
    }

    /// Serves another client, ends, and checks the memory.
    fn end(self) {
        self.assert_serves();
        self.end_within(BOUND);
    }

    /// Checks the most memory that it has taken so far with a bound in MiB.
    #[cfg(target_os = "linux")]
    #[track_caller]
    pub(crate) fn assert_within(&self, bound: u64) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.serving.id()));
        let status = status.expect("it runs");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let mib = mib_of(peak.expect("the peak"));
        assert!(mib <= bound, "{mib} MiB for {}", self.what);
    }

    /// Ends, and checks the memory with a bound in MiB.
    pub(crate) fn end_within(self, bound: u64) {
        self.serving.end();
        within(bound, &self.peak, &self.what);
        drop(self.folder);
    }
}

pub(crate) fn status(answer: &str) -> &str {
    answer.lines().next().unwrap_or("nothing")
}

static PIECE: [u8; 100_000] = [b'x'; 100_000];

/// A hundred megabytes.
fn huge() -> impl Iterator<Item = &'static [u8]> + Clone {
    std::iter::repeat_n(&PIECE[..], 1000)
}

#[test]
fn a_hundred_megabytes_over_http() {
    let served = Served::start();
    let session = served.session();
    let answer = served.post("/mcp", &session, huge());
    // The reset may discard the answer, but it must not be a success.
    assert!(["HTTP/1.1 413 Payload Too Large", "nothing"].contains(&status(&answer)), "{answer}");
    served.end();
}

/// Each in a session of its own, and all at the same time.
#[test]
fn eight_large_messages_at_once() {
    let text = format!(r#""{}""#, "x".repeat(14_000_000));
    let zeros = format!("[{}0]", "0,".repeat(7_000_000));
    let small = format!("[{}{{}}]", r#"{"a":[1,"b"]},"#.repeat(50_000));
    let served = Served::start();
    for (value, expected) in [(text, "200 OK"), (zeros, "400 Bad Request"), (small, "200 OK")] {
        let message = PING.replace("}", &format!(r#","params":{{"x":{value}}}}}"#));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let session = served.session().replace("2025-03-26", "2025-11-25");
                    let answer = served.post("/mcp", &session, [message.as_bytes()]);
                    assert_eq!(status(&answer), format!("HTTP/1.1 {expected}"), "{answer}");
                });
            }
        });
    }
    served.assert_serves();
    served.end_within(512);
}

#[test]
#[ignore = "takes a minute of processor time: .ci/extended runs it"]
fn a_million_notifications_over_http() {
    let served = Served::start();
    let session = served.session();
    let one = r#"{"jsonrpc":"2.0","method":"n"}"#;
    let batch = |count| format!("[{}]", vec![one; count].join(","));
    let accepted = batch(100_000);
    for _ in 0..10 {
        let answer = served.post("/mcp", &session, [accepted.as_bytes()]);
        assert_eq!(status(&answer), "HTTP/1.1 202 Accepted", "{answer}");
    }
    // Three values each are more than are read.
    let answer = served.post("/mcp", &session, [batch(300_000).as_bytes()]);
    assert_eq!(status(&answer), "HTTP/1.1 400 Bad Request", "{answer}");
    served.end();
}

#[test]
fn a_hundred_megabytes_over_http_and_sse() {
    let served = Served::start();
    let mut stream = TcpStream::connect(served.serving.address()).expect("it listens");
    let get = "GET /sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n";
    stream.write_all(get.as_bytes()).expect("it reads");
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let endpoint = lines.find_map(|line| Some(line.strip_prefix("data: ")?.to_owned()));
    let endpoint = endpoint.expect("the event `endpoint`");
    let path = endpoint.find("/messages").map_or(endpoint.as_str(), |at| &endpoint[at..]);
    let answer = served.post(path, "", huge());
    assert!(["HTTP/1.1 413 Payload Too Large", "nothing"].contains(&status(&answer)), "{answer}");
    let answer = served.post(path, "", [INITIALIZE.as_bytes()]);
    assert_eq!(status(&answer), "HTTP/1.1 202 Accepted", "{answer}");
    let event = lines.find(|line| line.starts_with("data: ")).expect("the reply");
    assert!(event.contains(r#""id":1,"result""#), "{event}");
    served.end();
}
