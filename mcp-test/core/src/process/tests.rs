//! Children that misbehave, written in `sh`, and checks that nothing of them is left.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use insta::assert_snapshot;

use super::executable::create_executable;
use super::*;
use crate::clock::Deadline;

/// A grace period that every test uses up.
const SHORT: Duration = Duration::from_millis(50);
/// A grace period that no test uses up.
const LONG: Duration = Duration::from_secs(60);

fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(test)
}

fn script(text: &str) -> Command {
    Command::new("sh").args(["-c", text])
}

fn start(text: &str) -> Child {
    Child::spawn(&script(text), drop).expect("sh starts")
}

async fn line(child: &Child, wanted: &'static str) -> String {
    match child.ready_by_line(move |line| line.starts_with(wanted), Deadline::after(LONG)).await {
        Readiness::Line(line) => line[wanted.len()..].to_owned(),
        other => panic!("expected a line that starts with `{wanted}`, got {other:?}"),
    }
}

#[cfg(target_os = "linux")]
fn is_running(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}

#[test]
fn the_output_of_a_child_that_exits_at_once_is_complete() {
    run(async {
        let mut child = start("printf 'one\\ntwo without an end' >&2; exit 3");
        assert_eq!(child.wait_exit().await, Exit::Code(3));
        assert_eq!(child.stderr_tail(9), ["one", "two without an end"]);
        assert_eq!(child.stderr_tail(1), ["two without an end"]);
        let ending = child.end(LONG).await;
        assert_eq!((ending.how, ending.exit), (ShutdownStep::AlreadyExited, Exit::Code(3)));
        assert_eq!(child.stderr_tail(9), ["one", "two without an end"]);
    });
}

#[test]
fn a_child_that_reads_to_the_end_exits_when_stdin_is_closed() {
    run(async {
        let mut child = start("cat; echo bye >&2");
        let ending = child.end(LONG).await;
        assert_eq!((ending.how, ending.exit), (ShutdownStep::StdinClosed, Exit::Code(0)));
        assert_eq!(ending.leftovers, []);
        assert_eq!(child.stderr_tail(9), ["bye"]);
        assert_eq!(child.end(LONG).await.how, ShutdownStep::AlreadyExited);
    });
}

#[test]
fn a_child_that_ignores_the_end_of_stdin_is_terminated() {
    run(async {
        let mut child = start("exec sleep 600");
        let ending = child.end(SHORT).await;
        assert_eq!((ending.how, ending.exit), (ShutdownStep::Terminated, Exit::Signal(15)));
    });
}

