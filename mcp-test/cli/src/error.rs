//! Errors of commands, and their exit codes.

use std::fmt::Display;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use mcp_test::cases::{PlayError, ReadError, SaveError};
use mcp_test_core::expect::words;
use mcp_test_core::process::SpawnError;
use mcp_test_core::run::{ExitCode, SchemaSourceError, UsageError};
use mcp_test_core::scenario::{Suite, TestedSide};
use mcp_test_core::spec::Revision;
use mcp_test_core::transport::{Fault, PlaceholderError, TransportKind};
use mcp_test_suite::scenarios::fixtures::FixtureError;

use crate::report::ReportError;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(super) enum CliError {
    /// No target is given.
    #[error("no target; use one of
  mcp-test {command} --url http://localhost:3000/mcp                   a running server
  mcp-test {command} -- npx my-server                                  a program that speaks MCP over stdin and stdout
  mcp-test {command} --url http://localhost:3000/mcp -- npx my-server  a program that listens at the URL
  mcp-test {command} --reference                                       the built-in reference server")]
    NoTarget {
        /// The command.
        command: &'static str,
    },
    /// No target is given, but a case starts what may be one.
    #[error("no target; a command of the cases may start it ({place}: `{program}`); use
  mcp-test cases run FILES… --allow-commands --url http://127.0.0.1:{port}/mcp  what it starts, if that is its URL
  mcp-test cases run FILES… --allow-commands -- npx my-server  another program, which speaks MCP over stdin and stdout")]
    NoTargetOfCases {
        /// The file, line and column of the command.
        place: String,
        /// The command, in the syntax of a shell.
        program: String,
        /// The port in its arguments.
        port: u16,
    },
    /// A file with options cannot be used.
    #[error("{0}")]
    Config(String),
    /// The arguments of another command are invalid.
    #[error("{0}")]
    Arguments(String),
    /// The URL is invalid.
    #[error("--url {url}: {problem}")]
    Url {
        /// The URL.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// No authorization server is given.
    #[error("no authorization server; use --url ISSUER, or --file FILE with the member `url`")]
    NoIssuer,
    /// An option about an authorization server, or the member of a file that stands for it, is invalid.
    #[error("{place}: {problem}")]
    Authorization {
        /// The option, or the file and its member.
        place: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A header is invalid. Its value may be secret and is not repeated.
    #[error("--header{}: {problem}", after_space(.name.as_deref()))]
    Header {
        /// The name, if it could be parsed.
        name: Option<String>,
        /// What is wrong with it.
        problem: String,
    },
    /// An access token is invalid. It is not repeated.
    #[error("--token {role}: {problem}")]
    Token {
        /// What it is for.
        role: String,
        /// What is wrong with it.
        problem: String,
    },
    /// What an access token is for is unknown.
    #[error("--token: the text before `=` is not a role; expected {0}")]
    TokenRole(String),
    /// Options for authorization exclude each other.
    #[error("{option}: {problem}")]
    Credentials {
        /// The option.
        option: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A variable cannot be set. Its value may be secret and is not repeated.
    #[error("--env: expected NAME=VALUE; existing variables are inherited")]
    Env,
    /// The working directory does not exist.
    #[error("--cwd {}: no such directory", .0.display())]
    Cwd(PathBuf),
    /// The command line of the target is invalid.
    #[error(transparent)]
    Command(#[from] SpawnError),
    /// The selection is invalid.
    #[error("{option}: {source}")]
    Selection {
        /// The responsible option.
        option: String,
        /// The problem.
        source: UsageError,
    },
    /// The values of `--fixture` contradict each other.
    #[error("--fixture: {0}")]
    Fixture(FixtureError),
    /// A pattern matches nothing.
    #[error("{option}: nothing matches `{pattern}`{}", did_you_mean(.suggestion.as_deref()))]
    NoMatch {
        /// The option.
        option: &'static str,
        /// The pattern.
        pattern: String,
        /// A similar name or pattern.
        suggestion: Option<String>,
    },
    /// No case has this id.
    #[error("--case: no case `{id}`{}", did_you_mean(.suggestion.as_deref()))]
    UnknownCase {
        /// The id.
        id: String,
        /// A similar id.
        suggestion: Option<String>,
    },
    /// No case has this tag.
    #[error("--tag: no case has the tag `{tag}`{}", did_you_mean(.suggestion.as_deref()))]
    UnknownTag {
        /// The tag.
        tag: String,
        /// A similar tag.
        suggestion: Option<String>,
    },
    /// A case is both selected and excluded.
    #[error("--case: `{id}` is excluded by --tag, by --skip-tag, or by the `_only` of other cases")]
    CaseExcluded {
        /// The id.
        id: String,
    },
    /// A manually started client cannot be given a command.
    #[error("--transport stdio: --command is required, since the client starts the server")]
    NoCommandOverStdio,
    /// The command of a client has a placeholder that cannot be replaced.
    #[error("--command: {0}")]
    Placeholder(PlaceholderError),
    /// The path of this program is not known.
    #[error("cannot find the program of mcp-test, which the client would start: {0}")]
    OwnProgram(io::Error),
    /// Several files are served, but no command is given.
    #[error(
        "--command is required, unless --scenario selects a single file, which then waits for a manually started client"
    )]
    NoCommandForFiles,
    /// No case is left to run.
    #[error(
        "no case left to run: none applies at these revisions, over these transports and with these tags"
    )]
    NoCase,
    /// The cases have more scenario runs than are kept in memory.
    #[error(
        "the run has {count} scenario runs, more than the {most} that mcp-test makes at once: run them in parts with `--shard 1/{}` and so on",
        .count.div_ceil(*.most)
    )]
    TooManyScenarioRuns {
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// The cases cannot be run.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// An input is invalid. Its value may be secret and is not repeated.
    #[error("--input{}: {problem}", after_space(.name.as_deref()))]
    CaseInput {
        /// The name, if it could be parsed.
        name: Option<String>,
        /// What is wrong with it.
        problem: String,
    },
    /// No scenario for clients is selected.
    #[error(
        "either --scenario or --suite is required\n  suites: {suites}\n  scenarios: {scenarios}"
    )]
    NothingSelected {
        /// The names of the suites.
        suites: String,
        /// The ids of the scenarios.
        scenarios: String,
    },
    /// A suite cannot wait for manually started clients.
    #[error(
        "--command is required, unless there is exactly one --scenario, whose server then waits for a manually started client"
    )]
    NoCommand,
    /// The command is empty.
    #[error("--command: expected a command that starts the client, such as 'node my-client.js'")]
    EmptyCommand,
    /// An environment variable is invalid.
    #[error("{name}: {problem}")]
    Variable {
        /// The variable.
        name: &'static str,
        /// What is wrong with its value.
        problem: String,
    },
    /// The reference client failed.
    #[error("{0}")]
    ReferenceClient(mcp_test_core::Error),
    /// The server could not be reached, or the connection was lost.
    #[error("{0}")]
    NotConnected(String),
    /// The server answered with an error, or not at all.
    #[error("{0}")]
    Answer(String),
    /// The file or directory of an option cannot be written.
    #[error("{option} {}: {source}", .path.display())]
    Unwritable {
        /// The option.
        option: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The extension of the file is not known.
    #[error("--record {}: expected a file name that ends in .yaml (cases) or .jsonl (trace)", .0.display())]
    RecordKind(PathBuf),
    /// Cases cannot be added to an existing file.
    #[error("--record {0}")]
    NotRecorded(SaveError),
    /// The file for a trace exists.
    #[error("--record {}: the file exists; use another name, or remove it", .0.display())]
    Recorded(PathBuf),
    /// The fault has no effect over the transport.
    #[error("--fault {fault}: not supported over {transport}; {advice}")]
    Fault {
        /// The fault.
        fault: Fault,
        /// The transport.
        transport: TransportKind,
        /// What to do instead.
        advice: &'static str,
    },
    /// The fault exists only in servers.
    #[error("--fault {0}: not supported by the reference client")]
    ServerFault(Fault),
    /// The fault exists only in protected servers.
    #[error(
        "--fault {0}: has no effect without --protected ISSUER, by which the server demands tokens"
    )]
    UnprotectedFault(Fault),
    /// A server without HTTP is tested as a protected one.
    #[error("--auth: requires --url, since only servers over HTTP are protected by tokens")]
    AuthWithoutUrl,
    /// The id is unknown.
    #[error("`{id}` is not the id of a scenario, a check or a requirement{}", did_you_mean(.suggestion.as_deref()))]
    Unknown {
        /// The id.
        id: String,
        /// A similar one.
        suggestion: Option<String>,
    },
    /// No command has this name.
    #[error("there is no command `{name}`{}", did_you_mean(.suggestion.as_deref()))]
    UnknownCommand {
        /// The name.
        name: String,
        /// A similar one.
        suggestion: Option<String>,
    },
    /// An official schema cannot be loaded.
    #[error("--schema: {0}")]
    Schema(#[from] SchemaSourceError),
    /// No definition has this name.
    #[error("--as: MCP {revision} has no definition `{name}`{}", alternative(.suggestion.as_deref(), .elsewhere))]
    UnknownDefinition {
        /// The name.
        name: String,
        /// The revision.
        revision: Revision,
        /// A similar one.
        suggestion: Option<String>,
        /// The revisions that have it.
        elsewhere: Vec<Revision>,
    },
    /// The input cannot be read, or is not in the format that it must have.
    #[error("cannot read {}: {problem}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        problem: String,
    },
    /// The input cannot be validated.
    #[error("cannot validate {}: {problem}", .path.display())]
    InvalidInput {
        /// The file.
        path: PathBuf,
        /// The cause.
        problem: String,
    },
    /// The revision of a conversation is unknown.
    #[error("{}unknown revision: neither `initialize` nor a `_meta` precedes this message; use --spec-version REVISION", at_line(*.line))]
    NoRevision {
        /// The line of the first message that cannot be validated.
        line: Option<usize>,
    },
    /// The revision of a conversation is not supported.
    #[error("{}the conversation uses `{named}`, which is not a revision that mcp-test supports; use another with --spec-version REVISION", at_line(*.line))]
    UnknownRevision {
        /// The line that names it.
        line: Option<usize>,
        /// The name.
        named: String,
    },
    /// The cases cannot be read.
    #[error(transparent)]
    Cases(ReadError),
    /// The cases have errors, which have been printed.
    #[error("cannot use the cases: {}", words::count(*.0, "error"))]
    InvalidCases(usize),
    /// No lint has this name.
    #[error("--allow: no error, warning or note named `{name}`{}", did_you_mean(.suggestion.as_deref()))]
    UnknownLint {
        /// The name.
        name: String,
        /// A similar name.
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
        /// The cause.
        source: io::Error,
    },
    /// Standard output cannot be written.
    #[error("cannot write to stdout: {0}")]
    Stdout(io::Error),
    /// The asynchronous runtime cannot be created.
    #[error("cannot start the runtime: {0}")]
    Runtime(io::Error),
    /// A server cannot listen.
    #[error("cannot listen at {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The cause.
        source: io::Error,
    },
    /// A server failed.
    #[error("cannot serve: {0}")]
    Serve(mcp_test_core::Error),
}

