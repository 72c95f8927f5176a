//! How many checks have each status.

use crate::check::{Check, Status};

/// The counts of one status each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// SUCCESS.
    pub success: usize,
    /// FAILURE.
    pub failure: usize,
    /// WARNING.
    pub warning: usize,
    /// SKIPPED.
    pub skipped: usize,
    /// INFO.
    pub info: usize,
}

impl Counts {
    /// Counts these checks.
    pub fn of<'a>(checks: impl IntoIterator<Item = &'a Check>) -> Self {
        let mut counts = Self::default();
        for check in checks {
            *counts.count_mut(check.status) += 1;
        }
        counts
    }

    /// Adds other counts.
    pub fn add(&mut self, other: Self) {
        self.success += other.success;
        self.failure += other.failure;
        self.warning += other.warning;
        self.skipped += other.skipped;
        self.info += other.info;
    }

    // A match, so that the compiler finds a status that is not counted.
    pub(super) fn count_mut(&mut self, status: Status) -> &mut usize {
        match status {
            Status::Success => &mut self.success,
            Status::Failure => &mut self.failure,
            Status::Warning => &mut self.warning,
            Status::Skipped => &mut self.skipped,
            Status::Info => &mut self.info,
        }
    }
}
