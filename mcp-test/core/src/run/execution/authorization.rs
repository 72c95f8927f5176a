//! Running a scenario run that tests an authorization server.

use super::unmade::{demand_declared, fail_unmade};
use super::{EarlyEnd, Progress, RunningScenario};
use crate::check::{Check, Finding, Origin};
use crate::run::Outcome;
use crate::scenario::{
    AuthorizationCtx, AuthorizationSetup, AuthorizationTarget, RunAuthorization, Stop,
};

impl RunningScenario<'_> {
    /// Runs the scenario against the authorization server.
    ///
    /// It exchanges no messages of MCP, so that it has none of the checks of the wire.
    pub(super) async fn test_authorization_server(
        self,
        target: &AuthorizationTarget,
        body: &RunAuthorization,
        progress: &dyn Fn(Progress<'_>),
    ) -> Outcome {
        let mut ctx = AuthorizationCtx::new(AuthorizationSetup {
            target: target.clone(),
            scenario: self.scenario_run.scenario.declared(),
            revision: self.scenario_run.revision,
            profile: self.profile,
            timeout: self.timeout(),
            is_named: self.plan.single,
        });
        progress(Progress::Running {
            scenario_run: &self.scenario_run,
            recorder: &ctx.recorder().clone(),
        });
        let early = self.run_body(body(&mut ctx)).await;
        progress(Progress::Ending);
        ctx.delete_leftovers().await;
        let (mut checks, trace) = ctx.end();
        match early {
            None => demand_declared(&self.scenario_run, &mut checks),
            Some(EarlyEnd::TimedOut) => {
                checks.push(self.timed_out(&trace));
                self.skip_unmade(&mut checks, "not reached: the scenario did not end in time");
            }
            Some(EarlyEnd::Stopped(Stop::Skipped(skip))) => {
                self.skip_unmade(&mut checks, &skip.reason);
            }
            Some(early) => {
                fail_unmade(&self.scenario_run, &mut checks, &early.finding_in_built_in());
            }
        }
        if checks.is_empty() {
            let finding = Finding::harness("the scenario ended without making a check");
            checks.push(Check::from_finding(self.id(), Origin::Official, finding));
        }
        self.outcome(checks, trace)
    }
}
