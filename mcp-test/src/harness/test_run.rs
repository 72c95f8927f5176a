//! One run of a user's scenario, from its declaration to the text of its failure.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

#[cfg(feature = "harness")]
use libtest_mimic::{Completion, Failed, Trial};
use mcp_test_core::check::Finding;
use mcp_test_core::clock;
#[cfg(feature = "harness")]
use mcp_test_core::expect::words;
use mcp_test_core::failure_report;
use mcp_test_core::run::single::{
    RevisionRequest, ScenarioRunResult, SingleRun, Unanswered, run_single, run_single_client,
    set_up,
};
use mcp_test_core::run::{Outcome, Problems, Progress, ScenarioRun, Tested, Verdict, panics};
use mcp_test_core::scenario::{
    Body, Golden, Kind, MORE_TIME, RunOfTest, Scenario, SetupValue, Shared, SharedSetupValue, Stop,
    Teardown, TestedSide, UserBody, UserScenario,
};
use mcp_test_core::spec::Revisions;
use mcp_test_core::trace::Recorder;
use tokio::runtime::Runtime;

use super::InvalidTest;
#[cfg(feature = "harness")]
use super::environment;
use super::exit_hook::RunningTest;
use super::known::{self, KnownOfScenario};
use super::scenario_runs::DeclaredRun;
use super::source::Source;
use super::watchdog::{FAREWELL, Heartbeat, PREPARATION, WatchdogError, run_watched};
use super::{output, recording};

/// How long one run may take by default.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);
/// How long after the deadline of a run its thread is given up.
///
/// A run that is not blocked notices its deadline itself, and then has a better failure to report.
const LENIENCE: Duration = Duration::from_secs(1);

/// How a test ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TestResult {
    /// Nothing is wrong, and the test exchanged something with its target.
    Passed,
    /// Something is wrong, which was known, and nothing else.
    ExpectedFailure(String),
    /// Nothing was tested, for this reason.
    Skipped(String),
    /// Something is wrong: the whole report.
    Failed(String),
}

/// A test of any kind, which is given its result by `run`.
#[cfg(feature = "harness")]
pub(super) fn trial(
    name: String,
    is_ignored: bool,
    run: impl FnOnce() -> TestResult + Send + 'static,
) -> Trial {
    Trial::ignorable_test(name, move || run().into_completion()).with_ignored_flag(is_ignored)
}

#[cfg(feature = "harness")]
impl TestResult {
    /// The result as libtest-mimic takes it.
    fn into_completion(self) -> Result<Completion, Failed> {
        match self {
            Self::Passed => Ok(Completion::Completed),
            // The only result beside a pass that does not fail the run, and is shown with its reason.
            Self::ExpectedFailure(what) => {
                Ok(Completion::ignored_with(words::inert(&format!("expected failure: {what}"))))
            }
            // libtest-mimic prints them as they are.
            Self::Skipped(reason) => Ok(Completion::ignored_with(words::inert(&reason))),
            // nextest does not look for the message of a failure on standard output, where libtest-mimic prints it.
            Self::Failed(report) if environment::is_nextest() => {
                output::failure(&report);
                Err(Failed::without_message())
            }
            Self::Failed(report) => Err(words::inert(&report).into()),
        }
    }
}

/// A run of a user's scenario.
#[derive(Debug, Clone)]
pub(super) struct TestRun {
    pub(super) scenario: &'static UserScenario,
    pub(super) source: Source,
    pub(super) scenario_run: DeclaredRun,
    pub(super) timeout: Duration,
    /// What distinguishes the snapshot from those of the scenario's other runs, if there are any.
    pub(super) snapshot_suffix: Option<String>,
    /// Whether mcp-test shows how a snapshot differs.
    pub(super) shows_differences: bool,
    /// Whether panics are captured, as part of the report; under libtest they are printed.
    pub(super) captures_panics: bool,
    /// What the runs of the scenario have awaited in vain.
    pub(super) unanswered: Unanswered,
    /// The secrets in the environment.
    pub(super) secrets: Arc<[String]>,
    /// Where the conversation is recorded, if it is.
    pub(super) recorded: Option<PathBuf>,
    /// What the runs of the scenario show about known violations.
    pub(super) known: Arc<KnownOfScenario>,
}

/// A run that ended.
#[derive(Debug)]
pub(super) struct FinishedRun {
    pub(super) result: TestResult,
    /// Whether it was skipped because the server does not speak the revision, which was one of a range.
    pub(super) is_unsupported: bool,
    /// Whether it was skipped because another run had failed by the same, so that it had less time.
    pub(super) is_undecided: bool,
    /// What failed, by cause; empty if it did not end.
    pub(super) problems: Problems,
    /// Its revision and transport: `2025-11-25 over duplex`.
    pub(super) place: String,
    /// `scenario `x` failed at 2025-11-25 over duplex of calculator, tests/calculator.rs:12:10`.
    pub(super) heading: String,
    /// The known violations that no longer occur, if that fails the scenario; not the fault of this run.
    pub(super) stale: Option<String>,
}

