//! `mcp-test cases …`: the commands for files of MCP Cases.
//!
//! | file | contents |
//! |---|---|
//! | `args` | the arguments: a variant of [`CasesCommand`] for each command |
//! | `read` | reads cases and prints their diagnostics |
//! | `selection` | selected cases and their inputs |
//! | `run` | tests a server |
//! | `verify_client` | tests a client |
//! | `doc` | documents a server |
//! | `serve` `watch` | mocks a server, and reads the cases again when they change |
//! | `lint` | reports errors and likely mistakes |
//! | `fmt` | formats files |
//! | `record` | converts traces to cases |
//! | `schema` | prints the JSON Schema of the format |
//!
//! A command is a file here, a variant in `args`, and an arm in [`dispatch`].

pub(super) mod args;
mod doc;
mod fmt;
mod lint;
mod read;
mod record;
mod run;
mod schema;
mod selection;
mod serve;
mod verify_client;
mod watch;

use self::args::{CasesArgs, CasesCommand};
use super::error::CliError;

/// Executes the command and returns the exit code.
pub(super) fn dispatch(args: &CasesArgs) -> Result<u8, CliError> {
    match &args.command {
        CasesCommand::Run(args) => run::run(args),
        CasesCommand::VerifyClient(args) => verify_client::verify(args),
        CasesCommand::Doc(args) => doc::write(args),
        CasesCommand::Serve(args) => serve::serve(args),
        CasesCommand::Lint(args) => lint::lint(args),
        CasesCommand::Fmt(args) => fmt::format(args),
        CasesCommand::Record(args) => record::convert(args),
        CasesCommand::Schema => schema::print(),
    }
}
