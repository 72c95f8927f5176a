//! The standard streams of a child, from our side.

use std::process::{ChildStderr, ChildStdin, ChildStdout};

/// Our ends of the standard streams.
pub(super) struct Pipes {
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: Option<ChildStdout>,
    pub(super) stderr: Option<ChildStderr>,
}
