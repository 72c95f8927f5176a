//! The arguments that several commands share.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use mcp_test_core::run::{SchemaSource, Shard};
use mcp_test_core::scenario::{Profile, RequirementSet, Suite};
use mcp_test_core::spec::Revisions;

use super::known_arg::KnownArg;
use super::option_value::{self as value, ReportKind, SecretArg};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Human,
    Json,
}

/// When output is coloured.
// Without texts for the values, with which clap would show every option on several lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Colours {
    #[default]
    Auto,
    Always,
    Never,
}

/// Which file sets options.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct ConfigArgs {
    /// Read options from this TOML file [default: mcp-test.toml in the current directory, if it exists]
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// Do not read mcp-test.toml
    #[arg(long, global = true, conflicts_with = "config")]
    no_config: bool,
}

impl ConfigArgs {
    /// The same options as arguments.
    pub(super) fn args(&self) -> Vec<OsString> {
        match &self.config {
            Some(file) => vec!["--config".into(), file.into()],
            None if self.no_config => vec!["--no-config".into()],
            None => Vec::new(),
        }
    }
}

/// The server under test.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct TargetArgs {
    /// Test the server at this URL
    #[arg(long, value_name = "URL")]
    pub(super) url: Option<String>,
    /// Test the built-in reference server
    // It runs in this process, where there is no request to add headers to and no child process to set up.
    #[arg(long, conflicts_with_all = ["url", "command", "headers", "tokens", "sign_in", "env", "cwd"])]
    pub(super) reference: bool,
    /// Send a header with every request: NAME=VALUE; `@FILE` reads the value from a file, `${VAR}` inserts an environment
    /// variable (repeatable)
    // Two ways to keep a secret out of the command line, which other users of the machine can read.
    #[arg(long = "header", value_name = "NAME=VALUE")]
    pub(super) headers: Vec<SecretArg>,
    /// Set an environment variable for the command (repeatable)
    #[arg(long, value_name = "NAME=VALUE", requires = "command")]
    pub(super) env: Vec<SecretArg>,
    /// Start the command in this directory
    #[arg(long, value_name = "DIR", requires = "command")]
    pub(super) cwd: Option<PathBuf>,
    /// The command that is, or starts, the server
    #[arg(last = true, value_name = "COMMAND")]
    pub(super) command: Vec<String>,
    /// What the command learns of the test, by variables.
    #[arg(skip)]
    pub(super) variables: Vec<(&'static str, String)>,
    #[command(flatten)]
    pub(super) authorization: SignInArgs,
}

/// The heading of options about access tokens.
const AUTHORIZATION: &str = "Authorization";

/// How the server under test authorizes requests.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct SignInArgs {
    /// Send this access token with every request; `@FILE` and `${VAR}` as with `--header`. Others are for scenarios about protected
    /// servers: other-user=VALUE, expired=VALUE, other-audience=VALUE, no-scope=VALUE (repeatable)
    #[arg(long = "token", value_name = "[ROLE=]VALUE", help_heading = AUTHORIZATION)]
    pub(super) tokens: Vec<SecretArg>,
    /// Sign in if the server demands it: at the authorization server that it names, with consent in a browser. On a terminal, mcp-test
    /// otherwise asks whether to
    #[arg(long, conflicts_with = "tokens", help_heading = AUTHORIZATION)]
    pub(super) sign_in: bool,
    /// Open the URL for the consent in a browser without asking
    #[arg(long, help_heading = AUTHORIZATION)]
    pub(super) open_browser: bool,
    /// Sign in as this client, instead of registering one
    #[arg(long, value_name = "ID", help_heading = AUTHORIZATION)]
    pub(super) client_id: Option<String>,
    /// The secret of the client; `@FILE` and `${VAR}` as with `--header`
    #[arg(long, value_name = "SECRET", requires = "client_id", help_heading = AUTHORIZATION)]
    pub(super) client_secret: Option<SecretArg>,
    /// Have the browser redirected to this port of this machine [default: any free one]
    #[arg(long, value_name = "PORT", help_heading = AUTHORIZATION)]
    pub(super) callback_port: Option<u16>,
}

/// How a server is reached over HTTP.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct ListenArgs {
    /// Serve Streamable HTTP at this address, and HTTP+SSE of 2024-11-05 at `/sse`; a bare port listens on localhost only,
    /// port 0 picks a free one
    #[arg(long = "listen", value_name = "ADDRESS", value_parser = value::address)]
    pub(super) address: Option<SocketAddr>,
    /// Answer requests to this host as well, by name or address; by default only those to localhost and to the address
    /// of `--listen` (repeatable)
    #[arg(long = "allow-host", value_name = "HOST", requires = "address", value_parser = value::host)]
    pub(super) hosts: Vec<String>,
}

