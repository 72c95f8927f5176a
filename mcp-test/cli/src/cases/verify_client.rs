//! `mcp-test cases verify-client`: serves cases to a client, and checks that it sends what they expect.

use mcp_test::cases::{PlayError, VerifyOptions, client_scenarios};

use super::args::VerifyClientArgs;
use super::selection;
use crate::call_arg::CallArgs;
use crate::client::ResolvedClient;
use crate::common_args::RunOptions;
use crate::error::CliError;
use crate::execute::{self, LoadedScenarios, RunCommand, RunRequest};
use crate::fixture_arg::FixtureArgs;
use crate::report::Secrets;
use crate::{patterns, variable};

/// Tests a client by the cases and returns the exit code.
pub(super) fn verify(args: &VerifyClientArgs) -> Result<u8, CliError> {
    let selected = args.selection.read(args.strict, &variable)?;
    let secrets = selected.secrets();
    let verify = VerifyOptions {
        inputs: selected.inputs,
        cases: selected.ids,
        tags: args.selection.tags.clone(),
        skip_tags: args.selection.skip_tags.clone(),
        asked_revisions: !args.common.revisions.is_empty(),
    };
    let scenarios = client_scenarios(&selected.cases, &verify).map_err(PlayError::from)?;
    selection::note_only(&selected.cases);
    let names: Vec<&str> = scenarios.iter().map(|scenario| &*scenario.id).collect();
    let names =
        patterns::expand(&args.scenarios, &names).map_err(|error| error.of("--scenario"))?;
    // A person cannot know when the server of the next file waits, so only one file is served to a manual client.
    let is_single = scenarios.len() == 1 || names.len() == 1;
    let required = CliError::NoCommandForFiles;
    let client = ResolvedClient::new(args.command.as_deref(), is_single, required)?;
    execute::execute(RunRequest {
        command: RunCommand::CasesVerifyClient,
        options: &RunOptions::for_scenarios(
            &names,
            args.strict,
            args.schedule.clone(),
            &args.common,
        ),
        loaded: Some(LoadedScenarios { scenarios, prerequisites: None, args: args.rerun_args() }),
        target: client.target.into(),
        transports: Vec::new(),
        secrets: Secrets::new(client.secrets).and(secrets),
        sign_in: None,
        target_args: client.args,
        protection: Vec::new(),
        calls: CallArgs::default(),
        fixtures: FixtureArgs::default(),
        manual: args.command.is_none(),
    })
}

impl VerifyClientArgs {
    /// The arguments for a rerun, except those that select files or the client.
    fn rerun_args(&self) -> Vec<String> {
        let selection = &self.selection;
        let mut args = selection.rerun_args();
        for (option, values) in [
            ("--case", &selection.cases),
            ("--tag", &selection.tags),
            ("--skip-tag", &selection.skip_tags),
        ] {
            args.extend(values.iter().flat_map(|value| [option.to_owned(), value.clone()]));
        }
        if self.strict {
            args.push("--strict".to_owned());
        }
        args
    }
}
