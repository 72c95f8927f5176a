//! The cases of `cases!` as tests: plain `#[test]`s, and trials.
//!
//! The macro decides which tests exist. The files are read again when a test runs, and one further test compares them with
//! what the macro has seen.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::panic;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

#[cfg(feature = "harness")]
use libtest_mimic::Trial;
use mcp_test_core::run::{Baseline, Outcome, Plan, Selection, Tested, UsageError};
use mcp_test_core::scenario::{Maker, Prerequisites, Profile, Scenario, SetupValue, Shared};
use mcp_test_core::spec::{KnownViolations, Revisions};
use mcp_test_core::transport::TransportKind;

use super::environment::{self, Environment};
use super::error::CaseTestError;
use super::source::Source;
use super::suite::{Planned, Suite};
use super::test_run::{self, TestResult};
use super::{InvalidTest, output};
use crate::cases::hooks::Commands;
use crate::cases::{
    self, CaseTest, Cases, CasesPeer, PlayError, PlayOptions, ReadOptions, UserCases, VerifyOptions,
};

/// Runs the body of a `#[test]` of `cases!`: that of one case, or without a number the one that compares tests and files.
///
/// # Panics
///
/// If the test fails. The report is on stderr by then, so the panic itself is silent.
pub fn run_case(cases: &'static UserCases, test: Option<usize>) {
    let loaded = LoadedCases::of(cases);
    let result = match test.and_then(|test| cases.tests.get(test)) {
        None => loaded.check_in_step(),
        Some(test) => match run_alone(&loaded, test) {
            TestResult::Skipped(reason) if !cases.allow_skip => TestResult::Failed(format!(
                "the case was skipped: {reason}\n  hint: `allow_skip` among the options of `cases!` lets a skipped case pass"
            )),
            result => result,
        },
    };
    match result {
        TestResult::Passed => {}
        TestResult::ExpectedFailure(what) => output::note(&format!("expected failure: {what}")),
        TestResult::Skipped(reason) => output::note(&format!("skipped: {reason}")),
        TestResult::Failed(report) => {
            output::failure(&report);
            // Not `panic!`, whose own message would follow the report.
            panic::resume_unwind(Box::new(()));
        }
    }
}

/// Runs the case of one test.
fn run_alone(cases: &Arc<LoadedCases>, test: &'static CaseTest) -> TestResult {
    let id = match cases.id(test) {
        Ok(id) => id,
        Err(why) => return TestResult::Failed(why.to_string()),
    };
    let (planned, reported) = (Arc::clone(cases), Arc::clone(cases));
    let test_id = id.clone();
    let plan = move || planned.plan(&[id], NonZeroUsize::MIN);
    Suite::new(plan, move |outcome| reported.heading(outcome)).result(&test_id)
}

/// The server or client under test.
fn tested(peer: Option<CasesPeer>, environment: &Environment) -> Result<Tested, InvalidTest> {
    let own = match peer {
        Some(CasesPeer::Client(make)) => return Ok(make().into()),
        Some(CasesPeer::Server(make)) => Some(Maker::Alone(make)),
        None => None,
    };
    Source::of(own, environment)?.make(&SetupValue::default())
}

/// Keeps, for each scenario, the first transport of the target over which it applies.
fn keep_first_transports(plan: &mut Plan) {
    let mut first: BTreeMap<String, TransportKind> = BTreeMap::new();
    for scenario_run in &plan.scenario_runs {
        first.entry(scenario_run.scenario.id.to_string()).or_insert(scenario_run.transport);
    }
    plan.scenario_runs.retain(|scenario_run| {
        first.get(&*scenario_run.scenario.id) == Some(&scenario_run.transport)
    });
}

/// The files of a `cases!`, read when the first test needs them.
struct LoadedCases {
    user: &'static UserCases,
    contract: OnceLock<Result<CompiledContract, Arc<mcp_test_core::Error>>>,
    /// The test that has reported what is wrong with the files.
    reported_by: Mutex<Option<String>>,
}

