//! One run that several tests share, each of which waits for the outcomes of its own scenario.
//!
//! The first test starts the run, so that the target is started, and asked which revisions it speaks, only once.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use mcp_test_core::check::Finding;
use mcp_test_core::clock::{self, Deadline};
use mcp_test_core::expect::words;
use mcp_test_core::failure_report::{self, FailureFormatter};
use mcp_test_core::files;
use mcp_test_core::run::{
    Baseline, Inapplicable, KnownResults, Outcome, Plan, Problem, Problems, Results, RunEvent,
    ScenarioRun, Summary, Tested, Verdict, run,
};
use tokio::runtime::Runtime;
use tokio::sync::watch;

use super::known;
use super::output;
use super::test_run::TestResult;
use super::watchdog::{FAREWELL, Heartbeat, PREPARATION, WatchdogError, run_watched};

/// The failure of tests whose run is blocked.
const BLOCKED: &str = "the thread of the run is blocked by code of the server under test; \
                       blocking calls belong in `spawn_blocking`";

/// A plan, and the failures that are expected of it.
pub(super) struct Planned {
    pub(super) plan: Plan,
    pub(super) baseline: Option<Baseline>,
    /// Where a baseline is written with what fails, instead of a comparison with one.
    pub(super) written: Option<PathBuf>,
    /// The name of the suite, and what becomes of known violations that no longer occur; `None` where what is left out may show them.
    pub(super) judges_known: Option<(String, Strictness)>,
}

/// What becomes of known violations that no longer occur.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    not(feature = "harness"),
    allow(dead_code, reason = "only `conformance` runs all that may show them")
)]
pub(super) enum Strictness {
    /// They are reported.
    Reports,
    /// They fail a test.
    Fails,
}

/// Plans the run; called on the thread of the run, within its runtime.
type Make = Box<dyn FnOnce() -> mcp_test_core::Result<Planned> + Send>;

/// Returns the first line of the report on a failed run of a scenario.
type Heading = Box<dyn Fn(&Outcome) -> String + Send + Sync>;

/// Why no test of a suite was run.
#[derive(Debug, thiserror::Error)]
enum NotRun {
    /// There is no plan.
    #[error(transparent)]
    Unplanned(mcp_test_core::Error),
    /// The target cannot be tested.
    #[error("{}", failure_report::format_preflight_failure(target, finding, None))]
    Preflight { target: String, finding: Box<Finding> },
    /// The operating system refused a thread.
    #[error("cannot create a thread for the run: {0}")]
    NoThread(io::Error),
}

/// A run that tests wait for.
pub(super) struct Suite {
    make: Mutex<Option<Make>>,
    planned: OnceLock<Planned>,
    heading: Heading,
    state: Mutex<State>,
    /// Sent to whenever the state has changed.
    changed: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    has_begun: bool,
    /// The number of runs of each scenario; known once the target has answered which revisions it speaks.
    scenario_runs: Option<BTreeMap<String, usize>>,
    outcomes: BTreeMap<String, Vec<Outcome>>,
    /// Those of all scenarios so far.
    problems: Arc<Problems>,
    not_run: Option<NotRun>,
    /// The scenario whose test has reported `not_run`.
    reported_by: Option<String>,
    /// Whether the thread of the run was given up.
    is_blocked: bool,
    is_over: bool,
    /// What the run shows about known violations.
    known: KnownResults,
    /// The scenarios whose tests have not ended.
    unjudged: BTreeSet<String>,
    /// Why the baseline was not written.
    unwritten: Option<String>,
}

