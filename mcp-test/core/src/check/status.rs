//! The five statuses of a check, as the official suite names them.

use std::fmt;

/// The outcome of one check; the names are those of the official conformance suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// Something was observed, or an optional feature is absent; never a verdict.
    Info,
    /// The check does not apply; its message says why.
    Skipped,
    /// The requirement is met.
    Success,
    /// A SHOULD-level requirement is violated.
    Warning,
    /// A requirement is violated, or could not be exercised although it must be.
    Failure,
}

impl Status {
    /// The word in reports and `checks.json`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "INFO",
            Self::Skipped => "SKIPPED",
            Self::Success => "SUCCESS",
            Self::Warning => "WARNING",
            Self::Failure => "FAILURE",
        }
    }

    /// Whether the baseline counts the check as failing: FAILURE or WARNING.
    #[must_use]
    pub const fn is_failing(self) -> bool {
        matches!(self, Self::Warning | Self::Failure)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Status;

    #[test]
    fn severity_orders_the_statuses() {
        let mut all =
            [Status::Failure, Status::Success, Status::Info, Status::Warning, Status::Skipped];
        all.sort();
        assert_eq!(all.map(Status::as_str), ["INFO", "SKIPPED", "SUCCESS", "WARNING", "FAILURE"]);
    }
}
