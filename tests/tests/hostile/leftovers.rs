//! Servers that do not exit: they are reported, and ended with everything they started.
//!
//! Processes are found by an environment variable that they inherit, files by their folder for temporary files.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use mcp_test_tests::hostile::{Behavior, Hostile};
use mcp_test_tests::program::run_command;

use crate::bounds::failures;
use crate::repeats::{BusyCores, repeats};
use crate::scenario_run::{METHOD, SCENARIO};

const PEER: &str = env!("CARGO_BIN_EXE_hostile-peer");

/// Tests a server that a shell script starts, and checks that nothing of it is left.
#[track_caller]
fn report(script: &str, behavior: Behavior) -> String {
    report_of(command(script, &Hostile::on(METHOD, behavior)))
}

/// The command that tests such a server.
fn command(script: &str, hostile: &Hostile) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-test-under-test"));
    command.args(["check", "--scenario", SCENARIO, "--spec-version", "2025-11-25"]);
    command.args(["--timeout", "10m", "--format", "json", "--", "sh", "-c", script, "sh", PEER]);
    command.args(hostile.arguments());
    command
}

#[track_caller]
fn report_of(mut command: Command) -> String {
    let temporary = tempfile::tempdir().expect("a folder");
    command.env("TMPDIR", temporary.path());
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
fn a_server_on_a_busy_machine_gets_one_verdict() {
    let _busy = BusyCores::start();
    for repeat in 1..=repeats() {
        assert_eq!(report(r#"exec "$@""#, Behavior::Well), "", "run {repeat}");
    }
}

#[test]
fn a_server_that_ignores_the_end_of_its_input() {
    insta::assert_snapshot!(report(r#"exec "$@""#, Behavior::IgnoreEof), @"
    WARNING wire-well-formed: the server did not exit when its input ended
      expected a server that exits on its own soon after the end of its input
      got it outlived its stdin and exited on SIGTERM
      hint: mcp-test waited [time] for its exit, which depends on how fast it starts: its first message came [time] after its start
    ");
}

#[test]
fn a_server_that_ignores_the_request_to_terminate_too() {
    insta::assert_snapshot!(report(r#"trap "" TERM; exec "$@""#, Behavior::IgnoreEof), @"
    WARNING wire-well-formed: the server did not exit when its input ended
      expected a server that exits on its own soon after the end of its input
      got it outlived its stdin and SIGTERM and was killed
      hint: mcp-test waited [time] for its exit, which depends on how fast it starts: its first message came [time] after its start
    ");
}

#[test]
fn a_server_that_leaves_a_process_behind_which_holds_its_pipes() {
    insta::assert_snapshot!(report(r#"exec "$@""#, Behavior::Grandchild), @"
    FAILURE wire-well-formed: the server left a process behind that it had started
      expected a server that ends what it has started before it exits
      got process [process], `hostile-peer hold`
      hint: it holds what it has inherited, such as pipes; mcp-test has killed it
    ");
}

#[test]
fn a_server_that_leaves_a_process_behind_in_a_session_of_its_own() {
    let script = r#"folder=$(mktemp -d); mkfifo "$folder/ready"; setsid "$1" hold announced 2> "$folder/ready" & read -r _ < "$folder/ready"; rm -r "$folder"; exec "$@""#;
    insta::assert_snapshot!(report(script, Behavior::Well), @"
    FAILURE wire-well-formed: the server left a process behind that it had started
      expected a server that ends what it has started before it exits
      got process [process], `hostile-peer hold announced`
      hint: it holds what it has inherited, such as pipes; mcp-test has killed it
    ");
}

#[test]
fn a_server_that_exits_at_once_while_another_process_holds_its_pipes() {
    let script = r#"trap "" TERM; "$1" hold & exec "$@""#;
    insta::assert_snapshot!(report(script, Behavior::ExitInstead), @"
    FAILURE tools-list: the connection ended before `tools/list` was answered
      expected a response with id 2
      got the server ended with exit code [process], and a process that it started holds its output
    SKIPPED tools-name-format: not reached: the connection ended before `tools/list` was answered
    SKIPPED tools-list-definitions: not reached: the connection ended before `tools/list` was answered
    FAILURE wire-well-formed: the server left a process behind that it had started
      expected a server that ends what it has started before it exits
      got process [process], `hostile-peer hold`
      hint: it holds what it has inherited, such as pipes; mcp-test has killed it
    ");
}

#[test]
fn a_server_that_closes_its_output_and_runs_on() {
    let script = r#""$@"; exec >&-; cat > /dev/null"#;
    insta::assert_snapshot!(report(script, Behavior::ExitInstead), @"
    FAILURE tools-list: the connection ended before `tools/list` was answered
      expected a response with id 2
      got the server closed its output and runs on
    SKIPPED tools-name-format: not reached: the connection ended before `tools/list` was answered
    SKIPPED tools-list-definitions: not reached: the connection ended before `tools/list` was answered
    ");
}

/// Starts a process that nothing but the guardian can find: it is an orphan, in a session of its own, without an environment.
const DAEMON: &str =
    r#"(setsid env -i "$1" hold < /dev/null 1<> "$FIFO" 2> /dev/null &); exec "$@""#;

/// The same, and goes on when the process has its own command line, no longer that of `setsid`.
const ANNOUNCED_DAEMON: &str = r#"(setsid env -i "$1" hold announced < /dev/null 1<> "$FIFO" 2> "$FIFO.ready" &); read -r _ < "$FIFO.ready"; exec "$@""#;

/// A file that such a process writes to, which shows when it has started and when it is gone.
struct Fifo {
    path: PathBuf,
    seen: mpsc::Receiver<&'static str>,
    _folder: tempfile::TempDir,
}

impl Fifo {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("fifo");
        // The second one shows when the process has the command line that a report quotes.
        let ready = folder.path().join("fifo.ready");
        let made = Command::new("mkfifo").args([&path, &ready]).status().expect("mkfifo starts");
        assert!(made.success());
        let (see, seen) = mpsc::channel();
        let file = path.clone();
        std::thread::spawn(move || {
            let mut file = File::open(file).expect("it can be opened when somebody writes to it");
            see.send("started").expect("the test waits");
            file.read_to_end(&mut Vec::new()).expect("it can be read");
            see.send("gone").expect("the test waits");
        });
        Self { path, seen, _folder: folder }
    }

    /// Waits for what happens next.
    #[track_caller]
    fn assert_next(&self, expected: &str) {
        let next = self.seen.recv_timeout(Duration::from_secs(120));
        assert_eq!(next, Ok(expected));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_that_leaves_a_process_behind_which_nothing_connects_to_it() {
    let fifo = Fifo::new();
    let mut command = command(ANNOUNCED_DAEMON, &Hostile::on(METHOD, Behavior::Well));
    command.env("FIFO", &fifo.path);
    insta::assert_snapshot!(report_of(command), @"
    FAILURE wire-well-formed: the server left a process behind that it had started
      expected a server that ends what it has started before it exits
      got process [process], `hostile-peer hold announced`
      hint: it holds what it has inherited, such as pipes; mcp-test has killed it
    ");
    fifo.assert_next("started");
    fifo.assert_next("gone");
}

/// Whether a signal is ignored here, and so by the programs that are started here: a shell script starts programs in the
/// background with SIGQUIT ignored.
#[cfg(target_os = "linux")]
fn is_ignored(number: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.expect("a mask of signals") & (1 << (number - 1)) != 0
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_outlives_mcp_test_that_is_killed() {
    for (number, signal) in [(9, "KILL"), (3, "QUIT"), (10, "USR1")] {
        if is_ignored(number) {
            continue;
        }
        let fifo = Fifo::new();
        let mut command = command(DAEMON, &Hostile::on(METHOD, Behavior::Never));
        command.env("FIFO", &fifo.path).stdout(Stdio::null()).stderr(Stdio::null());
        let mut mcp_test = command.spawn().expect("it starts");
        fifo.assert_next("started");
        let id = mcp_test.id().to_string();
        let sent = Command::new("kill").args([&format!("-{signal}"), &id]).status();
        assert!(sent.expect("kill starts").success());
        assert!(!mcp_test.wait().expect("it has ended").success(), "{signal}");
        fifo.assert_next("gone");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_that_kills_its_guardian_is_ended_all_the_same() {
    let script = r#""$@"; kill -KILL $PPID; exec sleep 600"#;
    insta::assert_snapshot!(report(script, Behavior::Well), @"
    WARNING wire-well-formed: the server did not exit when its input ended
      expected a server that exits on its own soon after the end of its input
      got it outlived its stdin and exited on SIGTERM
      hint: mcp-test waited [time] for its exit, which depends on how fast it starts: its first message came [time] after its start
    ");
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_that_stops_its_guardian_is_seen_to_exit() {
    assert_eq!(report(r#"kill -STOP $PPID; exec "$@""#, Behavior::Well), "");
}

/// Starts processes in a session of their own, each of which starts the next one and exits at once, as long as the file exists.
/// A shell each: it ends a function that calls itself a thousand times.
const CHAIN: &str = r#"export LINK='[ -e "$FIFO" ] && sh -c "$LINK" &'; setsid sh -c "$LINK" < /dev/null 1<> "$FIFO" 2> /dev/null & exec "$@""#;

#[cfg(target_os = "linux")]
#[test]
fn processes_that_fork_and_exit_without_pause_are_left_behind_and_killed() {
    let fifo = Fifo::new();
    let mut command = command(CHAIN, &Hostile::on(METHOD, Behavior::Well));
    command.env("FIFO", &fifo.path);
    let report = report_of(command);
    let expected = "FAILURE wire-well-formed: the server left a process behind that it had started";
    assert!(report.starts_with(expected), "{report}");
    fifo.assert_next("started");
    fifo.assert_next("gone");
}

#[cfg(target_os = "linux")]
#[test]
fn a_client_that_leaves_a_process_behind() {
    let fifo = Fifo::new();
    let mcp_test = env!("CARGO_BIN_EXE_mcp-test-under-test");
    let client = format!(
        r#"(setsid env -i '{PEER}' hold announced < /dev/null 1<> "$FIFO" 2> "$FIFO.ready" &); read -r _ < "$FIFO.ready"; '{mcp_test}' reference client"#
    );
    let mut command = Command::new(mcp_test);
    command.args(["client", "--profile", "adaptive", "--scenario", "initialize"]);
    command.args(["--spec-version", "2025-11-25", "--format", "json", "--command", &client]);
    command.env("FIFO", &fifo.path);
    insta::assert_snapshot!(report_of(command), @"
    INFO server-info: the client received the name `test-server`, version 1.0.0
    FAILURE client-exit: the client left a process behind that it had started
      expected a client that ends what it has started before it exits
      got process [process], `hostile-peer hold announced`
      hint: it holds what it has inherited, such as pipes; mcp-test has killed it
    ");
    fifo.assert_next("started");
    fifo.assert_next("gone");
}
