//! What the reports for CI keep of each scenario run.
//!
//! They are written at the end, when the baseline has decided which failures were expected.

use std::time::Duration;

use mcp_test_core::check::{Check, Status};
use mcp_test_core::clock;
use mcp_test_core::expect::words;
use mcp_test_core::failure_report;
use mcp_test_core::run::{
    self, Comparison, Outcome, Problems, RunEvent, ScenarioRun, Summary, Verdict,
};

use crate::report::{Rerun, RunInfo};

/// What is known of a run.
#[derive(Debug)]
pub(super) struct ScenarioRunReports {
    pub(super) info: RunInfo,
    /// When the run began.
    pub(super) started: String,
    pub(super) rerun: Rerun,
    /// The name and version of the server.
    pub(super) server: Option<String>,
    /// How many scenario runs were planned.
    pub(super) planned: usize,
    /// Those that have ended, in the order of the plan.
    pub(super) scenario_runs: Vec<ScenarioRunReport>,
    /// Why nothing was run.
    pub(super) not_run: Option<String>,
    /// The problems so far, so that each is reported in full once.
    problems: Problems,
}

/// One scenario run that has ended.
#[derive(Debug)]
pub(super) struct ScenarioRunReport {
    pub(super) scenario_run: ScenarioRun,
    pub(super) started: String,
    pub(super) elapsed: Duration,
    verdict: Verdict,
    /// The failures and warnings.
    pub(super) problems: Vec<Problem>,
    /// Why it was skipped.
    skip_reason: Option<String>,
    /// How often it was run again.
    pub(super) retries: usize,
    /// The headlines of the other attempts that failed.
    pub(super) other_failures: Vec<OtherFailure>,
    /// The last lines on the peer's standard error, and the command that runs the scenario again.
    pub(super) epilogue: String,
}

/// Another attempt that failed.
#[derive(Debug)]
pub(super) struct OtherFailure {
    pub(super) elapsed: Duration,
    /// The failing checks, each with its reason.
    pub(super) text: String,
}

/// A failed check, or one with a warning.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) check: String,
    pub(super) status: Status,
    /// Whether it counts against the peer if there is no baseline.
    fails: bool,
    /// Whether it is unexpected without an entry in the baseline.
    needs_entry: bool,
    /// Whether it fails as expected, because the violation is known.
    is_known: bool,
    /// What is wrong, in one sentence.
    pub(super) headline: String,
    /// The whole report on it.
    pub(super) text: String,
}

/// What a scenario run amounts to, baseline included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conclusion {
    Passed,
    Failed,
    /// It failed as expected, by the baseline or because the violation is known.
    ExpectedFailure,
    Skipped,
    NotRun,
    /// It failed, and did not when it was run again.
    Flaky,
}

impl ScenarioRunReports {
    pub(super) fn new(info: RunInfo, rerun: Rerun) -> Self {
        Self {
            info,
            started: clock::utc_now(),
            rerun,
            server: None,
            planned: 0,
            scenario_runs: Vec::new(),
            not_run: None,
            problems: Problems::default(),
        }
    }

    /// Keeps what an event says, and returns the summary once the run has ended.
    pub(super) fn event<'a>(&mut self, event: &'a RunEvent) -> Option<&'a Summary> {
        match event {
            RunEvent::PreflightDone(preflight) => self.server.clone_from(&preflight.server),
            RunEvent::PreflightFailed { finding, tried } => {
                self.not_run = Some(failure_report::format_preflight_failure(
                    &self.info.target,
                    finding,
                    *tried,
                ));
            }
            RunEvent::Planned(scenario_runs) => self.planned = scenario_runs.len(),
            RunEvent::Finished(outcome) => {
                self.problems.add(outcome);
                self.scenario_runs.push(ScenarioRunReport::new(
                    outcome,
                    &self.rerun,
                    &self.problems,
                ));
            }
            RunEvent::Ended(summary) => return Some(summary),
            RunEvent::Started(_) => {}
        }
        None
    }

    /// How many scenario runs have this conclusion.
    pub(super) fn count(&self, wanted: Conclusion, baseline: Option<&Comparison>) -> usize {
        self.scenario_runs
            .iter()
            .filter(|scenario_run| scenario_run.conclusion(baseline) == wanted)
            .count()
    }

    /// `the run was interrupted after 3 of 40 scenario runs`.
    pub(super) fn interruption(&self) -> String {
        match self.planned {
            0 => "the run was interrupted before the first scenario".to_owned(),
            planned => {
                let ended = self.scenario_runs.len();
                format!("the run was interrupted after {ended} of {planned} scenario runs")
            }
        }
    }
}

impl ScenarioRunReport {
    fn new(outcome: &Outcome, rerun: &Rerun, known: &Problems) -> Self {
        let mut formatter = failure_report::FailureFormatter::new(outcome);
        let failing = outcome.checks.iter().filter(|check| check.status.is_failing());
        let mut failing: Vec<&Check> = failing.collect();
        // What others refer to as "above" must not be below, in the part that does not count.
        failing.sort_by_key(|check| {
            !outcome.profile.fails(outcome.scenario_run.scenario.tested_side, check)
        });
        let problems: Vec<Problem> = failing
            .into_iter()
            .map(|check| {
                let first = known.find_for_check(check).and_then(|it| it.occurrences.first());
                let text = match first.filter(|first| first.scenario_run != outcome.scenario_run) {
                    Some(first) => same_as(check, &name(&first.scenario_run)),
                    None => formatter.check(check),
                };
                Problem::new(outcome, check, text)
            })
            .collect();
        let skipped = outcome.checks.iter().find(|check| check.status == Status::Skipped);
        let epilogue = match problems.is_empty() {
            true => String::new(),
            false => failure_report::format_scenario_run(outcome, Some(rerun)),
        };
        Self {
            scenario_run: outcome.scenario_run.clone(),
            started: outcome.started.clone(),
            elapsed: outcome.elapsed,
            verdict: outcome.verdict,
            problems,
            skip_reason: skipped.and_then(|check| check.message.clone()),
            retries: outcome.other_attempts.len(),
            other_failures: outcome.other_attempts.iter().filter_map(OtherFailure::new).collect(),
            epilogue,
        }
    }

