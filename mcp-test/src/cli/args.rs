//! The grammar of the command line.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args as ClapArgs, Parser, Subcommand, ValueEnum};

use super::cases::args::CasesArgs;
use super::value::{self, Confidential};
use crate::run::SchemaSource;
use crate::scenario::{Profile, Suite};
use crate::spec::{Revision, Revisions};
use crate::transport::{CarrierKind, Fault};

const EXIT_CODES: &str = "\
Exit codes:
  0  nothing unexpected failed
  1  a verdict against the peer, or a stale baseline
  2  wrong usage
  3  the run could not take place: nothing to test, or mcp-test is at fault";

/// Tests implementations of the Model Context Protocol.
#[derive(Debug, Parser)]
#[command(
    name = "mcp-test",
    bin_name = "mcp-test",
    version,
    after_help = EXIT_CODES,
    disable_help_subcommand = false,
    arg_required_else_help = true
)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Test a server by the rules of the official conformance suite
    #[command(after_help = TARGETS)]
    Server(RunArgs),
    /// Test any server by the specification; what it does not offer is skipped
    #[command(after_help = TARGETS)]
    Check(RunArgs),
    /// Test a client by the rules of the official conformance suite, on servers that it is sent to
    #[command(after_help = CLIENTS)]
    Client(ClientArgs),
    /// Judge a message, another value, or a recorded conversation by the message shapes of a revision
    #[command(after_help = VALIDATE)]
    Validate(ValidateArgs),
    /// MCP Cases: contracts in YAML that test servers, stand in for them, and document them
    Cases(CasesArgs),
    /// List the scenarios
    List(ListArgs),
    /// Explain a scenario, a check or a requirement
    Explain(ExplainArgs),
    /// Search what the specification demands
    Requirements(RequirementsArgs),
    /// Be a peer that does everything right, or wrong in a chosen way
    Reference(ReferenceArgs),
}

const TARGETS: &str = "\
The target is one of
  --url URL              a server that is running
  -- COMMAND…            a program that speaks over its stdin and stdout
  --url URL -- COMMAND…  a program that is started, listens at the URL, and is ended afterwards
  --reference            the server that is built in";

const CLIENTS: &str = "\
The command goes to a shell, with the URL of the server as last word. In its environment are
  MCP_CONFORMANCE_SCENARIO          the id of the scenario, by which the client knows what it is to do
  MCP_CONFORMANCE_PROTOCOL_VERSION  the revision to speak
  MCP_CONFORMANCE_CONTEXT           what else it has to know, as JSON, in a few scenarios
Without --command the server waits for a client that is started by hand, until Ctrl+C.";

const VALIDATE: &str = "\
The file holds one JSON value, on one line or on several; or a recorded conversation, a message on each line, in which
every result is held against the request with its id; or a trace of mcp-test. Who said what need not be known.

Exit codes:
  0  everything in it is valid
  1  something is not, a line that is not JSON among it
  2  it cannot be judged: no such file, nothing that is JSON, an unknown revision or definition
  3  the URL of --schema cannot be fetched";

