//! Clients that make a server keep much: bodies that do not end. Memory stays within
//! bounds, and modest clients are served meanwhile.
#![cfg(target_os = "linux")]

use std::io::Write;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use crate::bounds::BOUND;
use crate::client_bounds::{Served, status};

/// How many clients attack at the same time.
const CONNECTIONS: usize = 60;
/// How many bytes each of them sends.
const LARGE: usize = 15 * 1024 * 1024;
/// How long the server may read nothing before a client stops writing.
const BLOCKED: Duration = Duration::from_secs(3);

/// The commands that are servers of MCP.
fn servers() -> [Served; 3] {
    let case = r#"
case: Ping
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "result": {}}
"#;
    [
        Served::start(),
        Served::command(
            &["cases", "serve", "ping.yaml", "--listen", "127.0.0.1:0"],
            &[("ping.yaml", case)],
        ),
        Served::command(&["client", "--scenario", "tools_call", "--timeout", "10m"], &[]),
    ]
}

/// The head of a POST of this many bytes.
fn head(path: &str, kind: &str, headers: &str, length: usize) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n\
         Accept: application/json, text/event-stream\r\n{headers}Content-Length: {length}\r\n\r\n"
    )
}

/// Sends this on many connections at the same time, as far as the server reads it; they stay open, and nothing is read from them.
fn send_on_many(served: &Served, head: &str, body: &[u8]) -> Vec<TcpStream> {
    let send = || {
        let mut socket = TcpStream::connect(served.address()).expect("it listens");
        socket.set_write_timeout(Some(BLOCKED)).expect("a time-out");
        // Each fails if the server has refused the request, or reads nothing for now.
        let _ = socket.write_all(head.as_bytes()).and_then(|()| socket.write_all(body));
        socket
    };
    thread::scope(|scope| {
        let sending: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(send)).collect();
        sending.into_iter().map(|sent| sent.join().expect("no panic")).collect()
    })
}

/// Bodies that lack their last byte.
fn bodies_that_do_not_end(served: &Served) {
    let head = head("/mcp", "application/json", "", LARGE);
    let open = send_on_many(served, &head, &vec![b'x'; LARGE - 1]);
    served.assert_serves();
    drop(open);
}

#[test]
fn bodies_that_do_not_end_share_one_budget() {
    for served in servers() {
        bodies_that_do_not_end(&served);
        served.end_within(BOUND);
    }
}

#[test]
fn an_authorization_server_shares_the_budget() {
    const FORM: &str = "application/x-www-form-urlencoded";
    let served =
        Served::command(&["reference", "authorization-server", "--listen", "127.0.0.1:0"], &[]);
    let length = 64 * 1024;
    let head = head("/token", FORM, "", length);
    let open: Vec<_> =
        (0..5).map(|_| send_on_many(&served, &head, &vec![b'x'; length - 1])).collect();
    let answer = served.post("/token", "", [&b"{}"[..]]);
    assert_eq!(status(&answer), "HTTP/1.1 400 Bad Request", "{answer}");
    drop(open);
    served.end_within(BOUND);
}
