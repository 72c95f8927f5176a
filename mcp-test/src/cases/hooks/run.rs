//! One command: start, readiness, end, last lines.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_test_core::check::Finding;
use mcp_test_core::clock::{Deadline, format_duration, quiet, within};
use mcp_test_core::expect::words;
use mcp_test_core::process::{Child, Command, Readiness};
use mcp_test_core::trace::SecretTexts;
use mcp_test_core::yaml::Span;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::cases::{Case, CaseFile, Diagnostic, Ready, Values};

/// How many of the last lines of output are kept.
const LINES: usize = 20;
/// How many characters of a line are kept.
const WIDTH: usize = 300;
/// How long a running command may take to stop before it is killed.
pub(super) const GRACE: Duration = Duration::from_secs(2);
/// The interval between attempts to connect: there is no event when a port opens.
const PORT_INTERVAL: Duration = Duration::from_millis(25);
/// How long an attempt to connect may take: a host that does not even refuse must not keep others from being tried.
const CONNECT: Duration = Duration::from_secs(1);
/// How long a command has to exit once the port is open: one that starts a server in the background and waits for it is none itself.
const LAST_STEPS: Duration = Duration::from_millis(500);

/// What to do about a command that neither exits nor is known to be a server.
const KEEPS_RUNNING: &str =
    "a server needs `ready`: `{port: 1234}`, or a part of the line that it prints when it listens";

/// A command to run for a case.
pub(super) struct Task<'a> {
    pub(super) file: &'a CaseFile,
    pub(super) case: &'a Case,
    /// Its label, such as `_before`.
    pub(super) label: String,
    pub(super) span: Span,
    /// When it is ready; by default, when it has exited with 0, or has opened one of `ports`.
    pub(super) ready: Option<&'a Ready>,
    /// Where it may listen if it is a server.
    pub(super) ports: Vec<String>,
    pub(super) allotted: Duration,
    pub(super) values: &'a Values,
}

/// The last lines of output on both streams, without secrets.
#[derive(Clone)]
struct Tail {
    lines: Arc<Mutex<VecDeque<String>>>,
    secrets: SecretTexts,
}

impl Tail {
    fn without(secrets: &SecretTexts) -> Self {
        Self { lines: Arc::default(), secrets: secrets.clone() }
    }

    fn push(&self, line: &str) {
        // Masked before it is truncated: a truncated secret would not be found.
        let line = self.secrets.mask(line).chars().take(WIDTH).collect();
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    fn sink(&self) -> impl FnMut(String) + Send + 'static {
        let tail = self.clone();
        move |line| tail.push(&line)
    }

    fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

impl Task<'_> {
    /// Starts the command and waits until it is ready.
    pub(super) async fn start(
        &self,
        command: &Command,
        deadline: Deadline,
    ) -> Result<Child, Finding> {
        let deadline = deadline.min(Deadline::after(self.allotted));
        // A port that another process listens on would count as ready at once.
        if let Some(Ready::Port(address)) = self.ready
            && accepts(address).await
        {
            let got = "connections are accepted there before the command starts";
            let finding = self.finding(command, got.to_owned(), &[]);
            return Err(finding.expected(format!("no listener at {address}")));
        }
        let closed = self.closed_ports().await;
        let (mut child, tail) = self.spawn(command)?;
        match self.ready {
            None => {
                // Closes its stdin: a command that reads it to the end would never exit.
                child.take_stdin();
                if !is_server(&child, &closed, deadline).await {
                    let exited = self.check_exit(command, &child, &tail, deadline).await;
                    exited.map_err(|finding| match child.exit() {
                        Some(_) => finding,
                        None => finding.hint(KEEPS_RUNNING),
                    })?;
                }
            }
            Some(Ready::Line(text)) => {
                let wanted = text.clone();
                let ready = child.ready_by_line(move |line| line.contains(&wanted), deadline).await;
                let expected = format!("a line with {:?}", words::printable(text));
                self.check_ready(command, &expected, &ready, &tail, deadline)?;
            }
            Some(Ready::Port(address)) => {
                let ready = ready_by_port(&child, std::slice::from_ref(address), deadline).await;
                let expected = format!("connections to be accepted at {address}");
                self.check_ready(command, &expected, &ready, &tail, deadline)?;
            }
        }
        // Also if it has exited: what it left behind is stopped with it.
        Ok(child)
    }

    /// Runs a command to its end, with a text on its stdin.
    pub(super) async fn run(
        &self,
        command: &Command,
        stdin: String,
        deadline: Deadline,
    ) -> Result<(), Finding> {
        let deadline = deadline.min(Deadline::after(self.allotted));
        let (mut child, tail) = self.spawn(command)?;
        let pipe = child.take_stdin();
        let write = async {
            if let Some(mut pipe) = pipe {
                // A command that does not read its stdin does not need it.
                let _ = pipe.write_all(stdin.as_bytes()).await;
            }
            // Never completes: only `check_exit` ends the `select!` below.
            std::future::pending::<()>().await;
        };
        let outcome = tokio::select! {
            outcome = self.check_exit(command, &child, &tail, deadline) => outcome,
            // Unreachable: `write` is pending forever.
            () = write => Ok(()),
        };
        child.stop(GRACE).await;
        outcome
    }

