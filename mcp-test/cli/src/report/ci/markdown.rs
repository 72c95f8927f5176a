//! Markdown for GitHub, in which texts of the run are only code.

use mcp_test::cases::{code_block, code_span};
use mcp_test_core::expect::words;
use mcp_test_core::run::{ExitCode, Summary};

use super::distinct_problems::{DistinctProblem, Level};
use super::scenario_run_reports::{Conclusion, ScenarioRunReport, ScenarioRunReports, block};
use crate::report::digest;
use crate::report::problem_details::ProblemDetails;

/// How large a file becomes, in bytes: GitHub refuses a comment of more than 65,536 characters.
pub(super) const COMMENT: usize = 60_000;

/// How large the part of a step summary becomes, in bytes. GitHub shows nothing of a step whose summary exceeds 1 MiB, to which
/// other commands of the step may add.
pub(super) const STEP_SUMMARY: usize = 512 * 1024;

/// The longest details of a problem, in characters.
const DETAILS: usize = 6_000;

/// The longest headline in a table, in characters.
const HEADLINE: usize = 200;

/// The document, of at most `most` bytes: the digest with a table of the problems, and their details, folded.
pub(super) fn text(
    reports: &ScenarioRunReports,
    summary: &Summary,
    problems: &[DistinctProblem<'_>],
    most: usize,
) -> String {
    let mut text = format!("## mcp-test {}: {}\n\n", reports.info.command, outcome(summary));
    let target = |text: &str| span(&words::cut(text, words::NAME));
    let server = reports.server.as_deref().map(|server| format!(" ({})", target(server)));
    text.push_str(&format!(
        "{}{}, profile {}: {}\n\n{}; {}\n",
        target(&reports.info.target),
        server.unwrap_or_default(),
        reports.info.profile,
        totals(reports, summary),
        digest::totals(summary),
        digest::checks(summary),
    ));
    let lines = digest::exceptions(summary).chain(digest::not_scored(summary));
    text.extend(lines.map(|line| format!("\n{}\n", span(&line))));
    if !problems.is_empty() {
        text.push_str("\n| | problem | where | requirement |\n|---|---|---|---|\n");
        // The other half is for the details of the most severe ones.
        append(&mut text, problems.iter().map(row), most / 2);
    }
    let mut details = ProblemDetails::default();
    let sections = problems.iter().map(|problem| section(problem, &mut details, reports, summary));
    let others = [not_tested(summary), expected(reports, summary)];
    append(&mut text, sections.chain(others.into_iter().flatten()), most);
    text
}

/// Appends the parts for which there is room, and how many were left out.
fn append(text: &mut String, parts: impl Iterator<Item = String>, most: usize) {
    // For the line about what was left out.
    const RESERVE: usize = 100;
    let mut left_out = 0;
    for part in parts {
        if text.len() + part.len() + RESERVE > most {
            left_out += 1;
        } else {
            text.push_str(&part);
        }
    }
    if left_out > 0 {
        text.push_str(&format!("\n{left_out} more; the log has all of them.\n"));
    }
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
fn totals(reports: &ScenarioRunReports, summary: &Summary) -> String {
    let mut text = words::count(reports.scenario_runs.len(), "scenario run");
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
    text
}

/// The row of a problem.
fn row(problem: &DistinctProblem<'_>) -> String {
    let requirement = match &problem.requirement {
        Some((id, Some(url))) => format!("[{id}]({url})"),
        Some((id, None)) => (*id).to_owned(),
        None => String::new(),
    };
    let headline = html_code(&words::cut(&problem.headline, HEADLINE));
    let places = match problem.digest.as_str() {
        "" => String::new(),
        places => html_code(&words::cut(places, HEADLINE)),
    };
    format!("| {} | {headline} | {places} | {requirement} |\n", icon(problem))
}

/// The details of a problem.
fn section(
    problem: &DistinctProblem<'_>,
    details: &mut ProblemDetails,
    reports: &ScenarioRunReports,
    summary: &Summary,
) -> String {
    let text = match problem.problem {
        Some(problem) => {
            let text = details.text(problem, summary, &reports.rerun);
            format!("{}\n{text}", problem.headline())
        }
        None => problem.reason.clone(),
    };
    let text = block(&words::cut(text.trim_end(), DETAILS));
    let headline = html_code(&words::cut(&problem.headline, HEADLINE));
    let summary = format!("{} {}: {headline}", icon(problem), html_code(&problem.title));
    folded(&summary, &code_block("text", &text))
}

fn icon(problem: &DistinctProblem<'_>) -> &'static str {
    if problem.level == Level::Error { "❌" } else { "⚠️" }
}

/// What was skipped, by reason.
fn not_tested(summary: &Summary) -> Option<String> {
    let reasons = digest::reasons_not_tested(summary);
    let count = words::count(summary.problems.untested().len(), "scenario run");
    list(&format!("Not tested: {count}"), reasons.iter().map(String::as_str))
}

/// What failed as expected.
fn expected(reports: &ScenarioRunReports, summary: &Summary) -> Option<String> {
    let baseline = summary.baseline.as_ref();
    let expected = |it: Conclusion| it == Conclusion::ExpectedFailure;
    let scenario_runs = reports
        .scenario_runs
        .iter()
        .filter(|scenario_run| expected(scenario_run.conclusion(baseline)));
    let names: Vec<String> = scenario_runs.map(ScenarioRunReport::name).collect();
    let count = words::count(names.len(), "scenario run");
    list(&format!("Failed as expected: {count}"), names.iter().map(String::as_str))
}

/// A folded list; nothing if it would be empty.
fn list<'a>(summary: &str, lines: impl Iterator<Item = &'a str>) -> Option<String> {
    let lines: Vec<String> = lines.map(|line| format!("- {}", span(line))).collect();
    let first = lines.len().min(LISTED);
    let more = match lines.len() - first {
        0 => String::new(),
        more => format!("\n- {more} more"),
    };
    (!lines.is_empty()).then(|| folded(summary, &(lines[..first].join("\n") + &more)))
}

/// How many lines a list has.
const LISTED: usize = 50;

fn folded(summary: &str, text: &str) -> String {
    // Only with empty lines around it is the text Markdown again.
    format!("\n<details>\n<summary>{summary}</summary>\n\n{text}\n\n</details>\n")
}

/// Text on one line, as code.
fn span(text: &str) -> String {
    code_span(&words::inert(&words::cut(text, DETAILS)))
}

/// Text as code in a cell of a table or an element of HTML.
///
/// In a scenario run readers disagree about a backslash before a `|`, even in a code span; character references have one meaning.
fn html_code(text: &str) -> String {
    let mut out = "<code>".to_owned();
    for c in words::inert(text).chars() {
        match c {
            '\n' | '\t' => out.push(' '),
            _ if c.is_ascii_punctuation() && !matches!(c, '-' | ',') => {
                out.push_str(&format!("&#{};", u32::from(c)));
            }
            _ => out.push(c),
        }
    }
    out + "</code>"
}
