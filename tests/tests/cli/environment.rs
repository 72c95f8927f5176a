//! `--cwd` and `--env`: the directory and environment of the target.

use std::fs;

use mcp_test_tests::folder::Folder;

use crate::program::{MCP_TEST, mcp_test};

/// Writes its directory and variable to a file, then becomes the server.
const NOTING: &str = r#"{ pwd -P; printf '%s\n' "$MCP_TEST_GREETING" "$MCP_TEST_INHERITED"; } >noted; exec "$0" reference server --stdio"#;

#[test]
fn cwd_and_env_reach_a_child_over_stdio() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "cwd-and-env");
    let directory = folder.path().canonicalize().expect("it is there");
    let directory = directory.to_string_lossy();
    let options = ["check", "--scenario", "ping", "--spec-version", "2025-11-25"];
    let given = ["--cwd", &directory, "--env", "MCP_TEST_GREETING=hello = world"];
    let child = ["--", "sh", "-c", NOTING, MCP_TEST];
    let run = mcp_test(options.iter().chain(&given).chain(&child));
    assert_eq!(run.code, 0, "{}", run.text(&[]));
    let noted = fs::read_to_string(folder.path().join("noted")).expect("the child noted it");
    assert_eq!(noted, format!("{directory}\nhello = world\n\n"));
}

#[test]
fn a_relative_command_is_looked_up_in_the_directory_of_the_child() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "relative");
    let script = format!("exec '{MCP_TEST}' reference server --stdio\n");
    fs::write(folder.path().join("server.sh"), script).expect("it can be written");
    let words = ["check", "--scenario", "ping", "--spec-version", "2025-11-25"];
    let here = mcp_test(words.iter().chain(&["--cwd", &folder.word(""), "--", "sh", "server.sh"]));
    assert_eq!(here.code, 0, "{}", here.text(&[]));
    let elsewhere = mcp_test(words.iter().chain(&["--", "sh", "server.sh"]));
    assert_eq!(elsewhere.code, 3, "{}", elsewhere.text(&[]));
}
