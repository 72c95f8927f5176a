//! Running programs, and checking that they leave no processes behind.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use mcp_test::clock::Stopwatch;
use mcp_test_cli::report::FileFormat;

/// The binary of this package that is `mcp-test`.
const MCP_TEST: &str = "mcp-test-under-test";

/// The environment variable that marks a process and its descendants.
const VARIABLE: &str = "MCP_TEST_TESTS_RUN";

/// The result of a run.
#[derive(Debug)]
pub struct Run {
    program: String,
    /// The exit code; -1 for a program that was killed by a signal.
    pub code: i32,
    /// The standard output.
    pub stdout: String,
    /// The standard error.
    pub stderr: String,
    /// How long after its start it wrote the first of its standard output; until its exit if it wrote none.
    pub first_output: Duration,
}

impl Run {
    /// The whole output, standard output first, without the paths of this machine.
    #[must_use]
    pub fn text(&self, replacements: &[(&str, &str)]) -> String {
        let mut text = format!("{}{}", self.stdout, self.stderr);
        if self.program.ends_with(MCP_TEST) {
            text = text.replace(&self.program, "mcp-test");
        }
        text = text.replace(concat!(env!("CARGO_MANIFEST_DIR"), "/"), "");
        for (from, to) in replacements {
            text = text.replace(from, to);
        }
        text
    }
}

