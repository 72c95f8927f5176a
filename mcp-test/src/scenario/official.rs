//! How the official suite runs a scenario.

use super::Suite;
use crate::spec::{Era, Revision, Revisions};

/// How the official suite runs the scenario of the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Official {
    /// The revisions at which the official suite runs it; it may apply at more.
    pub revisions: Revisions,
    /// The suites that select it, apart from `all`.
    pub suites: &'static [Suite],
}

impl Official {
    /// A scenario of the active suite.
    #[must_use]
    pub const fn active(revisions: Revisions) -> Self {
        Self { revisions, suites: &[Suite::Active] }
    }

    /// A scenario of the draft suite, for what the newest revision has introduced.
    #[must_use]
    pub const fn draft() -> Self {
        Self { revisions: Revisions::from(Revision::NEWEST), suites: &[Suite::Draft] }
    }

    /// The revision that the official suite uses by default.
    #[must_use]
    pub fn default_revision(&self) -> Revision {
        // Without `--spec-version` it runs at 2026-07-28 only what that revision has introduced.
        if self.revisions.iter().all(|revision| revision.era() == Era::Stateless) {
            Revision::NEWEST
        } else {
            Revision::NEWEST_HANDSHAKE
        }
    }
}
