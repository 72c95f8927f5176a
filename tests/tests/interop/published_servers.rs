//! Published servers under `mcp-test check`: four of those that `.ci/published-servers` checks outside of CI.
//!
//! The findings have to be the rows of the server's table in `PUBLISHED_SERVERS.md`, or of the table of its SDK, which say for
//! each why it is right.

use std::collections::BTreeSet;

use crate::json_report::Report;
use crate::peers::Peers;
use crate::program::mcp_test;

/// The SDK whose table lists what servers on it have in common.
const TYPESCRIPT: Option<&str> = Some("TypeScript SDK 1");

const ADJUDICATED: &str = include_str!("PUBLISHED_SERVERS.md");

/// The first four cells of the rows in the section on a server.
#[track_caller]
fn rows(server: &str) -> BTreeSet<String> {
    let section = ADJUDICATED.split("\n## ").find(|section| section.lines().next() == Some(server));
    let section = section.unwrap_or_else(|| panic!("PUBLISHED_SERVERS.md does not list {server}"));
    let is_row = |line: &&str| line.starts_with("| FAILURE ") || line.starts_with("| WARNING ");
    let first = |line: &str| line.split(" | ").take(4).collect::<Vec<_>>().join(" | ");
    section.lines().filter(is_row).map(first).collect()
}

/// The first three cells of the rows that servers on an SDK have in common.
#[track_caller]
fn rows_of_sdk(sdk: &str) -> BTreeSet<String> {
    let rows = rows(&format!("Framework: {sdk}"));
    rows.iter().map(|row| row.split(" | ").take(3).collect::<Vec<_>>().join(" | ")).collect()
}

#[track_caller]
fn assert_documented(server: &str, sdk: Option<&str>, target: Vec<String>, code: i32) {
    let options = ["check", "--format", "json"].map(str::to_owned);
    let run = mcp_test([options.to_vec(), target].concat());
    let lines = |rows: BTreeSet<String>| rows.into_iter().collect::<Vec<_>>().join("\n");
    let shared = sdk.map(rows_of_sdk).unwrap_or_default();
    let is_shared = |row: &String| shared.iter().any(|it| row.starts_with(it));
    let mut found = Report::read(&run).findings("stdio");
    found.retain(|row| !is_shared(row));
    pretty_assertions::assert_eq!(lines(found), lines(rows(server)), "{}", run.stderr);
    assert_eq!(run.code, code, "{}", run.stderr);
}

fn over_stdio(command: Vec<String>) -> Vec<String> {
    [vec!["--".to_owned()], command].concat()
}

/// On the TypeScript SDK 1.x. It declares capabilities whose requests it does not know.
#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn findings_about_mcp_starter_are_documented() {
    let peers = Peers::installed();
    let command = peers.node("mcp-starter/dist/index.cjs", &[]);
    assert_documented("mcp-starter", TYPESCRIPT, over_stdio(command), 1);
}

/// On the TypeScript SDK 1.x. It prints a banner on its standard output.
#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn findings_about_time_mcp_are_documented() {
    let peers = Peers::installed();
    let command = peers.node("time-mcp/dist/index.js", &[]);
    assert_documented("time-mcp", TYPESCRIPT, over_stdio(command), 1);
}

/// On tmcp.
#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn findings_about_mcp_memory_libsql_are_documented() {
    let peers = Peers::installed();
    // Several of its processes run at the same time; one that finds a file locked leaves a request unanswered.
    let database = "LIBSQL_URL=:memory:".to_owned();
    let command = over_stdio(peers.node("mcp-memory-libsql/dist/index.js", &[]));
    let target = [vec!["--env".to_owned(), database], command].concat();
    assert_documented("mcp-memory-libsql", None, target, 1);
}

/// A program in Rust, on rmcp.
#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn findings_about_cnb_rs_mcp_are_documented() {
    let peers = Peers::installed();
    assert_documented("cnb-rs-mcp", None, over_stdio(peers.python_program("cnb-rs-mcp")), 1);
}