#[cfg(feature = "harness")]
impl FinishedRun {
    /// The result, if it is shown for this run alone.
    pub(super) fn into_result(self) -> TestResult {
        match self.stale {
            Some(text) => TestResult::Failed(text),
            None => self.result,
        }
    }
}

/// What is known of a run whose thread is blocked.
#[derive(Default)]
struct LastKnown {
    target: Option<String>,
    scenario_run: Option<(ScenarioRun, Recorder)>,
    /// Whether its setup runs, which is before there is a scenario run.
    is_in_setup: bool,
}

impl TestRun {
    /// Runs the scenario and waits for its end.
    pub(super) fn execute(&self) -> FinishedRun {
        let _running = RunningTest::start(self.scenario.test_name());
        let known = Arc::new(Mutex::new(LastKnown::default()));
        let (run, shared) = (self.clone(), Arc::clone(&known));
        let result = run_watched(self.scenario.test_name(), move |runtime, heartbeat| {
            if run.captures_panics {
                panics::capture();
            }
            let result =
                catch_unwind(AssertUnwindSafe(|| run.on_thread(runtime, heartbeat, &shared)));
            // The runner catches panics of the scenario; others come from the code of its target.
            let result = result.unwrap_or_else(|_| Finding::test(code_panicked()).into());
            // The captured panics are thread-local, so they are taken here.
            (result, panics::take())
        });
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let (result, panics) = match result {
            Ok(ended) => ended,
            Err(WatchdogError::Blocked) => (self.blocked(&mut known), Vec::new()),
            Err(error) => (Finding::environment(error.to_string()).into(), Vec::new()),
        };
        let stale = self.known.add(&result);
        let not_recorded = self.record(&result);
        let finished = self.report(result, known.target.as_deref(), &panics);
        let finished = self.with_stale(finished, &stale);
        match not_recorded {
            Err(text) if !matches!(finished.result, TestResult::Failed(_)) => {
                let report = format!("{}\n{text}\n", finished.heading);
                FinishedRun { result: TestResult::Failed(report), ..finished }
            }
            _ => finished,
        }
    }

    /// Records the conversation, if that is wanted.
    fn record(&self, result: &ScenarioRunResult) -> Result<(), String> {
        match (&self.recorded, result) {
            (Some(folder), ScenarioRunResult::Finished(outcome)) => {
                recording::record(folder, self.scenario, &self.run_of_test(), outcome)
            }
            _ => Ok(()),
        }
    }

    /// The run with a report on the known violations that no longer occur, which fails it if the environment says so.
    fn with_stale(&self, finished: FinishedRun, stale: &[String]) -> FinishedRun {
        if stale.is_empty() || matches!(finished.result, TestResult::Failed(_)) {
            return finished;
        }
        let text = stale.concat();
        if self.known.is_strict {
            let text = format!("{}\n{text}", heading(self.scenario, None, None));
            return FinishedRun { stale: Some(text), ..finished };
        }
        output::warning(&format!("scenario `{}`: {text}", self.scenario.test_name()));
        finished
    }

    /// Runs the setup, makes the target or client, and runs the scenario with it.
    fn on_thread(
        &self,
        runtime: &Runtime,
        heartbeat: &Heartbeat<'_>,
        known: &Mutex<LastKnown>,
    ) -> ScenarioRunResult {
        let value = match self.scenario.setup {
            None => SetupValue::default(),
            Some(setup) => {
                let note = |is_in_setup| {
                    known.lock().unwrap_or_else(PoisonError::into_inner).is_in_setup = is_in_setup;
                };
                note(true);
                heartbeat.allow(self.timeout.saturating_add(LENIENCE));
                let ended = runtime.block_on(set_up(setup, self.timeout));
                heartbeat.allow(PREPARATION);
                note(false);
                match ended {
                    Ok(value) => value,
                    Err(result) => return result,
                }
            }
        };
        // The function that makes the target may spawn tasks.
        let context = runtime.enter();
        let made = self.source.make(&value);
        drop(context);
        let tested = match made {
            Ok(tested) => tested,
            Err(invalid_test) => return Finding::test(invalid_test.to_string()).into(),
        };
        let value = SharedSetupValue::new(value.into());
        let result = self.run_on(&tested, &value, runtime, heartbeat, known);
        // Only now: what the run has started may need it until its end. What it drops may need the runtime.
        let _context = runtime.enter();
        if let Ok(mut value) = value.try_lock() {
            value.clear();
        }
        result
    }