/// The options of runs of built-in scenarios.
#[derive(Debug, Args)]
pub(super) struct RunOptions {
    /// Run only this scenario, or those that match a pattern such as `tools-*` (repeatable)
    #[arg(long = "scenario", value_name = "ID")]
    pub(super) scenarios: Vec<String>,
    /// Run only what tests this page of the specification, such as `tools`, `lifecycle` or `transport` (repeatable)
    #[arg(long = "page", value_name = "PAGE", conflicts_with = "scenarios")]
    pub(super) pages: Vec<String>,
    /// Run a suite
    // Each command replaces this text, to name its suites.
    #[arg(long, value_name = "NAME")]
    pub(super) suite: Option<Suite>,
    /// Run the scenarios by which the official suite scores this revision: 2025-11-25, 2026-07-28
    #[arg(
        long,
        value_name = "REVISION",
        value_parser = value::requirement_set,
        conflicts_with_all = ["revisions", "suite", "scenarios", "pages"]
    )]
    pub(super) requirements: Option<&'static RequirementSet>,
    #[command(flatten)]
    pub(super) schemas: SchemaArgs,
    /// Run a named scenario even if it does not exist at the revision
    #[arg(long, requires = "scenarios")]
    pub(super) force: bool,
    /// Show at the end which requirements were tested, by page, and why others were not; JSON reports list each
    #[arg(long)]
    pub(super) coverage: bool,
    /// Use these rules for verdicts
    // Each command replaces this text, to name its default.
    #[arg(long, value_name = "NAME")]
    pub(super) profile: Option<Profile>,
    #[command(flatten)]
    pub(super) schedule: ScheduleOptions,
    #[command(flatten)]
    pub(super) common: CommonRunOptions,
}

/// How the scenario runs of a command are scheduled.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct ScheduleOptions {
    /// Run up to this many scenarios, cases or clients in parallel [default: one per processor, at least two; with `cases run --url`, one]
    #[arg(long, value_name = "N", value_parser = value::jobs)]
    pub(super) jobs: Option<NonZeroUsize>,
    /// End the run after the first unexpected failure; what is not run then is named
    // What was not run would not be in the baseline.
    #[arg(long, conflicts_with = "write_baseline")]
    pub(super) fail_fast: bool,
    /// Run a scenario, case or client that fails unexpectedly up to N more times; if it then does not fail, it is flaky, which is a
    /// failure of its own
    #[arg(long, value_name = "N", default_value = "0", value_parser = value::retries)]
    pub(super) retries: usize,
    /// Run only the Ith of N equal parts of the run, such as `1/3`; all parts together run everything once
    #[arg(long, value_name = "I/N")]
    pub(super) shard: Option<Shard>,
}

/// The options of all runs: of built-in scenarios and of cases, against servers and clients.
#[derive(Debug, Clone, Args)]
pub(super) struct CommonRunOptions {
    /// Speak this revision, range (`2025-06-18..`) or `draft` (repeatable) [default: in profile official, one for each scenario; for
    /// cases, one that the peer speaks; otherwise all that it speaks]
    #[arg(long = "spec-version", value_name = "REVISION", value_parser = value::revisions)]
    pub(super) revisions: Vec<Revisions>,
    /// Read the expected failures from a YAML file
    #[arg(long, value_name = "FILE")]
    pub(super) expected_failures: Option<PathBuf>,
    /// Expect violations of this requirement, with a reason or a link (repeatable); not in profile official. One that no longer occurs
    /// is reported, and fails the run if the environment variable MCP_TEST_KNOWN is `strict`
    #[arg(long, value_name = "REQUIREMENT[=REASON]")]
    pub(super) known: Vec<KnownArg>,
    /// Write the failures of this run to a file for --expected-failures
    #[arg(long, value_name = "FILE")]
    pub(super) write_baseline: Option<PathBuf>,
    /// End a scenario, case or client after this time: milliseconds, or with a unit (`5s`)
    // As long as in the official suite.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = value::duration)]
    pub(super) timeout: Duration,
    /// Write checks.json for each scenario, case or file and summary.json to this directory
    #[arg(short, long, value_name = "DIR")]
    pub(super) output_dir: Option<PathBuf>,
    /// Name the folders in --output-dir without the time, so that the next run replaces their files
    #[arg(long, requires = "output_dir")]
    pub(super) no_timestamps: bool,
    /// Record the conversation: as MCP Cases (FILE.yaml), which run against the same server, or as a trace (FILE.jsonl)
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
    /// Report to CI as well: `junit=FILE`, `markdown=FILE` (for a comment on GitHub), `sarif=FILE`, `ctrf=FILE` and `tap=FILE` write
    /// files, `github` prints annotations on stderr and adds to the step summary of GitHub Actions (repeatable) [default: github if
    /// GITHUB_ACTIONS is `true`]
    #[arg(long = "report", value_name = "KIND", value_parser = value::report)]
    pub(super) reports: Vec<ReportKind>,
    /// Print text, or one JSON document
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(super) format: Format,
    /// Show every check; for a single scenario, as JSON
    #[arg(long)]
    pub(super) verbose: bool,
}

impl RunOptions {
    /// The options of a run of these scenarios, with defaults for the options that only runs of built-in scenarios have.
    pub(super) fn for_scenarios(
        scenarios: &[String],
        strict: bool,
        schedule: ScheduleOptions,
        common: &CommonRunOptions,
    ) -> Self {
        Self {
            scenarios: scenarios.to_vec(),
            suite: None,
            requirements: None,
            pages: Vec::new(),
            coverage: false,
            schemas: SchemaArgs { schemas: Vec::new() },
            force: false,
            profile: strict.then_some(Profile::Strict),
            schedule,
            common: common.clone(),
        }
    }
}

/// The schemas that replace the built-in shapes.
#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// Validate the messages of a revision against an official schema.json instead of the built-in shapes (repeatable); an
    /// unusable schema exits with 2, a URL that cannot be fetched with 3
    #[arg(long = "schema", value_name = "REVISION=PATH|URL")]
    pub(super) schemas: Vec<SchemaSource>,
}