/// The cases of the files, as scenarios.
struct CompiledContract {
    cases: Cases,
    scenarios: Vec<Shared<Scenario>>,
    prerequisites: Option<Prerequisites>,
}

/// The scenarios of cases, and the processes that their target needs.
type PlayedScenarios = (Vec<Shared<Scenario>>, Option<Prerequisites>);

/// The loaded cases of this process, by the address of their `cases!`.
static LOADED: Mutex<BTreeMap<usize, Arc<LoadedCases>>> = Mutex::new(BTreeMap::new());

impl LoadedCases {
    fn of(user: &'static UserCases) -> Arc<Self> {
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        // The address identifies a `cases!`, since each has a static of its own.
        let cases = loaded.entry(std::ptr::from_ref(user) as usize).or_insert_with(|| {
            Arc::new(Self { user, contract: OnceLock::new(), reported_by: Mutex::new(None) })
        });
        Arc::clone(cases)
    }

    /// The cases, or why there are none: in full for the first test that asks, since all tests of the files ask.
    fn contract(&self, test: &str) -> Result<&CompiledContract, CaseTestError> {
        match self.contract.get_or_init(|| self.read().map_err(Arc::new)) {
            Ok(contract) => Ok(contract),
            Err(why) => {
                let mut reported_by =
                    self.reported_by.lock().unwrap_or_else(PoisonError::into_inner);
                match reported_by.get_or_insert_with(|| test.to_owned()).as_str() {
                    first if first == test => Err(CaseTestError::Unusable(Arc::clone(why))),
                    other => Err(CaseTestError::UnusableAsReported {
                        pattern: self.user.pattern,
                        reported_by: other.to_owned(),
                    }),
                }
            }
        }
    }