    /// The places where it may listen, without those where something listens already: that they are open later shows nothing.
    async fn closed_ports(&self) -> Vec<String> {
        let mut closed = Vec::new();
        for address in self.ports.iter().filter(|_| self.ready.is_none()) {
            if !accepts(address).await {
                closed.push(address.clone());
            }
        }
        closed
    }

    fn spawn(&self, command: &Command) -> Result<(Child, Tail), Finding> {
        let tail = Tail::without(self.values.secrets());
        let mut child = Child::spawn(command, tail.sink())
            .map_err(|error| self.failed(self.values.secrets().mask(&error.to_string())))?;
        child.log_stdout(tail.sink());
        Ok((child, tail))
    }

    async fn check_exit(
        &self,
        command: &Command,
        child: &Child,
        tail: &Tail,
        deadline: Deadline,
    ) -> Result<(), Finding> {
        let got = match within(deadline, child.wait_exit()).await {
            Ok(exit) if exit.is_success() => return Ok(()),
            Ok(exit) => exit.to_string(),
            Err(elapsed) => {
                format!("it is still running after {}", format_duration(elapsed.allotted))
            }
        };
        Err(self.finding(command, got, &tail.lines()).expected("exit code 0"))
    }

    fn check_ready(
        &self,
        command: &Command,
        expected: &str,
        ready: &Readiness,
        tail: &Tail,
        deadline: Deadline,
    ) -> Result<(), Finding> {
        let got = match ready {
            Readiness::Line(_) => return Ok(()),
            Readiness::Exited(exit) => format!("{exit}, before it was ready"),
            Readiness::Elapsed => {
                let allotted = deadline.allotted().map(format_duration).unwrap_or_default();
                format!("nothing like that within {allotted}")
            }
        };
        Err(self.finding(command, got, &tail.lines()).expected(expected))
    }

    /// A finding about a command, with its last lines and its place in the file.
    fn finding(&self, command: &Command, got: String, lines: &[String]) -> Finding {
        let secrets = self.values.secrets();
        // The directory and the variables are the same for every command.
        let command = Command { cwd: None, env: Vec::new(), ..command.clone() };
        let command = words::printable(&secrets.mask(&command.to_string()));
        let last = lines.iter().map(|line| words::printable(line));
        let last: String = last.map(|line| format!("\n| {line}")).collect();
        let last = if lines.is_empty() { last } else { format!("; its last lines:{last}") };
        let finding = self.failed(got + &last);
        let headline = format!("{}: `{command}`", finding.headline);
        finding.headed(headline)
    }

    /// A finding that the command or the state failed.
    pub(super) fn failed(&self, got: String) -> Finding {
        // The peer is not to blame if a command of the case fails.
        Finding::environment(format!("{} of {} failed", self.label, self.case.id))
            .got(got)
            .excerpt(Diagnostic::excerpt(self.file, self.span, String::new(), Vec::new()))
    }
}

/// Whether connections are accepted at an address.
async fn accepts(address: &str) -> bool {
    matches!(within(Deadline::after(CONNECT), TcpStream::connect(address)).await, Ok(Ok(_)))
}

/// Waits until connections are accepted at one of these addresses.
async fn ready_by_port(child: &Child, addresses: &[String], deadline: Deadline) -> Readiness {
    let open = async {
        loop {
            for address in addresses {
                if accepts(address).await {
                    return Readiness::Line(String::new());
                }
            }
            quiet(PORT_INTERVAL).await;
        }
    };
    // A server that has exited never opens its port: that is reported at once, not at the deadline.
    let ready = async {
        tokio::select! {
            ready = open => ready,
            exit = child.wait_exit() => Readiness::Exited(exit),
        }
    };
    within(deadline, ready).await.unwrap_or(Readiness::Elapsed)
}

/// Whether a command opens one of these ports, and keeps running.
async fn is_server(child: &Child, closed: &[String], deadline: Deadline) -> bool {
    let opens = !closed.is_empty()
        && matches!(ready_by_port(child, closed, deadline).await, Readiness::Line(_));
    opens && within(Deadline::after(LAST_STEPS), child.wait_exit()).await.is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_part_of_a_secret_is_left_where_a_line_is_truncated() {
        let tail = Tail::without(&SecretTexts::new(["0123456789".to_owned()]));
        tail.push(&format!("{}0123456789", "x".repeat(WIDTH - 5)));
        assert_eq!(tail.lines(), [format!("{}[secr", "x".repeat(WIDTH - 5))]);
    }
}
