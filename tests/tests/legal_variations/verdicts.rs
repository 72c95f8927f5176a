//! [`Verdicts`]: what the checks of a run say, as far as it counts against a peer.

use std::collections::BTreeSet;

use mcp_test_core::check::{Check, Status};
use mcp_test_core::run::{Outcome, RunEvent};
use mcp_test_core::scenario::{Need, Profile};

/// The failing checks of a run, and what kept it from being made.
#[derive(Debug, Default, Clone)]
pub(crate) struct Verdicts {
    /// Whether the peer declares no capability, so that in profile `official` what needs one fails.
    declares_nothing: bool,
    failing: BTreeSet<(String, String)>,
}

impl Verdicts {
    /// Of a peer that declares no capability, or of another one.
    pub(crate) fn of_peer(declares_nothing: bool) -> Self {
        Self { declares_nothing, ..Self::default() }
    }

    /// Adds what an event of a run says.
    pub(crate) fn add(&mut self, event: &RunEvent) {
        match event {
            RunEvent::PreflightFailed { finding, .. } => {
                self.failing.insert(("pre-flight".to_owned(), finding.to_string()));
            }
            RunEvent::Finished(outcome) if self.declares_nothing && needs_capability(outcome) => {}
            RunEvent::Finished(outcome) => {
                let failing = outcome.checks.iter().filter(|it| counts(outcome, it));
                self.failing.extend(failing.map(|check| row(outcome, check)));
            }
            // A run of nothing would pass whatever the peer does.
            RunEvent::Ended(summary) if summary.has_tested_nothing() => {
                self.failing.insert(("run".to_owned(), "nothing was tested".to_owned()));
            }
            _ => {}
        }
    }
}

/// Whether a scenario was run by the official rules although it needs a capability.
fn needs_capability(outcome: &Outcome) -> bool {
    let mut needs = outcome.scenario_run.scenario.needs.iter();
    outcome.profile == Profile::Official && needs.any(|need| matches!(need, Need::Capability(_)))
}

/// Whether a check fails for another reason than those by which only the profiles `official` and `strict` fail: a warning, a fixture or
/// a capability that is missing, and what the official suite fails although the specification allows it.
fn counts(outcome: &Outcome, check: &Check) -> bool {
    outcome.fails(check)
        && check.status != Status::Warning
        && check.known_false.is_none()
        && !check.untestable
}

/// Where a check failed, and what it says.
fn row(outcome: &Outcome, check: &Check) -> (String, String) {
    let text = match &check.finding {
        Some(finding) => finding.to_string(),
        None => check.message.clone().unwrap_or_default(),
    };
    (format!("{} {}", outcome.scenario_run, check.id), text)
}

/// What fails in a run, unless the same check fails in the same scenario of the plain run.
pub(crate) fn new_failures<'a>(
    varied: &'a Verdicts,
    plain: &'a Verdicts,
) -> impl Iterator<Item = String> + 'a {
    let is_new = |place: &str| plain.failing.iter().all(|(known, _)| known != place);
    let new = varied.failing.iter().filter(move |(place, _)| is_new(place));
    new.map(|(place, text)| format!("{place}: {text}"))
}
