//! The run: prepares the target, runs the scenario runs, reports events, and sums up.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::sync::{Arc, Weak};

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connection_pool::ConnectionPool;
use super::execution::{ScenarioRunFacts, skip_scenario_run};
use super::preflight::{self, PreflightFailure, Survey};
use super::retries::run_with_retries;
use super::scenario_run_queue::{ScenarioRunQueue, Waiting};
use super::{
    ExitCode, Outcome, Plan, Progress, RunEvent, ScenarioRun, Silence, Summary, Tested, Verdict,
};
use crate::check::{Blame, Cause, Finding};
use crate::scenario::{Need, Profile};
use crate::spec::ItemKind;
use crate::transport::{PreparedTarget, Target, TransportKind};

/// Runs a plan and reports its events.
///
/// Up to [`Plan::jobs`] scenario runs are made at the same time; an exclusive one runs alone. Those that start a program run
/// beside those that do not. Outcomes are reported in the order of the plan, whichever ends first. With several jobs, scenario runs share the programs of a target over standard streams, in
/// the profiles `adaptive` and `strict`.
///
/// Must be called within a tokio runtime whose I/O is enabled. A plan without scenario runs does not start the target.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// use mcp_test::run::{ExitCode, Plan, RunEvent, Selection, run};
/// use mcp_test::scenario::{Body, CheckSpec, Kind, TestedSide, Profile, Scenario, Shared};
///
/// static CHECKS: &[CheckSpec] = &[mcp_test::check!("has-tools", "The server lists its tools")];
/// let body = Body::server(|ctx| {
///     Box::pin(async move {
///         ctx.list_tools().await?;
///         ctx.check("has-tools").pass();
///         Ok(())
///     })
/// });
/// let scenario = Scenario::dynamic(Kind::BuiltIn, TestedSide::Server, "has-tools", body);
/// let scenario = Scenario { checks: Shared::Static(CHECKS), ..scenario };
/// let target = mcp_test::server::reference::everything().target();
/// let plan = Plan::build([Shared::from(scenario)], target, Profile::Adaptive, &Selection::default())?;
/// let mut finished = 0;
/// let summary = run(&plan, &mut |event| {
///     if let RunEvent::Finished(outcome) = event {
///         assert_eq!(outcome.failing().count(), 0, "{}", outcome.scenario_run);
///         finished += 1;
///     }
/// })
/// .await;
/// assert_eq!(summary.lines.len(), finished);
/// assert_eq!(summary.exit, ExitCode::Passed);
/// # Ok::<(), mcp_test::Error>(())
/// # })?;
/// # Ok::<(), mcp_test::Error>(())
/// ```
pub async fn run(plan: &Plan, on: &mut dyn FnMut(RunEvent)) -> Summary {
    let started_before = plan.target.program_starts();
    // Reporters get the same events as from any run, so that the reports are complete.
    if plan.scenario_runs.is_empty() {
        on(RunEvent::Planned(Vec::new()));
        let mut summary = Summary::of(plan);
        summary.conclude(plan);
        on(RunEvent::Ended(summary.clone()));
        return summary;
    }
    let ready = match &plan.target {
        Tested::Server(target) => prepare(plan, target).await,
        // Nobody knows before a client connects what it speaks, and an authorization server has no revision of MCP.
        _ => Ok(Ready::default()),
    };
    match ready {
        Err(PreflightFailure { finding, tried, .. }) => {
            on(RunEvent::PreflightFailed { finding: finding.clone(), tried });
            let mut summary = Summary::of(plan);
            summary.not_run = Some(finding);
            summary.exit = ExitCode::NotRun;
            on(RunEvent::Ended(summary.clone()));
            summary
        }
        Ok(Ready { prepared, survey, fallback, pool }) => {
            let plan = fallback.as_ref().unwrap_or(plan);
            let mut scenario_runs = plan.scenario_runs.clone();
            if let Tested::Server(_) = plan.target {
                on(RunEvent::PreflightDone(survey.summary(plan)));
                scenario_runs = survey.applicable(plan);
            }
            let (scenario_runs, of_other_shards) = match plan.shard {
                Some(shard) => shard.split(scenario_runs),
                None => (scenario_runs, Vec::new()),
            };
            on(RunEvent::Planned(scenario_runs.clone()));
            let facts = Facts { survey: &survey, program: &prepared, pool: pool.as_ref() };
            let mut run = Run::new(plan, facts, scenario_runs, on);
            of_other_shards.iter().for_each(|it| run.summary.results.leave_out(it));
            let (mut summary, is_silent) = run.run_all().await;
            summary.program_starts = plan.target.program_starts() - started_before;
            summary.program_restarts =
                pool.as_ref().map_or(0, |pool| pool.starts.with(|budget| budget.replacements));
            on(RunEvent::Ended(summary.clone()));
            // After the report, which a program that does not exit must not delay.
            if is_silent {
                prepared.stop().await;
            } else {
                prepared.end().await;
            }
            if let Some(pool) = pool {
                pool.end().await;
            }
            summary
        }
    }
}

