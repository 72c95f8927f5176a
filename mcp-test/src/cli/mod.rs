//! The command line: arguments, assembly, exit codes.
//!
//! | file | what |
//! |---|---|
//! | `args` | the grammar |
//! | `target` | from arguments to what is tested |
//! | `client` | from the arguments of `client` to what is tested |
//! | `conduct` | `server`, `check` and `client`: from a plan to reports and an exit code |
//! | `cases` | MCP Cases: a file for each command |
//! | `record` | what was said in a run, as cases or as a trace |
//! | `validate` | messages and conversations in a file, judged without any peer |
//! | `list` `explain` `requirements` `reference` | the other commands |
//! | `url` | the URL of a target, and what is secret in it |
//! | `signal` | what ends us from outside |
//!
//! This is where the environment is read. Exit codes: 0 nothing unexpected failed, 1 a verdict against the peer or a
//! stale baseline, 2 wrong usage, 3 the run could not take place; 130, 143 and 129 after an interrupt, a request to end, and the end of the
//! terminal.

mod args;
mod cases;
mod client;
mod conduct;
mod error;
mod explain;
mod list;
mod output;
mod record;
mod reference;
mod requirements;
mod signal;
mod target;
mod url;
mod validate;
mod value;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use error::CliError;

/// Does what the arguments ask for; the first one is the name of the program.
///
/// Everything is written to stdout and stderr. What was started has ended when this returns.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args = match Args::try_parse_from(args) {
        Ok(args) => args,
        Err(error) => return output::usage(&error),
    };
    match obey(args) {
        Ok(code) => ExitCode::from(code),
        Err(error) => output::failure(&error),
    }
}

fn obey(args: Args) -> Result<u8, CliError> {
    let text = match args.command {
        Command::Server(args) => return conduct::of_server(conduct::Kind::Server, &args),
        Command::Check(args) => return conduct::of_server(conduct::Kind::Check, &args),
        Command::Client(args) => return client::conduct(args),
        Command::Validate(args) => return validate::conduct(&args),
        Command::Cases(args) => return cases::obey(&args),
        Command::Reference(args) => return reference::be(&args.what),
        Command::List(args) => list::text(&args)?,
        Command::Explain(args) => explain::text(&args.id)?,
        Command::Requirements(args) => requirements::text(&args)?,
    };
    output::print(&text)?;
    Ok(0)
}

#[cfg(test)]
mod tests;