/// The text with `[time]` in place of the timestamp at the start of a line.
#[must_use]
pub fn without_times(text: &str) -> String {
    let is_time =
        |word: &str| word.len() == 24 && word.ends_with('Z') && word.as_bytes()[10] == b'T';
    let lines = text.lines().map(|line| match line.split_once(' ') {
        Some((word, rest)) if is_time(word) => format!("[time] {rest}"),
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Runs a program with these arguments until it exits, and checks that nothing it started is left running.
///
/// # Panics
///
/// If it cannot be started, or leaves a process running.
pub fn run<S: AsRef<str>>(program: &str, args: impl IntoIterator<Item = S>) -> Run {
    let mut command = Command::new(program);
    for arg in args {
        command.arg(arg.as_ref());
    }
    run_command(command)
}

/// The options that write a report in each format to a folder: `report.junit`, `report.markdown` and so on.
#[must_use]
pub fn report_options(folder: &Path) -> Vec<String> {
    let report = |format: FileFormat| {
        let file = folder.join(format!("report.{format}"));
        ["--report".to_owned(), format!("{format}={}", file.display())]
    };
    FileFormat::ALL.into_iter().flat_map(report).collect()
}

/// Runs a command in the same way as [`run`].
///
/// # Panics
///
/// Like [`run`].
#[must_use]
pub fn run_command(mut command: Command) -> Run {
    let mark = Mark::new();
    mark.put_on(&mut command);
    // A test that runs in a CI system must not report what it provokes, unless it is about that.
    for name in ["GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "TF_BUILD", "TEAMCITY_VERSION"] {
        if command.get_envs().all(|(set, _)| set != name) {
            command.env_remove(name);
        }
    }
    let stopwatch = Stopwatch::start();
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.unwrap_or_else(|why| panic!("{command:?}: {why}"));
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let errors = thread::spawn(move || read_all(&mut err));
    let mut first = [0; 1];
    let read = out.as_mut().and_then(|out| out.read(&mut first).ok()).unwrap_or(0);
    let first_output = stopwatch.elapsed();
    let stdout = [&first[..read], &read_all(&mut out)].concat();
    let status = child.wait().expect("it is not waited for elsewhere");
    let stderr = errors.join().expect("no panic");
    mark.assert_nothing_left();
    Run {
        program: command.get_program().to_string_lossy().into_owned(),
        code: status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
        first_output,
    }
}

fn read_all(from: &mut Option<impl Read>) -> Vec<u8> {
    let mut all = Vec::new();
    if let Some(from) = from {
        from.read_to_end(&mut all).expect("a pipe can be read");
    }
    all
}

/// A variable in the environment of a program, which all its descendants inherit.
#[derive(Debug)]
pub struct Mark(String);

impl Mark {
    /// A mark that no other process has.
    #[expect(clippy::new_without_default, reason = "every mark is unique")]
    #[must_use]
    pub fn new() -> Self {
        static MARKS: AtomicU32 = AtomicU32::new(0);
        Self(format!("{}-{}", process::id(), MARKS.fetch_add(1, Ordering::Relaxed)))
    }

    /// Marks the process that the command will start.
    pub fn put_on(&self, command: &mut Command) {
        command.env(VARIABLE, &self.0);
    }

    /// The command lines of the running processes with the mark; always empty except on Linux, which has `/proc`.
    #[must_use]
    pub fn living(&self) -> Vec<String> {
        let command = |process: &PathBuf| {
            let command = std::fs::read(process.join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&command).replace('\0', " ")
        };
        self.processes().iter().map(command).collect()
    }

    fn processes(&self) -> Vec<PathBuf> {
        let marked = format!("{VARIABLE}={}", self.0);
        let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
        let processes = processes.flatten().map(|process| process.path());
        let marked = processes.filter(|process| {
            let environment = std::fs::read(process.join("environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|variable| variable == marked.as_bytes())
        });
        marked.collect()
    }

    /// Checks that no process with the mark is running.
    ///
    /// # Panics
    ///
    /// If one is.
    #[track_caller]
    pub fn assert_nothing_left(&self) {
        let left = self.living();
        assert!(left.is_empty(), "left running:\n{}", left.join("\n"));
    }
}

/// A port on which nothing listens, for a server that is about to be started.
///
/// It is below the ports that systems hand out on request (from 32768 on), so that no other program gets it before the server does.
/// Each call returns another one, and each process of the tests begins elsewhere.
///
/// # Panics
///
/// If there is none.
#[must_use]
pub fn free_port() -> u16 {
    const FIRST: u32 = 20_000;
    const COUNT: u32 = 12_000;
    static CALLS: AtomicU32 = AtomicU32::new(0);
    // Processes that are started one after another have neighbouring numbers.
    let first = process::id().wrapping_mul(97);
    let candidate = || {
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        u16::try_from(FIRST + first.wrapping_add(call) % COUNT).expect("a port")
    };
    let mut candidates = std::iter::repeat_with(candidate).take(COUNT as usize);
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    candidates.find(is_free).expect("a free port")
}

/// A running server, which is killed when this is dropped.
#[derive(Debug)]
pub struct Serving {
    child: Child,
    /// The URL of the server.
    pub url: String,
}

impl Serving {
    /// The reference server of the program `mcp_test` over HTTP, with faults.
    ///
    /// # Panics
    ///
    /// If it does not start.
    #[must_use]
    pub fn reference(mcp_test: &str, faults: &[&str]) -> Self {
        let mut command = Command::new(mcp_test);
        command.args(["reference", "server", "--listen", "127.0.0.1:0"]);
        command.args(faults.iter().flat_map(|fault| ["--fault", fault]));
        Self::start(command)
    }

    /// Starts a server that prints its URL.
    ///
    /// # Panics
    ///
    /// If it does not.
    #[must_use]
    pub fn start(mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the server starts");
        let stdout = child.stdout.take().expect("stdout is piped");
        let mut serving = Self { child, url: String::new() };
        let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
        // As the commands print it that serve MCP, test a client, and are an authorization server.
        let labels = ["Listening on ", "Server URL: ", "Issuer "];
        let url = lines.find_map(|line| {
            labels.iter().find_map(|label| Some(line.strip_prefix(label)?.trim().to_owned()))
        });
        serving.url = url.expect("the server prints its URL");
        // Read to its end, so that the server can go on printing.
        thread::spawn(move || lines.for_each(drop));
        serving
    }

    /// The id of its process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The address and the port in the URL.
    #[must_use]
    pub fn address(&self) -> &str {
        self.url.split('/').nth(2).unwrap_or_default()
    }

    /// Ends it by SIGTERM.
    ///
    /// # Panics
    ///
    /// If it cannot be ended.
    pub fn end(mut self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill").success());
        self.child.wait().expect("it ends");
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // Both fail only if the server has exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Mark {
    /// Kills the processes that a failed test has left running.
    fn drop(&mut self) {
        for process in self.processes() {
            let id = process.file_name().unwrap_or_default();
            // It may have exited by now.
            let _ = Command::new("kill").arg("-KILL").arg(id).stderr(Stdio::null()).status();
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_leftover_process_is_found() {
        let mark = Mark::new();
        let mut command = Command::new("cat");
        mark.put_on(&mut command);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("cat starts");
        // Linux shows an environment only some time after `spawn` has returned: once cat answers, it is there.
        let mut stdin = child.stdin.take().expect("stdin is piped");
        stdin.write_all(b"\n").expect("cat reads");
        let mut stdout = child.stdout.take().expect("stdout is piped");
        stdout.read_exact(&mut [0]).expect("cat answers");
        let left = mark.living();
        child.kill().expect("cat is running");
        child.wait().expect("cat exits");
        assert_eq!(left.len(), 1, "{left:?}");
        mark.assert_nothing_left();
    }
}
