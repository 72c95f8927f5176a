//! The part of a scenario that its body uses while it runs.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use super::{CheckSpec, Official, Shared, TestedSide};
use crate::spec::Revision;

/// What a scenario declares: the checks that it may make, and whether it is an official one.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct Declared {
    /// The id of the scenario.
    pub id: Cow<'static, str>,
    /// Which side is under test.
    pub tested_side: TestedSide,
    /// How the official suite runs it; `None` for our own.
    pub official: Option<Official>,
    /// The checks that it may make.
    pub checks: Shared<[CheckSpec]>,
    /// The places of the checks of each id; contract files declare thousands of checks.
    pub(super) places: OnceLock<HashMap<Cow<'static, str>, Vec<usize>>>,
}

impl Declared {
    /// The checks that can be made at `revision`.
    pub(super) fn checks_at(&self, revision: Revision) -> impl Iterator<Item = &CheckSpec> {
        self.checks.iter().filter(move |check| check.revisions.contains(revision))
    }

    /// The check of this id that can be made at `revision`.
    pub(super) fn check_at(&self, id: &str, revision: Revision) -> Option<&CheckSpec> {
        let places = self.places.get_or_init(|| {
            let mut places: HashMap<_, Vec<usize>> = HashMap::new();
            for (place, check) in self.checks.iter().enumerate() {
                places.entry(check.id.clone()).or_default().push(place);
            }
            places
        });
        let mut checks = places.get(id)?.iter().map(|place| &self.checks[*place]);
        checks.find(|check| check.revisions.contains(revision))
    }
}
