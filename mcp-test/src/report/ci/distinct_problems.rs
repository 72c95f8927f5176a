//! The problems of a run, those that are equal in several scenario runs as one.

use super::cell_reports::{CellReport, CellReports, Conclusion};
use crate::check::Status;
use crate::run::{Comparison, Summary};

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
    /// What concerns the whole run.
    fn of_run(title: &str, text: &str) -> Self {
        Self {
            level: Level::Error,
            title: title.to_owned(),
            headline: text.lines().next().unwrap_or_default().to_owned(),
            reason: text.trim_end().to_owned(),
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
    let mut all: Vec<DistinctProblem> = Vec::new();
    all.extend(reports.not_run.iter().map(|text| DistinctProblem::of_run("not run", text)));
    if summary.interrupted.is_some() {
        all.push(DistinctProblem::of_run("interrupted", &reports.interruption()));
    }
    for entry in summary.baseline.iter().flat_map(|baseline| &baseline.stale) {
        let text =
            format!("`{entry}` was expected to fail, but it passed; remove it from the baseline");
        all.push(DistinctProblem::of_run("stale baseline entry", &text));
    }
    for cell in &reports.cells {
        for problem in of_cell(cell, summary.baseline.as_ref()) {
            let is_same = |other: &&mut DistinctProblem| {
                (other.level, &other.title, &other.reason)
                    == (problem.level, &problem.title, &problem.reason)
            };
            match all.iter_mut().find(is_same) {
                Some(known) => known.cells.extend(problem.cells),
                None => all.push(problem),
            }
        }
    }
    // Stable, so that the order is otherwise that of the plan.
    all.sort_by_key(|problem| problem.level);
    all
}

fn of_cell(
    cell: &CellReport,
    baseline: Option<&Comparison>,
) -> impl Iterator<Item = DistinctProblem> {
    let not_run = cell.conclusion(baseline) == Conclusion::NotRun;
    cell.problems.iter().filter_map(move |problem| {
        let level = match (cell.fails(problem, baseline), problem.status) {
            (true, _) => Level::Error,
            _ if not_run && problem.status == Status::Failure => Level::Error,
            _ if !problem.counts => return None,
            _ if baseline.is_some_and(|baseline| cell.is_expected(problem, baseline)) => {
                return None;
            }
            (false, Status::Warning) => Level::Warning,
            (false, _) => return None,
        };
        Some(DistinctProblem {
            level,
            title: problem.check.clone(),
            headline: problem.headline.clone(),
            reason: problem.reason.clone(),
            file: cell.file().map(str::to_owned),
            cells: vec![cell.name()],
        })
    })
}
