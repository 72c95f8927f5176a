//! Adds the options of the file to those of the command line, which override them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use mcp_test_core::expect::words;

use super::file::{ConfigFile, Entry, Setting, settable};
use super::{ConfigError, limits};

/// Arguments with the options of a file.
#[derive(Debug)]
pub(crate) struct Merged {
    /// The arguments, the first of which is the name of the program.
    pub(crate) args: Vec<OsString>,
    file: Option<ConfigFile>,
    /// What is used of the file, and what is not, by the option.
    pub(super) uses: BTreeMap<String, Use>,
}

/// Whether an option of the file is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Use {
    /// Its line in the file.
    pub(super) line: usize,
    /// Its value.
    pub(super) setting: Setting,
    /// Why it is not used; `None` if it is.
    pub(super) unused: Option<Unused>,
}

/// Why an option of the file is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unused {
    /// The command line has the option.
    Overridden,
    /// The command line names another target.
    OtherTarget,
    /// It excludes this option of the command line.
    Excludes(String),
}

/// The options that say what is tested, of which the command line replaces all or none: the headers and variables of one target are
/// not for another.
const TARGET: [&str; 10] = [
    "url",
    "reference",
    "command",
    "header",
    "token",
    "sign-in",
    "client-id",
    "client-secret",
    "env",
    "cwd",
];

/// Those of them that name a target.
const NAMES_TARGET: [&str; 3] = ["url", "reference", "command"];

impl Merged {
    pub(super) fn unchanged(args: Vec<OsString>) -> Self {
        Self { args, file: None, uses: BTreeMap::new() }
    }

    pub(super) fn new(
        args: Vec<OsString>,
        matches: &ArgMatches,
        root: &Command,
        file: ConfigFile,
        folder: &Path,
    ) -> Result<Self, ConfigError> {
        let (path, matches, command) = innermost(matches, root);
        let mut uses = BTreeMap::new();
        let mut tokens = Tokens::default();
        for (name, arg, entry) in effective(&file.entries, &path, command) {
            let unused = unused(name, arg, command, matches);
            if unused.is_none() {
                if let Some(problem) = limits::refusal(entry, folder).filter(|_| !file.is_named) {
                    let (file, line) = (file.name.clone(), Some(entry.line));
                    return Err(ConfigError { file, line, problem });
                }
                tokens.add(name, arg, &entry.setting);
            }
            let (line, setting) = (entry.line, entry.setting.clone());
            uses.insert(name.to_owned(), Use { line, setting, unused });
        }
        Ok(Self { args: tokens.insert_into(args), file: Some(file), uses })
    }

    /// The file, if there is one.
    pub(super) fn file(&self) -> Option<&ConfigFile> {
        self.file.as_ref()
    }

    /// Says which options come from the file; `None` if none does.
    pub(crate) fn note(&self) -> Option<String> {
        let file = self.file.as_ref()?;
        let used = self.uses.iter().filter(|(_, used)| used.unused.is_none());
        let options: Vec<String> = used.map(|(name, _)| format!("`{name}`")).collect();
        (!options.is_empty()).then(|| format!("{} sets {}", file.name, words::list(options, "and")))
    }

    /// The error of the merged arguments, if an option of the file is at fault.
    pub(crate) fn blame(&self, error: &clap::Error) -> Option<ConfigError> {
        let file = self.file.as_ref()?;
        // clap names an option as in its help: `--timeout <TIME>`.
        let is_named = |name: &str| {
            let named = error.context().filter_map(|(_, value)| match value {
                clap::error::ContextValue::String(text) => Some(vec![text.clone()]),
                clap::error::ContextValue::Strings(texts) => Some(texts.clone()),
                _ => None,
            });
            named.flatten().any(|text| {
                let option = text.split([' ', '=']).next().unwrap_or_default();
                option.strip_prefix("--") == Some(name)
            })
        };
        let mut used = self.uses.iter().filter(|(_, used)| used.unused.is_none());
        let (_, used) = used.find(|(name, _)| is_named(name))?;
        let (file, line) = (file.name.clone(), Some(used.line));
        Some(ConfigError { file, line, problem: problem(error) })
    }
}

/// What an error of clap says is wrong, without the usage.
pub(super) fn problem(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let problem = rendered.split("\n\n").next().unwrap_or_default();
    problem.trim().trim_start_matches("error: ").to_owned()
}

/// The names of the selected commands, and the arguments and definition of the innermost.
pub(super) fn innermost<'a>(
    mut matches: &'a ArgMatches,
    mut command: &'a Command,
) -> (Vec<String>, &'a ArgMatches, &'a Command) {
    let mut path = Vec::new();
    while let Some((name, inner)) = matches.subcommand() {
        let Some(subcommand) = command.find_subcommand(name) else { break };
        path.push(name.to_owned());
        (matches, command) = (inner, subcommand);
    }
    (path, matches, command)
}

/// The entry for each option of a command: that of the innermost table which has one.
fn effective<'a>(
    entries: &'a [Entry],
    path: &'a [String],
    command: &'a Command,
) -> impl Iterator<Item = (&'a str, &'a Arg, &'a Entry)> {
    settable(command).filter_map(move |(name, arg)| {
        let entries = entries.iter().filter(|it| it.option == name && path.starts_with(&it.table));
        Some((name, arg, entries.max_by_key(|it| it.table.len())?))
    })
}

/// Whether the command line has an argument.
pub(super) fn is_given(matches: &ArgMatches, arg: &Arg) -> bool {
    let id = arg.get_id();
    matches.ids().any(|known| known == id)
        && matches.value_source(id.as_str()) == Some(ValueSource::CommandLine)
}

fn unused(name: &str, arg: &Arg, command: &Command, matches: &ArgMatches) -> Option<Unused> {
    if is_given(matches, arg) {
        return Some(Unused::Overridden);
    }
    let given = || settable(command).filter(|(_, other)| is_given(matches, other));
    let has_target = settable(command).any(|(name, _)| name == "reference");
    if has_target && TARGET.contains(&name) && given().any(|(name, _)| NAMES_TARGET.contains(&name))
    {
        return Some(Unused::OtherTarget);
    }
    // A conflict is declared by one of the two.
    let excludes = |other: &Arg| {
        let declares = |a: &Arg, b: &Arg| {
            command.get_arg_conflicts_with(a).iter().any(|it| it.get_id() == b.get_id())
        };
        declares(arg, other) || declares(other, arg)
    };
    let (other, _) = given().find(|(_, other)| excludes(other))?;
    Some(Unused::Excludes(other.to_owned()))
}

/// Arguments that are added to those of the command line.
#[derive(Default)]
struct Tokens {
    options: Vec<OsString>,
    /// What follows `--`.
    command: Vec<OsString>,
}

impl Tokens {
    fn add(&mut self, name: &str, arg: &Arg, setting: &Setting) {
        match setting {
            Setting::Flag(false) => {}
            Setting::Flag(true) => self.options.push(format!("--{name}").into()),
            Setting::Values(values) if arg.is_last_set() => {
                self.command.extend(values.iter().map(Into::into));
            }
            Setting::Values(values) => {
                self.options.extend(values.iter().map(|value| format!("--{name}={value}").into()));
            }
        }
    }

    /// The options go before the command under test.
    fn insert_into(self, mut args: Vec<OsString>) -> Vec<OsString> {
        let end = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
        args.splice(end..end, self.options);
        if !self.command.is_empty() {
            args.push("--".into());
            args.extend(self.command);
        }
        args
    }
}
