//! A sample run for the tests of this module.

pub(crate) use mcp_test_core::failure_report::sample::*;
use mcp_test_core::run::{MaskedEvent, Problems, RunEvent};
use mcp_test_core::scenario::{Profile, Suite};

use super::{RunInfo, Secrets};

pub(crate) fn info() -> RunInfo {
    RunInfo {
        command: "server",
        target: TARGET.to_owned(),
        profile: Profile::Official,
        suite: Some(Suite::Active),
        requirements: None,
        inapplicable: Vec::new(),
        coverage: None,
    }
}

/// An event of a run without secrets.
pub(crate) fn masked(event: RunEvent) -> MaskedEvent {
    let collected = match &event {
        RunEvent::Ended(summary) => summary.problems.clone(),
        _ => Problems::default(),
    };
    Secrets::default().mask_event(event, &collected)
}
