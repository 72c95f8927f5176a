//! Scenarios that share a connection have the same verdicts there as on one of their own, on good peers and on faulty ones.

use std::num::NonZeroUsize;
use std::time::Duration;

use mcp_test_core::clock::virtual_time;
use mcp_test_core::run::connection_pool::ConnectionPool;
use mcp_test_core::run::execution::{ScenarioRunFacts, run_scenario};
use mcp_test_core::run::{ScenarioRun, Tested};
use mcp_test_core::scenario::{Peer, Profile, Scenario, TestedSide};
use mcp_test_core::transport::TransportKind;
use mcp_test_suite::scenarios;

use crate::in_turn::in_turn;
use crate::runs::{faulty_peer, plan, proofs, scenario_run, statuses, tested};

/// How many runs take turns on a connection: what one leaves behind shows in the next.
const TURNS: usize = 3;

/// What is different on a shared connection.
async fn differences(
    peer: &Peer,
    scenario_run: ScenarioRun,
    timeout: Option<Duration>,
) -> Vec<String> {
    let plan = plan(peer, &scenario_run.scenario, Profile::Adaptive);
    let timeout = timeout.unwrap_or(plan.timeout);
    let plan = plan.jobs(NonZeroUsize::new(2).expect("two")).timeout(timeout);
    let own = run_scenario(&plan, scenario_run.clone(), ScenarioRunFacts::default()).await;
    let Tested::Server(target) = tested(peer) else { return Vec::new() };
    let pool = ConnectionPool::new(&plan, &target).over(TransportKind::Duplex);
    let shared = in_turn(&plan, &pool, &vec![scenario_run.clone(); TURNS]).await;
    let own = statuses(&own);
    let differs = shared.iter().map(statuses).filter(|shared| *shared != own);
    differs.map(|shared| format!("{scenario_run}: {own:?}, shared {shared:?}")).collect()
}

/// What is different for a scenario that shares connections.
pub(crate) fn differences_of(scenario: &'static Scenario) -> Vec<String> {
    let shares = scenario.shares_connection;
    if scenario.tested_side != TestedSide::Server || shares.is_empty() {
        return Vec::new();
    }
    let mut broken = Vec::new();
    let proofs = proofs(scenario);
    let peer = (proofs.peer)();
    for revision in scenario.revisions.intersection(shares).iter() {
        let transport = TransportKind::Duplex;
        let scenario_run = ScenarioRun { scenario: scenario.into(), revision, transport };
        broken.extend(virtual_time::block_on(differences(&peer, scenario_run, None)));
    }
    for proof in &proofs.proofs {
        let scenario_run =
            ScenarioRun { transport: TransportKind::Duplex, ..scenario_run(scenario, proof) };
        if shares.contains(scenario_run.revision) {
            let peer = faulty_peer(&peer, &proof.fault);
            broken.extend(virtual_time::block_on(differences(&peer, scenario_run, proof.timeout)));
        }
    }
    broken
}

/// Many proofs are repeated on a shared connection.
pub(crate) fn many_proofs_share_a_connection() {
    let shared = scenarios::all()
        .filter(|scenario| scenario.tested_side == TestedSide::Server)
        .flat_map(|scenario| {
            let shares = scenario.shares_connection;
            let proofs = proofs(scenario).proofs;
            proofs
                .into_iter()
                .filter(move |proof| shares.contains(scenario_run(scenario, proof).revision))
        });
    let count = shared.count();
    assert!(count > 20, "{count} proofs");
}
