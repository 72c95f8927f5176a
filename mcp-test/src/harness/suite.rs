//! One run that several tests wait for, each for the outcomes of its own scenario.
//!
//! The run begins with the first of them, so that the target is brought up and asked what it speaks once.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use tokio::sync::watch;

use super::{stage, telling};
use crate::check::Finding;
use crate::clock::{self, Deadline};
use crate::process;
use crate::report::failure;
use crate::run::{Baseline, Inapplicable, Outcome, Plan, Results, RunEvent, Tested, Verdict, run};

/// How long it may take until the target is up and has said what it speaks.
const PREPARATION: Duration = Duration::from_secs(120);
/// How much longer than its time a cell may take to come to its orderly end.
const FAREWELL: Duration = Duration::from_secs(20);

/// What is run.
pub(super) struct Planned {
    pub(super) plan: Plan,
    pub(super) baseline: Option<Baseline>,
}

/// Plans the run, or says why there is none; called on the thread of the run, within its runtime.
type Make = Box<dyn FnOnce() -> Result<Planned, String> + Send>;

/// The first line of what is told of a cell that failed.
type Heading = Box<dyn Fn(&Outcome) -> String + Send + Sync>;

/// What came of a scenario.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Came {
    /// Nothing is wrong, and something was shown.
    Passed,
    /// It has shown nothing, for this reason.
    Skipped(String),
    /// Something is wrong: all that is to be told of it.
    Failed(String),
}

/// A run that tests wait for.
pub(super) struct Suite {
    make: Mutex<Option<Make>>,
    planned: OnceLock<Planned>,
    heading: Heading,
    state: Mutex<State>,
    /// Sent to whenever the state has changed.
    moved: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    begun: bool,
    /// Whether it waits for its turn, since it starts a program.
    queued: bool,
    /// The thread of the run.
    thread: Option<ThreadId>,
    /// How many cells of each scenario will be played; known once the target was asked.
    cells: Option<BTreeMap<&'static str, usize>>,
    outcomes: BTreeMap<&'static str, Vec<Outcome>>,
    /// Why nothing was played.
    not_run: Option<String>,
    /// The scenario whose test has told that.
    told_by: Option<String>,
    over: bool,
}

impl Suite {
    /// A run that is planned when it begins.
    pub(super) fn new(
        make: impl FnOnce() -> Result<Planned, String> + Send + 'static,
        heading: impl Fn(&Outcome) -> String + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            make: Mutex::new(Some(Box::new(make))),
            planned: OnceLock::new(),
            heading: Box::new(heading),
            state: Mutex::default(),
            moved: watch::Sender::new(()),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the outcomes of one scenario, and judges them.
    pub(super) fn result(self: &Arc<Self>, id: &str) -> Came {
        let mut moved = self.moved.subscribe();
        if let Err(why) = self.begin() {
            return Came::Failed(why);
        }
        loop {
            let patience = {
                let mut state = self.state();
                if let Some(why) = state.not_run.clone() {
                    return Came::Failed(match &state.told_by {
                        Some(other) => format!("{}; `{other}` tells why", self.untested()),
                        None => {
                            state.told_by = Some(id.to_owned());
                            why
                        }
                    });
                }
                let there = state.outcomes.get(id).map_or(0, Vec::len);
                let cells =
                    state.cells.as_ref().map(|cells| cells.get(id).copied().unwrap_or_default());
                if state.over || cells.is_some_and(|cells| there >= cells) {
                    let outcomes = state.outcomes.remove(id).unwrap_or_default();
                    drop(state);
                    return self.verdict(id, &outcomes);
                }
                if cells.is_some() { self.patience() } else { PREPARATION }
            };
            let waited = clock::block_within(Deadline::after(patience), moved.changed());
            // Those before it are watched as well, so its turn comes.
            if waited.is_err() && !self.state().queued {
                if let Some(thread) = self.state().thread {
                    process::give_up(thread);
                }
                return Came::Failed(
                    "the thread of the run is blocked: code of the server under test does not give it back. \
                     Blocking calls belong in `spawn_blocking`"
                        .to_owned(),
                );
            }
        }
    }

    /// How long nothing at all may happen while cells are played.
    fn patience(&self) -> Duration {
        let Some(Planned { plan, .. }) = self.planned.get() else { return PREPARATION };
        let longest = plan.cells.iter().filter_map(|cell| cell.scenario.timeout).max();
        longest.unwrap_or_default().max(plan.timeout).saturating_add(FAREWELL)
    }

    /// That there was no run, without the reason.
    fn untested(&self) -> String {
        match self.planned.get() {
            Some(planned) => format!("cannot test {}", planned.plan.target.label()),
            None => "there is nothing to run".to_owned(),
        }
    }

    /// The first to come begins the run, on a thread of its own.
    fn begin(self: &Arc<Self>) -> Result<(), String> {
        let mut state = self.state();
        if std::mem::replace(&mut state.begun, true) {
            return Ok(());
        }
        let suite = Arc::clone(self);
        let thread = thread::Builder::new().name("conformance".to_owned());
        let spawned = thread.spawn(move || suite.run());
        let handle = spawned.map_err(|why| format!("no thread can be had: {why}"))?;
        state.thread = Some(handle.thread().id());
        Ok(())
    }

    fn run(&self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let ended = match runtime {
            Ok(runtime) => {
                let ended = catch_unwind(AssertUnwindSafe(|| self.planned_and_run(&runtime)));
                // To drop it would be to wait for what runs in `spawn_blocking`, be it for ever.
                runtime.shutdown_background();
                ended.unwrap_or_else(|_| {
                    let finding =
                        Finding::test("code of the target panicked; the message stands above");
                    Err(self.of_preflight(&finding))
                })
            }
            Err(why) => {
                let finding = Finding::environment(format!("no tokio runtime can be had: {why}"));
                Err(self.of_preflight(&finding))
            }
        };
        let mut state = self.state();
        if let Err(why) = ended {
            state.not_run = Some(why);
        }
        state.over = true;
        drop(state);
        self.moved.send_replace(());
    }

    fn planned_and_run(&self, runtime: &tokio::runtime::Runtime) -> Result<(), String> {
        let make = self.make.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(make) = make {
            // The user's function may spawn tasks.
            let _context = runtime.enter();
            let planned = make()?;
            self.planned.get_or_init(|| planned);
        }
        if let Some(Planned { plan, .. }) = self.planned.get() {
            let _turn = starts_a_program(&plan.target).then(|| self.queue());
            runtime.block_on(run(plan, &mut |event| self.hear(event)));
        }
        Ok(())
    }

    /// Waits for its turn.
    fn queue(&self) -> MutexGuard<'static, ()> {
        self.state().queued = true;
        let turn = stage::turn();
        self.state().queued = false;
        self.moved.send_replace(());
        turn
    }

