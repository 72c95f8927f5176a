//! The built-in scenarios: a file each.
//!
//! The table is also the order of reports, which is that of the official suite.

pub mod client;
pub mod server;

use crate::scenario::{Leg, Scenario};

/// Every built-in scenario, in the order of reports.
pub fn all() -> impl Iterator<Item = &'static Scenario> {
    server::ALL.iter().chain(client::ALL).copied()
}

/// The built-in scenario of this side and id.
#[must_use]
pub fn find(leg: Leg, id: &str) -> Option<&'static Scenario> {
    all().find(|scenario| scenario.leg == leg && scenario.id == id)
}

#[cfg(test)]
mod tests;
