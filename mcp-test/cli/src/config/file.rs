//! Reads the file: which options it sets for which commands, and on which lines.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};
use mcp_test_core::expect::words;
use mcp_test_core::files;
use toml::de::{DeTable, DeValue};

use super::toml_value::{kind, scalar};
use super::{ConfigError, FILE_NAME, fixtures};

/// A file with options.
#[derive(Debug)]
pub(super) struct ConfigFile {
    /// For messages.
    pub(super) name: String,
    /// Whether the user has named it with `--config`.
    pub(super) is_named: bool,
    /// In the order of the file.
    pub(super) entries: Vec<Entry>,
}

/// An option that the file sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// The table: a command and its subcommands; empty for what stands before all tables.
    pub(super) table: Vec<String>,
    /// The long name of the option, or `command` for the command under test.
    pub(super) option: String,
    /// The line, counted from 1.
    pub(super) line: usize,
    /// The value.
    pub(super) setting: Setting,
}

/// What an option is set to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Setting {
    /// An option without a value is given, or is not.
    Flag(bool),
    /// The values, as they would be on the command line.
    Values(Vec<String>),
}

/// The name by which a file sets an argument: that of the option, or `command` for what follows `--`.
pub(super) fn name_of(arg: &Arg) -> Option<&str> {
    const NOT_IN_A_FILE: [&str; 4] = ["config", "no-config", "help", "version"];
    let name = if arg.is_last_set() { Some(arg.get_id().as_str()) } else { arg.get_long() };
    name.filter(|name| !NOT_IN_A_FILE.contains(name))
}

/// The arguments of a command that a file can set.
pub(super) fn settable(command: &Command) -> impl Iterator<Item = (&str, &Arg)> {
    command.get_arguments().filter_map(|arg| Some((name_of(arg)?, arg)))
}

/// The arguments that a file can set of a command and all its subcommands.
fn settable_below<'a>(command: &'a Command) -> Box<dyn Iterator<Item = (&'a str, &'a Arg)> + 'a> {
    Box::new(settable(command).chain(command.get_subcommands().flat_map(settable_below)))
}

impl ConfigFile {
    /// The file that the arguments name, or the one in this directory.
    pub(super) fn of(
        matches: &ArgMatches,
        folder: &Path,
        command: &Command,
    ) -> Result<Option<Self>, ConfigError> {
        let mut innermost = matches;
        while let Some((_, inner)) = innermost.subcommand() {
            innermost = inner;
        }
        // Global options are known to the innermost command.
        if innermost.get_flag("no_config") {
            return Ok(None);
        }
        let named = innermost.get_one::<PathBuf>("config");
        let path = match named {
            Some(path) => path.clone(),
            None if folder.join(FILE_NAME).is_file() => folder.join(FILE_NAME),
            None => return Ok(None),
        };
        let name = named.map_or(FILE_NAME.to_owned(), |path| path.display().to_string());
        let text = files::read_text(folder.join(path), files::OPTION_VALUE).map_err(|error| {
            ConfigError {
                file: name.clone(),
                line: None,
                problem: format!("cannot be read: {error}"),
            }
        })?;
        let entries = read(&text, &name, command)?;
        Ok(Some(Self { name, is_named: named.is_some(), entries }))
    }
}

/// Reads the text of a file.
pub(super) fn read(text: &str, name: &str, command: &Command) -> Result<Vec<Entry>, ConfigError> {
    let mut reader = Reader { text, name, entries: Vec::new() };
    let table = DeTable::parse(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        reader.error(start, error.message())
    })?;
    reader.table(table.get_ref(), &[], command)?;
    // The parser sorts them by name.
    reader.entries.sort_by_key(|entry| entry.line);
    Ok(reader.entries)
}

struct Reader<'a> {
    text: &'a str,
    name: &'a str,
    entries: Vec<Entry>,
}

