//! The watchdog: runs work on a thread of its own, with a current-thread runtime, and gives the thread up if it blocks.
//!
//! The waiting thread watches, since nothing on a blocked thread could notice. A thread that was given up ends with the
//! process; the programs that it started are killed at once.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use mcp_test_core::clock::{self, Deadline};
use mcp_test_core::process;
use mcp_test_core::run::panics::PanicWatch;
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};

/// How long a target may take to start and to answer which revisions it speaks: it may have to be downloaded and compiled.
pub(super) const PREPARATION: Duration = Duration::from_secs(120);
/// How long it may take to close connections and to end child processes.
pub(super) const FAREWELL: Duration = Duration::from_secs(20);

/// Held while a program behind a URL runs: one at a time, since they use the same port.
///
/// The watchdog holds it, not the work, so that it is free again when the thread is given up.
static STARTED_PROGRAMS: Mutex<()> = Mutex::new(());

/// A message of the work to its watchdog.
enum Message<T> {
    /// The next message may take this long.
    Allow(Duration),
    /// The work is about to start a program, and waits for its turn.
    NeedsTurn(oneshot::Sender<()>),
    /// The work has ended.
    Ended(T),
}

/// Why watched work has no result.
#[derive(Debug, thiserror::Error)]
pub(super) enum WatchdogError {
    /// The operating system refused a thread or what a runtime needs.
    #[error("cannot create a {what} for the test: {source}")]
    Refused {
        /// What was refused.
        what: &'static str,
        /// Why.
        source: io::Error,
    },
    /// The thread did not react to the end of its time.
    #[error("the thread is blocked")]
    Blocked,
    /// The thread ended without a result, which only a panic in the harness itself can do.
    #[error("the thread of the test has disappeared")]
    Disappeared,
}

/// The work's connection to its watchdog.
pub(super) struct Heartbeat<'a> {
    send: &'a dyn Fn(Duration),
    need_turn: &'a dyn Fn(),
}

impl Heartbeat<'_> {
    /// Allows the work this long until its next call.
    pub(super) fn allow(&self, time: Duration) {
        (self.send)(time);
    }

    /// Waits until no other test runs a program behind a URL.
    pub(super) fn wait_for_turn(&self) {
        (self.need_turn)();
    }
}

/// Runs `work` on a thread and a runtime of its own and waits for its result; it has [`PREPARATION`] until it asks for
/// more time.
pub(super) fn run_watched<T: Send + 'static>(
    name: String,
    work: impl FnOnce(&Runtime, &Heartbeat<'_>) -> T + Send + 'static,
) -> Result<T, WatchdogError> {
    let (send, mut messages) = mpsc::unbounded_channel();
    // The thread inherits libtest's capture of the output.
    let spawned = thread::Builder::new().name(name).spawn(move || on_thread(&send, work));
    let refused = |what| move |source| WatchdogError::Refused { what, source };
    let thread = spawned.map_err(refused("thread"))?.thread().id();
    let mut _turn: Option<MutexGuard<'static, ()>> = None;
    let mut deadline = Deadline::after(PREPARATION);
    loop {
        match clock::block_within(deadline, messages.recv()) {
            Ok(Some(Message::Allow(time))) => deadline = Deadline::after(time),
            Ok(Some(Message::NeedsTurn(begin))) => {
                // No deadline: the runs before it are watched as well, so its turn comes.
                _turn = Some(STARTED_PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner));
                deadline = Deadline::after(PREPARATION);
                // An error means that the thread is gone, which the closed channel shows next.
                let _ = begin.send(());
            }
            Ok(Some(Message::Ended(result))) => {
                return result.map_err(refused("tokio runtime"));
            }
            Ok(None) => return Err(WatchdogError::Disappeared),
            Err(_) => {
                process::kill_children_of(thread);
                return Err(WatchdogError::Blocked);
            }
        }
    }
}

fn on_thread<T>(
    send: &mpsc::UnboundedSender<Message<io::Result<T>>>,
    work: impl FnOnce(&Runtime, &Heartbeat<'_>) -> T,
) {
    // There is no receiver any more if the thread was given up.
    let notify = |message| drop(send.send(message));
    let heartbeat = Heartbeat {
        send: &|time| notify(Message::Allow(time)),
        need_turn: &|| {
            let (begin, turn) = oneshot::channel();
            notify(Message::NeedsTurn(begin));
            // An error means that the thread was given up; what it does next no longer matters.
            let _ = turn.blocking_recv();
        },
    };
    // The target may run as tasks of the runtime, and block on threads of it.
    let panics = PanicWatch::for_this_thread();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .on_thread_start(move || panics.add_thread())
        .build();
    let result = runtime.map(|runtime| {
        let result = work(&runtime, &heartbeat);
        // Dropping the runtime would wait for tasks in `spawn_blocking`, perhaps forever.
        runtime.shutdown_background();
        result
    });
    notify(Message::Ended(result));
}
