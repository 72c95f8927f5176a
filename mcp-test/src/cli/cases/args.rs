//! The grammar of `mcp-test cases`.

use clap::{Args as ClapArgs, Subcommand};

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct CasesArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: CasesCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum CasesCommand {
    /// Print the JSON Schema of the format, for editors
    Schema,
}
