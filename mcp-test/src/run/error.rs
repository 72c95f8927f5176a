//! What is wrong with how a run was asked for.

use std::io;
use std::path::PathBuf;

use crate::scenario::{Leg, Suite, suite_names};
use crate::transport::CarrierKind;

/// A run was asked for in a way that makes no sense; nothing was run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UsageError {
    /// No scenario has this id.
    #[error("there is no scenario `{id}`{}", did_you_mean(.suggestion.as_deref()))]
    UnknownScenario {
        /// The id.
        id: String,
        /// The one that may be meant.
        suggestion: Option<String>,
    },
    /// The scenario is one of the other side.
    #[error("scenario `{id}` tests a {}, not a {leg}", .leg.other())]
    OfOtherSide {
        /// The id.
        id: String,
        /// The side under test.
        leg: Leg,
    },
    /// The suite is one of the other side.
    #[error("there is no suite `{suite}` for {leg}s; there are {}", suite_names(*.leg))]
    NoSuchSuite {
        /// The suite.
        suite: Suite,
        /// The side under test.
        leg: Leg,
    },
    /// No scenario exists in this suite at these revisions and over these carriers.
    #[error("no scenario of this suite exists at these revisions and over these transports")]
    NothingSelected,
    /// The target is not reachable over this carrier.
    #[error("the target has no transport {carrier}; it has {}", list(.has))]
    NoSuchCarrier {
        /// The carrier.
        carrier: CarrierKind,
        /// Those that it has.
        has: Vec<CarrierKind>,
    },
    /// The baseline cannot be used.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
}

/// A baseline cannot be read, or does not say what a baseline says.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The file cannot be read.
    #[error("cannot read the baseline {}: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file does not say what a baseline says.
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

fn list(carriers: &[CarrierKind]) -> String {
    carriers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
