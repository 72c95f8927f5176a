//! Which checks a scenario declares at the revision at which it runs, for the body of one that tests several revisions.

use super::{Ctx, Judging};

impl Ctx {
    /// Whether the scenario declares the check at its revision.
    #[doc(hidden)]
    #[must_use]
    pub fn makes(&self, id: &str) -> bool {
        let scenario = self.scenario.as_ref();
        scenario.is_some_and(|it| it.check_at(id, self.setup.revision).is_some())
    }
}

impl Judging {
    /// Whether the scenario declares the check at its revision.
    #[doc(hidden)]
    #[must_use]
    pub fn makes(&self, id: &str) -> bool {
        self.test.scenario.check_at(id, self.test.revision).is_some()
    }
}
