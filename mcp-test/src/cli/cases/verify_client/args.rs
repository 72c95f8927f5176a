//! The grammar of `mcp-test cases verify-client`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args as ClapArgs;

use crate::cli::args::Format;
use crate::cli::cases::args::Files;
use crate::cli::value::{self, Confidential};
use crate::spec::Revisions;

pub(in crate::cli) const VERIFY_CLIENT: &str = "\
Each file is served by itself, and the client is started for it once. The command goes to a shell, with the URL of the server
as last word. In its environment are
  MCP_CONFORMANCE_SCENARIO          the name of the file, without its ending
  MCP_CONFORMANCE_PROTOCOL_VERSION  the revision to speak
Without --command the server waits for a client that is started by hand, until Ctrl+C.

A case passes when the client has said each `in` of it, in its order; the order of the cases is free. A file is served at the
newest revision with a handshake at which its cases hold, or else at the newest one; --spec-version asks for others.";

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct VerifyClientArgs {
    #[command(flatten)]
    pub(in crate::cli) files: Files,
    /// The command that starts the client
    #[arg(long, value_name = "COMMAND")]
    pub(in crate::cli) command: Option<String>,
    /// Serve only this file, by its name without the ending (repeatable)
    #[arg(long = "scenario", value_name = "NAME")]
    pub(in crate::cli) scenarios: Vec<String>,
    /// Demand only this case; the others of its file are served nevertheless (repeatable)
    #[arg(long = "case", value_name = "ID")]
    pub(in crate::cli) cases: Vec<String>,
    /// Demand only cases with this tag (repeatable)
    #[arg(long = "tag", value_name = "TAG")]
    pub(in crate::cli) tags: Vec<String>,
    /// Demand no cases with this tag (repeatable)
    #[arg(long = "skip-tag", value_name = "TAG")]
    pub(in crate::cli) skip_tags: Vec<String>,
    /// Give an input its value: NAME=VALUE; `@FILE` as value reads a file, `${VAR}` in it a variable (repeatable)
    #[arg(long = "input", value_name = "NAME=VALUE")]
    pub(in crate::cli) inputs: Vec<Confidential>,
    /// Let warnings and cases that cannot be shown fail
    #[arg(long)]
    pub(in crate::cli) strict: bool,
    /// Speak this revision, range (`2025-06-18..`) or `draft` (repeatable)
    #[arg(long = "spec-version", value_name = "REVISION", value_parser = value::revisions)]
    pub(in crate::cli) revisions: Vec<Revisions>,
    /// Read the failures that are expected from a YAML file
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) expected_failures: Option<PathBuf>,
    /// Write the failures of this run to a file for --expected-failures
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) write_baseline: Option<PathBuf>,
    /// End a client after this time: milliseconds, or with a unit (`5s`)
    #[arg(long, value_name = "TIME", default_value = "30000", value_parser = value::duration)]
    pub(in crate::cli) timeout: Duration,
    /// Run up to this many clients at the same time [default: one per processor]
    #[arg(long, value_name = "N", value_parser = value::jobs)]
    pub(in crate::cli) jobs: Option<NonZeroUsize>,
    /// Write checks.json of each file and summary.json below this directory
    #[arg(short, long, value_name = "DIR")]
    pub(in crate::cli) output_dir: Option<PathBuf>,
    /// Record what is said: as MCP Cases (FILE.yaml), or as a trace (FILE.jsonl)
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) record: Option<PathBuf>,
    /// Print for people, or one JSON document
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(in crate::cli) format: Format,
    /// Show every check; of a single file, as JSON
    #[arg(long)]
    pub(in crate::cli) verbose: bool,
}
