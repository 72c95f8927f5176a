//! [`FailingTools`]: which tools of a server fail with the arguments that are known for them, on all connections of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::spec::Revision;

/// The tools that were called with the arguments that the user or their schema states; clones share what they know.
///
/// A tool may fail because it lacks a credential or a network, and each call may cost money or count against a limit.
#[derive(Debug, Clone, Default)]
pub(crate) struct FailingTools(Arc<Mutex<BTreeMap<String, Called>>>);

/// What came of the calls of a tool.
#[derive(Debug)]
enum Called {
    /// One has succeeded.
    Succeeded,
    /// All have failed, in these scenarios.
    Failed(BTreeSet<(String, Revision)>),
}

impl FailingTools {
    /// Notes a call that a scenario has made.
    pub(crate) fn note(&self, name: &str, scenario: &str, revision: Revision, is_success: bool) {
        let mut tools = self.tools();
        let called =
            tools.entry(name.to_owned()).or_insert_with(|| Called::Failed(BTreeSet::new()));
        match called {
            _ if is_success => *called = Called::Succeeded,
            Called::Failed(scenarios) => drop(scenarios.insert((scenario.to_owned(), revision))),
            Called::Succeeded => {}
        }
    }

    /// Whether a tool has failed, and never succeeded.
    pub(crate) fn contains(&self, name: &str) -> bool {
        matches!(self.tools().get(name), Some(Called::Failed(_)))
    }

    /// Whether a tool has failed in this scenario at another revision, and never succeeded.
    pub(crate) fn has_failed_before(&self, name: &str, scenario: &str, revision: Revision) -> bool {
        let is_before = |(other, at): &(String, Revision)| other == scenario && *at != revision;
        let tools = self.tools();
        matches!(tools.get(name), Some(Called::Failed(scenarios)) if scenarios.iter().any(is_before))
    }

    fn tools(&self) -> MutexGuard<'_, BTreeMap<String, Called>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLDER: Revision = Revision::V2025_06_18;
    const NEWER: Revision = Revision::V2025_11_25;

    #[test]
    fn a_tool_fails_until_one_call_has_succeeded() {
        let failing = FailingTools::default();
        assert!(!failing.contains("search"));
        failing.clone().note("search", "results", OLDER, false);
        assert!(failing.contains("search"));
        failing.note("search", "allowed", OLDER, true);
        failing.note("search", "results", NEWER, false);
        assert!(!failing.contains("search"));
        assert!(!failing.has_failed_before("search", "results", NEWER));
    }

    #[test]
    fn a_scenario_that_is_repeated_at_a_revision_calls_the_tool_again() {
        let failing = FailingTools::default();
        failing.note("search", "results", OLDER, false);
        assert!(!failing.has_failed_before("search", "results", OLDER));
        assert!(failing.has_failed_before("search", "results", NEWER));
        assert!(!failing.has_failed_before("search", "allowed", NEWER));
    }
}
