//! Scenarios that share a connection have the same verdicts there as on one of their own, on good peers and on damaged ones.

use std::num::NonZeroUsize;
use std::time::Duration;

use super::{block_on, cell, damaged, plan, proofs, statuses, tested};
use crate::run::cell_run::{CellFacts, run_cell};
use crate::run::connection_pool::ConnectionPool;
use crate::run::connection_pool::tests::in_turn;
use crate::run::{Cell, Tested};
use crate::scenario::{Leg, Peer, Profile};
use crate::scenarios;
use crate::transport::TransportKind;

/// How many runs take turns on a connection: what one leaves behind shows in the next.
const TURNS: usize = 3;

/// What is different on a shared connection.
async fn differences(peer: &Peer, cell: Cell, timeout: Option<Duration>) -> Vec<String> {
    let plan = plan(peer, &cell.scenario, Profile::Adaptive);
    let timeout = timeout.unwrap_or(plan.timeout);
    let plan = plan.jobs(NonZeroUsize::new(2).expect("two")).timeout(timeout);
    let own = run_cell(&plan, cell.clone(), CellFacts::default()).await;
    let Tested::Server(target) = tested(peer) else { return Vec::new() };
    let pool = ConnectionPool::new(&plan, &target).over(TransportKind::Duplex);
    let shared = in_turn(&plan, &pool, &vec![cell.clone(); TURNS]).await;
    let own = statuses(&own);
    let differs = shared.iter().map(statuses).filter(|shared| *shared != own);
    differs.map(|shared| format!("{cell}: {own:?}, shared {shared:?}")).collect()
}

#[test]
fn every_proof_holds_on_a_shared_connection() {
    let mut broken = Vec::new();
    let mut count = 0;
    for scenario in scenarios::all().filter(|it| it.leg == Leg::Server) {
        let shares = scenario.shares_connection;
        if shares.is_empty() {
            continue;
        }
        let proofs = proofs(scenario);
        let peer = (proofs.peer)();
        for revision in scenario.revisions.intersection(shares).iter() {
            let transport = TransportKind::Duplex;
            let cell = Cell { scenario: scenario.into(), revision, transport };
            broken.extend(block_on(differences(&peer, cell, None)));
        }
        for proof in &proofs.proofs {
            let cell = Cell { transport: TransportKind::Duplex, ..cell(scenario, proof) };
            if !shares.contains(cell.revision) {
                continue;
            }
            let peer = damaged(&peer, &proof.damage);
            broken.extend(block_on(differences(&peer, cell, proof.timeout)));
            count += 1;
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(count > 20, "{count} proofs");
}
