//! The grammar of the command line.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args as ClapArgs, Parser, Subcommand};
use mcp_test_core::scenario::{Profile, RequirementSet, Suite, TestedSide};
use mcp_test_core::spec::{Revision, Revisions};
use mcp_test_core::transport::{Fault, TransportKind};
use mcp_test_suite::scenarios;

use super::authorization_args::AuthorizationArgs;
use super::call_arg::CallArgs;
use super::cases::args::CasesArgs;
use super::common_args::{
    Colours, CommonRunOptions, ConfigArgs, Format, ListenArgs, RunOptions, SchemaArgs, TargetArgs,
};
use super::fixture_arg::FixtureArgs;
use super::manual_request::RequestArgs;
use super::option_value::{self as value, SecretArg};
use super::protection::ProtectionArgs;

const EXIT_CODES: &str = "\
Exit codes:
  0  nothing unexpected failed
  1  a verdict against the peer, or a stale baseline
  2  wrong usage
  3  the run could not take place: nothing to test, or an error in mcp-test";

/// The help for `--suite`, with the suites of a side that have scenarios.
fn suites(tested_side: TestedSide) -> String {
    let has_scenarios = |suite: &&Suite| {
        scenarios::all()
            .any(|scenario| scenario.tested_side == tested_side && suite.selects(scenario))
    };
    let names: Vec<&str> = Suite::of(tested_side)
        .iter()
        .filter(has_scenarios)
        .map(|suite| suite.name(tested_side))
        .collect();
    let default = match tested_side {
        TestedSide::Server => "[default: active in profile official, otherwise all]",
        TestedSide::Client => {
            "[default: none in profile official, which requires it or --scenario; otherwise all]"
        }
        TestedSide::Authorization => "[default: all]",
    };
    format!("Run a suite: {} {default}", names.join(", "))
}

/// The help for `--profile`, with the default of a command.
fn profiles(default: Profile) -> String {
    let names = Profile::ALL.map(Profile::as_str).join(", ");
    format!("Use these rules for verdicts: {names} [default: {default}]")
}

/// Tests implementations of the Model Context Protocol.
#[derive(Debug, Parser)]
#[command(
    name = "mcp-test",
    bin_name = "mcp-test",
    version,
    after_help = EXIT_CODES,
    arg_required_else_help = true
)]
pub(super) struct Args {
    /// Use colours; `auto` does at a terminal unless NO_COLOR is set, and wherever CLICOLOR_FORCE is
    #[arg(long = "color", value_name = "WHEN", default_value = "auto", global = true)]
    pub(super) colours: Colours,
    #[command(flatten)]
    pub(super) config: ConfigArgs,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Test a server by the rules of the official conformance suite
    #[command(after_help = TARGETS, mut_arg("profile", |arg| arg.help(profiles(Profile::Official))))]
    Server(RunArgs),
    /// Test any server by the specification, skipping what it does not support
    #[command(after_help = TARGETS, mut_arg("profile", |arg| arg.help(profiles(Profile::Adaptive))))]
    Check(RunArgs),
    /// Call the tools of a server with arguments that are generated from their schemas, and reduce what fails
    #[command(after_help = TARGETS)]
    Explore(ExploreArgs),
    /// Test a client by the rules of the official conformance suite, against scripted servers
    #[command(after_help = CLIENTS, mut_arg("profile", |arg| arg.help(profiles(Profile::Official))))]
    Client(ClientArgs),
    /// Test an authorization server by the rules of the official conformance suite
    #[command(after_help = AUTHORIZATION, mut_arg("profile", |arg| arg.help(profiles(Profile::Official))))]
    Authorization(AuthorizationArgs),
    /// Validate a message, another value, or a recorded conversation against the shapes of a revision
    #[command(after_help = VALIDATE)]
    Validate(ValidateArgs),
    /// MCP Cases: contracts in YAML that test, mock and document servers
    Cases(CasesArgs),
    /// List the scenarios
    List(ListArgs),
    /// Explain a scenario, a check or a requirement
    Explain(ExplainArgs),
    /// Search the requirements of the specification
    Requirements(RequirementsArgs),
    /// Run a conforming reference peer, optionally with faults
    Reference(ReferenceArgs),
    /// Show the options of a command, and where each value comes from
    #[command(after_help = CONFIG)]
    Config(ShowConfigArgs),
    /// Print a script that completes commands and options in a shell
    #[command(after_help = COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Print the manual page, in the format of `man`
    #[command(after_help = MAN)]
    Man(ManArgs),
}

