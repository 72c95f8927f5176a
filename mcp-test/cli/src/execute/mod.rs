//! The run of `server`, `check`, `explore`, `client`, `authorization`, `cases run` and `cases verify-client`: builds a plan, executes it, and reports.

mod ci_reports;
mod reports;

use std::cell::RefCell;
use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use mcp_test_core::clock::{self, Deadline};
use mcp_test_core::expect::words;
use mcp_test_core::run::{
    self, Baseline, ExitCode, Plan, RunEvent, ScenarioRun, SchemaSource, Selection, Shard, Tested,
    UsageError,
};
use mcp_test_core::scenario::{Prerequisites, Profile, Scenario, Shared, TestedSide};
use mcp_test_core::transport::TransportKind;
use mcp_test_suite::scenarios;

use self::reports::Reports;
use super::args::RunArgs;
use super::call_arg::CallArgs;
use super::common_args::RunOptions;
use super::error::CliError;
use super::fixture_arg::FixtureArgs;
use super::known_arg::{self, KnownArg};
use super::output;
use super::protection::Protection;
use super::sign_in::SignInSession;
use super::signal::unless_signalled;
use super::{inherited_secrets, variable};
use crate::report::{Rerun, Secrets};

/// How often the status line shows how the time passes.
const TICK: Duration = Duration::from_secs(1);

/// How many scenario runs a contract may have: what is kept of each takes memory.
const MOST_SCENARIO_RUNS: usize = 20_000;

/// The least number of jobs by default.
const FOUR: NonZeroUsize = NonZeroUsize::new(4).expect("it is not zero");

/// A command that runs scenarios.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunCommand {
    /// `server`: a server, by the official rules.
    Server,
    /// `check`: a server, by the specification.
    Check,
    /// `explore`: the tools of a server.
    Explore,
    /// `client`: a client, by the official rules.
    Client,
    /// `authorization`: an authorization server, by the official rules.
    Authorization,
    /// `cases run`: a server, by cases.
    CasesRun,
    /// `cases verify-client`: a client, by cases.
    CasesVerifyClient,
}

impl RunCommand {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Check => "check",
            Self::Explore => "explore",
            Self::Client => "client",
            Self::Authorization => "authorization",
            Self::CasesRun => "cases run",
            Self::CasesVerifyClient => "cases verify-client",
        }
    }

    const fn default_profile(self) -> Profile {
        match self {
            Self::Server | Self::Client | Self::Authorization => Profile::Official,
            Self::Check | Self::Explore | Self::CasesRun | Self::CasesVerifyClient => {
                Profile::Adaptive
            }
        }
    }

    const fn tested_side(self) -> TestedSide {
        match self {
            Self::Server | Self::Check | Self::Explore | Self::CasesRun => TestedSide::Server,
            Self::Client | Self::CasesVerifyClient => TestedSide::Client,
            Self::Authorization => TestedSide::Authorization,
        }
    }
}

/// Scenarios that are not built-in ones to select from: those of files of cases, or the exploration.
#[derive(Default)]
pub(super) struct LoadedScenarios {
    /// The scenarios.
    pub(super) scenarios: Vec<Shared<Scenario>>,
    /// What has to run for them.
    pub(super) prerequisites: Option<Prerequisites>,
    /// The arguments that select them, without secrets.
    pub(super) args: Vec<String>,
}

/// A run: what to test, and how.
pub(super) struct RunRequest<'a> {
    /// The command.
    pub(super) command: RunCommand,
    /// The options.
    pub(super) options: &'a RunOptions,
    /// The scenarios to select from, if not the built-in ones.
    pub(super) loaded: Option<LoadedScenarios>,
    /// The peer under test.
    pub(super) target: Tested,
    /// The selected transports.
    pub(super) transports: Vec<TransportKind>,
    /// The texts that no report may show.
    pub(super) secrets: Secrets,
    /// Signing in, where that is possible.
    pub(super) sign_in: Option<Arc<SignInSession>>,
    /// The arguments that select the target, without secrets.
    pub(super) target_args: Vec<String>,
    /// The arguments that say how a protected server is tested.
    pub(super) protection: Vec<String>,
    /// The tools that may be called although no scenario names them.
    pub(super) calls: CallArgs,
    /// What takes the place of the official suite's fixtures.
    pub(super) fixtures: FixtureArgs,
    /// Whether the client is started manually; the run then ends with a signal and exits with 0.
    pub(super) manual: bool,
}

/// The asynchronous runtime of this process.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, CliError> {
    // On one thread: scenarios mostly wait for their peers, and their futures need not be `Send`.
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::Runtime)
}