/// A target that was started and asked for its facts.
#[derive(Default)]
struct Ready {
    prepared: PreparedTarget,
    survey: Survey,
    /// The plan to use instead, if the target speaks only over another transport.
    fallback: Option<Plan>,
    /// The connections to a server.
    pool: Option<ConnectionPool>,
}

async fn prepare(plan: &Plan, target: &Target) -> Result<Ready, PreflightFailure> {
    // As long as a first answer over stdio, for which `npx` and the like may also have to download the program.
    let prepared = target.prepare_within(plan.timeout).await.map_err(Finding::from)?;
    #[cfg(feature = "auth")]
    super::sign_in_step::learn_demands(target, plan.limits).await;
    let pool = ConnectionPool::new(plan, target);
    match survey_signed_in(plan, target, &pool).await {
        Ok(survey) => Ok(Ready { prepared, survey, fallback: None, pool: Some(pool) }),
        Err(mut failure) => {
            #[cfg(feature = "http")]
            if let Some((plan, survey, pool)) =
                preflight::over_older_sse(plan, target, &failure).await
            {
                return Ok(Ready { prepared, survey, fallback: Some(plan), pool: Some(pool) });
            }
            #[cfg(feature = "auth")]
            if failure.lacks_credentials()
                && let Some(plan) = plan.without_credentials()
            {
                let survey = Survey::closed_target();
                return Ok(Ready { prepared, survey, fallback: Some(plan), pool: Some(pool) });
            }
            preflight::add_exit_and_stderr(&mut failure.finding, &prepared);
            pool.stop();
            prepared.stop().await;
            Err(failure)
        }
    }
}

/// Asks the target for its facts; if it demands authorization, again after somebody has signed in.
async fn survey_signed_in(
    plan: &Plan,
    target: &Target,
    pool: &ConnectionPool,
) -> Result<Survey, PreflightFailure> {
    let failure = match survey(plan, target, pool).await {
        Ok(survey) => return Ok(survey),
        Err(failure) => failure,
    };
    let demands = failure.finding.cause.as_deref() == Some(&Cause::Status(401));
    match &plan.sign_in {
        Some(step) if demands && step.sign_in().await? => survey(plan, target, pool).await,
        _ => Err(failure),
    }
}

/// Asks the target for its facts; if it cannot be reached, again after what it needs was started.
async fn survey(
    plan: &Plan,
    target: &Target,
    pool: &ConnectionPool,
) -> Result<Survey, PreflightFailure> {
    let failure = match preflight::survey(plan, target, pool).await {
        Ok(survey) => return Ok(survey),
        Err(failure) => failure,
    };
    match &plan.prerequisites {
        Some(prerequisites) if failure.finding.blame == Blame::Environment => {
            let authority = target.transports().into_iter().find_map(|kind| target.authority(kind));
            let running = prerequisites.start(authority).await.map_err(PreflightFailure::from)?;
            let survey = preflight::survey(plan, target, pool).await;
            // The scenarios start what they need themselves.
            running.stop().await;
            survey
        }
        _ => Err(failure),
    }
}

