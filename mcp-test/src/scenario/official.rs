//! How the official suite runs a scenario.

use super::Suite;
use crate::spec::{Era, Revision, Revisions};

/// How the official suite runs the scenario of the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Official {
    /// The revisions at which the official suite runs it; it may apply at more. None for a scenario of an extension.
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

    /// A scenario of the pending suite, for an extension. Extensions belong to no revision, so that the official suite runs
    /// such a scenario only if no revision is asked for.
    #[must_use]
    pub const fn extension() -> Self {
        Self { revisions: Revisions::none(), suites: &[Suite::Pending] }
    }

    /// Whether it is a scenario of an extension.
    #[must_use]
    pub fn is_extension(&self) -> bool {
        self.revisions.is_empty()
    }

    /// Whether the official suite runs it at `revision`.
    #[must_use]
    pub fn runs_at(&self, revision: Revision) -> bool {
        self.revisions.contains(revision)
            || (self.is_extension() && revision == self.default_revision())
    }

    /// The revision that the official suite uses by default.
    #[must_use]
    pub fn default_revision(&self) -> Revision {
        // Without `--spec-version` it runs at 2026-07-28 only what that revision has introduced, and extensions.
        if self.revisions.iter().all(|revision| revision.era() == Era::Stateless) {
            Revision::NEWEST
        } else {
            Revision::NEWEST_HANDSHAKE
        }
    }
}
