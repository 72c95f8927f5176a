//! Runs a scenario against a hostile server, and formats what is reported.

use std::fmt::Write;
use std::time::Duration;

use mcp_test::check::{Check, Finding, Status};
use mcp_test::scenario::Profile;
use mcp_test::spec::{Requirement, Revision};
use mcp_test::transport::TransportKind;
use mcp_test_core::expect::words::joined;
use mcp_test_core::run::{Outcome, Plan, RunEvent, Selection, Tested, run};
use tokio::runtime::Runtime;

/// The method on which most servers here misbehave, and the scenario that needs it.
pub(crate) const METHOD: &str = "tools/list";
/// See [`METHOD`].
pub(crate) const SCENARIO: &str = "tools-list";

/// A timeout that no test would wait for.
pub(crate) const NO_TIMEOUT: Duration = Duration::from_secs(3600);

/// The result of a run.
#[derive(Default)]
pub(crate) struct RunResult {
    /// Why the target could not be tested.
    pub(crate) preflight_failure: Option<Finding>,
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) exit: Option<u8>,
}

/// Selects the scenario runs of a scenario.
pub(crate) fn scenario_runs(
    scenario: &str,
    revisions: &[Revision],
    transport: TransportKind,
) -> Selection {
    Selection {
        scenarios: vec![scenario.to_owned()],
        revisions: revisions.to_vec(),
        transports: vec![transport],
        ..Selection::default()
    }
}

/// Runs these scenario runs like `mcp-test check`, or for a client like `mcp-test client --profile adaptive`.
pub(crate) fn run_scenarios(
    target: impl Into<Tested>,
    selection: &Selection,
    timeout: Duration,
) -> RunResult {
    let plan = Plan::build(mcp_test_suite::scenarios::all(), target, Profile::Adaptive, selection)
        .expect("a plan")
        .timeout(timeout);
    let mut result = RunResult::default();
    let mut on = |event: RunEvent| match event {
        RunEvent::PreflightFailed { finding, .. } => result.preflight_failure = Some(finding),
        RunEvent::Finished(outcome) => result.outcomes.push(*outcome),
        _ => {}
    };
    let runtime = Runtime::new().expect("a runtime");
    let summary = runtime.block_on(run(&plan, &mut on));
    runtime.shutdown_background();
    result.exit = Some(summary.exit.number());
    result
}

impl RunResult {
    /// What was awaited when deadlines fired.
    pub(crate) fn deadlines(&self) -> Vec<&str> {
        self.outcomes.iter().flat_map(|outcome| outcome.trace.deadlines_fired()).collect()
    }

    /// Everything that counts against the server, formatted.
    pub(crate) fn report(&self) -> String {
        let mut text = String::new();
        if let Some(finding) = &self.preflight_failure {
            writeln!(text, "cannot be tested: {finding}").expect("a string takes everything");
            write_requirements(&mut text, &finding.requirements);
        }
        for check in self.outcomes.iter().flat_map(|outcome| &outcome.checks) {
            if matches!(check.status, Status::Failure | Status::Warning) {
                write_check(&mut text, check);
            }
        }
        if text.is_empty() {
            text.push_str("nothing\n");
        }
        text
    }
}

fn write_check(text: &mut String, check: &Check) {
    let message = check.message.as_deref().unwrap_or_default();
    writeln!(text, "{} {}: {message}", check.status, check.id).expect("a string takes everything");
    write_requirements(text, &check.requirements);
}

fn write_requirements(text: &mut String, cited: &[&Requirement]) {
    if !cited.is_empty() {
        writeln!(text, "  ({})", joined(cited, ", ")).expect("a string takes everything");
    }
}
