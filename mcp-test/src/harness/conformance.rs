//! The built-in scenarios as trials: one per scenario, over all revisions and transports at which it applies to the target.
//!
//! All trials of a suite share one run; each waits for the outcomes of its scenario.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Trial;
use mcp_test_core::client::Fixtures;
use mcp_test_core::json::Value;
use mcp_test_core::run::{Baseline, Outcome, Plan, Selection, Tested};
#[cfg(feature = "schema")]
use mcp_test_core::run::{SchemaPlace, SchemaSource};
use mcp_test_core::scenario::{CalledTools, IntoTarget, Profile, ToolCalls};
use mcp_test_core::spec::{KnownViolations, Revision, Revisions};
use mcp_test_core::transport::ClientTarget;
use mcp_test_suite::scenarios::{self, fixtures};

use super::known;
use super::output;
use super::suite::{Planned, Strictness, Suite};
use super::test_run;

/// Every built-in scenario that applies to a target, as tests for [`main!`](crate::main!).
///
/// Takes a [`Target`](mcp_test_core::transport::Target), or a function or closure that makes one. The default profile is
/// [`Profile::Adaptive`]: what the server does not offer is skipped, and a skipped test is shown as ignored.
///
/// ```no_run
/// # use mcp_test::prelude::*;
/// # fn my_server() -> Target { Target::command(Command::new("my-mcp-server")) }
/// mcp_test::main!(mcp_test::conformance(my_server).baseline("tests/known-failures.yml"));
/// ```
pub fn conformance(target: impl IntoTarget) -> Conformance {
    Conformance::of("conformance", target.into_target().into())
}

