//! One run of one scenario, without the pre-flight of a plan, for test functions.
//!
//! A plan surveys its target once for hundreds of runs. A test has a target of its own, made again for every run, and
//! declares where it runs: only what it leaves open is asked here.

use std::time::Duration;

use super::execution::{
    self, OtherRevision, Progress, REPLY, ScenarioRunFacts, run_client_function,
    run_scenario_watched,
};
use super::preflight::add_exit_and_stderr;
use super::spoken_revisions::{NEWEST, ProbeFailure, TargetKey, facts_by_revision};
use super::{Outcome, Plan, ScenarioRun, Tested};
use crate::check::{Check, Finding};
#[doc(hidden)]
pub use crate::client::Unanswered;
use crate::client::{ReplyHistory, ServerFacts};
use crate::clock::Deadline;
use crate::expect::words;
use crate::json::Value;
use crate::scenario::{Body, Scenario, SetupFuture, SetupValue, Shared, Stop};
use crate::spec::{Era, KnownViolations, Revision};
use crate::trace::Trace;
use crate::transport::{ClientTarget, PreparedTarget, Target, TransportKind};

/// How long to wait for a dying program to exit, after its client has noticed.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// The revision of a run, as its test declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RevisionRequest {
    /// The newest one that both sides speak.
    Newest,
    /// A revision named by itself: the server must speak it.
    Named(Revision),
    /// A revision out of a range: the server need not speak it.
    Ranged(Revision),
}

/// A run that a test requests.
#[derive(Debug, Clone)]
pub struct SingleRun {
    /// The scenario; its `timeout` is set.
    #[doc(hidden)]
    pub scenario: Shared<Scenario>,
    #[doc(hidden)]
    pub revision: RevisionRequest,
    /// The transport; `None` for the first of the target.
    #[doc(hidden)]
    pub transport: Option<TransportKind>,
    #[doc(hidden)]
    pub timeout: Duration,
    /// What distinguishes the target from others of this process.
    #[doc(hidden)]
    pub target_key: TargetKey,
    /// What other runs of the same test have awaited in vain.
    #[doc(hidden)]
    pub unanswered: Unanswered,
    /// The requirements whose violations are expected.
    #[doc(hidden)]
    pub known: KnownViolations,
}

/// How a single run ended.
#[derive(Debug)]
pub enum ScenarioRunResult {
    /// The scenario was run.
    Finished(Box<Outcome>),
    /// The server does not speak the revision, and need not, for this reason.
    Unsupported(String),
    /// The setup skipped the scenario, for this reason.
    Skipped(String),
    /// The scenario failed only since a request had less time than usual, for this reason: another run of the test, which has
    /// failed, has awaited the same in vain.
    Undecided(String),
    /// The scenario could not be run.
    NotRun(Box<ProbeFailure>),
}

impl From<Finding> for ScenarioRunResult {
    fn from(finding: Finding) -> Self {
        Self::NotRun(Box::new(ProbeFailure { finding, trace: Trace::default() }))
    }
}

/// Runs the setup of a test, which comes before everything else, and may take this long.
///
/// # Errors
///
/// The result of the run, if the setup fails or skips the scenario.
pub async fn set_up(
    setup: fn() -> SetupFuture,
    time: Duration,
) -> Result<SetupValue, ScenarioRunResult> {
    execution::set_up(setup, time).await.map_err(|stop| match stop {
        Stop::Finding(finding) => finding.into(),
        Stop::Skipped(skip) => ScenarioRunResult::Skipped(words::into_inert(skip.reason)),
        Stop::Error(error) => Finding::test(error.to_string()).into(),
    })
}

