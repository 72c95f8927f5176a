//! `mcp-test cases verify-client`: cases against a client, which has to say what they demand.

pub(super) mod args;

use self::args::VerifyClientArgs;
use super::{read, run};
use crate::cases::{Inputs, PlayError, ReadOptions, VerifyOptions, client_scenarios};
use crate::cli::args::{RunOptions, SchemaArgs};
use crate::cli::client::{by_hand, secrets_of};
use crate::cli::conduct::{self, Job, Kind, Own};
use crate::cli::error::CliError;
use crate::report::Secrets;
use crate::scenario::Profile;
use crate::transport::ClientTarget;

/// Holds a client to the cases; gives the exit code.
pub(super) fn verify(args: &VerifyClientArgs) -> Result<u8, CliError> {
    let variable = |name: &str| std::env::var(name).ok();
    let cases = read::read(&args.files, &ReadOptions::default().strict(args.strict))?;
    run::known(&cases, &args.cases)?;
    let verify = args.verify(run::inputs(&args.inputs, &cases, &variable)?);
    let secrets = run::confidential(&cases, &verify.inputs);
    let scenarios = client_scenarios(&cases, &verify).map_err(PlayError::from)?;
    run::tell_of_only(&cases);
    let (client, words) = match &args.command {
        Some(line) if line.trim().is_empty() => return Err(CliError::EmptyCommand),
        Some(line) => (ClientTarget::command(line), vec!["--command".to_owned(), line.clone()]),
        None if scenarios.len() == 1 || args.scenarios.len() == 1 => (by_hand(), Vec::new()),
        None => return Err(CliError::NoCommandForFiles),
    };
    let options = args.options();
    let in_command = args.command.iter().flat_map(|line| secrets_of(line));
    conduct::conduct(&Job {
        kind: Kind::CasesVerifyClient,
        options: &options,
        own: Some(Own { scenarios, surroundings: None, words: args.words() }),
        tested: client.into(),
        carriers: Vec::new(),
        secrets: Secrets::new(in_command.chain(secrets)),
        words,
        by_hand: args.command.is_none(),
    })
}

impl VerifyClientArgs {
    /// What is demanded.
    fn verify(&self, inputs: Inputs) -> VerifyOptions {
        VerifyOptions {
            inputs,
            cases: self.cases.clone(),
            tags: self.tags.clone(),
            skip_tags: self.skip_tags.clone(),
            asked_revisions: !self.revisions.is_empty(),
        }
    }

    /// The arguments that say what is demanded, for a shell.
    fn words(&self) -> Vec<String> {
        let files = self.files.files.iter().map(|file| file.display().to_string());
        let mut words: Vec<String> = files.chain(run::again(&self.inputs)).collect();
        for (option, chosen) in
            [("--case", &self.cases), ("--tag", &self.tags), ("--skip-tag", &self.skip_tags)]
        {
            words.extend(chosen.iter().flat_map(|it| [option.to_owned(), it.clone()]));
        }
        if self.strict {
            words.push("--strict".to_owned());
        }
        words
    }

    /// How the run is conducted.
    fn options(&self) -> RunOptions {
        RunOptions {
            scenarios: self.scenarios.clone(),
            suite: None,
            revisions: self.revisions.clone(),
            schemas: SchemaArgs { schemas: Vec::new() },
            force: false,
            profile: self.strict.then_some(Profile::Strict),
            expected_failures: self.expected_failures.clone(),
            write_baseline: self.write_baseline.clone(),
            timeout: self.timeout,
            jobs: self.jobs,
            output_dir: self.output_dir.clone(),
            record: self.record.clone(),
            format: self.format,
            verbose: self.verbose,
        }
    }
}
