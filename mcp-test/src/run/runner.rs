//! The run itself: bring the target up, play the cells, tell what happens, and sum up.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;

use futures_util::stream::{FuturesUnordered, StreamExt};

use super::play::{Known, play};
use super::preflight::{self, Survey, Unfit};
use super::{
    Cell, Counts, ExitCode, Line, Outcome, Plan, Results, RunEvent, Summary, Tested, Verdict,
};
use crate::check::{Blame, Check, Finding};
use crate::transport::{Prepared, Target};

/// Runs a plan and tells what happens.
///
/// Up to [`Plan::jobs`] cells are played at the same time; one that disturbs the target is played alone. Outcomes are
/// told in the order of the plan, whichever ends first.
///
/// Must be called within a tokio runtime whose I/O is enabled. A plan without cells leaves the target alone.
///
/// ```
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
/// # runtime.block_on(async {
/// use mcp_test::run::{ExitCode, Plan, RunEvent, Selection, run};
/// use mcp_test::scenario::Profile;
/// use mcp_test::server::reference;
///
/// let target = reference::everything().target();
/// let plan = Plan::build(target, Profile::Adaptive, &Selection::default())?;
/// let mut finished = 0;
/// let summary = run(&plan, &mut |event| {
///     if let RunEvent::Finished(outcome) = event {
///         assert_eq!(outcome.failing().count(), 0, "{}", outcome.cell);
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
    if plan.cells.is_empty() {
        on(RunEvent::Planned(Vec::new()));
        let summary = Summary::of(plan);
        on(RunEvent::Ended(summary.clone()));
        return summary;
    }
    let ready = match &plan.target {
        Tested::Server(target) => bring_up(plan, target).await,
        Tested::Client(_) => Ok(Ready::default()),
    };
    let summary = match ready {
        Err(Unfit { finding, tried, .. }) => {
            on(RunEvent::PreflightFailed { finding: finding.clone(), tried });
            let mut summary = Summary::of(plan);
            summary.not_run = Some(finding);
            summary.exit = ExitCode::NotRun;
            summary
        }
        Ok(Ready { prepared, survey, instead }) => {
            let plan = instead.as_ref().unwrap_or(plan);
            let mut cells = plan.cells.clone();
            if let Tested::Server(_) = plan.target {
                on(RunEvent::PreflightDone(survey.summary()));
                cells = survey.narrow(plan);
            }
            on(RunEvent::Planned(cells.clone()));
            let summary = Run::new(plan, &survey, &prepared, cells, on).all().await;
            prepared.end().await;
            summary
        }
    };
    on(RunEvent::Ended(summary.clone()));
    summary
}

/// A target that was brought up and spoken to.
#[derive(Default)]
struct Ready {
    prepared: Prepared,
    survey: Survey,
    /// The plan to follow instead, where the target turned out to speak over another carrier.
    instead: Option<Plan>,
}

async fn bring_up(plan: &Plan, target: &Target) -> Result<Ready, Unfit> {
    // A program that has to be fetched and compiled first needs more time than any of its answers.
    let start_up = plan.timeout.saturating_mul(2);
    let prepared = target.prepare_within(start_up).await.map_err(Finding::from)?;
    match surveyed(plan, target).await {
        Ok(survey) => Ok(Ready { prepared, survey, instead: None }),
        Err(unfit) => {
            #[cfg(feature = "http")]
            if let Some((plan, survey)) = preflight::fall_back(plan, target, &unfit).await {
                return Ok(Ready { prepared, survey, instead: Some(plan) });
            }
            let unfit = unfit.with_last_words_of(&prepared);
            prepared.end().await;
            Err(unfit)
        }
    }
}

/// Asks the target what it is; where it cannot be reached, again with what has to be around it.
async fn surveyed(plan: &Plan, target: &Target) -> Result<Survey, Unfit> {
    let unfit = match preflight::survey(plan, target).await {
        Ok(survey) => return Ok(survey),
        Err(unfit) => unfit,
    };
    match &plan.surroundings {
        Some(surroundings) if unfit.finding.blame == Blame::Environment => {
            let up = surroundings.up().await.map_err(Unfit::from)?;
            let survey = preflight::survey(plan, target).await;
            up.down().await;
            survey
        }
        _ => Err(unfit),
    }
}

