//! The step summary of GitHub Actions: Markdown, in which texts of the run are only code.

use super::cell_reports::{CellReports, Conclusion};
use super::distinct_problems::{DistinctProblem, Level};
use crate::cases::{code_block, code_span};
use crate::expect::words;
use crate::run::{ExitCode, Summary};

/// How large the text becomes at most, in bytes. GitHub shows nothing of a step whose summary exceeds 1 MiB, to which other
/// commands of the step may add.
const MOST: usize = 512 * 1024;

/// The text for the end of the file.
pub(super) fn text(
    reports: &CellReports,
    summary: &Summary,
    problems: &[DistinctProblem],
) -> String {
    let mut text = format!("\n## mcp-test {}: {}\n\n", reports.info.command, outcome(summary));
    let server = reports.server.as_deref().map(|server| format!(" ({})", span(server)));
    text.push_str(&format!(
        "{}{}, profile {}: {}\n",
        span(&reports.info.target),
        server.unwrap_or_default(),
        reports.info.profile,
        totals(reports, summary)
    ));
    let sections = problems.iter().map(problem).chain(not_tested(reports, summary));
    let mut left_out = 0;
    for section in sections {
        if text.len() + section.len() > MOST {
            left_out += 1;
        } else {
            text.push_str(&section);
        }
    }
    if left_out > 0 {
        text.push_str(&format!("\n{left_out} more; the log has all of them.\n"));
    }
    text
}

/// What the run amounts to; the exit code decides.
fn outcome(summary: &Summary) -> &'static str {
    match (summary.interrupted, summary.exit) {
        (Some(_), _) => "⚠️ interrupted",
        (None, ExitCode::Passed) => "✅ passed",
        (None, ExitCode::Failed) => "❌ failed",
        (None, ExitCode::Usage | ExitCode::NotRun) => "⚠️ could not be run",
    }
}

/// `3 scenario runs, 1 passed, 2 skipped`.
fn totals(reports: &CellReports, summary: &Summary) -> String {
    let mut text = words::count(reports.cells.len(), "scenario run");
    for (conclusion, word) in [
        (Conclusion::Passed, "passed"),
        (Conclusion::Failed, "failed"),
        (Conclusion::ExpectedFailure, "failed as expected"),
        (Conclusion::Skipped, "skipped"),
        (Conclusion::NotRun, "could not be run"),
        (Conclusion::Flaky, "flaky"),
    ] {
        match reports.count(conclusion, summary.baseline.as_ref()) {
            0 => {}
            count => text.push_str(&format!(", {count} {word}")),
        }
    }
    if !summary.not_started.is_empty() {
        let count = summary.not_started.len();
        text.push_str(&format!("; {count} more were not run after the first failure"));
    }
    text
}

fn problem(problem: &DistinctProblem) -> String {
    let icon = if problem.level == Level::Error { "❌" } else { "⚠️" };
    let places = problem.places();
    let places = match places.is_empty() {
        true => String::new(),
        false => format!("\nFound by {}\n", span(&places)),
    };
    let reason = code_block("text", &words::inert(&problem.reason));
    let (title, headline) = (span(&problem.title), span(&problem.headline));
    format!("\n### {icon} {title}: {headline}\n{places}\n{reason}\n")
}

/// What was skipped, by reason.
fn not_tested(reports: &CellReports, summary: &Summary) -> Option<String> {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    let baseline = summary.baseline.as_ref();
    for cell in &reports.cells {
        if cell.conclusion(baseline) != Conclusion::Skipped {
            continue;
        }
        let reason = cell.skip_reason.as_deref().unwrap_or("not applicable");
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, cells)) => cells.push(cell.name()),
            None => reasons.push((reason, vec![cell.name()])),
        }
    }
    let line = |(reason, cells): &(&str, Vec<String>)| {
        format!("- {}: {}\n", span(reason), words::count(cells.len(), "scenario run"))
    };
    let lines: String = reasons.iter().map(line).collect();
    (!lines.is_empty()).then(|| format!("\n### Not tested\n\n{lines}"))
}

/// Text on one line, as code.
fn span(text: &str) -> String {
    code_span(&words::inert(text))
}
