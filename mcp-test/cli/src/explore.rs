//! `mcp-test explore`: calls the tools of a server with arguments that are generated from their schemas.

use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_test_core::expect::words;
use mcp_test_core::files;
use mcp_test_core::scenario::Shared;
use mcp_test_suite::explore::{
    Exploration, ExploreOptions, coverage_table, saved_cases, saved_tests, scenario,
};

use super::args::ExploreArgs;
use super::common_args::{Format, RunOptions, ScheduleOptions};
use super::error::CliError;
use super::execute::{LoadedScenarios, RunCommand, RunRequest, execute};
use super::fixture_arg::FixtureArgs;
use super::{inherited_secrets, output, variable};

/// A file for what fails.
struct SavedFile<'a> {
    option: &'static str,
    path: &'a Path,
    text: fn(&Exploration) -> String,
}

/// Explores the tools and returns the exit code.
pub(super) fn run(args: &ExploreArgs) -> Result<u8, CliError> {
    let resolved = args.target.resolve(RunCommand::Explore.name(), &variable)?;
    let seed = args.seed.unwrap_or_else(random_seed);
    let options = ExploreOptions {
        calls: args.max_calls,
        time: args.max_time,
        reply: args.common.timeout,
        seed,
    };
    let saved = args.saved_files();
    // Before the run: a long one would otherwise be lost at its end.
    for file in &saved {
        files::check_replaceable(file.path)
            .map_err(CliError::unwritable(file.option, file.path))?;
    }
    let explored = Arc::new(Mutex::new(Exploration::default()));
    let scenarios = vec![Shared::Counted(Arc::new(scenario(options, Arc::clone(&explored))))];
    let secrets = resolved.secrets.clone().and(inherited_secrets());
    let code = execute(RunRequest {
        command: RunCommand::Explore,
        options: &RunOptions::for_scenarios(
            &[],
            args.strict,
            ScheduleOptions::default(),
            &args.common,
        ),
        loaded: Some(LoadedScenarios {
            scenarios,
            prerequisites: None,
            args: args.rerun_args(seed),
        }),
        target: resolved.over(&args.transports).into(),
        transports: args.transports.clone(),
        secrets: resolved.secrets,
        sign_in: resolved.sign_in,
        target_args: resolved.args,
        protection: Vec::new(),
        calls: args.calls.clone(),
        fixtures: FixtureArgs::default(),
        manual: false,
    })?;
    let exploration = explored.lock().unwrap_or_else(PoisonError::into_inner);
    if args.common.format == Format::Human && !exploration.operations.is_empty() {
        output::print(&secrets.mask(&coverage_table(&exploration)))?;
        output::print(&format!("Seed: {seed}\n"))?;
    }
    let failures = exploration.operations.iter().map(|it| it.failures.len()).sum();
    for SavedFile { path, text, .. } in saved {
        if failures == 0 {
            output::note(&format!("Nothing failed: {} is not written", path.display()));
            continue;
        }
        files::replace(path, secrets.mask(&text(&exploration))).map_err(CliError::write(path))?;
        let failures = words::count(failures, "failure");
        output::note(&format!("{failures} written to {}", path.display()));
    }
    Ok(code)
}

/// A seed that is short enough to be typed.
fn random_seed() -> u64 {
    // The keys of a hasher are random, which saves a dependency.
    RandomState::new().hash_one(()) % 1_000_000
}

impl ExploreArgs {
    /// The files for what fails.
    fn saved_files(&self) -> Vec<SavedFile<'_>> {
        let cases = self.save_cases.iter().map(|path| SavedFile {
            option: "--save-cases",
            path,
            text: saved_cases,
        });
        let tests = self.save_tests.iter().map(|path| SavedFile {
            option: "--save-tests",
            path,
            text: saved_tests,
        });
        cases.chain(tests).collect()
    }

    /// The arguments that repeat the exploration, except those that select the target and the tools.
    fn rerun_args(&self, seed: u64) -> Vec<String> {
        let mut args = vec!["--seed".to_owned(), seed.to_string()];
        args.extend(["--max-calls".to_owned(), self.max_calls.to_string()]);
        args.extend(["--max-time".to_owned(), self.max_time.as_millis().to_string()]);
        if self.strict {
            args.push("--strict".to_owned());
        }
        args
    }
}
