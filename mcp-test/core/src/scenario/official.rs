//! How the official suite runs a scenario.

use super::{Suite, TestedSide};
use crate::spec::{Era, Revision, Revisions};

/// How the official suite runs the scenario of the same id.
#[doc(hidden)]
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

    /// A scenario of the draft suite, for what 2026-07-28 has introduced.
    #[must_use]
    pub const fn draft() -> Self {
        Self { revisions: Revisions::from(Revision::V2026_07_28), suites: &[Suite::Draft] }
    }

    /// A scenario of the pending suite, for an extension. Extensions belong to no revision, so that the official suite runs
    /// such a scenario only if no revision is asked for.
    #[must_use]
    pub const fn extension() -> Self {
        Self { revisions: Revisions::none(), suites: &[Suite::Pending] }
    }

    /// A scenario for clients of an extension that the official suite has in no suite but `all`.
    #[must_use]
    pub const fn client_extension() -> Self {
        Self { revisions: Revisions::none(), suites: &[] }
    }

    /// A scenario for clients about authorization, of the core suite and of these.
    #[must_use]
    pub const fn client_auth(revisions: Revisions, suites: &'static [Suite]) -> Self {
        Self { revisions, suites }
    }

    /// A scenario for authorization servers, for which there are no suites.
    #[must_use]
    pub const fn authorization(revisions: Revisions) -> Self {
        Self { revisions, suites: &[] }
    }

    /// A scenario for clients about authorization by an extension, of the suite `extensions`.
    #[must_use]
    pub const fn auth_extension() -> Self {
        Self { revisions: Revisions::none(), suites: &[Suite::Extensions] }
    }

    /// Whether it is a scenario of an extension.
    #[must_use]
    pub fn is_extension(&self) -> bool {
        self.revisions.is_empty()
    }

    /// Whether the official suite runs it at `revision`, as a scenario for this side.
    #[must_use]
    pub fn runs_at(&self, revision: Revision, tested_side: TestedSide) -> bool {
        self.revisions.contains(revision)
            || (self.is_extension() && revision == self.default_revision(tested_side))
    }

    /// The revision that the official suite uses by default, in a scenario for this side.
    #[must_use]
    pub fn default_revision(&self, tested_side: TestedSide) -> Revision {
        let is_stateless = |revision: Revision| revision.era() == Era::Stateless;
        let is_newest = match self.is_extension() {
            // An extension is tried with servers at the newest revision, and with clients in the handshake era.
            true => tested_side == TestedSide::Server,
            // Without `--spec-version` it runs at 2026-07-28 only what that revision has introduced.
            false => self.revisions.iter().all(is_stateless),
        };
        if is_newest { Revision::NEWEST } else { Revision::NEWEST_HANDSHAKE }
    }
}
