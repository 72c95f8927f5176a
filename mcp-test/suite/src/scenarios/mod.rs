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

/// Declares a module per scenario and lists the scenarios, so that none can be forgotten.
///
/// `name` is a file with one scenario, `name::{one, other}` a file with the table of these.
macro_rules! scenarios {
    ($($name:ident $(:: { $($row:ident),+ $(,)? })?),+ $(,)?) => {
        $(pub mod $name;)+

        /// The scenarios of this module, in the order of reports.
        pub(super) static ALL: &[&mcp_test_core::scenario::Scenario] =
            scenarios!(@listed [] $($name [$($($row),+)?])+);
    };
    (@listed [$($listed:tt)*]) => { &[$($listed)*] };
    (@listed [$($listed:tt)*] $name:ident [] $($rest:tt)*) => {
        scenarios!(@listed [$($listed)* &$name::SCENARIO,] $($rest)*)
    };
    (@listed [$($listed:tt)*] $name:ident [$($row:ident),+] $($rest:tt)*) => {
        scenarios!(@listed [$($listed)* $(&$name::$row::SCENARIO,)+] $($rest)*)
    };
}

/// Declares scenarios for clients that differ by little, in one file: what `scenario!` gets for all of them, and for each the rest of
/// that, what is served, how it is judged, and the proofs.
macro_rules! client_scenarios {
    (all: $common:tt $($name:ident { $($row:tt)* })+) => {
        $(#[doc = concat!("The scenario `", stringify!($name), "`.")]
        pub mod $name {
            use super::*;

            client_scenarios!(@row $common $($row)*);
        })+
    };
    (
        @row { $($common:tt)* }
        $(#[doc = $doc:literal])+
        $id:literal: $title:literal,
        checks: $checks:expr,
        serve: |$test:ident| $serve:expr,
        judge: |$judging:ident| $judge:expr,
        proofs: { $($proofs:tt)* } $(,)?
    ) => {
        scenario! {
            $(#[doc = $doc])+
            Client $id: $title,
            $($common)*
            checks: $checks,
        }

        fn serve($test: &ClientTest) -> Result<Server, Finding> {
            $serve
        }

        fn judge($judging: &mut Judging) -> Result<(), Finding> {
            $judge
        }

        proofs! { $($proofs)* }
    };
}

/// Declares the sources that official reports cite.
macro_rules! references {
    ($($name:ident = $id:literal, $url:literal;)+) => {
        $(pub(super) const $name: mcp_test_core::scenario::Reference =
            mcp_test_core::scenario::Reference { id: $id, url: $url };)+
    };
}

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
