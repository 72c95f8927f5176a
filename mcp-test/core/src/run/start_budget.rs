//! [`StartBudget`]: how often the program of a run may still be started.
//!
//! A program that takes long to start takes even longer while it is started many times. Each scenario that cannot share a
//! connection has its own start, which is not counted here.

use std::collections::BTreeMap;

use crate::spec::Revision;
use crate::transport::TransportKind;

/// Where a connection can be shared.
pub(super) type Key = (TransportKind, Revision);

/// What the scenarios do that use a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// They run for the first time.
    Testing,
    /// They show whether they repeat what they have shown while testing.
    Confirming,
}

/// How many connections are begun for each revision after that of the pre-flight.
const MOST_OF_REVISION: usize = 2;

/// How many more are begun in a run to confirm what was shown on shared ones.
const MOST_CONFIRMING: usize = 2;

/// How many more starts a run has, because the program has exited or did not answer in time.
pub(super) const MOST_REPLACEMENTS: usize = 20;

/// The starts that were counted.
#[derive(Default)]
pub(super) struct StartBudget {
    begun: BTreeMap<Key, usize>,
    /// How many connections that confirmed something have ended because of what the program did.
    lost: usize,
    confirming: usize,
    replacements: usize,
}

impl StartBudget {
    /// Whether a connection may be begun while another one for the same is in use.
    pub(super) fn allows_another(&self, purpose: Purpose, key: Key) -> bool {
        match purpose {
            Purpose::Testing => self.begun.get(&key).is_none_or(|begun| *begun < MOST_OF_REVISION),
            Purpose::Confirming => false,
        }
    }

    /// Whether a connection may be begun; counts it. Without another one for the same, those before have ended because of what
    /// the program did.
    pub(super) fn count(&mut self, purpose: Purpose, key: Key, is_other_used: bool) -> bool {
        match purpose {
            Purpose::Testing => {
                self.count_of_revision(key) || !is_other_used && self.count_replacement()
            }
            Purpose::Confirming => !is_other_used && self.count_confirming(key),
        }
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

    /// Notes that a connection which confirmed something has ended because of what the program did.
    pub(super) fn add_lost(&mut self) {
        self.lost += 1;
    }

    fn count_of_revision(&mut self, key: Key) -> bool {
        count(self.begun.entry(key).or_default(), MOST_OF_REVISION)
    }

    /// Whether the program may be started because it has exited or did not answer in time; counts it.
    pub(super) fn count_replacement(&mut self) -> bool {
        count(&mut self.replacements, MOST_REPLACEMENTS)
    }

    pub(super) fn replacements(&self) -> usize {
        self.replacements
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

    const KEY: Key = (TransportKind::Stdio, Revision::V2025_11_25);
    const OTHER: Key = (TransportKind::Stdio, Revision::V2025_06_18);

    #[test]
    fn each_revision_has_its_connections_and_then_those_that_replace_them() {
        let mut budget = StartBudget::default();
        for key in [KEY, OTHER] {
            for _ in 0..MOST_OF_REVISION {
                assert!(budget.count(Purpose::Testing, key, true));
            }
            assert!(!budget.count(Purpose::Testing, key, true));
        }
        for _ in 0..MOST_REPLACEMENTS {
            assert!(budget.count(Purpose::Testing, KEY, false));
        }
        assert!(!budget.count(Purpose::Testing, OTHER, false));
    }

    #[test]
    fn a_connection_that_confirmed_and_has_ended_is_replaced() {
        let mut budget = StartBudget::default();
        while budget.count_confirming(KEY) {}
        budget.add_lost();
        assert!(budget.count_confirming(KEY));
        assert!(!budget.count_confirming(KEY));
        assert_eq!(budget.replacements(), 1);
    }

    #[test]
    fn what_confirms_is_counted_for_the_whole_run_and_then_for_the_revision() {
        let mut budget = StartBudget::default();
        assert!(!budget.count(Purpose::Confirming, KEY, true));
        for _ in 0..MOST_CONFIRMING {
            assert!(budget.count(Purpose::Confirming, OTHER, false));
        }
        for _ in 0..MOST_OF_REVISION {
            assert!(budget.count_confirming(KEY));
        }
        assert!(!budget.count_confirming(KEY));
        assert!(!budget.allows_another(Purpose::Testing, KEY));
        assert!(budget.count(Purpose::Testing, OTHER, true));
    }
}
