//! Servers that break MCP in ways that occur in practice: the report says what is wrong, without waiting for a deadline where
//! that is possible, and the server is ended.

use std::time::Duration;

use mcp_test::client::{Client, Options};
use mcp_test::process::Command;
use mcp_test::spec::Revision;
use mcp_test::trace::Recorder;
use mcp_test::transport::{Limits, Target, TransportKind};
use tokio::runtime::Runtime;

use crate::peers::peer_path;
use crate::program::{MCP_TEST, free_port, mcp_test, without_times};

/// Tries to connect, and returns what was being waited for when each deadline fired.
fn deadlines_fired(target: &Target, transport: TransportKind, timeout: Duration) -> Vec<String> {
    let recorder = Recorder::new();
    let connect = async {
        let prepared = target.prepare().await.expect("the server starts");
        let connection = target
            .open(transport, &recorder, Limits::default())
            .await
            .expect("the server is reachable");
        let options = Options::speaking(Revision::V2025_11_25).timeout(timeout);
        let connected = Client::connect(connection, options).await;
        assert!(connected.is_err(), "the server is not broken");
        prepared.end().await;
    };
    Runtime::new().expect("a runtime").block_on(connect);
    recorder.trace().deadlines_fired().into_iter().map(str::to_owned).collect()
}

/// So long that it cannot fire during a test.
const NEVER: Duration = Duration::from_secs(3600);

fn shell(script: &str) -> Target {
    Target::command(Command::new("sh").arg(peer_path(script)))
}

