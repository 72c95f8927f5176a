//! What makes a run fail beside its scenario runs: that it could not take place or was interrupted, and stale entries of the
//! baseline.

use mcp_test_core::run::Summary;

use super::scenario_run_reports::ScenarioRunReports;

/// A problem of the run as a whole.
#[derive(Debug)]
pub(super) struct RunProblem {
    /// The name of the test that it is, in a report of tests.
    pub(super) test: String,
    /// What it concerns.
    pub(super) title: &'static str,
    /// Whether nothing was tested, or not all; otherwise something has failed.
    pub(super) is_error: bool,
    pub(super) text: String,
}

impl RunProblem {
    /// Its first line.
    pub(super) fn headline(&self) -> &str {
        self.text.lines().next().unwrap_or_default()
    }
}

/// The problems of the run as a whole.
pub(super) fn run_problems(reports: &ScenarioRunReports, summary: &Summary) -> Vec<RunProblem> {
    let error = |test: &str, title, text: &str| RunProblem {
        test: test.to_owned(),
        title,
        is_error: true,
        text: text.trim_end().to_owned(),
    };
    let not_run = reports.not_run.iter().map(|text| error("start", "not run", text));
    let interrupted = summary.interrupted.map(|_| reports.interruption());
    let interrupted = interrupted.iter().map(|text| error("complete", "interrupted", text));
    let stale = summary.baseline.iter().flat_map(|baseline| &baseline.stale);
    let stale = stale.map(|entry| RunProblem {
        test: format!("baseline: {entry}"),
        title: "stale baseline entry",
        is_error: false,
        text: format!("`{entry}` was expected to fail, but it passed; remove it from the baseline"),
    });
    not_run.chain(interrupted).chain(stale).collect()
}
