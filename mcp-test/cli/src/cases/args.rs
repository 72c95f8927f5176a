//! The grammar of `mcp-test cases`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use mcp_test_core::process::Command;
use mcp_test_core::spec::Revisions;
use mcp_test_core::transport::TransportKind;

use crate::common_args::{CommonRunOptions, Format, ListenArgs, ScheduleOptions, TargetArgs};
use crate::option_value::{self as value, SecretArg};

#[derive(Debug, ClapArgs)]
pub(crate) struct CasesArgs {
    #[command(subcommand)]
    pub(crate) command: CasesCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CasesCommand {
    /// Run cases against a server
    #[command(after_help = RUN)]
    Run(Box<RunCasesArgs>),
    /// Serve cases to a client, and check that it sends the messages that they expect
    #[command(after_help = VERIFY_CLIENT)]
    VerifyClient(Box<VerifyClientArgs>),
    /// Document a server from its cases, as Markdown and HTML
    #[command(after_help = DOC)]
    Doc(DocArgs),
    /// Mock the server: answer each `in` of a client with its `out`s
    #[command(after_help = SERVE)]
    Serve(ServeCasesArgs),
    /// Report errors in cases, and likely mistakes
    #[command(after_help = LINT)]
    Lint(LintArgs),
    /// Format files of cases; comments and YAML styles are kept
    #[command(after_help = FMT)]
    Fmt(FmtArgs),
    /// Convert traces that were recorded with `--record FILE.jsonl` to cases
    #[command(after_help = RECORD)]
    Record(RecordArgs),
    /// Print the JSON Schema of the format, for editors
    #[command(after_help = SCHEMA)]
    Schema,
}

const RUN: &str = "\
The target is one of
  --url URL              a running server
  -- COMMAND…            a program that speaks MCP over stdin and stdout
  --url URL -- COMMAND…  a program that is started, listens at the URL, and is stopped afterwards
  --reference            the built-in reference server

A case is run at the newest handshake revision that the server speaks and the case allows, or else at the newest such
revision without a handshake; --spec-version selects others. A `_timeout` in a case takes precedence over --timeout.";

const VERIFY_CLIENT: &str = "\
Each file is served separately, and the client is started once for it. The command is run by a shell, with the URL of the
server as last argument and these environment variables:
  MCP_CONFORMANCE_SCENARIO          the name of the file, without its extension
  MCP_CONFORMANCE_PROTOCOL_VERSION  the revision to speak
Without --command the server waits for a manually started client, until Ctrl+C.

A case passes when the client has sent each `in` of it, in order, but over HTTP those with no `out` between them in any
order; the order of the cases does not matter. Cases that --case, --tag and --skip-tag exclude are served, but not
expected. A file is served at the newest handshake revision that its cases allow, or else at the newest such revision
without a handshake; --spec-version selects others.";

const DOC: &str = "\
The page describes the server as its cases show it: its identity, tools, resources, prompts and everything else, with
examples, and every conversation in full, grouped by the first tag of its cases. Comments above a case become its
description. The same cases result in the same bytes. The files are named after the only file of cases, or else after the
title.";

const SERVE: &str = "\
Clients of every revision are served. A handshake negotiates a revision that a case negotiates or, if no case has a
handshake, the one that the client proposes; --spec-version selects others. Standard error shows which case answered;
a request that matches no case is refused with an error that names the nearest case and the difference. What is not in
a case is inferred from all of them: the handshake, the capabilities, lists of what is called. The values of inputs
come from --input, from the environment variables MCP_TEST_INPUT_<NAME>, or else from the messages of the client. The
files are read again when they change. At the end, with Ctrl+C or when the client disconnects, the unused cases are
listed; the exit code is 0.";

const RECORD: &str = "\
Each conversation becomes a case. Values that differ from run to run become matchers, secrets become inputs, and what a case
cannot express is left out, with a comment. With several traces, what differs between them becomes a matcher, too.
An existing file is extended; its content is kept.";

/// The files of cases.
#[derive(Debug, ClapArgs)]
pub(crate) struct Files {
    /// Files of cases; a pattern such as `contracts/*.yaml`, or a directory, selects those in it
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// The values of inputs.
#[derive(Debug, ClapArgs)]
pub(crate) struct InputArgs {
    /// Set an input: NAME=VALUE; `@FILE` reads the value from a file, `${VAR}` inserts an environment variable (repeatable)
    #[arg(long = "input", value_name = "NAME=VALUE")]
    pub(crate) inputs: Vec<SecretArg>,
}

/// The files of cases and a selection from them.
#[derive(Debug, ClapArgs)]
pub(crate) struct CaseArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    /// Test only this case, or those that match a pattern such as `search::*` (repeatable)
    #[arg(long = "case", value_name = "ID")]
    pub(crate) cases: Vec<String>,
    /// Test only cases with this tag (repeatable)
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Exclude cases with this tag (repeatable)
    #[arg(long = "skip-tag", value_name = "TAG")]
    pub(crate) skip_tags: Vec<String>,
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunCasesArgs {
    #[command(flatten)]
    pub(crate) selection: CaseArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Run the commands of `_before` and `_after`; otherwise a run with such cases lists the commands and stops
    #[arg(long)]
    pub(crate) allow_commands: bool,
    /// Set up the states of `_given` with this command, called with `setup` or `teardown`, the state, and its parameters as
    /// JSON on stdin
    #[arg(long, value_name = "COMMAND")]
    pub(crate) given_command: Option<Command>,
    /// Tolerate nothing that is not in the cases: no other notifications, no members that a revision adds, no warnings
    #[arg(long)]
    pub(crate) strict: bool,
    /// Use this transport only, if the target has several: duplex, stdio, http, router, sse (repeatable)
    #[arg(long = "transport", value_name = "NAME")]
    pub(crate) transports: Vec<TransportKind>,
    #[command(flatten)]
    pub(crate) schedule: ScheduleOptions,
    #[command(flatten)]
    pub(crate) common: CommonRunOptions,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct VerifyClientArgs {
    #[command(flatten)]
    pub(crate) selection: CaseArgs,
    /// The command that starts the client
    #[arg(long, value_name = "COMMAND")]
    pub(crate) command: Option<String>,
    /// Serve only this file, by its name without the extension, or those that match a pattern (repeatable)
    #[arg(long = "scenario", value_name = "NAME")]
    pub(crate) scenarios: Vec<String>,
    /// Fail on warnings and on cases that cannot be tested
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) schedule: ScheduleOptions,
    #[command(flatten)]
    pub(crate) common: CommonRunOptions,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RecordArgs {
    /// Traces: files that end in .jsonl, as `--record` writes them
    #[arg(required = true, value_name = "TRACE")]
    pub(crate) traces: Vec<PathBuf>,
    /// Write the cases to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    /// Document only cases with this tag, and those that they continue (repeatable)
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Write files to this directory, which is created if necessary, instead of stdout
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// The format to write [default: both to a directory, and markdown to stdout]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<DocFormat>,
    /// The title of the page [default: the name of the server]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ServeCasesArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    #[command(flatten)]
    pub(crate) listen: ListenArgs,
    /// Serve the parent process over stdin and stdout [default: if there is no --listen]
    #[arg(long, conflicts_with = "address")]
    pub(crate) stdio: bool,
    /// Speak only this revision, range (`2025-06-18..`) or `draft` (repeatable)
    #[arg(long = "spec-version", value_name = "REVISION", value_parser = value::revisions)]
    pub(crate) revisions: Vec<Revisions>,
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Record the conversation: as MCP Cases (FILE.yaml), or as a trace (FILE.jsonl)
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
}

/// A file format of documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DocFormat {
    /// GitHub Flavored Markdown
    Markdown,
    /// A self-contained HTML page
    Html,
}

const LINT: &str = "\
A file with an error cannot be used, and fails; warnings fail with --strict; notes never do.

Exit codes:
  0  nothing that fails
  1  an error, or with --strict a warning
  2  a file does not exist or cannot be read";

#[derive(Debug, ClapArgs)]
pub(crate) struct LintArgs {
    /// Files of cases; a pattern such as `contracts/*.yaml`, or a directory, selects those in it; `-` reads standard input
    #[arg(required_unless_present = "list", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Fail on warnings, and on messages that are not JSON-RPC
    #[arg(long)]
    pub(crate) strict: bool,
    /// Do not report warnings and notes with this name (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) allow: Vec<String>,
    /// Print text, or one JSON document
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,
    /// List the names and meanings of all errors, warnings and notes
    #[arg(long)]
    pub(crate) list: bool,
}

const FMT: &str = "\
Exit codes:
  0  everything is formatted
  1  with --check, a file would change; or a document is not valid YAML, and is kept as it is
  2  a file does not exist or cannot be read
  3  a file cannot be written";

#[derive(Debug, ClapArgs)]
pub(crate) struct FmtArgs {
    /// Files of cases; a pattern such as `contracts/*.yaml`, or a directory, selects those in it; `-` reads standard input,
    /// and writes to standard output
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Change nothing, show what would change, and fail if anything would
    #[arg(long)]
    pub(crate) check: bool,
}

const SCHEMA: &str = "\
Editors with yaml-language-server use the schema in files of cases with this comment:
  # yaml-language-server: $schema=mcp-cases.schema.json";