/// Every built-in scenario for clients, as tests for [`main!`](crate::main!).
///
/// ```no_run
/// # use mcp_test::prelude::*;
/// # async fn my_client(_url: &str, _scenario: &str) -> Result<()> { Ok(()) }
/// mcp_test::main!(mcp_test::client_conformance(ClientTarget::future(|endpoint| async move {
///     my_client(endpoint.url()?, &endpoint.scenario).await
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
    pages: Vec<String>,
    calls: ToolCalls,
    /// Each fixture, what takes its place, and its arguments.
    fixtures: Vec<(String, String, Option<Value>)>,
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
            pages: Vec::new(),
            calls: ToolCalls::default(),
            fixtures: Vec::new(),
            baseline: None,
            timeout: None,
            #[cfg(feature = "schema")]
            schemas: Vec::new(),
        }
    }

    /// Replaces the name of the function at the beginning of the tests' names.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Reads the expected failures from a file in the format of the official suite; the path is relative to the package.
    ///
    /// A test that fails as expected is shown as ignored, with the reason "expected failure". A test that no longer fails as its
    /// entry says fails. With `MCP_TEST_WRITE_BASELINE=1` the file is written instead, with all that fails; it keeps the entries
    /// of scenarios that were not run.
    pub fn baseline(mut self, path: impl Into<PathBuf>) -> Self {
        self.baseline = Some(path.into());
        self
    }

    /// Sets the rules for the verdict.
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Runs only these revisions, all of which the server must then speak.
    pub fn revisions(mut self, revisions: Revisions) -> Self {
        self.revisions = Some(revisions);
        self
    }

    /// Runs only what tests these pages of the specification, such as `tools` and `lifecycle`; an unknown page fails all tests, with a
    /// list of the known ones.
    ///
    /// ```no_run
    /// # use mcp_test::prelude::*;
    /// # fn my_server() -> Target { Target::command(Command::new("my-mcp-server")) }
    /// mcp_test::main!(mcp_test::conformance(my_server).pages(["tools", "base"]));
    /// ```
    pub fn pages(mut self, pages: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.pages.extend(pages.into_iter().map(Into::into));
        self
    }

    /// Also calls this tool of the server, with these arguments, whatever its annotations.
    ///
    /// Without this, only tools are called that are annotated `readOnlyHint: true`.
    ///
    /// ```no_run
    /// # use mcp_test::prelude::*;
    /// # fn my_server() -> Target { Target::command(Command::new("my-mcp-server")) }
    /// mcp_test::main!(mcp_test::conformance(my_server).call("add", json!({"a": 1, "b": 2})));
    /// ```
    pub fn call(mut self, tool: impl Into<String>, arguments: impl Into<Value>) -> Self {
        self.calls.named.insert(tool.into(), Some(arguments.into()));
        self
    }

    /// Calls all tools of the server, apart from those that are annotated `destructiveHint: true`.
    pub fn call_all(mut self) -> Self {
        self.calls.unnamed = CalledTools::All;
        self
    }

    /// Calls no tools of the server, apart from those of [`Conformance::call`].
    pub fn call_none(mut self) -> Self {
        self.calls.unnamed = CalledTools::None;
        self
    }

    /// Uses a tool, prompt, resource or resource template of the server instead of one of the official suite's fixtures.
    ///
    /// Without this, scenarios look for the official names, and are skipped if the server does not have them. No test runs if
    /// no fixture has this name; `mcp-test list --fixtures` lists them.
    ///
    /// ```no_run
    /// # use mcp_test::prelude::*;
    /// # fn my_server() -> Target { Target::command(Command::new("my-mcp-server")) }
    /// mcp_test::main!(
    ///     mcp_test::conformance(my_server)
    ///         .fixture("test_simple_text", "my_tool")
    ///         .fixture("test://template/{id}/data", "db://items/{key}"),
    /// );
    /// ```
    pub fn fixture(mut self, fixture: impl Into<String>, name: impl Into<String>) -> Self {
        self.fixtures.push((fixture.into(), name.into(), None));
        self
    }

    /// As [`Conformance::fixture`], with the arguments of the tool or prompt, or the variables of the resource template.
    ///
    /// ```no_run
    /// # use mcp_test::prelude::*;
    /// # fn my_server() -> Target { Target::command(Command::new("my-mcp-server")) }
    /// mcp_test::main!(
    ///     mcp_test::conformance(my_server)
    ///         .fixture_with("test_prompt_with_arguments", "greet", json!({"who": "x"})),
    /// );
    /// ```
    pub fn fixture_with(
        mut self,
        fixture: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<Value>,
    ) -> Self {
        self.fixtures.push((fixture.into(), name.into(), Some(arguments.into())));
        self
    }

    /// Sets how long one run of a scenario may take.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Validates the messages of a revision against an official `schema.json` instead of the built-in shapes; to be called once
    /// per revision.
    ///
    /// `place` is a path, relative to the package, or a URL. No test runs if the schema cannot be loaded.
    ///
    /// ```no_run
    /// # use mcp_test::prelude::*;
    /// # fn my_server() -> Target { Target::command(Command::new("my-mcp-server")) }
    /// mcp_test::main!(
    ///     mcp_test::conformance(my_server).schema(Revision::V2025_11_25, "tests/2025-11-25/schema.json"),
    /// );
    /// ```
    #[cfg(feature = "schema")]
    pub fn schema(mut self, revision: Revision, place: impl Into<SchemaPlace>) -> Self {
        self.schemas.push(SchemaSource::new(revision, place));
        self
    }

    /// The trials, in the package of this folder; `writes_baseline` replaces the comparison with the baseline.
    pub(super) fn into_trials(
        self,
        manifest_dir: &str,
        writes_baseline: bool,
    ) -> mcp_test_core::Result<Trials> {
        let revisions = self.revisions.map(|revisions| revisions.iter().collect::<Vec<Revision>>());
        let selection = Selection {
            revisions: revisions.unwrap_or_default(),
            pages: self.pages,
            ..Selection::default()
        };
        let tested_side = self.target.tested_side();
        let mut own = Fixtures::new();
        for (fixture, name, arguments) in self.fixtures {
            fixtures::replace(&mut own, &fixture, &name, arguments)?;
        }
        let known = KnownViolations::resolve(self.target.known_violations())?;
        let plan = Plan::build(scenarios::all(), self.target, self.profile, &selection)?;
        let mut plan = plan.calls(self.calls).fixtures(own).known(known);
        if let Some(timeout) = self.timeout {
            plan = plan.timeout(timeout);
        }
        #[cfg(feature = "schema")]
        if !self.schemas.is_empty() {
            let below = |source: SchemaSource| source.below(Path::new(manifest_dir));
            let sources: Vec<SchemaSource> = self.schemas.into_iter().map(below).collect();
            plan = plan.schemas(SchemaSource::load(&sources)?);
        }
        let path = self.baseline.map(|path| Path::new(manifest_dir).join(path));
        let written = path.clone().filter(|_| writes_baseline);
        // What is written for the first time need not exist.
        let read = path.filter(|path| written.is_none() || path.exists());
        let baseline = match read {
            None => None,
            Some(path) => {
                let is_missing = !path.exists();
                let baseline = Baseline::read(path).map_err(|error| match is_missing {
                    true => format!("{error}; `MCP_TEST_WRITE_BASELINE=1` writes it").into(),
                    false => mcp_test_core::Error::from(error),
                })?;
                for warning in baseline.vet(&plan.scenarios, tested_side, self.profile)? {
                    output::note(&format!("warning: {warning}"));
                }
                Some(baseline)
            }
        };
        Ok(Trials { name: self.name, plan, baseline, written })
    }
}

