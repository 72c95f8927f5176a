//! A running child: its streams, its lines, its exit, its end.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, process};

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc;

pub use super::family::LeftBehind;
use super::family::{self, Family};
use super::leader::{Exit, Leader};
use super::lines::{Lines, Sink};
use super::{Command, SpawnError, living};
use crate::clock::{Deadline, within};

/// How long a killed process may take to die. Only one that hangs in the kernel takes longer.
pub(super) const DEATH: Duration = Duration::from_secs(2);

/// A child process that leads a process group of its own.
///
/// Dropping it kills the whole family; [`Child::end`] is the friendly way.
///
/// ```
/// use mcp_test::process::{Child, Command};
/// use std::time::Duration;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let mut server = Child::spawn(&Command::new("cat"), |line| eprintln!("server ! {line}"))?;
/// let (stdin, stdout) = (server.take_stdin(), server.take_stdout());
/// // … converse …
/// drop((stdin, stdout));
/// let ending = server.end(Duration::from_secs(5)).await;
/// assert!(ending.left_behind.is_empty());
/// # Ok::<(), mcp_test::process::SpawnError>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Child {
    id: u32,
    command: String,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    logs: Vec<Lines>,
    family: Arc<Family>,
    leader: Leader,
    ended: bool,
}

/// How a child came to its end in [`Child::end`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// What was needed to end it.
    pub how: How,
    /// How it exited.
    pub exit: Exit,
    /// Descendants that were still there when the child had exited by itself. They have been killed.
    ///
    /// Empty where the child was terminated or killed, and on systems where descendants cannot be listed.
    pub left_behind: Vec<LeftBehind>,
}

/// What was needed to end a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Nothing: it had exited before.
    AlreadyExited,
    /// It exited when its stdin was closed, as a stdio server should.
    StdinClosed,
    /// It exited on SIGTERM.
    Terminated,
    /// It had to be killed.
    Killed,
}

impl fmt::Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AlreadyExited => "it had exited before",
            Self::StdinClosed => "it exited when its stdin was closed",
            Self::Terminated => "it outlived its stdin and exited on SIGTERM",
            Self::Killed => "it outlived its stdin and SIGTERM and was killed",
        })
    }
}

/// What came first while waiting for a child to be ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// This line, which was wanted.
    Line(String),
    /// The end of the child.
    Exited(Exit),
    /// The deadline.
    Elapsed,
}

impl Child {
    /// Starts a command; each line that it writes on stderr goes to the sink.
    ///
    /// The sink must not call methods of this child.
    ///
    /// # Errors
    /// [`SpawnError`] says why the command could not be started, and what would be right.
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
        let marker = family::marker();
        let mut child =
            prepared(command, &marker).spawn().map_err(|source| command.diagnose(source))?;
        let id = child.id();
        let family = Arc::new(Family::new(id, marker));
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let leader = Leader::observe(child).inspect_err(|_| family.kill(Deadline::after(DEATH)));
        let mut this = Self {
            id,
            command: command.to_string(),
            stdin: None,
            stdout: None,
            logs: Vec::new(),
            family,
            leader: leader.map_err(refused)?,
            ended: false,
        };
        // From here on dropping `this` cleans up.
        if !living::enter(&this.family) {
            let program = command.program.clone();
            return Err(SpawnError::GivenUp { program });
        }
        this.stdin = pipes.0.map(ChildStdin::from_std).transpose().map_err(refused)?;
        this.stdout = pipes.1.map(ChildStdout::from_std).transpose().map_err(refused)?;
        if let Some(pipe) = pipes.2.map(ChildStderr::from_std).transpose().map_err(refused)? {
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

    /// Hands out the writing end of the child's stdin; `None` the second time.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.stdin.take()
    }

