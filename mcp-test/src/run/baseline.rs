//! The failures that are expected, and how a run compares with them.
//!
//! The file format is that of the official suite: a YAML mapping with the lists `server` and `client`, whose entries
//! are `scenario` or `scenario:check`.

use std::path::Path;

use super::{BaselineError, Outcome};
use crate::scenario::{Leg, Scenario};

/// One entry: a scenario that may fail, or one check of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The section that it stands in.
    pub leg: Leg,
    /// The scenario.
    pub scenario: String,
    /// The check, if only that one may fail.
    pub check: Option<String>,
    /// The line, from 1.
    pub line: usize,
}

/// The failures that are expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baseline {
    file: String,
    entries: Vec<Entry>,
}

/// How a run compares with a baseline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Entries that failed, as expected.
    pub expected: Vec<String>,
    /// Entries that passed, and should be removed.
    pub stale: Vec<String>,
    /// What failed without an entry.
    pub unexpected: Vec<String>,
}

