//! The names of scenario runs, in reports and on disk.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mcp_test_core::expect::words;
use mcp_test_core::run::{Outcome, ScenarioRun};
use mcp_test_core::scenario::TestedSide;

/// The names of the scenario runs of a run.
///
/// The only scenario run of a scenario has the id of the scenario, as in the official suite; several scenario runs have a suffix.
#[derive(Debug, Clone, Default)]
pub struct ScenarioRunNames {
    scenario_runs: BTreeMap<(TestedSide, String), usize>,
    /// Whether directories have no stamp.
    without_timestamps: bool,
}

impl ScenarioRunNames {
    /// The names for a run of these scenario runs.
    #[must_use]
    pub fn of(scenario_runs: &[ScenarioRun]) -> Self {
        let mut names = Self::default();
        for scenario_run in scenario_runs {
            *names.scenario_runs.entry(key(scenario_run)).or_default() += 1;
        }
        names
    }

    /// Sets whether the directories have the time in their names, as in the official suite.
    #[must_use]
    pub fn timestamps(mut self, timestamps: bool) -> Self {
        self.without_timestamps = !timestamps;
        self
    }

    /// The number of scenarios.
    #[must_use]
    pub fn scenarios(&self) -> usize {
        self.scenario_runs.len()
    }

    /// The number of scenario runs.
    #[must_use]
    pub fn scenario_runs(&self) -> usize {
        self.scenario_runs.values().sum()
    }

    /// `tools-list`, or `tools-list [2025-11-25 stdio]` if the scenario has other scenario runs.
    #[must_use]
    pub fn label(&self, scenario_run: &ScenarioRun) -> String {
        // The name of a case is its id.
        let id = words::name(&scenario_run.scenario.id);
        if self.is_single(scenario_run) {
            return id;
        }
        format!("{id} [{} {}]", scenario_run.revision, scenario_run.transport)
    }

    /// The directory of the results of a scenario run, relative to the output directory.
    ///
    /// `server-<scenario>-<stamp>`, `<scenario>-<stamp>` for a client, `authorization-server-<scenario>-<stamp>`; the stamp is the start of the scenario run with `-`
    /// for `:` and `.`. If there are other scenario runs of the scenario, `-<revision>-<transport>` follows.
    #[must_use]
    pub fn directory(&self, outcome: &Outcome) -> PathBuf {
        let scenario_run = &outcome.scenario_run;
        let tested_side = match scenario_run.scenario.tested_side {
            TestedSide::Server => "server-",
            TestedSide::Client => "",
            // As the official suite has it.
            TestedSide::Authorization => "authorization-server-",
        };
        let mut name = format!("{tested_side}{}", scenario_run.scenario.id);
        if !self.without_timestamps {
            // Windows does not allow a colon in a file name.
            name.push_str(&format!("-{}", outcome.started.replace([':', '.'], "-")));
        }
        if !self.is_single(scenario_run) {
            name.push_str(&format!("-{}-{}", scenario_run.revision, scenario_run.transport));
        }
        // Ids may contain slashes, as those of the official `auth/…` scenarios do; they become nested directories.
        name.split('/').collect()
    }

    fn is_single(&self, scenario_run: &ScenarioRun) -> bool {
        // A scenario run that was never planned has the plain name, too.
        self.scenario_runs.get(&key(scenario_run)).is_none_or(|count| *count == 1)
    }
}

fn key(scenario_run: &ScenarioRun) -> (TestedSide, String) {
    (scenario_run.scenario.tested_side, scenario_run.scenario.id.to_string())
}

#[cfg(test)]
mod tests {
    use mcp_test_core::spec::Revision;
    use mcp_test_core::transport::TransportKind;

    use super::*;
    use crate::report::sample;

    #[test]
    fn a_single_scenario_run_has_its_official_name() {
        let outcome = sample::passed();
        let names = ScenarioRunNames::of(std::slice::from_ref(&outcome.scenario_run));
        assert_eq!(names.label(&outcome.scenario_run), "tools-list");
        let unstamped = names.clone().timestamps(false);
        assert_eq!(unstamped.directory(&outcome), PathBuf::from("server-tools-list"));
        assert_eq!(
            names.directory(&outcome),
            PathBuf::from("server-tools-list-2026-11-21T21-37-43-473Z")
        );
    }

    #[test]
    fn several_scenario_runs_of_a_scenario_have_a_suffix() {
        let outcome = sample::passed();
        let other = ScenarioRun {
            revision: Revision::NEWEST,
            transport: TransportKind::Http,
            ..outcome.scenario_run.clone()
        };
        let names = ScenarioRunNames::of(&[outcome.scenario_run.clone(), other.clone()]);
        assert_eq!((names.scenarios(), names.scenario_runs()), (1, 2));
        assert_eq!(names.label(&other), "tools-list [2026-07-28 http]");
        assert_eq!(
            names.directory(&outcome),
            PathBuf::from("server-tools-list-2026-11-21T21-37-43-473Z-2025-11-25-stdio")
        );
        let unstamped = names.timestamps(false);
        let directory = unstamped.directory(&outcome);
        assert_eq!(directory, PathBuf::from("server-tools-list-2025-11-25-stdio"));
    }
}
