//! A running child: its streams, its log lines, its exit and its shutdown.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc;

use super::exit::{Exit, ExitWatcher};
use super::lines::{Lines, Sink};
pub use super::process_tree::LeftoverProcess;
use super::process_tree::{self, DEATH, ProcessTree};
use super::start::{Started, start};
use super::{Command, SpawnError, registry};
use crate::clock::{Deadline, quiet, within};

/// How long descendants have to end after a leader that has exited on its own, before they count as left behind.
const SECOND_LOOK: Duration = Duration::from_millis(500);

/// A child process that leads its own process group.
///
/// Dropping it kills the whole process tree; [`Child::end`] shuts it down gracefully.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::process::{Child, Command};
/// use std::time::Duration;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let mut server = Child::spawn(&Command::new("cat"), |line| eprintln!("server ! {line}"))?;
/// let (stdin, stdout) = (server.take_stdin(), server.take_stdout());
/// // … converse …
/// drop((stdin, stdout));
/// let ending = server.end(Duration::from_secs(5)).await;
/// assert!(ending.leftovers.is_empty());
/// # Ok::<(), mcp_test::process::SpawnError>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(hidden)]
#[derive(Debug)]
pub struct Child {
    id: u32,
    command: String,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    logs: Vec<Lines>,
    tree: Arc<ProcessTree>,
    leader: ExitWatcher,
    ended: bool,
}

/// How [`Child::end`] ended a child.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shutdown {
    /// What was needed to end it.
    pub how: ShutdownStep,
    /// How it exited.
    pub exit: Exit,
    /// Descendants that still ran after the child had exited on its own; they have been killed.
    ///
    /// Empty where the child was terminated or killed, and on systems where descendants cannot be listed.
    pub leftovers: Vec<LeftoverProcess>,
}

/// What was needed to end a child.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShutdownStep {
    /// Nothing: it had already exited.
    AlreadyExited,
    /// It exited when its stdin was closed, as a stdio server should.
    StdinClosed,
    /// It exited on SIGTERM.
    Terminated,
    /// It had to be killed with SIGKILL.
    Killed,
}

impl fmt::Display for ShutdownStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AlreadyExited => "it had already exited",
            Self::StdinClosed => "it exited when its stdin was closed",
            Self::Terminated => "it outlived its stdin and exited on SIGTERM",
            Self::Killed => "it outlived its stdin and SIGTERM and was killed",
        })
    }
}

/// What happened first while waiting for a child to be ready.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// It printed a line that matches.
    Line(String),
    /// It exited.
    Exited(Exit),
    /// The deadline passed.
    Elapsed,
}

impl Child {
    /// Starts a command; each line that it writes on stderr goes to the sink.
    ///
    /// The sink must not call methods of this child.
    ///
    /// # Errors
    /// [`SpawnError`] if the command could not be started.
    ///
    /// # Panics
    /// If the tokio runtime was built without `enable_io`.
    pub fn spawn(
        command: &Command,
        stderr: impl FnMut(String) + Send + 'static,
    ) -> Result<Self, SpawnError> {
        let refused = |source| SpawnError::Refused {
            program: command.program.clone(),
            cwd: command.cwd.clone(),
            source,
        };
        if tokio::runtime::Handle::try_current().is_err() {
            let program = command.program.clone();
            return Err(SpawnError::NoRuntime { program });
        }
        let marker = process_tree::marker();
        let Started { id, tree, pipes, process } = start(command, &marker)?;
        let tree = Arc::new(tree);
        let leader =
            ExitWatcher::observe(process).inspect_err(|_| tree.kill(Deadline::after(DEATH)));
        let mut this = Self {
            id,
            command: command.to_string(),
            stdin: None,
            stdout: None,
            logs: Vec::new(),
            tree,
            leader: leader.map_err(refused)?,
            ended: false,
        };
        // From here on dropping `this` kills the child on every early return.
        // The thread may have been abandoned while the child started.
        if !registry::register(&this.tree) {
            let program = command.program.clone();
            return Err(SpawnError::Abandoned { program });
        }
        this.stdin = pipes.stdin.map(ChildStdin::from_std).transpose().map_err(refused)?;
        this.stdout = pipes.stdout.map(ChildStdout::from_std).transpose().map_err(refused)?;
        if let Some(pipe) = pipes.stderr.map(ChildStderr::from_std).transpose().map_err(refused)? {
            this.log(Lines::new(pipe, Box::new(stderr)));
        }
        Ok(this)
    }

    fn log(&mut self, lines: Lines) {
        tokio::spawn(lines.clone().pump());
        self.logs.push(lines);
    }

