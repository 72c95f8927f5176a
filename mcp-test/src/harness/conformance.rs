//! The built-in scenarios as trials: one each, over all the cells in which it applies to the target.
//!
//! All trials of a suite share one run, which begins with the first of them: the target is brought up and asked what it
//! speaks once. Each trial waits for the outcomes of its scenario.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use libtest_mimic::{Completion, Failed, Trial};
use tokio::sync::watch;

use super::telling;
use crate::check::Finding;
use crate::clock::{self, Deadline};
use crate::process;
use crate::report::failure;
use crate::run::{Baseline, Outcome, Plan, Results, RunEvent, Selection, Tested, Verdict, run};
#[cfg(feature = "schema")]
use crate::run::{SchemaPlace, SchemaSource};
use crate::scenario::{IntoTarget, Profile};
use crate::spec::{Revision, Revisions};
use crate::transport::ClientTarget;

/// Every built-in scenario that applies to a target, as tests for [`main!`](crate::main!).
///
/// Takes a [`Target`](crate::transport::Target), or a function or closure that makes one. Judged is by the specification
/// ([`Profile::Adaptive`]): what the server does not offer is skipped, and a skipped test is shown as ignored.
///
/// ```ignore
/// mcp_test::main!(mcp_test::conformance(my_server).baseline("tests/known-failures.yml"));
/// ```
pub fn conformance(target: impl IntoTarget) -> Conformance {
    Conformance::of("conformance", target.into_target().into())
}

/// Every built-in scenario for clients, as tests for [`main!`](crate::main!).
///
/// ```ignore
/// mcp_test::main!(mcp_test::client_conformance(ClientTarget::future(|endpoint| async move {
///     my_client::visit(&endpoint.url, &endpoint.scenario).await
/// })));
/// ```
pub fn client_conformance(client: ClientTarget) -> Conformance {
    Conformance::of("client_conformance", client.into())
}

/// Built-in scenarios for a target; made by [`conformance`] and [`client_conformance`].
#[derive(Debug, Clone)]
#[must_use = "give it to `mcp_test::main!`"]
pub struct Conformance {
    name: String,
    target: Tested,
    profile: Profile,
    revisions: Option<Revisions>,
    baseline: Option<PathBuf>,
    timeout: Option<Duration>,
    #[cfg(feature = "schema")]
    schemas: Vec<SchemaSource>,
}

impl Conformance {
    fn of(name: &str, target: Tested) -> Self {
        Self {
            name: name.to_owned(),
            target,
            profile: Profile::Adaptive,
            revisions: None,
            baseline: None,
            timeout: None,
            #[cfg(feature = "schema")]
            schemas: Vec::new(),
        }
    }

    /// What the names of the tests begin with, in place of the name of the function.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The file with the failures that are expected, in the format of the official suite; relative to the package.
    ///
    /// What fails as expected passes. An entry that does not fail any more fails its test.
    pub fn baseline(mut self, path: impl Into<PathBuf>) -> Self {
        self.baseline = Some(path.into());
        self
    }

    /// By whose rules is judged.
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Only these revisions, each of which the server then has to speak.
    pub fn revisions(mut self, revisions: Revisions) -> Self {
        self.revisions = Some(revisions);
        self
    }

    /// How long one cell of a scenario may take.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Judges the messages of a revision by an official `schema.json` instead of the shapes that are built in; for several
    /// revisions it is called several times.
    ///
    /// The place is a path, relative to the package, or a URL. No test runs when the schema cannot be loaded.
    ///
    /// ```ignore
    /// mcp_test::main!(
    ///     mcp_test::conformance(my_server).schema(Revision::V2025_11_25, "tests/2025-11-25/schema.json"),
    /// );
    /// ```
    #[cfg(feature = "schema")]
    pub fn schema(mut self, revision: Revision, place: impl Into<SchemaPlace>) -> Self {
        self.schemas.push(SchemaSource::new(revision, place));
        self
    }

    pub(super) fn into_suite(self, manifest_dir: &str) -> crate::Result<Suite> {
        let revisions = self.revisions.map(|revisions| revisions.iter().collect::<Vec<Revision>>());
        let selection =
            Selection { revisions: revisions.unwrap_or_default(), ..Selection::default() };
        let leg = self.target.leg();
        let mut plan = Plan::build(self.target, self.profile, &selection)?;
        if let Some(timeout) = self.timeout {
            plan = plan.timeout(timeout);
        }
        #[cfg(feature = "schema")]
        if !self.schemas.is_empty() {
            let below = |source: SchemaSource| source.below(Path::new(manifest_dir));
            let sources: Vec<SchemaSource> = self.schemas.into_iter().map(below).collect();
            plan = plan.schemas(SchemaSource::load(&sources)?);
        }
        let baseline = match self.baseline {
            None => None,
            Some(path) => {
                let baseline = Baseline::read(Path::new(manifest_dir).join(path))?;
                for warning in baseline.vet(leg, self.profile)? {
                    eprintln!("warning: {warning}");
                }
                Some(baseline)
            }
        };
        Ok(Suite { name: self.name, plan, baseline })
    }
}

