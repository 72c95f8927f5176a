//! Finding relatives in `/proc`, and signalling them without hitting a stranger who got a process id anew.

use std::collections::HashSet;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, PoisonError};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::clock::Deadline;

/// What identifies a family, and who was seen to belong to it.
#[derive(Debug)]
pub(super) struct Kin {
    leader: u32,
    marker: Vec<u8>,
    known: Mutex<HashSet<Identity>>,
}

/// A process id with the time of its start: unique while the machine runs.
type Identity = (u32, u64);

#[derive(Debug, Clone, Copy)]
pub(super) struct Relative {
    pub(super) pid: u32,
    pub(super) group: u32,
    parent: u32,
    started: u64,
}

impl Kin {
    pub(super) fn new(leader: u32, marker: &str) -> Self {
        let marker = format!("{marker}=").into_bytes();
        Self { leader, marker, known: Mutex::default() }
    }

    /// All members of the family that are alive, the leader too.
    pub(super) fn living(&self) -> Vec<Relative> {
        let everyone = everyone();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut family = HashSet::new();
        for one in &everyone {
            if one.group == self.leader || known.contains(&one.identity()) || self.marks(one.pid) {
                family.insert(one.pid);
            }
        }
        loop {
            let before = family.len();
            let children =
                everyone.iter().filter(|one| family.contains(&one.parent)).map(|one| one.pid);
            let children: Vec<_> = children.collect();
            family.extend(children);
            if family.len() == before {
                break;
            }
        }
        let living: Vec<_> = everyone.into_iter().filter(|one| family.contains(&one.pid)).collect();
        *known = living.iter().map(Relative::identity).collect();
        living
    }

    fn marks(&self, pid: u32) -> bool {
        // Unreadable when it belongs to another user; then it is not ours to kill either.
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable.starts_with(&self.marker))
    }
}

impl Relative {
    fn identity(&self) -> Identity {
        (self.pid, self.started)
    }

    pub(super) fn command(&self) -> String {
        let told = |file: &str| std::fs::read(format!("/proc/{}/{file}", self.pid));
        // While a process becomes another program it has no command line, only a name.
        let words = told("cmdline").ok().filter(|words| !words.is_empty());
        let words = words.or_else(|| told("comm").ok()).unwrap_or_default();
        String::from_utf8_lossy(&words).trim_end_matches(['\0', '\n']).replace('\0', " ")
    }

    /// Signals this very process; the handle to it, unless it is gone or the kernel has no such handles.
    pub(super) fn signal(&self, signal: Signal) -> Option<OwnedFd> {
        let pid = Pid::from_raw(i32::try_from(self.pid).ok()?)?;
        let handle = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(handle) => handle,
            Err(rustix::io::Errno::NOSYS) => {
                let _ = rustix::process::kill_process(pid, signal);
                return None;
            }
            Err(_) => return None,
        };
        // Between the look into /proc and the handle the id may have gone to someone else; now it no longer can.
        stat(self.pid).filter(|now| now.identity() == self.identity())?;
        pidfd_send_signal(&handle, signal).ok()?;
        Some(handle)
    }
}

/// Waits until the process is dead; false if the deadline passed first.
pub(super) fn await_death(handle: &OwnedFd, deadline: Deadline) -> bool {
    loop {
        let left = deadline.remaining().and_then(|left| Timespec::try_from(left).ok());
        match poll(&mut [PollFd::new(handle, PollFlags::IN)], left.as_ref()) {
            Ok(count) => return count > 0,
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

fn everyone() -> Vec<Relative> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| *pid != std::process::id()).filter_map(stat).collect()
}

/// Reads `/proc/<pid>/stat`; `None` if the process is gone or dead.
fn stat(pid: u32) -> Option<Relative> {
    let line = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The second field, the name in parentheses, may contain anything, parentheses too.
    let after_name = line.iter().rposition(|byte| *byte == b')')? + 1;
    let fields = std::str::from_utf8(&line[after_name..]).ok()?;
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let started = fields.nth(16)?.parse().ok()?;
    let alive = !matches!(state, "Z" | "X" | "x");
    alive.then_some(Relative { pid, group, parent, started })
}
