//! `mcp-test cases …`: what can be done with files of MCP Cases.
//!
//! | file | what |
//! |---|---|
//! | `args` | the grammar: a variant of [`CasesCommand`] for each command |
//! | `read` | from arguments to cases; what is said of them on the way |
//! | `run` | cases against a server |
//! | `verify_client` | cases against a client |
//! | `doc` | documentation |
//! | `serve` `watch` | cases in place of their server, read again when they change |
//! | `lint` | what is wrong, and what a reviewer would ask about |
//! | `fmt` | the layout |
//! | `record` | from traces to cases |
//! | `schema` | the JSON Schema of the format |
//!
//! A command is a file here, a variant in `args`, and an arm in [`obey`].

pub(super) mod args;
mod doc;
mod fmt;
mod lint;
mod read;
mod record;
mod run;
mod schema;
mod serve;
mod verify_client;
mod watch;

use self::args::{CasesArgs, CasesCommand};
use super::error::CliError;

/// Does what the arguments ask for; gives the exit code.
pub(super) fn obey(args: &CasesArgs) -> Result<u8, CliError> {
    match &args.command {
        CasesCommand::Run(args) => run::run(args),
        CasesCommand::VerifyClient(args) => verify_client::verify(args),
        CasesCommand::Doc(args) => doc::write(args),
        CasesCommand::Serve(args) => serve::serve(args),
        CasesCommand::Lint(args) => lint::conduct(args),
        CasesCommand::Fmt(args) => fmt::conduct(args),
        CasesCommand::Record(args) => record::write(args),
        CasesCommand::Schema => schema::print(),
    }
}
