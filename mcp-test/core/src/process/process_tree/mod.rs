//! Finds and ends all descendants of a child.
//!
//! They are found by their process group, by an inherited environment variable, as children of known descendants, and as
//! children of the guardian, if there is one. Without a guardian, a descendant that leaves the group *and* clears its
//! environment *and* outlives its parent before the tree is listed is not found. Only Linux can list them; elsewhere the
//! process group stands for the tree.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[cfg(all(target_os = "linux", feature = "suite"))]
use super::control_group::ControlGroup;
use crate::clock::Deadline;

#[cfg(target_os = "linux")]
mod descendants;
#[cfg(target_os = "linux")]
pub(super) use descendants::await_death;
#[cfg(all(target_os = "linux", feature = "suite"))]
pub(super) use descendants::dead_children;

/// How long to wait for a killed process to die; only one that is stuck in the kernel takes longer.
pub(super) const DEATH: Duration = Duration::from_secs(2);

static STARTED: AtomicU64 = AtomicU64::new(0);

/// The name of an environment variable that marks the descendants of one child.
///
/// Each child has its own variable, not a value of a common one: if a descendant uses mcp-test itself, its children would
/// overwrite that value.
pub(super) fn marker() -> String {
    let number = STARTED.fetch_add(1, Ordering::Relaxed);
    format!("MCP_TEST_CHILD_{}_{number}", std::process::id())
}

/// A descendant that is still running.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftoverProcess {
    /// Its process id.
    pub pid: u32,
    /// Its command line, or its name if there is none.
    pub command: String,
}

#[derive(Debug)]
pub(super) struct ProcessTree {
    leader: u32,
    /// Whether the leader's process id may belong to another process by now.
    released: Mutex<bool>,
    #[cfg(target_os = "linux")]
    descendants: descendants::Descendants,
    /// The control group of all, if there is one.
    #[cfg(all(target_os = "linux", feature = "suite"))]
    group: Option<ControlGroup>,
}

#[cfg_attr(target_os = "linux", expect(clippy::needless_pass_by_value))]
impl ProcessTree {
    /// The tree of a child, and of its guardian, which is not part of it.
    pub(super) fn new(leader: u32, marker: String, guardian: Option<u32>) -> Self {
        #[cfg(not(target_os = "linux"))]
        let _ = (marker, guardian);
        Self {
            leader,
            released: Mutex::new(false),
            #[cfg(target_os = "linux")]
            descendants: descendants::Descendants::new(leader, &marker, guardian),
            #[cfg(all(target_os = "linux", feature = "suite"))]
            group: None,
        }
    }

    /// The tree, all of which is in this control group.
    #[cfg(all(target_os = "linux", feature = "suite"))]
    pub(super) fn in_group(self, group: Option<ControlGroup>) -> Self {
        Self { group, ..self }
    }

    /// Lists the descendants, so that they stay known when their parents exit.
    pub(super) fn refresh(&self) {
        #[cfg(target_os = "linux")]
        self.descendants.living();
    }

    /// The living descendants without the leader.
    pub(super) fn leftovers(&self) -> Vec<LeftoverProcess> {
        #[cfg(target_os = "linux")]
        {
            let others = self.descendants.living().into_iter().filter(|one| one.pid != self.leader);
            let mut leftovers: Vec<_> = others
                .map(|one| LeftoverProcess { pid: one.pid, command: one.command() })
                .collect();
            if let (true, Some(pid)) = (leftovers.is_empty(), self.descendants.respawning()) {
                let command = "a process that forks and exits without pause".to_owned();
                leftovers.push(LeftoverProcess { pid, command });
            }
            leftovers
        }
        #[cfg(not(target_os = "linux"))]
        Vec::new()
    }

    /// Whether these leftovers show that none is left that could start another one.
    pub(super) fn is_over(leftovers: &[LeftoverProcess]) -> bool {
        // Elsewhere they cannot be listed.
        cfg!(target_os = "linux") && leftovers.is_empty()
    }

    /// Asks all to terminate. The leader must not have been reaped.
    pub(super) fn terminate(&self) {
        #[cfg(target_os = "linux")]
        let strays = self.descendants.living();
        #[cfg(unix)]
        self.signal_group(rustix::process::Signal::TERM);
        #[cfg(target_os = "linux")]
        strays
            .iter()
            .filter(|descendant| descendant.group != self.leader)
            .for_each(|descendant| drop(descendant.signal(rustix::process::Signal::TERM)));
    }

    /// Kills all, and waits until they are dead or the deadline passes. Does nothing after [`ProcessTree::release`].
    pub(super) fn kill(&self, deadline: Deadline) {
        // The lock is held while killing, so that the leader is not reaped between the check and the signal.
        let released = self.lock();
        if !*released {
            self.kill_all(deadline);
        }
    }

    /// Must be called before the leader is reaped: from then on its process id is not signalled any more.
    pub(super) fn release(&self) {
        *self.lock() = true;
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.released.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(target_os = "linux")]
    fn kill_all(&self, deadline: Deadline) {
        #[cfg(feature = "suite")]
        if let Some(group) = &self.group {
            group.kill(deadline);
        }
        // A descendant may fork while it is being killed, so this repeats until none is left.
        while !self.kill_found(deadline) && !deadline.has_passed() {}
    }

    /// Kills all that are found, and waits for their death; returns whether to repeat it would be useless.
    #[cfg(target_os = "linux")]
    fn kill_found(&self, deadline: Deadline) -> bool {
        let kill = rustix::process::Signal::KILL;
        if let Some(dying) = self.descendants.kill_below_guardian() {
            self.signal_group(kill);
            let all_dead = dying.iter().all(|handle| await_death(handle, deadline));
            return !all_dead || self.descendants.is_over().unwrap_or(false);
        }
        // The group is signalled even if nothing is listed: `/proc` may be unreadable.
        let living = self.descendants.living();
        self.signal_group(kill);
        // All are signalled before waiting for any, so that they die concurrently.
        let dying: Vec<_> =
            living.iter().filter_map(|descendant| descendant.signal(kill)).collect();
        let all_dead = dying.iter().all(|handle| await_death(handle, deadline));
        // Without handles (before Linux 5.3) there is nothing to wait for, and repeating would only spin.
        living.is_empty() || !all_dead || dying.is_empty()
    }

    /// Kills the group.
    #[cfg(all(unix, not(target_os = "linux")))]
    fn kill_all(&self, _: Deadline) {
        self.signal_group(rustix::process::Signal::KILL);
    }

    /// Kills the process tree with the tool of the system.
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
            // It fails if all are dead already, which is fine.
            let _ = rustix::process::kill_process_group(leader, signal);
        }
    }
}
