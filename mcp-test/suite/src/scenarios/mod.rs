//! The built-in scenarios, one file each.
//!
//! They are listed in the order of reports, which is that of the official suite; those of mcp-test follow, by page of the
//! specification.

use mcp_test_core::check::Finding;
use mcp_test_core::run::{self, CitingCheck};
use mcp_test_core::scenario::{Scenario, TestedSide};
use mcp_test_core::server::reference::everything;
use mcp_test_core::server::{Rule, Server};
use mcp_test_core::spec::{Era, Requirement, Revision};

#[macro_use]
mod declarations;

pub mod any;
pub mod any_client;
pub mod authorization;
pub mod client;
mod completion_values;
mod extension_id;
pub mod fixtures;
mod input_rounds;
mod links;
mod matchers;
mod prelude;
mod raw_http;
mod refusal;
mod schema_keywords;
mod sdk_answers;
pub mod server;
mod task_judging;
mod task_states;

/// Every built-in scenario, in the order of reports.
pub fn all() -> impl Iterator<Item = &'static Scenario> {
    let authorization = authorization::ALL;
    let of_servers = server::all().chain(any::all());
    let of_clients = client::all().chain(any_client::all());
    of_servers.chain(of_clients).chain(authorization).copied()
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
