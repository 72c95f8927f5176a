//! [`Starts`]: how often the program of a run may still be started.
//!
//! A program that takes long to start takes even longer while it is started many times. A scenario that cannot share a
//! connection has its own start in any case; it takes one of those that others have because the program has exited.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::Plan;
use crate::spec::Revision;
use crate::transport::{Target, TransportKind};

/// Which runs can use a connection.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// Its transport.
    pub transport: TransportKind,
    /// The revision that is spoken on it.
    pub revision: Revision,
    /// Whether runs confirm there what they have shown on another one.
    pub confirms: bool,
}

impl Key {
    /// That of a connection on which scenarios run for the first time.
    #[must_use]
    pub const fn shared(transport: TransportKind, revision: Revision) -> Self {
        Self { transport, revision, confirms: false }
    }
}

/// How many connections are begun for each revision after that of the pre-flight.
const MOST_OF_REVISION: usize = 2;

/// How many more are begun in a run to confirm what was shown on shared ones.
const MOST_CONFIRMING: usize = 2;

/// How many more starts a run has, because the program has exited or did not answer in time.
const MOST_REPLACEMENTS: usize = 20;

/// For how many of the scenarios that cannot share a connection a start is kept for a second one.
const SECOND_CONNECTIONS: usize = 4;

/// The starts of the program of a run; clones share what they count.
#[derive(Clone)]
pub(super) struct Starts {
    target: Target,
    /// The number of starts of the program after which none is replaced.
    limit: usize,
    budget: Arc<Mutex<StartBudget>>,
}

impl Starts {
    pub(super) fn new(plan: &Plan, target: &Target) -> Self {
        let revisions: BTreeSet<Revision> =
            plan.scenario_runs.iter().map(|scenario_run| scenario_run.revision).collect();
        let most = (1 + MOST_OF_REVISION) * revisions.len() + MOST_CONFIRMING + MOST_REPLACEMENTS;
        Self {
            target: target.clone(),
            limit: target.program_starts() + most,
            budget: Arc::default(),
        }
    }

    /// Calls `with` with what was counted so far.
    pub(super) fn with<T>(&self, with: impl FnOnce(&mut StartBudget) -> T) -> T {
        let mut budget = self.budget.lock().unwrap_or_else(PoisonError::into_inner);
        let needed = budget.needed + budget.needed.min(SECOND_CONNECTIONS);
        budget.is_used_up = self.target.program_starts() + needed >= self.limit;
        with(&mut budget)
    }
}

/// The starts that were counted.
#[derive(Default)]
pub(super) struct StartBudget {
    begun: BTreeMap<(TransportKind, Revision), usize>,
    /// How many connections that confirmed something have ended because of what the program did.
    pub(super) lost: usize,
    confirming: usize,
    /// How often the program was started because it had exited or did not answer in time.
    pub(super) replacements: usize,
    /// How many scenarios still need a start of their own.
    pub(super) needed: usize,
    /// Whether all starts of the run are made or needed.
    is_used_up: bool,
}

impl StartBudget {
    /// Whether a connection may be begun while another one for the same is in use.
    pub(super) fn allows_another(&self, key: Key) -> bool {
        let begun = self.begun.get(&(key.transport, key.revision));
        let has_start = begun.is_none_or(|begun| *begun < MOST_OF_REVISION);
        !key.confirms && has_start && !self.is_used_up
    }

    /// Whether a connection may be begun; counts it. Without another one for the same, those before have ended because of what
    /// the program did.
    pub(super) fn count(&mut self, key: Key, is_other_used: bool) -> bool {
        if key.confirms {
            return !is_other_used && self.count_confirming(key);
        }
        let is_spare = is_other_used && self.is_used_up;
        // Without a connection no scenario of the revision could run, so that this start is not kept for others.
        !is_spare && (self.count_of_revision(key) || !is_other_used && self.count_of_run())
    }

    /// Whether a connection may be begun to confirm something; counts it.
    pub(super) fn count_confirming(&mut self, key: Key) -> bool {
        if count(&mut self.confirming, MOST_CONFIRMING) || self.count_of_revision(key) {
            return true;
        }
        let is_replacement = self.lost > 0 && self.count_replacement();
        self.lost -= usize::from(is_replacement);
        is_replacement
    }

    fn count_of_revision(&mut self, key: Key) -> bool {
        count(self.begun.entry((key.transport, key.revision)).or_default(), MOST_OF_REVISION)
    }

    /// Whether the program may be started because it has exited or did not answer in time; counts it.
    pub(super) fn count_replacement(&mut self) -> bool {
        !self.is_used_up && self.count_of_run()
    }

    /// Why it may not.
    pub(super) fn why_no_replacement(&self) -> String {
        match self.replacements {
            MOST_REPLACEMENTS => {
                format!("is not started again after {MOST_REPLACEMENTS} such starts")
            }
            _ => "all remaining starts are reserved for other scenarios".to_owned(),
        }
    }

    /// The same, even if all other starts are made or needed.
    fn count_of_run(&mut self) -> bool {
        count(&mut self.replacements, MOST_REPLACEMENTS)
    }
}

fn count(counted: &mut usize, most: usize) -> bool {
    let is_allowed = *counted < most;
    *counted += usize::from(is_allowed);
    is_allowed
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Key = Key::shared(TransportKind::Stdio, Revision::V2025_11_25);
    const OTHER: Key = Key::shared(TransportKind::Stdio, Revision::V2025_06_18);

    fn confirming(key: Key) -> Key {
        Key { confirms: true, ..key }
    }

    #[test]
    fn each_revision_has_its_connections_and_then_those_that_replace_them() {
        let mut budget = StartBudget::default();
        for key in [KEY, OTHER] {
            for _ in 0..MOST_OF_REVISION {
                assert!(budget.count(key, true));
            }
            assert!(!budget.count(key, true));
        }
        for _ in 0..MOST_REPLACEMENTS {
            assert!(budget.count(KEY, false));
        }
        assert!(!budget.count(OTHER, false));
    }

    #[test]
    fn nothing_is_replaced_or_begun_beside_another_one_once_all_starts_are_used_up() {
        let mut budget = StartBudget::default();
        assert!(budget.count_replacement() && budget.allows_another(KEY));
        budget.is_used_up = true;
        assert!(!budget.count_replacement() && !budget.allows_another(KEY));
        assert!(!budget.count(KEY, true));
        // A revision without a connection gets one, as long as the run replaces programs at all.
        let begun = std::iter::repeat_with(|| budget.count(KEY, false)).take_while(|it| *it);
        assert_eq!(begun.count(), MOST_OF_REVISION + MOST_REPLACEMENTS - 1);
    }

    #[test]
    fn a_connection_that_confirmed_and_has_ended_is_replaced() {
        let mut budget = StartBudget::default();
        while budget.count_confirming(KEY) {}
        budget.lost += 1;
        assert!(budget.count_confirming(KEY));
        assert!(!budget.count_confirming(KEY));
        assert_eq!(budget.replacements, 1);
    }

    #[test]
    fn what_confirms_is_counted_for_the_whole_run_and_then_for_the_revision() {
        let mut budget = StartBudget::default();
        assert!(!budget.count(confirming(KEY), true));
        for _ in 0..MOST_CONFIRMING {
            assert!(budget.count(confirming(OTHER), false));
        }
        for _ in 0..MOST_OF_REVISION {
            assert!(budget.count_confirming(KEY));
        }
        assert!(!budget.count_confirming(KEY));
        assert!(!budget.allows_another(KEY));
        assert!(budget.count(OTHER, true));
    }
}
