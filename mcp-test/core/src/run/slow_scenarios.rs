//! [`SlowScenarios`]: which scenarios of a run do not end in time.

use std::collections::{BTreeMap, BTreeSet};

use super::Cell;
use crate::spec::Revision;

/// The scenarios of a run that did not end in time.
#[derive(Default)]
pub(super) struct SlowScenarios {
    /// On a shared connection.
    shared: BTreeSet<String>,
    /// On a connection of their own, with the revision.
    own: BTreeMap<String, Revision>,
}

impl SlowScenarios {
    /// Notes that a scenario did not end in its time on a shared connection.
    pub(super) fn add_shared(&mut self, cell: &Cell) {
        // The later runs avoid what made the first one slow.
        if !cell.scenario.later_runs_wait {
            self.shared.insert(cell.scenario.id.to_string());
        }
    }

    /// Whether the scenario did not end in its time on a shared connection, which would only end another one.
    pub(super) fn is_shared(&self, cell: &Cell) -> bool {
        self.shared.contains(&*cell.scenario.id)
    }

    /// Notes that a scenario did not end on a connection of its own.
    pub(super) fn add_own(&mut self, cell: &Cell) {
        if !cell.scenario.later_runs_wait {
            self.own.insert(cell.scenario.id.to_string(), cell.revision);
        }
    }

    /// Another revision at which the scenario did not end on a connection of its own.
    pub(super) fn own_at(&self, cell: &Cell) -> Option<Revision> {
        let at = self.own.get(&*cell.scenario.id).copied();
        at.filter(|revision| *revision != cell.revision)
    }
}
