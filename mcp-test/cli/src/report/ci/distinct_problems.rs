//! The problems of a run for annotations, with what concerns the run as a whole.

use mcp_test_core::run::{self, Problem, Summary};
use mcp_test_core::scenario::Kind;
use mcp_test_core::spec::Requirement;

use super::run_problems::{RunProblem, run_problems};
use super::scenario_run_reports::{ScenarioRunReports, name};
use crate::report::digest::{self, Ranked};

/// How severe a problem is; the order is that of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// It makes the run fail.
    Error,
    /// It has no effect on the exit code.
    Warning,
}

/// A problem, and where it was found.
#[derive(Debug)]
pub(super) struct DistinctProblem<'a> {
    pub(super) level: Level,
    /// The check, or what else it concerns.
    pub(super) title: String,
    pub(super) headline: String,
    pub(super) reason: String,
    /// The file of the case that found it first.
    pub(super) file: Option<String>,
    /// The first requirement that is broken, and the address of its text.
    pub(super) requirement: Option<(&'static str, Option<String>)>,
    /// Where it shows, in few words; empty for a problem of the whole run.
    pub(super) digest: String,
    /// The problem, unless it is one of the whole run.
    pub(super) problem: Option<&'a Problem>,
    /// The scenario runs that found it.
    scenario_runs: Vec<String>,
}

impl<'a> DistinctProblem<'a> {
    fn from_run(problem: &RunProblem) -> Self {
        Self {
            level: Level::Error,
            title: problem.title.to_owned(),
            headline: problem.headline().to_owned(),
            reason: problem.text.clone(),
            file: None,
            requirement: None,
            digest: String::new(),
            problem: None,
            scenario_runs: Vec::new(),
        }
    }

    /// A problem that scenario runs found, if it is not only a remark.
    fn from_ranked(ranked: Ranked<'a>, summary: &Summary) -> Option<Self> {
        let Ranked { problem, level } = ranked;
        let level = match level {
            run::Level::Failing | run::Level::NotRun => Level::Error,
            run::Level::Warning => Level::Warning,
            run::Level::Advisory => return None,
        };
        let run::Example { scenario_run, check, .. } = &problem.example;
        let message = check.message.as_deref().unwrap_or("no reason was given");
        let cite = |it: &&Requirement| format!("\nRequirement: {}", it.cite(scenario_run.revision));
        let cited: String = problem.requirements().iter().map(cite).collect();
        let first =
            problem.requirements().first().map(|it| (it.id, it.link(scenario_run.revision)));
        Some(Self {
            level,
            title: check.id.clone(),
            headline: problem.headline().to_owned(),
            reason: format!("{message}{cited}"),
            file: (scenario_run.scenario.kind == Kind::Case)
                .then(|| scenario_run.scenario.file.to_string()),
            requirement: first,
            digest: digest::places(problem, summary),
            problem: Some(problem),
            scenario_runs: problem.scenario_runs().into_iter().map(name).collect(),
        })
    }

    /// `ping at 2025-11-25 over stdio, and 3 more scenario runs`; empty for a problem of the whole run.
    pub(super) fn places(&self) -> String {
        const SHOWN: usize = 5;
        let shown: Vec<&str> = self.scenario_runs.iter().take(SHOWN).map(String::as_str).collect();
        let more = match self.scenario_runs.len().saturating_sub(SHOWN) {
            0 => String::new(),
            1 => ", and 1 more scenario run".to_owned(),
            more => format!(", and {more} more scenario runs"),
        };
        format!("{}{more}", shown.join(", "))
    }
}

/// The problems that count in the profile and that the baseline does not expect, errors first.
pub(super) fn distinct_problems<'a>(
    reports: &ScenarioRunReports,
    summary: &'a Summary,
) -> Vec<DistinctProblem<'a>> {
    let of_run: Vec<RunProblem> = run_problems(reports, summary);
    let mut all: Vec<_> = of_run.iter().map(DistinctProblem::from_run).collect();
    let (ranked, _) = digest::ranked(summary);
    all.extend(
        ranked.into_iter().filter_map(|ranked| DistinctProblem::from_ranked(ranked, summary)),
    );
    // Stable, so that the order is otherwise that of the digest.
    all.sort_by_key(|problem| problem.level);
    all
}
