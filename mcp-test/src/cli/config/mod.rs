//! `mcp-test.toml`: options in a file, used as if they were on the command line.
//!
//! | file | contents |
//! |---|---|
//! | `file` | reads the file: which options it sets for which commands, and on which lines |
//! | `fixtures` | the table `[fixtures]`, which stands for `--fixture` |
//! | `limits` | what a file may set that was found, not named |
//! | `merge` | adds the options of the file to those of the command line |
//! | `show` | `mcp-test config` |
//!
//! What an option means is not known here: clap reads the merged arguments as it reads those of a command line.

mod file;
mod fixtures;
mod limits;
mod merge;
mod show;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, CommandFactory};

use self::file::ConfigFile;
pub(super) use self::merge::Merged;
pub(super) use self::show::{ShowConfigArgs, text};
use super::args::Args;
use super::error::CliError;

/// The name of the file that is used without being named.
const FILE_NAME: &str = "mcp-test.toml";

/// Which file sets options.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(super) struct ConfigArgs {
    /// Read options from this TOML file [default: mcp-test.toml in the current directory, if it exists]
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// Do not read mcp-test.toml
    #[arg(long, global = true, conflicts_with = "config")]
    no_config: bool,
}

impl ConfigArgs {
    /// The same options as arguments.
    fn args(&self) -> Vec<OsString> {
        match &self.config {
            Some(file) => vec!["--config".into(), file.into()],
            None if self.no_config => vec!["--no-config".into()],
            None => Vec::new(),
        }
    }
}

/// Why a file with options cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {problem}", .line.map(|line| format!(":{line}")).unwrap_or_default())]
pub(super) struct ConfigError {
    file: String,
    /// Counted from 1; `None` for the file as a whole.
    line: Option<usize>,
    problem: String,
}

/// Adds the options of the file to the arguments, the first of which is the name of the program.
///
/// `folder` is the current directory.
pub(super) fn merge(args: Vec<OsString>, folder: &Path) -> Result<Merged, CliError> {
    let found = folder.join(FILE_NAME);
    let options = args.iter().take_while(|arg| *arg != "--");
    let may_name_a_file =
        options.map(|arg| arg.to_string_lossy()).any(|arg| arg.starts_with("--config"));
    if !may_name_a_file && !found.is_file() {
        return Ok(Merged::unchanged(args));
    }
    let mut command = Args::command();
    command.build();
    // What is wrong with the arguments is reported when they are parsed again, with those of the file.
    let Ok(matches) = command.clone().ignore_errors(true).try_get_matches_from(&args) else {
        return Ok(Merged::unchanged(args));
    };
    let Some(file) = ConfigFile::of(&matches, folder, &command)? else {
        return Ok(Merged::unchanged(args));
    };
    Ok(Merged::new(args, &matches, &command, file, folder)?)
}

#[cfg(test)]
mod tests;
