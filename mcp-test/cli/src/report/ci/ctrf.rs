//! CTRF, the Common Test Report Format: JSON.

use mcp_test_core::clock;
use mcp_test_core::json::{Object, Value};
use mcp_test_core::run::{Comparison, ScenarioRun, Summary};
use mcp_test_core::scenario::Kind;

use super::run_problems::{RunProblem, run_problems};
use super::scenario_run_reports::{
    Conclusion, Problem, ScenarioRunReport, ScenarioRunReports, block, line, name, texts,
};

/// The version of the format.
const SPEC_VERSION: &str = "0.0.0";

/// The statuses that the format has.
const STATUSES: [&str; 5] = ["passed", "failed", "skipped", "pending", "other"];

/// The document.
///
/// There is one test for each scenario run, with the tested side, revision and transport as suites, and one of the suite `mcp-test` for each
/// problem of the whole run. `rawStatus` has what the format does not distinguish: `failed as expected`, which is `other`, and
/// `not run`, which is `failed`.
pub(super) fn text(reports: &ScenarioRunReports, summary: &Summary) -> String {
    let baseline = summary.baseline.as_ref();
    let of_run = run_problems(reports, summary);
    let of_run = of_run.iter().map(run_test);
    let scenario_runs =
        reports.scenario_runs.iter().map(|scenario_run| test(scenario_run, baseline));
    let not_started = summary.not_started.iter().map(not_started);
    let tests: Vec<Object> = of_run.chain(scenario_runs).chain(not_started).collect();
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

fn totals(reports: &ScenarioRunReports, tests: &[Object]) -> Object {
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
    let starts = reports.scenario_runs.iter().map(start);
    object.push("start", starts.min().unwrap_or(began));
    let stops = reports
        .scenario_runs
        .iter()
        .map(|scenario_run| start(scenario_run).saturating_add(milliseconds(scenario_run)));
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
fn not_started(scenario_run: &ScenarioRun) -> Object {
    let mut object = named(scenario_run);
    object.push("status", "pending");
    object.push("rawStatus", "not run after the first failure");
    object.push("duration", 0);
    object
}

/// A test with what identifies it.
fn named(scenario_run: &ScenarioRun) -> Object {
    let ScenarioRun { scenario, revision, transport } = scenario_run;
    let tested_side = scenario.tested_side;
    let mut object = Object::new();
    object.push("testId", line(&format!("{tested_side}/{}/{revision}/{transport}", scenario.id)));
    object.push("name", line(&name(scenario_run)));
    object.push("suite", vec![tested_side.as_str(), revision.as_str(), transport.as_str()]);
    if scenario.kind == Kind::Case {
        object.push("filePath", line(&scenario.file));
    }
    object
}

fn test(scenario_run: &ScenarioRunReport, baseline: Option<&Comparison>) -> Object {
    let (status, raw) = match scenario_run.conclusion(baseline) {
        Conclusion::Passed => ("passed", "passed"),
        Conclusion::Failed => ("failed", "failed"),
        Conclusion::ExpectedFailure => ("other", "failed as expected"),
        Conclusion::Skipped => ("skipped", "skipped"),
        Conclusion::NotRun => ("failed", "not run"),
        Conclusion::Flaky => ("failed", "flaky"),
    };
    let mut object = named(&scenario_run.scenario_run);
    object.push("status", status);
    object.push("rawStatus", raw);
    object.push("duration", milliseconds(scenario_run));
    object.push("start", start(scenario_run));
    object.push("stop", start(scenario_run).saturating_add(milliseconds(scenario_run)));
    if scenario_run.retries > 0 {
        object.push("retries", scenario_run.retries);
        object.push("flaky", raw == "flaky");
    }
    if status == "skipped" {
        object.push("message", line(scenario_run.skip_reason()));
    } else if !scenario_run.problems.is_empty() {
        let problems: Vec<&Problem> = scenario_run.problems_by_weight(baseline);
        object.push("message", scenario_run.message(baseline));
        object.push("trace", format!("{}\n{}", texts(problems), block(&scenario_run.epilogue)));
    }
    object
}

/// When it began, in milliseconds since 1970.
fn start(scenario_run: &ScenarioRunReport) -> u64 {
    clock::unix_millis(&scenario_run.started).unwrap_or_default()
}

fn milliseconds(scenario_run: &ScenarioRunReport) -> u64 {
    u64::try_from(scenario_run.elapsed.as_millis()).unwrap_or(u64::MAX)
}
