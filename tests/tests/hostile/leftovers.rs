//! Servers that do not leave: they are told so, and ended with all that they have started.
//!
//! Processes are known by a mark that they inherit; files by the folder that is theirs for temporary ones.

use std::path::Path;
use std::process::Command;

use mcp_test_tests::hostile::{Hostile, How};
use mcp_test_tests::program::run_command;

use crate::bounds::failures;
use crate::played::{METHOD, SCENARIO};

const PEER: &str = env!("CARGO_BIN_EXE_hostile-peer");

/// Tests the server that a shell makes of the good or hostile program, and makes sure that nothing of it stays.
#[track_caller]
fn told(script: &str, how: How) -> String {
    let temporary = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-test-under-test"));
    command.env("TMPDIR", temporary.path());
    command.args(["check", "--scenario", SCENARIO, "--spec-version", "2025-11-25"]);
    command.args(["--timeout", "10m", "--format", "json", "--", "sh", "-c", script, "sh", PEER]);
    command.args(Hostile::on(METHOD, how).arguments());
    // This also looks for processes; a port is gone with the process that listened on it.
    let run = run_command(command);
    let left: Vec<_> = Path::new(temporary.path()).read_dir().expect("a folder").collect();
    assert!(left.is_empty(), "{left:?}");
    let text = failures(&run);
    let number = |word: &str| word.trim_end_matches(',').parse::<u32>().is_ok();
    let words = text.split(' ').map(|word| if number(word) { "[process]," } else { word });
    words.collect::<Vec<_>>().join(" ").replace(PEER, "hostile-peer")
}

#[test]
fn a_server_that_ignores_the_end_of_its_input() {
    insta::assert_snapshot!(told(r#"exec "$@""#, How::IgnoreEof), @"
    WARNING wire-well-formed: the server did not leave when its input ended
      expected a server that exits by itself soon after the end of its input
      got it outlived its stdin and exited on SIGTERM
    ");
}

#[test]
fn a_server_that_ignores_the_request_to_terminate_too() {
    insta::assert_snapshot!(told(r#"trap "" TERM; exec "$@""#, How::IgnoreEof), @"
    WARNING wire-well-formed: the server did not leave when its input ended
      expected a server that exits by itself soon after the end of its input
      got it outlived its stdin and SIGTERM and was killed
    ");
}

#[test]
fn a_server_that_leaves_a_process_behind_which_holds_its_pipes() {
    insta::assert_snapshot!(told(r#"exec "$@""#, How::Grandchild), @"
    WARNING wire-well-formed: the server left a process behind that it had started
      expected a server that ends what it has started before it exits
      got process [process], `hostile-peer hold`
      hint: it holds what it has inherited, such as pipes; mcp-test has killed it
    ");
}

#[test]
fn a_server_that_leaves_a_process_behind_in_a_session_of_its_own() {
    let script = r#"setsid "$1" hold & exec "$@""#;
    insta::assert_snapshot!(told(script, How::Well), @"
    WARNING wire-well-formed: the server left a process behind that it had started
      expected a server that ends what it has started before it exits
      got process [process], `hostile-peer hold`
      hint: it holds what it has inherited, such as pipes; mcp-test has killed it
    ");
}

#[test]
fn a_server_that_exits_at_once_while_another_process_holds_its_pipes() {
    let script = r#"trap "" TERM; "$1" hold & exec "$@""#;
    insta::assert_snapshot!(told(script, How::ExitInstead), @"
    FAILURE tools-list: the connection ended before `tools/list` was answered
      expected a response with id 2
      got the server ended with exit code [process], and a process that it started holds its output
    SKIPPED tools-name-format: not reached: the connection ended before `tools/list` was answered
    SKIPPED tools-list-definitions: not reached: the connection ended before `tools/list` was answered
    WARNING wire-well-formed: the server left a process behind that it had started
      expected a server that ends what it has started before it exits
      got process [process], `hostile-peer hold`
      hint: it holds what it has inherited, such as pipes; mcp-test has killed it
    ");
}

#[test]
fn a_server_that_closes_its_output_and_runs_on() {
    let script = r#""$@"; exec >&-; cat > /dev/null"#;
    insta::assert_snapshot!(told(script, How::ExitInstead), @"
    FAILURE tools-list: the connection ended before `tools/list` was answered
      expected a response with id 2
      got the server closed its output and runs on
    SKIPPED tools-name-format: not reached: the connection ended before `tools/list` was answered
    SKIPPED tools-list-definitions: not reached: the connection ended before `tools/list` was answered
    ");
}
