//! `mcp-test.toml`: options in a file, used as if they were on the command line.
//!
//! | file | contents |
//! |---|---|
//! | `file` | reads the file: which options it sets for which commands, and on which lines |
//! | `fixtures` | the table `[fixtures]`, which stands for `--fixture` |
//! | `limits` | what a file may set that was found, not named |
//! | `merge` | adds the options of the file to those of the command line |
//! | `show` | `mcp-test config` |
//! | `toml_value` | values of TOML as they are written on the command line |
//!
//! What an option means is not known here: clap reads the merged arguments as it reads those of a command line.

mod file;
mod fixtures;
mod limits;
mod merge;
mod show;
mod toml_value;

use std::ffi::OsString;
use std::path::Path;

use clap::Command;

use self::file::ConfigFile;
pub(super) use self::merge::Merged;
pub(super) use self::show::text;
use super::error::CliError;

/// The name of the file that is used without being named.
const FILE_NAME: &str = "mcp-test.toml";

/// Why a file with options cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {problem}", .line.map(|line| format!(":{line}")).unwrap_or_default())]
pub(super) struct ConfigError {
    file: String,
    /// Counted from 1; `None` for the file as a whole.
    line: Option<usize>,
    problem: String,
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error.to_string())
    }
}

/// Adds the options of the file to the arguments, the first of which is the name of the program.
///
/// `command` describes all commands, and `folder` is the current directory.
pub(super) fn merge(
    args: Vec<OsString>,
    command: impl FnOnce() -> Command,
    folder: &Path,
) -> Result<Merged, ConfigError> {
    let found = folder.join(FILE_NAME);
    let options = args.iter().take_while(|arg| *arg != "--");
    let may_name_a_file =
        options.map(|arg| arg.to_string_lossy()).any(|arg| arg.starts_with("--config"));
    if !may_name_a_file && !found.is_file() {
        return Ok(Merged::unchanged(args));
    }
    let mut command = command();
    command.build();
    // What is wrong with the arguments is reported when they are parsed again, with those of the file.
    let Ok(matches) = command.clone().ignore_errors(true).try_get_matches_from(&args) else {
        return Ok(Merged::unchanged(args));
    };
    let Some(file) = ConfigFile::of(&matches, folder, &command)? else {
        return Ok(Merged::unchanged(args));
    };
    Merged::new(args, &matches, &command, file, folder)
}

#[cfg(test)]
mod tests;