    /// The process id, which is also the id of the process group.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The command line that was started, for messages.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// Takes the writing end of the child's stdin; `None` the second time.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.stdin.take()
    }

    /// Takes the reading end of the child's stdout; `None` the second time.
    ///
    /// A descendant that holds the other end keeps it open after the child's exit, until [`Child::end`].
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.stdout.take()
    }

    /// Treats stdout as a log, as for a server over HTTP: each line goes to the sink.
    ///
    /// Has no effect if stdout was taken. A child whose stdout nobody reads blocks when the pipe is full.
    pub fn log_stdout(&mut self, sink: impl FnMut(String) + Send + 'static) {
        if let Some(pipe) = self.stdout.take() {
            let sink: Sink = Box::new(sink);
            self.log(Lines::new(pipe, sink));
        }
    }

    /// The last lines of stderr, at most `count`, including an unfinished one. A bounded number of lines is kept.
    pub fn stderr_tail(&self, count: usize) -> Vec<String> {
        self.logs.first().map(|stderr| stderr.tail(count)).unwrap_or_default()
    }

    /// How it exited, if it has.
    pub fn exit(&self) -> Option<Exit> {
        self.leader.exit()
    }

    /// Waits for the child to exit; then everything it wrote on stderr has been read.
    ///
    /// The future borrows nothing, several can wait at once, and dropping one has no effect.
    pub fn wait_exit(&self) -> impl Future<Output = Exit> + Send + use<> {
        let exited = self.leader.exited();
        let logs = self.logs.clone();
        async move {
            let exit = exited.await;
            logs.iter().for_each(Lines::drain);
            exit
        }
    }

    /// Waits for a matching line on stderr, or on stdout if that is a log; earlier lines count too.
    ///
    /// ```no_run
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::{clock::Deadline, process::{Child, Readiness}};
    /// # async fn f(server: &mut Child) {
    /// let deadline = Deadline::after(std::time::Duration::from_secs(10));
    /// let ready = server.ready_by_line(|line| line.contains("listening on"), deadline).await;
    /// assert!(matches!(ready, Readiness::Line(_)));
    /// # }
    /// ```
    pub async fn ready_by_line(
        &self,
        matches: impl Fn(&str) -> bool + Send + Sync + 'static,
        deadline: Deadline,
    ) -> Readiness {
        let matches = Arc::new(matches);
        // Room for one line of each log, stderr and stdout, so no line is lost.
        let (found, mut line) = mpsc::channel(2);
        for log in &self.logs {
            log.send_first(matches.clone(), found.clone());
        }
        let first = async {
            tokio::select! {
                biased;
                Some(line) = line.recv() => Readiness::Line(line),
                // Waiting for the exit drains the logs, which may only then deliver the line.
                exit = self.wait_exit() => match line.try_recv() {
                    Ok(line) => Readiness::Line(line),
                    Err(_) => Readiness::Exited(exit),
                },
            }
        };
        within(deadline, first).await.unwrap_or(Readiness::Elapsed)
    }

    /// Ends the child and all its descendants: closes stdin, then sends SIGTERM, then SIGKILL, with a grace period before
    /// each, which is the shutdown that the specification describes for stdio.
    /// <https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#stdio>
    ///
    /// A stdin that was taken must be dropped first, or the child cannot see its end. A second call returns that the child
    /// had already exited.
    pub async fn end(&mut self, grace: Duration) -> Shutdown {
        self.end_after(Some(grace), grace).await
    }

    /// Like [`Child::end`], with a grace period of its own for the exit after stdin was closed.
    pub async fn end_patiently(&mut self, eof_grace: Duration, grace: Duration) -> Shutdown {
        self.end_after(Some(eof_grace), grace).await
    }

    /// Ends a child that does not read stdin, and all its descendants: SIGTERM at once, then SIGKILL after a grace period.
    pub async fn stop(&mut self, grace: Duration) -> Shutdown {
        self.end_after(None, grace).await
    }

    async fn end_after(&mut self, eof_grace: Option<Duration>, grace: Duration) -> Shutdown {
        if self.ended {
            return Shutdown {
                how: ShutdownStep::AlreadyExited,
                exit: self.leader.exit().unwrap_or(Exit::Unknown),
                leftovers: Vec::new(),
            };
        }
        // Before stdin is closed: a later exit may be a consequence of that.
        let has_exited = self.leader.exit().is_some();
        if !has_exited {
            // Now, while their parents live: an orphan that left the group and cleared its environment cannot be found later.
            self.tree.refresh();
        }
        self.stdin = None;
        let mut how =
            if has_exited { ShutdownStep::AlreadyExited } else { ShutdownStep::StdinClosed };
        let mut exit = match eof_grace {
            Some(grace) => within(Deadline::after(grace), self.leader.exited()).await.ok(),
            None => self.leader.exit(),
        };
        // After a signal descendants are expected to be still ending, so they count only after an exit on its own.
        let mut leftovers = if exit.is_some() { self.tree.leftovers() } else { Vec::new() };
        if !leftovers.is_empty() {
            // A helper that ends when its pipe to the leader closes has to be given processor time first.
            quiet(SECOND_LOOK.min(grace)).await;
            leftovers = self.tree.leftovers();
        }
        let is_over = exit.is_some() && ProcessTree::is_over(&leftovers);
        if exit.is_none() {
            how = ShutdownStep::Terminated;
            self.tree.terminate();
            exit = within(Deadline::after(grace), self.leader.exited()).await.ok();
        }
        if exit.is_none() {
            how = ShutdownStep::Killed;
            self.tree.kill(Deadline::after(DEATH));
            exit = within(Deadline::after(DEATH), self.leader.exited()).await.ok();
        }
        self.clean_up(is_over);
        Shutdown { how, exit: exit.unwrap_or(Exit::Unknown), leftovers }
    }

    /// Kills the whole tree, unless all of it is known to be over, reads the remaining output, and releases the process id, in this order.
    fn clean_up(&mut self, is_over: bool) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        // The group must not be signalled once the leader is reaped: its id may then belong to another process.
        if !is_over {
            self.tree.kill(Deadline::after(DEATH));
        }
        self.tree.release();
        self.leader.reap(Deadline::after(DEATH));
        self.logs.iter().for_each(Lines::close);
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.clean_up(false);
    }
}
