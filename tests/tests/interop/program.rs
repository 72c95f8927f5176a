//! Runs of the command line, and what they leave behind.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{self, Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// The command line, as `mcp-test` ships it.
pub(crate) const MCP_TEST: &str = env!("CARGO_BIN_EXE_mcp-test-under-test");

/// Marks everything that a run starts, and what that starts.
const MARK: &str = "MCP_TEST_INTEROP_RUN";

/// What came of a run.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Everything that was printed, without what differs from machine to machine.
    pub(crate) fn text(&self, replacements: &[(&str, &str)]) -> String {
        let mut text = format!("{}{}", self.stdout, self.stderr);
        for (from, to) in [(MCP_TEST, "mcp-test"), (concat!(env!("CARGO_MANIFEST_DIR"), "/"), "")] {
            text = text.replace(from, to);
        }
        for (from, to) in replacements {
            text = text.replace(from, to);
        }
        text
    }
}

/// Runs `mcp-test` with these words to its end, and makes sure that nothing it started is left running.
pub(crate) fn mcp_test<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Run {
    let words: Vec<String> = words.into_iter().map(|word| word.as_ref().to_owned()).collect();
    run(MCP_TEST, &words)
}

/// Runs a command line that is not ours in the same way.
pub(crate) fn run(program: &str, words: &[String]) -> Run {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let mark = format!("{}-{}", process::id(), RUNS.fetch_add(1, Ordering::Relaxed));
    let output = Command::new(program).args(words).env(MARK, &mark).stdin(Stdio::null()).output();
    let output = output.unwrap_or_else(|why| panic!("{program}: {why}"));
    let run = Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    };
    let left = left_running(&mark);
    assert!(left.is_empty(), "left running by {program} {}:\n{}", words.join(" "), left.join("\n"));
    run
}

/// The command lines of the processes with the mark; only Linux tells them.
fn left_running(mark: &str) -> Vec<String> {
    let marked = format!("{MARK}={mark}");
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let marked = processes.flatten().filter(|process| {
        let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|variable| variable == marked.as_bytes())
    });
    marked
        .map(|process| {
            let command = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&command).replace('\0', " ")
        })
        .collect()
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_left_running_is_noticed() {
    let mark = format!("{}-left", process::id());
    let mut child =
        Command::new("cat").env(MARK, &mark).stdin(Stdio::piped()).spawn().expect("cat");
    let left = left_running(&mark);
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left_running(&mark), Vec::<String>::new());
}

/// A port that nobody listens on at the moment.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").port()
}

/// A server that runs until this is dropped.
pub(crate) struct Serving {
    child: Child,
    pub(crate) url: String,
}

impl Serving {
    /// The reference server, over HTTP.
    pub(crate) fn reference() -> Self {
        let mut command = Command::new(MCP_TEST);
        command.args(["reference", "server", "--listen", "127.0.0.1:0"]);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("it starts");
        let stdout = child.stdout.take().expect("it is piped");
        let mut serving = Self { child, url: String::new() };
        let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
        let url =
            lines.find_map(|line| Some(line.strip_prefix("Listening on ")?.trim().to_owned()));
        serving.url = url.expect("it says where it listens");
        serving
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // Both fail only when it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