/// A suite whose plan is made.
pub(super) struct Suite {
    name: String,
    plan: Plan,
    baseline: Option<Baseline>,
}

impl Suite {
    fn ids(&self) -> Vec<&'static str> {
        let mut ids: Vec<&'static str> = Vec::new();
        for cell in &self.plan.cells {
            if !ids.contains(&cell.scenario.id) {
                ids.push(cell.scenario.id);
            }
        }
        ids
    }

    fn name_of(&self, id: &str) -> String {
        format!("{}::{id}", self.name)
    }

    /// The names of its trials.
    pub(super) fn names(&self) -> Vec<String> {
        self.ids().into_iter().map(|id| self.name_of(id)).collect()
    }

    /// Its trials; only those that are wanted become part of the run.
    pub(super) fn into_trials(
        mut self,
        wanted: &dyn Fn(&str) -> bool,
        jobs: NonZeroUsize,
    ) -> Vec<Trial> {
        let named: Vec<(String, &'static str)> =
            self.ids().into_iter().map(|id| (self.name_of(id), id)).collect();
        let name = self.name.clone();
        self.plan.cells.retain(|cell| wanted(&format!("{name}::{}", cell.scenario.id)));
        let shared = Arc::new(Shared {
            plan: self.plan.jobs(jobs),
            baseline: self.baseline,
            state: Mutex::default(),
            moved: watch::Sender::new(()),
        });
        let trial = |(name, id): (String, &'static str)| {
            let shared = Arc::clone(&shared);
            Trial::ignorable_test(name, move || shared.result(id))
        };
        named.into_iter().map(trial).collect()
    }
}

/// How long it may take until the target is up and has said what it speaks.
const PREPARATION: Duration = Duration::from_secs(120);
/// How much longer than its time a cell may take to come to its orderly end.
const FAREWELL: Duration = Duration::from_secs(20);

/// A run that the trials of a suite wait for.
struct Shared {
    plan: Plan,
    baseline: Option<Baseline>,
    state: Mutex<State>,
    /// Sent to whenever the state has changed.
    moved: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    begun: bool,
    /// The thread of the run.
    thread: Option<ThreadId>,
    /// How many cells of each scenario will be played; known once the target was asked.
    planned: Option<BTreeMap<&'static str, usize>>,
    outcomes: BTreeMap<&'static str, Vec<Outcome>>,
    /// Why nothing was played.
    not_run: Option<Finding>,
    /// The scenario whose trial has told that.
    told_by: Option<&'static str>,
    over: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the outcomes of one scenario, and judges them.
    fn result(self: &Arc<Self>, id: &'static str) -> Result<Completion, Failed> {
        let mut moved = self.moved.subscribe();
        self.begin()?;
        loop {
            let patience = {
                let mut state = self.state();
                if let Some(finding) = &state.not_run {
                    let target = self.plan.target.label();
                    if let Some(other) = state.told_by {
                        return Err(format!("cannot test {target}; `{other}` tells why").into());
                    }
                    let told = failure::of_preflight(&target, finding, None);
                    state.told_by = Some(id);
                    return Err(told.into());
                }
                let there = state.outcomes.get(id).map_or(0, Vec::len);
                let planned = state
                    .planned
                    .as_ref()
                    .map(|planned| planned.get(id).copied().unwrap_or_default());
                if state.over || planned.is_some_and(|planned| there >= planned) {
                    let outcomes = state.outcomes.remove(id).unwrap_or_default();
                    drop(state);
                    return self.verdict(&outcomes);
                }
                if planned.is_some() {
                    self.plan.timeout.saturating_add(FAREWELL)
                } else {
                    PREPARATION
                }
            };
            let waited = clock::block_within(Deadline::after(patience), moved.changed());
            if waited.is_err() {
                if let Some(thread) = self.state().thread {
                    process::give_up(thread);
                }
                return Err("the thread of the run is blocked: code of the server under test does not give it back. \
                            Blocking calls belong in `spawn_blocking`"
                    .into());
            }
        }
    }

    /// The first to come begins the run, on a thread of its own.
    fn begin(self: &Arc<Self>) -> Result<(), Failed> {
        let mut state = self.state();
        if std::mem::replace(&mut state.begun, true) {
            return Ok(());
        }
        let shared = Arc::clone(self);
        let thread = thread::Builder::new().name("conformance".to_owned());
        let spawned = thread.spawn(move || shared.run());
        let handle = spawned.map_err(|why| Failed::from(format!("no thread can be had: {why}")))?;
        state.thread = Some(handle.thread().id());
        Ok(())
    }

