//! The built-in scenarios, one file each, by subject: for servers and clients, official ones and our own.
//!
//! A folder has the scenarios of one part of the specification, and what only these use; what several parts use lies beside the
//! folders.

use std::sync::LazyLock;

use mcp_test_core::check::Finding;
use mcp_test_core::run::{self, CitingCheck};
use mcp_test_core::scenario::{Scenario, TestedSide};
use mcp_test_core::server::reference::everything;
use mcp_test_core::server::{Rule, Server};
use mcp_test_core::spec::{Era, Requirement, Revision};

#[macro_use]
mod declarations;

pub mod authorization;
pub mod base;
pub mod caching;
pub mod completion;
mod content;
pub mod elicitation;
mod exchange;
pub mod fixtures;
pub mod http;
mod http_exchange;
mod input_requests;
pub mod lifecycle;
mod links;
mod listing_client;
mod listing_server;
pub mod lists;
pub mod logging;
mod matchers;
pub mod multi_round_trip;
mod nothing_tested;
mod official_order;
mod prelude;
pub mod prompts;
mod raw_http;
mod reaction;
mod references;
mod refusal;
pub mod resources;
pub mod roots;
pub mod sampling;
mod sdk_answers;
mod server_messages;
pub mod skills;
pub mod sse;
pub mod stdio;
pub mod subscriptions;
pub mod tasks;
pub mod tools;
pub mod utilities;
pub mod versioning;
mod without_id;

/// The scenarios of each subject, in the order of reports for our own.
static SUBJECTS: &[&[&Scenario]] = &[
    lifecycle::ALL,
    versioning::ALL,
    base::ALL,
    utilities::ALL,
    lists::ALL,
    tools::ALL,
    resources::ALL,
    prompts::ALL,
    completion::ALL,
    logging::ALL,
    subscriptions::ALL,
    caching::ALL,
    multi_round_trip::ALL,
    roots::ALL,
    elicitation::ALL,
    sampling::ALL,
    tasks::ALL,
    skills::ALL,
    stdio::ALL,
    http::ALL,
    sse::ALL,
    authorization::protected_server::ALL,
    authorization::client::ALL,
    authorization::authorization_server::ALL,
];

/// Every scenario, in the order of reports.
static IN_ORDER: LazyLock<Vec<&'static Scenario>> = LazyLock::new(|| {
    let mut all: Vec<_> = SUBJECTS.iter().copied().flatten().copied().collect();
    // Stable: what the official suite does not have keeps the order of its subjects.
    all.sort_by_key(|scenario| official_order::place(scenario));
    all
});

/// Every built-in scenario, in the order of reports: by tested side, first those of the official suite in its order.
pub fn all() -> impl Iterator<Item = &'static Scenario> {
    IN_ORDER.iter().copied()
}

/// The built-in scenario with this id.
#[must_use]
pub fn find(tested_side: TestedSide, id: &str) -> Option<&'static Scenario> {
    all().find(|scenario| scenario.tested_side == tested_side && scenario.id == id)
}

/// The checks of the built-in scenarios that may cite a requirement.
#[must_use]
pub fn citing_checks(requirement: &Requirement) -> Vec<CitingCheck> {
    run::citing_checks(all(), requirement)
}

/// The checks of the built-in scenarios that may cite a requirement about a side under test.
#[must_use]
pub fn citing_checks_of(tested_side: TestedSide, requirement: &Requirement) -> Vec<CitingCheck> {
    run::citing_checks_of(all(), tested_side, requirement)
}

/// `Ok` if the condition holds, otherwise the finding.
fn ensure(holds: bool, otherwise: impl FnOnce() -> Finding) -> Result<(), Finding> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// A request without any effect that every server of the revision answers.
const fn always_answered(revision: Revision) -> &'static str {
    match revision.era() {
        Era::Handshake => "ping",
        Era::Stateless => "server/discover",
    }
}

/// The reference server with other responses: the faulty peer of a proof.
fn reference_server_with(rules: impl IntoIterator<Item = Rule>) -> Server {
    let server = everything();
    rules.into_iter().for_each(|rule| server.mount(rule));
    server
}

#[cfg(test)]
mod tests;
