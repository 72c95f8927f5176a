//! The grammar of `mcp-test cases`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::super::value;
use crate::spec::Revisions;

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
    /// Stand in for the server: answer each `in` of a client with its `out`s
    #[command(after_help = SERVE)]
    Serve(ServeCasesArgs),
    /// Print the JSON Schema of the format, for editors
    Schema,
}

const DOC: &str = "\
The page shows the server as the cases do: what it is, its tools, resources, prompts and whatever else is said, with
examples, and every conversation in full. Comments above a case are its prose. The same cases give the same bytes.
The files are called like the one file of cases, or else like the title.";

const SERVE: &str = "\
Clients of every revision are served. Standard error tells which case answered; a request that no case has is refused with
an error that names the nearest case and the difference. What no case says but all together show is made up: the
handshake, the capabilities, lists of what is called. The files are read again when they change. At the end, with Ctrl+C
or when the client leaves, the cases that were not used are told; the exit code is 0.";

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

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct ServeCasesArgs {
    #[command(flatten)]
    pub(in crate::cli) files: Files,
    /// Serve Streamable HTTP at this address, and beside it at `/sse` the HTTP+SSE of 2024-11-05; a bare port means this
    /// machine only, port 0 any free one
    #[arg(long, value_name = "ADDRESS", value_parser = value::address)]
    pub(in crate::cli) listen: Option<SocketAddr>,
    /// Serve the program that started this one, over stdin and stdout; the default
    #[arg(long, conflicts_with = "listen")]
    pub(in crate::cli) stdio: bool,
    /// Speak this revision, range (`2025-06-18..`) or `draft` only (repeatable)
    #[arg(long = "spec-version", value_name = "REVISION", value_parser = value::revisions)]
    pub(in crate::cli) revisions: Vec<Revisions>,
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
