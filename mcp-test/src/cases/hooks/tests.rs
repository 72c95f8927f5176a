//! Commands and states around a case, with real programs.

use std::sync::Mutex;

use tempfile::TempDir;
use tokio::net::TcpListener;

use super::*;
use crate::cases::{Cases, Inputs, ReadOptions};

/// A case in a directory of its own.
struct Fixture {
    directory: TempDir,
    cases: Cases,
    inputs: Inputs,
    given: Option<Given>,
}

/// A case with these keys; `DIR` in them is its directory.
fn fixture(keys: &str) -> Fixture {
    let directory = TempDir::new().expect("a directory");
    let path = directory.path().join("one.yaml");
    let message = "in: {jsonrpc: '2.0', id: 1, method: ping}";
    let text = format!("case: One\n{keys}\n{message}\n");
    let path = path.to_str().expect("a path of letters");
    let cases = Cases::parse(path, &text, &ReadOptions::default());
    let (cases, _) = cases.unwrap_or_else(|error| panic!("{error}"));
    Fixture { directory, cases, inputs: Inputs::default(), given: None }
}

impl Fixture {
    fn hooks(&self) -> Hooks {
        let permit = permit(self.cases.iter(), Commands::Allowed).expect("they are allowed");
        let (file, case) = self.cases.iter().next().expect("one case");
        let values = self.inputs.values([&**case]).expect("inputs");
        let hooks = Hooks::new(permit, file.clone(), vec![case.clone()]);
        hooks.values(values).given(self.given.clone())
    }

    /// Runs the hooks around an empty case.
    async fn play(&self) -> String {
        match self.hooks().before(soon()).await {
            Ok(running) => match running.after(soon()).await {
                Ok(()) => "played".to_owned(),
                Err(finding) => format!("after: {}", self.text(&finding)),
            },
            Err(finding) => format!("before: {}", self.text(&finding)),
        }
    }

    fn text(&self, finding: &Finding) -> String {
        let directory = self.directory.path().to_str().expect("a path of letters");
        finding.to_string().replace(directory, "DIR")
    }

    /// Creates a FIFO in the directory.
    fn fifo(&self, name: &str) -> std::path::PathBuf {
        let fifo = self.directory.path().join(name);
        let status = std::process::Command::new("mkfifo").arg(&fifo).status().expect("mkfifo");
        assert!(status.success());
        fifo
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.directory.path().join(name)).unwrap_or_default()
    }
}

/// Only a test that hangs waits so long.
fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(60))
}

fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    let state = stat.rsplit(')').next().unwrap_or_default().trim_start();
    !(state.is_empty() || state.starts_with(['Z', 'X']))
}

#[tokio::test]
async fn commands_run_in_order_in_the_directory_of_the_file_and_know_the_case() {
    let mut fixture = fixture(
        r#"
_inputs: [{name: api-key, secret: true}]
_before:
  - {run: [sh, -c, 'echo "$MCP_TEST_CASE $MCP_TEST_INPUT_API_KEY" >> log']}
  - {run: [sh, -c, 'echo $A >> log'], env: {A: second}}
_after: {run: [sh, -c, 'echo after >> log']}
"#,
    );
    fixture.inputs = Inputs::default().text("api-key", "hunter2");
    assert_eq!(fixture.play().await, "played");
    assert_eq!(fixture.read("log"), "one::one hunter2\nsecond\nafter\n");
}

