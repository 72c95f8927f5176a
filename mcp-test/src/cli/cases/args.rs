//! The grammar of `mcp-test cases`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct CasesArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: CasesCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum CasesCommand {
    /// Document a server from its cases, as Markdown and as a page of HTML
    #[command(after_help = DOC)]
    Doc(DocArgs),
    /// Print the JSON Schema of the format, for editors
    Schema,
}

const DOC: &str = "\
The page shows the server as the cases do: what it is, its tools, resources, prompts and whatever else is said, with
examples, and every conversation in full. Comments above a case are its prose. The same cases give the same bytes.
The files are called like the one file of cases, or else like the title.";

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct DocArgs {
    #[command(flatten)]
    pub(in crate::cli) files: Files,
    /// Write files into this directory, which is made if need be; without it, the page goes to stdout
    #[arg(short, long, value_name = "DIR")]
    pub(in crate::cli) output: Option<PathBuf>,
    /// What to write; by default both into a directory, and Markdown to stdout
    #[arg(long, value_name = "FORMAT")]
    pub(in crate::cli) format: Option<DocFormat>,
    /// The title of the page, if not what the server calls itself
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) title: Option<String>,
}

/// A way of writing a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum DocFormat {
    /// GitHub Flavored Markdown
    Markdown,
    /// A page of HTML that needs nothing else
    Html,
}

/// Where the cases stand.
#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct Files {
    /// Files of cases; a pattern such as `contracts/*.yaml`, or a directory, stands for those in it
    #[arg(required = true, value_name = "FILE")]
    pub(in crate::cli) files: Vec<PathBuf>,
}
