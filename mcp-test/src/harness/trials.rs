//! Scenarios as the trials of a test target without libtest: what `mcp_test::main!()` runs.

use std::collections::BTreeSet;
use std::env;
use std::num::NonZeroUsize;
use std::process::ExitCode;

use libtest_mimic::{Completion, Failed, Trial};

use super::arguments::{Arguments, HELP};
use super::conformance::{self, Conformance};
use super::ending::{Ending, Played};
use super::environment::{self, Environment};
use super::plain::orders;
use super::source::Source;
use super::stage::{self, Order};
use super::{Unplayable, panics, stray, telling};
use crate::scenario::{UserScenario, user_scenarios};

/// libtest's exit code for wrong arguments and for failed tests alike.
const FAILED: u8 = 101;

/// Where `main!` stands.
#[derive(Debug)]
pub struct Place {
    /// The source file, as the compiler was given it.
    pub file: &'static str,
    /// Where the `Cargo.toml` of the package is.
    pub manifest_dir: &'static str,
}

/// The body of the `main` that [`main!`](crate::main!) expands to.
#[must_use]
pub fn main(place: &Place, conformances: Vec<Conformance>) -> ExitCode {
    match prepare(place, conformances) {
        Ok(Some((arguments, trials))) => libtest_mimic::run(&arguments, trials).exit_code(),
        Ok(None) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(FAILED)
        }
    }
}

type Prepared = (libtest_mimic::Arguments, Vec<Trial>);

fn prepare(place: &Place, conformances: Vec<Conformance>) -> crate::Result<Option<Prepared>> {
    let arguments = Arguments::parse(env::args_os().skip(1))?;
    if arguments.help {
        print!("{HELP}");
        return Ok(None);
    }
    let threads = arguments.test_threads.or(environment::test_threads()?);
    let mut trials = scenarios();
    let suites: Vec<conformance::Trials> = conformances
        .into_iter()
        .map(|it| it.into_trials(place.manifest_dir))
        .collect::<Result<_, _>>()?;
    let names = trials.iter().map(|trial| trial.name().to_owned());
    let names = names.chain(suites.iter().flat_map(conformance::Trials::names));
    #[cfg(feature = "cases")]
    let cases = super::cases::Trials::all();
    #[cfg(feature = "cases")]
    let names = names.chain(cases.iter().flat_map(super::cases::Trials::names));
    let names: Vec<String> = names.collect();
    unique(&names)?;
    let wanted = |name: &str| arguments.selects(name);
    let unwanted = names.iter().filter(|name| !wanted(name)).cloned().collect();
    for suite in suites {
        trials.extend(suite.into_trials(&|name| wanted(name) && !arguments.ignored, jobs(threads)));
    }
    #[cfg(feature = "cases")]
    for cases in cases {
        let runs = |ignored| arguments.include_ignored || arguments.ignored == ignored;
        let played = |name: &str, ignored| wanted(name) && runs(ignored);
        trials.extend(cases.into_trials(&played, jobs(threads)));
    }
    if !arguments.list {
        warn_of_stray_tests(place);
        panics::install();
    }
    Ok(Some((arguments.to_mimic(unwanted, threads), trials)))
}

/// As many jobs as libtest would run tests.
fn jobs(threads: Option<NonZeroUsize>) -> NonZeroUsize {
    threads.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}

/// Two tests of one name could not be told apart, and nextest would run one of them.
fn unique(names: &[String]) -> crate::Result {
    let mut seen = BTreeSet::new();
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        None => Ok(()),
        Some(twice) => Err(format!(
            "two tests have the name `{twice}`; a scenario can be renamed, a suite with `conformance(…).named(…)`, and `cases!` with `name = …`"
        )
        .into()),
    }
}

fn warn_of_stray_tests(place: &Place) {
    let with_main = [(place.manifest_dir, place.file)];
    let with_scenarios = user_scenarios().into_iter().map(|it| (it.manifest_dir, it.file));
    let files = with_main.into_iter().chain(with_scenarios);
    #[cfg(feature = "cases")]
    let files = files.chain(
        crate::cases::user_cases().into_iter().map(|cases| (cases.manifest_dir, cases.file)),
    );
    let stray = stray::find(files);
    if !stray.is_empty() {
        eprint!("{}", stray::warning(&stray));
    }
}

fn scenarios() -> Vec<Trial> {
    let environment = Environment::read();
    let mut trials = Vec::new();
    for scenario in user_scenarios() {
        // What cannot be planned is one trial, which says why.
        let planned = environment
            .as_ref()
            .map_err(ToString::to_string)
            .and_then(|environment| plan(scenario, environment).map_err(|why| why.to_string()));
        match planned {
            Ok(orders) => trials.extend(orders.into_iter().map(trial)),
            Err(why) => trials.push(failing(scenario, why)),
        }
    }
    trials
}

fn plan(
    scenario: &'static UserScenario,
    environment: &Environment,
) -> Result<Vec<Order>, Unplayable> {
    let source = Source::of(scenario.target, environment)?;
    orders(scenario, environment, &source, true)
}

fn trial(order: Order) -> Trial {
    let scenario = order.scenario;
    let cell = order.cell.to_string();
    let name = match cell.as_str() {
        "" => scenario.test_name(),
        cell => format!("{}::{cell}", scenario.test_name()),
    };
    Trial::ignorable_test(name, move || outcome(scenario, &stage::play(&order)))
        .with_ignored_flag(scenario.ignored.is_some())
}

fn failing(scenario: &'static UserScenario, why: String) -> Trial {
    let told = move || outcome(scenario, &Played::failed(super::ending::Problem::Unplayable(why)));
    Trial::ignorable_test(scenario.test_name(), told).with_ignored_flag(scenario.ignored.is_some())
}

fn outcome(scenario: &UserScenario, played: &Played) -> Result<Completion, Failed> {
    match &played.ending {
        Ending::Passed => Ok(Completion::Completed),
        Ending::Skipped(reason) | Ending::Unspoken(reason) => Ok(Completion::ignored_with(reason)),
        Ending::Failed(_) => Err(telling::failure(scenario, played).into()),
    }
}