    /// Hands out the reading end of the child's stdout; `None` the second time.
    ///
    /// A descendant that holds the other end keeps it open after the child's exit, until [`Child::end`].
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.stdout.take()
    }

    /// Takes stdout for a log, as a server does that speaks over HTTP: each line goes to the sink.
    ///
    /// Without effect if stdout was taken already. A child whose stdout nobody reads will block when the pipe is full.
    pub fn log_stdout(&mut self, sink: impl FnMut(String) + Send + 'static) {
        if let Some(pipe) = self.stdout.take() {
            let sink: Sink = Box::new(sink);
            self.log(Lines::new(pipe, sink));
        }
    }

    /// The last lines of stderr, at most so many, with an unfinished one. A bounded number of lines is kept.
    pub fn stderr_tail(&self, count: usize) -> Vec<String> {
        self.logs.first().map(|stderr| stderr.tail(count)).unwrap_or_default()
    }

    /// How it exited, if it has.
    pub fn exit(&self) -> Option<Exit> {
        self.leader.exit()
    }

    /// Waits for the child to exit; when it has, all that it wrote on stderr has been taken in.
    ///
    /// The future borrows nothing, any number of them may wait, and dropping one has no effect.
    pub fn wait_exit(&self) -> impl Future<Output = Exit> + Send + use<> {
        let exited = self.leader.exited();
        let logs = self.logs.clone();
        async move {
            let exit = exited.await;
            logs.iter().for_each(Lines::drain);
            exit
        }
    }

    /// Waits for a line on stderr, or on stdout where that is a log, said before or after this call.
    ///
    /// ```no_run
    /// # use mcp_test::{clock::Deadline, process::{Child, Readiness}};
    /// # async fn f(server: &mut Child) {
    /// let deadline = Deadline::after(std::time::Duration::from_secs(10));
    /// let ready = server.ready_by_line(|line| line.contains("listening on"), deadline).await;
    /// assert!(matches!(ready, Readiness::Line(_)));
    /// # }
    /// ```
    pub async fn ready_by_line(
        &self,
        wanted: impl Fn(&str) -> bool + Send + Sync + 'static,
        deadline: Deadline,
    ) -> Readiness {
        let wanted = Arc::new(wanted);
        let (found, mut line) = mpsc::channel(2);
        for log in &self.logs {
            log.send_first(wanted.clone(), found.clone());
        }
        let first = async {
            tokio::select! {
                biased;
                Some(line) = line.recv() => Readiness::Line(line),
                exit = self.wait_exit() => match line.try_recv() {
                    Ok(line) => Readiness::Line(line),
                    Err(_) => Readiness::Exited(exit),
                },
            }
        };
        within(deadline, first).await.unwrap_or(Readiness::Elapsed)
    }

    /// Ends the child and all its descendants: closes stdin, then TERM, then KILL, with a grace period before each.
    ///
    /// A stdin that was taken must have been dropped by its taker, or the child cannot see its end. Afterwards there is
    /// nothing left to end: a second call says that the child had exited before.
    pub async fn end(&mut self, grace: Duration) -> Ending {
        self.end_after(Some(grace), grace).await
    }

    /// Ends a child to which stdin means nothing, and all its descendants: TERM at once, then KILL, with a grace period
    /// before that.
    pub async fn stop(&mut self, grace: Duration) -> Ending {
        self.end_after(None, grace).await
    }

    async fn end_after(&mut self, by_itself: Option<Duration>, grace: Duration) -> Ending {
        if self.ended {
            return Ending {
                how: How::AlreadyExited,
                exit: self.leader.exit().unwrap_or(Exit::Unknown),
                left_behind: Vec::new(),
            };
        }
        let has_exited = self.leader.exit().is_some();
        // Descendants are looked up while their parents live.
        self.family.look();
        self.stdin = None;
        let mut how = if has_exited { How::AlreadyExited } else { How::StdinClosed };
        let mut exit = match by_itself {
            Some(grace) => within(Deadline::after(grace), self.leader.exited()).await.ok(),
            None => self.leader.exit(),
        };
        let left_behind = if exit.is_some() { self.family.left_behind() } else { Vec::new() };
        if exit.is_none() {
            how = How::Terminated;
            self.family.terminate();
            exit = within(Deadline::after(grace), self.leader.exited()).await.ok();
        }
        if exit.is_none() {
            how = How::Killed;
            self.family.kill(Deadline::after(DEATH));
            exit = within(Deadline::after(DEATH), self.leader.exited()).await.ok();
        }
        self.bury();
        Ending { how, exit: exit.unwrap_or(Exit::Unknown), left_behind }
    }

    /// Kills whoever is alive, takes in the last words, lets the process id go.
    fn bury(&mut self) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        self.family.kill(Deadline::after(DEATH));
        self.family.let_go();
        self.leader.reap(Deadline::after(DEATH));
        self.logs.iter().for_each(Lines::close);
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.bury();
    }
}

fn prepared(command: &Command, marker: &str) -> process::Command {
    let mut prepared = process::Command::new(&command.program);
    prepared.args(&command.args).envs(command.env.iter().map(|(name, value)| (name, value)));
    prepared.env(marker, "1");
    if let Some(cwd) = &command.cwd {
        prepared.current_dir(cwd);
    }
    prepared.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut prepared, 0);
    prepared
}
