//! Recordings of conversations between other people's programs and ours: a recording is a contract that its server keeps at
//! once, that can stand in for the server, and that its client keeps.

use std::fs;

use mcp_test::spec::Revision;
use mcp_test_tests::folder::Folder;

use crate::peers::Peers;
use crate::program::{MCP_TEST, Run, free_port, mcp_test};
use crate::report::Report;

/// Runs the command line, which has to end well.
#[track_caller]
fn goes_well(words: &[&[&str]]) -> Run {
    let run = mcp_test(words.concat());
    assert_eq!(run.code, 0, "{words:?}\n{}\n{}", run.stdout, run.stderr);
    run
}

/// How many cases a server keeps, which are all.
#[track_caller]
fn kept(file: &str, target: &[&str]) -> usize {
    let run = goes_well(&[&["cases", "run", file, "--format", "json"], target]);
    let verdicts = Report::read(&run).verdicts();
    assert!(verdicts.lines().all(|line| line.contains(": passed at ")), "{verdicts}");
    verdicts.lines().count()
}

/// A recording is what an author would leave: laid out, and nothing to complain of.
#[track_caller]
fn is_well_written(file: &str) {
    goes_well(&[&["cases", "fmt", "--check", file]]);
    let lint = goes_well(&[&["cases", "lint", "--strict", file]]);
    assert!(!lint.text(&[]).contains(file), "{}", lint.text(&[]));
}

/// Records what `check` says to a server, and holds the server to it, and what stands in for the server.
#[track_caller]
fn recorded_and_replayed(name: &str, target: &[String]) {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), name);
    let file = &folder.word("recorded.yaml");
    let target: Vec<&str> = target.iter().map(String::as_str).collect();
    let newest = Revision::V2025_11_25.as_str();
    let check = mcp_test(
        [&["check", "--spec-version", newest, "--record", file], target.as_slice()].concat(),
    );
    assert!(check.stderr.contains("Recorded in "), "{}\n{}", check.stdout, check.stderr);
    is_well_written(file);
    let by_the_server = kept(file, &target);
    assert!(by_the_server >= 4, "{by_the_server}");
    let stand_in = ["--", MCP_TEST, "cases", "serve", file, "--stdio"];
    assert_eq!(kept(file, &stand_in), by_the_server);
}

#[test]
fn what_the_everything_server_says_over_stdio() {
    let Some(peers) = Peers::installed() else { return };
    let target = [vec!["--".to_owned()], peers.everything("stdio")].concat();
    recorded_and_replayed("recorded_over_stdio", &target);
}

#[test]
fn what_the_everything_server_says_over_http() {
    let Some(peers) = Peers::installed() else { return };
    let port = free_port();
    let (url, env) = (format!("http://127.0.0.1:{port}/mcp"), format!("PORT={port}"));
    let target = ["--env", &env, "--url", &url, "--"].map(str::to_owned).to_vec();
    let target = [target, peers.everything("streamableHttp")].concat();
    recorded_and_replayed("recorded_over_http", &target);
}

/// A client on the TypeScript SDK says again what it said, whoever stands in for the server.
#[test]
fn what_a_client_says_to_our_server() {
    let Some(peers) = Peers::installed() else { return };
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "recorded_client");
    let (file, command) = (&folder.word("tools_call.yaml"), peers.client());
    let client = ["--command", &command];
    goes_well(&[&["client", "--scenario", "tools_call", "--record", file], &client]);
    is_well_written(file);
    let text = fs::read_to_string(file).expect("a recording");
    assert!(text.contains("in_tools_call:"), "{text}");
    let again = &folder.word("again.yaml");
    goes_well(&[&["cases", "verify-client", file, "--record", again], &client]);
    is_well_written(again);
    goes_well(&[&["cases", "verify-client", again], &client]);
    // Not whatever is said: one who asks for other things is told so.
    fs::write(file, text.replace("add_numbers", "subtract_numbers")).expect("it can be written");
    let run = mcp_test([&["cases", "verify-client", file], client.as_slice()].concat());
    assert_eq!(run.code, 1, "{}\n{}", run.stdout, run.stderr);
}
