//! The grammar of `mcp-test cases`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::super::args::Format;
use super::super::value::{self, Confidential};
use super::run::args::{RUN, RunCasesArgs};
use super::verify_client::args::{VERIFY_CLIENT, VerifyClientArgs};
use crate::spec::Revisions;

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct CasesArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: CasesCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum CasesCommand {
    /// Run cases against a server
    #[command(after_help = RUN)]
    Run(Box<RunCasesArgs>),
    /// Serve cases to a client, which has to say what they demand
    #[command(after_help = VERIFY_CLIENT)]
    VerifyClient(Box<VerifyClientArgs>),
    /// Document a server from its cases, as Markdown and as a page of HTML
    #[command(after_help = DOC)]
    Doc(DocArgs),
    /// Stand in for the server: answer each `in` of a client with its `out`s
    #[command(after_help = SERVE)]
    Serve(ServeCasesArgs),
    /// Tell what is wrong with cases, and what a reviewer would ask about
    #[command(after_help = LINT)]
    Lint(LintArgs),
    /// Lay files of cases out; what they say stays, with its comments and styles
    #[command(after_help = FMT)]
    Fmt(FmtArgs),
    /// Write the cases of traces that were recorded with `--record FILE.jsonl`
    #[command(after_help = RECORD)]
    Record(RecordArgs),
    /// Print the JSON Schema of the format, for editors
    #[command(after_help = SCHEMA)]
    Schema,
}

const DOC: &str = "\
The page shows the server as the cases do: what it is, its tools, resources, prompts and whatever else is said, with
examples, and every conversation in full. Comments above a case are its prose. The same cases give the same bytes.
The files are called like the one file of cases, or else like the title.";

const SERVE: &str = "\
Clients of every revision are served. Standard error tells which case answered; a request that no case has is refused with
an error that names the nearest case and the difference. What no case says but all together show is made up: the
handshake, the capabilities, lists of what is called. Inputs have their values from --input, from MCP_TEST_INPUT_<NAME> in
the environment, or else from what the client says in their places. The files are read again when they change. At the end,
with Ctrl+C or when the client leaves, the cases that were not used are told; the exit code is 0.";

const RECORD: &str = "\
Each conversation becomes a case. Values that differ from run to run become matchers, secrets become inputs, and what no
case can say is left out, which a comment tells. With several traces, what differs between them becomes a matcher, too.
A file that is there already is added to: what stands in it stays.";

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct RecordArgs {
    /// Traces: files that end with .jsonl, as `--record` writes them
    #[arg(required = true, value_name = "TRACE")]
    pub(in crate::cli) traces: Vec<PathBuf>,
    /// Write the cases into this file; without it, they go to stdout
    #[arg(short, long, value_name = "FILE")]
    pub(in crate::cli) output: Option<PathBuf>,
}

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
    /// Give an input its value: NAME=VALUE; `@FILE` as value reads a file, `${VAR}` in it a variable (repeatable)
    #[arg(long = "input", value_name = "NAME=VALUE")]
    pub(in crate::cli) inputs: Vec<Confidential>,
    /// Record what is said: as MCP Cases (FILE.yaml), or as a trace (FILE.jsonl)
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) record: Option<PathBuf>,
}

/// A way of writing a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum DocFormat {
    /// GitHub Flavored Markdown
    Markdown,
    /// A page of HTML that needs nothing else
    Html,
}

const LINT: &str = "\
Errors keep a file from being used, and fail; warnings fail with --strict; notes never do.

Exit codes:
  0  nothing that fails
  1  an error; with --strict a warning, too
  2  there is no such file, or it cannot be read";

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct LintArgs {
    /// Files of cases; a pattern such as `contracts/*.yaml`, or a directory, stands for those in it; `-` reads standard
    /// input
    #[arg(required_unless_present = "list", value_name = "FILE")]
    pub(in crate::cli) files: Vec<PathBuf>,
    /// Let warnings fail; messages that are not JSON-RPC are errors
    #[arg(long)]
    pub(in crate::cli) strict: bool,
    /// Do not tell warnings and notes of this name (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) allow: Vec<String>,
    /// Print for people, or one JSON document
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(in crate::cli) format: Format,
    /// List the names of all errors, warnings and notes, and what they are about
    #[arg(long)]
    pub(in crate::cli) list: bool,
}

const FMT: &str = "\
Exit codes:
  0  everything is laid out
  1  with --check, a file would change; or something is no YAML, and stays as it stands
  2  there is no such file, or it cannot be read
  3  a file cannot be written";

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct FmtArgs {
    /// Files of cases; a pattern such as `contracts/*.yaml`, or a directory, stands for those in it; `-` reads standard
    /// input, and writes to standard output
    #[arg(required = true, value_name = "FILE")]
    pub(in crate::cli) files: Vec<PathBuf>,
    /// Change nothing, show what would change, and fail if anything would
    #[arg(long)]
    pub(in crate::cli) check: bool,
}

const SCHEMA: &str = "\
Editors with yaml-language-server read it where a file of cases has this comment:
  # yaml-language-server: $schema=mcp-cases.schema.json";

/// Where the cases stand.
#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct Files {
    /// Files of cases; a pattern such as `contracts/*.yaml`, or a directory, stands for those in it
    #[arg(required = true, value_name = "FILE")]
    pub(in crate::cli) files: Vec<PathBuf>,
}