    /// `ping at 2025-11-25 over stdio`.
    pub(super) fn name(&self) -> String {
        name(&self.scenario_run)
    }

    /// Why it was skipped.
    pub(super) fn skip_reason(&self) -> &str {
        self.skip_reason.as_deref().unwrap_or("not applicable")
    }

    pub(super) fn conclusion(&self, baseline: Option<&Comparison>) -> Conclusion {
        match self.verdict {
            Verdict::NotRun => return Conclusion::NotRun,
            Verdict::Skipped => return Conclusion::Skipped,
            Verdict::Flaky => return Conclusion::Flaky,
            Verdict::Passed | Verdict::Failed => {}
        }
        if self.failing(baseline).next().is_some() {
            Conclusion::Failed
        } else if self.verdict == Verdict::Failed || self.problems.iter().any(|it| it.is_known) {
            Conclusion::ExpectedFailure
        } else {
            Conclusion::Passed
        }
    }

    /// The problems that make the run fail, so not those that the baseline expects.
    pub(super) fn failing(&self, baseline: Option<&Comparison>) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(move |problem| self.fails(problem, baseline))
    }

    /// The problems, first those that make the run fail.
    pub(super) fn problems_by_weight(&self, baseline: Option<&Comparison>) -> Vec<&Problem> {
        let mut problems: Vec<&Problem> = self.problems.iter().collect();
        problems.sort_by_key(|problem| !self.fails(problem, baseline));
        problems
    }

    /// `ping: the reply has no result (and 1 more)`: of the problems that make the run fail, if there are any, and otherwise of all.
    pub(super) fn message(&self, baseline: Option<&Comparison>) -> String {
        let failing: Vec<&Problem> = self.failing(baseline).collect();
        message(&if failing.is_empty() { self.problems.iter().collect() } else { failing })
    }

    /// Whether a problem makes the run fail.
    pub(super) fn fails(&self, problem: &Problem, baseline: Option<&Comparison>) -> bool {
        match baseline {
            // What could not be run is not compared with the baseline.
            Some(baseline) if self.verdict != Verdict::NotRun => {
                problem.needs_entry && !self.is_expected(problem, baseline)
            }
            _ => problem.fails,
        }
    }

    /// Whether the baseline expects a problem.
    pub(super) fn is_expected(&self, problem: &Problem, baseline: &Comparison) -> bool {
        baseline.expects(&self.scenario_run.scenario.id, &problem.check)
    }
}

/// `ping at 2025-11-25 over stdio`.
pub(super) fn name(scenario_run: &ScenarioRun) -> String {
    format!(
        "{} at {} over {}",
        scenario_run.scenario.id, scenario_run.revision, scenario_run.transport
    )
}

/// The report on a problem that another scenario run has shown in full.
fn same_as(check: &Check, first: &str) -> String {
    let headline = check.finding.as_ref().map(|finding| &finding.headline);
    let reason = headline.or(check.message.as_ref()).and_then(|text| text.lines().next());
    format!(
        "  - {}: {}\n    Check: {}\n    The same problem as in {first}, which has the whole report.\n",
        check.name,
        reason.unwrap_or_default(),
        check.id
    )
}

impl OtherFailure {
    fn new(outcome: &Outcome) -> Option<Self> {
        let texts = outcome.failing().map(|check| {
            let message = check.message.as_deref().unwrap_or("no reason was given");
            format!("{}: {message}\n", check.id)
        });
        let text: String = texts.collect();
        (!text.is_empty()).then_some(Self { elapsed: outcome.elapsed, text })
    }
}

impl Problem {
    fn new(outcome: &Outcome, check: &Check, text: String) -> Self {
        let message = check.message.as_deref().unwrap_or("no reason was given");
        let finding = check.finding.as_ref();
        let headline = finding.map_or(message, |finding| &finding.headline);
        Self {
            check: check.id.clone(),
            status: check.status,
            fails: outcome.profile.fails(outcome.scenario_run.scenario.tested_side, check),
            needs_entry: run::needs_entry(outcome, check),
            is_known: !check.known.is_empty(),
            headline: headline.lines().next().unwrap_or_default().to_owned(),
            text,
        }
    }
}

/// `ping: the reply has no result (and 1 more)`; empty without a problem.
pub(super) fn message(problems: &[&Problem]) -> String {
    let Some(first) = problems.first() else { return String::new() };
    let more = match problems.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    line(&format!("{}: {}{more}", first.check, first.headline))
}

/// The reports on these problems.
pub(super) fn texts<'a>(problems: impl IntoIterator<Item = &'a Problem>) -> String {
    let texts: Vec<String> = problems.into_iter().map(|problem| block(&problem.text)).collect();
    texts.join("\n")
}

/// Text that may have several lines.
pub(super) fn block(text: &str) -> String {
    // Neither XML nor YAML keeps every tab, and without it words would run together.
    words::inert(text).replace('\t', "    ")
}

/// Text for one line.
pub(super) fn line(text: &str) -> String {
    block(text).replace('\n', " ")
}
