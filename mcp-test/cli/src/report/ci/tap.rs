//! TAP 14, the Test Anything Protocol.

use std::fmt::Write;

use mcp_test_core::json::Value;
use mcp_test_core::run::{Comparison, Summary};

use super::run_problems::run_problems;
use super::scenario_run_reports::{
    Conclusion, Problem, ScenarioRunReport, ScenarioRunReports, block, line, name, texts,
};

/// The document.
///
/// There is one test point for each scenario run, and before them one for each problem of the whole run. One that failed as the
/// baseline expects is `not ok` with the directive `TODO`, one that was skipped is `ok` with `SKIP` and the reason. What failed
/// or warns has a YAML block: `message`, `severity` (`fail`, `error` for what could not be run, `flaky`, `todo`, `comment` for warnings),
/// `scenario`, `revision`, `transport`, `duration_ms`, and `report`, the report on each check.
pub(super) fn text(reports: &ScenarioRunReports, summary: &Summary) -> String {
    let of_run = run_problems(reports, summary);
    let mut text = "TAP version 14\n".to_owned();
    match of_run.len() + reports.scenario_runs.len() + summary.not_started.len() {
        0 => text.push_str("1..0 # SKIP no scenario applies\n"),
        points => {
            let _ = writeln!(text, "1..{points}");
        }
    }
    let mut number = 0;
    for problem in &of_run {
        number += 1;
        let _ = writeln!(text, "not ok {number} - {}", description(&problem.test));
        let severity = if problem.is_error { "error" } else { "fail" };
        let message = line(problem.headline());
        diagnostics(&mut text, &[("message", message.into()), ("severity", severity.into())], "");
    }
    for scenario_run in &reports.scenario_runs {
        number += 1;
        point(&mut text, number, scenario_run, summary.baseline.as_ref());
    }
    for scenario_run in &summary.not_started {
        number += 1;
        let name = description(&name(scenario_run));
        let _ = writeln!(text, "ok {number} - {name} # SKIP not run after the first failure");
    }
    text
}

fn point(
    text: &mut String,
    number: usize,
    scenario_run: &ScenarioRunReport,
    baseline: Option<&Comparison>,
) {
    let (result, directive, severity) = match scenario_run.conclusion(baseline) {
        Conclusion::Passed => ("ok", String::new(), "comment"),
        Conclusion::Skipped => {
            ("ok", format!(" # SKIP {}", description(scenario_run.skip_reason())), "")
        }
        Conclusion::Failed => ("not ok", String::new(), "fail"),
        Conclusion::NotRun => ("not ok", String::new(), "error"),
        Conclusion::Flaky => ("not ok", String::new(), "flaky"),
        Conclusion::ExpectedFailure => ("not ok", " # TODO expected failure".to_owned(), "todo"),
    };
    let _ = writeln!(text, "{result} {number} - {}{directive}", description(&scenario_run.name()));
    if severity.is_empty() || scenario_run.problems.is_empty() {
        return;
    }
    let problems: Vec<&Problem> = scenario_run.problems_by_weight(baseline);
    let duration = u64::try_from(scenario_run.elapsed.as_millis()).unwrap_or(u64::MAX);
    let members = [
        ("message", scenario_run.message(baseline).into()),
        ("severity", severity.into()),
        ("scenario", line(&scenario_run.scenario_run.scenario.id).into()),
        ("revision", scenario_run.scenario_run.revision.as_str().into()),
        ("transport", scenario_run.scenario_run.transport.as_str().into()),
        ("duration_ms", duration.into()),
    ];
    let report = format!("{}\n{}", texts(problems), block(&scenario_run.epilogue));
    diagnostics(text, &members, &report);
}

/// A block of YAML: members in the notation of JSON, and a text of several lines.
fn diagnostics(text: &mut String, members: &[(&str, Value)], report: &str) {
    text.push_str("  ---\n");
    for (name, value) in members {
        let _ = writeln!(text, "  {name}: {value}");
    }
    if !report.is_empty() {
        // With the number, since the first line of the text may be indented.
        text.push_str("  report: |2\n");
        for line in report.lines() {
            let _ = writeln!(text, "{}", format!("    {line}").trim_end());
        }
    }
    text.push_str("  ...\n");
}

/// A text in the line of a test point, where `#` begins a directive.
fn description(text: &str) -> String {
    line(text).replace('\\', "\\\\").replace('#', "\\#")
}