impl Reader<'_> {
    fn line(&self, offset: usize) -> usize {
        let before = self.text.as_bytes().get(..offset).unwrap_or_default();
        before.iter().filter(|byte| **byte == b'\n').count() + 1
    }

    fn error(&self, offset: usize, problem: impl Into<String>) -> ConfigError {
        let line = Some(self.line(offset));
        ConfigError { file: self.name.to_owned(), line, problem: problem.into() }
    }

    /// Reads the table of a command.
    fn table(
        &mut self,
        table: &DeTable<'_>,
        path: &[String],
        command: &Command,
    ) -> Result<(), ConfigError> {
        for (key, value) in table {
            let (name, start) = (key.get_ref().as_ref(), key.span().start);
            if let DeValue::Table(inner) = value.get_ref() {
                let subcommand = command.get_subcommands().find(|it| it.get_name() == name);
                match subcommand {
                    Some(subcommand) => {
                        let path = [path, &[name.to_owned()]].concat();
                        self.table(inner, &path, subcommand)?;
                    }
                    None if path.is_empty() && name == fixtures::TABLE => self.fixtures(inner)?,
                    None => return Err(self.error(start, no_such_table(name, path, command))),
                }
                continue;
            }
            let found = settable_below(command).find(|(option, _)| *option == name);
            let Some((_, arg)) = found else {
                return Err(self.error(start, no_such_option(name, path, command)));
            };
            let setting = setting(arg, value.get_ref())
                .map_err(|problem| self.error(start, format!("`{name}`: {problem}")))?;
            self.push(path.to_vec(), name, start, setting);
        }
        Ok(())
    }

    fn fixtures(&mut self, table: &DeTable<'_>) -> Result<(), ConfigError> {
        let mut values = Vec::new();
        for (key, value) in table {
            let (fixture, start) = (key.get_ref().as_ref(), key.span().start);
            let value = fixtures::value(fixture, value.get_ref())
                .map_err(|problem| self.error(start, format!("`{fixture}`: {problem}")))?;
            values.push((start, value));
        }
        values.sort_unstable();
        let Some(start) = values.first().map(|(start, _)| *start) else { return Ok(()) };
        let setting = Setting::Values(values.into_iter().map(|(_, value)| value).collect());
        self.push(Vec::new(), fixtures::OPTION, start, setting);
        Ok(())
    }

    fn push(&mut self, table: Vec<String>, option: &str, start: usize, setting: Setting) {
        let (option, line) = (option.to_owned(), self.line(start));
        self.entries.push(Entry { table, option, line, setting });
    }
}

fn no_such_table(name: &str, path: &[String], command: &Command) -> String {
    let names = command.get_subcommands().map(Command::get_name).chain([fixtures::TABLE]);
    let similar = words::closest(name, names).map(|name| words_of(path, name));
    format!("`{}` is not a command{}", words_of(path, name), did_you_mean(similar.as_deref()))
}

fn no_such_option(name: &str, path: &[String], command: &Command) -> String {
    let names: Vec<&str> = settable_below(command).map(|(name, _)| name).collect();
    // The dashes of the command line are not part of a name.
    let stripped = name.trim_start_matches('-');
    let similar = words::closest(&stripped.replace('_', "-"), names);
    let owner = if path.is_empty() {
        "no command has".to_owned()
    } else {
        format!("`mcp-test {}` does not have", path.join(" "))
    };
    format!("{owner} an option `{name}`{}", did_you_mean(similar))
}

fn words_of(path: &[String], name: &str) -> String {
    path.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(".")
}

fn did_you_mean(similar: Option<&str>) -> String {
    similar.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// What a value sets an argument to.
fn setting(arg: &Arg, value: &DeValue<'_>) -> Result<Setting, String> {
    if let ArgAction::SetTrue = arg.get_action() {
        return match value {
            DeValue::Boolean(given) => Ok(Setting::Flag(*given)),
            other => Err(format!("expected `true` or `false`, got {}", kind(other))),
        };
    }
    let is_repeatable = matches!(arg.get_action(), ArgAction::Append);
    match value {
        DeValue::Array(values) if is_repeatable || arg.is_last_set() => {
            let values: Result<_, _> = values.iter().map(|value| scalar(value.get_ref())).collect();
            Ok(Setting::Values(values?))
        }
        other if arg.is_last_set() => {
            let example = "an array of the program and its arguments";
            Err(format!("expected {example}, got {}", kind(other)))
        }
        DeValue::Array(_) => Err("expected one value, got an array".to_owned()),
        one => Ok(Setting::Values(vec![scalar(one)?])),
    }
}
