//! The cases of `cases!` as tests: plain `#[test]`s, and trials.
//!
//! Which tests there are was decided by the compiler. What a case means is read from the files when its test runs, and one
//! test more says whether the files still hold the cases that the tests were made of.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::panic;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

#[cfg(feature = "harness")]
use libtest_mimic::Trial;

#[cfg(feature = "harness")]
use super::conformance::completion;
use super::environment::{self, Environment};
use super::source::Source;
use super::suite::{Came, Planned, Suite};
use super::{Unplayable, stage};
use crate::cases::hooks::Commands;
use crate::cases::{
    self, CaseTest, Cases, CasesPeer, PlayOptions, ReadOptions, UserCases, VerifyOptions,
};
use crate::run::{Baseline, Outcome, Plan, Selection, Tested, UsageError};
use crate::scenario::{Profile, Scenario, Surroundings};
use crate::spec::Revisions;
use crate::transport::CarrierKind;

/// Runs a test of `cases!` as the body of a `#[test]`: one that was made, or without it the one that every case is a test.
///
/// # Panics
///
/// If the test fails. What is wrong has been told on stderr by then, so the panic itself is silent.
pub fn run_case(cases: &'static UserCases, test: Option<usize>) {
    let shelf = Shelf::of(cases);
    let came = match test.and_then(|test| cases.tests.get(test)) {
        None => shelf.in_step(),
        Some(test) => match alone(&shelf, test) {
            Came::Skipped(reason) if !cases.allow_skip => Came::Failed(format!(
                "the case was skipped: {reason}\n  hint: `allow_skip` among the options of `cases!` lets a skipped case pass"
            )),
            came => came,
        },
    };
    match came {
        Came::Passed => {}
        Came::Skipped(reason) => eprintln!("skipped: {reason}"),
        Came::Failed(told) => {
            eprintln!("{told}");
            panic::resume_unwind(Box::new(()));
        }
    }
}

/// A run for one test.
fn alone(shelf: &Arc<Shelf>, test: &'static CaseTest) -> Came {
    let id = match shelf.id(test) {
        Ok(id) => id,
        Err(why) => return Came::Failed(why),
    };
    let (planning, telling) = (Arc::clone(shelf), Arc::clone(shelf));
    let plan = move || planning.plan(&[id], NonZeroUsize::MIN);
    Suite::new(plan, move |outcome| telling.heading(outcome)).result(id)
}

/// What is tested.
fn tested(peer: Option<CasesPeer>, environment: &Environment) -> Result<Tested, Unplayable> {
    let own = match peer {
        Some(CasesPeer::Client(make)) => return Ok(make().into()),
        Some(CasesPeer::Server(make)) => Some(make),
        None => None,
    };
    Ok(Source::of(own, environment)?.make()?.into())
}

/// Leaves each scenario the first transport of the target that it holds for.
fn first_carriers(plan: &mut Plan) {
    let mut first: BTreeMap<&'static str, CarrierKind> = BTreeMap::new();
    for cell in &plan.cells {
        first.entry(cell.scenario.id).or_insert(cell.carrier);
    }
    plan.cells.retain(|cell| first.get(cell.scenario.id) == Some(&cell.carrier));
}

/// The files of a `cases!`, as they are now.
struct Shelf {
    user: &'static UserCases,
    book: OnceLock<Result<Book, String>>,
    /// The test that has told what is wrong with the files.
    told_by: Mutex<Option<String>>,
}

/// What was read.
struct Book {
    cases: Cases,
    scenarios: Vec<&'static Scenario>,
    surroundings: Option<Surroundings>,
}

