//! [`SlowScenarios`]: which scenarios of a run do not end in time.

use std::collections::{BTreeMap, BTreeSet};

use super::ScenarioRun;
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
    pub(super) fn add_shared(&mut self, scenario_run: &ScenarioRun) {
        // The later runs avoid what made the first one slow.
        if !scenario_run.scenario.later_runs_wait {
            self.shared.insert(scenario_run.scenario.id.to_string());
        }
    }

    /// Whether the scenario did not end in its time on a shared connection, which would only end another one.
    pub(super) fn is_shared(&self, scenario_run: &ScenarioRun) -> bool {
        self.shared.contains(&*scenario_run.scenario.id)
    }

    /// Notes that a scenario did not end on a connection of its own.
    pub(super) fn add_own(&mut self, scenario_run: &ScenarioRun) {
        if !scenario_run.scenario.later_runs_wait {
            self.own.insert(scenario_run.scenario.id.to_string(), scenario_run.revision);
        }
    }

    /// Another revision at which the scenario did not end on a connection of its own.
    pub(super) fn own_at(&self, scenario_run: &ScenarioRun) -> Option<Revision> {
        let at = self.own.get(&*scenario_run.scenario.id).copied();
        at.filter(|revision| *revision != scenario_run.revision)
    }
}
