//! A reference server that ignores SIGTERM.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::program::MCP_TEST;

const PING: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";

/// Starts a reference server, gets a reply, sends SIGTERM and another request, and kills the server if it replies.
fn ends_after_term(faults: &[&str]) -> ExitStatus {
    let mut server = Command::new(MCP_TEST);
    server.args(["reference", "server", "--stdio"]).args(faults);
    let mut server =
        server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut stdout = BufReader::new(server.stdout.take().expect("it is piped"));
    let mut stdin = server.stdin.take().expect("it is piped");
    let mut answers = || {
        let mut reply = String::new();
        stdin.write_all(PING).is_ok() && stdout.read_line(&mut reply).is_ok_and(|read| read > 0)
    };
    assert!(answers());
    send("-TERM", &server);
    // Without the fault it ends, either before or after another reply.
    while answers() {
        if !faults.is_empty() {
            send("-KILL", &server);
            break;
        }
    }
    server.wait().expect("it ends")
}

fn send(signal: &str, server: &Child) {
    let kill = Command::new("kill").args([signal, &server.id().to_string()]).status();
    assert!(kill.expect("kill").success());
}

#[test]
fn a_request_to_terminate_may_be_ignored() {
    assert_eq!(ends_after_term(&[]).code(), Some(143));
    assert_eq!(ends_after_term(&["--fault", "ignore-term"]).signal(), Some(9));
}
