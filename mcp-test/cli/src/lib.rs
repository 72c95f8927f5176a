//! The command line: arguments, commands, exit codes.
//!
//! | file | contents |
//! |---|---|
//! | `args` `common_args` `authorization_args` | the arguments of every command |
//! | `patterns` | resolves the names and patterns that select scenarios and cases |
//! | `target` | resolves the arguments to the server under test |
//! | `client` | resolves the arguments to the client under test |
//! | `authorization` | resolves the arguments to the authorization server under test |
//! | `execute` | runs scenarios: plan, reports, exit code |
//! | `explore` | calls the tools of a server |
//! | `cases` | MCP Cases, one file per command |
//! | `manual_request` | sends one request to a server and prints the result |
//! | `record` | records conversations as cases or as a trace |
//! | `validate` | validates messages and conversations in a file |
//! | `documentation` | shell completions and manual pages |
//! | `config` | options in `mcp-test.toml` |
//! | `proof_page` | which faults the checks report |
//! | `list` `explain` `requirements` `reference` | the other commands |
//! | `authorization_server` | the authorization server of `reference` |
//! | `sign_in` | signs in at the authorization server of the server under test |
//! | `token_arg` `value_source` | access tokens and other secrets in options |
//! | `url` | the URL of a target, and the secrets in it |
//! | `signal` | signals that end this process |
//! | `workflow_commands` | keeps the output from being commands to GitHub Actions |
//!
//! The environment is read here. Exit codes: 0 nothing unexpected failed, 1 a verdict against the peer or a stale
//! baseline, 2 wrong usage, 3 the run could not take place; 130, 143 and 129 after SIGINT, SIGTERM and SIGHUP.

mod args;
mod authorization;
mod authorization_args;
mod authorization_server;
mod call_arg;
mod cases;
mod client;
mod common_args;
mod config;
#[cfg(unix)]
mod consenting_browser;
mod documentation;
mod error;
mod execute;
mod explain;
mod explore;
mod fixture_arg;
mod known_arg;
mod list;
mod listen;
mod manual_request;
mod option_value;
mod output;
mod patterns;
mod proof_page;
mod protection;
mod record;
#[cfg(test)]
mod recorded_scenarios;
mod reference;
#[doc(hidden)]
pub mod report;
mod requirements;
mod sign_in;
#[cfg(test)]
mod sign_in_secrets;
mod signal;
mod target;
mod token_arg;
mod url;
mod validate;
mod value_source;
mod workflow_commands;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
#[cfg(target_os = "linux")]
use mcp_test_core::process;
use mcp_test_core::trace::secrets_in_environment;
#[cfg(unix)]
use mcp_test_core::transport::client_stdio;

use self::args::{Args, Command};
use self::error::CliError;
use self::execute::RunCommand;

/// Runs the command line; the first argument is the name of the program.
///
/// All child processes have ended when this returns.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    #[cfg(unix)]
    if let Some(code) = client_stdio::serve_as_relay(&args) {
        return code;
    }
    #[cfg(unix)]
    if let Some(code) = consenting_browser::serve_as_browser(&args) {
        return code;
    }
    #[cfg(target_os = "linux")]
    {
        if let Some(code) = process::serve_as_guardian(&args) {
            return code;
        }
        // A guardian is this program with other arguments, which reach it only if these have come from the system.
        if std::env::args_os().eq(args.iter().cloned()) {
            process::enable_guardians();
        }
    }
    #[cfg(unix)]
    signal::survive_file_size_limit();
    // `parse_from` would exit the process at once.
    // Before they are parsed, since an error has colours, too.
    output::choose_colours(&args);
    let merged = match config::merge(args, Args::command, Path::new(FOLDER)) {
        Ok(merged) => merged,
        Err(error) => return output::failure(&error.into()),
    };
    // The file may choose them, too.
    output::choose_colours(&merged.args);
    merged.note().iter().for_each(|note| output::note(note));
    let args = match Args::try_parse_from(&merged.args) {
        Ok(args) => args,
        Err(error) => {
            return match merged.blame(&error) {
                Some(error) => output::failure(&error.into()),
                None => output::usage(error),
            };
        }
    };
    match dispatch(args) {
        Ok(code) => ExitCode::from(code),
        Err(error) => output::failure(&error),
    }
}

/// The current directory.
const FOLDER: &str = ".";

/// An environment variable; one that is not UTF-8 counts as unset.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The secrets in the environment; what is not UTF-8 is not one.
fn inherited_secrets() -> Vec<String> {
    let variables = std::env::vars_os();
    let texts = variables
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    secrets_in_environment(texts)
}

fn dispatch(args: Args) -> Result<u8, CliError> {
    // The last ones only return a text; the others print while they run, and decide about the exit code.
    let text = match args.command {
        Command::Server(args) => return execute::test_server(RunCommand::Server, args),
        Command::Check(args) => return execute::test_server(RunCommand::Check, args),
        Command::Explore(args) => return explore::run(&args),
        Command::Client(args) => return client::run(args),
        Command::Authorization(args) => return authorization::run(&args),
        Command::Validate(args) => return validate::validate(&args),
        Command::Cases(args) => return cases::dispatch(&args),
        Command::Reference(args) => return reference::run(&args.peer),
        Command::List(args) => list::text(&args)?,
        Command::Explain(args) => explain::text(&args)?,
        Command::Requirements(args) => requirements::text(&args)?,
        Command::Config(shown) => {
            config::text(&args.config, &shown.command, Args::command(), Path::new(FOLDER))?
        }
        Command::Completions(args) => documentation::completions(&args),
        Command::Man(args) => documentation::man(&args)?,
    };
    output::print(&text)?;
    Ok(0)
}

#[cfg(test)]
mod tests;
