//! Errors in the parameters of a run.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use crate::expect::words;
use crate::scenario::{Suite, TestedSide, suite_names};
use crate::spec::Revision;
use crate::transport::TransportKind;

/// Why a run is not possible with these parameters.
#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    /// No scenario has this id.
    #[error("there is no scenario `{id}`{}", did_you_mean(.suggestion.as_deref()))]
    UnknownScenario {
        /// The id.
        id: String,
        /// A similar id.
        suggestion: Option<String>,
    },
    /// The scenario has another id now.
    #[error("scenario `{id}` is now called {}", words::list(.now.iter().map(|id| format!("`{id}`")), "and"))]
    Renamed {
        /// The former id.
        id: String,
        /// The scenarios that took its place.
        now: &'static [&'static str],
    },
    /// The scenario tests the other side.
    #[error("scenario `{id}` tests {}, not {}", .tests.with_article(), .tested_side.with_article())]
    OfOtherSide {
        /// The id.
        id: String,
        /// The side under test.
        tested_side: TestedSide,
        /// The side that it tests.
        tests: TestedSide,
    },
    /// No scenario tests such a page of the specification.
    #[error("there is no page `{page}`; there are {}", .known.join(", "))]
    UnknownPage {
        /// The page.
        page: String,
        /// Those that exist.
        known: Vec<&'static str>,
    },
    /// The suite belongs to the other side.
    #[error("there is no suite `{suite}` for {tested_side}s; there are {}", suite_names(*.tested_side))]
    NoSuchSuite {
        /// The suite.
        suite: Suite,
        /// The side under test.
        tested_side: TestedSide,
    },
    /// Some scenarios of a set do not exist in mcp-test, so that a run would not say what the set says.
    #[error(
        "mcp-test does not have {} of the {of} scenarios for {tested_side}s in the set of {revision}, such as {}",
        .missing.len(),
        words::list(.missing.iter().take(3), "and")
    )]
    IncompleteSet {
        /// The revision of the set.
        revision: Revision,
        /// The side under test.
        tested_side: TestedSide,
        /// The ids of these scenarios.
        missing: Vec<&'static str>,
        /// How many scenarios the set has for the side.
        of: usize,
    },
    /// No scenario exists in this suite at these revisions and over these transports.
    #[error("no scenario of this suite exists at these revisions and over these transports")]
    NothingSelected,
    /// The target is not reachable over this transport.
    #[error("the target has no transport {transport}; it has {}", list(.has))]
    NoSuchTransport {
        /// The transport.
        transport: TransportKind,
        /// Those that it has.
        has: Vec<TransportKind>,
    },
    /// The baseline cannot be used.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
}

/// Why a baseline cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The file cannot be read.
    #[error("cannot read the baseline {}: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not a baseline.
    #[error("{file}:{line}: {problem}")]
    Invalid {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        problem: String,
    },
}

pub(super) fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

impl UsageError {
    /// The error about a page that is not among these.
    pub(super) fn unknown_page(page: &str, known: impl Iterator<Item = &'static str>) -> Self {
        let known: BTreeSet<&'static str> = known.collect();
        Self::UnknownPage { page: page.to_owned(), known: known.into_iter().collect() }
    }
}

fn list(transports: &[TransportKind]) -> String {
    transports.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
