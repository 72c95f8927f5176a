//! Recordings of conversations with third-party programs: a recording is a contract that the recorded server or client passes
//! unchanged, and from which `cases serve` can replace the server.

use std::fs;

use mcp_test::spec::Revision;
use mcp_test_tests::folder::Folder;

use crate::json_report::Report;
use crate::peers::Peers;
use crate::program::{MCP_TEST, Run, free_port, mcp_test};

/// Runs `mcp-test`, which has to exit with 0.
#[track_caller]
fn succeeds(args: &[&[&str]]) -> Run {
    let run = mcp_test(args.concat());
    assert_eq!(run.code, 0, "{args:?}\n{}\n{}", run.stdout, run.stderr);
    run
}

/// Checks that a server passes all cases of a file, and returns how many there are.
#[track_caller]
fn passes_all_cases(file: &str, target: &[&str]) -> usize {
    let run = succeeds(&[&["cases", "run", file, "--format", "json"], target]);
    let verdicts = Report::read(&run).verdicts();
    assert!(verdicts.lines().all(|line| line.contains(": passed at ")), "{verdicts}");
    verdicts.lines().count()
}

/// Checks that a recording is formatted and that `cases lint` reports nothing about it.
#[track_caller]
fn is_formatted_and_lint_free(file: &str) {
    succeeds(&[&["cases", "fmt", "--check", file]]);
    let lint = succeeds(&[&["cases", "lint", "--strict", file]]);
    assert!(!lint.text(&[]).contains(file), "{}", lint.text(&[]));
}

/// Records the conversation of `check` with a server, then runs the recording against the server and against its mock.
#[track_caller]
fn records_a_contract_that_passes(name: &str, target: &[String]) {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), name);
    let file = &folder.word("recorded.yaml");
    let target: Vec<&str> = target.iter().map(String::as_str).collect();
    let newest = Revision::V2025_11_25.as_str();
    // Scenarios whose requests are valid, and have the same reply each time.
    let selected = ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list"];
    let selected = selected.iter().flat_map(|id| ["--scenario", id]);
    let options = ["check", "--spec-version", newest, "--record", file];
    let words = options.into_iter().chain(selected).chain(target.iter().copied());
    let check = mcp_test(words.collect::<Vec<_>>());
    assert!(check.stderr.contains("Recorded in "), "{}\n{}", check.stdout, check.stderr);
    is_formatted_and_lint_free(file);
    let passed_by_server = passes_all_cases(file, &target);
    assert!(passed_by_server >= 4, "only {passed_by_server} cases");
    let mock = ["--", MCP_TEST, "cases", "serve", file, "--stdio"];
    assert_eq!(passes_all_cases(file, &mock), passed_by_server);
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn the_everything_server_and_its_mock_pass_a_recording_over_stdio() {
    let peers = Peers::installed();
    let target = [vec!["--".to_owned()], peers.everything("stdio")].concat();
    records_a_contract_that_passes("recorded_over_stdio", &target);
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn the_everything_server_and_its_mock_pass_a_recording_over_http() {
    let peers = Peers::installed();
    let port = free_port();
    let (url, env) = (format!("http://127.0.0.1:{port}/mcp"), format!("PORT={port}"));
    let target = ["--env", &env, "--url", &url, "--"].map(str::to_owned).to_vec();
    let target = [target, peers.everything("streamableHttp")].concat();
    records_a_contract_that_passes("recorded_over_http", &target);
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn a_client_on_the_typescript_sdk_passes_its_recording() {
    let peers = Peers::installed();
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "recorded_client");
    let (file, command) = (&folder.word("tools_call.yaml"), peers.client_command());
    let client = ["--command", &command];
    succeeds(&[&["client", "--scenario", "tools_call", "--record", file], &client]);
    is_formatted_and_lint_free(file);
    let text = fs::read_to_string(file).expect("the recording was written");
    assert!(text.contains("in_tools_call:"), "{text}");
    let again = &folder.word("again.yaml");
    succeeds(&[&["cases", "verify-client", file, "--record", again], &client]);
    is_formatted_and_lint_free(again);
    succeeds(&[&["cases", "verify-client", again], &client]);
    // A client that sends any other request than the recorded ones fails.
    fs::write(file, text.replace("add_numbers", "subtract_numbers"))
        .expect("the file can be written");
    let run = mcp_test([&["cases", "verify-client", file], client.as_slice()].concat());
    assert_eq!(run.code, 1, "{}\n{}", run.stdout, run.stderr);
}