const TARGETS: &str = "\
The target is one of
  --url URL              a running server
  -- COMMAND…            a program that speaks MCP over stdin and stdout
  --url URL -- COMMAND…  a program that is started, listens at the URL, and is stopped afterwards
  --reference            the built-in reference server";

const CLIENTS: &str = "\
The command is run by a shell, with the URL of the server in the place of {url}, or else as the last argument, and these
environment variables:
  MCP_CONFORMANCE_SCENARIO          the id of the scenario, which determines what the client should do
  MCP_CONFORMANCE_PROTOCOL_VERSION  the revision to speak
  MCP_CONFORMANCE_CONTEXT           further data as JSON, in a few scenarios

Over stdio it gets a command that starts the server, at its end or in the place of
  {server}          all of it                        also in MCP_TEST_SERVER
  {server.command}  its program                      also in MCP_TEST_SERVER_COMMAND
  {server.args}     its arguments                    also in MCP_TEST_SERVER_ARGS
  {config}          a JSON file with `mcpServers`    also in MCP_TEST_SERVER_CONFIG

Without --command the server waits for a manually started client, until Ctrl+C.";

const AUTHORIZATION: &str = "\
For the authorization code grant, register the redirect URI http://127.0.0.1:PORT/callback for the client of --client-id.
The URL to open in a browser is printed; a script may open it, too, if it follows redirects.

The file of --file is a JSON object with the members url, scenario, clientId, clientSecret, resource and port; options
override it.";

const CONFIG: &str = "\
mcp-test.toml contains options by their long names, for every command or in the table of one:
  timeout = \"5s\"
  [check]
  spec-version = [\"2025-11-25\", \"2026-07-28\"]
  [fixtures]
  test_simple_text = \"my_tool\"
The command line overrides the file. The file in the current directory is used without being named;
only one that --config names may start a command, contact a host, or let further tools be called.

For example:
  mcp-test config
  mcp-test config check --timeout 5s";

const COMPLETIONS: &str = "\
For example, in ~/.bashrc:
  source <(mcp-test completions bash)";

const MAN: &str = "\
For example:
  mcp-test man check | man -l -";

const VALIDATE: &str = "\
The file contains one JSON value, on one or several lines; or a recorded conversation, one message per line, in which
each result is validated against the request with its id; or a trace of mcp-test. The senders need not be named.

Exit codes:
  0  everything is valid
  1  something is invalid, including lines that are not JSON
  2  it cannot be validated: no such file, no JSON at all, an unknown revision or definition
  3  the URL of --schema cannot be fetched";

#[derive(Debug, ClapArgs)]
#[command(mut_arg("suite", |suite| suite.help(suites(TestedSide::Server))))]
pub(super) struct RunArgs {
    #[command(flatten)]
    pub(super) target: TargetArgs,
    #[command(flatten)]
    pub(super) protection: ProtectionArgs,
    /// Use this transport only, if the target has several: duplex, stdio, http, router, sse (repeatable)
    #[arg(long = "transport", value_name = "NAME")]
    pub(super) transports: Vec<TransportKind>,
    #[command(flatten)]
    pub(super) calls: CallArgs,
    #[command(flatten)]
    pub(super) fixtures: FixtureArgs,
    #[command(flatten)]
    pub(super) run: RunOptions,
}

#[derive(Debug, ClapArgs)]
#[command(
    mut_arg("timeout", |arg| {
        arg.default_value("10s").help("Wait this long for each reply: milliseconds, or with a unit (`5s`)")
    }),
    mut_arg("revisions", |arg| {
        arg.help("Speak this revision, range (`2025-06-18..`) or `draft` (repeatable) [default: one that the server speaks]")
    })
)]
pub(super) struct ExploreArgs {
    #[command(flatten)]
    pub(super) target: TargetArgs,
    /// Use this transport only, if the target has several: duplex, stdio, http, router, sse (repeatable)
    #[arg(long = "transport", value_name = "NAME")]
    pub(super) transports: Vec<TransportKind>,
    #[command(flatten)]
    pub(super) calls: CallArgs,
    /// Call each tool up to this often, without the calls that reduce a failure
    #[arg(long, value_name = "N", default_value = "200")]
    pub(super) max_calls: usize,
    /// Call each tool for up to this long, with the calls that reduce a failure: milliseconds, or with a unit (`5s`)
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = value::duration)]
    pub(super) max_time: Duration,
    /// Repeat the random arguments of the run that printed this number [default: a random one]
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// Write what fails as MCP Cases, for `cases run`
    #[arg(long, value_name = "FILE.yaml")]
    pub(super) save_cases: Option<PathBuf>,
    /// Write what fails as Rust tests
    #[arg(long, value_name = "FILE.rs")]
    pub(super) save_tests: Option<PathBuf>,
    /// Fail on warnings
    #[arg(long)]
    pub(super) strict: bool,
    #[command(flatten)]
    pub(super) common: CommonRunOptions,
}

