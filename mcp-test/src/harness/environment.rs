//! The environment variables that the harness reads.
//!
//! | variable | meaning |
//! |---|---|
//! | `MCP_TEST_COMMAND` | the target is the server that this command line starts, over stdio |
//! | `MCP_TEST_URL` | the target is the server at this URL; with `MCP_TEST_COMMAND`, that command starts it |
//! | `MCP_TEST_TIMEOUT` | how long one run of a scenario may take: `500ms`, `5s`, `2m` |
//! | `MCP_TEST_RECORD` | a directory, relative to the package: each run of a scenario is recorded in a file there |
//! | `MCP_TEST_KNOWN` | with `strict`, a known violation that no longer occurs fails its test; otherwise it is reported |
//! | `MCP_TEST_WRITE_BASELINE` | with `1`, `conformance(…).baseline(…)` writes what fails to its file instead of comparing with it |
//! | `MCP_TEST_INPUT_<NAME>` | the value of an input of cases without another value; the name in capitals, with `_` for everything but letters and digits |
//! | `RUST_TEST_THREADS` | how many trials run at the same time, as for libtest |
//! | `NEXTEST` | nextest's own, set where it runs a test: the report of a failure is printed in the form that it recognizes |
//! | `INSTA_OUTPUT` | insta's own; where it hides differences, mcp-test shows them |

#[cfg(feature = "harness")]
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mcp_test_core::clock;
use mcp_test_core::trace::secrets_in_environment;

use super::InvalidTest;

/// What becomes of known violations that no longer occur.
const KNOWN: &str = "MCP_TEST_KNOWN";

/// The settings that the environment has for a test.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Environment {
    pub(super) command: Option<String>,
    pub(super) url: Option<String>,
    pub(super) timeout: Option<Duration>,
    /// Whether insta does not show how a snapshot differs.
    pub(super) insta_is_quiet: bool,
    /// Whether a known violation that no longer occurs fails its test.
    pub(super) known_is_strict: bool,
    /// The directory in which each run of a scenario is recorded.
    pub(super) record: Option<PathBuf>,
    /// The secrets in it, which a server may inherit and repeat.
    pub(super) secrets: Arc<[String]>,
}

impl Environment {
    pub(super) fn read() -> Result<Self, InvalidTest> {
        let variables = std::env::vars_os()
            .filter_map(|(name, it)| Some((name.into_string().ok()?, it.into_string().ok()?)));
        Ok(Self { secrets: secrets_in_environment(variables).into(), ..Self::from(&variable)? })
    }

    // By a function, since a test cannot set variables without affecting tests on other threads.
    fn from(lookup: &dyn Fn(&str) -> Option<String>) -> Result<Self, InvalidTest> {
        let timeout = match lookup("MCP_TEST_TIMEOUT") {
            None => None,
            Some(text) => Some(clock::parse_duration(&text).ok_or(InvalidTest::Variable {
                name: "MCP_TEST_TIMEOUT",
                value: text,
                expected: "a whole number above zero with its unit, `ms`, `s` or `m`: 500ms, 5s",
            })?),
        };
        let known_is_strict = is_set(lookup, KNOWN, "strict")?;
        let record = lookup("MCP_TEST_RECORD").filter(|folder| !folder.is_empty());
        Ok(Self {
            known_is_strict,
            record: record.map(PathBuf::from),
            secrets: Arc::default(),
            command: lookup("MCP_TEST_COMMAND"),
            url: lookup("MCP_TEST_URL"),
            timeout,
            insta_is_quiet: matches!(
                lookup("INSTA_OUTPUT").as_deref(),
                Some("none" | "minimal" | "summary")
            ),
        })
    }
}

/// Whether a variable has the only value that it may have.
fn is_set(
    lookup: &dyn Fn(&str) -> Option<String>,
    name: &'static str,
    expected: &'static str,
) -> Result<bool, InvalidTest> {
    match lookup(name) {
        None => Ok(false),
        Some(value) if value == expected => Ok(true),
        Some(value) => Err(InvalidTest::Variable { name, value, expected }),
    }
}

/// Whether a known violation that no longer occurs fails a test.
#[cfg(feature = "harness")]
pub(super) fn known_is_strict() -> Result<bool, InvalidTest> {
    is_set(&variable, KNOWN, "strict")
}

/// Whether built-in scenarios write their baseline.
#[cfg(feature = "harness")]
pub(super) fn writes_baseline() -> Result<bool, InvalidTest> {
    is_set(&variable, "MCP_TEST_WRITE_BASELINE", "1")
}

/// Whether nextest runs this test.
pub(super) fn is_nextest() -> bool {
    variable("NEXTEST").is_some()
}

/// How many trials run at the same time, by `RUST_TEST_THREADS`.
#[cfg(feature = "harness")]
pub(super) fn test_threads() -> Result<Option<NonZeroUsize>, InvalidTest> {
    threads(variable("RUST_TEST_THREADS"))
}

#[cfg(feature = "harness")]
fn threads(value: Option<String>) -> Result<Option<NonZeroUsize>, InvalidTest> {
    let Some(value) = value else { return Ok(None) };
    let threads = value.parse().map(Some);
    threads.map_err(|_| InvalidTest::Variable {
        name: "RUST_TEST_THREADS",
        value,
        expected: "a positive whole number",
    })
}

/// The value of a variable that is set, and not blank: in CI an optional variable is often set to nothing.
pub(super) fn variable(name: &str) -> Option<String> {
    let value = std::env::var_os(name)?;
    let value = value.to_string_lossy().trim().to_owned();
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Environment, InvalidTest> {
        Environment::from(&|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn variables_become_settings() {
        let environment = read(&[
            ("MCP_TEST_COMMAND", "npx server"),
            ("MCP_TEST_TIMEOUT", "1500ms"),
            ("INSTA_OUTPUT", "none"),
            ("MCP_TEST_KNOWN", "strict"),
            ("MCP_TEST_RECORD", "recorded"),
        ]);
        let expected = Environment {
            command: Some("npx server".to_owned()),
            url: None,
            timeout: Some(Duration::from_millis(1500)),
            insta_is_quiet: true,
            known_is_strict: true,
            record: Some(PathBuf::from("recorded")),
            secrets: Arc::default(),
        };
        assert_eq!(environment.ok(), Some(expected));
        assert_eq!(read(&[]).ok(), Some(Environment::default()));
    }

    #[test]
    fn a_timeout_has_a_unit() {
        let error = read(&[("MCP_TEST_TIMEOUT", "5")]).expect_err("no unit");
        insta::assert_snapshot!(error, @"MCP_TEST_TIMEOUT is `5`; expected a whole number above zero with its unit, `ms`, `s` or `m`: 500ms, 5s");
    }

    #[test]
    fn a_value_that_means_nothing_is_an_error() {
        let error = read(&[("MCP_TEST_KNOWN", "strickt")]).expect_err("a typing error");
        insta::assert_snapshot!(error, @"MCP_TEST_KNOWN is `strickt`; expected strict");
    }

    #[cfg(feature = "harness")]
    #[test]
    fn threads_are_at_least_one() {
        assert_eq!(threads(Some("3".to_owned())).ok(), Some(NonZeroUsize::new(3)));
        assert_eq!(threads(None).ok(), Some(None));
        let error = threads(Some("0".to_owned())).expect_err("zero");
        insta::assert_snapshot!(error, @"RUST_TEST_THREADS is `0`; expected a positive whole number");
    }
}
