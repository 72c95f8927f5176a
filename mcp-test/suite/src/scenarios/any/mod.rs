//! Scenarios for any server, without fixtures: by page of the specification, on what the server declares and lists.
//!
//! The official suite has none of them.

pub mod authorization;
pub mod base;
pub mod caching;
pub mod cancellation;
pub mod completion;
pub mod elicitation;
pub mod http;
mod invalid_message;
pub mod lifecycle;
pub mod lists;
pub mod logging;
pub mod mrtr;
pub mod ping;
pub mod progress;
pub mod prompts;
pub mod resources;
pub mod roots;
pub mod sampling;
pub mod sse;
pub mod stdio;
pub mod subscriptions;
pub mod tasks;
pub mod tools;
pub mod versioning;
mod without_id;

use mcp_test_core::expect::words::excerpt;
use mcp_test_core::scenario::Scenario;

use crate::scenarios::prelude::*;

/// The scenarios of each page, in the order of reports.
static PAGES: &[&[&Scenario]] = &[
    lifecycle::ALL,
    versioning::ALL,
    base::ALL,
    ping::ALL,
    cancellation::ALL,
    progress::ALL,
    lists::ALL,
    tools::ALL,
    resources::ALL,
    prompts::ALL,
    completion::ALL,
    logging::ALL,
    subscriptions::ALL,
    caching::ALL,
    mrtr::ALL,
    roots::ALL,
    elicitation::ALL,
    sampling::ALL,
    tasks::ALL,
    stdio::ALL,
    http::ALL,
    sse::ALL,
    authorization::ALL,
];

/// Every scenario for any server, in the order of reports.
pub(super) fn all() -> impl Iterator<Item = &'static &'static Scenario> {
    PAGES.iter().copied().flatten()
}

/// After a call that takes longer, a scenario calls no further tool to find one that it can use.
const SLOW: Duration = Duration::from_secs(1);

/// Whether a call took so long that a scenario calls no further tool to find one that it can use.
fn is_slow(reply: &Reply) -> bool {
    reply.latency().is_none_or(|latency| latency > SLOW)
}

/// Opens the stream that an HTTP server may have for messages of its own, since it may send its requests there.
async fn receive_requests(ctx: &mut Ctx) -> Result<(), Finding> {
    // Other scenarios judge how it is refused.
    let _has_stream = ctx.client().await?.listen().await;
    Ok(())
}

/// A member of every object of JavaScript, which a server finds that looks up a name or URI in one.
const OBJECT_MEMBER: &str = "constructor";

/// The cause of all findings that a feature works which is not declared, whatever the method.
fn undeclared_served(capability: Capability) -> Cause {
    Cause::RequirementFor(Requirement::BASE_SERVER_FEATURES_ADVERTISED, capability.to_string())
}

/// Says why no check was made, if the server has nothing that any of them is about.
fn report_nothing_tested(ctx: &mut Ctx, scenario: &Scenario, reason: &str) {
    let revision = ctx.revision();
    let checks = || scenario.checks.iter().filter(|check| check.revisions.contains(revision));
    if checks().any(|check| ctx.has_checked(&check.id)) {
        return;
    }
    let first = checks().next().map(|check| check.id.clone());
    if let Some(first) = first {
        let slow = match scenario.needs.contains(&Need::Any(ItemKind::Tool)) {
            true => ctx.slow_tools(),
            false => Vec::new(),
        };
        let reason = match slow.is_empty() {
            true => reason.to_owned(),
            false => format!(
                "{reason}, except slow ones, which are called once in a run: {}",
                slow.iter().map(|name| excerpt(name)).collect::<Vec<_>>().join(", ")
            ),
        };
        ctx.check(&first).info(reason);
    }
}
