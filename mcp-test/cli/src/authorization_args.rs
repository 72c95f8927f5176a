//! The arguments of `mcp-test authorization`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use mcp_test_core::scenario::Profile;
use mcp_test_core::spec::Revisions;

use super::common_args::{CommonRunOptions, Format};
use super::option_value::{self as value, ReportKind, SecretArg};

/// What is tested, and how.
#[derive(Debug, Args)]
pub(super) struct AuthorizationArgs {
    /// Test the authorization server with this issuer
    #[arg(long, value_name = "ISSUER")]
    pub(super) url: Option<String>,
    /// Read the issuer and other settings from a JSON file
    #[arg(long, value_name = "FILE")]
    pub(super) file: Option<PathBuf>,
    /// Run only this scenario, or those that match a pattern (repeatable)
    #[arg(long = "scenario", value_name = "ID")]
    pub(super) scenarios: Vec<String>,
    /// Sign in as this client, which is registered there
    #[arg(long, value_name = "ID")]
    pub(super) client_id: Option<String>,
    /// The secret of the client, if it has one
    #[arg(long, value_name = "SECRET")]
    pub(super) client_secret: Option<SecretArg>,
    /// Ask for a token for this MCP server: its canonical URI
    #[arg(long, value_name = "URI")]
    pub(super) resource: Option<String>,
    /// Wait for the redirect at this port of 127.0.0.1 [default: that of the file, or 3000]
    #[arg(short, long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) port: Option<u16>,
    /// Use these rules for verdicts
    // The command replaces this text, to name its default.
    #[arg(long, value_name = "NAME")]
    pub(super) profile: Option<Profile>,
    /// Judge by this revision, range (`2025-06-18..`) or `draft` (repeatable) [default: 2025-11-25 in profile official, otherwise the
    /// newest]
    #[arg(long = "spec-version", value_name = "REVISION", value_parser = value::revisions)]
    pub(super) revisions: Vec<Revisions>,
    /// End a scenario after this time, which somebody has to sign in: milliseconds, or with a unit (`5s`)
    // As long as the official suite waits.
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = value::duration)]
    pub(super) timeout: Duration,
    /// Write checks.json for each scenario and summary.json to this directory
    #[arg(short, long, value_name = "DIR")]
    pub(super) output_dir: Option<PathBuf>,
    /// Name the folders in --output-dir without the time, so that the next run replaces their files
    #[arg(long, requires = "output_dir")]
    pub(super) no_timestamps: bool,
    /// Report to CI as well: `junit=FILE`, `markdown=FILE` and others, as for `mcp-test server` (repeatable) [default: github if
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

impl AuthorizationArgs {
    /// The options that all runs have.
    pub(super) fn common(&self) -> CommonRunOptions {
        CommonRunOptions {
            revisions: self.revisions.clone(),
            expected_failures: None,
            known: Vec::new(),
            write_baseline: None,
            timeout: self.timeout,
            output_dir: self.output_dir.clone(),
            no_timestamps: self.no_timestamps,
            record: None,
            reports: self.reports.clone(),
            format: self.format,
            verbose: self.verbose,
        }
    }
}