#[test]
fn a_child_that_ignores_sigterm_is_killed() {
    run(async {
        let mut child = start("trap '' TERM; echo ready >&2; while :; do sleep 600; done");
        line(&child, "ready").await;
        let ending = child.end(SHORT).await;
        assert_eq!((ending.how, ending.exit), (ShutdownStep::Killed, Exit::Signal(9)));
        assert_snapshot!(ending.how, @"it outlived its stdin and SIGTERM and was killed");
        assert_snapshot!(ending.exit, @"signal 9 (SIGKILL)");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_grandchild_that_holds_the_pipes_is_reported_and_killed() {
    run(async {
        let mut child = start("sleep 600 & echo pid $! >&2; echo last words >&2; exit 0");
        let pid = line(&child, "pid ").await;
        assert_eq!(
            child.wait_exit().await,
            Exit::Code(0),
            "the grandchild does not hold up the exit"
        );
        assert_eq!(child.stderr_tail(1), ["last words"]);
        assert!(is_running(&pid));
        let ending = child.end(LONG).await;
        assert_eq!(ending.how, ShutdownStep::AlreadyExited);
        let [left] = &ending.leftovers[..] else {
            panic!("expected one process, got {:?}", ending.leftovers);
        };
        assert_eq!(left.pid.to_string(), pid);
        assert!(!left.command.is_empty());
        assert!(!is_running(&pid));
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_grandchild_that_ends_soon_after_the_exit_is_not_left_behind() {
    run(async {
        let mut child = start("sleep 0.1 & exit 0");
        let ending = child.end(LONG).await;
        assert_eq!(ending.leftovers, []);
    });
}

#[cfg(target_os = "linux")]
#[test]
fn dropping_kills_the_child_and_reaps_it() {
    run(async {
        let child = start("sleep 600 & echo pid $! >&2; wait");
        let pid = line(&child, "pid ").await;
        let leader = child.id();
        drop(child);
        assert!(!is_running(&pid));
        assert!(!std::path::Path::new(&format!("/proc/{leader}")).exists(), "no zombie is left");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn dropping_outside_the_runtime_kills_as_well() {
    let (child, pid) = run(async {
        let child = start("sleep 600 & echo pid $! >&2; echo unread >&2; wait");
        let pid = line(&child, "pid ").await;
        (child, pid)
    });
    drop(child);
    assert!(!is_running(&pid));
}

#[cfg(target_os = "linux")]
#[test]
fn a_descendant_in_a_session_of_its_own_is_killed() {
    run(async {
        let mut child = start("setsid sleep 600 & echo pid $! >&2; exit 0");
        let pid = line(&child, "pid ").await;
        child.wait_exit().await;
        let ending = child.end(LONG).await;
        assert_eq!(ending.leftovers.len(), 1);
        assert!(!is_running(&pid));
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_descendant_without_the_environment_is_found_through_its_parent() {
    run(async {
        let mut child = start("env -i setsid sleep 600 & echo pid $! >&2; wait");
        let pid = line(&child, "pid ").await;
        let ending = child.end(SHORT).await;
        assert_eq!(ending.how, ShutdownStep::Terminated);
        assert!(!is_running(&pid));
    });
}

#[cfg(target_os = "linux")]
#[test]
fn the_children_of_an_abandoned_thread_are_killed() {
    use std::sync::mpsc;

    let own = run(async { start("exec sleep 600") });
    let (started, pids) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let blocked = std::thread::spawn(move || {
        run(async {
            let child = start("sleep 600 & echo pid $! >&2; wait");
            started.send(line(&child, "pid ").await).expect("the test waits");
            released.recv().expect("it is released");
            assert_snapshot!(Child::spawn(&script(":"), drop).expect_err("too late"),
                @"cannot start `sh`: the test that starts it has timed out");
        });
    });
    let pid = pids.recv().expect("it has started");
    assert!(is_running(&pid));
    kill_children_of(blocked.thread().id());
    assert!(!is_running(&pid));
    assert!(own.exit().is_none() && is_running(&own.id().to_string()), "others live on");
    release.send(()).expect("it waits");
    blocked.join().expect("it does not panic");
}

#[test]
fn every_line_reaches_the_sink_in_order() {
    run(async {
        let received = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&received);
        let command = script("i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo line $i; done >&2");
        let child = Child::spawn(&command, move |line| {
            sink.lock().expect("no panic").push(line);
        })
        .expect("sh starts");
        assert_eq!(child.wait_exit().await, Exit::Code(0));
        let expected: Vec<_> = (1..=3000).map(|number| format!("line {number}")).collect();
        assert_eq!(*received.lock().expect("no panic"), expected);
        assert_eq!(child.stderr_tail(usize::MAX).len(), 500, "the tail is bounded");
        assert_eq!(child.stderr_tail(2), ["line 2999", "line 3000"]);
    });
}

#[test]
fn a_line_without_end_is_cut_and_nothing_is_lost() {
    run(async {
        let child = start("head -c 100000 /dev/zero | tr '\\0' x >&2; printf '\\377\\r\\n' >&2");
        child.wait_exit().await;
        let lines = child.stderr_tail(100);
        assert!(lines.len() > 3 && lines.iter().all(|line| line.len() < 32 * 1024));
        assert_eq!(lines.concat(), format!("{}\u{fffd}", "x".repeat(100_000)));
    });
}

#[test]
fn readiness_is_a_line_or_the_exit_or_the_deadline() {
    run(async {
        let mut child = start(
            "echo booting >&2; echo listening on 1; read go; echo listening on 2; read stop; exit 4",
        );
        child.log_stdout(drop);
        assert!(child.take_stdout().is_none());
        assert_eq!(line(&child, "listening on ").await, "1");
        let second = |line: &str| line.ends_with('2');
        assert_eq!(child.ready_by_line(second, Deadline::after(SHORT)).await, Readiness::Elapsed);
        let mut stdin = child.take_stdin().expect("stdin is piped");
        tokio::io::AsyncWriteExt::write_all(&mut stdin, b"go\n").await.expect("sh reads");
        assert_eq!(line(&child, "listening on 2").await, "");
        drop(stdin);
        let never =
            child.ready_by_line(|line| line == "never printed", Deadline::after(LONG)).await;
        assert_eq!(never, Readiness::Exited(Exit::Code(4)));
        assert_eq!(
            child.ready_by_line(second, Deadline::after(LONG)).await,
            Readiness::Line("listening on 2".into())
        );
    });
}

#[test]
fn environment_and_directory_reach_the_child() {
    run(async {
        let place = tempfile::tempdir().expect("a directory");
        let place = place.path().canonicalize().expect("it exists");
        let command =
            script("pwd >&2; echo $GREETING >&2").cwd(&place).env("GREETING", "good morning");
        let child = Child::spawn(&command, drop).expect("sh starts");
        child.wait_exit().await;
        assert_eq!(child.stderr_tail(9), [place.display().to_string(), "good morning".to_owned()]);
    });
}

#[test]
fn a_command_that_cannot_start_is_explained() {
    let place = tempfile::tempdir().expect("a directory");
    std::fs::write(place.path().join("plain"), "#!/bin/sh\n").expect("written");
    create_executable(&place.path().join("orphan"), "#!/no/such/interpreter -x\n")
        .expect("created");
    std::fs::create_dir(place.path().join("folder")).expect("created");
    let why = |command: Command| {
        let error = run(async { Child::spawn(&command, drop) }).expect_err("it cannot start");
        error.to_string().replace(&place.path().display().to_string(), "/place")
    };
    let here = |program: &str| Command::new(program).cwd(place.path());

    assert_snapshot!(why(Command::new("no-such-program")),
        @"cannot start `no-such-program`: not found in PATH; install it, or give its path");
    assert_snapshot!(why(here("orphan")),
        @"cannot start `orphan`: not found in PATH; did you mean `./orphan` in the working directory?");
    assert_snapshot!(why(here("./missing")),
        @"cannot start `./missing`: no such file: /place/./missing (working directory: /place)");
    assert_snapshot!(why(here("./plain")),
        @"cannot start `./plain`: /place/./plain is not executable; `chmod +x` it, or name its interpreter first");
    assert_snapshot!(why(here("./orphan")),
        @"cannot start `./orphan`: the interpreter of /place/./orphan was not found: its first line is `#!/no/such/interpreter -x`");
    assert_snapshot!(why(here("./folder")),
        @"cannot start `./folder`: /place/./folder is a directory; name a program in it");
    assert_snapshot!(why(Command::new("sh").cwd(place.path().join("gone"))),
        @"cannot start `sh` in /place/gone: no such directory; create it, or set another working directory");
    assert_snapshot!(why(script("a\0b")), @"cannot start `sh`: nul byte found in provided data");
    assert_snapshot!(Child::spawn(&script(":"), drop).expect_err("there is no runtime"),
        @"cannot start `sh` outside a tokio runtime; start it in an async test or in `Runtime::block_on`");
}

#[test]
fn the_values_of_variables_are_not_shown() {
    let command = "API_KEY='s e c r e t' sh -c x".parse::<Command>().expect("it is well formed");
    assert_snapshot!(command, @"API_KEY=… sh -c x");
    assert!(!format!("{command:?}").contains("s e"), "{command:?}");
    let unclosed = "API_KEY='s e c r e t".parse::<Command>().expect_err("it is not");
    assert!(!unclosed.to_string().contains("s e"), "{unclosed}");
    let child = run(async { Child::spawn(&command.env("TOKEN", "s e"), drop) });
    assert_eq!(child.expect("sh starts").command(), "API_KEY=… TOKEN=… sh -c x");
}

#[test]
fn command_lines_are_read_as_a_shell_reads_them() {
    let read = |line: &str| line.parse::<Command>();
    let command =
        read(r#"A=1 _B='x y' node "my \"server\".js" it\'s '' C=3"#).expect("it is well formed");
    assert_eq!(command.program, "node");
    assert_eq!(command.args, ["my \"server\".js", "it's", "", "C=3"]);
    assert_eq!(
        command.env,
        [("A", "1"), ("_B", "x y")].map(|(name, value)| (name.to_owned(), value.to_owned()))
    );
    let bare = Command { env: Vec::new(), ..command };
    assert_eq!(read(&bare.to_string()).expect("what is shown can be read"), bare);
    assert_snapshot!(read("  ").expect_err("no words"), @"no command is given; name a program and its arguments");
    assert_snapshot!(read("A=1").expect_err("no program"), @"no command is given; name a program and its arguments");
    assert_snapshot!(read("sh -c 'a").expect_err("unclosed"), @"the ' at character 7 of the command line is not closed");
}
