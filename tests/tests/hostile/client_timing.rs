//! Verdicts on how long a client waits: the same each time, also while all cores are busy.

use mcp_test::client::ScriptedClient;
use mcp_test::client::reference::good_client;
use mcp_test::scenario::{Peer, ProofFault, TestedSide};
use mcp_test::transport::TransportKind;
use mcp_test_suite::scenarios;

use crate::repeats::{BusyCores, repeats};
use crate::scenario_run::{NO_TIMEOUT, run_scenarios, scenario_runs};

/// How many clients are tested at the same time.
const AT_ONCE: usize = 4;

/// The scenarios that measure how long a client waits.
const TIMED: [&str; 2] = ["sse-retry", "client-task-polling"];

/// The client that is shown to break a check.
fn client_of_proof(scenario: &str, check: &str) -> ScriptedClient {
    let found = scenarios::find(TestedSide::Client, scenario).expect("a scenario for clients");
    let proofs = found.proofs.expect("a built-in scenario has proofs")();
    let made = proofs.proofs.into_iter().find_map(|proof| match proof.fault {
        ProofFault::Peer { make, .. } if proof.check == check => Some(make()),
        ProofFault::Peer { .. } | ProofFault::Wire(_) => None,
    });
    match made {
        Some(Peer::Client(client)) => client,
        _ => panic!("{scenario} has no proof of {check} with a client"),
    }
}

/// The checks that fail or warn when the client of `make` is tested once more.
fn failing(scenario: &str, make: impl Fn() -> ScriptedClient) -> Vec<String> {
    let run = run_scenarios(
        make().target(),
        &scenario_runs(scenario, &[], TransportKind::Http),
        NO_TIMEOUT,
    );
    assert!(!run.outcomes.is_empty(), "{}", run.report());
    let failing = run.outcomes.iter().flat_map(|outcome| &outcome.checks);
    let failing = failing.filter(|check| check.status.is_failing());
    failing.map(|check| check.id.clone()).collect()
}

/// Tests the client again and again while all cores are busy; these checks fail or warn each time.
#[track_caller]
fn assert_one_verdict(scenario: &str, make: impl Fn() -> ScriptedClient + Sync, expected: &[&str]) {
    let _busy = BusyCores::start();
    let mut left = repeats();
    while left > 0 {
        let count = left.min(AT_ONCE);
        left -= count;
        let found: Vec<Vec<String>> = std::thread::scope(|scope| {
            let runs: Vec<_> =
                (0..count).map(|_| scope.spawn(|| failing(scenario, &make))).collect();
            runs.into_iter().map(|run| run.join().expect("no panic")).collect()
        });
        for found in found {
            assert_eq!(found, expected, "{scenario}, with {left} runs left");
        }
    }
}

#[test]
fn a_client_that_waits_gets_one_verdict() {
    for scenario in TIMED {
        assert_one_verdict(scenario, good_client, &[]);
    }
}

#[test]
fn a_client_that_does_not_wait_gets_one_verdict() {
    for (scenario, check) in [
        ("sse-retry", "client-sse-retry-timing"),
        ("client-task-polling", "client-keeps-poll-interval"),
        ("client-task-polling", "client-adapts-poll-interval"),
    ] {
        assert_one_verdict(scenario, || client_of_proof(scenario, check), &[check]);
    }
}
