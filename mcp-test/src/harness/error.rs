//! Why a scenario cannot be played at all, before anything is said to its target.

use std::io;

use crate::process::SpawnError;
use crate::scenario::SeveralDefaultTargets;

/// Why a scenario cannot be played at all: the fault of its author, or of the environment.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unplayable {
    /// Nothing says what is to be tested.
    #[error(
        "there is no target to test. Name one in one of three ways:\n\
         - `mcp_test::target!(my_server);` once in this test binary\n\
         - `target = my_server` among the options of `#[mcp_scenario]` or `cases!`\n\
         - the environment variable MCP_TEST_COMMAND (a command line that speaks over stdio) or MCP_TEST_URL"
    )]
    NoTarget,
    /// More than one default target.
    #[error(transparent)]
    SeveralTargets(#[from] SeveralDefaultTargets),
    /// The target function itself panicked.
    #[error("the target could not be made: its function panicked: {0}")]
    TargetPanicked(String),
    /// An environment variable has a value that means nothing.
    #[error("{name} is `{value}`; expected {expected}")]
    Variable {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        expected: &'static str,
    },
    /// `MCP_TEST_COMMAND` is no command line.
    #[error("MCP_TEST_COMMAND: {0}")]
    Command(SpawnError),
    /// `MCP_TEST_URL` is set, and HTTP is not compiled in.
    #[error("MCP_TEST_URL is set, but `mcp-test` was built without its feature `http`")]
    NoHttp,
    /// A word in the attribute is not understood.
    #[error("{option} of `#[mcp_scenario]`: {problem}")]
    Option {
        /// The option.
        option: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// The operating system refused what a test needs.
    #[error("no {what} can be had for the test")]
    Refused {
        /// What was refused.
        what: &'static str,
        /// Why.
        source: io::Error,
    },
}