    /// The directory of the package; empty if the test runs there, as under cargo, so that messages have short paths.
    fn root(&self) -> &'static Path {
        let root = Path::new(self.user.site.manifest_dir);
        let is_here = std::env::current_dir().is_ok_and(|here| here == root);
        if is_here { Path::new("") } else { root }
    }

    fn read(&self) -> mcp_test_core::Result<CompiledContract> {
        let options = ReadOptions::default().strict(self.user.strict);
        let (cases, _) = Cases::read(&[self.root().join(self.user.pattern)], &options)?;
        let (scenarios, prerequisites) = self.scenarios(&cases)?;
        Ok(CompiledContract { cases, scenarios, prerequisites })
    }

    /// The id of the scenario that a test plays.
    fn id(&self, test: &'static CaseTest) -> Result<String, CaseTestError> {
        let contract = self.contract(&self.user.test_name(test))?;
        // Found again by path and title: the files may have changed since the macro saw them.
        let gone = || CaseTestError::Gone(self.user.in_step_name());
        let compiled = &self.user.files[test.file];
        let file = contract.cases.files.iter().find(|file| self.is_at(&file.path, compiled.path));
        let file = file.ok_or_else(gone)?;
        let Some(case) = test.case else { return Self::id_of_file(contract, &file.path) };
        let case = file.cases.get(case).filter(|it| it.name.as_deref() == compiled.titles[case]);
        let id = &case.ok_or_else(gone)?.id;
        let scenario = contract.scenarios.iter().find(|scenario| scenario.id == *id);
        let excluded = || CaseTestError::Excluded(id.clone());
        scenario.map(|scenario| scenario.id.to_string()).ok_or_else(excluded)
    }

    /// The id of the scenario of a file.
    fn id_of_file(contract: &CompiledContract, path: &str) -> Result<String, CaseTestError> {
        let scenario = contract.scenarios.iter().find(|scenario| scenario.file == path);
        let none = || CaseTestError::NothingDemanded(path.to_owned());
        scenario.map(|scenario| scenario.id.to_string()).ok_or_else(none)
    }

    /// The cases as scenarios, and the processes that their target needs.
    fn scenarios(&self, cases: &Cases) -> Result<PlayedScenarios, PlayError> {
        let user = self.user;
        let given = user.inputs.map(|inputs| inputs()).unwrap_or_default();
        given.are_known(cases)?;
        let inputs = given.or_from(cases, environment::variable);
        let asked_revisions = user.revisions.is_some();
        let owned = |tags: &[&str]| tags.iter().map(ToString::to_string).collect();
        let (tags, skip_tags) = (owned(user.tags), owned(user.skip_tags));
        if let Some(CasesPeer::Client(_)) = user.peer {
            let options = VerifyOptions {
                inputs,
                asked_revisions,
                tags,
                skip_tags,
                ..VerifyOptions::default()
            };
            return Ok((cases::client_scenarios(cases, &options)?, None));
        }
        let options = PlayOptions {
            inputs,
            asked_revisions,
            tags,
            skip_tags,
            commands: if user.allow_commands { Commands::Allowed } else { Commands::Refused },
            given: user.given.map(|given| given()),
            ..PlayOptions::default()
        };
        Ok((cases::scenarios(cases, &options)?, cases::prerequisites(cases, &options)?))
    }

    /// The run of these scenarios.
    fn plan(&self, ids: &[String], jobs: NonZeroUsize) -> mcp_test_core::Result<Planned> {
        let user = self.user;
        let environment = Environment::read()?;
        let contract = self.contract(&user.module_name())?;
        let profile = if user.strict { Profile::Strict } else { Profile::Adaptive };
        let revisions: Revisions = match user.revisions {
            Some(revisions) => revisions.parse()?,
            None => Revisions::none(),
        };
        let transports = user.transports.iter().map(|word| word.parse::<TransportKind>());
        let selection = Selection {
            scenarios: ids.to_vec(),
            revisions: revisions.iter().collect(),
            transports: transports.collect::<Result<_, _>>()?,
            one_revision: true,
            ..Selection::default()
        };
        let tested = tested(user.peer, &environment)?;
        let known = KnownViolations::resolve(tested.known_violations())?;
        let scenarios = contract.scenarios.iter().cloned();
        let mut plan = Plan::build(scenarios, tested, profile, &selection)?
            .prerequisites(contract.prerequisites.clone())
            .known(known)
            .jobs(jobs)
            .timeout(user.timeout.or(environment.timeout).unwrap_or(test_run::TIMEOUT));
        // As for `#[mcp_scenario]`: other transports are tested where they are named.
        if user.transports.is_empty() {
            keep_first_transports(&mut plan);
        }
        let baseline = match user.baseline {
            None => None,
            Some(path) => Some(self.baseline(path, &plan)?),
        };
        // A single case, as most runs of a plain target have it, need not show what is known.
        Ok(Planned { plan, baseline, written: None, judges_known: None })
    }

    fn baseline(&self, path: &str, plan: &Plan) -> Result<Baseline, UsageError> {
        let baseline = Baseline::read(Path::new(self.user.site.manifest_dir).join(path))?;
        for warning in baseline.vet(&plan.scenarios, plan.target.tested_side(), plan.profile)? {
            output::note(&format!("warning: {warning}"));
        }
        Ok(baseline)
    }

    /// The line above the failed checks of a run.
    fn heading(&self, outcome: &Outcome) -> String {
        let scenario_run = &outcome.scenario_run;
        let contract = self.contract.get().and_then(|contract| contract.as_ref().ok());
        let is_it = |id: &str| *id == *scenario_run.scenario.id;
        let case =
            contract.and_then(|contract| contract.cases.iter().find(|(_, case)| is_it(&case.id)));
        let at = format!("failed at {} over {}", scenario_run.revision, scenario_run.transport);
        match case {
            Some((file, case)) => {
                let (title, path, span) = (case.title(), &file.path, case.span);
                format!("case `{title}` {at}, {path}:{}:{}", span.line, span.column)
            }
            None => format!(
                "contract `{}` {at}, {}",
                scenario_run.scenario.id, scenario_run.scenario.file
            ),
        }
    }

    /// Whether a path that was read is one that the macro has seen.
    fn is_at(&self, read: &str, compiled: &str) -> bool {
        let read = Path::new(read);
        // A glob returns absolute paths or such with `./`; the macro has those relative to the package.
        let below = read.strip_prefix(self.user.site.manifest_dir).unwrap_or(read);
        normalized(below) == normalized(Path::new(compiled))
    }

    /// Whether the files still contain the cases that the tests were made from.
    fn check_in_step(&self) -> TestResult {
        let contract = match self.contract(&self.user.in_step_name()) {
            Ok(contract) => contract,
            Err(why) => return TestResult::Failed(why.to_string()),
        };
        let differences = self.differences(contract);
        if differences.is_empty() {
            return TestResult::Passed;
        }
        let UserCases { pattern, site, .. } = self.user;
        let file = site.file;
        TestResult::Failed(format!(
            "the tests of `{pattern}` differ from the cases in its files, {site}\n  {}\n  \
             hint: cargo does not notice new or removed files; `touch {file}` makes it compile the tests again",
            differences.join("\n  ")
        ))
    }

    fn differences(&self, contract: &CompiledContract) -> Vec<String> {
        let mut differences = Vec::new();
        for file in &contract.cases.files {
            let compiled = self.user.files.iter().find(|it| self.is_at(&file.path, it.path));
            let Some(compiled) = compiled else {
                differences.push(format!("{} is new, and its cases have no tests", file.path));
                continue;
            };
            let titles: Vec<Option<&str>> =
                file.cases.iter().map(|case| case.name.as_deref()).collect();
            if titles != compiled.titles {
                differences.push(format!("{} has other cases than before", file.path));
            }
        }
        for compiled in self.user.files {
            if !contract.cases.files.iter().any(|file| self.is_at(&file.path, compiled.path)) {
                differences.push(format!("{} no longer exists", compiled.path));
            }
        }
        differences
    }
}