    fn run_on(
        &self,
        tested: &Tested,
        value: &SharedSetupValue,
        runtime: &Runtime,
        heartbeat: &Heartbeat<'_>,
        known: &Mutex<LastKnown>,
    ) -> ScenarioRunResult {
        let update = |change: &dyn Fn(&mut LastKnown)| {
            change(&mut known.lock().unwrap_or_else(PoisonError::into_inner));
        };
        // At once, so that a report on a blocked thread can name the target.
        update(&|known| known.target = Some(tested.label_over(self.scenario_run.transport)));
        // It uses a fixed port, so that only one such program can run.
        if matches!(tested, Tested::Server(target) if target.starts_program()) {
            heartbeat.wait_for_turn();
        }
        let progress = |progress: Progress<'_>| match progress {
            Progress::Running { scenario_run, recorder } => {
                update(&|known| {
                    known.scenario_run = Some((scenario_run.clone(), recorder.clone()));
                });
                heartbeat.allow(self.timeout.saturating_add(LENIENCE));
            }
            Progress::Asking | Progress::Ending => heartbeat.allow(FAREWELL),
        };
        let known = match self.known.for_run(tested) {
            Ok(known) => known,
            Err(unknown) => return Finding::test(unknown.to_string()).into(),
        };
        let run = SingleRun {
            known,
            scenario: self.definition(value),
            revision: self.scenario_run.revision,
            transport: self.scenario_run.transport,
            timeout: self.timeout,
            target_key: self.source.key(),
            unanswered: self.unanswered.for_run(),
        };
        match tested {
            Tested::Server(target) => runtime.block_on(run_single(&run, target, &progress)),
            Tested::Client(client) => runtime.block_on(run_single_client(&run, client, &progress)),
            #[cfg(feature = "auth")]
            Tested::AuthorizationServer(_) => {
                Finding::test("a test function tests a server or a client").into()
            }
        }
    }

    /// The user's function as a scenario.
    fn definition(&self, value: &SharedSetupValue) -> Shared<Scenario> {
        let (golden, value) = (self.golden(), Arc::clone(value));
        let of_test = self.run_of_test();
        let (tested_side, body, teardown) = match self.scenario.body {
            UserBody::Server { run, teardown, .. } => {
                let body = Body::server(move |ctx| {
                    ctx.set_golden(golden.clone());
                    ctx.set_run_of_test(of_test.clone());
                    ctx.set_setup_value(Arc::clone(&value));
                    Box::pin(async move { run(ctx).await.map_err(Stop::from) })
                });
                let teardown = teardown.map(|teardown| {
                    Teardown::Server(Shared::Counted(Arc::new(move |ctx| {
                        Box::pin(async move { teardown(ctx).await.map_err(Stop::from) })
                    })))
                });
                (TestedSide::Server, body, teardown)
            }
            UserBody::Client { run, teardown, .. } => {
                let body = Body::ClientTest(Shared::Counted(Arc::new(move |ctx| {
                    ctx.set_golden(golden.clone());
                    ctx.set_run_of_test(of_test.clone());
                    ctx.set_setup_value(Arc::clone(&value));
                    Box::pin(async move { run(ctx).await.map_err(Stop::from) })
                })));
                let teardown = teardown.map(|teardown| {
                    Teardown::Client(Shared::Counted(Arc::new(move |ctx| {
                        Box::pin(async move { teardown(ctx).await.map_err(Stop::from) })
                    })))
                });
                (TestedSide::Client, body, teardown)
            }
        };
        // Where it matters, with clients: those that the server of the test speaks.
        let revisions = match self.scenario_run.revision {
            RevisionRequest::Newest => Revisions::all(),
            RevisionRequest::Named(revision) | RevisionRequest::Ranged(revision) => {
                Revisions::only(revision)
            }
        };
        let scenario = Scenario {
            teardown,
            revisions,
            file: self.scenario.site.file.into(),
            // That of the attribute or the environment; the plan's own applies to scenarios without one.
            timeout: Some(self.timeout),
            ..Scenario::dynamic(Kind::Test, tested_side, self.scenario.name, body)
        };
        scenario.into()
    }

    fn run_of_test(&self) -> RunOfTest {
        // A single run keeps the plain name, as that of a snapshot does.
        let place = self.scenario_run.place().filter(|_| self.snapshot_suffix.is_some());
        let name = self.scenario.name;
        RunOfTest {
            name: place.map_or_else(|| name.to_owned(), |place| format!("{name} {place}")),
            manifest_dir: self.scenario.site.manifest_dir,
            secrets: self.secrets.clone(),
        }
    }

    fn golden(&self) -> Option<Golden> {
        Some(Golden {
            scenario: self.scenario.name,
            run: self.snapshot_suffix.clone(),
            used: Vec::new(),
            compare: self.scenario.golden?,
            shows_differences: self.shows_differences,
        })
    }

    fn report(
        &self,
        result: ScenarioRunResult,
        target: Option<&str>,
        panics: &[String],
    ) -> FinishedRun {
        // Only a run that has begun knows its revision and transport; otherwise the declared ones are its place.
        let place = match &result {
            ScenarioRunResult::Finished(outcome) => Some(format!(
                "at {} over {}",
                outcome.scenario_run.revision, outcome.scenario_run.transport
            )),
            ScenarioRunResult::Unsupported(_)
            | ScenarioRunResult::Skipped(_)
            | ScenarioRunResult::Undecided(_)
            | ScenarioRunResult::NotRun(_) => self.scenario_run.place(),
        };
        let heading = heading(self.scenario, place.as_deref(), target);
        let is_unsupported = matches!(result, ScenarioRunResult::Unsupported(_));
        let is_undecided = matches!(result, ScenarioRunResult::Undecided(_));
        let mut problems = Problems::default();
        if let ScenarioRunResult::Finished(outcome) = &result {
            problems.add(outcome);
        }
        let result = match result {
            ScenarioRunResult::Unsupported(reason)
            | ScenarioRunResult::Skipped(reason)
            | ScenarioRunResult::Undecided(reason) => TestResult::Skipped(reason),
            ScenarioRunResult::NotRun(failure) => {
                let text = failure_report::format_probe_failure(&failure);
                TestResult::Failed(format!("{heading}\n{text}{}", other_panics(panics)))
            }
            ScenarioRunResult::Finished(outcome) => match outcome.verdict {
                Verdict::Passed => match known::expected_failures(&[&outcome]) {
                    Some(expected) => TestResult::ExpectedFailure(expected),
                    None => TestResult::Passed,
                },
                Verdict::Skipped => {
                    let reason = outcome.checks.iter().find_map(|check| check.message.clone());
                    TestResult::Skipped(reason.unwrap_or_default())
                }
                Verdict::Failed | Verdict::NotRun | Verdict::Flaky => {
                    let text =
                        failure_report::FailureFormatter::new(&outcome).test(&other_panics(panics));
                    TestResult::Failed(format!("{heading}\n{text}"))
                }
            },
        };
        let place = place.unwrap_or_default();
        let place = place.strip_prefix("at ").unwrap_or(&place).to_owned();
        let stale = None;
        FinishedRun { result, is_unsupported, is_undecided, problems, place, heading, stale }
    }

    /// The result of a run whose thread was given up.
    fn blocked(&self, known: &mut LastKnown) -> ScenarioRunResult {
        if known.is_in_setup {
            let time = clock::format_duration(self.timeout);
            return Finding::test(format!(
                "the setup blocks the thread of the test: it did not finish within {time}"
            ))
            .hint(MORE_TIME)
            .into();
        }
        let finding = Finding::test(
            "the thread of the test is blocked: it did not react to the end of its time",
        )
        .expected("code that awaits, so that client and server can take turns on one thread")
        .hint("blocking calls (std::thread::sleep, std::sync, a busy loop) belong in `spawn_blocking`");
        match known.scenario_run.take() {
            Some((scenario_run, recorder)) => ScenarioRunResult::Finished(Box::new(
                Outcome::failed(scenario_run, finding, recorder.trace()),
            )),
            None => finding.into(),
        }
    }
}

