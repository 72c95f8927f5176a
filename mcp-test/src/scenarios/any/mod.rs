//! Scenarios for any server, without fixtures: by page of the specification, on what the server declares and lists.
//!
//! The official suite has none of them.

pub mod tasks;
pub mod tools;

use crate::scenario::Scenario;

/// The scenarios of each page, in the order of reports.
static PAGES: &[&[&Scenario]] = &[tools::ALL, tasks::ALL];

/// Every scenario for any server, in the order of reports.
pub(super) fn all() -> impl Iterator<Item = &'static &'static Scenario> {
    PAGES.iter().copied().flatten()
}