type Playing<'a> = Pin<Box<dyn Future<Output = (usize, Outcome)> + 'a>>;

/// A run that goes on.
struct Run<'a> {
    plan: &'a Plan,
    survey: &'a Survey,
    program: &'a Prepared,
    cells: Vec<Cell>,
    on: &'a mut dyn FnMut(RunEvent),
    /// Outcomes whose turn has not come yet.
    early: BTreeMap<usize, Outcome>,
    told: usize,
    summary: Summary,
}

impl<'a> Run<'a> {
    fn new(
        plan: &'a Plan,
        survey: &'a Survey,
        program: &'a Prepared,
        cells: Vec<Cell>,
        on: &'a mut dyn FnMut(RunEvent),
    ) -> Self {
        let summary = Summary::of(plan);
        Self { plan, survey, program, cells, on, early: BTreeMap::new(), told: 0, summary }
    }

    async fn all(mut self) -> Summary {
        let mut playing: FuturesUnordered<Playing<'a>> = FuturesUnordered::new();
        for (index, cell) in self.cells.clone().into_iter().enumerate() {
            let room = if cell.scenario.disturbs.is_some() { 1 } else { self.plan.jobs.get() };
            while playing.len() >= room {
                self.one(&mut playing).await;
            }
            (self.on)(RunEvent::Started(cell));
            let (plan, program) = (self.plan, self.program);
            let known = match plan.target {
                Tested::Server(_) => self.survey.known(cell),
                Tested::Client(_) => Known::default(),
            };
            playing.push(Box::pin(async move {
                let mut outcome = play(plan, cell, known).await;
                if let Tested::Server(_) = plan.target {
                    outcome.hear(program);
                }
                (index, outcome)
            }));
            if cell.scenario.disturbs.is_some() {
                self.one(&mut playing).await;
            }
        }
        while !playing.is_empty() {
            self.one(&mut playing).await;
        }
        self.summary.conclude(self.plan);
        self.summary
    }

    /// Waits for one outcome, and tells those whose turn has come.
    async fn one(&mut self, playing: &mut FuturesUnordered<Playing<'a>>) {
        if let Some((index, outcome)) = playing.next().await {
            self.early.insert(index, outcome);
        }
        while let Some(outcome) = self.early.remove(&self.told) {
            self.told += 1;
            self.summary.take(&outcome);
            (self.on)(RunEvent::Finished(Box::new(outcome)));
        }
    }
}

impl Summary {
    /// The summary of a run that has not begun.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        Self {
            target: plan.target.label(),
            profile: plan.profile,
            suite: plan.suite,
            lines: Vec::new(),
            counts: Counts::default(),
            advisory: Counts::default(),
            results: Results::default(),
            baseline: None,
            not_run: None,
            exit: ExitCode::Passed,
            interrupted: None,
        }
    }

    /// Adds an outcome.
    pub(crate) fn take(&mut self, outcome: &Outcome) {
        let (counting, advisory): (Vec<&Check>, Vec<&Check>) =
            outcome.checks.iter().partition(|check| outcome.profile.counts(check));
        let line = Line {
            cell: outcome.cell,
            profile: outcome.profile,
            verdict: outcome.verdict,
            counts: Counts::of(counting),
            advisory: Counts::of(advisory),
        };
        self.counts.add(line.counts);
        self.advisory.add(line.advisory);
        self.lines.push(line);
        self.results.add(outcome);
    }

    fn conclude(&mut self, plan: &Plan) {
        self.baseline = plan.baseline.as_ref().map(|baseline| baseline.compare(&self.results));
        let has = |verdict| self.lines.iter().any(|line| line.verdict == verdict);
        let (failed, stale) = match &self.baseline {
            Some(comparison) => (!comparison.is_clean(), !comparison.stale.is_empty()),
            None => (has(Verdict::Failed), false),
        };
        self.exit = if failed && (has(Verdict::Failed) || stale) {
            ExitCode::Failed
        } else if has(Verdict::NotRun) {
            ExitCode::NotRun
        } else if failed {
            ExitCode::Failed
        } else {
            ExitCode::Passed
        };
    }
}
