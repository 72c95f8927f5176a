//! The problems of a run for annotations, with what concerns the run as a whole.

use super::cell_reports::{CellReports, name};
use super::run_problems::{RunProblem, run_problems};
use crate::report::digest::{self, Ranked};
use crate::run::{self, Summary};
use crate::scenario::Kind;
use crate::spec::requirement;

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
pub(super) struct DistinctProblem {
    pub(super) level: Level,
    /// The check, or what else it concerns.
    pub(super) title: String,
    pub(super) headline: String,
    pub(super) reason: String,
    /// The file of the case that found it first.
    pub(super) file: Option<String>,
    /// The scenario runs that found it.
    cells: Vec<String>,
}

impl DistinctProblem {
    fn of_run(problem: &RunProblem) -> Self {
        Self {
            level: Level::Error,
            title: problem.title.to_owned(),
            headline: problem.headline().to_owned(),
            reason: problem.text.clone(),
            file: None,
            cells: Vec::new(),
        }
    }

    /// `ping at 2025-11-25 over stdio, and 3 more scenario runs`; empty for a problem of the whole run.
    pub(super) fn places(&self) -> String {
        const SHOWN: usize = 5;
        let shown: Vec<&str> = self.cells.iter().take(SHOWN).map(String::as_str).collect();
        let more = match self.cells.len().saturating_sub(SHOWN) {
            0 => String::new(),
            1 => ", and 1 more scenario run".to_owned(),
            more => format!(", and {more} more scenario runs"),
        };
        format!("{}{more}", shown.join(", "))
    }
}

/// The problems that count in the profile and that the baseline does not expect, errors first.
pub(super) fn distinct_problems(reports: &CellReports, summary: &Summary) -> Vec<DistinctProblem> {
    let of_run: Vec<RunProblem> = run_problems(reports, summary);
    let mut all: Vec<_> = of_run.iter().map(DistinctProblem::of_run).collect();
    let (ranked, _) = digest::ranked(summary);
    all.extend(ranked.into_iter().filter_map(of_ranked));
    // Stable, so that the order is otherwise that of the digest.
    all.sort_by_key(|problem| problem.level);
    all
}

/// A problem of the run, if it is not only a remark.
fn of_ranked(Ranked { problem, level }: Ranked<'_>) -> Option<DistinctProblem> {
    let level = match level {
        run::Level::Failing | run::Level::NotRun => Level::Error,
        run::Level::Warning => Level::Warning,
        run::Level::Advisory => return None,
    };
    let run::Example { cell, check, .. } = &problem.example;
    let message = check.message.as_deref().unwrap_or("no reason was given");
    let cite =
        |id: &&'static str| format!("\nRequirement: {}", requirement::cite(id, cell.revision));
    let cited: String = problem.requirements().iter().map(cite).collect();
    Some(DistinctProblem {
        level,
        title: check.id.clone(),
        headline: problem.headline().to_owned(),
        reason: format!("{message}{cited}"),
        file: (cell.scenario.kind == Kind::Case).then(|| cell.scenario.file.to_string()),
        cells: problem.cells().into_iter().map(name).collect(),
    })
}
