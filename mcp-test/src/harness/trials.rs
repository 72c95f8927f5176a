//! Scenarios as the trials of a test target without libtest: what `mcp_test::main!()` runs.

use std::collections::BTreeSet;
use std::env;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::thread;

use libtest_mimic::Trial;
use mcp_test_core::run::panics;
use mcp_test_core::scenario::{CallSite, UserScenario, user_scenarios};

use super::arguments::{Arguments, HELP};
use super::conformance::{self, Conformance};
use super::environment::{self, Environment};
use super::plain::runs;
use super::source::Source;
use super::suite::Strictness;
use super::test_run::{self, TestResult, TestRun};
use super::{InvalidTest, output, stray};

/// libtest's exit code for wrong arguments and for failed tests alike.
const FAILED: u8 = 101;

/// The body of the `main` that [`main!`](crate::main!) expands to.
#[must_use]
pub fn main(site: CallSite, conformances: Vec<Conformance>) -> ExitCode {
    match prepare(site, conformances) {
        Ok(Some((arguments, trials))) => run(&arguments, trials),
        Ok(None) => ExitCode::SUCCESS,
        Err(why) => {
            output::note(&format!("error: {why}"));
            ExitCode::from(FAILED)
        }
    }
}

/// Runs the trials; ends without a message if nobody reads the results any more, as in `cargo test | head`.
fn run(arguments: &libtest_mimic::Arguments, trials: Vec<Trial>) -> ExitCode {
    // libtest-mimic panics where it cannot print, on this thread.
    let (before, printer) = (panic::take_hook(), thread::current().id());
    panic::set_hook(Box::new(move |info| {
        if thread::current().id() != printer || !output::has_no_reader() {
            before(info);
        }
    }));
    let run = || libtest_mimic::run(arguments, trials).exit_code();
    panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| {
        if !output::has_no_reader() {
            panic::resume_unwind(payload);
        }
        // Not all results are known.
        ExitCode::from(FAILED)
    })
}

type Prepared = (libtest_mimic::Arguments, Vec<Trial>);

fn prepare(
    site: CallSite,
    conformances: Vec<Conformance>,
) -> mcp_test_core::Result<Option<Prepared>> {
    let arguments = Arguments::parse(env::args_os().skip(1))?;
    if arguments.help {
        // Nothing is lost if nobody reads it.
        let _ = io::stdout().write_all(HELP.as_bytes());
        return Ok(None);
    }
    let threads = arguments.test_threads.or(environment::test_threads()?);
    // Of all kinds before any is selected: two tests of one name are an error even if the filter leaves one out.
    let mut trials = scenarios();
    let names = trials.iter().map(|trial| trial.name().to_owned());
    let writes_baseline = environment::writes_baseline()?;
    let strictness = match environment::known_is_strict()? {
        true => Strictness::Fails,
        false => Strictness::Reports,
    };
    let suites: Vec<conformance::Trials> = conformances
        .into_iter()
        .map(|it| it.into_trials(site.manifest_dir, writes_baseline))
        .collect::<Result<_, _>>()?;
    let names = names.chain(suites.iter().flat_map(conformance::Trials::names));
    #[cfg(feature = "cases")]
    let cases = super::cases::Trials::all();
    #[cfg(feature = "cases")]
    let names = names.chain(cases.iter().flat_map(super::cases::Trials::names));
    let names: Vec<String> = names.collect();
    ensure_unique(&names)?;
    let wanted = |name: &str| arguments.selects(name);
    // libtest-mimic takes one filter only, so that everything else is skipped by its exact name.
    let unwanted = names.iter().filter(|name| !wanted(name)).cloned().collect();
    // No trial of a built-in scenario has `#[ignore]`, so with `--ignored` none of them runs.
    for suite in suites {
        let is_run = |name: &str| wanted(name) && !arguments.ignored;
        trials.extend(suite.into_trials(&is_run, jobs(threads), strictness));
    }
    #[cfg(feature = "cases")]
    for cases in cases {
        let runs = |ignored| arguments.include_ignored || arguments.ignored == ignored;
        let is_run = |name: &str, ignored| wanted(name) && runs(ignored);
        trials.extend(cases.into_trials(&is_run, jobs(threads)));
    }
    // nextest parses the list, which must come without warnings.
    if !arguments.list {
        warn_about_stray_tests(site);
        panics::install();
    }
    Ok(Some((arguments.to_mimic(unwanted, threads), trials)))
}

/// The number of tests that libtest would run at the same time.
fn jobs(threads: Option<NonZeroUsize>) -> NonZeroUsize {
    threads.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}

/// Refuses two tests of one name: nextest would run only one of them.
fn ensure_unique(names: &[String]) -> mcp_test_core::Result {
    let mut seen = BTreeSet::new();
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        None => Ok(()),
        Some(twice) => Err(format!(
            "two tests have the name `{twice}`; rename the scenario, or use `conformance(…).named(…)` or the option `name` of `cases!`"
        )
        .into()),
    }
}

fn warn_about_stray_tests(site: CallSite) {
    let sites = [site].into_iter().chain(user_scenarios().into_iter().map(|it| it.site));
    #[cfg(feature = "cases")]
    let sites = sites.chain(crate::cases::user_cases().into_iter().map(|cases| cases.site));
    let stray = stray::find(sites);
    if !stray.is_empty() {
        output::note(stray::warning(&stray).trim_end());
    }
}

fn scenarios() -> Vec<Trial> {
    let environment = Environment::read();
    let mut trials = Vec::new();
    for scenario in user_scenarios() {
        // A scenario that cannot be planned is one trial, which reports why.
        let invalid_test = |why: &InvalidTest| test_run::invalid_test(scenario, why);
        let planned = match &environment {
            Ok(environment) => plan(scenario, environment).map_err(|why| invalid_test(&why)),
            Err(why) => Err(invalid_test(why)),
        };
        match planned {
            Ok(runs) => trials.extend(runs.into_iter().map(trial_of_scenario)),
            Err(report) => trials.push(failing(scenario, report)),
        }
    }
    trials
}

fn plan(
    scenario: &'static UserScenario,
    environment: &Environment,
) -> Result<Vec<TestRun>, InvalidTest> {
    let source = Source::for_scenario(&scenario.body, environment)?;
    runs(scenario, environment, &source, true)
}

fn trial_of_scenario(run: TestRun) -> Trial {
    let scenario = run.scenario;
    let scenario_run = run.scenario_run.to_string();
    let name = match scenario_run.as_str() {
        "" => scenario.test_name(),
        scenario_run => format!("{}::{scenario_run}", scenario.test_name()),
    };
    test_run::trial(name, scenario.ignored.is_some(), move || run.execute().into_result())
}

fn failing(scenario: &'static UserScenario, report: String) -> Trial {
    let is_ignored = scenario.ignored.is_some();
    test_run::trial(scenario.test_name(), is_ignored, move || TestResult::Failed(report))
}
