//! CTRF, the Common Test Report Format: JSON.

use mcp_test_core::clock;
use mcp_test_core::json::{Object, Value};
use mcp_test_core::run::{Cell, Comparison, Summary};
use mcp_test_core::scenario::Kind;

use super::cell_reports::{CellReport, CellReports, Conclusion, Problem, block, line, name, texts};
use super::run_problems::{RunProblem, run_problems};

/// The version of the format.
const SPEC_VERSION: &str = "0.0.0";

/// The statuses that the format has.
const STATUSES: [&str; 5] = ["passed", "failed", "skipped", "pending", "other"];

/// The document.
///
/// There is one test for each scenario run, with the suites tested side, revision and transport, and one of the suite `mcp-test` for each
/// problem of the whole run. `rawStatus` has what the format does not distinguish: `failed as expected`, which is `other`, and
/// `not run`, which is `failed`.
pub(super) fn text(reports: &CellReports, summary: &Summary) -> String {
    let baseline = summary.baseline.as_ref();
    let of_run = run_problems(reports, summary);
    let of_run = of_run.iter().map(run_test);
    let cells = reports.cells.iter().map(|cell| test(cell, baseline));
    let not_started = summary.not_started.iter().map(not_started);
    let tests: Vec<Object> = of_run.chain(cells).chain(not_started).collect();
    let mut results = Object::new();
    let tool = [("name", "mcp-test"), ("version", env!("CARGO_PKG_VERSION"))];
    results.push("tool", Object::from_iter(tool));
    results.push("summary", totals(reports, &tests));
    results.push("tests", tests.into_iter().map(Value::Object).collect::<Value>());
    let mut extra = Object::new();
    extra.push("command", reports.info.command);
    extra.push("target", line(&reports.info.target));
    extra.push("server", reports.server.as_deref().map(line));
    extra.push("profile", reports.info.profile.as_str());
    results.push("extra", extra);
    let mut document = Object::new();
    document.push("reportFormat", "CTRF");
    document.push("specVersion", SPEC_VERSION);
    document.push("generatedBy", "mcp-test");
    document.push("results", results);
    Value::Object(document).pretty() + "\n"
}

fn totals(reports: &CellReports, tests: &[Object]) -> Object {
    let mut object = Object::new();
    object.push("tests", tests.len());
    for status in STATUSES {
        let is_it = |test: &&Object| test.get("status").and_then(Value::as_str) == Some(status);
        object.push(status, tests.iter().filter(is_it).count());
    }
    let is_flaky = |test: &&Object| test.get("flaky").and_then(Value::as_bool) == Some(true);
    object.push("flaky", tests.iter().filter(is_flaky).count());
    // Without a scenario run, the time when nothing could be run.
    let began = clock::unix_millis(&reports.started).unwrap_or_default();
    let starts = reports.cells.iter().map(start);
    object.push("start", starts.min().unwrap_or(began));
    let stops = reports.cells.iter().map(|cell| start(cell).saturating_add(milliseconds(cell)));
    object.push("stop", stops.max().unwrap_or(began));
    object
}

/// A problem of the whole run.
fn run_test(problem: &RunProblem) -> Object {
    let mut object = Object::new();
    object.push("name", line(&problem.test));
    object.push("status", "failed");
    object.push("duration", 0);
    object.push("suite", Value::from(vec!["mcp-test"]));
    object.push("message", line(problem.headline()));
    object.push("trace", block(&problem.text));
    object
}

/// A scenario run that was left out after the first failure.
fn not_started(cell: &Cell) -> Object {
    let mut object = named(cell);
    object.push("status", "pending");
    object.push("rawStatus", "not run after the first failure");
    object.push("duration", 0);
    object
}

/// A test with what identifies it.
fn named(cell: &Cell) -> Object {
    let Cell { scenario, revision, transport } = cell;
    let tested_side = scenario.tested_side;
    let mut object = Object::new();
    object.push("testId", line(&format!("{tested_side}/{}/{revision}/{transport}", scenario.id)));
    object.push("name", line(&name(cell)));
    object.push("suite", vec![tested_side.as_str(), revision.as_str(), transport.as_str()]);
    if scenario.kind == Kind::Case {
        object.push("filePath", line(&scenario.file));
    }
    object
}

fn test(cell: &CellReport, baseline: Option<&Comparison>) -> Object {
    let (status, raw) = match cell.conclusion(baseline) {
        Conclusion::Passed => ("passed", "passed"),
        Conclusion::Failed => ("failed", "failed"),
        Conclusion::ExpectedFailure => ("other", "failed as expected"),
        Conclusion::Skipped => ("skipped", "skipped"),
        Conclusion::NotRun => ("failed", "not run"),
        Conclusion::Flaky => ("failed", "flaky"),
    };
    let mut object = named(&cell.cell);
    object.push("status", status);
    object.push("rawStatus", raw);
    object.push("duration", milliseconds(cell));
    object.push("start", start(cell));
    object.push("stop", start(cell).saturating_add(milliseconds(cell)));
    if cell.retries > 0 {
        object.push("retries", cell.retries);
        object.push("flaky", raw == "flaky");
    }
    if status == "skipped" {
        object.push("message", line(cell.skip_reason()));
    } else if !cell.problems.is_empty() {
        let problems: Vec<&Problem> = cell.problems_by_weight(baseline);
        object.push("message", cell.message(baseline));
        object.push("trace", format!("{}\n{}", texts(problems), block(&cell.epilogue)));
    }
    object
}

/// When it began, in milliseconds since 1970.
fn start(cell: &CellReport) -> u64 {
    clock::unix_millis(&cell.started).unwrap_or_default()
}

fn milliseconds(cell: &CellReport) -> u64 {
    u64::try_from(cell.elapsed.as_millis()).unwrap_or(u64::MAX)
}