#[derive(Debug, ClapArgs)]
#[command(mut_arg("suite", |suite| suite.help(suites(TestedSide::Client))))]
pub(super) struct ClientArgs {
    /// The command that starts the client
    #[arg(long, value_name = "COMMAND")]
    pub(super) command: Option<String>,
    /// Have the client reach its server over this transport: http, or stdio, where the client starts it (repeatable)
    /// [default: http]
    #[arg(long = "transport", value_name = "NAME")]
    pub(super) transports: Vec<TransportKind>,
    #[command(flatten)]
    pub(super) run: RunOptions,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ValidateArgs {
    /// Validate against this revision, or `draft`; optional for a conversation that names its revision in `initialize` or
    /// `_meta`
    #[arg(long = "spec-version", value_name = "REVISION", value_parser = value::revision)]
    pub(super) revision: Option<Revision>,
    /// Validate each value against this definition, such as `Tool`, instead of as a message
    // A definition differs from revision to revision, and a value does not name its own.
    #[arg(long = "as", value_name = "DEFINITION", requires = "revision")]
    pub(super) definition: Option<String>,
    #[command(flatten)]
    pub(super) schemas: SchemaArgs,
    /// Print text, or one JSON document
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(super) format: Format,
    /// The file to validate; `-` reads standard input
    pub(super) file: PathBuf,
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
    /// List only scenarios that exist at this revision
    #[arg(long = "spec-version", value_name = "REVISION", value_parser = value::revisions)]
    pub(super) revisions: Vec<Revisions>,
    /// List only this scenario, or those that match a pattern such as `tools-*` (repeatable)
    #[arg(long = "scenario", value_name = "ID")]
    pub(super) scenarios: Vec<String>,
    /// List the frozen sets of scenarios by which the official suite scores these revisions, such as `2026-07-28`
    #[arg(
        long,
        value_name = "REVISION,…",
        value_delimiter = ',',
        value_parser = value::requirement_set,
        conflicts_with_all = ["server", "client", "authorization", "revisions", "scenarios"]
    )]
    pub(super) requirements: Vec<&'static RequirementSet>,
    /// List the faults of the reference peers
    #[arg(long, conflicts_with_all = ["server", "client", "authorization", "revisions", "scenarios", "requirements"])]
    pub(super) faults: bool,
    /// Print which faults of the reference peers each check reports, as a page in Markdown
    #[arg(long, conflicts_with_all = ["requirements", "faults", "fixtures", "format"])]
    pub(super) proofs: bool,
    /// List the fixtures of the official suite, for `--fixture`, with the scenarios that use them
    #[arg(long, conflicts_with_all = ["server", "client", "authorization", "revisions", "scenarios", "requirements", "faults"])]
    pub(super) fixtures: bool,
    /// Print text, or one JSON document with titles, checks and requirements
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(super) format: Format,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ExplainArgs {
    /// The id of a scenario, a check or a requirement
    pub(super) id: String,
    /// Show for each check which faults of the reference peer it reports
    #[arg(long)]
    pub(super) proofs: bool,
}

