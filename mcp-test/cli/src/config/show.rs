//! `mcp-test config`: which options a command would have, and where each value comes from.

use std::any::TypeId;
use std::ffi::OsString;
use std::path::Path;

use clap::{Arg, ArgMatches, Command};
use mcp_test_core::expect::words;
use mcp_test_core::trace::secrets_in_command;

use super::file::{ConfigFile, Entry, Setting, settable};
use super::merge::{Merged, Unused, Use, innermost, is_given, problem};
use super::{FILE_NAME, limits};
use crate::common_args::ConfigArgs;
use crate::error::CliError;
use crate::option_value::SecretArg;
use crate::report::Secrets;
use crate::url::Endpoint;

/// The text of `mcp-test config`.
pub(crate) fn text(
    config: &ConfigArgs,
    shown: &[OsString],
    mut root: Command,
    folder: &Path,
) -> Result<String, CliError> {
    let mut line = vec![OsString::from("mcp-test")];
    line.extend(config.args());
    line.extend(shown.iter().cloned());
    root.build();
    let matches = match root.clone().ignore_errors(true).try_get_matches_from(&line) {
        Ok(matches) => matches,
        // The help of the command.
        Err(error) => return Ok(error.render().to_string()),
    };
    let (path, ..) = innermost(&matches, &root);
    if let (true, Some(name)) = (path.is_empty(), shown.first()) {
        let name = name.to_string_lossy().into_owned();
        let names = root.get_subcommands().map(Command::get_name);
        let suggestion = words::closest(&name, names).map(str::to_owned);
        return Err(CliError::UnknownCommand { name, suggestion });
    }
    if path.is_empty() {
        return Ok(file_text(ConfigFile::of(&matches, folder, &root)?.as_ref(), folder));
    }
    let merged = super::merge(line, || root.clone(), folder)?;
    // What is wrong with a value is said here as it would be by the command.
    let matches = match root.clone().try_get_matches_from(&merged.args) {
        Ok(matches) => matches,
        Err(error) => {
            let blamed = merged.blame(&error).map(CliError::from);
            return Err(blamed.unwrap_or_else(|| CliError::Arguments(problem(&error))));
        }
    };
    Ok(command_text(&merged, &matches, &root))
}

/// All that the file sets.
fn file_text(file: Option<&ConfigFile>, folder: &Path) -> String {
    let Some(file) = file else {
        return format!("no file: neither --config nor {FILE_NAME} in the current directory\n");
    };
    let mut rows = Vec::new();
    for entry in &file.entries {
        let refusal = limits::refusal(entry, folder).filter(|_| !file.is_named);
        let owner = match entry.table.is_empty() {
            true => "every command".to_owned(),
            false => entry.table.join(" "),
        };
        let note = refusal.map(|_| format!(", only with --config {}", file.name));
        let place = format!("{}:{}{}", file.name, entry.line, note.unwrap_or_default());
        rows.push([owner, entry.option.clone(), shown_setting(entry), place]);
    }
    table(["command", "option", "value", "from"], &rows)
}

/// The options of a command.
fn command_text(merged: &Merged, matches: &ArgMatches, root: &Command) -> String {
    let (path, matches, command) = innermost(matches, root);
    let file = merged.file().map_or(FILE_NAME, |file| &file.name);
    let mut rows = Vec::new();
    for (name, arg) in settable(command) {
        let used = merged.uses.get(name);
        let from = |Use { line, unused, .. }: &Use| match unused {
            None => format!("{file}:{line}"),
            Some(Unused::Overridden) => format!("command line, in place of {file}:{line}"),
            Some(Unused::OtherTarget) => {
                format!(
                    "default; {file}:{line} is for another target than that of the command line"
                )
            }
            Some(Unused::Excludes(other)) => format!("default; {file}:{line} excludes --{other}"),
        };
        let from = used.map(from);
        let is_given = is_given(matches, arg);
        let values = values(arg, matches);
        let from = match (from, is_given) {
            (Some(from), _) => from,
            (None, true) => "command line".to_owned(),
            (None, false) if values.is_empty() => continue,
            (None, false) => "default".to_owned(),
        };
        rows.push([name.to_owned(), shown_values(arg, &values), from]);
    }
    format!("mcp-test {}\n\n{}", path.join(" "), table(["option", "value", "from"], &rows))
}

/// The values of an argument as they were written; for an option without a value, whether it is given.
fn values(arg: &Arg, matches: &ArgMatches) -> Vec<String> {
    if let clap::ArgAction::SetTrue = arg.get_action() {
        let is_set = matches.get_flag(arg.get_id().as_str());
        return is_set.then(|| "true".to_owned()).into_iter().collect();
    }
    let raw = matches.get_raw(arg.get_id().as_str()).into_iter().flatten();
    raw.map(|value| value.to_string_lossy().into_owned()).collect()
}

fn shown_values(arg: &Arg, values: &[String]) -> String {
    let is_secret = arg.get_value_parser().type_id() == TypeId::of::<SecretArg>();
    shown(arg.get_id().as_str(), is_secret, values)
}

fn shown_setting(entry: &Entry) -> String {
    match &entry.setting {
        Setting::Flag(given) => given.to_string(),
        Setting::Values(values) => {
            let is_secret = matches!(entry.option.as_str(), "header" | "token" | "env" | "input");
            shown(&entry.option, is_secret, values)
        }
    }
}

/// Values without what may be secret.
fn shown(option: &str, is_secret: bool, values: &[String]) -> String {
    let secrets = Secrets::new(secrets_in_command(values.iter().map(String::as_str)));
    let shown = values.iter().map(|value| match (option, is_secret) {
        (_, true) => {
            let name = value.split(['=', ':']).next().filter(|name| name.len() < value.len());
            format!("{}=<value>", name.unwrap_or("<name>"))
        }
        ("url", _) => Endpoint::parse(value).map_or("<not a URL>".to_owned(), |it| it.shown),
        _ => secrets.mask(value),
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// Columns that are aligned, under a title.
fn table<const N: usize>(title: [&str; N], rows: &[[String; N]]) -> String {
    let title = title.map(str::to_owned);
    let lines = || std::iter::once(&title).chain(rows);
    let mut text = String::new();
    for line in lines() {
        let mut row = String::new();
        for (column, cell) in line.iter().enumerate() {
            let width = lines().map(|line| line[column].chars().count()).max().unwrap_or(0);
            row.push_str(&format!("{cell:width$}  "));
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}