    fn of_preflight(&self, finding: &Finding) -> String {
        let target = self.planned.get().map(|planned| planned.plan.target.label());
        failure::of_preflight(target.as_deref().unwrap_or("the target"), finding, None)
    }

    fn hear(&self, event: RunEvent) {
        let mut state = self.state();
        match event {
            RunEvent::PreflightFailed { finding, .. } => {
                state.not_run = Some(self.of_preflight(&finding));
            }
            RunEvent::Planned(planned) => {
                let mut cells = BTreeMap::new();
                for cell in planned {
                    *cells.entry(cell.scenario.id).or_default() += 1;
                }
                state.cells = Some(cells);
            }
            RunEvent::Finished(outcome) => {
                state.outcomes.entry(outcome.cell.scenario.id).or_default().push(*outcome);
            }
            _ => {}
        }
        drop(state);
        self.moved.send_replace(());
    }

    fn verdict(&self, id: &str, outcomes: &[Outcome]) -> Came {
        let Some(Planned { plan, baseline }) = self.planned.get() else {
            return Came::Failed(self.untested());
        };
        let failed =
            |outcome: &&Outcome| matches!(outcome.verdict, Verdict::Failed | Verdict::NotRun);
        let failing: Vec<&Outcome> = outcomes.iter().filter(failed).collect();
        if let Some(baseline) = baseline {
            let comparison = baseline.compare(&outcomes.iter().collect::<Results>());
            if !comparison.stale.is_empty() {
                let entries = comparison.stale.join("`, `");
                return Came::Failed(format!("it passes: remove `{entries}` from the baseline"));
            }
            if comparison.unexpected.is_empty()
                && failing.iter().all(|it| it.verdict == Verdict::Failed)
            {
                return match failing.is_empty() {
                    true => passed(plan, id, outcomes),
                    false => Came::Passed,
                };
            }
            return Came::Failed(self.told(&failing, |outcome, check| {
                !baseline.expects(outcome.cell.scenario.leg, outcome.cell.scenario.id, check)
            }));
        }
        match failing.is_empty() {
            true => passed(plan, id, outcomes),
            false => Came::Failed(self.told(&failing, |_, _| true)),
        }
    }

    /// Tells the checks that failed and are of interest, cell by cell.
    fn told(&self, failing: &[&Outcome], of_interest: impl Fn(&Outcome, &str) -> bool) -> String {
        let mut text = String::new();
        for outcome in failing {
            let mut teller = failure::Teller::new(outcome);
            let checks = outcome.failing().filter(|check| of_interest(outcome, &check.id));
            let checks: Vec<String> = checks.map(|check| teller.tell(check)).collect();
            if checks.is_empty() {
                continue;
            }
            text.push_str(&(self.heading)(outcome));
            text.push('\n');
            text.extend(checks);
            text.push_str(&telling::stderr(outcome.stderr_tail.clone()));
            text.push('\n');
        }
        text.trim_end().to_owned()
    }
}

fn starts_a_program(tested: &Tested) -> bool {
    match tested {
        Tested::Server(target) => target.starts_a_program(),
        Tested::Client(_) => false,
    }
}

/// Nothing has failed: it passed, if anything was shown at all.
fn passed(plan: &Plan, id: &str, outcomes: &[Outcome]) -> Came {
    if outcomes.iter().any(|outcome| outcome.verdict == Verdict::Passed) {
        return Came::Passed;
    }
    let checks = outcomes.iter().flat_map(|outcome| &outcome.checks);
    if let Some(reason) = checks.filter_map(|check| check.message.as_deref()).next() {
        return Came::Skipped(reason.to_owned());
    }
    let not_there = plan.inapplicable.iter().find(|it| it.scenario.id == id);
    Came::Skipped(match not_there {
        Some(Inapplicable { carrier: Some(carrier), .. }) => {
            format!("it has nothing to say over {carrier}")
        }
        Some(Inapplicable { revision, .. }) => format!("it does not exist at {revision}"),
        None => "the target was not asked in any revision".to_owned(),
    })
}
