//! The selected cases of `run`, `verify-client` and `serve`, with the values of their inputs.

use mcp_test::cases::{Cases, Inputs, PlayError, ReadOptions};
use mcp_test_core::expect::words;

use super::args::{CaseArgs, InputArgs};
use super::read;
use crate::error::CliError;
use crate::value_source::resolve_value;
use crate::{output, patterns};

/// Cases and the values of their inputs.
pub(super) struct SelectedCases {
    pub(super) cases: Cases,
    pub(super) inputs: Inputs,
    /// The ids that `--case` selects, without patterns.
    pub(super) ids: Vec<String>,
}

impl SelectedCases {
    /// The values of secret inputs.
    pub(super) fn secrets(&self) -> Vec<String> {
        let cases = self.cases.iter();
        let values = cases.filter_map(|(_, case)| self.inputs.values([&**case]).ok());
        values
            .flat_map(|values| values.secrets().iter().map(str::to_owned).collect::<Vec<_>>())
            .collect()
    }
}

impl CaseArgs {
    /// Reads the cases and resolves their inputs, with environment variables from `variable`.
    pub(super) fn read(
        &self,
        strict: bool,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<SelectedCases, CliError> {
        let cases = read::read(&self.files, &ReadOptions::default().strict(strict))?;
        let ids = select_ids(&cases, &self.cases)?;
        let inputs = self.inputs.resolve(&cases, variable)?;
        Ok(SelectedCases { cases, inputs, ids })
    }

    /// The files and inputs as arguments for a rerun.
    pub(super) fn rerun_args(&self) -> Vec<String> {
        let files = self.files.files.iter().map(|file| file.display().to_string());
        files.chain(self.inputs.rerun_args()).collect()
    }
}

impl InputArgs {
    /// The values of inputs: those of the arguments, or else those of the environment.
    pub(super) fn resolve(
        &self,
        cases: &Cases,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Inputs, CliError> {
        let mut inputs = Inputs::default();
        for input in &self.inputs {
            let invalid = |name: Option<&str>, problem: &str| CliError::CaseInput {
                name: name.map(str::to_owned),
                problem: problem.to_owned(),
            };
            let Some((name, value)) = input.reveal().split_once('=') else {
                return Err(invalid(None, "expected NAME=VALUE"));
            };
            let value = resolve_value(value, variable)
                .map_err(|error| invalid(Some(name), &error.to_string()))?;
            inputs = inputs.text(name, value);
        }
        inputs.are_known(cases).map_err(PlayError::from)?;
        Ok(inputs.or_from(cases, variable))
    }

    /// The inputs as arguments for a rerun, with placeholders for values.
    fn rerun_args(&self) -> impl Iterator<Item = String> {
        let pairs = self.inputs.iter().filter_map(|input| input.reveal().split_once('='));
        pairs.flat_map(|(name, value)| {
            // The name of a file with a secret is not secret.
            let shown = if value.starts_with('@') { value } else { "<value>" };
            ["--input".to_owned(), format!("{name}={shown}")]
        })
    }
}

/// The selected ids, which must exist; for an id without its file, suggests the whole id.
fn select_ids(cases: &Cases, selected: &[String]) -> Result<Vec<String>, CliError> {
    let ids = || cases.iter().map(|(_, case)| case.id.as_str());
    let known: Vec<&str> = ids().collect();
    let selected = patterns::expand(selected, &known).map_err(|error| error.of("--case"))?;
    let Some(id) = selected.iter().find(|selected| !ids().any(|id| id == **selected)) else {
        return Ok(selected);
    };
    let is_named_so = |whole: &&str| whole.split_once("::").is_some_and(|(_, name)| name == id);
    let suggestion = ids().find(is_named_so).or_else(|| words::closest(id, ids()));
    Err(CliError::UnknownCase { id: id.clone(), suggestion: suggestion.map(str::to_owned) })
}

/// Requires that a case has each of these tags.
pub(super) fn require_tags(cases: &Cases, tags: &[String]) -> Result<(), CliError> {
    let known = || cases.iter().flat_map(|(_, case)| &case.settings.tags);
    let Some(tag) = tags.iter().find(|tag| !known().any(|known| known == *tag)) else {
        return Ok(());
    };
    let suggestion = words::closest(tag, known().map(String::as_str)).map(words::name);
    Err(CliError::UnknownTag { tag: tag.clone(), suggestion })
}

/// Notes on standard error that `_only` excludes cases: a forgotten one would go unnoticed.
pub(super) fn note_only(cases: &Cases) {
    let all = cases.iter().count();
    let only = cases.iter().filter(|(_, case)| case.settings.only).count();
    if only > 0 {
        output::note(&format!("only {only} of {all} cases are run, because of `_only`"));
    }
}
