//! The exit codes, the same in all profiles.

use std::process;

/// The exit code of a run.
///
/// It is never [`ExitCode::Passed`] where the official suite exits with 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ExitCode {
    /// 0: nothing unexpected failed.
    Passed,
    /// 1: a verdict against the peer, or a stale baseline.
    Failed,
    /// 2: invalid usage.
    Usage,
    /// 3: the run was not possible, or mcp-test is at fault.
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