impl Suite {
    /// A run that is planned when it begins.
    pub(super) fn new(
        make: impl FnOnce() -> mcp_test_core::Result<Planned> + Send + 'static,
        heading: impl Fn(&Outcome) -> String + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            make: Mutex::new(Some(Box::new(make))),
            planned: OnceLock::new(),
            heading: Box::new(heading),
            state: Mutex::default(),
            changed: watch::Sender::new(()),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the outcomes of one scenario, and judges them.
    pub(super) fn result(self: &Arc<Self>, id: &str) -> TestResult {
        // Before the state is looked at, so that no change is missed.
        let mut changed = self.changed.subscribe();
        self.begin();
        loop {
            {
                let mut state = self.state();
                // In full for one test only: the others would repeat the same report.
                if let Some(why) = &state.not_run {
                    let (why, reported_by) = (why.to_string(), state.reported_by.clone());
                    return TestResult::Failed(match reported_by {
                        Some(other) => format!("{}; `{other}` reports why", self.not_tested()),
                        None => {
                            state.reported_by = Some(id.to_owned());
                            why
                        }
                    });
                }
                let outcomes = state.outcomes.get(id).map_or(0, Vec::len);
                let scenario_runs = state
                    .scenario_runs
                    .as_ref()
                    .map(|scenario_runs| scenario_runs.get(id).copied().unwrap_or_default());
                let is_complete =
                    scenario_runs.is_some_and(|scenario_runs| outcomes >= scenario_runs);
                // A baseline is written at the end, before which the process must not exit.
                let is_complete = is_complete && !self.writes_baseline();
                if state.is_over || is_complete {
                    if state.is_blocked && !is_complete {
                        return TestResult::Failed(BLOCKED.to_owned());
                    }
                    let outcomes = state.outcomes.remove(id).unwrap_or_default();
                    let is_last = state.unjudged.remove(id) && state.unjudged.is_empty();
                    // Formatting a report takes time, in which the run must be able to record events.
                    drop(state);
                    let result = self.verdict(id, &outcomes);
                    return if is_last { self.with_stale(result) } else { result };
                }
            }
            // The watchdog of the run ends the wait, so it needs no deadline of its own.
            let _ = clock::block_within(Deadline::never(), changed.changed());
        }
    }

    /// How long the run may go without an event before its thread counts as blocked.
    fn patience(&self) -> Duration {
        let Some(Planned { plan, .. }) = self.planned.get() else { return PREPARATION };
        // Any scenario run may be the next to report, so that the longest time-out counts.
        let longest = plan
            .scenario_runs
            .iter()
            .filter_map(|scenario_run| scenario_run.scenario.timeout)
            .max();
        longest.unwrap_or_default().max(plan.timeout).saturating_add(FAREWELL)
    }

    /// The statement that there was no run, without the reason.
    fn not_tested(&self) -> String {
        match self.planned.get() {
            Some(planned) => format!("cannot test {}", planned.plan.target.label()),
            None => "the run could not be planned".to_owned(),
        }
    }

    /// Starts the run and its watchdog, unless another test has done so.
    ///
    /// They have threads of their own, since they outlive the first test: others may wait longer.
    fn begin(self: &Arc<Self>) {
        if std::mem::replace(&mut self.state().has_begun, true) {
            return;
        }
        let suite = Arc::clone(self);
        let spawned =
            thread::Builder::new().name("watchdog".to_owned()).spawn(move || suite.watch());
        if let Err(why) = spawned {
            self.end(Some(NotRun::NoThread(why)), false);
        }
    }

    /// Runs the plan, and reports when the run is over or blocked.
    fn watch(self: Arc<Self>) {
        let suite = Arc::clone(&self);
        let ended = run_watched("conformance".to_owned(), move |runtime, heartbeat| {
            let planned = || suite.plan_and_run(runtime, heartbeat);
            catch_unwind(AssertUnwindSafe(planned)).unwrap_or_else(|_| {
                let panicked = Finding::test("code of the target panicked; the message is above");
                Err(suite.preflight_failed(panicked))
            })
        });
        match ended {
            Ok(Ok(())) => self.end(None, false),
            Ok(Err(why)) => self.end(Some(why), false),
            Err(WatchdogError::Blocked) => self.end(None, true),
            Err(error) => {
                let finding = Finding::environment(error.to_string());
                self.end(Some(self.preflight_failed(finding)), false);
            }
        }
    }

    fn end(&self, not_run: Option<NotRun>, is_blocked: bool) {
        let mut state = self.state();
        // A failed pre-flight has set it already.
        if not_run.is_some() {
            state.not_run = not_run;
        }
        state.is_blocked = is_blocked;
        state.is_over = true;
        drop(state);
        self.changed.send_replace(());
    }

    fn plan_and_run(&self, runtime: &Runtime, heartbeat: &Heartbeat<'_>) -> Result<(), NotRun> {
        let make = self.make.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(make) = make {
            // The user's function may spawn tasks.
            let _context = runtime.enter();
            let planned = make().map_err(NotRun::Unplanned)?;
            self.planned.get_or_init(|| planned);
        }
        if let Some(Planned { plan, .. }) = self.planned.get() {
            // Such programs share a port, also with those of other suites and scenarios.
            if starts_a_program(&plan.target) {
                heartbeat.wait_for_turn();
            }
            runtime.block_on(run(plan, &mut |event| self.record(event, heartbeat)));
        }
        Ok(())
    }

    fn preflight_failed(&self, finding: Finding) -> NotRun {
        let target = self.planned.get().map(|planned| planned.plan.target.label());
        let target = target.unwrap_or_else(|| "the target".to_owned());
        NotRun::Preflight { target, finding: Box::new(finding) }
    }

    /// Records an event; each one shows that the thread is not blocked.
    fn record(&self, event: RunEvent, heartbeat: &Heartbeat<'_>) {
        heartbeat.allow(self.patience());
        let mut state = self.state();
        match event {
            RunEvent::PreflightFailed { finding, .. } => {
                state.not_run = Some(self.preflight_failed(finding));
            }
            RunEvent::Planned(planned) => {
                let mut scenario_runs = BTreeMap::new();
                for scenario_run in planned {
                    *scenario_runs.entry(scenario_run.scenario.id.to_string()).or_default() += 1;
                }
                state.unjudged = scenario_runs.keys().cloned().collect();
                state.scenario_runs = Some(scenario_runs);
            }
            RunEvent::Finished(outcome) => {
                let id = outcome.scenario_run.scenario.id.to_string();
                Arc::make_mut(&mut state.problems).add(&outcome);
                if let Some(Planned { plan, .. }) = self.planned.get() {
                    state.known.add(&plan.known, Some(&outcome));
                }
                if outcome.verdict.is_failing() {
                    state.known.note_incomplete();
                }
                state.outcomes.entry(id).or_default().push(*outcome);
            }
            RunEvent::Ended(summary) => state.unwritten = self.write_baseline(&summary),
            _ => {}
        }
        drop(state);
        self.changed.send_replace(());
    }

    fn writes_baseline(&self) -> bool {
        self.planned.get().is_some_and(|planned| planned.written.is_some())
    }

    /// Writes the baseline, if it is wanted, and returns why that was not possible.
    fn write_baseline(&self, summary: &Summary) -> Option<String> {
        let Planned { baseline, written, .. } = self.planned.get()?;
        let path = written.as_ref()?;
        // An empty baseline would replace one that may still be right.
        if summary.lines.is_empty() {
            return None;
        }
        let text = Baseline::text(&summary.results, baseline.as_ref());
        let error = files::replace(path, text).err()?;
        Some(format!("cannot write the baseline {}: {error}", path.display()))
    }

    /// The result of the last test, with what no longer occurs of the known violations.
    fn with_stale(&self, result: TestResult) -> TestResult {
        let judges_known = self.planned.get().and_then(|planned| planned.judges_known.as_ref());
        let Some((name, strictness)) = judges_known else { return result };
        let stale = known::add_suite(name, &self.state().known);
        match (stale, strictness) {
            (None, _) => result,
            (Some(_), _) if matches!(result, TestResult::Failed(_)) => result,
            (Some(text), Strictness::Fails) => TestResult::Failed(text),
            (Some(text), Strictness::Reports) => {
                output::warning(&text);
                result
            }
        }
    }

    fn verdict(&self, id: &str, outcomes: &[Outcome]) -> TestResult {
        let Some(Planned { plan, baseline, written, .. }) = self.planned.get() else {
            return TestResult::Failed(self.not_tested());
        };
        let failed = |outcome: &&Outcome| outcome.verdict.is_failing();
        let failing: Vec<&Outcome> = outcomes.iter().filter(failed).collect();
        // A run that was not possible is never an expected failure.
        let is_judged = failing.iter().all(|it| it.verdict == Verdict::Failed);
        if let Some(path) = written
            && is_judged
        {
            if let Some(why) = &self.state().unwritten {
                return TestResult::Failed(why.clone());
            }
            let place = format!("written to {}", path.display());
            return match failing.is_empty() {
                true => passed(plan, id, outcomes),
                false => TestResult::ExpectedFailure(place),
            };
        }
        if let Some(baseline) = baseline.as_ref().filter(|_| written.is_none()) {
            let comparison = baseline.compare(&outcomes.iter().collect::<Results>());
            // Otherwise the entry would hide the next failure.
            if !comparison.stale.is_empty() {
                let entries = comparison.stale.join("`, `");
                return TestResult::Failed(format!(
                    "it passes; remove `{entries}` from the baseline"
                ));
            }
            if comparison.unexpected.is_empty() && is_judged {
                let expected = comparison.expected.join("`, `");
                return match failing.is_empty() {
                    true => passed(plan, id, outcomes),
                    false => TestResult::ExpectedFailure(format!("`{expected}` in the baseline")),
                };
            }
            return TestResult::Failed(self.report(&failing, |outcome, check| {
                !baseline.expects(
                    outcome.scenario_run.scenario.tested_side,
                    &outcome.scenario_run.scenario.id,
                    check,
                )
            }));
        }
        match failing.is_empty() {
            true => passed(plan, id, outcomes),
            false => TestResult::Failed(self.report(&failing, |_, _| true)),
        }
    }

    /// The report on the failed checks that `is_reported` selects: each problem once, with its other runs.
    fn report(&self, failing: &[&Outcome], is_reported: impl Fn(&Outcome, &str) -> bool) -> String {
        let problems = Arc::clone(&self.state().problems);
        let mut text = String::new();
        let mut again: Vec<Again<'_>> = Vec::new();
        for outcome in failing {
            let mut formatter = FailureFormatter::new(outcome);
            let mut checks = String::new();
            for check in outcome.failing().filter(|check| is_reported(outcome, &check.id)) {
                let known =
                    problems.find_for_check(check).and_then(|it| Some((it, it.first_failing()?)));
                let known = known.filter(|(_, first)| {
                    // What a baseline expects elsewhere is not reported there.
                    let is_of_scenario = first.scenario == outcome.scenario_run.scenario;
                    **first != outcome.scenario_run && (is_of_scenario || self.has_no_baseline())
                });
                match known {
                    None => checks.push_str(&formatter.check(check)),
                    Some((problem, first)) => {
                        Again::note(&mut again, problem, first, (self.heading)(outcome));
                    }
                }
            }
            if checks.is_empty() {
                continue;
            }
            text.push_str(&format!("{}\n{checks}", (self.heading)(outcome)));
            let tested_side = outcome.scenario_run.scenario.tested_side;
            text.push_str(&failure_report::stderr_of_test(tested_side, &outcome.stderr_tail));
            text.push('\n');
        }
        again.iter().for_each(|again| text.push_str(&again.text()));
        text.trim_end().to_owned()
    }

    fn has_no_baseline(&self) -> bool {
        self.planned.get().is_none_or(|planned| planned.baseline.is_none())
    }
}

/// A problem that another run reports in full.
struct Again<'a> {
    problem: &'a Problem,
    first: &'a ScenarioRun,
    runs: Vec<String>,
}