type ScenarioRunFuture<'a> = Pin<Box<dyn Future<Output = (usize, Outcome)> + 'a>>;

/// How many runs may be closing their connections while others run.
const CLOSING: usize = 8;

/// A job of a run, and for one that starts a program one of the starts, until it is dropped.
struct Job {
    _job: OwnedSemaphorePermit,
    _start: Option<OwnedSemaphorePermit>,
    /// For the first run of a scenario whose other runs wait for it.
    _first: Option<Arc<()>>,
}

/// What the runs of a scenario have in common that wait for the first one.
fn first_run_key(scenario_run: &ScenarioRun) -> (TransportKind, String) {
    (scenario_run.transport, scenario_run.scenario.id.to_string())
}

/// How many scenarios run at the same time.
fn job_count(plan: &Plan) -> u16 {
    u16::try_from(plan.jobs.get()).unwrap_or(u16::MAX)
}

/// What is known of the target of a run, and the connections to it.
#[derive(Clone, Copy)]
struct Facts<'a> {
    survey: &'a Survey,
    program: &'a PreparedTarget,
    pool: Option<&'a ConnectionPool>,
}

/// The state of a run.
struct Run<'a> {
    plan: &'a Plan,
    facts: Facts<'a>,
    scenario_runs: Vec<ScenarioRun>,
    on: &'a mut dyn FnMut(RunEvent),
    /// The jobs that are free. A run has one until its scenario has ended, and may then still be closing its connections.
    jobs: Arc<Semaphore>,
    /// The part of the jobs that is kept for scenario runs which start a program, as long as there are such scenario runs and others.
    starts: Arc<Semaphore>,
    running: FuturesUnordered<ScenarioRunFuture<'a>>,
    /// Outcomes that wait for those of earlier scenario runs.
    waiting: BTreeMap<usize, Outcome>,
    /// How many outcomes were reported.
    reported: usize,
    /// Whether the run ends with what runs already.
    is_stopped: bool,
    /// The first runs of scenarios whose other runs wait for it, as long as they have a job.
    first_runs: BTreeMap<(TransportKind, String), Weak<()>>,
    /// The transports over which the server has stopped answering.
    silences: BTreeMap<TransportKind, Arc<Silence>>,
    summary: Summary,
}

impl<'a> Run<'a> {
    fn new(
        plan: &'a Plan,
        facts: Facts<'a>,
        scenario_runs: Vec<ScenarioRun>,
        on: &'a mut dyn FnMut(RunEvent),
    ) -> Self {
        let jobs = usize::from(job_count(plan));
        Self {
            plan,
            facts,
            scenario_runs,
            on,
            jobs: Arc::new(Semaphore::new(jobs)),
            starts: Arc::new(Semaphore::new(jobs.div_ceil(2))),
            running: FuturesUnordered::new(),
            waiting: BTreeMap::new(),
            reported: 0,
            is_stopped: false,
            first_runs: BTreeMap::new(),
            silences: BTreeMap::new(),
            summary: Summary::of(plan),
        }
    }

