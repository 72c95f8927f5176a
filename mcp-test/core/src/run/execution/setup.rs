//! The setups of a function under `#[mcp_scenario]`: one before anything is started, and one with its context.

use std::time::Duration;

use super::early_end::failed_in;
use super::{EarlyEnd, RunningScenario};
use crate::assert::catch_failures;
use crate::check::{Blame, Finding};
use crate::clock::{self, Deadline};
use crate::scenario::{SetupFuture, SetupValue, Stop};

/// Runs the setup of a test, before its target or client is made.
///
/// # Errors
///
/// If it skips the scenario or fails, for which the test is to blame: no peer has been asked anything.
pub(in crate::run) async fn set_up(
    setup: fn() -> SetupFuture,
    time: Duration,
) -> Result<SetupValue, Stop> {
    // Within the block, so that a panic of the function itself is caught as well.
    let running = catch_failures(async { setup().await.map_err(Stop::from) });
    let early = match clock::within(Deadline::after(time), running).await {
        Ok(Ok(Ok(value))) => return Ok(value),
        Ok(Ok(Err(skipped @ Stop::Skipped(_)))) => return Err(skipped),
        Ok(Ok(Err(stop))) => EarlyEnd::Stopped(stop),
        Ok(Err(payload)) => EarlyEnd::Panicked(payload),
        Err(_) => EarlyEnd::TimedOut,
    };
    let finding = failed_in("the setup", early, time);
    Err(Finding { blame: Blame::Test, ..finding }.into())
}

impl RunningScenario<'_> {
    /// Names the setup with the context in an early end, if that was running.
    pub(super) fn name_setup(
        &self,
        early: Option<EarlyEnd>,
        is_in_setup: bool,
    ) -> Option<EarlyEnd> {
        Some(match early? {
            skipped @ EarlyEnd::Stopped(Stop::Skipped(_)) => skipped,
            early if is_in_setup => {
                let finding = failed_in("the setup of the context", early, self.time_of_body());
                EarlyEnd::Stopped(Stop::Finding(finding))
            }
            early => early,
        })
    }
}