/// Tests a server and returns the exit code.
pub(super) fn test_server(command: RunCommand, mut args: RunArgs) -> Result<u8, CliError> {
    args.run.expand_scenarios(command.tested_side())?;
    let runtime = runtime()?;
    let protection = args.protection.start(&args.target, &runtime)?;
    args.target.variables = protection.as_ref().map(Protection::variables).unwrap_or_default();
    let resolved = args.target.resolve(command.name(), &variable)?;
    let target = resolved.over(&args.transports);
    let target = match &protection {
        Some(protection) => protection.of(target),
        None => target,
    };
    execute_on(
        runtime,
        RunRequest {
            command,
            options: &args.run,
            loaded: None,
            target: target.into(),
            transports: args.transports.clone(),
            secrets: resolved.secrets,
            sign_in: resolved.sign_in,
            target_args: resolved.args,
            protection: args.protection.rerun_args(),
            calls: args.calls.clone(),
            fixtures: args.fixtures.clone(),
            manual: false,
        },
    )
}

/// Executes the run and returns the exit code.
pub(super) fn execute(request: RunRequest<'_>) -> Result<u8, CliError> {
    execute_on(runtime()?, request)
}

/// As [`execute`], in a runtime in which something runs already.
fn execute_on(
    runtime: tokio::runtime::Runtime,
    mut request: RunRequest<'_>,
) -> Result<u8, CliError> {
    // The peer inherits the environment, and may repeat it.
    request.secrets = request.secrets.and(inherited_secrets());
    let request = &request;
    let plan = plan(request)?;
    let reports = Reports::new(request, &plan, &variable)?;
    if plan.scenario_runs.is_empty() {
        let code = reports.nothing_to_run()?;
        // Officially a scenario that does not apply is not a failure; a run of cases that tests nothing must not pass.
        return if request.loaded.is_none() { Ok(code) } else { Err(CliError::NoCase) };
    }
    let reports = RefCell::new(reports);
    let result = runtime.block_on(async {
        let mut on = |event: RunEvent| reports.borrow_mut().event(event);
        // In a box: debug builds copy a future into every one that it is moved into, which fills the stack.
        let run = Box::pin(run::run(&plan, &mut on));
        let run = with_ticks(run, || reports.borrow_mut().tick());
        // For a manual client a signal means that it is done, which `manual_client` waits for; the run ends as usual.
        let result = if request.manual { Ok(run.await) } else { unless_signalled(run).await };
        if let Some(sign_in) = &request.sign_in {
            sign_in.note_error(&request.secrets);
        }
        result
    });
    // An in-process server may block a thread forever; do not wait for it.
    runtime.shutdown_background();
    let reports = reports.into_inner();
    match result {
        Err(signal) => reports.interrupted(signal),
        // As in the official suite, which exits with 0 on Ctrl+C and leaves the judgement to the person.
        Ok(_) if request.manual => reports.finish().map(|_| ExitCode::Passed.number()),
        Ok(_) => reports.finish(),
    }
}

/// Waits for a run, with a call every second.
async fn with_ticks<T>(run: impl Future<Output = T>, tick: impl Fn()) -> T {
    let mut run = pin!(run);
    loop {
        match clock::within(Deadline::after(TICK), &mut run).await {
            Ok(ended) => return ended,
            Err(_) => tick(),
        }
    }
}

