//! Running a scenario run that tests a client: the scenario serves it, and judges it after it has exited.

use std::sync::Arc;

use super::unmade::{demand_declared, fail_unmade};
use super::{ENDING, Recorded, RunningScenario};
use crate::check::{self, Check, Demand, Finding, Origin, Status, WireJudge};
use crate::clock::Deadline;
use crate::json::Value;
use crate::run::Outcome;
use crate::scenario::{
    CLIENT_CONNECTED, CLIENT_EXIT, ClientEnding, ClientSession, ClientTest, Inventory, Judge,
    Judging, Need, Profile, Repeats, Serve, has_sent, serve_client,
};
use crate::spec::Revision;
use crate::trace::{EventKind, Party, Recorder, Trace};
use crate::transport::client_target::SCENARIO;
use crate::transport::{ClientEnd, ClientRun, ClientTarget, Endpoint, ServerAddress};

impl RunningScenario<'_> {
    /// Runs the client against the server of the scenario, and judges what it sent.
    pub(super) async fn test_client(
        self,
        client: &ClientTarget,
        serve: &Serve,
        judge: &Judge,
    ) -> Outcome {
        let declared = self.scenario_run.scenario.declared();
        let authority = self.profile.authority(Some(&declared));
        let test = ClientTest::new(declared, self.scenario_run.revision, self.profile);
        let recorder = Recorder::new();
        let test = test.over(self.scenario_run.transport).recorded_with(&recorder);
        let server = match serve(&test) {
            Ok(server) => server.limits(self.plan.limits).record(recorder.clone()),
            Err(finding) => return self.not_run(&finding),
        };
        let endpoint = |address: ServerAddress| {
            if let ServerAddress::Url(url) = &address {
                test.listens_at(url);
            }
            let endpoint = Endpoint::new(address, self.id(), self.scenario_run.revision)
                .context(self.scenario_run.scenario.client_context(&test));
            #[cfg(feature = "suite")]
            let endpoint = endpoint.with_browser(test.browser());
            endpoint
        };
        let (transport, allotted) = (self.scenario_run.transport, self.timeout());
        let client_run = match serve_client(&server, client, transport, endpoint, allotted).await {
            Ok(client_run) => client_run,
            Err(finding) => return self.not_run(&finding),
        };
        let trace = Arc::new(recorder.trace());
        if let Some(finding) = self.ending(&client_run, &trace).not_started(&client.label()) {
            return self.not_run(&finding);
        }
        let judging = Judging::new(test, Arc::clone(&trace));
        let judging = judging.ended(client_run.end.clone(), client_run.exit);
        #[cfg(feature = "suite")]
        let judging = judging.printed(&client_run.stdout, &client_run.stderr);
        // The rules are those of the spoken revision, which may not be the one that the client was asked to use.
        let spoken = judging.spoken();
        let revision = spoken.unwrap_or(self.scenario_run.revision);
        let (mut checks, tolerate_failed_exit) = match self.refused(revision, &judging) {
            Some(reason) => (self.not_testable(&reason), FailedExit::AfterRefusal),
            None => self.judged(judging, judge),
        };
        checks.push(self.client_connected(&trace, &client_run, tolerate_failed_exit));
        checks.push(self.client_exit(&trace, &client_run, tolerate_failed_exit));
        let schemas = &self.plan.schemas;
        let left = self.left().saturating_sub(self.stopwatch.elapsed());
        let ends = Deadline::after(left.saturating_add(ENDING));
        let judge = WireJudge::new(Party::Client, (schemas.clone(), authority)).until(ends);
        let judgement = check::judge_trace(&trace, &|_| revision, judge);
        let trace = Arc::unwrap_or_clone(trace);
        let client_run = Some(client_run);
        let outcome = self.conclude(Recorded { checks, trace, judgement, client_run });
        Outcome { spoken, ..outcome }
    }

    /// The checks of the scenario, and whether the client may have given up.
    fn judged(&self, mut judging: Judging, judge: &Judge) -> (Vec<Check>, FailedExit) {
        let ending = judge(&mut judging);
        let failed_exit = if judging.tolerates_failed_exit() {
            FailedExit::Tolerated
        } else {
            FailedExit::Counts
        };
        let has_no_token = demanded_tokens_alone(&judging.trace());
        let mut checks = judging.into_checks();
        match ending {
            // The id of the scenario is all that tells a client what to do, and most clients do not read it.
            Err(finding) if finding.demand == Demand::Task && self.profile == Profile::Adaptive => {
                // Without the task, a client cannot know how to get a token, and does well to say so.
                let failed_exit = if has_no_token { FailedExit::Tolerated } else { failed_exit };
                return (self.not_testable(&task_not_done(&finding)), failed_exit);
            }
            Err(finding) => fail_unmade(&self.scenario_run, &mut checks, &finding),
            Ok(()) => demand_declared(&self.scenario_run, &mut checks),
        }
        (checks, failed_exit)
    }

    /// Why the conversation is no test of what the scenario is about; officially it is one nevertheless.
    fn refused(&self, spoken: Revision, judging: &Judging) -> Option<String> {
        // Without a token, the client could not show what it speaks.
        if self.profile == Profile::Official || demanded_tokens_alone(&judging.trace()) {
            return None;
        }
        self.other_revision(spoken, judging)
            .or_else(|| self.undeclared(&judging.declared_capabilities()))
    }

    /// Why the conversation does not test the revision of the scenario run: the client does not speak it.
    pub(super) fn other_revision(&self, spoken: Revision, judging: &Judging) -> Option<String> {
        let sessions = judging.sessions();
        // Unless it is what the scenario asks for.
        let is_abandoned = !self.scenario_run.scenario.tolerates_failed_exit
            && !sessions.is_empty()
            && sessions.iter().all(ClientSession::is_abandoned);
        // What shows the same at all revisions is tested at any that both speak.
        let is_about_revision = self.scenario_run.scenario.repeats == Repeats::EachRevision;
        let has_agreed = !is_about_revision && !sessions.is_empty() && !is_abandoned;
        not_spoken(spoken, self.scenario_run.revision)
            .filter(|_| !has_agreed)
            .or_else(|| {
                let asked = self.scenario_run.revision;
                is_abandoned.then(|| format!("the client disconnected: it does not speak {asked}"))
            })
            .or_else(|| self.tried_only_sse(&judging.trace()))
    }

    /// That the client speaks HTTP+SSE, which begins with a GET, and that the server does not.
    fn tried_only_sse(&self, trace: &Trace) -> Option<String> {
        let revision = self.scenario_run.revision;
        let tried = !trace.announces_sse_endpoint()
            && !trace.has_message_from(Party::Client)
            && has_sent(trace, |method| method == "GET");
        tried.then(|| format!("the client tried only HTTP+SSE; it did not speak {revision}"))
    }

    /// The capability that the scenario needs and the client never declared: the server did not use it either.
    fn undeclared(&self, declared: &[Value]) -> Option<String> {
        let lacks = |need: &Need, capabilities: &Value| {
            let capabilities = Some(capabilities.clone());
            let inventory = Inventory::declaring(capabilities);
            need.unmet(&inventory, &self.plan.fixtures, self.scenario_run.revision)
        };
        self.scenario_run.scenario.needs.iter().find_map(|need| {
            // A client may declare it in one of several sessions.
            let unmet: Option<Vec<String>> = declared.iter().map(|one| lacks(need, one)).collect();
            unmet?.pop()
        })
    }

    pub(super) fn ending<'a>(&'a self, run: &'a ClientRun, trace: &'a Trace) -> ClientEnding<'a> {
        let (timeout, transport) = (self.timeout(), self.scenario_run.transport);
        ClientEnding { run, trace, timeout, scenario: self.id(), transport }
    }

    /// The outcome if the client could not be run, for which it is not to blame.
    fn not_run(self, finding: &Finding) -> Outcome {
        let mut checks = Vec::new();
        fail_unmade(&self.scenario_run, &mut checks, finding);
        self.outcome(checks, Trace::default())
    }

    /// The check that the client sent something: without it, the others would pass or fail for no reason.
    fn client_connected(
        &self,
        trace: &Trace,
        client_run: &ClientRun,
        failed_exit: FailedExit,
    ) -> Check {
        let row = match self.ending(client_run, trace).absence() {
            None => Check::new(CLIENT_CONNECTED, Origin::Own, Status::Success),
            Some(_) if failed_exit == FailedExit::AfterRefusal => {
                let refused = Some("the server has no transport that the client speaks".to_owned());
                Check {
                    message: refused,
                    ..Check::new(CLIENT_CONNECTED, Origin::Own, Status::Skipped)
                }
            }
            // Counts also in profile `official`, where the other checks of an absent client may pass.
            Some(finding) => Check {
                binding: true,
                ..Check::from_finding(CLIENT_CONNECTED, Origin::Own, finding)
            },
        };
        row.described("ClientConnected", "The client connects, and sends a message")
    }

    /// The check that the client exited on its own and without an error.
    ///
    /// In the official suite that counts for a scenario that is run by name, and is ignored in a suite. A bad exit may follow from what
    /// another check reports, which is not known yet: see [`RunningScenario::trace_exit_back`].
    fn client_exit(&self, trace: &Trace, client_run: &ClientRun, failed_exit: FailedExit) -> Check {
        let skipped =
            |why: &str| Check { message: Some(why.to_owned()), ..client_exit_row(Status::Skipped) };
        let ending = self.ending(client_run, trace);
        let row = if client_run.end == ClientEnd::Unobserved {
            skipped("the client was started by hand, so its exit cannot be observed")
        } else if let Some(finding) = ending.bad_exit() {
            let may_fail = self.scenario_run.scenario.tolerates_failed_exit;
            if may_fail && ending.has_reported_an_error() {
                skipped("the client may fail in this scenario: its server misbehaves on purpose")
            } else if failed_exit == FailedExit::AfterRefusal
                && (may_fail || ending.has_reported_an_error())
            {
                skipped("the client may fail: it was offered nothing that it speaks")
            } else if failed_exit == FailedExit::Tolerated && self.profile == Profile::Adaptive {
                skipped("the client did not finish, which no requirement forbids here")
            } else {
                let finding = match failed_exit {
                    FailedExit::Tolerated => finding.should(),
                    FailedExit::Counts | FailedExit::AfterRefusal => finding,
                };
                let check = left_badly(finding);
                // Officially an allowed error is one however the client ends; a crash is still shown.
                let is_allowed = may_fail && matches!(client_run.end, ClientEnd::Failed(_));
                Check { binding: self.plan.single && !is_allowed, ..check }
            }
        } else {
            client_exit_row(Status::Success)
        };
        left_behind_instead(row, &ending)
    }
}