fn at_line(line: Option<usize>) -> String {
    line.map(|line| format!("line {line}: ")).unwrap_or_default()
}

fn alternative(suggestion: Option<&str>, revisions: &[Revision]) -> String {
    match revisions {
        [] => did_you_mean(suggestion),
        // The name is right, so the revision is more likely to be the mistake.
        _ => format!("; it exists at {}", words::list(revisions, "and")),
    }
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

fn after_space(name: Option<&str>) -> String {
    name.map(|name| format!(" {name}")).unwrap_or_default()
}

impl CliError {
    /// An invalid selection, with the option that it comes from.
    pub(super) fn selection(
        source: UsageError,
        tested_side: TestedSide,
        suite: Option<Suite>,
    ) -> Self {
        let option = match (&source, suite) {
            // The message says "this suite", so the option names it.
            (UsageError::NothingSelected, Some(suite)) => {
                return Self::Selection {
                    option: format!("--suite {}", suite.name(tested_side)),
                    source,
                };
            }
            (UsageError::NothingSelected, None) => "--spec-version",
            (UsageError::NoSuchSuite { .. }, _) => "--suite",
            (UsageError::IncompleteSet { .. }, _) => "--requirements",
            (
                UsageError::UnknownScenario { .. }
                | UsageError::Renamed { .. }
                | UsageError::OfOtherSide { .. },
                _,
            ) => "--scenario",
            (UsageError::UnknownPage { .. }, _) => "--page",
            (UsageError::NoSuchTransport { .. }, _) => "--transport",
            (UsageError::Baseline(_), _) => "--expected-failures",
        };
        Self::Selection { option: option.to_owned(), source }
    }

    /// An invalid selection of cases.
    pub(super) fn selection_of_cases(source: UsageError, tested_side: TestedSide) -> Self {
        match source {
            UsageError::NothingSelected => Self::NoCase,
            other => Self::selection(other, tested_side, None),
        }
    }

    /// A header is invalid.
    pub(super) fn header(name: Option<&str>, problem: &str) -> Self {
        Self::Header { name: name.map(str::to_owned), problem: problem.to_owned() }
    }

    /// The file or directory of an option cannot be written.
    pub(super) fn unwritable(
        option: &'static str,
        path: &Path,
    ) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Unwritable { option, path, source }
    }

    /// A file cannot be read, or is not in the format that it must have.
    pub(super) fn unreadable<E: Display>(path: &Path) -> impl FnOnce(E) -> Self + use<E> {
        let path = path.to_owned();
        move |error| Self::Unreadable { path, problem: error.to_string() }
    }

    /// A file cannot be written, after what takes time was done.
    pub(super) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Write { path, source }
    }

    /// The exit code.
    pub(super) fn exit(&self) -> ExitCode {
        match self {
            // What the user cannot fix with other arguments.
            Self::Report(_)
            | Self::Write { .. }
            | Self::Stdout(_)
            | Self::OwnProgram(_)
            | Self::Runtime(_)
            | Self::Listen { .. }
            | Self::NotConnected(_)
            | Self::Schema(SchemaSourceError::Unreachable { .. })
            | Self::Serve(_) => ExitCode::NotRun,
            // The server under test made it fail: a verdict.
            Self::ReferenceClient(_) | Self::Answer(_) => ExitCode::Failed,
            _ => ExitCode::Usage,
        }
    }

    /// Further advice for the user.
    pub(super) fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Selection { source: UsageError::UnknownScenario { .. }, .. }
            | Self::NoMatch { option: "--scenario", .. } => {
                Some("`mcp-test list` lists the scenarios")
            }
            Self::Selection { source: UsageError::OfOtherSide { tests, .. }, .. } => {
                Some(match tests {
                    TestedSide::Server => "`mcp-test server` and `mcp-test check` test servers",
                    TestedSide::Client => "`mcp-test client` tests clients",
                    TestedSide::Authorization => {
                        "`mcp-test authorization` tests authorization servers"
                    }
                })
            }
            Self::UnknownLint { .. } => Some("`mcp-test cases lint --list` lists them"),
            Self::Unknown { .. } => Some("see `mcp-test list` and `mcp-test requirements WORD`"),
            _ => None,
        }
    }
}
