//! What can go wrong before or beside a run, and the exit code that it means.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use super::value::Confidential;
use crate::cases::{PlayError, ReadError};
use crate::expect::words;
use crate::process::SpawnError;
use crate::report::ReportError;
use crate::run::{ExitCode, SchemaSourceError, UsageError};
use crate::scenario::{Leg, Suite};
use crate::spec::Revision;
use crate::transport::{CarrierKind, Fault};

/// Why a command cannot be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(super) enum CliError {
    /// There is nothing to test.
    #[error("no target is given; name one of
  mcp-test {command} --url http://localhost:3000/mcp                   a server that is running
  mcp-test {command} -- npx my-server                                  a program that speaks over stdin and stdout
  mcp-test {command} --url http://localhost:3000/mcp -- npx my-server  a program that listens at the URL
  mcp-test {command} --reference                                       the server that is built in")]
    NoTarget {
        /// The command.
        command: &'static str,
    },
    /// The URL cannot be used.
    #[error("--url {url}: {problem}")]
    Url {
        /// The URL.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A header cannot be used. Its value is not repeated.
    #[error("--header{}: {problem}", .name.as_ref().map(|name| format!(" {name}")).unwrap_or_default())]
    Header {
        /// The name, if it could be read.
        name: Option<String>,
        /// What is wrong with it.
        problem: String,
    },
    /// A variable cannot be set. Its value is not repeated.
    #[error("--env: expected NAME=VALUE; what the environment has already, the command inherits")]
    Env(Confidential),
    /// The working directory is none.
    #[error("--cwd {}: there is no such directory", .0.display())]
    Cwd(PathBuf),
    /// The command line of the target is none.
    #[error(transparent)]
    Command(#[from] SpawnError),
    /// The selection makes no sense.
    #[error("{option}{source}")]
    Selection {
        /// The option with a colon, if the problem lies in one.
        option: String,
        /// The problem.
        source: UsageError,
    },
    /// No case has this id.
    #[error("--case: there is no case `{id}`{}", .suggestion.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    UnknownCase {
        /// The id.
        id: String,
        /// The one that may be meant.
        suggestion: Option<String>,
    },
    /// A case is chosen, and left out as well.
    #[error("--case: `{id}` is left out by --tag, by --skip-tag, or by the `_only` of other cases")]
    CaseLeftOut {
        /// The id.
        id: String,
    },
    /// Several files are to be served, and no command is given.
    #[error(
        "--command is required: only a single file, chosen by --scenario, waits for a client that is started by hand"
    )]
    NoCommandForFiles,
    /// Nothing is left to run.
    #[error(
        "no case is left to run: none holds at these revisions, over these transports and with these tags"
    )]
    NoCase,
    /// The cases cannot be played.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// An input cannot be used. Its value is not repeated.
    #[error("--input{}: {problem}", .name.as_ref().map(|name| format!(" {name}")).unwrap_or_default())]
    CaseInput {
        /// The name, if it could be read.
        name: Option<String>,
        /// What is wrong with it.
        problem: String,
    },
    /// No scenario for clients is chosen.
    #[error(
        "either --scenario or --suite is required\n  suites: {suites}\n  scenarios: {scenarios}"
    )]
    NothingChosen {
        /// The names of the suites.
        suites: String,
        /// The ids of the scenarios.
        scenarios: String,
    },
    /// A suite cannot wait for clients that are started by hand.
    #[error(
        "--command is required, unless there is exactly one --scenario, whose server then waits for a client that is started by hand"
    )]
    NoCommand,
    /// The command is empty.
    #[error(
        "--command: expected a command line that starts the client, such as 'node my-client.js'"
    )]
    EmptyCommand,
    /// A variable that a client is told something by says nothing that it can use.
    #[error("{name}: {problem}")]
    Variable {
        /// The variable.
        name: &'static str,
        /// What is wrong with its value.
        problem: String,
    },
    /// The reference client did not come to the end of its visit.
    #[error("{0}")]
    Visit(crate::Error),
    /// What an option names cannot be written.
    #[error("{option} {}: {source}", .path.display())]
    Unwritable {
        /// The option.
        option: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The name of a file does not tell what to record in it.
    #[error("--record {}: expected a name that ends with .yaml, for cases, or with .jsonl, for a trace", .0.display())]
    RecordKind(PathBuf),
    /// A file that cases are to be added to cannot be added to.
    #[error("{option} {} is there already, and cannot be added to: {problem}", .path.display())]
    NotAdded {
        /// The option.
        option: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        problem: String,
    },
    /// What is no trace was to be read as one.
    #[error("cannot read {}: {problem}", .path.display())]
    NoTrace {
        /// The file.
        path: PathBuf,
        /// Why not.
        problem: String,
    },
    /// A trace is there already.
    #[error("--record {}: it exists already, and a trace is not added to; name another file, or remove this one", .0.display())]
    Recorded(PathBuf),
    /// The fault would do nothing.
    #[error("--fault {fault}: there is nothing like it over {carrier}; {advice}")]
    Fault {
        /// The fault.
        fault: Fault,
        /// How the server would be spoken to.
        carrier: CarrierKind,
        /// What to do instead.
        advice: &'static str,
    },
    /// The fault is one of servers.
    #[error("--fault {0}: there is nothing like it in a client")]
    FaultOfServers(Fault),
    /// The id is not known.
    #[error("nothing is called `{id}`: neither a scenario, nor a check, nor a requirement{}", .suggestion.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
    Unknown {
        /// The id.
        id: String,
        /// A known one that is close to it.
        suggestion: Option<String>,
    },
    /// An official schema cannot be had.
    #[error("--schema: {0}")]
    Schema(#[from] SchemaSourceError),
    /// No definition has this name.
    #[error("--as: MCP {revision} has no definition `{name}`{}", but(.suggestion.as_deref(), .elsewhere))]
    UnknownDefinition {
        /// The name.
        name: String,
        /// The revision.
        revision: Revision,
        /// A known one that is close to it.
        suggestion: Option<String>,
        /// The revisions that have it.
        elsewhere: Vec<Revision>,
    },
    /// What is to be judged cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Input {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// What is to be judged cannot be.
    #[error("cannot judge {}: {problem}", .path.display())]
    Unjudgeable {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// Nothing says by which revision to judge.
    #[error("{}nothing says which revision is spoken: neither `initialize` nor a `_meta` comes before this message; say it with --spec-version REVISION", at_line(*.line))]
    NoRevision {
        /// The line of the first message that cannot be judged.
        line: Option<usize>,
    },
    /// What is spoken cannot be judged by.
    #[error("{}the conversation is held in `{named}`, which is not a revision that mcp-test knows; judge by another with --spec-version REVISION", at_line(*.line))]
    UnknownRevision {
        /// The line that says so.
        line: Option<usize>,
        /// What it says.
        named: String,
    },
    /// The cases cannot be had.
    #[error(transparent)]
    Cases(ReadError),
    /// The cases are there, and wrong, which has been told.
    #[error("the cases cannot be used: {}", words::count(*.0, "mistake"))]
    WrongCases(usize),
    /// No complaint about cases has this name.
    #[error("--allow: no error, warning or note is called `{name}`{}", .suggestion.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
    UnknownLint {
        /// The name.
        name: String,
        /// A name that is near to it.
        suggestion: Option<String>,
    },
    /// No requirement matches.
    #[error("no requirement has all of these words: {0}")]
    NoRequirement(String),
    /// A report cannot be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A file cannot be written.
    #[error("cannot write {}: {source}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Standard output refuses.
    #[error("cannot write to stdout: {0}")]
    Stdout(io::Error),
    /// The asynchronous runtime cannot be made.
    #[error("cannot start the runtime: {0}")]
    Runtime(io::Error),
    /// The reference server cannot be reached.
    #[error("cannot listen at {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The reference server cannot serve.
    #[error("cannot serve: {0}")]
    Serve(crate::Error),
}

fn at_line(line: Option<usize>) -> String {
    line.map(|line| format!("line {line}: ")).unwrap_or_default()
}

fn but(suggestion: Option<&str>, revisions: &[Revision]) -> String {
    match (revisions, suggestion) {
        ([], None) => String::new(),
        ([], Some(name)) => format!("; did you mean `{name}`?"),
        (revisions, _) => format!("; it is of {}", words::list(revisions, "and")),
    }
}

impl CliError {
    /// A selection that makes no sense, blamed on the option that it comes from.
    pub(super) fn selection(source: UsageError, leg: Leg, suite: Option<Suite>) -> Self {
        let option = match (&source, suite) {
            (UsageError::NothingSelected, Some(suite)) => {
                format!("--suite {}: ", suite.name(leg))
            }
            (UsageError::NoSuchSuite { .. }, _) => "--suite: ".to_owned(),
            (UsageError::NothingSelected, None) => "--spec-version: ".to_owned(),
            (UsageError::UnknownScenario { .. } | UsageError::OfOtherSide { .. }, _) => {
                "--scenario: ".to_owned()
            }
            (UsageError::NoSuchCarrier { .. }, _) => "--transport: ".to_owned(),
            (UsageError::Baseline(_), _) => "--expected-failures: ".to_owned(),
        };
        Self::Selection { option, source }
    }

    /// The selection of cases makes no sense.
    pub(super) fn selection_of_cases(source: UsageError, leg: Leg) -> Self {
        match source {
            UsageError::NothingSelected => Self::NoCase,
            other => Self::selection(other, leg, None),
        }
    }

    /// What an option names cannot be written.
    pub(super) fn unwritable(
        option: &'static str,
        path: &Path,
    ) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Unwritable { option, path, source }
    }

    /// Standard input cannot be read.
    pub(super) fn stdin(source: io::Error) -> Self {
        Self::Input { path: PathBuf::from("standard input"), source }
    }

    /// The exit code.
    pub(super) fn exit(&self) -> ExitCode {
        match self {
            Self::Report(_)
            | Self::Write { .. }
            | Self::Stdout(_)
            | Self::Runtime(_)
            | Self::Listen { .. }
            | Self::Schema(SchemaSourceError::Unreachable { .. })
            | Self::Serve(_) => ExitCode::NotRun,
            Self::Visit(_) => ExitCode::Failed,
            _ => ExitCode::Usage,
        }
    }

    /// What may help.
    pub(super) fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Selection { source: UsageError::UnknownScenario { .. }, .. } => {
                Some("`mcp-test list` tells which scenarios there are")
            }
            Self::Selection {
                source: UsageError::OfOtherSide { leg: Leg::Client, .. }, ..
            } => Some("`mcp-test server` and `mcp-test check` test servers"),
            Self::Selection {
                source: UsageError::OfOtherSide { leg: Leg::Server, .. }, ..
            } => Some("`mcp-test client` tests clients"),
            Self::UnknownLint { .. } => Some("`mcp-test cases lint --list` tells which there are"),
            Self::Unknown { .. } => Some("see `mcp-test list` and `mcp-test requirements WORD`"),
            _ => None,
        }
    }
}
