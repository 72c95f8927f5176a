//! The part of a scenario that its body uses while it runs.

use std::borrow::Cow;

use super::{CheckSpec, Leg, Official, Shared};
use crate::spec::Revision;

/// What a scenario declares: the checks that it may make, and whether it is an official one.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct Declared {
    /// The id of the scenario.
    pub id: Cow<'static, str>,
    /// Which side is under test.
    pub leg: Leg,
    /// How the official suite runs it; `None` for our own.
    pub official: Option<Official>,
    /// The checks that it may make.
    pub checks: Shared<[CheckSpec]>,
}

impl Declared {
    /// The checks that can be made at `revision`.
    pub(super) fn checks_at(&self, revision: Revision) -> impl Iterator<Item = &CheckSpec> {
        self.checks.iter().filter(move |check| check.revisions.contains(revision))
    }
}
