//! All descendants of a child: who they are, and their end.
//!
//! They are found by their process group, by a variable that the child's environment hands down, and by being children
//! of one that is known. A descendant that leaves the group *and* clears its environment *and* outlives its parent
//! before anyone looked is not found. Only Linux lets us look; elsewhere the process group is the family.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::clock::Deadline;

#[cfg(target_os = "linux")]
mod kin;

static STARTED: AtomicU64 = AtomicU64::new(0);

/// A name that no other living child of any harness has.
///
/// The environment gets a *variable* of this name: a harness under test may start children of its own, and a value
/// would be overwritten by theirs.
pub(super) fn marker() -> String {
    let number = STARTED.fetch_add(1, Ordering::Relaxed);
    format!("MCP_TEST_CHILD_{}_{number}", std::process::id())
}

/// A process of the family that is alive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftBehind {
    /// Its process id.
    pub pid: u32,
    /// Its command line as far as the system tells.
    pub command: String,
}

#[derive(Debug)]
pub(super) struct Family {
    leader: u32,
    /// Whether the leader's process id may belong to a stranger by now.
    let_go: Mutex<bool>,
    #[cfg(target_os = "linux")]
    kin: kin::Kin,
}

#[cfg_attr(target_os = "linux", expect(clippy::needless_pass_by_value))]
impl Family {
    pub(super) fn new(leader: u32, marker: String) -> Self {
        #[cfg(not(target_os = "linux"))]
        let _ = marker;
        Self {
            leader,
            let_go: Mutex::new(false),
            #[cfg(target_os = "linux")]
            kin: kin::Kin::new(leader, &marker),
        }
    }

    /// Looks who is there, so that descendants stay known when their parents go.
    pub(super) fn look(&self) {
        #[cfg(target_os = "linux")]
        self.kin.living();
    }

    /// Those alive besides the leader.
    pub(super) fn left_behind(&self) -> Vec<LeftBehind> {
        #[cfg(target_os = "linux")]
        {
            let others =
                self.kin.living().into_iter().filter(|relative| relative.pid != self.leader);
            others
                .map(|relative| LeftBehind { pid: relative.pid, command: relative.command() })
                .collect()
        }
        #[cfg(not(target_os = "linux"))]
        Vec::new()
    }

    /// Asks all to terminate. The leader must not have been reaped.
    pub(super) fn terminate(&self) {
        #[cfg(target_os = "linux")]
        let strays = self.kin.living();
        #[cfg(unix)]
        self.signal_group(rustix::process::Signal::TERM);
        #[cfg(target_os = "linux")]
        strays
            .iter()
            .filter(|relative| relative.group != self.leader)
            .for_each(|relative| drop(relative.signal(rustix::process::Signal::TERM)));
    }

    /// Kills all, and waits until they are dead, but no longer than to the deadline. Whoever reaps the leader calls
    /// [`Family::let_go`] before; then this does nothing any more.
    pub(super) fn kill(&self, deadline: Deadline) {
        let let_go = self.held();
        if !*let_go {
            self.kill_all(deadline);
        }
    }

    /// From now on the leader may be reaped, so its process id is not used again.
    pub(super) fn let_go(&self) {
        *self.held() = true;
    }

    fn held(&self) -> MutexGuard<'_, bool> {
        self.let_go.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(target_os = "linux")]
    fn kill_all(&self, deadline: Deadline) {
        loop {
            let living = self.kin.living();
            self.signal_group(rustix::process::Signal::KILL);
            if living.is_empty() {
                return;
            }
            // Opened before waiting for any, so that all of them die at the same time.
            let dying: Vec<_> = living
                .iter()
                .filter_map(|relative| relative.signal(rustix::process::Signal::KILL))
                .collect();
            let all_dead = dying.iter().all(|handle| kin::await_death(handle, deadline));
            // Without handles (an old kernel) nothing can be awaited, and looking again would only spin.
            if !all_dead || dying.is_empty() || deadline.has_passed() {
                return;
            }
        }
    }

    /// Kills the group.
    #[cfg(all(unix, not(target_os = "linux")))]
    fn kill_all(&self, _: Deadline) {
        self.signal_group(rustix::process::Signal::KILL);
    }

    /// Kills the process tree by the system's own tool.
    #[cfg(not(unix))]
    fn kill_all(&self, _: Deadline) {
        let mut tool = std::process::Command::new("taskkill");
        tool.args(["/T", "/F", "/PID", &self.leader.to_string()]);
        tool.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null());
        let _ = tool.stderr(std::process::Stdio::null()).status();
    }

    #[cfg(unix)]
    fn signal_group(&self, signal: rustix::process::Signal) {
        let leader = i32::try_from(self.leader).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(leader) = leader {
            // It fails when all are dead already, which is what is wanted.
            let _ = rustix::process::kill_process_group(leader, signal);
        }
    }
}
