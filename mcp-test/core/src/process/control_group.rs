//! A control group (version 2) of a child: the kernel kills all members at once, also those that fork without pause.
//!
//! Not every process may make one. Nothing else depends on it: a group has no limits, and its members see nothing of it.

use std::fs;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::clock::Deadline;

/// The file of a group that lists its members; `0` written to it makes the writer one.
const MEMBERS: &str = "cgroup.procs";

/// A group, which is removed when this is dropped, unless it has members.
#[derive(Debug)]
pub(super) struct ControlGroup {
    folder: PathBuf,
}

impl ControlGroup {
    /// Makes a group below that of this process, where that is allowed and the kernel can kill a group (since Linux 5.14).
    pub(super) fn create(name: &str) -> Option<Self> {
        let group = Self::at(own_folder()?.join(name));
        // One of the same name is left from a process with the same id that was killed together with its guardian.
        let _ = fs::remove_dir(&group.folder);
        fs::create_dir(&group.folder).ok()?;
        group.folder.join("cgroup.kill").exists().then_some(group)
    }

    /// The group of this folder.
    pub(super) fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Moves this process into the group.
    pub(super) fn enter(&self) -> io::Result<()> {
        fs::write(self.folder.join(MEMBERS), "0")
    }

    /// Moves this process back to where the group was made.
    pub(super) fn leave(&self) -> io::Result<()> {
        fs::write(self.folder.with_file_name(MEMBERS), "0")
    }

    /// Kills all members, and waits until none is left or the deadline passes.
    pub(super) fn kill(&self, deadline: Deadline) {
        if fs::write(self.folder.join("cgroup.kill"), "1").is_ok() {
            self.until_empty(deadline);
        }
    }

    fn until_empty(&self, deadline: Deadline) {
        let Ok(mut events) = fs::File::open(self.folder.join("cgroup.events")) else { return };
        loop {
            let mut text = String::new();
            // What is read here is what the next wait compares with.
            let read = events.rewind().and_then(|()| events.read_to_string(&mut text));
            if read.is_err() || !text.contains("populated 1") {
                return;
            }
            let left = deadline.remaining().and_then(|left| Timespec::try_from(left).ok());
            match poll(&mut [PollFd::new(&events, PollFlags::PRI)], left.as_ref()) {
                Ok(0) => return,
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        // Fails if it has members, or was removed by the other process that knows it.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// The folder of the group of this process.
fn own_folder() -> Option<PathBuf> {
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    Some(mount_point(&mounts)?.join(own))
}

/// Where the whole hierarchy of version 2 is mounted, by proc_pid_mountinfo(5).
fn mount_point(mounts: &str) -> Option<PathBuf> {
    mounts.lines().find_map(|mount| {
        let (mount, kind) = mount.split_once(" - ")?;
        let mut fields = mount.split(' ').skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        // A blank in a path is escaped; such a path is not looked for.
        (kind.starts_with("cgroup2 ") && root == "/").then(|| PathBuf::from(point))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mount_point_is_that_of_version_2() {
        let mounts = "30 23 0:26 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n\
            31 23 0:27 /below /inside rw shared:5 - cgroup2 cgroup2 rw\n\
            32 23 0:27 / /sys/fs/cgroup/unified rw,relatime shared:6 master:1 - cgroup2 cgroup2 rw\n";
        assert_eq!(mount_point(mounts), Some(PathBuf::from("/sys/fs/cgroup/unified")));
        assert_eq!(mount_point("23 1 0:21 / /proc rw - proc proc rw"), None);
    }
}