fn plan(request: &RunRequest<'_>) -> Result<Plan, CliError> {
    let (command, args) = (request.command, request.options);
    let profile = args.profile.unwrap_or(command.default_profile());
    let revisions = args.common.revisions.iter().flat_map(|revisions| revisions.iter());
    let selection = Selection {
        scenarios: args.scenarios.clone(),
        suite: args.suite,
        requirements: args.requirements,
        pages: args.pages.clone(),
        revisions: revisions.collect(),
        transports: request.transports.clone(),
        force: args.force,
        // A case states one conversation, which would be repeated at every revision that it allows.
        one_revision: request.loaded.is_some(),
    };
    let tested = request.target.clone();
    let plan = match &request.loaded {
        None => Plan::build(scenarios::all(), tested, profile, &selection)
            .map_err(|error| CliError::selection(error, command.tested_side(), args.suite))?,
        Some(loaded) => {
            let scenarios = loaded.scenarios.iter().cloned();
            Plan::build(scenarios, tested, profile, &selection)
                .map_err(|error| CliError::selection_of_cases(error, command.tested_side()))?
                .prerequisites(loaded.prerequisites.clone())
        }
    };
    let plan = if request.manual {
        // A person may take any time to start the client.
        plan.timeout(Duration::MAX)
    } else {
        let processors = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        // More than the processors of a small machine: scenarios mostly wait. One job would mean that the server must not run twice at the same time.
        let jobs = args.schedule.jobs.unwrap_or(processors.max(FOUR));
        plan.jobs(jobs).timeout(args.common.timeout).retries(args.schedule.retries)
    };
    let plan = plan
        .calls(request.calls.tool_calls())
        .fixtures(request.fixtures.fixtures()?)
        .fail_fast(args.schedule.fail_fast)
        .shard(args.schedule.shard);
    if request.loaded.is_some() {
        let count = match args.common.revisions.is_empty() {
            // One of the scenario runs for each revision is run.
            true => {
                let case = |scenario_run: &ScenarioRun| {
                    (scenario_run.scenario.id.clone(), scenario_run.transport)
                };
                plan.scenario_runs.iter().map(case).collect::<HashSet<_>>().len()
            }
            false => plan.scenario_runs.len(),
        };
        if count.div_ceil(args.schedule.shard.map_or(1, Shard::parts)) > MOST_SCENARIO_RUNS {
            return Err(CliError::TooManyScenarioRuns { count, most: MOST_SCENARIO_RUNS });
        }
    }
    let plan = match (&request.sign_in, &request.target) {
        (Some(sign_in), Tested::Server(target)) => {
            plan.sign_in(Some(sign_in.step(target, args.common.timeout)))
        }
        _ => plan,
    };
    let plan = plan.schemas(SchemaSource::load(&args.schemas.schemas)?);
    let plan = with_known(plan, request)?;
    let Some(file) = &args.common.expected_failures else { return Ok(plan) };
    let baseline_error =
        |error| CliError::selection(UsageError::Baseline(error), command.tested_side(), None);
    let baseline = Baseline::read(file).map_err(baseline_error)?;
    let warnings = baseline.vet(&plan.scenarios, command.tested_side(), profile);
    warnings.map_err(baseline_error)?.iter().for_each(|warning| output::warn(warning));
    Ok(plan.baseline(baseline))
}

/// The plan with the violations that are expected.
fn with_known(plan: Plan, request: &RunRequest<'_>) -> Result<Plan, CliError> {
    let args = request.options;
    let known = KnownArg::all(&args.common.known);
    if known.is_empty() {
        return Ok(plan);
    }
    if plan.profile == Profile::Official {
        output::warn(
            "`--known` has no effect in profile `official`, which has `--expected-failures`",
        );
    }
    let is_strict = known_arg::is_strict(&variable)?;
    // What a selection leaves out may be what shows a violation.
    let is_whole = args.scenarios.is_empty()
        && args.pages.is_empty()
        && args.suite.is_none()
        && args.requirements.is_none()
        && args.common.revisions.is_empty()
        && args.schedule.shard.is_none()
        && request.transports.is_empty();
    let plan = plan.known(known);
    Ok(if is_whole { plan.judge_known(is_strict) } else { plan })
}

/// Describes what is run, for the first line.
fn selection_label(request: &RunRequest<'_>, plan: &Plan) -> String {
    let scenarios = scenarios_label(request, plan);
    plan.shard.map_or(scenarios.clone(), |shard| format!("shard {shard} of {scenarios}"))
}

/// Describes the selected scenarios.
fn scenarios_label(request: &RunRequest<'_>, plan: &Plan) -> String {
    let args = request.options;
    if request.command == RunCommand::Explore {
        return "exploration of tools".to_owned();
    }
    if request.loaded.is_some() {
        let noun = if request.command == RunCommand::CasesRun { "case" } else { "file" };
        return match args.scenarios.is_empty() {
            true => words::count(plan.scenarios.len(), noun),
            false => format!("selected {noun}s"),
        };
    }
    if !args.scenarios.is_empty() {
        return "selected scenarios".to_owned();
    }
    if !args.pages.is_empty() {
        return format!("scenarios of {}", words::list(&args.pages, "and"));
    }
    if let Some(set) = args.requirements {
        return format!("requirements {}", set.revision);
    }
    if request.command == RunCommand::Authorization && plan.profile == Profile::Official {
        // The official suite calls it so.
        return "test".to_owned();
    }
    match (args.suite, plan.profile) {
        (Some(suite), _) => format!("{} suite", suite.name(plan.target.tested_side())),
        // The default of the official suite.
        (None, Profile::Official) => "active suite".to_owned(),
        (None, profile) => format!("{profile} check"),
    }
}