/// Starts the target, settles the revision and the transport, and runs the scenario there.
pub async fn run_single(
    run: &SingleRun,
    target: &Target,
    progress: &dyn Fn(Progress<'_>),
) -> ScenarioRunResult {
    let prepared = match target.prepare().await {
        Ok(prepared) => prepared,
        Err(error) => return Finding::from(error).into(),
    };
    let mut result = on_target(run, target, progress).await;
    // Before `end`, after which every program has exited.
    result.add_exit_and_stderr(&prepared).await;
    prepared.end().await;
    result
}

/// Runs the test of a client.
pub async fn run_single_client(
    run: &SingleRun,
    client: &ClientTarget,
    progress: &dyn Fn(Progress<'_>),
) -> ScenarioRunResult {
    let Body::ClientTest(body) = &run.scenario.body else {
        return Finding::harness("the scenario does not test a client").into();
    };
    let tested = Tested::from(client.clone());
    let Some(transport) = run.transport.or_else(|| tested.transports().first().copied()) else {
        return Finding::test("the client has no transport").into();
    };
    let (revision, must_speak) = match run.revision {
        // The client chooses, since nobody else can: the server speaks all.
        RevisionRequest::Newest => (Revision::NEWEST, false),
        RevisionRequest::Named(revision) => (revision, true),
        RevisionRequest::Ranged(revision) => (revision, false),
    };
    let scenario_run = ScenarioRun { scenario: run.scenario.clone(), revision, transport };
    let plan = Plan::single(scenario_run.clone(), tested, run.timeout, run.known.clone());
    let ended = run_client_function(&plan, scenario_run.clone(), client, &**body, progress).await;
    match ended {
        Ok(outcome) => ScenarioRunResult::Finished(Box::new(outcome)),
        Err(OtherRevision { reason, hint, trace }) if must_speak => {
            let mut finding = Finding::peer(format!("the client does not speak {revision}"))
                .expected(format!("a client that speaks {revision}, which the test names"))
                .got(reason);
            finding.hint = hint;
            ScenarioRunResult::Finished(Box::new(Outcome::failed(scenario_run, finding, trace)))
        }
        Err(OtherRevision { reason, .. }) => ScenarioRunResult::Unsupported(reason),
    }
}

impl ScenarioRunResult {
    /// Adds how the program behind the URL exited, and its last output.
    async fn add_exit_and_stderr(&mut self, prepared: &PreparedTarget) {
        match self {
            Self::Finished(outcome) if outcome.verdict.is_failing() => {
                // The connection breaks a little before the exit of the program can be observed.
                let _ = prepared.exit_until(Deadline::after(LAST_WORDS)).await;
                outcome.add_exit_and_stderr(prepared);
            }
            Self::NotRun(failure) => {
                let _ = prepared.exit_until(Deadline::after(LAST_WORDS)).await;
                add_exit_and_stderr(&mut failure.finding, prepared);
            }
            Self::Finished(_) | Self::Unsupported(_) | Self::Skipped(_) | Self::Undecided(_) => {}
        }
    }
}

async fn on_target(
    run: &SingleRun,
    target: &Target,
    progress: &dyn Fn(Progress<'_>),
) -> ScenarioRunResult {
    let Some(transport) = run.transport.or_else(|| target.transports().first().copied()) else {
        return Finding::test("the target has no transport").into();
    };
    let (revision, discovered) = match run.revision(target, transport).await {
        Ok(settled) => settled,
        Err(result) => return result,
    };
    let scenario_run = ScenarioRun { scenario: run.scenario.clone(), revision, transport };
    let plan = Plan::single(scenario_run.clone(), target.clone(), run.timeout, run.known.clone());
    let history = ReplyHistory::for_test(&run.unanswered);
    let facts = ScenarioRunFacts { discovered, history, ..ScenarioRunFacts::default() };
    let outcome = run_scenario_watched(&plan, scenario_run, facts, progress).await;
    if outcome.verdict.is_failing() {
        run.unanswered.note_failed();
    }
    match undecided(&outcome) {
        Some(reason) => ScenarioRunResult::Undecided(reason),
        None => ScenarioRunResult::Finished(Box::new(outcome)),
    }
}

/// Why a run shows nothing that failed, if the only reason is a shortened time.
fn undecided(outcome: &Outcome) -> Option<String> {
    let is_shortened =
        |check: &Check| check.finding.as_ref().is_some_and(|it| it.in_shortened_time);
    let first = outcome.failing().next()?;
    if !outcome.failing().all(is_shortened) {
        return None;
    }
    let Finding { headline, expected, .. } = first.finding.as_ref()?;
    let expected = expected.as_deref().unwrap_or("a reply");
    Some(format!(
        "{headline}: expected {expected}, less time than usual, since another run has awaited the same in vain"
    ))
}

impl SingleRun {
    /// The revision of the run, and what the server declares there in the stateless era.
    async fn revision(
        &self,
        target: &Target,
        transport: TransportKind,
    ) -> Result<(Revision, Option<Value>), ScenarioRunResult> {
        let timeout = REPLY.min(self.timeout);
        let ask = async |wanted: &[Revision]| {
            let spoken = facts_by_revision(self.target_key, target, transport, wanted, timeout);
            spoken.await.map_err(|failure| ScenarioRunResult::NotRun(Box::new(failure)))
        };
        match self.revision {
            // If the server refuses it, the run itself fails with the better finding. Only in the stateless era does the run not
            // begin with what the server declares.
            RevisionRequest::Named(revision) => {
                let is_stateless = revision.era() == Era::Stateless;
                let spoken = if is_stateless { ask(&[revision]).await } else { Ok(Vec::new()) };
                Ok((revision, spoken.ok().and_then(|spoken| spoken.last()?.discovered())))
            }
            RevisionRequest::Newest => {
                let spoken = ask(&NEWEST).await?;
                let newest = spoken.last();
                let revision = newest.map_or(Revision::NEWEST, |facts| facts.revision);
                Ok((revision, newest.and_then(ServerFacts::discovered)))
            }
            RevisionRequest::Ranged(revision) => {
                let spoken = ask(&Revision::ALL).await?;
                if let Some(facts) = spoken.iter().find(|facts| facts.revision == revision) {
                    return Ok((revision, facts.discovered()));
                }
                let spoken: Vec<&str> =
                    spoken.iter().map(|facts| facts.revision.as_str()).collect();
                Err(ScenarioRunResult::Unsupported(format!(
                    "the server does not speak {revision} over {transport}; it speaks {}",
                    spoken.join(", ")
                )))
            }
        }
    }
}
