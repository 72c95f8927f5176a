//! `mcp-test cases run`: cases against a server.

pub(super) mod args;

use std::num::NonZeroUsize;

use self::args::RunCasesArgs;
use crate::cases::hooks::{Commands, Given};
use crate::cases::{Cases, Inputs, PlayError, PlayOptions, ReadOptions, scenarios, surroundings};
use crate::cli::args::{RunOptions, SchemaArgs};
use crate::cli::cases::read;
use crate::cli::conduct::{self, Job, Kind, Own};
use crate::cli::error::CliError;
use crate::cli::value::Confidential;
use crate::cli::{output, target};
use crate::expect::words;
use crate::scenario::Profile;
use crate::transport::CarrierKind;

/// Runs the cases; gives the exit code.
pub(super) fn run(args: &RunCasesArgs) -> Result<u8, CliError> {
    let variable = |name: &str| std::env::var(name).ok();
    let chosen = args.target.choose("cases run FILES…", &variable)?;
    let cases = read::read(&args.files, &ReadOptions::default().strict(args.strict))?;
    known(&cases, &args.cases)?;
    let play = args.play(inputs(&args.inputs, &cases, &variable)?);
    let secrets = chosen.secrets.and(confidential(&cases, &play.inputs));
    let (scenarios, surroundings) = (scenarios(&cases, &play)?, surroundings(&cases, &play)?);
    let is_there = |id: &&String| scenarios.iter().any(|scenario| scenario.id == id.as_str());
    if let Some(id) = args.cases.iter().find(|id| !is_there(id)) {
        return Err(CliError::CaseLeftOut { id: id.clone() });
    }
    tell_of_only(&cases);
    let target = match args.carriers.contains(&CarrierKind::Sse) {
        true => chosen.target.also_over_sse(),
        false => chosen.target,
    };
    let options = args.options();
    conduct::conduct(&Job {
        kind: Kind::CasesRun,
        options: &options,
        own: Some(Own { scenarios, surroundings, words: args.words() }),
        tested: target.into(),
        carriers: args.carriers.clone(),
        secrets,
        words: chosen.words,
        by_hand: false,
    })
}

/// Every case that is chosen is there; whoever leaves its file out means the one that is called so.
pub(super) fn known(cases: &Cases, chosen: &[String]) -> Result<(), CliError> {
    let ids = || cases.iter().map(|(_, case)| case.id.as_str());
    let Some(id) = chosen.iter().find(|chosen| !ids().any(|id| id == **chosen)) else {
        return Ok(());
    };
    let is_called_so = |whole: &&str| whole.split_once("::").is_some_and(|(_, name)| name == id);
    let suggestion = ids().find(is_called_so).or_else(|| words::closest(id, ids()));
    Err(CliError::UnknownCase { id: id.clone(), suggestion: suggestion.map(str::to_owned) })
}

/// What is given for `_inputs`, on the command line and else in the environment.
pub(super) fn inputs(
    given: &[Confidential],
    cases: &Cases,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Inputs, CliError> {
    let mut inputs = Inputs::default();
    for input in given {
        let wrong = |name: Option<&str>, problem: &str| CliError::CaseInput {
            name: name.map(str::to_owned),
            problem: problem.to_owned(),
        };
        let Some((name, value)) = input.reveal().split_once('=') else {
            return Err(wrong(None, "expected NAME=VALUE"));
        };
        let meant = target::meant(value, variable).map_err(|why| wrong(Some(name), &why))?;
        inputs = inputs.text(name, meant);
    }
    inputs.are_known(cases).map_err(PlayError::from)?;
    Ok(inputs.or_from(cases, variable))
}

/// The inputs again, for a shell, without what they hold.
pub(super) fn again(given: &[Confidential]) -> impl Iterator<Item = String> {
    given.iter().filter_map(|input| input.reveal().split_once('=')).flat_map(|(name, value)| {
        // A reference to a secret is not the secret.
        let shown = if value.starts_with('@') { value } else { "<value>" };
        ["--input".to_owned(), format!("{name}={shown}")]
    })
}

/// What is secret among the inputs.
pub(super) fn confidential(cases: &Cases, inputs: &Inputs) -> Vec<String> {
    let values = cases.iter().filter_map(|(_, case)| inputs.values([&**case]).ok());
    values
        .flat_map(|values| values.secrets().iter().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

/// A forgotten `_only` leaves out what it should not.
pub(super) fn tell_of_only(cases: &Cases) {
    let all = cases.iter().count();
    let only = cases.iter().filter(|(_, case)| case.settings.only).count();
    if only > 0 {
        output::note(&format!("Because of `_only`, {only} of {all} cases are run"));
    }
}

impl RunCasesArgs {
    /// How the cases are played.
    fn play(&self, inputs: Inputs) -> PlayOptions {
        let mut play = PlayOptions::default().inputs(|_| inputs);
        play.asked_revisions = !self.revisions.is_empty();
        play.tags.clone_from(&self.tags);
        play.skip_tags.clone_from(&self.skip_tags);
        play.cases.clone_from(&self.cases);
        if self.allow_commands {
            play = play.commands(Commands::Allowed);
        }
        play.given = self.given_command.clone().map(Given::Command);
        play
    }

    /// The arguments that choose the cases and say how they are played, for a shell.
    fn words(&self) -> Vec<String> {
        let files = self.files.files.iter().map(|file| file.display().to_string());
        let mut words: Vec<String> = files.chain(again(&self.inputs)).collect();
        if self.allow_commands {
            words.push("--allow-commands".to_owned());
        }
        if let Some(command) = &self.given_command {
            words.extend(["--given-command".to_owned(), command.to_string()]);
        }
        if self.strict {
            words.push("--strict".to_owned());
        }
        words
    }

    /// How the run is conducted. Cases that share a server are run one after the other, unless it is asked for otherwise: they
    /// may be about what it keeps.
    fn options(&self) -> RunOptions {
        let shared = self.target.url.is_some().then_some(NonZeroUsize::MIN);
        RunOptions {
            scenarios: self.cases.clone(),
            suite: None,
            revisions: self.revisions.clone(),
            schemas: SchemaArgs { schemas: Vec::new() },
            force: false,
            profile: self.strict.then_some(Profile::Strict),
            expected_failures: self.expected_failures.clone(),
            write_baseline: self.write_baseline.clone(),
            timeout: self.timeout,
            jobs: self.jobs.or(shared),
            output_dir: self.output_dir.clone(),
            record: self.record.clone(),
            format: self.format,
            verbose: self.verbose,
        }
    }
}
