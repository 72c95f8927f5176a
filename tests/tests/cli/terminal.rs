//! What a person sees at a terminal that is 100 columns wide, with colours and without.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::pty::{Winsize, openpty};

use crate::program::MCP_TEST;

/// The columns of the terminal.
const COLUMNS: u16 = 100;

/// Runs `mcp-test check` with standard output on a terminal, and returns what is shown there, and on standard error.
fn shown(words: &[&str], colours: bool) -> String {
    let check = ["check", "--spec-version", "2025-11-25", "--jobs", "1"];
    let (shown, errors, code) = on_terminal(&[&check[..], words].concat(), colours);
    let text = format!("{}{errors}exit code {code:?}\n", shown.replace('\r', ""));
    text.replace('\u{1b}', "ESC")
}

/// Runs the command with standard output on a terminal; returns what is written there, standard error and the exit code.
fn on_terminal(arguments: &[&str], colours: bool) -> (String, String, Option<i32>) {
    let mut run = Command::new(MCP_TEST);
    run.args(arguments).current_dir(peers());
    if !colours {
        run.env("NO_COLOR", "1");
    }
    command_on_terminal(run, false)
}

/// Runs a command with standard output on a terminal, perhaps with standard error; with colours unless it refuses them. Returns what
/// is written to the terminal, what else is written to standard error, and the exit code.
pub(crate) fn command_on_terminal(
    mut run: Command,
    stderr_too: bool,
) -> (String, String, Option<i32>) {
    let size = Winsize { ws_row: 50, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };
    let terminal = openpty(Some(&size), None).expect("a terminal");
    // By a short name, so that lines break at the same places on every machine.
    let folder = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(MCP_TEST, folder.path().join("mcp-test")).expect("a link");
    let path = std::env::var("PATH").unwrap_or_default();
    run.env("PATH", format!("{}:{path}", folder.path().display()));
    run.env_remove("GITHUB_ACTIONS").env_remove("CI").env_remove("CLICOLOR_FORCE");
    run.env("TERM", "xterm-256color");
    if run.get_envs().all(|(name, _)| name != "NO_COLOR") {
        run.env_remove("NO_COLOR");
    }
    run.stdin(Stdio::null()).stderr(match stderr_too {
        true => Stdio::from(terminal.slave.try_clone().expect("a terminal")),
        false => Stdio::piped(),
    });
    run.stdout(terminal.slave);
    let mut child = run.spawn().expect("it starts");
    // It holds the terminal, which would otherwise never end.
    drop(run);
    let reader = std::thread::spawn(move || read(terminal.master));
    let mut errors = String::new();
    if let Some(mut stderr) = child.stderr.take() {
        stderr.read_to_string(&mut errors).expect("it is text");
    }
    let code = child.wait().expect("it ends").code();
    (reader.join().expect("it is read"), errors, code)
}

fn read(master: OwnedFd) -> String {
    let (mut all, mut master) = (Vec::new(), File::from(master));
    let mut buffer = [0; 4096];
    // Linux reports an error, not an end, when nobody holds the other side any more.
    while let Ok(count) = master.read(&mut buffer) {
        if count == 0 {
            break;
        }
        all.extend_from_slice(&buffer[..count]);
    }
    String::from_utf8(all).expect("it is text")
}

fn peers() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers")
}

/// What is shown without colours, after a comparison with what is shown with them.
fn plain(words: &[&str]) -> String {
    let (plain, coloured) = (shown(words, false), shown(words, true));
    assert!(!plain.contains("ESC"), "{plain}");
    assert_eq!(without_colours(&coloured), plain);
    // A command is to be copied, and a link to be followed.
    let is_whole = |line: &&str| line.contains("Rerun: ") || line.contains("https://");
    let shown = plain.lines().filter(|line| !is_whole(line));
    let too_long: Vec<&str> =
        shown.filter(|line| line.chars().count() > usize::from(COLUMNS)).collect();
    assert_eq!(too_long, Vec::<&str>::new());
    plain
}

fn without_colours(text: &str) -> String {
    let mut parts = text.split("ESC[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('m').map_or(part, |(_, rest)| rest))
}

/// The words for the reference server with these faults, over stdio.
fn reference<'a>(options: &[&'a str], faults: &[&'a str]) -> Vec<&'a str> {
    let mut words = options.to_vec();
    words.extend(["--", "mcp-test", "reference", "server", "--stdio"]);
    words.extend(faults.iter().flat_map(|fault| ["--fault", fault]));
    words
}

const SOME: [&str; 6] =
    ["--scenario", "ping", "--scenario", "tools-list", "--scenario", "prompts-list"];

/// More than are listed on one line.
const MANY: [&str; 10] = [
    "server-initialize",
    "logging-set-level",
    "ping",
    "completion-complete",
    "tools-list",
    "tools-call-simple-text",
    "resources-list",
    "resources-read-text",
    "prompts-list",
    "server-session-lifecycle",
];

#[test]
fn all_passed() {
    insta::assert_snapshot!(plain(&reference(&SOME, &[])));
}

#[test]
fn one_failure() {
    insta::assert_snapshot!(plain(&reference(&SOME, &["error:ping:-32603"])));
}

#[test]
fn many_from_one_cause() {
    let options = MANY.map(|id| ["--scenario", id]).concat();
    insta::assert_snapshot!(plain(&reference(&options, &["banner:\"hello \u{1b}[31m world\""])));
}

#[test]
fn colours() {
    let words = reference(&SOME, &["error:ping:-32603", "remove:tools/list:/tools/0/description"]);
    insta::assert_snapshot!(shown(&words, true));
}

#[test]
fn skipped_for_lack_of_fixtures() {
    let ids = ["tools-call-simple-text", "tools-call-error", "prompts-get-simple", "ping"];
    let options: Vec<&str> = ids.iter().flat_map(|id| ["--scenario", id]).collect();
    let none = ["answer:tools/list:{\"tools\":[]}", "answer:prompts/list:{\"prompts\":[]}"];
    let mut words = reference(&options, &none);
    insta::assert_snapshot!(plain(&words));
    words.insert(0, "--verbose");
    assert!(shown(&words, false).contains("Not tested:"));
}

#[test]
fn a_dead_server() {
    insta::assert_snapshot!(plain(&["--", "sh", "-c", "echo 'no API key' >&2; exit 3"]));
    insta::assert_snapshot!(plain(&reference(&SOME, &["exit:tools/list"])));
}

#[test]
fn interrupted() {
    let words = ["--scenario", "server-initialize", "--scenario", "ping", "--timeout", "30s"];
    let words: Vec<&str> = words.into_iter().chain(["--", "sh", "signals.sh", "INT"]).collect();
    insta::assert_snapshot!(plain(&words));
}
