//! Running one scenario run, and judging what happened.

#[cfg(feature = "auth")]
mod authorization;
mod bad_exit;
mod client;
mod client_function;
mod early_end;
mod era_hint;
mod facts;
mod name_hint;
mod setup;
mod shared_connection;
mod short_wait;
mod silenced;
mod slow_start;
mod teardown;
mod test_function;
mod unmade;

use std::time::Duration;

use super::common_checks::{tool_schemas, well_formed};
use super::connection_pool::ConnectionPool;
use super::outcome::STDERR_LINES;
use super::schema_valid::schema_valid;
use super::silence::{ends_in_silence, ends_without_response, is_from_server};
use super::{Outcome, Plan, ScenarioRun, Tested};
use crate::check::{Check, Finding, Judgement, Origin, Status};
use crate::clock::{self, Deadline, Stopwatch};
use crate::scenario::{
    Body, CheckSpec, Ctx, Ended, Kind, Opened, Profile, Run, Setup, Stop, Teardown, Transports,
};
use crate::spec::{Era, Requirement};
use crate::trace::{EventKind, Recorder, Trace};
use crate::transport::{ClientRun, Target, TransportKind};

use self::early_end::EarlyEnd;
use self::facts::Unmet;
use self::teardown::TornDown;
use self::unmade::{declared, demand_declared, fail_unmade, failed, skipped, timeout_row, unmade};

pub(super) use client_function::{OtherRevision, run_client_function};
#[doc(hidden)]
pub use facts::ScenarioRunFacts;
pub(super) use setup::set_up;
pub(super) use silenced::skip_scenario_run;

/// How long the official client of the stateless era waits for a reply.
const OFFICIAL_REPLY: Duration = Duration::from_secs(10);

/// How long closing the connections may take after the time-out, in all: no scenario outlasts it by two seconds.
const ENDING: Duration = Duration::from_millis(1800);

/// How long a reply may take in a test function, unless the whole run has less time.
pub(super) const REPLY: Duration = Duration::from_secs(10);

/// The progress of a run, for its watchdog.
pub enum Progress<'a> {
    /// The scenario runs.
    Running {
        /// Its scenario run.
        scenario_run: &'a ScenarioRun,
        /// The recorder of its conversation.
        recorder: &'a Recorder,
    },
    /// The scenario has ended in silence: its connections are being closed, and the server is asked whether it still answers.
    Asking,
    /// The scenario has ended, and its connections are being closed.
    Ending,
}

/// Runs one scenario run.
#[cfg(any(test, feature = "suite"))]
pub async fn run_scenario(
    plan: &Plan,
    scenario_run: ScenarioRun,
    facts: ScenarioRunFacts<'_>,
) -> Outcome {
    run_scenario_watched(plan, scenario_run, facts, &|_| {}).await
}

