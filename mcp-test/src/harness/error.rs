//! Why a scenario cannot be run at all, before anything is sent to its target.

#[cfg(feature = "cases")]
use std::sync::Arc;

use mcp_test_core::process::SpawnError;
use mcp_test_core::scenario::SeveralDefaultTargets;

/// Why a scenario cannot be run at all: the fault of its author, or of the environment.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidTest {
    /// No target is named.
    #[error(
        "no target to test; name one in one of three ways:\n\
         - `mcp_test::target!(my_server);` once in this test binary\n\
         - `target = my_server` among the options of `#[mcp_scenario]` or `cases!`\n\
         - the environment variable MCP_TEST_COMMAND (a command line that speaks over stdio) or MCP_TEST_URL"
    )]
    NoTarget,
    /// More than one default target.
    #[error(transparent)]
    SeveralTargets(#[from] SeveralDefaultTargets),
    /// The target function itself panicked.
    #[error("the function that makes the target panicked: {0}")]
    TargetPanicked(String),
    /// The target is made with the value of a setup, and its transports were needed before that has run.
    #[error(
        "`matrix` does not know the transports of a target or client that is made with the value of `setup`: \
         add `transports = [..]`"
    )]
    NoSetup,
    /// An environment variable has a value that is not valid.
    #[error("{name} is `{value}`; expected {expected}")]
    Variable {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
        /// What it may have.
        expected: &'static str,
    },
    /// `MCP_TEST_COMMAND` is not a command line.
    #[error("MCP_TEST_COMMAND: {0}")]
    Command(SpawnError),
    /// `MCP_TEST_URL` is set, and HTTP is not compiled in.
    #[error("MCP_TEST_URL is set, but `mcp-test` was built without its feature `http`")]
    NoHttp,
    /// An option of the attribute has a value that is not valid.
    #[error("{option} of `#[mcp_scenario]`: {problem}")]
    Option {
        /// The option.
        option: &'static str,
        /// What is wrong with it.
        problem: String,
    },
}

/// Why a test of `cases!` cannot be run.
#[cfg(feature = "cases")]
#[derive(Debug, thiserror::Error)]
pub(super) enum CaseTestError {
    /// The files cannot be read, or their cases cannot be played.
    #[error("{0}")]
    Unusable(Arc<mcp_test_core::Error>),
    /// The same, after another test has reported why.
    #[error("the cases of `{pattern}` cannot be read; `{reported_by}` reports why")]
    UnusableAsReported {
        /// The files, as the macro names them.
        pattern: &'static str,
        /// The other test.
        reported_by: String,
    },
    /// The case existed when the tests were compiled.
    #[error("the case no longer exists; `{0}` reports the differences")]
    Gone(String),
    /// `_only` in another case excludes it.
    #[error("`{0}` is not played while another case has `_only`")]
    Excluded(String),
    /// The file contains no case that a client has to fulfil.
    #[error("no case of {0} is demanded")]
    NothingDemanded(String),
}