    /// Runs all scenario runs; also returns whether the server has stopped answering.
    async fn run_all(mut self) -> (Summary, bool) {
        let mut queue = ScenarioRunQueue::new(self.waiting_scenario_runs());
        while let Some(first) = queue.first() {
            if first.exclusive {
                // An exclusive scenario waits until nothing else runs, and is then waited for.
                self.finish_all().await;
            }
            let job = self.free_job().await;
            if self.is_stopped {
                // If a failure ends the run, scenario runs are started in the order of the plan.
                self.leave_out(first.index);
                break;
            }
            let start = self.starts.clone().try_acquire_owned().ok();
            let programs = queue.programs();
            let Some(next) = queue.take(start.is_some(), |it| !self.waits_for_first(it)) else {
                drop((job, start));
                self.finish_scenarios().await;
                continue;
            };
            let scenario_run = self.scenario_runs[next.index].clone();
            (self.on)(RunEvent::Started(scenario_run.clone()));
            if let Some(silence) = self.silences.get(&scenario_run.transport) {
                let outcome = skip_scenario_run(self.plan, scenario_run, silence.clone());
                self.settle(next.index, outcome);
                continue;
            }
            if let Some(pool) = self.facts.pool {
                pool.start_ahead(programs).await;
            }
            let is_last = !queue
                .iter()
                .any(|it| self.scenario_runs[it.index].transport == scenario_run.transport);
            let facts = self.facts_for(&scenario_run, is_last);
            let first = next.later_runs_wait.then(|| self.note_first(&scenario_run)).flatten();
            let start = start.filter(|_| next.starts_program);
            let job = Job { _job: job, _start: start, _first: first };
            self.start(next.index, scenario_run, facts, job);
            if next.exclusive {
                self.finish_all().await;
            }
        }
        self.finish_all().await;
        self.summary.conclude(self.plan);
        let is_silent = !self.silences.is_empty();
        // What was skipped for that is not known, and nothing else failed: a machine under load may have been too slow.
        let has_failed = self.summary.lines.iter().any(|line| line.verdict == Verdict::Failed);
        if is_silent && !has_failed && self.summary.exit == ExitCode::Passed {
            self.summary.exit = ExitCode::NotRun;
        }
        (self.summary, is_silent)
    }

    /// Leaves out this scenario run and those that follow.
    fn leave_out(&mut self, from: usize) {
        self.summary.not_started = self.scenario_runs[from..].to_vec();
        self.scenario_runs[from..].iter().for_each(|it| self.summary.results.leave_out(it));
    }

    /// All scenario runs, in the order of the plan.
    fn waiting_scenario_runs(&self) -> Vec<Waiting> {
        // With one job, and when a failure ends the run, the order of the plan is that of the starts.
        let pool = self.facts.pool.filter(|pool| pool.starts_ahead());
        let starts_program = |it: &ScenarioRun| {
            let is_run = || {
                self.plan.profile.at(&it.scenario, it.revision) == Profile::Official
                    || self.facts.survey.facts_for(it).unmet(it, &self.plan.fixtures).is_none()
            };
            it.transport == TransportKind::Stdio
                && pool.is_some_and(|pool| !pool.shares(it, self.plan.profile))
                && is_run()
        };
        let calls_tools = |scenario_run: &ScenarioRun| {
            pool.is_some_and(|pool| pool.shares(scenario_run, self.plan.profile))
                && scenario_run.scenario.needs.contains(&Need::Any(ItemKind::Tool))
        };
        let waiting = |(index, scenario_run): (usize, &ScenarioRun)| Waiting {
            index,
            exclusive: scenario_run.scenario.exclusive.is_some(),
            starts_program: starts_program(scenario_run),
            calls_tools: calls_tools(scenario_run),
            later_runs_wait: pool.is_some() && scenario_run.scenario.later_runs_wait,
        };
        self.scenario_runs.iter().enumerate().map(waiting).collect()
    }

    /// Whether the first run of the scenario has not ended.
    fn waits_for_first(&self, waiting: Waiting) -> bool {
        let first = || self.first_runs.get(&first_run_key(&self.scenario_runs[waiting.index]));
        waiting.later_runs_wait && first().is_some_and(|first| first.strong_count() > 0)
    }

    /// Held by a run until its scenario has ended, if it is the first of that scenario.
    fn note_first(&mut self, scenario_run: &ScenarioRun) -> Option<Arc<()>> {
        let Entry::Vacant(entry) = self.first_runs.entry(first_run_key(scenario_run)) else {
            return None;
        };
        let first = Arc::new(());
        entry.insert(Arc::downgrade(&first));
        Some(first)
    }

