//! `--color`, `completions` and `man`.

use std::fs;
use std::process::{Command, Stdio};

use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::run_command;

use crate::program::{MCP_TEST, mcp_test};

/// Commands that print something in colours, and what they need to do so.
const COLOURED: [&[&str]; 4] = [
    &["check", "--scenario", "ping", "--spec-version", "2025-11-25", "--reference"],
    &["list", "--scenario", "no-such-scenario"],
    &["explain", "--no-such-option"],
    &["cases", "lint", "no-such-file.yaml"],
];

/// What a command prints to pipes, with these variables.
fn piped(words: &[&str], variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(MCP_TEST);
    command.args(words).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command.envs(variables.iter().copied());
    run_command(command).text(&[])
}

/// The words with the option, which may also come first.
fn with(option: &[&'static str], words: &[&'static str]) -> [Vec<&'static str>; 2] {
    [[option, words].concat(), [&words[..1], option, &words[1..]].concat()]
}

#[test]
fn the_option_wins_over_the_environment() {
    for words in COLOURED {
        assert!(!piped(words, &[]).contains('\u{1b}'), "{words:?}");
        assert!(piped(words, &[("CLICOLOR_FORCE", "1")]).contains('\u{1b}'), "{words:?}");
        let always = with(&["--color", "always"], words).into_iter();
        for words in always.chain(with(&["--color=always"], words)) {
            assert!(piped(&words, &[("NO_COLOR", "1")]).contains('\u{1b}'), "{words:?}");
        }
        for words in with(&["--color", "never"], words) {
            assert!(!piped(&words, &[("CLICOLOR_FORCE", "1")]).contains('\u{1b}'), "{words:?}");
        }
        for words in with(&["--color", "auto"], words) {
            assert!(piped(&words, &[("CLICOLOR_FORCE", "1")]).contains('\u{1b}'), "{words:?}");
        }
    }
}

#[test]
fn the_option_of_the_command_under_test_is_its_own() {
    let words = ["check", "--timeout", "5s", "--", "sh", "-c", "exit 1", "--color", "always"];
    assert!(!piped(&words, &[]).contains('\u{1b}'));
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_colours_unless_they_are_refused() {
    let shown = |words: &[&str]| {
        let mut command = Command::new(MCP_TEST);
        command.args(words);
        crate::terminal::command_on_terminal(command, true).0
    };
    for words in COLOURED {
        assert!(shown(words).contains("\u{1b}["), "{words:?}");
        let never = shown(&[&["--color", "never"], words].concat());
        // The status line is rewritten without colours, too.
        let rest = never.replace("\r\u{1b}[2K", "");
        assert!(!rest.contains('\u{1b}'), "{words:?}: {rest:?}");
    }
    let check = shown(&[&["--color", "never"], COLOURED[0]].concat());
    assert!(check.contains("\r\u{1b}[2K"), "the status line is not cleared: {check:?}");
}

#[test]
fn shells_accept_the_completions() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "completions");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = mcp_test(["completions", shell]);
        assert_eq!(run.code, 0, "{}", run.text(&[]));
        for word in ["verify-client", "fail-fast"] {
            assert!(run.stdout.contains(word), "{shell} does not complete {word}");
        }
        let path = folder.path().join(shell);
        fs::write(&path, &run.stdout).expect("a file");
        // PowerShell and Elvish have no such option.
        if !["bash", "zsh", "fish"].contains(&shell) {
            continue;
        }
        let checked = Command::new(shell).arg("-n").arg(&path).stdin(Stdio::null()).output();
        match checked {
            Ok(checked) => {
                let errors = String::from_utf8_lossy(&checked.stderr).into_owned();
                assert!(checked.status.success() && errors.is_empty(), "{shell}: {errors}");
            }
            Err(why) => assert_ne!(shell, "bash", "{why}"),
        }
    }
}

#[cfg(unix)]
#[test]
fn bash_completes_commands_and_options() {
    let script = r#"
        source <(mcp-test completions bash)
        function=$(complete -p mcp-test | sed 's/.*-F \([^ ]*\).*/\1/')
        complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); $function mcp-test "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"; echo "${COMPREPLY[*]}"; }
        complete_line mcp-test che
        complete_line mcp-test check --fail
        complete_line mcp-test check --format ""
        complete_line mcp-test cases ver
    "#;
    let mut command = Command::new("bash");
    command
        .args(["-c", &script.replace("mcp-test completions", &format!("{MCP_TEST} completions"))]);
    let run = run_command(command);
    insta::assert_snapshot!(run.text(&[]), @"
    check
    --fail-fast
    human json
    verify-client
    ");
}

#[test]
fn manual_pages_render_without_warnings() {
    for words in [&["man"][..], &["man", "check"], &["man", "client"], &["man", "cases", "run"]] {
        let run = mcp_test(words);
        assert_eq!(run.code, 0, "{}", run.text(&[]));
        let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), &format!("man-{}", words.len()));
        let path = folder.path().join("page.1");
        fs::write(&path, &run.stdout).expect("a file");
        let rendered =
            Command::new("groff").args(["-man", "-Tutf8", "-ww", "-z"]).arg(&path).output();
        // It is not installed everywhere.
        let Ok(rendered) = rendered else { continue };
        let warnings = String::from_utf8_lossy(&rendered.stderr).into_owned();
        assert!(rendered.status.success() && warnings.is_empty(), "{words:?}: {warnings}");
        assert!(run.stdout.contains("--color") || run.stdout.contains(r"\-\-color"), "{words:?}");
    }
}
