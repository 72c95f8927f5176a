//! A scenario as a plain `#[test]`: its runs one after the other, all reported.

use std::panic;
use std::sync::Arc;

use mcp_test_core::run::single::Unanswered;
use mcp_test_core::run::{Problems, panics};
use mcp_test_core::scenario::{SetupValue, UserScenario};

use super::environment::Environment;
use super::known::KnownOfScenario;
use super::source::Source;
use super::test_run::{self, FinishedRun, TIMEOUT, TestResult, TestRun};
use super::{InvalidTest, output, scenario_runs};

/// Runs a scenario as the body of a `#[test]`; what `#[mcp_scenario]` expands to.
///
/// # Panics
///
/// If the scenario fails. The report is on stderr by then, so the panic itself is silent.
pub fn run_test(scenario: &'static UserScenario) {
    panics::install_noting();
    let report = match planned(scenario) {
        Ok(runs) => Report::of(scenario, &runs),
        Err(why) => Report {
            text: test_run::invalid_test(scenario, &why),
            has_failed: true,
            reported: Vec::new(),
        },
    };
    if report.has_failed {
        output::failure(&report.text);
        // Not `panic!`, whose own message would follow the report.
        panic::resume_unwind(Box::new(()));
    }
    if !report.text.is_empty() {
        output::note(&report.text);
    }
}

fn planned(scenario: &'static UserScenario) -> Result<Vec<TestRun>, InvalidTest> {
    let environment = Environment::read()?;
    let source = Source::for_scenario(&scenario.body, &environment)?;
    runs(scenario, &environment, &source, false)
}

/// The runs that a scenario declares.
pub(super) fn runs(
    scenario: &'static UserScenario,
    environment: &Environment,
    source: &Source,
    captures_panics: bool,
) -> Result<Vec<TestRun>, InvalidTest> {
    // Before the setup of any run: a test has a name for each transport.
    let transports = || Ok(source.make(&SetupValue::default())?.transports());
    let scenario_runs = scenario_runs::declared(scenario, transports)?;
    // A single run keeps the plain name of its snapshot, whatever the attribute declares.
    let several = scenario_runs.len() > 1;
    let unanswered = Unanswered::default();
    let known = Arc::new(KnownOfScenario::new(scenario, environment, scenario_runs.len()));
    let run = |scenario_run: scenario_runs::DeclaredRun| TestRun {
        scenario,
        source: source.clone(),
        timeout: scenario.timeout.or(environment.timeout).unwrap_or(TIMEOUT),
        snapshot_suffix: several.then(|| scenario_run.label("-")),
        shows_differences: environment.insta_is_quiet,
        captures_panics,
        unanswered: unanswered.clone(),
        secrets: environment.secrets.clone(),
        recorded: environment.record.clone(),
        known: Arc::clone(&known),
        scenario_run,
    };
    Ok(scenario_runs.into_iter().map(run).collect())
}

/// The report that a test prints at its end.
#[derive(Default)]
struct Report {
    text: String,
    has_failed: bool,
    /// The problems that were reported, and at which runs they showed again.
    reported: Vec<(Problems, Vec<String>)>,
}

impl Report {
    fn of(scenario: &UserScenario, runs: &[TestRun]) -> Self {
        let mut report = Self::default();
        let (mut passed, mut failed, mut unsupported) = (Vec::new(), Vec::new(), Vec::new());
        let (mut undecided, mut stale) = (Vec::new(), Vec::new());
        for run in runs {
            let ended = run.execute();
            let FinishedRun { result, is_unsupported, is_undecided, problems, place, .. } = ended;
            stale.extend(ended.stale);
            match result {
                TestResult::Passed => passed.push(place),
                TestResult::ExpectedFailure(what) => {
                    let name = scenario.name;
                    report.add(&format!("scenario `{name}` at {place}: expected failure: {what}"));
                    passed.push(place);
                }
                TestResult::Skipped(reason) if is_unsupported => unsupported.push(reason),
                TestResult::Skipped(reason) if is_undecided => {
                    undecided.push(format!("{place}: {reason}"));
                }
                TestResult::Skipped(reason) if scenario.allow_skip => {
                    report.add(&format!("scenario `{}` was skipped: {reason}", scenario.name));
                    passed.push(place);
                }
                // libtest has no way to show a test as skipped, and a pass would claim that something was tested.
                TestResult::Skipped(reason) => {
                    report.add(&format!(
                        "{}\nthe scenario was skipped: {reason}\n  \
                         hint: `#[mcp_scenario(allow_skip)]` lets a skipped scenario pass",
                        ended.heading
                    ));
                    failed.push(place);
                }
                TestResult::Failed(text) => {
                    report.add_failure(&text, problems, &place);
                    failed.push(place);
                }
            }
        }
        report.has_failed = !failed.is_empty();
        let repeated = std::mem::take(&mut report.reported);
        for (_, places) in repeated.iter().filter(|(_, places)| places.len() > 1) {
            let (first, others) = (&places[0], places[1..].join(", "));
            report.add(&format!("what failed at {first} failed in the same way at {others}"));
        }
        // The peer speaks no revision of the range, so that nothing was tested, which must not pass.
        if !undecided.is_empty() {
            report.add(&format!("not decided:\n{}", undecided.join("\n")));
        }
        if passed.is_empty() && failed.is_empty() {
            let heading = test_run::heading(scenario, None, None);
            let reasons = unsupported.join("\n");
            report.add(&format!("{heading}\nno run of the scenario is possible:\n{reasons}"));
            report.has_failed = true;
        } else if report.has_failed && runs.len() > 1 {
            report.add(&summary(&failed, &passed));
        }
        report.has_failed |= !stale.is_empty();
        stale.iter().for_each(|text| report.add(text));
        report
    }

    /// Adds a failure, unless an earlier run has failed for the same reasons.
    fn add_failure(&mut self, text: &str, problems: Problems, place: &str) {
        let is_known = |(known, _): &&mut (Problems, Vec<String>)| {
            !problems.sorted().is_empty() && problems.is_within(known)
        };
        match self.reported.iter_mut().find(is_known) {
            Some((_, places)) => places.push(place.to_owned()),
            None => {
                self.add(text);
                self.reported.push((problems, vec![place.to_owned()]));
            }
        }
    }

    /// Adds a section, with an empty line before it.
    fn add(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }
}

fn summary(failed: &[String], passed: &[String]) -> String {
    let all = failed.len() + passed.len();
    let mut text = format!("{} of {all} scenario runs failed: {}", failed.len(), failed.join(", "));
    if !passed.is_empty() {
        text.push_str(&format!("\nthe others passed: {}", passed.join(", ")));
    }
    text
}
