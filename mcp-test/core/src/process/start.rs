//! Starts a child, directly or through a guardian.

use std::process::{self, Stdio};

use super::exit::Watched;
use super::pipes::Pipes;
use super::process_tree::ProcessTree;
use super::{Command, SpawnError};

/// A child that was just started.
pub(super) struct Started {
    pub(super) id: u32,
    pub(super) tree: ProcessTree,
    pub(super) pipes: Pipes,
    pub(super) process: Box<dyn Watched>,
}

/// Starts a command as the leader of its own process group.
pub(super) fn start(command: &Command, marker: &str) -> Result<Started, SpawnError> {
    #[cfg(all(target_os = "linux", feature = "suite"))]
    if let Some(guarded) = super::guardian::spawn(command, marker) {
        let (mut guarded, id, pipes) = guarded.map_err(|source| command.diagnose(source))?;
        let tree = ProcessTree::new(id, marker.to_owned(), Some(guarded.guardian()));
        let tree = tree.in_group(guarded.take_group());
        return Ok(Started { id, tree, pipes, process: Box::new(guarded) });
    }
    let mut prepared = process::Command::new(&command.program);
    prepared.args(&command.args);
    command.set_environment(&mut prepared, marker);
    prepared.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // One signal then reaches all descendants that stay in the group, but not us.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut prepared, 0);
    let mut child = prepared.spawn().map_err(|source| command.diagnose(source))?;
    // The pipes are taken first: the watcher moves the child into its thread.
    let pipes = Pipes {
        stdin: child.stdin.take(),
        stdout: child.stdout.take(),
        stderr: child.stderr.take(),
    };
    let tree = ProcessTree::new(child.id(), marker.to_owned(), None);
    Ok(Started { id: child.id(), tree, pipes, process: Box::new(child) })
}
