//! The grammar of `mcp-test cases run`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args as ClapArgs;

use crate::cli::args::{Format, TargetArgs};
use crate::cli::cases::args::Files;
use crate::cli::value::{self, Confidential};
use crate::process::Command;
use crate::spec::Revisions;
use crate::transport::CarrierKind;

pub(in crate::cli) const RUN: &str = "\
The target is one of
  --url URL              a server that is running
  -- COMMAND…            a program that speaks over its stdin and stdout
  --url URL -- COMMAND…  a program that is started, listens at the URL, and is ended afterwards
  --reference            the server that is built in

A case is played at the newest revision with a handshake that the server speaks and at which the case holds, or else at the
newest one; --spec-version asks for others.";

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct RunCasesArgs {
    #[command(flatten)]
    pub(in crate::cli) files: Files,
    #[command(flatten)]
    pub(in crate::cli) target: TargetArgs,
    /// Run only this case (repeatable)
    #[arg(long = "case", value_name = "ID")]
    pub(in crate::cli) cases: Vec<String>,
    /// Run only cases with this tag (repeatable)
    #[arg(long = "tag", value_name = "TAG")]
    pub(in crate::cli) tags: Vec<String>,
    /// Leave out cases with this tag (repeatable)
    #[arg(long = "skip-tag", value_name = "TAG")]
    pub(in crate::cli) skip_tags: Vec<String>,
    /// Give an input its value: NAME=VALUE; `@FILE` as value reads a file, `${VAR}` in it a variable (repeatable)
    #[arg(long = "input", value_name = "NAME=VALUE")]
    pub(in crate::cli) inputs: Vec<Confidential>,
    /// Run the commands of `_before` and `_after`; without it, a run whose cases have some stops and shows them
    #[arg(long)]
    pub(in crate::cli) allow_commands: bool,
    /// Bring about the states of `_given`: called with `setup` or `teardown` and the state, and its parameters as JSON on stdin
    #[arg(long, value_name = "COMMAND")]
    pub(in crate::cli) given_command: Option<Command>,
    /// Tolerate nothing that the cases do not have: no other notifications, no members that a revision adds, no warnings
    #[arg(long)]
    pub(in crate::cli) strict: bool,
    /// Speak this revision, range (`2025-06-18..`) or `draft` (repeatable)
    #[arg(long = "spec-version", value_name = "REVISION", value_parser = value::revisions)]
    pub(in crate::cli) revisions: Vec<Revisions>,
    /// Use this transport only, if the target has several: duplex, stdio, http, router, sse (repeatable)
    #[arg(long = "transport", value_name = "NAME")]
    pub(in crate::cli) carriers: Vec<CarrierKind>,
    /// Read the failures that are expected from a YAML file
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) expected_failures: Option<PathBuf>,
    /// Write the failures of this run to a file for --expected-failures
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) write_baseline: Option<PathBuf>,
    /// End a case after this time, unless it has a `_timeout`: milliseconds, or with a unit (`5s`)
    #[arg(long, value_name = "TIME", default_value = "30000", value_parser = value::duration)]
    pub(in crate::cli) timeout: Duration,
    /// Run up to this many cases at the same time [default: one with --url, else one per processor]
    #[arg(long, value_name = "N", value_parser = value::jobs)]
    pub(in crate::cli) jobs: Option<NonZeroUsize>,
    /// Write checks.json of each case and summary.json below this directory
    #[arg(short, long, value_name = "DIR")]
    pub(in crate::cli) output_dir: Option<PathBuf>,
    /// Record what is said: as MCP Cases (FILE.yaml), which run against the same server, or as a trace (FILE.jsonl)
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) record: Option<PathBuf>,
    /// Print for people, or one JSON document
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(in crate::cli) format: Format,
    /// Show every check; of a single case, as JSON
    #[arg(long)]
    pub(in crate::cli) verbose: bool,
}
