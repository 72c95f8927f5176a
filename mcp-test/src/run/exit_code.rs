//! The exit codes, the same in all profiles.

use std::process;

/// How a run ends for the shell.
///
/// Where the official suite ends with 1, this is never [`ExitCode::Passed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ExitCode {
    /// 0: nothing unexpected failed.
    Passed,
    /// 1: a verdict against the peer, or a stale baseline.
    Failed,
    /// 2: wrong usage.
    Usage,
    /// 3: the run could not take place, or mcp-test is at fault.
    NotRun,
}

impl ExitCode {
    /// The number.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Passed => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::NotRun => 3,
        }
    }
}

impl From<ExitCode> for process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.number())
    }
}