/// The scenarios of cases, and what has to be around their target.
type Played = (Vec<&'static Scenario>, Option<Surroundings>);

/// Every shelf of this process, by where its `cases!` is.
static SHELVES: Mutex<BTreeMap<usize, Arc<Shelf>>> = Mutex::new(BTreeMap::new());

impl Shelf {
    fn of(user: &'static UserCases) -> Arc<Self> {
        let mut shelves = SHELVES.lock().unwrap_or_else(PoisonError::into_inner);
        let shelf = shelves.entry(std::ptr::from_ref(user) as usize).or_insert_with(|| {
            Arc::new(Self { user, book: OnceLock::new(), told_by: Mutex::new(None) })
        });
        Arc::clone(shelf)
    }

    /// The files and their cases; the reason why there are none is told in full only once.
    fn book(&self, test: &str) -> Result<&Book, String> {
        match self.book.get_or_init(|| self.read()) {
            Ok(book) => Ok(book),
            Err(why) => {
                let mut told_by = self.told_by.lock().unwrap_or_else(PoisonError::into_inner);
                match told_by.get_or_insert_with(|| test.to_owned()).as_str() {
                    first if first == test => Err(why.clone()),
                    other => Err(format!(
                        "the cases of `{}` cannot be read; `{other}` tells why",
                        self.user.pattern
                    )),
                }
            }
        }
    }

    /// The place of the package, or nothing if that is where the test runs, as cargo has it.
    fn root(&self) -> &'static Path {
        let root = Path::new(self.user.manifest_dir);
        let is_here = std::env::current_dir().is_ok_and(|here| here == root);
        if is_here { Path::new("") } else { root }
    }

    fn read(&self) -> Result<Book, String> {
        let options = ReadOptions::default().strict(self.user.strict);
        let (cases, _) = Cases::read(&[self.root().join(self.user.pattern)], &options)
            .map_err(|why| why.to_string())?;
        let (scenarios, surroundings) = self.scenarios(&cases)?;
        Ok(Book { cases, scenarios, surroundings })
    }

    /// The id of the scenario that a test plays.
    fn id(&self, test: &'static CaseTest) -> Result<&'static str, String> {
        let book = self.book(&self.user.test_name(test))?;
        let gone = || {
            let name = self.user.in_step_name();
            format!("the case is not there any more; `{name}` tells more")
        };
        let compiled = &self.user.files[test.file];
        let file = book.cases.files.iter().find(|file| self.is_at(&file.path, compiled.path));
        let file = file.ok_or_else(gone)?;
        let Some(case) = test.case else { return Self::id_of_file(book, &file.path) };
        let case = file.cases.get(case).filter(|it| it.name.as_deref() == compiled.titles[case]);
        let id = &case.ok_or_else(gone)?.id;
        let scenario = book.scenarios.iter().find(|scenario| scenario.id == id);
        let missing = || format!("`{id}` is not played while another case has `_only`");
        scenario.map(|scenario| scenario.id).ok_or_else(missing)
    }

    /// The id of the scenario of a file.
    fn id_of_file(book: &Book, path: &str) -> Result<&'static str, String> {
        let scenario = book.scenarios.iter().find(|scenario| scenario.file == path);
        let missing = || format!("no case of {path} is demanded");
        scenario.map(|scenario| scenario.id).ok_or_else(missing)
    }

    /// The cases as scenarios, and what has to be around the target for them.
    fn scenarios(&self, cases: &Cases) -> Result<Played, String> {
        let user = self.user;
        let text = |why: &dyn std::fmt::Display| why.to_string();
        let given = user.inputs.map(|inputs| inputs()).unwrap_or_default();
        given.are_known(cases).map_err(|why| text(&why))?;
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
            let scenarios = cases::client_scenarios(cases, &options).map_err(|why| text(&why))?;
            return Ok((scenarios, None));
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
        let scenarios = cases::scenarios(cases, &options).map_err(|why| text(&why))?;
        let surroundings = cases::surroundings(cases, &options).map_err(|why| text(&why))?;
        Ok((scenarios, surroundings))
    }

    /// The run of these scenarios.
    fn plan(&self, ids: &[&str], jobs: NonZeroUsize) -> Result<Planned, String> {
        let user = self.user;
        let text = |why: &dyn std::fmt::Display| why.to_string();
        let environment = Environment::read().map_err(|why| text(&why))?;
        let book = self.book(&user.module_name())?;
        let profile = if user.strict { Profile::Strict } else { Profile::Adaptive };
        let revisions: Revisions = match user.revisions {
            Some(revisions) => revisions.parse().map_err(|why| text(&why))?,
            None => Revisions::none(),
        };
        let carriers = user.transports.iter().map(|word| word.parse::<CarrierKind>());
        let selection = Selection {
            scenarios: ids.iter().map(ToString::to_string).collect(),
            revisions: revisions.iter().collect(),
            carriers: carriers.collect::<Result<_, _>>().map_err(|why| text(&why))?,
            one_revision: true,
            ..Selection::default()
        };
        let tested = tested(user.peer, &environment).map_err(|why| text(&why))?;
        let scenarios = book.scenarios.iter().copied();
        let mut plan = Plan::build_from(scenarios, tested, profile, &selection)
            .map_err(|why| text(&why))?
            .surroundings(book.surroundings.clone())
            .jobs(jobs)
            .timeout(user.timeout.or(environment.timeout).unwrap_or(stage::TIMEOUT));
        if user.transports.is_empty() {
            first_carriers(&mut plan);
        }
        let baseline = match user.baseline {
            None => None,
            Some(path) => Some(self.baseline(path, &plan).map_err(|why| text(&why))?),
        };
        Ok(Planned { plan, baseline })
    }

    fn baseline(&self, path: &str, plan: &Plan) -> Result<Baseline, UsageError> {
        let baseline = Baseline::read(Path::new(self.user.manifest_dir).join(path))?;
        for warning in baseline.vet_among(&plan.scenarios, plan.target.leg(), plan.profile)? {
            eprintln!("warning: {warning}");
        }
        Ok(baseline)
    }

    /// What stands above the checks of a cell that failed.
    fn heading(&self, outcome: &Outcome) -> String {
        let cell = outcome.cell;
        let book = self.book.get().and_then(|book| book.as_ref().ok());
        let is_it = |id: &str| id == cell.scenario.id;
        let case = book.and_then(|book| book.cases.iter().find(|(_, case)| is_it(&case.id)));
        let at = format!("failed at {} over {}", cell.revision, cell.carrier);
        match case {
            Some((file, case)) => {
                let (title, path, span) = (case.title(), &file.path, case.span);
                format!("case `{title}` {at}, {path}:{}:{}", span.line, span.column)
            }
            None => format!("contract `{}` {at}, {}", cell.scenario.id, cell.scenario.file),
        }
    }

    /// Whether a path, as it was read, is the one that the compiler has seen.
    fn is_at(&self, read: &str, compiled: &str) -> bool {
        let read = Path::new(read);
        let below = read.strip_prefix(self.user.manifest_dir).unwrap_or(read);
        plain(below) == plain(Path::new(compiled))
    }

    /// Whether the files still hold the cases that the tests were made of.
    fn in_step(&self) -> Came {
        let book = match self.book(&self.user.in_step_name()) {
            Ok(book) => book,
            Err(why) => return Came::Failed(why),
        };
        let differences = self.differences(book);
        if differences.is_empty() {
            return Came::Passed;
        }
        let UserCases { pattern, file, line, column, .. } = self.user;
        Came::Failed(format!(
            "the tests of `{pattern}` are not the cases that its files hold, {file}:{line}:{column}\n  {}\n  \
             hint: the compiler does not see a file that comes or goes; it compiles the tests again after `touch {file}`",
            differences.join("\n  ")
        ))
    }

    fn differences(&self, book: &Book) -> Vec<String> {
        let mut differences = Vec::new();
        for file in &book.cases.files {
            let compiled = self.user.files.iter().find(|it| self.is_at(&file.path, it.path));
            let Some(compiled) = compiled else {
                differences.push(format!("{} has come, and its cases are no tests", file.path));
                continue;
            };
            let titles: Vec<Option<&str>> =
                file.cases.iter().map(|case| case.name.as_deref()).collect();
            if titles != compiled.titles {
                differences.push(format!("{} holds other cases than before", file.path));
            }
        }
        for compiled in self.user.files {
            if !book.cases.files.iter().any(|file| self.is_at(&file.path, compiled.path)) {
                differences.push(format!("{} is gone", compiled.path));
            }
        }
        differences
    }
}

