//! JUnit XML, as Jenkins, GitLab and others read it.

use std::time::Duration;

use mcp_test_core::run::{Comparison, ScenarioRun, Summary};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestRerun, TestSuite};

use super::run_problems::run_problems;
use super::scenario_run_reports::{
    Conclusion, Problem, ScenarioRunReport, ScenarioRunReports, block, line, message, texts,
};

/// The document.
///
/// There is one `testsuite` for each revision and transport, and one `testcase` for each scenario run. Of a scenario run that
///
/// - failed, the `failure` contains the report on each check that counts;
/// - failed as the baseline expects, `skipped` says "expected failure";
/// - was skipped, or not run after the first failure, `skipped` has the reason;
/// - is flaky, each attempt that failed is a `flakyFailure`; if all attempts failed, the others are a `rerunFailure`;
/// - could not be run, there is an `error`;
/// - passed with warnings, they are in `system-out`.
///
/// What concerns the whole run is a `testcase` of the suite `mcp-test`: that it could not take place, that it was interrupted,
/// and each stale entry of the baseline.
pub(super) fn text(reports: &ScenarioRunReports, summary: &Summary) -> String {
    // Writing to memory does not fail.
    report(reports, summary).to_string().unwrap_or_default()
}

fn report(reports: &ScenarioRunReports, summary: &Summary) -> Report {
    let baseline = summary.baseline.as_ref();
    let mut report = Report::new(format!("mcp-test {}", reports.info.command));
    let run = run_suite(reports, summary);
    if !run.test_cases.is_empty() {
        report.add_test_suite(run);
    }
    let mut suites: Vec<TestSuite> = Vec::new();
    for scenario_run in &reports.scenario_runs {
        let suite = suite_of(&mut suites, &scenario_run.scenario_run, reports);
        suite.set_time(suite.time.unwrap_or_default() + scenario_run.elapsed);
        suite.add_test_case(test_case(scenario_run, baseline));
    }
    for scenario_run in &summary.not_started {
        let mut status = TestCaseStatus::skipped();
        status.set_message("not run after the first failure");
        suite_of(&mut suites, scenario_run, reports)
            .add_test_case(named_case(scenario_run, status));
    }
    report.add_test_suites(suites);
    report
}

/// The suite that a scenario run belongs to, which is added if there is none.
fn suite_of<'a>(
    suites: &'a mut Vec<TestSuite>,
    scenario_run: &ScenarioRun,
    reports: &ScenarioRunReports,
) -> &'a mut TestSuite {
    let name = suite_name(scenario_run);
    let index = suites.iter().position(|suite| suite.name.as_str() == name);
    let index = index.unwrap_or_else(|| {
        suites.push(suite(&name, reports));
        suites.len() - 1
    });
    &mut suites[index]
}

fn suite(name: &str, reports: &ScenarioRunReports) -> TestSuite {
    let mut suite = TestSuite::new(name);
    suite.add_property(("target", &*line(&reports.info.target)));
    if let Some(server) = &reports.server {
        suite.add_property(("server", &*line(server)));
    }
    suite.add_property(("profile", reports.info.profile.as_str()));
    suite
}

fn suite_name(scenario_run: &ScenarioRun) -> String {
    format!(
        "{} at {} over {}",
        scenario_run.scenario.tested_side, scenario_run.revision, scenario_run.transport
    )
}

/// What concerns the whole run.
fn run_suite(reports: &ScenarioRunReports, summary: &Summary) -> TestSuite {
    let mut suite = suite("mcp-test", reports);
    for problem in run_problems(reports, summary) {
        let kind = match problem.is_error {
            true => NonSuccessKind::Error,
            false => NonSuccessKind::Failure,
        };
        let mut status = TestCaseStatus::non_success(kind);
        status.set_message(line(problem.headline())).set_description(block(&problem.text));
        let mut case = TestCase::new(line(&problem.test), status);
        case.set_classname("mcp-test");
        suite.add_test_case(case);
    }
    suite
}

fn test_case(scenario_run: &ScenarioRunReport, baseline: Option<&Comparison>) -> TestCase {
    let conclusion = scenario_run.conclusion(baseline);
    let mut case =
        named_case(&scenario_run.scenario_run, status(scenario_run, conclusion, baseline));
    case.set_time(scenario_run.elapsed);
    case.extra.insert("timestamp".into(), scenario_run.started.as_str().into());
    let others: Vec<&Problem> = match conclusion {
        // The status has those that count.
        Conclusion::Failed => scenario_run
            .problems
            .iter()
            .filter(|problem| !scenario_run.fails(problem, baseline))
            .collect(),
        Conclusion::Passed => scenario_run.problems.iter().collect(),
        Conclusion::ExpectedFailure
        | Conclusion::Skipped
        | Conclusion::NotRun
        | Conclusion::Flaky => Vec::new(),
    };
    if !others.is_empty() {
        case.set_system_out(texts(others));
    }
    case
}

/// The case of a scenario run, by its name.
fn named_case(scenario_run: &ScenarioRun, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(line(&scenario_run.scenario.id), status);
    // Jenkins shows what precedes the last dot as a package.
    case.set_classname(format!(
        "{}.{}.{}",
        scenario_run.scenario.tested_side, scenario_run.revision, scenario_run.transport
    ));
    case
}

fn status(
    scenario_run: &ScenarioRunReport,
    conclusion: Conclusion,
    baseline: Option<&Comparison>,
) -> TestCaseStatus {
    match conclusion {
        Conclusion::Passed => TestCaseStatus::success(),
        Conclusion::Flaky => {
            let mut status = TestCaseStatus::success();
            status.add_rerun(attempt(&texts(&scenario_run.problems), scenario_run.elapsed));
            status.add_reruns(other_failures(scenario_run));
            status
        }
        Conclusion::Failed => non_success(
            NonSuccessKind::Failure,
            scenario_run,
            scenario_run.failing(baseline).collect(),
        ),
        Conclusion::NotRun => {
            non_success(NonSuccessKind::Error, scenario_run, scenario_run.problems.iter().collect())
        }
        Conclusion::Skipped => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(line(scenario_run.skip_reason()));
            status
        }
        Conclusion::ExpectedFailure => {
            let mut status = TestCaseStatus::skipped();
            status.set_message("expected failure").set_description(texts(&scenario_run.problems));
            status
        }
    }
}

fn non_success(
    kind: NonSuccessKind,
    scenario_run: &ScenarioRunReport,
    problems: Vec<&Problem>,
) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    if let Some(first) = problems.first() {
        status.set_message(line(&message(&problems))).set_type(first.status.as_str());
    }
    status.set_description(format!("{}\n{}", texts(problems), block(&scenario_run.epilogue)));
    status.add_reruns(other_failures(scenario_run));
    status
}

fn other_failures(scenario_run: &ScenarioRunReport) -> impl Iterator<Item = TestRerun> {
    scenario_run
        .other_failures
        .iter()
        .map(|failure| attempt(&block(&failure.text), failure.elapsed))
}

/// An attempt that failed, where another one decides about the status.
fn attempt(text: &str, elapsed: Duration) -> TestRerun {
    let mut rerun = TestRerun::new(NonSuccessKind::Failure);
    rerun.set_message(line(text.lines().next().unwrap_or_default())).set_time(elapsed);
    rerun.set_description(text);
    rerun
}
