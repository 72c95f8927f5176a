//! Running a scenario against a hostile server, and what the report says of it.

use std::fmt::Write;
use std::time::Duration;

use mcp_test::check::{Check, Finding, Status};
use mcp_test::run::{Outcome, Plan, RunEvent, Selection, run};
use mcp_test::scenario::Profile;
use mcp_test::spec::Revision;
use mcp_test::transport::{CarrierKind, Target};
use tokio::runtime::Runtime;

/// The method on which most servers here misbehave, and the scenario that needs it.
pub(crate) const METHOD: &str = "tools/list";
/// See [`METHOD`].
pub(crate) const SCENARIO: &str = "tools-list";

/// So long that no test would wait for it.
pub(crate) const FOR_EVER: Duration = Duration::from_secs(3600);

/// What came of a run.
#[derive(Default)]
pub(crate) struct Played {
    /// Why nothing could be played.
    pub(crate) unfit: Option<Finding>,
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) exit: Option<u8>,
}

/// Which cells are played.
pub(crate) fn cells(scenario: &str, revisions: &[Revision], carrier: CarrierKind) -> Selection {
    Selection {
        scenarios: vec![scenario.to_owned()],
        revisions: revisions.to_vec(),
        carriers: vec![carrier],
        ..Selection::default()
    }
}

/// Plays these cells as `mcp-test check` does.
pub(crate) fn play(target: Target, selection: &Selection, timeout: Duration) -> Played {
    let plan = Plan::build(target, Profile::Adaptive, selection).expect("a plan").timeout(timeout);
    let mut played = Played::default();
    let mut on = |event: RunEvent| match event {
        RunEvent::PreflightFailed { finding, .. } => played.unfit = Some(finding),
        RunEvent::Finished(outcome) => played.outcomes.push(*outcome),
        _ => {}
    };
    let runtime = Runtime::new().expect("a runtime");
    let summary = runtime.block_on(run(&plan, &mut on));
    runtime.shutdown_background();
    played.exit = Some(summary.exit.number());
    played
}

impl Played {
    /// What was awaited when deadlines fired.
    pub(crate) fn deadlines(&self) -> Vec<&str> {
        self.outcomes.iter().flat_map(|outcome| outcome.trace.deadlines_fired()).collect()
    }

    /// Everything that is held against the server, in words.
    pub(crate) fn told(&self) -> String {
        let mut text = String::new();
        if let Some(finding) = &self.unfit {
            writeln!(text, "cannot be tested: {finding}").expect("a string takes everything");
            requirements(&mut text, &finding.requirements);
        }
        for check in self.outcomes.iter().flat_map(|outcome| &outcome.checks) {
            if matches!(check.status, Status::Failure | Status::Warning) {
                tell(&mut text, check);
            }
        }
        if text.is_empty() {
            text.push_str("nothing\n");
        }
        text
    }
}

fn tell(text: &mut String, check: &Check) {
    let message = check.message.as_deref().unwrap_or_default();
    writeln!(text, "{} {}: {message}", check.status, check.id).expect("a string takes everything");
    requirements(text, &check.requirements);
}

fn requirements(text: &mut String, ids: &[&str]) {
    if !ids.is_empty() {
        writeln!(text, "  ({})", ids.join(", ")).expect("a string takes everything");
    }
}
