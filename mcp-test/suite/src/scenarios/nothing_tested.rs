//! What scenarios for servers do when there is nothing to test, or when it is slow.

use mcp_test_core::expect::words::excerpt;
use mcp_test_core::scenario::Scenario;

use crate::scenarios::prelude::*;

/// After a call that takes longer, a scenario calls no further tool to find one that it can use.
const SLOW: Duration = Duration::from_secs(1);

/// Whether a call took so long that a scenario calls no further tool to find one that it can use.
pub(super) fn is_slow(reply: &Reply) -> bool {
    reply.latency().is_none_or(|latency| latency > SLOW)
}

/// Says why no check was made, if the server has nothing that any of them is about.
pub(super) fn report_nothing_tested(ctx: &mut Ctx, scenario: &Scenario, reason: &str) {
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