impl<'a> Again<'a> {
    fn note(all: &mut Vec<Self>, problem: &'a Problem, first: &'a ScenarioRun, run: String) {
        match all.iter_mut().find(|again| std::ptr::eq(again.problem, problem)) {
            // Several checks of one run may fail because of it.
            Some(again) if again.runs.last() == Some(&run) => {}
            Some(again) => again.runs.push(run),
            None => all.push(Self { problem, first, runs: vec![run] }),
        }
    }

    fn text(&self) -> String {
        let ScenarioRun { scenario, revision, transport } = self.first;
        format!(
            "{}\n  the same problem as in {} at {revision} over {transport}, which reports it, in {}: {}\n",
            self.problem.headline(),
            scenario.id,
            words::count(self.runs.len(), "run"),
            self.runs.join(", ")
        )
    }
}

fn starts_a_program(tested: &Tested) -> bool {
    match tested {
        Tested::Server(target) => target.starts_program(),
        _ => false,
    }
}

/// The result of a scenario of which nothing failed: it passed, unless all its runs were skipped.
fn passed(plan: &Plan, id: &str, outcomes: &[Outcome]) -> TestResult {
    if outcomes.iter().any(|outcome| outcome.verdict == Verdict::Passed) {
        let known = known::expected_failures(&outcomes.iter().collect::<Vec<_>>());
        return known.map_or(TestResult::Passed, TestResult::ExpectedFailure);
    }
    let checks = outcomes.iter().flat_map(|outcome| &outcome.checks);
    if let Some(reason) = checks.filter_map(|check| check.message.as_deref()).next() {
        return TestResult::Skipped(reason.to_owned());
    }
    let inapplicable = plan.inapplicable.iter().find(|it| it.scenario.id == id);
    TestResult::Skipped(match inapplicable {
        Some(Inapplicable { transport: Some(transport), .. }) => {
            format!("it does not apply over {transport}")
        }
        Some(Inapplicable { revision, .. }) => format!("it does not exist at {revision}"),
        None => "no revision of the target was tested".to_owned(),
    })
}
