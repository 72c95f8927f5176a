//! Finds descendants in `/proc`, and signals them without hitting an unrelated process that reuses an id.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::clock::Deadline;

/// How long a process may take to replace its program before it is listed by its name alone.
const EXEC: Duration = Duration::from_millis(100);

/// What identifies a process tree, and its known members.
#[derive(Debug)]
pub(super) struct Descendants {
    leader: u32,
    /// All its children are descendants: those that it started, and the orphans that it has adopted.
    guardian: Option<u32>,
    marker: Vec<u8>,
    /// When the leader was started: no descendant is older. 0 if it was gone already.
    since: u64,
    known: Mutex<HashSet<Identity>>,
}

/// A process id with its start time: unique until the next boot.
type Identity = (u32, u64);

#[derive(Debug, Clone, Copy)]
pub(super) struct Descendant {
    pub(super) pid: u32,
    pub(super) group: u32,
    parent: u32,
    started: u64,
}

impl Descendants {
    pub(super) fn new(leader: u32, marker: &str, guardian: Option<u32>) -> Self {
        let marker = format!("{marker}=").into_bytes();
        let since = stat(leader).map_or(0, |leader| leader.started);
        Self { leader, guardian, marker, since, known: Mutex::default() }
    }

    /// All living members of the tree, including the leader.
    pub(super) fn living(&self) -> Vec<Descendant> {
        // In this order: what a leader leaves behind when it dies meanwhile is adopted.
        let leader = stat(self.leader);
        if leader.is_none_or(|leader| has_no_children(leader.pid)) && self.guardian_has_no_other() {
            return leader.into_iter().collect();
        }
        let mut all = all_processes();
        all.retain(|one| Some(one.pid) != self.guardian);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tree = HashSet::new();
        for one in &all {
            if one.group == self.leader
                || Some(one.parent) == self.guardian
                || known.contains(&one.identity())
                // To read the environment of every process of the machine takes most of the time of a listing.
                || one.started >= self.since && self.is_marked(one.pid)
            {
                tree.insert(one.pid);
            }
        }
        // `/proc` is in the order of ids, which are reused: a parent may come after its child.
        loop {
            let before = tree.len();
            let children = all.iter().filter(|one| tree.contains(&one.parent)).map(|one| one.pid);
            let children: Vec<_> = children.collect();
            tree.extend(children);
            if tree.len() == before {
                break;
            }
        }
        let living: Vec<_> = all.into_iter().filter(|one| tree.contains(&one.pid)).collect();
        *known = living.iter().map(Descendant::identity).collect();
        living
    }

    /// Whether it is certain that the guardian, which adopts those whose parents have died, has no child but the leader.
    fn guardian_has_no_other(&self) -> bool {
        let children = self.guardian.and_then(children_of);
        children.is_some_and(|children| children.iter().all(|child| *child == self.leader))
    }

    /// Kills all that is below the guardian, by lists that are read within microseconds: a process that forks and exits without pause
    /// is gone before all processes of the machine are listed. Returns handles to them; `None` without a guardian.
    pub(super) fn kill_below_guardian(&self) -> Option<Vec<OwnedFd>> {
        let guardian = self.guardian?;
        // Fails before Linux 5.3, where a signal could reach another process that has the same id by now.
        pidfd_open(pid_of(guardian)?, PidfdFlags::empty()).ok()?;
        let mut handles = Vec::new();
        let mut parents = vec![guardian];
        let mut next = 0;
        while let Some(parent) = parents.get(next).copied() {
            next += 1;
            let children = match parent == guardian {
                true => adopted_by(guardian)?,
                false => children_of(parent).unwrap_or_default(),
            };
            // The newest first: it is the one that lives longest.
            for child in children.into_iter().rev() {
                handles.extend(kill_child(child, &parents));
                parents.push(child);
            }
        }
        Some(handles)
    }

    /// Whether it is certain that no process is left below the guardian; `None` without one.
    pub(super) fn is_over(&self) -> Option<bool> {
        let before = adopted_by(self.guardian?)?;
        if !before.iter().all(|child| is_zombie(*child)) {
            return Some(false);
        }
        // What these have left behind had been adopted when they were found dead.
        let after = adopted_by(self.guardian?)?;
        let none_is_new = after.iter().all(|child| before.contains(child));
        // Others may be missing in a list if one of it is reaped while it is read.
        Some(none_is_new && after.iter().all(|child| is_zombie(*child)))
    }

    /// The process that was adopted last, if such processes start one another without pause, so that none is found alive.
    pub(super) fn respawning(&self) -> Option<u32> {
        /// One that just exits is not found so many times.
        const TIMES: usize = 100;
        let is_over = |_| self.is_over().unwrap_or(true);
        if (0..TIMES).any(is_over) {
            return None;
        }
        let adopted = adopted_by(self.guardian?)?;
        adopted.into_iter().rfind(|child| *child != self.leader)
    }

    fn is_marked(&self, pid: u32) -> bool {
        // Unreadable if it belongs to another user; then we may not kill it either.
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable.starts_with(&self.marker))
    }
}

impl Descendant {
    fn identity(&self) -> Identity {
        (self.pid, self.started)
    }