fn rerun(request: &RunRequest<'_>) -> Rerun {
    let RunRequest { command, options, .. } = request;
    let mut before = vec!["mcp-test".to_owned()];
    before.extend(command.name().split(' ').map(str::to_owned));
    before.extend(request.loaded.iter().flat_map(|loaded| loaded.args.iter().cloned()));
    let profile = options.profile.filter(|profile| *profile != command.default_profile());
    // Loaded scenarios have no `--profile`: `--strict` is among the arguments that select them.
    if let Some(profile) = profile.filter(|_| request.loaded.is_none()) {
        before.extend(["--profile".to_owned(), profile.to_string()]);
    }
    for schema in &options.schemas.schemas {
        before.extend(["--schema".to_owned(), schema.to_string()]);
    }
    if options.force {
        before.push("--force".to_owned());
    }
    before.extend(request.protection.iter().cloned());
    before.extend(request.calls.rerun_args());
    before.extend(request.fixtures.rerun_args());
    let names_transport = request.target.transports().len() > 1;
    let option = match command {
        RunCommand::Explore => None,
        RunCommand::CasesRun => Some("--case"),
        _ => Some("--scenario"),
    };
    // A secret may be where no option reveals it, such as in an argument of the command.
    let masked = |args: &[String]| args.iter().map(|arg| request.secrets.mask(arg)).collect();
    let (before, after) = (masked(&before), masked(&request.target_args));
    Rerun { before, option, after, names_transport }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Parser;
    use mcp_test_core::run::{Summary, Verdict};
    use mcp_test_core::server::Server;
    use mcp_test_core::server::reference::everything;
    use mcp_test_core::transport::Fault;

    use super::*;
    use crate::args::{Args, Command};

    /// A run of `check` on this server.
    fn check_of<'a>(options: &'a RunOptions, server: &Server) -> RunRequest<'a> {
        RunRequest {
            command: RunCommand::Check,
            options,
            loaded: None,
            target: server.target().into(),
            transports: Vec::new(),
            protection: Vec::new(),
            secrets: Secrets::default(),
            sign_in: None,
            target_args: vec!["--reference".to_owned()],
            calls: CallArgs::default(),
            fixtures: FixtureArgs::default(),
            manual: false,
        }
    }

    /// Finishes a run of `ping` with a changed summary and `--write-baseline`.
    fn finish(change: impl FnOnce(&mut Summary)) -> (u8, Vec<String>, String) {
        let out = tempfile::tempdir().expect("a directory");
        let path = out.path().join("known.yml");
        let args = ["mcp-test", "check", "--reference", "--scenario", "ping", "--write-baseline"];
        let args = args.into_iter().map(Into::into).chain([path.clone().into_os_string()]);
        let Command::Check(args) = Args::try_parse_from(args).expect("arguments").command else {
            panic!("another command");
        };
        let server = everything().faults([Fault::reply_error("ping", -32603)]);
        let request = check_of(&args.run, &server);
        let plan = plan(&request).expect("a plan");
        let runtime = runtime().expect("a runtime");
        let mut summary = runtime.block_on(run::run(&plan, &mut |_| {}));
        assert_eq!(summary.exit, ExitCode::Failed);
        change(&mut summary);
        let mut reports = Reports::new(&request, &plan, &|_| None).expect("reports");
        reports.event(RunEvent::Ended(summary));
        let notes =
            reports.notes().iter().map(|note| note.replace(&*path.to_string_lossy(), "[file]"));
        let notes = notes.collect();
        let code = reports.finish().expect("a code");
        (code, notes, fs::read_to_string(&path).unwrap_or_default())
    }

    #[test]
    fn a_rerun_has_the_same_fixtures() {
        let args =
            ["mcp-test", "check", "--reference", "--fixture", "test_simple_text=a={\"b\":1}"];
        let Command::Check(args) = Args::try_parse_from(args).expect("arguments").command else {
            panic!("another command");
        };
        let request = RunRequest { fixtures: args.fixtures, ..check_of(&args.run, &everything()) };
        assert_eq!(plan(&request).expect("a plan").fixtures.name("test_simple_text"), "a");
        let before = rerun(&request).before;
        assert_eq!(before[2..], ["--fixture", "test_simple_text=a={\"b\":1}"]);
    }

    #[test]
    fn a_baseline_contains_what_failed() {
        let (code, notes, text) = finish(|_| {});
        assert_eq!((code, notes), (0, vec!["Baseline written to [file]".to_owned()]));
        assert!(text.ends_with("server:\n  - ping:ping\n"), "{text}");
    }

    #[test]
    fn scenarios_that_could_not_be_run_are_noted_with_the_baseline() {
        let (code, notes, _) = finish(|summary| {
            summary.lines[0].verdict = Verdict::NotRun;
        });
        assert_eq!(
            (code, notes[1].as_str()),
            (3, "It does not contain the scenarios that could not be run: ping")
        );
        let (code, notes, text) = finish(|summary| {
            summary.lines.clear();
            summary.exit = ExitCode::NotRun;
        });
        assert_eq!((code, notes), (3, vec!["No baseline written: nothing was run".to_owned()]));
        assert_eq!(text, "");
    }
}