#[tokio::test]
async fn a_failing_command_is_reported_with_its_last_lines_and_its_place() {
    let mut fixture = fixture(
        r#"
_inputs: [{name: api-key, secret: true}]
_before: {run: [sh, -c, 'echo "the key is $MCP_TEST_INPUT_API_KEY"; echo no such table >&2; exit 3']}
_after: {run: [sh, -c, 'echo after >> log']}
"#,
    );
    fixture.inputs = Inputs::default().text("api-key", "hunter2");
    insta::assert_snapshot!(fixture.play().await.replace("| the key is [secret]\n    | no such table", "| no such table\n    | the key is [secret]"), @r#"
    before: `_before` of one::one failed: `sh -c 'echo "the key is $MCP_TEST_INPUT_API_KEY"; echo no such table >&2; exit 3'`
      expected exit code 0
      got exit code 3; its last lines:
        | no such table
        | the key is [secret]
       --> DIR/one.yaml:4:10
        |
      4 | _before: {run: [sh, -c, 'echo "the key is $MCP_TEST_INPUT_API_KEY"; echo no such table >&2; exit 3']}
        |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    "#);
    // `_after` runs even after a failure.
    assert_eq!(fixture.read("log"), "after\n");
}

#[tokio::test]
async fn a_command_that_cannot_be_started_is_reported() {
    let fixture = fixture("_after: no-such-program-at-all --x");
    insta::assert_snapshot!(fixture.play().await, @"
    after: `_after` of one::one failed
      got cannot start `no-such-program-at-all`: not found in PATH; install it, or give its path
       --> DIR/one.yaml:2:9
        |
      2 | _after: no-such-program-at-all --x
        |         ^^^^^^^^^^^^^^^^^^^^^^^^^^
    ");
}

#[tokio::test]
async fn a_server_is_ready_at_its_line_and_stopped_with_its_descendants() {
    let fixture = fixture(
        r#"
_before:
  run: [sh, -c, 'sleep 1000 & echo $! > pid; echo "now listening on 3000" >&2; wait']
  ready: listening on
"#,
    );
    let running = fixture.hooks().before(soon()).await.expect("it becomes ready");
    let pid = fixture.read("pid");
    assert!(is_alive(&pid));
    running.after(soon()).await.expect("no `_after`");
    assert!(!is_alive(&pid), "{pid} is still alive");
}

#[tokio::test]
async fn what_a_command_leaves_behind_lives_until_the_case_ends() {
    let fixture =
        fixture("_before: {run: [sh, -c, 'sleep 1000 > /dev/null 2>&1 & echo $! > pid']}");
    let running = fixture.hooks().before(soon()).await.expect("it exits with 0");
    let pid = fixture.read("pid");
    assert!(is_alive(&pid));
    running.after(soon()).await.expect("no `_after`");
    assert!(!is_alive(&pid), "{pid} is still alive");
}

#[tokio::test]
async fn commands_are_killed_when_the_hooks_are_dropped() {
    let fixture = fixture(
        "_before: {run: [sh, -c, 'sleep 1000 & echo $! > pid; echo ready; wait'], ready: ready}",
    );
    let running = fixture.hooks().before(soon()).await.expect("it becomes ready");
    let pid = fixture.read("pid");
    assert!(is_alive(&pid));
    drop(running);
    assert!(!is_alive(&pid), "{pid} is still alive");
}

#[tokio::test]
async fn a_server_that_never_becomes_ready_is_stopped_at_its_deadline() {
    let fixture = fixture(
        "_before: {run: [sh, -c, 'echo $$ > pid; echo starting; exec sleep 1000'], ready: listening, timeout: 300ms}",
    );
    let text = fixture.play().await;
    // On a slow machine there may be no output in that time.
    insta::assert_snapshot!(text.replace("; its last lines:\n    | starting", ""), @r#"
    before: `_before` of one::one failed: `sh -c 'echo $$ > pid; echo starting; exec sleep 1000'`
      expected a line with "listening"
      got nothing like that within 300 ms
       --> DIR/one.yaml:2:10
        |
      2 | _before: {run: [sh, -c, 'echo $$ > pid; echo starting; exec sleep 1000'], ready: listening, timeout: 300ms}
        |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    "#);
    let pid = fixture.read("pid");
    assert!(pid.is_empty() || !is_alive(&pid), "{pid} is still alive");
}

#[tokio::test]
async fn a_server_that_exits_before_it_is_ready_is_reported() {
    let fixture =
        fixture("_before: {run: [sh, -c, 'echo port is taken; exit 1'], ready: listening}");
    insta::assert_snapshot!(fixture.play().await, @r#"
    before: `_before` of one::one failed: `sh -c 'echo port is taken; exit 1'`
      expected a line with "listening"
      got exit code 1, before it was ready; its last lines:
        | port is taken
       --> DIR/one.yaml:2:10
        |
      2 | _before: {run: [sh, -c, 'echo port is taken; exit 1'], ready: listening}
        |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    "#);
}

#[tokio::test]
async fn a_server_is_ready_when_its_port_is_open() {
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        listener.local_addr().expect("an address").port()
    };
    let fixture = fixture(&format!(
        "_before: {{run: [sh, -c, 'mkfifo fifo 2> /dev/null; echo x > fifo; cat'], ready: {{port: {port}}}}}"
    ));
    let fifo = fixture.fifo("fifo");
    // The server of this test opens its port when the command has been started.
    let server = tokio::spawn(async move {
        tokio::task::spawn_blocking(move || std::fs::read(fifo)).await.expect("read").expect("x");
        let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("the port is free");
        listener.accept().await.expect("a connection");
    });
    assert_eq!(fixture.play().await, "played");
    server.await.expect("it was connected to");
}

#[tokio::test]
async fn a_command_that_opens_a_port_keeps_running_until_the_case_has_ended() {
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        listener.local_addr().expect("an address").port()
    };
    for (arguments, server) in
        [(format!("--port, '{port}'"), None), ("--quiet".to_owned(), Some(port))]
    {
        let fixture = fixture(&format!(
            "_before: {{command: sh, arguments: [-c, 'echo $$ > pid; echo x > fifo; exec sleep 1000', sh, {arguments}]}}"
        ));
        let fifo = fixture.fifo("fifo");
        // The server of this test opens its port when the command has been started.
        let opened = tokio::spawn(async move {
            tokio::task::spawn_blocking(move || std::fs::read(fifo))
                .await
                .expect("read")
                .expect("x");
            TcpListener::bind(("127.0.0.1", port)).await.expect("the port is free")
        });
        let hooks = fixture.hooks().server(server.map(|port| format!("127.0.0.1:{port}")));
        let running = hooks.before(soon()).await.expect("it opens its port");
        drop(opened.await.expect("it was opened"));
        let pid = fixture.read("pid");
        assert!(is_alive(&pid));
        running.after(soon()).await.expect("no `_after`");
        assert!(!is_alive(&pid), "{pid} is still alive");
    }
}

#[tokio::test]
async fn a_command_that_prints_what_it_does_is_waited_for() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    // The port of another server does not make it one.
    let fixture = fixture(&format!(
        "_before: {{run: [sh, -c, 'echo begins; cat fifo; echo ends >> log', sh, --port, '{port}']}}"
    ));
    let fifo = fixture.fifo("fifo");
    let go_on = tokio::task::spawn_blocking(move || std::fs::write(fifo, "goes on"));
    assert_eq!(fixture.play().await, "played");
    go_on.await.expect("no panic").expect("it is read");
    assert_eq!(fixture.read("log"), "ends\n");
}

#[tokio::test]
async fn a_command_that_neither_ends_nor_opens_a_port_gets_a_hint_about_ready() {
    let fixture = fixture("_before: {run: [sleep, '1000'], timeout: 300ms}");
    insta::assert_snapshot!(fixture.play().await, @r#"
    before: `_before` of one::one failed: `sleep 1000`
      expected exit code 0
      got it is still running after 300 ms
      hint: a server needs `ready`: `{port: 1234}`, or a part of the line that it prints when it listens
       --> DIR/one.yaml:2:10
        |
      2 | _before: {run: [sleep, '1000'], timeout: 300ms}
        |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    "#);
}

#[test]
fn the_port_of_a_command_is_in_its_options() {
    let port = |command: &str| {
        let fixture = fixture(&format!("_before: {command}"));
        let (_, case) = fixture.cases.iter().next().expect("one case");
        case.settings.before[0].port()
    };
    for command in [
        "server --port 1234",
        "server --http-port=1234",
        "server -p 1234",
        "server --listen [::1]:1234",
        "PORT=1234 server",
    ] {
        assert_eq!(port(command), Some(1234), "{command}");
    }
    for command in ["server 1234", "server --support 1234", "server --port 0", "server --port x"] {
        assert_eq!(port(command), None, "{command}");
    }
}

#[tokio::test]
async fn a_port_that_is_already_open_fails() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let fixture = fixture(&format!("_before: {{run: [sh, -c, 'cat'], ready: {{port: {port}}}}}"));
    insta::assert_snapshot!(fixture.play().await.replace(&port.to_string(), "PORT"), @"
    before: `_before` of one::one failed: `sh -c cat`
      expected no listener at 127.0.0.1:PORT
      got connections are accepted there before the command starts
       --> DIR/one.yaml:2:10
        |
      2 | _before: {run: [sh, -c, 'cat'], ready: {port: PORT}}
        |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    ");
}

#[tokio::test]
async fn a_command_sets_up_states_and_tears_them_down_in_reverse() {
    let mut fixture =
        fixture("_given: [a user named Ada, {state: a repository, params: {name: x}}]");
    let script = r#"read params; echo "$1 $2 $params $MCP_TEST_CASE" >> "$0""#;
    let log = fixture.directory.path().join("log");
    let command = Command::new("sh").args(["-c", script, log.to_str().expect("letters")]);
    fixture.given = Some(Given::Command(command));
    assert_eq!(fixture.play().await, "played");
    insta::assert_snapshot!(fixture.read("log"), @r#"
    setup a user named Ada {} one::one
    setup a repository {"name":"x"} one::one
    teardown a repository {"name":"x"} one::one
    teardown a user named Ada {} one::one
    "#);
}

#[tokio::test]
async fn a_function_sets_up_states_until_one_fails() {
    let mut fixture = fixture("_given: [one, two, three]");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    fixture.given = Some(Given::call(move |state, phase| {
        let seen = log.clone();
        async move {
            let line = format!("{} {}", phase.as_str(), state.name);
            seen.lock().expect("no panic").push(line.clone());
            if line == "setup two" { Err("no such state".into()) } else { Ok(()) }
        }
    }));
    insta::assert_snapshot!(fixture.play().await, @"
    before: setup of `two` of one::one failed
      got no such state
       --> DIR/one.yaml:2:15
        |
      2 | _given: [one, two, three]
        |               ^^^
    ");
    let seen = seen.lock().expect("no panic").join(", ");
    assert_eq!(seen, "setup one, setup two, teardown two, teardown one");
}

#[tokio::test]
async fn a_state_that_cannot_be_set_up_is_reported() {
    let fixture = fixture("_given: a user named Ada");
    assert_eq!(fixture.hooks().unsupported_state(), Some("a user named Ada"));
    insta::assert_snapshot!(fixture.play().await, @"
    before: setup of `a user named Ada` of one::one failed
      got neither a command nor a function sets up the states of `_given`
      hint: use `--given-command COMMAND`, or in Rust `given`
       --> DIR/one.yaml:2:9
        |
      2 | _given: a user named Ada
        |         ^^^^^^^^^^^^^^^^
    ");
}
