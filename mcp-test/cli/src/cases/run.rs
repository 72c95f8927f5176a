//! `mcp-test cases run`: runs cases against a server.

use std::num::NonZeroUsize;

use mcp_test::cases::hooks::{Commands, Given};
use mcp_test::cases::{Cases, Inputs, PlayOptions, ReadOptions, prerequisites, scenarios};
use mcp_test_core::expect::words;
use mcp_test_core::process::Command;

use super::args::RunCasesArgs;
use super::selection;
use crate::call_arg::CallArgs;
use crate::common_args::{RunOptions, ScheduleOptions};
use crate::error::CliError;
use crate::execute::{self, LoadedScenarios, RunCommand, RunRequest};
use crate::fixture_arg::FixtureArgs;
use crate::variable;

/// Runs the cases and returns the exit code.
pub(super) fn run(args: &RunCasesArgs) -> Result<u8, CliError> {
    let resolved = args.target.resolve("cases run FILES…", &variable);
    let resolved = resolved.map_err(|error| args.or_server_of_cases(error))?;
    let selected = args.selection.read(args.strict, &variable)?;
    let cases = &selected.cases;
    let target = resolved.over(&args.transports);
    let secrets = resolved.secrets.and(selected.secrets());
    let mut ids = selected.ids;
    let play = args.play_options(selected.inputs, &ids);
    let (scenarios, prerequisites) = (scenarios(cases, &play)?, prerequisites(cases, &play)?);
    // `--case` names existing cases, so one without a scenario is excluded by another selection; not running it would pass.
    let is_planned = |id: &String| scenarios.iter().any(|scenario| scenario.id == id.as_str());
    let is_named = |id: &&String| args.selection.cases.contains(id);
    if let Some(id) = ids.iter().find(|id| is_named(id) && !is_planned(id)) {
        return Err(CliError::CaseExcluded { id: id.clone() });
    }
    ids.retain(is_planned);
    selection::note_only(cases);
    // Cases that share a server run one at a time by default: they may depend on its state.
    let shared = args.target.url.is_some().then_some(NonZeroUsize::MIN);
    let schedule = ScheduleOptions { jobs: args.schedule.jobs.or(shared), ..args.schedule.clone() };
    execute::execute(RunRequest {
        command: RunCommand::CasesRun,
        options: &RunOptions::for_scenarios(&ids, args.strict, schedule, &args.common),
        loaded: Some(LoadedScenarios { scenarios, prerequisites, args: args.rerun_args() }),
        target: target.into(),
        transports: args.transports.clone(),
        secrets,
        sign_in: resolved.sign_in,
        target_args: resolved.args,
        protection: Vec::new(),
        calls: CallArgs::default(),
        fixtures: FixtureArgs::default(),
        manual: false,
    })
}

impl RunCasesArgs {
    /// In place of the error that no target is named, one that names the command of the cases that may start it.
    fn or_server_of_cases(&self, error: CliError) -> CliError {
        let CliError::NoTarget { .. } = error else { return error };
        // Invalid files are reported by a run with a target.
        let read = Cases::read(&self.selection.files.files, &ReadOptions::default());
        let Ok((cases, _)) = read else { return error };
        let hooks = cases
            .iter()
            .flat_map(|(file, case)| case.settings.before.iter().map(move |hook| (file, hook)));
        let found = hooks.into_iter().find_map(|(file, hook)| {
            let (program, words) = hook.run.split_first()?;
            let place = format!("{}:{}:{}", file.path, hook.span.line, hook.span.column);
            let command = Command::new(program).args(words).to_string();
            let program = words::printable(&command);
            Some(CliError::NoTargetOfCases { place, program, port: hook.port()? })
        });
        found.unwrap_or(error)
    }

    fn play_options(&self, inputs: Inputs, ids: &[String]) -> PlayOptions {
        let mut play = PlayOptions::default().inputs(|_| inputs);
        // Without --spec-version a case is played at only one of the revisions that it allows.
        play.asked_revisions = !self.common.revisions.is_empty();
        play.tags.clone_from(&self.selection.tags);
        play.skip_tags.clone_from(&self.selection.skip_tags);
        ids.clone_into(&mut play.cases);
        if self.allow_commands {
            play = play.commands(Commands::Allowed);
        }
        play.given = self.given_command.clone().map(Given::Command);
        play
    }

    /// The arguments for a rerun, except those that select single cases or the target.
    fn rerun_args(&self) -> Vec<String> {
        let mut args = self.selection.rerun_args();
        if self.allow_commands {
            args.push("--allow-commands".to_owned());
        }
        if let Some(command) = &self.given_command {
            args.extend(["--given-command".to_owned(), command.to_string()]);
        }
        if self.strict {
            args.push("--strict".to_owned());
        }
        args
    }
}