/// A path without the parts that lead nowhere.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}

/// The tests of a `cases!` as trials, which share one run.
#[cfg(feature = "harness")]
pub(super) struct Trials(Arc<Shelf>);

#[cfg(feature = "harness")]
impl Trials {
    /// Those of every `cases!` of this test binary.
    pub(super) fn all() -> Vec<Self> {
        cases::user_cases().into_iter().map(|cases| Self(Shelf::of(cases))).collect()
    }

    /// Their names.
    pub(super) fn names(&self) -> Vec<String> {
        let user = self.0.user;
        let tests = user.tests.iter().map(|test| user.test_name(test));
        tests.chain([user.in_step_name()]).collect()
    }

    /// The trials; only those that are wanted become part of the run. What is wanted is said by name, and whether the trial is
    /// ignored.
    pub(super) fn into_trials(
        self,
        wanted: &dyn Fn(&str, bool) -> bool,
        jobs: NonZeroUsize,
    ) -> Vec<Trial> {
        let Self(shelf) = self;
        let user = shelf.user;
        let played = |test: &&CaseTest| wanted(&user.test_name(test), test.ignored.is_some());
        let played: Vec<&'static CaseTest> = user.tests.iter().filter(played).collect();
        let (planning, telling) = (Arc::clone(&shelf), Arc::clone(&shelf));
        let plan = move || {
            // A test whose case is gone says so itself.
            let ids = played.iter().filter_map(|test| planning.id(test).ok());
            planning.plan(&ids.collect::<Vec<_>>(), jobs)
        };
        let suite = Suite::new(plan, move |outcome| telling.heading(outcome));
        let trial = |test: &'static CaseTest| {
            let (suite, shelf) = (Arc::clone(&suite), Arc::clone(&shelf));
            let result = move || {
                completion(match shelf.id(test) {
                    Ok(id) => suite.result(id),
                    Err(why) => Came::Failed(why),
                })
            };
            Trial::ignorable_test(user.test_name(test), result)
                .with_ignored_flag(test.ignored.is_some())
        };
        let mut trials: Vec<Trial> = user.tests.iter().map(trial).collect();
        let in_step = move || completion(shelf.in_step());
        trials.push(Trial::ignorable_test(user.in_step_name(), in_step));
        trials
    }
}

#[cfg(test)]
mod tests;