#[derive(Debug, ClapArgs)]
pub(super) struct RunArgs {
    #[command(flatten)]
    pub(super) target: TargetArgs,
    /// Use this transport only, if the target has several: duplex, stdio, http, router, sse (repeatable)
    #[arg(long = "transport", value_name = "NAME")]
    pub(super) carriers: Vec<CarrierKind>,
    #[command(flatten)]
    pub(super) run: RunOptions,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ClientArgs {
    /// The command that starts the client
    #[arg(long, value_name = "COMMAND")]
    pub(super) command: Option<String>,
    #[command(flatten)]
    pub(super) run: RunOptions,
}

/// What runs against servers and against clients have in common.
#[derive(Debug, ClapArgs)]
pub(super) struct RunOptions {
    /// Run only this scenario (repeatable)
    #[arg(long = "scenario", value_name = "ID")]
    pub(super) scenarios: Vec<String>,
    /// Run a suite: all, active, draft, pending of servers; all, core, extensions, backcompat, auth, metadata, draft,
    /// sep-835 of clients
    #[arg(long, value_name = "NAME")]
    pub(super) suite: Option<Suite>,
    /// Speak this revision, range (`2025-06-18..`) or `draft` (repeatable)
    #[arg(long = "spec-version", value_name = "REVISION", value_parser = value::revisions)]
    pub(super) revisions: Vec<Revisions>,
    #[command(flatten)]
    pub(super) schemas: SchemaArgs,
    /// Run a named scenario although it does not exist at the revision
    #[arg(long, requires = "scenarios")]
    pub(super) force: bool,
    /// Judge by these rules: official, adaptive, strict
    #[arg(long, value_name = "NAME")]
    pub(super) profile: Option<Profile>,
    /// Read the failures that are expected from a YAML file
    #[arg(long, value_name = "FILE")]
    pub(super) expected_failures: Option<PathBuf>,
    /// Write the failures of this run to a file for --expected-failures
    #[arg(long, value_name = "FILE")]
    pub(super) write_baseline: Option<PathBuf>,
    /// End a scenario after this time: milliseconds, or with a unit (`5s`)
    #[arg(long, value_name = "TIME", default_value = "30000", value_parser = value::duration)]
    pub(super) timeout: Duration,
    /// Run up to this many scenarios at the same time [default: one per processor]
    #[arg(long, value_name = "N", value_parser = value::jobs)]
    pub(super) jobs: Option<NonZeroUsize>,
    /// Write checks.json of each scenario and summary.json below this directory
    #[arg(short, long, value_name = "DIR")]
    pub(super) output_dir: Option<PathBuf>,
    /// Record what is said: as MCP Cases (FILE.yaml), which run against the same server, or as a trace (FILE.jsonl)
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
    /// Print for people, or one JSON document
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(super) format: Format,
    /// Show every check; of a single scenario, as JSON
    #[arg(long)]
    pub(super) verbose: bool,
}

/// What messages are judged by instead of the shapes that are built in.
#[derive(Debug, ClapArgs)]
pub(super) struct SchemaArgs {
    /// Judge the messages of a revision by an official schema.json instead of the shapes that are built in (repeatable);
    /// one that cannot be used ends with 2, a URL that cannot be fetched with 3
    #[arg(long = "schema", value_name = "REVISION=PATH|URL")]
    pub(super) schemas: Vec<SchemaSource>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ValidateArgs {
    /// Judge by this revision, or `draft`; only a conversation that names its own, in `initialize` or in `_meta`, can do
    /// without
    #[arg(long = "spec-version", value_name = "REVISION", value_parser = value::revision)]
    pub(super) revision: Option<Revision>,
    /// Judge each value as this definition, such as `Tool`, and not as a message
    #[arg(long = "as", value_name = "DEFINITION", requires = "revision")]
    pub(super) definition: Option<String>,
    #[command(flatten)]
    pub(super) schemas: SchemaArgs,
    /// Print for people, or one JSON document
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(super) format: Format,
    /// What is judged; `-` reads standard input
    pub(super) file: PathBuf,
}

#[derive(Debug, Clone, Default, ClapArgs)]
pub(super) struct TargetArgs {
    /// Test the server at this URL
    #[arg(long, value_name = "URL")]
    pub(super) url: Option<String>,
    /// Test the server that is built in
    #[arg(long, conflicts_with_all = ["url", "command", "headers", "env", "cwd"])]
    pub(super) reference: bool,
    /// Send a header with every request: NAME=VALUE; `@FILE` as value reads a file, `${VAR}` in it a variable (repeatable)
    #[arg(long = "header", value_name = "NAME=VALUE")]
    pub(super) headers: Vec<Confidential>,
    /// Set a variable for the command (repeatable)
    #[arg(long, value_name = "NAME=VALUE", requires = "command")]
    pub(super) env: Vec<Confidential>,
    /// Start the command in this directory
    #[arg(long, value_name = "DIR", requires = "command")]
    pub(super) cwd: Option<PathBuf>,
    /// The command that is, or starts, the server
    #[arg(last = true, value_name = "COMMAND")]
    pub(super) command: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Human,
    Json,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ListArgs {
    /// List the scenarios that test a server
    #[arg(long)]
    pub(super) server: bool,
    /// List the scenarios that test a client
    #[arg(long)]
    pub(super) client: bool,
    /// List the scenarios that test an authorization server
    #[arg(long)]
    pub(super) authorization: bool,
    /// List only what exists at this revision
    #[arg(long = "spec-version", value_name = "REVISION", value_parser = value::revisions)]
    pub(super) revisions: Vec<Revisions>,
    /// List the faults that the reference server can be given
    #[arg(long, conflicts_with_all = ["server", "client", "authorization", "revisions"])]
    pub(super) faults: bool,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ExplainArgs {
    /// The id of a scenario, a check or a requirement
    pub(super) id: String,
}

#[derive(Debug, ClapArgs)]
pub(super) struct RequirementsArgs {
    /// Words that must occur in id, page, text, level, who or revision
    pub(super) filter: Vec<String>,
    /// Print for people, or a JSON array
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(super) format: Format,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ReferenceArgs {
    #[command(subcommand)]
    pub(super) what: Reference,
}

#[derive(Debug, Subcommand)]
pub(super) enum Reference {
    /// Be a server with everything, at every revision
    Server(ReferenceServerArgs),
    /// Be a client that does what the scenario in its environment asks for
    Client(ReferenceClientArgs),
}

#[derive(Debug, ClapArgs)]
#[command(group(ArgGroup::new("way").required(true).args(["listen", "stdio"])))]
pub(super) struct ReferenceServerArgs {
    /// Serve Streamable HTTP at this address, and beside it at `/sse` the HTTP+SSE of 2024-11-05; a bare port means this
    /// machine only, port 0 any free one
    #[arg(long, value_name = "ADDRESS", value_parser = value::address)]
    pub(super) listen: Option<SocketAddr>,
    /// Serve the program that started this one, over stdin and stdout
    #[arg(long)]
    pub(super) stdio: bool,
    /// Do something wrong (repeatable); `mcp-test list --faults` tells what
    #[arg(long = "fault", value_name = "FAULT")]
    pub(super) faults: Vec<Fault>,
    /// Record what is said: as MCP Cases (FILE.yaml), or as a trace (FILE.jsonl)
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ReferenceClientArgs {
    /// The URL of the server
    pub(super) url: String,
    /// Do something wrong (repeatable); `mcp-test list --faults` tells what
    #[arg(long = "fault", value_name = "FAULT")]
    pub(super) faults: Vec<Fault>,
    /// Record what is said: as MCP Cases (FILE.yaml), or as a trace (FILE.jsonl)
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
}