/// Runs one scenario run, and reports its progress.
pub async fn run_scenario_watched(
    plan: &Plan,
    scenario_run: ScenarioRun,
    facts: ScenarioRunFacts<'_>,
    progress: &dyn Fn(Progress<'_>),
) -> Outcome {
    let (tested_side, id) = (scenario_run.scenario.tested_side, scenario_run.scenario.id.clone());
    let unscored = plan.requirements.and_then(|set| set.why_unscored(tested_side, &id));
    let outcome =
        run_scored_scenario_run(plan, scenario_run, facts, progress).await.expecting(&plan.known);
    match unscored {
        Some(reason) => outcome.unscored(reason),
        None => outcome,
    }
}

async fn run_scored_scenario_run(
    plan: &Plan,
    scenario_run: ScenarioRun,
    facts: ScenarioRunFacts<'_>,
    progress: &dyn Fn(Progress<'_>),
) -> Outcome {
    let run = RunningScenario::new(plan, scenario_run.clone());
    // The official suite runs every scenario, whatever the peer offers.
    if run.profile != Profile::Official
        && let Some(Unmet { reason, need }) = facts.unmet(&scenario_run, &plan.fixtures)
    {
        return Outcome { unmet: need, ..run.not_applicable(&reason) };
    }
    let scenario = scenario_run.scenario.clone();
    match (&plan.target, &scenario.body) {
        (Tested::Server(target), Body::Server(body)) => {
            run.test_server(target, &**body, facts, progress).await
        }
        (Tested::Client(client), Body::Client { serve, judge }) => {
            run.test_client(client, &**serve, &**judge).await
        }
        (Tested::Client(client), Body::ClientTest(body)) => {
            let ended = run.clone().test_client_function(client, &**body, progress).await;
            ended.unwrap_or_else(|other| run.not_applicable(&other.reason))
        }
        #[cfg(feature = "auth")]
        (Tested::AuthorizationServer(target), Body::Authorization(body)) => {
            run.test_authorization_server(target, &**body, progress).await
        }
        (tested, _) => {
            let tested = tested.tested_side().with_article();
            run.not_applicable(&format!("this scenario does not test {tested}"))
        }
    }
}

/// The results of a scenario, before the checks that every scenario has.
struct Recorded {
    checks: Vec<Check>,
    trace: Trace,
    judgement: Judgement,
    client_run: Option<ClientRun>,
}

/// A scenario run that is being run.
#[derive(Clone)]
struct RunningScenario<'a> {
    plan: &'a Plan,
    scenario_run: ScenarioRun,
    profile: Profile,
    /// How long the scenario may take.
    timeout: Duration,
    /// How much of that is spent.
    spent: Duration,
    /// How long a start of its program takes, if it starts one.
    start_up: Option<Duration>,
    started: String,
    stopwatch: Stopwatch,
}

impl<'a> RunningScenario<'a> {
    fn new(plan: &'a Plan, scenario_run: ScenarioRun) -> Self {
        Self {
            plan,
            profile: plan.profile.at(&scenario_run.scenario, scenario_run.revision),
            timeout: plan.timeout_of(&scenario_run.scenario),
            spent: Duration::ZERO,
            start_up: None,
            scenario_run,
            started: clock::utc_now(),
            stopwatch: Stopwatch::start(),
        }
    }

    /// The outcome of a scenario that was not run: its checks are SKIPPED, or FAILURE in profile `strict`.
    fn not_applicable(self, reason: &str) -> Outcome {
        let checks = self.not_testable(reason);
        self.outcome(checks, Trace::default())
    }

    /// The outcome of a scenario that was not run for a reason of this run, in every profile.
    fn left_out(self, reason: &str) -> Outcome {
        let checks = declared(&self.scenario_run).map(|spec| skipped(spec, reason)).collect();
        self.outcome(checks, Trace::default())
    }

    /// The checks of a scenario that cannot test the peer.
    fn not_testable(&self, reason: &str) -> Vec<Check> {
        let not_testable = |spec: &CheckSpec| match self.profile {
            // Not every run makes the others.
            Profile::Strict if spec.always => Check {
                message: Some(format!("Not testable: {reason}")),
                untestable: true,
                ..failed(spec, Finding::peer(reason))
            },
            _ => skipped(spec, reason),
        };
        let all = || declared(&self.scenario_run);
        // A scenario without checks would seem to have been forgotten.
        let has_some = all().any(|spec| spec.always);
        all().filter(|spec| spec.always || !has_some).map(not_testable).collect()
    }

    async fn test_server(
        mut self,
        target: &Target,
        body: &Run,
        facts: ScenarioRunFacts<'_>,
        progress: &dyn Fn(Progress<'_>),
    ) -> Outcome {
        if self.scenario_run.transport == TransportKind::Stdio {
            self.start_up = facts.pool.and_then(ConnectionPool::start_up);
        }
        let pool = facts.pool.filter(|pool| pool.shares(&self.scenario_run, self.plan.profile));
        match pool {
            Some(pool) => self.test_shared(pool, target, body, facts, progress).await,
            None => self.test_alone(target, body, facts, progress).await,
        }
    }

    /// Runs the scenario on a connection of its own.
    async fn test_alone(
        self,
        target: &Target,
        body: &Run,
        facts: ScenarioRunFacts<'_>,
        progress: &dyn Fn(Progress<'_>),
    ) -> Outcome {
        let ScenarioRunFacts { liveness, pool, .. } = facts;
        let is_test = self.scenario_run.scenario.kind == Kind::Test;
        // A test function declares no checks, and may make any.
        let declares = (!is_test).then(|| self.scenario_run.scenario.declared());
        let setup = self.setup(target, &facts);
        let mut ctx = match pool.and_then(|pool| pool.take_unused(self.scenario_run.transport)) {
            Some(connection) => Ctx::on(Opened::Unused(connection), setup, declares),
            None => Ctx::new(setup, declares),
        };
        progress(Progress::Running {
            scenario_run: &self.scenario_run,
            recorder: &ctx.recorder().clone(),
        });
        let mut early = self.run_body(body(&mut ctx)).await;
        self.suggest_name(early.as_mut(), &mut ctx).await;
        let early = self.name_setup(early, ctx.is_in_setup());
        let recorder = ctx.recorder().clone();
        let teardown = match &self.scenario_run.scenario.teardown {
            Some(Teardown::Server(teardown)) => Some(teardown(&mut ctx)),
            Some(Teardown::Client(_)) | None => None,
        };
        let torn_down = self.tear_down(teardown, &recorder).await;
        // Not ended here: how a program exits that was never used says nothing about this scenario.
        if let (Some(pool), Some(connection)) = (pool, ctx.release_unused()) {
            pool.keep_unused(connection);
        }
        let timed_out = matches!(early, Some(EarlyEnd::TimedOut));
        let trace = ctx.trace();
        let is_failed = !matches!(early, None | Some(EarlyEnd::Stopped(Stop::Skipped(_))));
        ctx.hurry_after_a_fault(is_failed, &trace);
        let is_unstarted = self.may_be_starting(&trace, timed_out);
        let slowest = pool.map(|pool| pool.note_start(slow_start::slowest(&trace)));
        let is_answered = trace.events.iter().any(is_from_server);
        let is_asked = timed_out || is_unstarted || self.ends_unanswered(&trace);
        drop(trace);
        let question = liveness.filter(|_| is_asked);
        // Closing connections and ending child processes has a time limit of its own.
        progress(if question.is_some() { Progress::Asking } else { Progress::Ending });
        let (ended, liveness) = self.end(ctx, target, question).await;
        let times = pool.map_or(1, |pool| pool.times_unclear(liveness, is_answered));
        let has_stopped = liveness.has_stopped(times, is_unstarted);
        let start_up = self.start_up_after(liveness, is_unstarted, slowest);
        let outcome = Self { start_up, ..self }.server_outcome(ended, early, torn_down);
        if has_stopped {
            return silenced::silenced(outcome);
        }
        if let Some(pool) = pool {
            pool.confirm(&outcome);
        }
        outcome
    }

    /// Whether the server may have stopped answering.
    fn ends_unanswered(&self, trace: &Trace) -> bool {
        // An official client finds out at each scenario that nothing listens any more.
        let is_tried = self.profile == Profile::Official;
        ends_in_silence(trace) || (!is_tried && ends_without_response(trace))
    }

    /// The outcome of a scenario whose connections are closed.
    fn server_outcome(self, ended: Ended, early: Option<EarlyEnd>, torn_down: TornDown) -> Outcome {
        if self.scenario_run.scenario.kind == Kind::Test {
            return self.server_test_outcome(ended, early, torn_down);
        }
        let checks = self.own_checks(&ended, early);
        let Ended { trace, judgement, .. } = ended;
        self.conclude(Recorded { checks, trace, judgement, client_run: None })
    }

    /// The checks of the scenario itself.
    fn own_checks(&self, ended: &Ended, early: Option<EarlyEnd>) -> Vec<Check> {
        let Ended { checks, trace, unexamined, .. } = ended;
        let mut checks = checks.clone();
        self.skip_out_of_time(trace, &mut checks);
        match early {
            None => {
                // Only after a complete run: an early end explains why a reply was not examined.
                for finding in unexamined {
                    checks.push(Check::from_finding(self.id(), self.origin(), finding.clone()));
                }
                demand_declared(&self.scenario_run, &mut checks);
            }
            Some(EarlyEnd::TimedOut) => {
                // In the official suite, the time-out replaces even the checks that were made.
                if self.profile == Profile::Official {
                    checks.clear();
                }
                if let Some(reason) = self.too_slow(trace) {
                    self.skip_unmade(&mut checks, &reason);
                    return checks;
                }
                let timed_out = self.timed_out(trace);
                match checks.iter().any(|check| check.status == Status::Failure) {
                    // What failed has taken the time.
                    true => self
                        .skip_unmade(&mut checks, "not reached: the scenario did not end in time"),
                    false => checks.push(timed_out),
                }
            }
            Some(EarlyEnd::Stopped(Stop::Finding(finding)))
                if self.is_officially_a_timeout(trace) =>
            {
                checks = vec![timeout_row(finding)];
            }
            Some(EarlyEnd::Stopped(Stop::Skipped(skip))) => {
                self.skip_unmade(&mut checks, &skip.reason);
            }
            Some(early) => {
                let finding = early.finding_in_built_in();
                match self.too_little_time(trace, &finding) {
                    Some(reason) => self.skip_unmade(&mut checks, &reason),
                    None => fail_unmade(&self.scenario_run, &mut checks, &finding),
                }
            }
        }
        checks
    }

    fn skip_unmade(&self, checks: &mut Vec<Check>, reason: &str) {
        for spec in unmade(&self.scenario_run, checks) {
            checks.push(skipped(spec, reason));
        }
    }

    /// Adds the checks that every scenario has.
    fn conclude(self, recorded: Recorded) -> Outcome {
        let Recorded { mut checks, trace, judgement, client_run } = recorded;
        if checks.is_empty() {
            // Without this, a scenario that does nothing would pass.
            let finding = Finding::harness("the scenario ended without making a check");
            checks.push(Check::from_finding(self.id(), Origin::Official, finding));
        }
        checks.extend(schema_valid(&self.scenario_run.scenario, self.profile, &trace, &judgement));
        let tools = tool_schemas(&judgement.tools);
        checks.extend(
            tools.filter(|check| !(check.status.is_failing() && self.has_official_arguments())),
        );
        checks.push(well_formed(&judgement.envelopes, &trace, &self.scenario_run));
        let Some(client_run) = client_run else { return self.outcome(checks, trace) };
        self.trace_exit_back(&mut checks, &trace, &client_run);
        let outcome = self.outcome(checks, trace);
        let stderr_tail = last_lines(&client_run.stderr);
        Outcome { client_run: Some(client_run), stderr_tail, ..outcome }
    }

    /// Whether the arguments of calls are those of the official suite, which asks for some that the schema of the tool forbids.
    fn has_official_arguments(&self) -> bool {
        self.profile == Profile::Official && self.scenario_run.scenario.context.is_some()
    }

    fn id(&self) -> &str {
        &self.scenario_run.scenario.id
    }

    /// Whose a check is that the scenario does not declare.
    fn origin(&self) -> Origin {
        match self.scenario_run.scenario.kind {
            Kind::BuiltIn => Origin::Own,
            _ => Origin::User,
        }
    }

    fn setup(&self, target: &Target, facts: &ScenarioRunFacts<'_>) -> Setup {
        // The deadline of all replies together; `timeout` is for a single one.
        let until = match self.scenario_run.scenario.kind {
            Kind::Test => self.time_of_peer(),
            _ => self.reply_timeout(),
        };
        Setup {
            target: target.clone(),
            transport: self.scenario_run.transport,
            revision: self.scenario_run.revision,
            profile: self.profile,
            limits: self.plan.limits,
            timeout: self.request_timeout(),
            prompt: self.plan.prompt,
            until: Deadline::after(until.saturating_sub(self.spent)),
            ends: Deadline::after(self.left().saturating_add(ENDING)),
            inventory: facts.inventory.clone(),
            discovered: facts.discovered.clone(),
            history: facts.history.clone(),
            spoken: facts.spoken.clone(),
            may_start_again: facts.pool.map(ConnectionPool::may_start_again),
            calls: self.plan.calls.clone(),
            // Only its own, so that a tool of the user's that has the name of another fixture stays what it is.
            fixtures: self.plan.fixtures.only(self.scenario_run.scenario.fixtures()),
            schemas: self.plan.schemas.clone(),
        }
    }

    fn timed_out(&self, trace: &Trace) -> Check {
        let last = trace.events.iter().rev().find_map(|event| match &event.kind {
            EventKind::DeadlineFired { awaited } => Some(awaited.clone()),
            _ => None,
        });
        let mut finding = Finding::peer("the scenario did not end in time")
            .expected(format!("an end within {}", clock::format_duration(self.timeout())))
            .requires(Requirement::MCP_TEST_SCENARIO_ENDS);
        if let Some(awaited) = last {
            finding = finding.got(format!("a wait for {awaited}"));
        }
        timeout_row(finding)
    }

    /// Whether a request without a reply counts as a time-out of the whole scenario.
    ///
    /// It does where the official client waits longer than the scenario may take: the client of the handshake era, and every
    /// one that sends raw HTTP requests.
    fn is_officially_a_timeout(&self, trace: &Trace) -> bool {
        self.profile == Profile::Official && self.waits_longer() && trace.deadline_fired()
    }

    fn waits_longer(&self) -> bool {
        self.scenario_run.revision.era() == Era::Handshake
            || self.scenario_run.scenario.transports == Transports::StreamableHttp
            || self.timeout() < OFFICIAL_REPLY
    }

    /// How long one request may take.
    fn request_timeout(&self) -> Duration {
        if self.scenario_run.scenario.kind == Kind::Test {
            return REPLY.min(self.time_of_peer());
        }
        match (self.profile, self.scenario_run.revision.era()) {
            (Profile::Official, Era::Stateless) => self.reply_timeout().min(OFFICIAL_REPLY),
            _ => self.reply_timeout(),
        }
    }

    /// How long the scenario may take.
    fn timeout(&self) -> Duration {
        self.timeout
    }

    /// How long the scenario may still take.
    fn left(&self) -> Duration {
        self.timeout.saturating_sub(self.spent)
    }

    /// A little less than the scenario may take, so that a reply times out first and the finding names it.
    fn reply_timeout(&self) -> Duration {
        self.timeout() - self.timeout() / 10
    }

    fn outcome(self, checks: Vec<Check>, trace: Trace) -> Outcome {
        Outcome {
            verdict: Outcome::judge(&self.scenario_run, self.profile, &checks),
            scenario_run: self.scenario_run,
            profile: self.profile,
            checks,
            stderr_tail: trace.stderr_tail(STDERR_LINES),
            exited: None,
            client_run: None,
            spoken: None,
            silence: None,
            unmet: None,
            unscored: None,
            assertion: None,
            trace,
            started: self.started,
            elapsed: self.stopwatch.elapsed(),
            attempt: 1,
            other_attempts: Vec::new(),
        }
    }
}

fn last_lines(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let first = lines.len().saturating_sub(STDERR_LINES);
    lines[first..].iter().map(|line| (*line).to_owned()).collect()
}
