//! Starts a child, directly or through a guardian.

use std::process::{self, Stdio};

use super::exit::Watched;
use super::pipes::Pipes;
use super::{Command, SpawnError};

/// A child that was just started.
pub(super) struct Started {
    pub(super) id: u32,
    /// The process id of its guardian, if it has one.
    pub(super) guardian: Option<u32>,
    pub(super) pipes: Pipes,
    pub(super) process: Box<dyn Watched>,
}

/// Starts a command as the leader of its own process group.
pub(super) fn start(command: &Command, marker: &str) -> Result<Started, SpawnError> {
    #[cfg(all(target_os = "linux", feature = "suite"))]
    if let Some(guarded) = super::guardian::spawn(command, marker) {
        let (guarded, id, pipes) = guarded.map_err(|source| command.diagnose(source))?;
        let guardian = Some(guarded.guardian());
        return Ok(Started { id, guardian, pipes, process: Box::new(guarded) });
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
    Ok(Started { id: child.id(), guardian: None, pipes, process: Box::new(child) })
}
