//! How a run of a client under test ended, and what it printed.

use std::sync::{Arc, Mutex, PoisonError};

use crate::process::{Exit, LeftoverProcess};

/// How many bytes are kept of each output stream of a client.
const MAX_OUTPUT: usize = 1024 * 1024;

/// How a run of a client ended, and its output.
#[doc(hidden)]
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ClientRun {
    /// How it ended.
    pub end: ClientEnd,
    /// The command line, if it was a program.
    pub command: Option<String>,
    /// How its process exited, if it exited on its own.
    pub exit: Option<Exit>,
    /// What it printed on stdout.
    pub stdout: String,
    /// What it printed on stderr.
    pub stderr: String,
    /// Processes that still ran after its own exit; they have been killed.
    #[doc(hidden)]
    pub leftovers: Vec<LeftoverProcess>,
}

impl ClientRun {
    /// A client that could not be started, for this reason.
    pub(super) fn not_started(why: String) -> Self {
        Self { end: ClientEnd::NotStarted(why), ..Self::default() }
    }
}

/// How a run of a client ended.
#[doc(hidden)]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ClientEnd {
    /// It ended on its own, without an error.
    #[default]
    Succeeded,
    /// It ended on its own, with an error: an exit code, or the error of the future.
    Failed(String),
    /// It was still running when its time was up, and was ended.
    TimedOut,
    /// It could not be started.
    NotStarted(String),
    /// Not known, because it was started manually.
    Unobserved,
}

/// The output of a program on one stream, up to a limit; clones share it.
#[derive(Clone, Default)]
pub(super) struct CapturedOutput(Arc<Mutex<(String, usize)>>);

impl CapturedOutput {
    pub(super) fn sink(&self) -> impl FnMut(String) + Send + 'static {
        let output = self.clone();
        move |line| {
            let mut kept = output.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Counted and not kept beyond the limit: a client that prints without end must not fill the memory.
            if kept.0.len() + line.len() < MAX_OUTPUT {
                kept.0.push_str(&line);
                kept.0.push('\n');
            } else {
                kept.1 += 1;
            }
        }
    }

    pub(super) fn text(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.1 {
            0 => kept.0.clone(),
            lines => format!("{}… and {lines} more lines\n", kept.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captured_output_is_bounded() {
        let output = CapturedOutput::default();
        let mut sink = output.sink();
        sink("x".repeat(MAX_OUTPUT - 10));
        sink("y".repeat(20));
        assert!(output.text().ends_with("x\n… and 1 more lines\n"));
    }
}
