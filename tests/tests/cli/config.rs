//! `mcp-test.toml` in the current directory, and a file that `--config` names.

use std::fs;

use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::{Run, run};

use crate::program::MCP_TEST;

/// Runs `mcp-test` in a directory.
fn run_in(folder: &Folder, words: &[&str]) -> Run {
    let directory = folder.word("");
    let enter = ["-c", r#"cd "$0" && exec "$@""#, &directory, MCP_TEST];
    run("sh", enter.iter().chain(words))
}

fn write(folder: &Folder, name: &str, text: &str) {
    fs::write(folder.path().join(name), text).expect("it can be written");
}

#[test]
fn the_options_of_a_file_that_is_found_are_used() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "config-found");
    write(
        &folder,
        "mcp-test.toml",
        "[check]\nscenario = [\"ping\", \"tools-list\"]\nspec-version = 2025-11-25\noutput-dir = \"out\"\n",
    );
    let run = run_in(&folder, &["check", "--reference", "--scenario", "ping"]);
    assert_eq!(run.code, 0, "{}", run.text(&[]));
    let note = run.stderr.lines().next();
    assert_eq!(note, Some("mcp-test.toml sets `output-dir` and `spec-version`"), "{}", run.stderr);
    assert!(run.stdout.contains("1 scenario"), "{}", run.stdout);
    assert!(folder.path().join("out").is_dir(), "{}", run.text(&[]));
}

/// The file comes with the directory, whose author may be anybody.
#[test]
fn a_file_that_is_found_starts_no_program() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "config-stranger");
    let file = format!(
        "[check]\nscenario = \"ping\"\nspec-version = \"2025-11-25\"\ncommand = [\"sh\", \"-c\", \"touch started; exec '{MCP_TEST}' reference server --stdio\"]\n\n[client]\ncommand = \"touch started\"\n"
    );
    write(&folder, "mcp-test.toml", &file);
    for words in [&["check"][..], &["client", "--suite", "core"]] {
        let run = run_in(&folder, words);
        assert_eq!(run.code, 2, "{}", run.text(&[]));
        assert!(
            run.stderr.contains("`command` determines which program is started"),
            "{}",
            run.stderr
        );
        assert!(!folder.path().join("started").exists());
    }
    let named = run_in(&folder, &["check", "--config", "mcp-test.toml"]);
    assert_eq!(named.code, 0, "{}", named.text(&[]));
    assert!(folder.path().join("started").exists());
}

#[test]
fn a_mistake_in_the_file_ends_the_command() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "config-mistake");
    write(&folder, "mcp-test.toml", "# comment\ntimeout = \"5 parsecs\"\n");
    let run = run_in(&folder, &["check", "--reference"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.text(&[]));
    assert!(
        run.stderr
            .contains("error: mcp-test.toml:2: invalid value '5 parsecs' for '--timeout <TIME>'"),
        "{}",
        run.stderr
    );
    let without = run_in(&folder, &["list", "--no-config", "--scenario", "ping"]);
    assert_eq!(without.code, 0, "{}", without.text(&[]));
}