/// The path without `.`.
fn normalized(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}

/// The tests of a `cases!` as trials, which share one run.
#[cfg(feature = "harness")]
pub(super) struct Trials(Arc<LoadedCases>);

#[cfg(feature = "harness")]
impl Trials {
    /// The trials of every `cases!` of this test binary.
    pub(super) fn all() -> Vec<Self> {
        cases::user_cases().into_iter().map(|cases| Self(LoadedCases::of(cases))).collect()
    }

    /// Their names.
    pub(super) fn names(&self) -> Vec<String> {
        let user = self.0.user;
        let tests = user.tests.iter().map(|test| user.test_name(test));
        tests.chain([user.in_step_name()]).collect()
    }

    /// The trials; only those for which `is_run(name, is_ignored)` holds become part of the run.
    pub(super) fn into_trials(
        self,
        is_run: &dyn Fn(&str, bool) -> bool,
        jobs: NonZeroUsize,
    ) -> Vec<Trial> {
        let Self(cases) = self;
        let user = cases.user;
        let is_played = |test: &&CaseTest| is_run(&user.test_name(test), test.ignored.is_some());
        let played: Vec<&'static CaseTest> = user.tests.iter().filter(is_played).collect();
        let (planned, reported) = (Arc::clone(&cases), Arc::clone(&cases));
        let plan = move || {
            // A test whose case no longer exists reports that by itself, and the others run.
            let ids = played.iter().filter_map(|test| planned.id(test).ok());
            planned.plan(&ids.collect::<Vec<_>>(), jobs)
        };
        let suite = Suite::new(plan, move |outcome| reported.heading(outcome));
        let of_case = |test: &'static CaseTest| {
            let (suite, cases) = (Arc::clone(&suite), Arc::clone(&cases));
            test_run::trial(user.test_name(test), test.ignored.is_some(), move || {
                match cases.id(test) {
                    Ok(id) => suite.result(&id),
                    Err(why) => TestResult::Failed(why.to_string()),
                }
            })
        };
        let mut trials: Vec<Trial> = user.tests.iter().map(of_case).collect();
        trials.push(test_run::trial(user.in_step_name(), false, move || cases.check_in_step()));
        trials
    }
}

#[cfg(test)]
mod tests;
