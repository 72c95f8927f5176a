//! Servers that the cases start themselves: `_before` as the description of MCP Cases writes it.

use std::fs::{self, File};
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::{Mark, Run, free_port, run_command};

use crate::program::{MCP_TEST, mcp_test};

const PING: &str = "\
in: {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}
out: {\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {}}
";

/// A folder with a case whose server listens at the address.
struct Contract {
    folder: Folder,
    address: String,
}

impl Contract {
    /// `before` is the value of `_before`, with `SERVER` for the program and the arguments of the server.
    fn new(name: &str, before: &str) -> Self {
        let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), &format!("cases-before-{name}"));
        let address = format!("127.0.0.1:{}", free_port());
        let server = format!("{MCP_TEST:?}, reference, server, --listen, \"{address}\"");
        let before = before.replace("SERVER", &server);
        let text = format!("case: Ping\n_before: {before}\n{PING}");
        fs::write(folder.word("contract.yaml"), text).expect("the folder is ours");
        Self { folder, address }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(MCP_TEST);
        let url = format!("http://{}/mcp", self.address);
        command.args(["cases", "run", &self.folder.word("contract.yaml"), "--url", &url]);
        command.arg("--allow-commands");
        command
    }

    /// Runs the case, and asserts that nothing is left running.
    fn run(&self) -> Run {
        let (mark, mut command) = (Mark::new(), self.command());
        mark.put_on(&mut command);
        let run = run_command(command);
        mark.assert_nothing_left();
        run
    }

    /// A FIFO in the folder, whose text arrives when everybody who writes to it has ended.
    fn fifo(&self, name: &str) -> Receiver<String> {
        let path = self.folder.word(name);
        assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
        let (send, text) = mpsc::channel();
        std::thread::spawn(move || {
            let mut text = String::new();
            File::open(path).expect("it opens").read_to_string(&mut text).expect("it can be read");
            send.send(text).ok();
        });
        text
    }
}

fn received(text: &Receiver<String>) -> String {
    text.recv_timeout(Duration::from_secs(120)).expect("its writers end")
}

#[test]
fn a_server_without_ready_is_noticed_by_its_port_and_ended_after_the_case() {
    // As in the description: a program, and arguments with a port.
    let contract =
        Contract::new("server", "{command: sh, arguments: [-c, 'exec \"$@\"', sh, SERVER]}");
    let run = contract.run();
    assert_eq!(run.code, 0, "{}", run.text(&[]));
    assert!(run.stdout.contains("✓ contract::ping"), "{}", run.stdout);
}

#[test]
fn a_command_that_ends_on_its_own_is_waited_for_before_and_after_the_server() {
    let before = "[{run: [sh, -c, 'echo fills the database; echo 1 >> log']}, {run: [SERVER]}, {run: [sh, -c, 'echo 2 >> log']}]";
    let contract = Contract::new("commands", before);
    let run = contract.run();
    assert_eq!(run.code, 0, "{}", run.text(&[]));
    // Once to ask the server which revisions it speaks, and once for the case.
    let log = fs::read_to_string(contract.folder.word("log")).expect("both have run");
    assert_eq!(log, "1\n2\n1\n2\n");
}

#[test]
fn a_server_ends_when_mcp_test_is_killed() {
    let before = "[{run: [sh, -c, 'exec 3> server; exec \"$@\"', sh, SERVER]}, {run: [sh, -c, 'echo up > up; exec sleep 600']}]";
    let contract = Contract::new("killed", before);
    let (server, up) = (contract.fifo("server"), contract.fifo("up"));
    let mut command = contract.command();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut run = command.spawn().expect("it starts");
    // `exec` has closed it: the server is ready, and the command after it runs.
    assert_eq!(received(&up), "up\n");
    assert_eq!(server.try_recv().ok(), None, "the server runs");
    run.kill().expect("it runs");
    run.wait().expect("it has ended");
    assert_eq!(received(&server), "");
}

#[test]
fn a_server_that_fails_is_reported_with_its_last_lines() {
    let contract = Contract::new(
        "fails",
        "{command: sh, arguments: [-c, 'echo no licence >&2; exit 3', sh, --port, 1234]}",
    );
    let run = contract.run();
    assert_eq!(run.code, 3, "{}", run.text(&[]));
    for part in ["exit code 3", "no licence", "contract.yaml:2:"] {
        assert!(run.stderr.contains(part) || run.stdout.contains(part), "{}", run.text(&[]));
    }
}

#[test]
fn without_a_target_the_server_of_the_cases_is_suggested() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "cases-before-target");
    let file = folder.word("contract.yaml");
    let before = r#"_before: { command: "start-mcp-server", arguments: ["--port", "1234"] }"#;
    fs::write(&file, format!("case: List tools\n{before}\n{PING}")).expect("the folder is ours");
    let run = mcp_test(["cases", "run", &file]);
    assert_eq!(run.code, 2, "{}", run.text(&[]));
    for part in [
        "start-mcp-server --port 1234",
        "contract.yaml:2:",
        "--allow-commands --url http://127.0.0.1:1234/mcp",
    ] {
        assert!(run.stderr.contains(part), "{part} in {}", run.stderr);
    }
    let url = mcp_test(["cases", "run", &file, "--url", "http://127.0.0.1:1234/mcp"]);
    assert_eq!(url.code, 2, "{}", url.text(&[]));
    assert!(url.stderr.contains("to run them, use `--allow-commands`"), "{}", url.stderr);
}
