//! The reference client with an variation, and what a run of scenarios reports of it.

use std::time::Duration;

use mcp_test_core::client::reference::good_client;
use mcp_test_core::run::{Plan, Selection, run};
use mcp_test_core::scenario::Profile;
use mcp_test_core::transport::Fault;
use mcp_test_suite::scenarios;

use super::clients::{ClientVariation, SCENARIOS};
use super::varied_server::failing;

/// What a run by the rules of this profile reports as a failure of the reference client with these variations.
pub(crate) fn failures(clients: &[&ClientVariation], profile: Profile) -> Vec<String> {
    let faults = clients.iter().flat_map(|client| client.faults);
    let faults = faults.map(|fault| fault.parse::<Fault>().expect(fault));
    let target = good_client().faults(faults).target();
    let selection =
        Selection { scenarios: SCENARIOS.map(str::to_owned).to_vec(), ..Selection::default() };
    let plan = Plan::build(scenarios::all(), target, profile, &selection);
    let plan = plan.expect("a plan").timeout(Duration::from_secs(20));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let summary = runtime.expect("a runtime").block_on(run(&plan, &mut |_| {}));
    failing(&summary).into_iter().map(|failure| format!("{profile}: {failure}")).collect()
}