/// The first line of every failure of a scenario.
pub(super) fn heading(
    scenario: &UserScenario,
    place: Option<&str>,
    target: Option<&str>,
) -> String {
    // Only a complete place reads well with "of": `at 2025-11-25 over duplex of calculator`.
    let is_complete = place.is_some_and(|it| it.starts_with("at ") && it.contains(" over "));
    let target = match target {
        Some(target) if is_complete => format!(" of {target}"),
        Some(target) => format!(" against the target `{target}`"),
        None => String::new(),
    };
    let place = place.map(|place| format!(" {place}")).unwrap_or_default();
    format!("scenario `{}` failed{place}{target}, {}\n", scenario.name, scenario.site)
}

/// The report of a scenario that cannot be planned.
pub(super) fn invalid_test(scenario: &UserScenario, why: &InvalidTest) -> String {
    format!("{}\n{why}\n", heading(scenario, None, None))
}

/// The message of a panic outside of the scenario.
fn code_panicked() -> String {
    panics::take_last()
        .unwrap_or_else(|| "code of the target panicked; the message is above".to_owned())
}

/// The captured panics that did not end the scenario itself, such as those of an in-process server.
fn other_panics(panics: &[String]) -> String {
    panics.iter().map(|panic| format!("\ncode on the same thread {panic}\n")).collect()
}

#[cfg(test)]
mod tests;
