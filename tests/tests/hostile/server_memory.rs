//! Clients that make a server keep much: bodies that do not end, sessions, and replies that nobody reads. Memory stays within
//! bounds, and modest clients are served meanwhile.
#![cfg(target_os = "linux")]

use std::io::Write;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use crate::bounds::BOUND;
use crate::client_bounds::{Served, status};
use crate::clients::{INITIALIZE, PING};

/// How many clients attack at the same time.
const CONNECTIONS: usize = 60;
/// How many bytes each of them sends.
const LARGE: usize = 15 * 1024 * 1024;
/// How many bytes a reply has that a small request asks for.
const LARGE_REPLY: usize = 4 * 1024 * 1024;
/// How much memory a command may take that serves many connections at once, in MiB.
const BOUND_OF_MANY: u64 = 2 * BOUND;
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

/// Sessions whose clients declare much: text, and small values, which take more memory than their text.
fn many_sessions(served: &Served, count: usize) {
    let first = served.session();
    let text = format!(r#"{{"x":"{}"}}"#, "x".repeat(LARGE));
    let values = format!(r#"{{"x":[{}0]}}"#, r#"{"a":[1,"b"]},"#.repeat(50_000));
    for (declared, count) in [(text, count), (values, count / 2)] {
        let declared = format!(r#""capabilities":{{"experimental":{declared}}}"#);
        let initialize = INITIALIZE.replace(r#""capabilities":{}"#, &declared);
        for _ in 0..count {
            let answer = served.post("/mcp", "", [initialize.as_bytes()]);
            assert_eq!(status(&answer), "HTTP/1.1 200 OK", "{answer}");
        }
    }
    // None of them has ended a modest one.
    let answer = served.post("/mcp", &first, [PING.as_bytes()]);
    assert_eq!(status(&answer), "HTTP/1.1 200 OK", "{answer}");
}

/// Replies to requests for methods whose names the errors repeat.
fn replies_that_nobody_reads(served: &Served) {
    let session = served.session();
    let request = PING.replace("ping", &"x".repeat(LARGE));
    let head = head("/mcp", "application/json", &session, request.len());
    let open = send_on_many(served, &head, request.as_bytes());
    served.assert_serves();
    drop(open);
}

#[test]
fn bodies_sessions_and_replies_stay_within_bounds_one_after_the_other() {
    // The servers share their code, so one of them shows the effect of many sessions.
    thread::scope(|scope| {
        for (served, sessions) in servers().into_iter().zip([40, 6, 6]) {
            // Each waits for most of the time.
            scope.spawn(move || {
                bodies_that_do_not_end(&served);
                served.assert_within(BOUND);
                many_sessions(&served, sessions);
                served.assert_within(BOUND);
                replies_that_nobody_reads(&served);
                served.end_within(BOUND_OF_MANY);
            });
        }
    });
}

#[test]
fn large_replies_to_small_requests_share_the_budget() {
    let text = "x".repeat(LARGE_REPLY);
    let case = format!(
        r#"
case: Ping
in: {{"jsonrpc": "2.0", "id": 1, "method": "ping"}}
out: {{"jsonrpc": "2.0", "id": 1, "result": {{}}}}
---
case: Read
in: {{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {{"uri": "a:b"}}}}
out: {{"jsonrpc": "2.0", "id": 1, "result": {{"contents": [{{"uri": "a:b", "text": "{text}"}}]}}}}
"#
    );
    let served = Served::command(
        &["cases", "serve", "read.yaml", "--listen", "127.0.0.1:0"],
        &[("read.yaml", &case)],
    );
    let session = served.session();
    let request = r#"{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"a:b"}}"#;
    let head = head("/mcp", "application/json", &session, request.len());
    let open = send_on_many(&served, &head, request.as_bytes());
    served.assert_serves();
    drop(open);
    let answer = served.post("/mcp", &session, [request.as_bytes()]);
    assert_eq!(status(&answer), "HTTP/1.1 200 OK", "{answer:.500}");
    served.end_within(BOUND_OF_MANY);
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
