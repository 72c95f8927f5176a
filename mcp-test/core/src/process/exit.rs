//! Observes the exit of the leader of a process group in a thread, without reaping it.
//!
//! Until the leader is reaped its process id, which is also the id of its group, is not reused: a signal to the group never
//! reaches an unrelated process. The thread makes the exit observable from any executor and from destructors.

use std::fmt;
use std::process;
use std::sync::mpsc;
use std::thread::JoinHandle;

use tokio::sync::watch;

use crate::clock::{self, Deadline};

/// How a process ended.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// A signal ended it.
    Signal(i32),
    /// Not known: something else in this process has reaped it.
    Unknown,
}

impl Exit {
    /// Whether it exited with code 0.
    pub fn is_success(&self) -> bool {
        *self == Self::Code(0)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => match signal_name(*signal) {
                Some(name) => write!(f, "signal {signal} ({name})"),
                None => write!(f, "signal {signal}"),
            },
            Self::Unknown => f.write_str("unknown exit status"),
        }
    }
}

// The signals whose numbers are the same on every unix.
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return None,
    })
}

/// A child whose exit is awaited before it is reaped.
pub(super) trait Watched: Send {
    /// Waits for the exit, without reaping the child.
    fn await_exit(&mut self) -> Exit;

    /// Reaps the child, which has exited.
    fn reap(self: Box<Self>);
}

impl Watched for process::Child {
    fn await_exit(&mut self) -> Exit {
        await_exit(self)
    }

    fn reap(mut self: Box<Self>) {
        let _ = self.wait();
    }
}

#[derive(Debug)]
pub(super) struct ExitWatcher {
    exit: watch::Receiver<Option<Exit>>,
    release: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ExitWatcher {
    /// Observes a child that was just started.
    pub(super) fn observe(mut child: Box<dyn Watched>) -> std::io::Result<Self> {
        let (exited, exit) = watch::channel(None);
        let (release, released) = mpsc::channel();
        let thread =
            std::thread::Builder::new().name("mcp-test-child".to_owned()).spawn(move || {
                exited.send_replace(Some(child.await_exit()));
                // An error means that the owner is gone, which releases the child as well.
                let _ = released.recv();
                // The exit is known already; this only reaps the child and frees its id.
                child.reap();
            })?;
        Ok(Self { exit, release: Some(release), thread: Some(thread) })
    }

    pub(super) fn exit(&self) -> Option<Exit> {
        *self.exit.borrow()
    }

    pub(super) fn exited(&self) -> impl Future<Output = Exit> + Send + use<> {
        let mut exit = self.exit.clone();
        async move {
            let seen = exit.wait_for(Option::is_some).await;
            seen.ok().and_then(|exit| *exit).unwrap_or(Exit::Unknown)
        }
    }

    /// Waits for the exit until the deadline, then lets the thread reap the child.
    pub(super) fn reap(&mut self, deadline: Deadline) {
        // In a task that has used up its cooperative budget, tokio would never let the receiver become ready.
        let exited = tokio::task::unconstrained(self.exited());
        let seen = clock::block_within(deadline, exited);
        self.release = None;
        if let (Ok(_), Some(thread)) = (seen, self.thread.take()) {
            let _ = thread.join();
        }
    }
}

#[cfg(unix)]
fn await_exit(child: &mut process::Child) -> Exit {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    let pid = Pid::from_child(child);
    loop {
        // NOWAIT leaves the child unreaped.
        match waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            Ok(Some(status)) => return exit_of(status),
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            // Something else in this process has reaped the child.
            Err(_) => return Exit::Unknown,
        }
    }
}

#[cfg(unix)]
pub(super) fn exit_of(status: rustix::process::WaitIdStatus) -> Exit {
    let code = status.exit_status().map(Exit::Code);
    code.or(status.terminating_signal().map(Exit::Signal)).unwrap_or(Exit::Unknown)
}

#[cfg(not(unix))]
fn await_exit(child: &mut process::Child) -> Exit {
    let status = child.wait().ok().and_then(|status| status.code());
    status.map_or(Exit::Unknown, Exit::Code)
}
