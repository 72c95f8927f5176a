//! One command: its start, when it is ready, its end, and its last words.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::super::complaint::{Complaint, Level};
use super::super::{Case, CaseFile, Ready, Values};
use crate::check::Finding;
use crate::clock::{Deadline, in_words, quiet, within};
use crate::expect::words;
use crate::process::{Child, Command, Readiness};
use crate::trace::SecretTexts;
use crate::yaml::Span;

/// How many of its last lines are kept.
const LINES: usize = 20;
/// How much of a line is kept.
const WIDTH: usize = 300;
/// How long a command that goes on running may take to end when it is asked to.
const GRACE: Duration = Duration::from_secs(2);
/// How often a port is tried: nobody says when it opens.
const BETWEEN: Duration = Duration::from_millis(25);

/// A command that is to be run for a case.
pub(super) struct Task<'a> {
    pub(super) file: &'a CaseFile,
    pub(super) case: &'a Case,
    /// What it is, to be read before "of a case": `_before`.
    pub(super) what: String,
    pub(super) span: Span,
    /// When it is ready; without it, when it has exited with 0.
    pub(super) ready: Option<&'a Ready>,
    pub(super) allotted: Duration,
    pub(super) values: &'a Values,
}

/// A command that was started, and has become ready.
#[derive(Debug)]
pub(super) struct Started {
    child: Child,
}

impl Started {
    /// Ends it with all its descendants, those too that it left behind when it exited.
    pub(super) async fn end(mut self) {
        self.child.stop(GRACE).await;
    }
}

/// The last lines of what a command says, on whichever stream, without secrets.
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
        // Before it is cut, which might leave a part of a secret.
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
    ) -> Result<Started, Finding> {
        let deadline = deadline.min(Deadline::after(self.allotted));
        if let Some(Ready::Port(address)) = self.ready
            && matches!(within(deadline, TcpStream::connect(address)).await, Ok(Ok(_)))
        {
            let got = "connections are accepted there before the command is started";
            let finding = self.of(command, got.to_owned(), &[]);
            return Err(finding.expected(format!("that nobody listens at {address}")));
        }
        let (mut child, tail) = self.spawn(command)?;
        match self.ready {
            None => {
                child.take_stdin();
                self.success(command, &child, &tail, deadline).await?;
            }
            Some(Ready::Line(text)) => {
                let wanted = text.clone();
                let ready = child.ready_by_line(move |line| line.contains(&wanted), deadline).await;
                let expected = format!("a line with {:?}", words::printable(text));
                self.became(command, &expected, &ready, &tail, deadline)?;
            }
            Some(Ready::Port(address)) => {
                let open = async {
                    while TcpStream::connect(address).await.is_err() {
                        quiet(BETWEEN).await;
                    }
                };
                let ready = async {
                    tokio::select! {
                        () = open => Readiness::Line(String::new()),
                        exit = child.wait_exit() => Readiness::Exited(exit),
                    }
                };
                let ready = within(deadline, ready).await.unwrap_or(Readiness::Elapsed);
                let expected = format!("connections to be accepted at {address}");
                self.became(command, &expected, &ready, &tail, deadline)?;
            }
        }
        Ok(Started { child })
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
                // Who does not read it does not need it.
                let _ = pipe.write_all(stdin.as_bytes()).await;
            }
            std::future::pending::<()>().await;
        };
        let outcome = tokio::select! {
            outcome = self.success(command, &child, &tail, deadline) => outcome,
            () = write => Ok(()),
        };
        child.stop(GRACE).await;
        outcome
    }

    fn spawn(&self, command: &Command) -> Result<(Child, Tail), Finding> {
        let tail = Tail::without(self.values.secrets());
        let mut child = Child::spawn(command, tail.sink())
            .map_err(|error| self.failed(self.values.secrets().mask(&error.to_string())))?;
        child.log_stdout(tail.sink());
        Ok((child, tail))
    }

    async fn success(
        &self,
        command: &Command,
        child: &Child,
        tail: &Tail,
        deadline: Deadline,
    ) -> Result<(), Finding> {
        let got = match within(deadline, child.wait_exit()).await {
            Ok(exit) if exit.is_success() => return Ok(()),
            Ok(exit) => exit.to_string(),
            Err(elapsed) => format!("it still runs after {}", in_words(elapsed.allotted)),
        };
        Err(self.of(command, got, &tail.lines()).expected("exit code 0"))
    }

    fn became(
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
                let allotted = deadline.allotted().map(in_words).unwrap_or_default();
                format!("nothing of the kind within {allotted}")
            }
        };
        Err(self.of(command, got, &tail.lines()).expected(expected))
    }

    /// A finding about a command: with what it said, and the line that asks for it.
    fn of(&self, command: &Command, got: String, lines: &[String]) -> Finding {
        let secrets = self.values.secrets();
        // The directory and the variables that every command gets say nothing about this one.
        let command = Command { cwd: None, env: Vec::new(), ..command.clone() };
        let command = words::printable(&secrets.mask(&command.to_string()));
        let last = lines.iter().map(|line| words::printable(line));
        let last: String = last.map(|line| format!("\n| {line}")).collect();
        let last = if lines.is_empty() { last } else { format!("; its last lines:{last}") };
        let finding = self.failed(got + &last);
        let headline = format!("{}: `{command}`", finding.headline);
        Finding { headline, ..finding }
    }

    /// A finding that something could not be done for the case.
    pub(super) fn failed(&self, got: String) -> Finding {
        let complaint = Complaint {
            level: Level::Error,
            name: "hook",
            file: self.file.path.clone(),
            text: self.file.text.clone(),
            span: self.span,
            message: String::new(),
            label: String::new(),
            also: Vec::new(),
            help: None,
        };
        Finding::environment(format!("{} of {} failed", self.what, self.case.id))
            .got(got)
            .excerpt(complaint.excerpt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_part_of_a_secret_is_left_where_a_line_is_cut() {
        let tail = Tail::without(&SecretTexts::new(["0123456789".to_owned()]));
        tail.push(&format!("{}0123456789", "x".repeat(WIDTH - 5)));
        assert_eq!(tail.lines(), [format!("{}[secr", "x".repeat(WIDTH - 5))]);
    }
}