    fn start(
        &mut self,
        index: usize,
        scenario_run: ScenarioRun,
        facts: ScenarioRunFacts<'a>,
        job: Job,
    ) {
        let (plan, program) = (self.plan, self.facts.program);
        // The program of a run may be one that cannot run twice at the same time; and how it ends may decide whether there is a next.
        let keeps_job = plan.jobs == NonZeroUsize::MIN || plan.fail_fast;
        let jobs = self.jobs.clone();
        self.running.push(Box::pin(async move {
            let job = RefCell::new(Some(job));
            let progress = |progress: Progress<'_>| {
                if matches!(progress, Progress::Ending) && !keeps_job {
                    job.take();
                }
            };
            let get_job = async || {
                if job.borrow().is_none() {
                    let free = jobs.clone().acquire_owned().await.ok();
                    job.replace(free.map(|job| Job { _job: job, _start: None, _first: None }));
                }
            };
            let mut outcome = run_with_retries(plan, scenario_run, facts, &progress, get_job).await;
            if let Tested::Server(_) = plan.target {
                outcome.add_exit_and_stderr(program);
            }
            (index, outcome)
        }));
    }

    /// Waits until a job is free.
    async fn free_job(&mut self) -> OwnedSemaphorePermit {
        loop {
            let waiting = self.facts.pool.map_or(0, ConnectionPool::waiting);
            let has_room =
                self.running.len() < usize::from(job_count(self.plan)) + CLOSING + waiting;
            // Before anything else goes on, so that jobs start in the order of the plan.
            if has_room && let Ok(job) = self.jobs.clone().try_acquire_owned() {
                return job;
            }
            let jobs = self.jobs.clone();
            tokio::select! {
                biased;
                Some((index, outcome)) = self.running.next() => self.take(index, outcome),
                Ok(job) = jobs.acquire_owned(), if has_room => return job,
            }
        }
    }

    /// Waits until no scenario has a job; the runs may still be closing their connections.
    async fn finish_scenarios(&mut self) {
        let jobs = u32::from(job_count(self.plan));
        loop {
            let all = self.jobs.clone();
            tokio::select! {
                biased;
                Some((index, outcome)) = self.running.next() => self.take(index, outcome),
                _ = all.acquire_many_owned(jobs) => break,
            }
        }
    }

    /// Waits until everything has ended that was started.
    async fn finish_all(&mut self) {
        // First all scenarios, which may still use a connection of the pool.
        self.finish_scenarios().await;
        if let Some(pool) = self.facts.pool {
            if self.silences.is_empty() { pool.end_idle() } else { pool.stop() }
        }
        while let Some((index, outcome)) = self.running.next().await {
            self.take(index, outcome);
        }
        if let Some(pool) = self.facts.pool {
            pool.resume();
        }
    }

    fn facts_for(&self, scenario_run: &ScenarioRun, is_last: bool) -> ScenarioRunFacts<'a> {
        let Tested::Server(_) = self.plan.target else { return ScenarioRunFacts::default() };
        let facts = self.facts.survey.facts_for(scenario_run);
        // Whether the server still answers matters only if there is more to ask it.
        ScenarioRunFacts {
            liveness: facts.liveness.filter(|_| !is_last),
            pool: self.facts.pool,
            ..facts
        }
    }

    /// Takes an outcome, and notes that the server has stopped answering.
    fn take(&mut self, index: usize, outcome: Outcome) {
        if let Some(silence) = &outcome.silence {
            let transport = outcome.scenario_run.transport;
            self.silences.entry(transport).or_insert_with(|| silence.clone());
        }
        self.settle(index, outcome);
    }

    /// Takes an outcome, and reports those that follow the last one reported.
    fn settle(&mut self, index: usize, outcome: Outcome) {
        self.is_stopped |= self.plan.fail_fast && self.plan.is_unexpected(&outcome);
        self.waiting.insert(index, outcome);
        while let Some(outcome) = self.waiting.remove(&self.reported) {
            self.reported += 1;
            self.summary.take(&outcome);
            (self.on)(RunEvent::Finished(Box::new(outcome)));
        }
    }
}
