//! Servers that do not exit: they are reported, and ended with everything they started.
//!
//! Processes are found by an environment variable that they inherit, files by their folder for temporary files.

use std::num::NonZeroUsize;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcp_test_tests::hostile::{Behavior, Hostile};
use mcp_test_tests::program::run_command;

use crate::bounds::failures;
use crate::repeats::repeats;
use crate::scenario_run::{METHOD, SCENARIO};

const PEER: &str = env!("CARGO_BIN_EXE_hostile-peer");

/// Tests a server that a shell script starts, and checks that nothing of it is left.
#[track_caller]
fn report(script: &str, behavior: Behavior) -> String {
    let temporary = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-test-under-test"));
    command.env("TMPDIR", temporary.path());
    command.args(["check", "--scenario", SCENARIO, "--spec-version", "2025-11-25"]);
    command.args(["--timeout", "10m", "--format", "json", "--", "sh", "-c", script, "sh", PEER]);
    command.args(Hostile::on(METHOD, behavior).arguments());
    // This also looks for processes; a port is gone with the process that listened on it.
    let run = run_command(command);
    let left: Vec<_> = Path::new(temporary.path()).read_dir().expect("a folder").collect();
    assert!(left.is_empty(), "{left:?}");
    let text = failures(&run);
    let number = |word: &str| word.trim_end_matches(',').parse::<u32>().is_ok();
    let words = text.split(' ').map(|word| if number(word) { "[process]," } else { word });
    words.collect::<Vec<_>>().join(" ").replace(PEER, "hostile-peer")
}

/// Keeps all cores busy until it is dropped, also by a test that fails.
struct BusyCores(Arc<AtomicBool>);

impl BusyCores {
    fn start() -> Self {
        let stop = Arc::<AtomicBool>::default();
        let cores = std::thread::available_parallelism().map_or(2, NonZeroUsize::get);
        // Twice as many, so that each other process waits for its turn.
        for _ in 0..2 * cores {
            let stop = stop.clone();
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        Self(stop)
    }
}

impl Drop for BusyCores {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
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
    let script = r#"setsid "$1" hold & exec "$@""#;
    insta::assert_snapshot!(report(script, Behavior::Well), @"
    FAILURE wire-well-formed: the server left a process behind that it had started
      expected a server that ends what it has started before it exits
      got process [process], `hostile-peer hold`
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