/// A planned suite.
pub(super) struct Trials {
    name: String,
    plan: Plan,
    baseline: Option<Baseline>,
    /// Where the baseline is written.
    written: Option<PathBuf>,
}

impl Trials {
    fn ids(&self) -> Vec<String> {
        let mut ids: Vec<String> = Vec::new();
        for scenario_run in &self.plan.scenario_runs {
            if !ids.iter().any(|id| *id == scenario_run.scenario.id) {
                ids.push(scenario_run.scenario.id.to_string());
            }
        }
        ids
    }

    fn name_of(&self, id: &str) -> String {
        format!("{}::{id}", self.name)
    }

    /// The names of the trials.
    pub(super) fn names(&self) -> Vec<String> {
        self.ids().iter().map(|id| self.name_of(id)).collect()
    }

    /// The trials; only those that are wanted become part of the run.
    pub(super) fn into_trials(
        mut self,
        wanted: &dyn Fn(&str) -> bool,
        jobs: NonZeroUsize,
        strictness: Strictness,
    ) -> Vec<Trial> {
        // Before scenario runs are removed: libtest-mimic counts the trials that are filtered out.
        let named: Vec<(String, String)> =
            self.ids().into_iter().map(|id| (self.name_of(&id), id)).collect();
        // The target is asked only for what the wanted trials need.
        let name = self.name.clone();
        let before = self.plan.scenario_runs.len();
        self.plan
            .scenario_runs
            .retain(|scenario_run| wanted(&format!("{name}::{}", scenario_run.scenario.id)));
        // What a filter leaves out may be what shows a known violation.
        let is_whole = self.plan.scenario_runs.len() == before;
        known::expect_suite(&name, &self.plan.known);
        let planned = Planned {
            plan: self.plan.jobs(jobs),
            baseline: self.baseline,
            written: self.written,
            judges_known: is_whole.then_some((name, strictness)),
        };
        let suite = Suite::new(move || Ok(planned), heading);
        let of_scenario = |(name, id): (String, String)| {
            let suite = Arc::clone(&suite);
            test_run::trial(name, false, move || suite.result(&id))
        };
        named.into_iter().map(of_scenario).collect()
    }
}

fn heading(outcome: &Outcome) -> String {
    let scenario_run = &outcome.scenario_run;
    format!(
        "{} at {} over {}",
        scenario_run.scenario.id, scenario_run.revision, scenario_run.transport
    )
}

#[cfg(test)]
mod fixture_tests {
    use mcp_test_core::server::reference::everything;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_unknown_fixture_is_an_error_that_names_a_similar_one() {
        let conformance = || conformance(everything().target());
        let arguments = json!({ "who": "x" });
        let suite = conformance().fixture_with("test_prompt_with_arguments", "greet", arguments);
        let plan = suite.into_trials("", false).unwrap_or_else(|why| panic!("{why}")).plan;
        assert_eq!(plan.fixtures.name("test_prompt_with_arguments"), "greet");
        assert!(plan.fixtures.arguments("test_prompt_with_arguments").is_some());

        let refused = conformance().fixture("test_simple_txt", "my_tool").into_trials("", false);
        let why = refused.err().map(|why| why.to_string()).unwrap_or_default();
        insta::assert_snapshot!(why, @"no fixture is named `test_simple_txt`; did you mean `test_simple_text`?");
    }
}

#[cfg(all(test, feature = "schema"))]
mod tests {
    use std::fs;

    use mcp_test_core::server::reference::everything;
    use mcp_test_core::spec::schema::{Authority, json_schema};

    use super::*;

    #[test]
    fn schemas_are_loaded_from_the_package_or_nothing_is_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let document = json_schema(Revision::V2025_06_18, Authority::Schema).to_string();
        fs::write(folder.path().join("schema.json"), document).expect("it can be written");
        let package = folder.path().to_str().expect("UTF-8");
        let conformance = || conformance(everything().target());

        let suite =
            conformance().schema(Revision::V2025_06_18, "schema.json").into_trials(package, false);
        let schemas = suite.unwrap_or_else(|why| panic!("{why}")).plan.schemas;
        assert!(schemas.is_loaded(Revision::V2025_06_18));
        assert!(!schemas.is_loaded(Revision::V2025_11_25));

        let refused =
            conformance().schema(Revision::NEWEST, "none.json").into_trials(package, false);
        let why = refused.err().map(|why| why.to_string()).unwrap_or_default();
        assert!(why.starts_with("cannot read the schema ") && why.contains("none.json"), "{why}");
    }
}