    pub(super) fn command(&self) -> String {
        let read = |file: &str| std::fs::read(format!("/proc/{}/{file}", self.pid)).ok();
        let command_line = || read("cmdline").filter(|words| !words.is_empty());
        let words = command_line().or_else(|| {
            // During `exec` a process has no command line, only a name.
            let handle = pidfd_open(pid_of(self.pid)?, PidfdFlags::empty()).ok()?;
            let exec = Deadline::after(EXEC);
            loop {
                let moment = Deadline::after(Duration::from_millis(1)).min(exec);
                let is_dead = await_death(&handle, moment);
                let words = command_line();
                if is_dead || words.is_some() || exec.has_passed() {
                    return words;
                }
            }
        });
        let words = words.or_else(|| read("comm")).unwrap_or_default();
        String::from_utf8_lossy(&words).trim_end_matches(['\0', '\n']).replace('\0', " ")
    }

    /// Signals exactly this process; returns a handle to it, unless it is gone or the kernel has no such handles.
    pub(super) fn signal(&self, signal: Signal) -> Option<OwnedFd> {
        let pid = pid_of(self.pid)?;
        let handle = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(handle) => handle,
            Err(rustix::io::Errno::NOSYS) => {
                let _ = rustix::process::kill_process(pid, signal);
                return None;
            }
            Err(_) => return None,
        };
        // The id may have been reused between reading /proc and opening the handle. The handle pins it, so check again now.
        stat(self.pid).filter(|now| now.identity() == self.identity())?;
        pidfd_send_signal(&handle, signal).ok()?;
        Some(handle)
    }
}

/// Kills a process if it is a child of one of these; returns a handle to it.
fn kill_child(pid: u32, parents: &[u32]) -> Option<OwnedFd> {
    let handle = pidfd_open(pid_of(pid)?, PidfdFlags::empty()).ok()?;
    // The id may have been reused before the handle was opened, which pins it.
    stat(pid).filter(|child| parents.contains(&child.parent))?;
    pidfd_send_signal(&handle, Signal::KILL).ok()?;
    Some(handle)
}

/// Whether a process has no children, or is gone.
fn has_no_children(pid: u32) -> bool {
    children_of(pid).is_none_or(|children| children.is_empty())
}

/// The children of a process; `None` if it is gone, or the kernel does not list them.
///
/// Some may be missing while others die, but never all.
fn children_of(pid: u32) -> Option<Vec<u32>> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let mut children = Vec::new();
    for thread in threads.flatten() {
        let list = std::fs::read_to_string(thread.path().join("children")).ok()?;
        children
            .extend(list.split_ascii_whitespace().filter_map(|child| child.parse::<u32>().ok()));
    }
    Some(children)
}

/// Waits until the process is dead; `false` if the deadline passes first.
pub(in crate::process) fn await_death(handle: &OwnedFd, deadline: Deadline) -> bool {
    loop {
        let left = deadline.remaining().and_then(|left| Timespec::try_from(left).ok());
        match poll(&mut [PollFd::new(handle, PollFlags::IN)], left.as_ref()) {
            Ok(count) => return count > 0,
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

/// The dead children of this process that wait to be reaped.
#[cfg(feature = "suite")]
pub(in crate::process) fn dead_children() -> Vec<Pid> {
    let children = adopted_by(std::process::id()).unwrap_or_default().into_iter();
    children.filter(|child| is_zombie(*child)).filter_map(pid_of).collect()
}

/// The children of a guardian, which adopts orphans in the thread that it started with; `None` if it is gone.
fn adopted_by(guardian: u32) -> Option<Vec<u32>> {
    let list =
        std::fs::read_to_string(format!("/proc/{guardian}/task/{guardian}/children")).ok()?;
    Some(list.split_ascii_whitespace().filter_map(|child| child.parse().ok()).collect())
}

fn is_zombie(pid: u32) -> bool {
    read_stat(pid).is_some_and(|(_, is_alive)| !is_alive)
}

fn pid_of(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}

fn all_processes() -> Vec<Descendant> {
    let own = std::process::id();
    all_ids().filter(|pid| *pid != own).filter_map(stat).collect()
}

fn all_ids() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// A process; `None` if it is gone or dead.
fn stat(pid: u32) -> Option<Descendant> {
    read_stat(pid).filter(|(_, is_alive)| *is_alive).map(|(one, _)| one)
}

/// Reads `/proc/<pid>/stat`; also whether the process is alive.
fn read_stat(pid: u32) -> Option<(Descendant, bool)> {
    // More than the 52 fields ever have. One call reads all, where a reader that does not know the size needs several.
    let mut buffer = [0; 2048];
    let length = File::open(format!("/proc/{pid}/stat")).ok()?.read(&mut buffer).ok()?;
    let line = &buffer[..length];
    // The second field, the name in parentheses, may itself contain parentheses and spaces.
    let after_name = line.iter().rposition(|byte| *byte == b')')? + 1;
    let fields = std::str::from_utf8(&line[after_name..]).ok()?;
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    // Field 22 of proc_pid_stat(5), the start time; the next field here is the sixth.
    let started = fields.nth(16)?.parse().ok()?;
    let is_alive = !matches!(state, "Z" | "X" | "x");
    Some((Descendant { pid, group, parent, started }, is_alive))
}
