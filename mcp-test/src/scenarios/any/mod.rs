//! Scenarios for any server, without fixtures: by page of the specification, on what the server declares and lists.
//!
//! The official suite has none of them.

pub mod caching;
pub mod cancellation;
pub mod completion;
pub mod logging;
pub mod ping;
pub mod progress;
pub mod subscriptions;
pub mod tools;

use crate::scenario::Scenario;

/// The scenarios of each page, in the order of reports.
static PAGES: &[&[&Scenario]] = &[
    tools::ALL,
    completion::ALL,
    logging::ALL,
    caching::ALL,
    ping::ALL,
    cancellation::ALL,
    progress::ALL,
    subscriptions::ALL,
];

/// Every scenario for any server, in the order of reports.
pub(super) fn all() -> impl Iterator<Item = &'static &'static Scenario> {
    PAGES.iter().copied().flatten()
}