    fn run(&self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let ended = match runtime {
            Ok(runtime) => {
                let ended = catch_unwind(AssertUnwindSafe(|| {
                    runtime.block_on(run(&self.plan, &mut |event| self.hear(event)));
                }));
                // To drop it would be to wait for what runs in `spawn_blocking`, be it for ever.
                runtime.shutdown_background();
                ended.map_err(|_| {
                    Finding::test("code of the target panicked; the message stands above")
                })
            }
            Err(why) => Err(Finding::environment(format!("no tokio runtime can be had: {why}"))),
        };
        if let Err(finding) = ended {
            self.hear(RunEvent::PreflightFailed { finding, tried: None });
        }
        self.state().over = true;
        self.moved.send_replace(());
    }

    fn hear(&self, event: RunEvent) {
        let mut state = self.state();
        match event {
            RunEvent::PreflightFailed { finding, .. } => state.not_run = Some(finding),
            RunEvent::Planned(cells) => {
                let mut planned = BTreeMap::new();
                for cell in cells {
                    *planned.entry(cell.scenario.id).or_default() += 1;
                }
                state.planned = Some(planned);
            }
            RunEvent::Finished(outcome) => {
                state.outcomes.entry(outcome.cell.scenario.id).or_default().push(*outcome);
            }
            _ => {}
        }
        drop(state);
        self.moved.send_replace(());
    }

    fn verdict(&self, outcomes: &[Outcome]) -> Result<Completion, Failed> {
        let failed =
            |outcome: &&Outcome| matches!(outcome.verdict, Verdict::Failed | Verdict::NotRun);
        let failing: Vec<&Outcome> = outcomes.iter().filter(failed).collect();
        if let Some(baseline) = &self.baseline {
            let comparison = baseline.compare(&outcomes.iter().collect::<Results>());
            if !comparison.stale.is_empty() {
                let entries = comparison.stale.join("`, `");
                return Err(format!("it passes: remove `{entries}` from the baseline").into());
            }
            if comparison.unexpected.is_empty()
                && failing.iter().all(|it| it.verdict == Verdict::Failed)
            {
                return match failing.is_empty() {
                    true => passed(outcomes),
                    false => Ok(Completion::Completed),
                };
            }
            return Err(told(&failing, |outcome, check| {
                !baseline.expects(outcome.cell.scenario.leg, outcome.cell.scenario.id, check)
            }));
        }
        match failing.is_empty() {
            true => passed(outcomes),
            false => Err(told(&failing, |_, _| true)),
        }
    }
}

/// Nothing has failed: it passed, if anything was shown at all.
fn passed(outcomes: &[Outcome]) -> Result<Completion, Failed> {
    if outcomes.iter().any(|outcome| outcome.verdict == Verdict::Passed) {
        return Ok(Completion::Completed);
    }
    let mut reasons: Vec<&str> = Vec::new();
    for check in outcomes.iter().flat_map(|outcome| &outcome.checks) {
        if let Some(reason) = check.message.as_deref().filter(|reason| !reasons.contains(reason)) {
            reasons.push(reason);
        }
    }
    let reason = reasons.first().copied().unwrap_or("the target was not asked in any revision");
    Ok(Completion::ignored_with(reason))
}

/// Tells the checks that failed and are of interest, cell by cell.
fn told(failing: &[&Outcome], of_interest: impl Fn(&Outcome, &str) -> bool) -> Failed {
    let mut text = String::new();
    for outcome in failing {
        let mut teller = failure::Teller::new(outcome);
        let checks = outcome.failing().filter(|check| of_interest(outcome, &check.id));
        let checks: Vec<String> = checks.map(|check| teller.tell(check)).collect();
        if checks.is_empty() {
            continue;
        }
        let cell = outcome.cell;
        text.push_str(&format!(
            "{} at {} over {}\n",
            cell.scenario.id, cell.revision, cell.carrier
        ));
        text.extend(checks);
        text.push_str(&telling::stderr(outcome.stderr_tail.clone()));
        text.push('\n');
    }
    text.trim_end().into()
}

#[cfg(all(test, feature = "schema"))]
mod tests {
    use std::fs;

    use super::*;
    use crate::server::reference::everything;
    use crate::spec::schema::{Authority, json_schema};

    #[test]
    fn schemas_are_loaded_from_the_package_or_nothing_is_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let document = json_schema(Revision::V2025_06_18, Authority::Schema).to_string();
        fs::write(folder.path().join("schema.json"), document).expect("it can be written");
        let package = folder.path().to_str().expect("UTF-8");
        let conformance = || conformance(everything().target());

        let suite = conformance().schema(Revision::V2025_06_18, "schema.json").into_suite(package);
        let schemas = suite.unwrap_or_else(|why| panic!("{why}")).plan.schemas;
        assert!(schemas.is_loaded(Revision::V2025_06_18));
        assert!(!schemas.is_loaded(Revision::V2025_11_25));

        let refused = conformance().schema(Revision::NEWEST, "none.json").into_suite(package);
        let why = refused.err().map(|why| why.to_string()).unwrap_or_default();
        assert!(why.starts_with("cannot read the schema ") && why.contains("none.json"), "{why}");
    }
}
