//! Programs and servers that repeat what they are sent.

use std::process::Command;
use std::time::Duration;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::post;
use mcp_test::clock::Stopwatch;
use mcp_test::prelude::*;
use mcp_test_tests::program::run_command;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::program::mcp_test;

/// An echo is recognised at once, on a busy machine soon.
const SOON: Duration = Duration::from_secs(10);

#[test]
fn cat_is_not_a_server() {
    for command in [&["check"][..], &["server"], &["check", "--spec-version", "2026-07-28"]] {
        let stopwatch = Stopwatch::start();
        let run = mcp_test(command.iter().chain(&["--", "cat"]));
        assert_eq!(run.code, 3, "{command:?}: {}", run.text(&[]));
        assert!(stopwatch.elapsed() < SOON, "{command:?}");
        assert!(run.stderr.contains("repeats its input"), "{command:?}: {}", run.stderr);
    }
    let run = mcp_test(["check", "--", "cat"]);
    insta::assert_snapshot!(run.text(&[]), @"
    error: cannot test `cat`: the server repeats its input: it sent `initialize` back
      expected a response with id 1
      got the request `initialize` with the same id
      hint: is it an MCP server? A program such as `cat` is not one.
      Requirement: jsonrpc.request-answered (MUST) Every request that was not cancelled ends with a
        response, be it a result or an error.
        https://modelcontextprotocol.io/specification/2025-11-25/basic#responses
    ");
    let run = mcp_test(["check", "--spec-version", "2026-07-28", "--", "tee"]);
    insta::assert_snapshot!(run.text(&[]), @"
    error: cannot test `tee`: the server repeats its input: it sent `server/discover` back
      expected a response with id 1
      got the request `server/discover` with the same id
      hint: is it an MCP server? A program such as `cat` is not one.
      Requirement: jsonrpc.request-answered (MUST) Every request that was not cancelled ends with a
        response, be it a result or an error.
        https://modelcontextprotocol.io/specification/2026-07-28/basic#responses
    ");
}

#[test]
fn a_server_that_repeats_bodies_is_not_one_of_mcp() {
    let runtime = Runtime::new().expect("a runtime");
    let url = runtime.block_on(async {
        let echo = |body: String| async move { ([(CONTENT_TYPE, "application/json")], body) };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
        tokio::spawn(async move {
            axum::serve(listener, Router::new().route("/mcp", post(echo))).await
        });
        url
    });
    let stopwatch = Stopwatch::start();
    let run = mcp_test(["check", "--url", &url]);
    assert_eq!(run.code, 3, "{}", run.text(&[]));
    assert!(stopwatch.elapsed() < SOON);
    insta::assert_snapshot!(run.text(&[(&url, "[url]")]), @"
    error: cannot test `[url]`: the server repeats its input: it sent `initialize`
      back
      expected a response with id 1
      got the request `initialize` with the same id
      hint: is it an MCP server? A program such as `cat` is not one.
      Requirement: jsonrpc.request-answered (MUST) Every request that was not cancelled ends with a
        response, be it a result or an error.
        https://modelcontextprotocol.io/specification/2025-11-25/basic#responses
    ");
}

fn cat() -> Target {
    Target::command(mcp_test::process::Command::new("cat"))
}

#[mcp_scenario(target = cat)]
#[ignore = "it fails on purpose"]
async fn on_purpose(ctx: &mut Ctx) -> Result<()> {
    ctx.list_tools().await?.assert_tool("none");
    Ok(())
}

#[test]
fn a_test_function_reports_it_too() {
    let mut command = Command::new(std::env::current_exe().expect("a program has a path"));
    command.args(["--ignored", "--exact", "echo::on_purpose"]).env("RUST_BACKTRACE", "0");
    let run = run_command(command);
    assert!(run.stdout.contains("repeats its input"), "{}", run.text(&[]));
    assert!(run.stdout.contains("is it an MCP server?"), "{}", run.text(&[]));
}