#[test]
fn a_server_that_never_responds_runs_into_the_timeout() {
    let run = mcp_test(["check", "--timeout", "300ms", "--", "sh", &peer_path("silent.sh")]);
    insta::assert_snapshot!(run.text(&[]), @"
    error: cannot test `sh peers/silent.sh`: `initialize` was not answered
      expected a response with id 1 within 300 ms
      got nothing at all in that time
      hint: is this a program that speaks MCP over its standard input and output?
        if it takes longer to start, `--timeout` gives it more time
      Requirement: jsonrpc.request-answered (MUST) Every request that was not cancelled ends with a
        response, be it a result or an error.
        https://modelcontextprotocol.io/specification/2025-11-25/basic#responses
    ");
    assert_eq!(run.code, 3);
    let fired =
        deadlines_fired(&shell("silent.sh"), TransportKind::Stdio, Duration::from_millis(300));
    assert_eq!(fired.len(), 1, "{fired:?}");
}

#[test]
fn a_wrong_id_in_the_first_response_is_reported_at_once() {
    // A relative path, since the lines are wrapped with the path as it was given.
    let run = mcp_test(["check", "--timeout", "60m", "--", "sh", "peers/wrong_id.sh"]);
    insta::assert_snapshot!(run.text(&[]), @"
    error: cannot test `sh peers/wrong_id.sh`: the reply to `initialize` has the wrong id
      expected a response with id 1
      got id 4711, which no request has
      Requirement: jsonrpc.result-id-echo (MUST) A result response repeats the id of the request that it
        answers.
        https://modelcontextprotocol.io/specification/2025-11-25/basic#result-responses
    ");
    assert_eq!(run.code, 3);
    assert!(deadlines_fired(&shell("wrong_id.sh"), TransportKind::Stdio, NEVER).is_empty());
}

#[test]
fn a_wrong_id_in_a_later_response_fails_the_scenario() {
    let args = ["check", "--timeout", "60m", "--scenario", "ping", "--spec-version", "2025-06-18"];
    let server = ["--", MCP_TEST, "reference", "server", "--stdio", "--fault", "wrong-id:ping"];
    let run = mcp_test(args.into_iter().chain(server));
    insta::assert_snapshot!(without_times(&run.text(&[])), @"
    ping:
    [time] [ping             ] FAILURE The result of `ping` is an empty object
    [time] [wire-schema-valid] SUCCESS Everything that the peer sent has the shape that the schema gives it
    [time] [wire-well-formed ] FAILURE Everything that the peer sent is well-formed JSON-RPC and follows the rules of its transport

    ✗ 1. the reply to `ping` has the wrong id
       expected a response with id 2
       got id 1002, which no request has
       in all of these:
         - a reply has an id that no request has: 1002
         - the reply to `ping` has the wrong id: id 1002, which no request has
       Shows in: ping at 2025-06-18 over stdio; 1 scenario run; checks ping, wire-well-formed
       Requirement: jsonrpc.result-id-echo (MUST) A result response repeats the id of the request that
         it answers.
           https://modelcontextprotocol.io/specification/2025-06-18/basic#responses
       Exchange (`ping at 2025-06-18 over stdio`):
             … 3 messages not shown
         4  client → server  ping {}
         5  client ← server  result for unknown id 1002 {}
       Rerun: mcp-test check --scenario ping --spec-version 2025-06-18 -- mcp-test reference server --stdio --fault wrong-id:ping
       What it checks and why: mcp-test explain ping

    1 problem; 1 check passed, 2 failed
    ✗ 1. the reply to `ping` has the wrong id (ping at 2025-06-18 over stdio; jsonrpc.result-id-echo)
    ");
    assert_eq!(run.code, 1);
}

#[test]
fn a_banner_on_stdout_fails_only_the_well_formedness_check() {
    let args = ["check", "--timeout", "60m", "--scenario", "ping", "--spec-version", "2025-06-18"];
    let banner = peer_path("banner.sh");
    let server = ["--", "sh", &banner, MCP_TEST, "reference", "server", "--stdio"];
    let run = mcp_test(args.into_iter().chain(server));
    insta::assert_snapshot!(without_times(&run.text(&[])), @r#"
    ping:
    [time] [ping             ] SUCCESS The result of `ping` is an empty object
    [time] [wire-schema-valid] SUCCESS Everything that the peer sent has the shape that the schema gives it
    [time] [wire-well-formed ] FAILURE Everything that the peer sent is well-formed JSON-RPC and follows the rules of its transport

    ✗ 1. the server wrote something to its output that is not an MCP message
       expected one JSON-RPC message per line, and nothing else
       got "Calculator 1.0 is listening on stdio" (not JSON: line 1, column 1: expected a value, found
         `C`)
       Shows in: ping at 2025-06-18 over stdio; 1 scenario run; check `wire-well-formed`
       Requirement: transport.stdio.stdout-only-messages (MUST NOT) Nothing but MCP messages appears on
         the server's stdout.
           https://modelcontextprotocol.io/specification/2025-06-18/basic/transports
       Exchange (`ping at 2025-06-18 over stdio`):
             … 1 message not shown
         2  client ← server  noise "Calculator 1.0 is listening on stdio"
             ! not JSON: line 1, column 1: expected a value, found `C`
       Rerun: mcp-test check --scenario ping --spec-version 2025-06-18 -- sh peers/banner.sh mcp-test reference server --stdio
       What it checks and why: mcp-test explain ping

    1 problem; 2 checks passed, 1 failed
    ✗ 1. the server wrote something to its output that is not an MCP message (ping at 2025-06-18 over
         stdio; transport.stdio.stdout-only-messages)
    "#);
    assert_eq!(run.code, 1);
}

#[test]
fn a_program_that_prints_a_banner_and_exits_is_reported_at_once() {
    let run = mcp_test([
        "check",
        "--timeout",
        "60m",
        "--",
        "echo",
        "Calculator 1.0 is listening on stdio",
    ]);
    insta::assert_snapshot!(run.text(&[]), @r#"
    error: cannot test `echo 'Calculator 1.0 is listening on stdio'`: the connection ended before
      `initialize` was answered
      expected a response with id 1
      got "Calculator 1.0 is listening on stdio" (not JSON: line 1, column 1: expected a value, found
        `C`); then the server ended with exit code 0
      Requirement: jsonrpc.request-answered (MUST) Every request that was not cancelled ends with a
        response, be it a result or an error.
        https://modelcontextprotocol.io/specification/2025-11-25/basic#responses
    "#);
    assert_eq!(run.code, 3);
}

#[test]
#[ignore = "needs Python 3"]
fn a_web_server_that_responds_with_html_is_reported_at_once() {
    let port = free_port().to_string();
    let url = format!("http://127.0.0.1:{port}/mcp");
    let page = peer_path("web_page.py");
    let run = mcp_test(["check", "--timeout", "60m", "--url", &url, "--", "python3", &page, &port]);
    insta::assert_snapshot!(run.text(&[(&port, "[port]")]), @r#"
    error: cannot test `http://127.0.0.1:[port]/mcp`: the reply to `initialize` is not an MCP message
      expected a JSON-RPC response with id 1 of MCP 2025-11-25
      got "<!DOCTYPE html><html><body><h1>It works!</h1></body></html>\n" (HTTP 200 with a body of type
        text/html, not application/json or text/event-stream)
      Requirement: transport.http.request-content-type (MUST) A POSTed request is answered as
        text/event-stream or as application/json, nothing else.
        https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
    "#);
    assert_eq!(run.code, 3);
    let target = Target::url_started_by(url, Command::new("python3").args([page, port]));
    assert!(deadlines_fired(&target, TransportKind::Http, NEVER).is_empty());
}

#[test]
fn a_refused_connection_is_reported_at_once() {
    let port = free_port().to_string();
    let url = format!("http://127.0.0.1:{port}/mcp");
    let run = mcp_test(["check", "--timeout", "60m", "--url", &url]);
    insta::assert_snapshot!(run.text(&[(&port, "[port]")]), @"
    error: cannot test `http://127.0.0.1:[port]/mcp`: `initialize` got no reply
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that failed without an HTTP response: connection refused: nothing listens there
      hint: is the server running, and is this its URL?
    ");
    assert_eq!(run.code, 3);
    assert!(deadlines_fired(&Target::url(url), TransportKind::Http, NEVER).is_empty());
}

#[test]
fn a_program_that_does_not_exist_is_reported() {
    let run = mcp_test(["check", "--", "a-server-that-nobody-wrote"]);
    insta::assert_snapshot!(run.text(&[]), @"
    error: cannot test `a-server-that-nobody-wrote`: cannot start `a-server-that-nobody-wrote`: not
      found in PATH; install it, or give its path
    ");
    assert_eq!(run.code, 3);
}