/// The check that the client exited on its own and without an error.
pub(super) fn client_exit_row(status: Status) -> Check {
    described(Check::new(CLIENT_EXIT, Origin::Own, status))
}

fn left_badly(finding: Finding) -> Check {
    described(Check::from_finding(CLIENT_EXIT, Origin::Own, finding))
}

fn described(row: Check) -> Check {
    row.described("ClientExit", "The client exits on its own, and without an error")
}

/// The check of the exit: unless that fails already, it fails for processes that the client left behind, whatever excuses the exit.
pub(super) fn left_behind_instead(row: Check, ending: &ClientEnding<'_>) -> Check {
    match ending.left_behind() {
        Some(finding) if !row.status.is_failing() => left_badly(finding),
        _ => row,
    }
}

/// What an exit with an error means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FailedExit {
    /// It counts against the client.
    Counts,
    /// No requirement demands that the client goes on here.
    Tolerated,
    /// The server refused what the client speaks.
    AfterRefusal,
}

/// Whether the server answered every request by demanding a token, or another one.
fn demanded_tokens_alone(trace: &Trace) -> bool {
    let mut statuses = trace.events.iter().filter_map(|event| match event.kind {
        EventKind::HttpResponse { status, .. } => Some(status),
        _ => None,
    });
    let first = statuses.next();
    first == Some(401) && statuses.all(|status| matches!(status, 401 | 403))
}

/// Why a client that did something else was not tested.
fn task_not_done(finding: &Finding) -> String {
    format!("{}; the id of the scenario, in ${SCENARIO}, asks for it", finding.headline)
}

/// Why a conversation at one revision is no test of another.
fn not_spoken(spoken: Revision, asked: Revision) -> Option<String> {
    if spoken < asked {
        // What it did right at an older revision says nothing about this one.
        Some(format!("the client speaks up to {spoken}; it did not speak {asked}"))
    } else if spoken.era() != asked.era() {
        Some(format!("the client tried only {spoken}; it did not speak {asked}"))
    } else {
        None
    }
}