#[derive(Debug, ClapArgs)]
pub(super) struct RequirementsArgs {
    /// Words that must occur in the id, page, text, level, bound party or revision
    pub(super) filter: Vec<String>,
    /// Show which checks stand for each, with the number of their proofs, and how many of each page have one; JSON always does
    #[arg(long)]
    pub(super) coverage: bool,
    /// Print text, or one JSON document
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(super) format: Format,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ReferenceArgs {
    #[command(subcommand)]
    pub(super) peer: Reference,
}

#[derive(Debug, Subcommand)]
pub(super) enum Reference {
    /// Run a server with all features, at every revision
    Server(ReferenceServerArgs),
    /// Run a client that performs the scenario in its environment, or sends one request and prints the result
    Client(ReferenceClientArgs),
    /// Run an authorization server that asks nobody for consent, for tests of OAuth
    AuthorizationServer(ReferenceAuthorizationServerArgs),
}

/// The arguments of `mcp-test config`.
#[derive(Debug, ClapArgs)]
pub(super) struct ShowConfigArgs {
    /// A command with its arguments, such as `check --timeout 5s` [default: all that the file sets]
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    pub(super) command: Vec<OsString>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct CompletionsArgs {
    /// The shell
    pub(super) shell: clap_complete::Shell,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ManArgs {
    /// The command whose page is printed, such as `check` or `cases run` [default: the list of commands]
    pub(super) command: Vec<String>,
}

// Without a default: stdio would wait silently in a terminal, and no port is certain to be free.
#[derive(Debug, ClapArgs)]
#[command(group(ArgGroup::new("transport").required(true).args(["address", "stdio"])))]
pub(super) struct ReferenceServerArgs {
    #[command(flatten)]
    pub(super) listen: ListenArgs,
    /// Serve the parent process over stdin and stdout
    #[arg(long)]
    pub(super) stdio: bool,
    /// Demand tokens of this issuer for every request over HTTP
    #[arg(long, value_name = "ISSUER", requires = "address", value_parser = value::issuer)]
    pub(super) protected: Option<String>,
    /// Demand a scope of these tokens (repeatable) [default: none]
    #[arg(long = "scope", value_name = "SCOPE", requires = "protected")]
    pub(super) scopes: Vec<String>,
    /// Inject a fault (repeatable); see `mcp-test list --faults`
    #[arg(long = "fault", value_name = "FAULT")]
    pub(super) faults: Vec<Fault>,
    /// Record the conversation: as MCP Cases (FILE.yaml), or as a trace (FILE.jsonl)
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
}

// Not `ListenArgs`, whose help describes MCP over HTTP, and which leave the address out where stdio is possible.
#[derive(Debug, ClapArgs)]
pub(super) struct ReferenceAuthorizationServerArgs {
    /// Listen at this address; a bare port listens on localhost only, port 0 picks a free one
    #[arg(long = "listen", value_name = "ADDRESS", value_parser = value::address)]
    pub(super) address: SocketAddr,
    /// Answer requests to this host as well, by name or address; by default only those to localhost and to the address
    /// of `--listen` (repeatable)
    #[arg(long = "allow-host", value_name = "HOST", value_parser = value::host)]
    pub(super) hosts: Vec<String>,
    /// A scope that it has (repeatable) [default: it grants every scope that is asked for]
    #[arg(long = "scope", value_name = "SCOPE")]
    pub(super) scopes: Vec<String>,
    /// How long access tokens are valid: seconds with `s`, or minutes with `m` [default: 60m]
    #[arg(long, value_name = "TIME", value_parser = value::seconds)]
    pub(super) token_lifetime: Option<Duration>,
    /// How long refresh tokens work [default: until they are replaced]
    #[arg(long, value_name = "TIME", value_parser = value::seconds)]
    pub(super) refresh_token_lifetime: Option<Duration>,
    /// Demand a nonce in proofs of possession (DPoP)
    #[arg(long)]
    pub(super) dpop_nonces: bool,
    /// Fetch no metadata documents of clients
    #[arg(long)]
    pub(super) no_client_documents: bool,
    /// Fetch metadata documents of clients from other machines, too; by default only from this one
    #[arg(long, conflicts_with = "no_client_documents")]
    pub(super) remote_client_documents: bool,
    /// A client that is registered beforehand, with a secret if it has one (repeatable); others register themselves
    #[arg(long = "client", value_name = "ID[=SECRET]")]
    pub(super) clients: Vec<SecretArg>,
    /// A redirect URI of these clients; one of a loopback address stands for every port (repeatable)
    #[arg(
        long = "redirect-uri",
        value_name = "URI",
        requires = "clients",
        default_value = "http://127.0.0.1/callback"
    )]
    pub(super) redirect_uris: Vec<String>,
}

#[derive(Debug, ClapArgs)]
#[command(group(ArgGroup::new("server").required(true).args(["url", "command"])))]
pub(super) struct ReferenceClientArgs {
    /// The URL of the server
    pub(super) url: Option<String>,
    /// The command that starts the server, which speaks MCP over stdin and stdout
    #[arg(last = true, value_name = "COMMAND")]
    pub(super) command: Vec<String>,
    #[command(flatten)]
    pub(super) request: RequestArgs,
    /// Inject a fault (repeatable); see `mcp-test list --faults`
    #[arg(long = "fault", value_name = "FAULT")]
    pub(super) faults: Vec<Fault>,
    /// Record the conversation: as MCP Cases (FILE.yaml), or as a trace (FILE.jsonl)
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
}
