//! One summary line for all scenario runs of a scenario with the same verdict.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use mcp_test_core::expect::words;
use mcp_test_core::run::{Counts, Line, ScenarioRun, Verdict};
use mcp_test_core::scenario::Profile;
use mcp_test_core::spec::Revisions;
use mcp_test_core::transport::TransportKind;

use super::warnings;

/// Scenario runs of one scenario with the same verdict.
pub(super) struct Group<'a> {
    pub(super) scenario_runs: Vec<ScenarioRun>,
    pub(super) verdict: Verdict,
    pub(super) counts: Counts,
    pub(super) profile: Profile,
    pub(super) reason: Option<&'a str>,
}

/// Groups lines by scenario, verdict and reason; `reason` returns why a scenario run was skipped.
pub(super) fn group<'a>(
    lines: &[Line],
    reason: impl Fn(&ScenarioRun) -> Option<&'a str>,
) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut places = HashMap::new();
    for line in lines {
        let reason = reason(&line.scenario_run);
        let scenario = &line.scenario_run.scenario;
        match places.entry((scenario.tested_side, &*scenario.id, line.verdict, reason)) {
            Entry::Occupied(place) => {
                let group: &mut Group<'a> = &mut groups[*place.get()];
                group.scenario_runs.push(line.scenario_run.clone());
                group.counts.add(line.counts);
            }
            Entry::Vacant(place) => {
                place.insert(groups.len());
                groups.push(Group {
                    scenario_runs: vec![line.scenario_run.clone()],
                    verdict: line.verdict,
                    counts: line.counts,
                    profile: line.profile,
                    reason,
                });
            }
        }
    }
    groups
}

impl Group<'_> {
    /// `ping [2024-11-05..2025-11-25 stdio]`, each transport with its revisions.
    pub(super) fn label(&self) -> String {
        let scenario_runs = TransportKind::ALL.into_iter().filter_map(|transport| {
            let mut revisions = Revisions::none();
            for scenario_run in
                self.scenario_runs.iter().filter(|scenario_run| scenario_run.transport == transport)
            {
                revisions = revisions.union(Revisions::only(scenario_run.revision));
            }
            Some(format!("{} {transport}", range(revisions)?))
        });
        format!(
            "{} [{}]",
            words::name(&self.scenario_runs[0].scenario.id),
            scenario_runs.collect::<Vec<_>>().join("; ")
        )
    }

    /// `4 runs, 8 passed, 0 failed`; the number of runs only if there are several.
    pub(super) fn outcome(&self) -> String {
        let runs = match self.scenario_runs.len() {
            1 => String::new(),
            many => format!("{many} runs, "),
        };
        let Counts { success, failure, warning, .. } = self.counts;
        let warnings = warnings(warning, self.profile);
        format!("{runs}{success} passed, {failure} failed{warnings}")
    }
}

/// `2024-11-05..2025-11-25` if none is missing in between; `None` if there are none.
fn range(revisions: Revisions) -> Option<String> {
    let (oldest, newest) = (revisions.oldest()?, revisions.newest()?);
    Some(if oldest == newest {
        oldest.to_string()
    } else if revisions == Revisions::between(oldest, newest) {
        format!("{oldest}..{newest}")
    } else {
        revisions.to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_shows_both_ends() {
        let shown = |text: &str| text.parse().ok().and_then(range).unwrap_or_default();
        assert_eq!(shown("2025-11-25"), "2025-11-25");
        assert_eq!(shown("2025-06-18.."), "2025-06-18..2026-07-28");
        assert_eq!(shown("2024-11-05, 2025-06-18"), "2024-11-05, 2025-06-18");
        assert_eq!(shown("none"), "");
    }
}
