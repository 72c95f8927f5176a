//! The proofs of one scenario.
//!
//! The passing runs cover all scenario runs that need no other program, each proof covers one.

use std::collections::{BTreeMap, HashMap};

use mcp_test_core::check::{Status, TOOL_SCHEMAS};
use mcp_test_core::run::execution::{ScenarioRunFacts, run_scenario};
use mcp_test_core::run::{Outcome, ScenarioRun};
use mcp_test_core::scenario::{CheckSpec, Peer, Profile, Proof, Scenario, TestedSide, Transports};
use mcp_test_core::spec::Revision;
use mcp_test_core::transport::TransportKind;
use mcp_test_suite::scenarios;

use crate::on_shared_connections;
use crate::other_changes::{self, OtherChanges};
use crate::runs::{
    bad_outcome, block_on, has_port, outcome, plan, proofs, scenario_run, statuses, target_at,
    tested,
};
use crate::unfounded::unfounded;

/// The statuses of a scenario on its good peer, by scenario run and profile: each run is made once.
type GoodRuns = HashMap<(Revision, TransportKind, Profile), BTreeMap<String, Status>>;

/// What is wrong with the proofs of a scenario.
///
/// # Panics
///
/// Panics if nothing is wrong, but a fault changes other checks than it did.
pub(crate) fn prove(scenario: &'static Scenario) -> Vec<String> {
    let mut good = GoodRuns::new();
    let mut broken = passing_runs(scenario, &mut good);
    broken.extend(passing_runs_over_a_socket(scenario));
    broken.extend(on_shared_connections::differences_of(scenario));
    broken.extend(faulty_runs(scenario, &mut good, broken.is_empty()));
    broken
}

/// The problems of the runs on the good peer, over all transports within this machine.
fn passing_runs(scenario: &'static Scenario, good: &mut GoodRuns) -> Vec<String> {
    let mut broken = Vec::new();
    let peer = (proofs(scenario).peer)();
    let revisions: Vec<Revision> = scenario.revisions.iter().collect();
    for revision in revisions.iter().copied() {
        let transports = tested(&peer).transports();
        for transport in transports.into_iter().filter(|it| scenario.transports.contains(*it)) {
            let profiles: &[Profile] = match transport {
                // Each run starts processes. What a pipe carries as well is shown over that.
                TransportKind::Stdio
                    if scenario.transports.contains(TransportKind::Duplex)
                        || !scenario.repeats.runs_at(revision, &revisions) =>
                {
                    &[]
                }
                TransportKind::Stdio => &[Profile::Strict],
                _ => &Profile::ALL,
            };
            for profile in profiles.iter().copied() {
                let scenario_run = ScenarioRun { scenario: scenario.into(), revision, transport };
                let outcome = outcome(&peer, scenario_run.clone(), profile);
                broken.extend(problems(&scenario_run, profile, &outcome));
                good.insert((revision, transport, profile), owned_statuses(&outcome));
            }
        }
    }
    broken
}

/// The problems of the runs on the good peer that need a port.
fn passing_runs_over_a_socket(scenario: &'static Scenario) -> Vec<String> {
    let peer = (proofs(scenario).peer)();
    let Peer::Server(server) = &peer else { return Vec::new() };
    block_on(async {
        let mut broken = Vec::new();
        let listening = server.listen(("127.0.0.1", 0)).await.expect("a free port");
        for (revision, transport) in scenario_runs_with_a_port(scenario) {
            let scenario_run = ScenarioRun { scenario: scenario.into(), revision, transport };
            let mut plan = plan(&peer, scenario, Profile::Strict);
            plan.target = target_at(server, &listening, transport).into();
            let outcome =
                run_scenario(&plan, scenario_run.clone(), ScenarioRunFacts::default()).await;
            broken.extend(problems(&scenario_run, Profile::Strict, &outcome));
        }
        listening.end().await;
        broken
    })
}

/// The proofs that do not give their check the status that they name. If there is none, `compares` and every proof can be carried out
/// on this system, what else they change is compared with the snapshot.
fn faulty_runs(scenario: &'static Scenario, good: &mut GoodRuns, compares: bool) -> Vec<String> {
    let mut broken = Vec::new();
    let proofs = proofs(scenario);
    let peer = (proofs.peer)();
    let transports = tested(&peer).transports();
    let mut changes = Vec::new();
    for (number, proof) in (1..).zip(&proofs.proofs) {
        let transport = scenario_run(scenario, proof).transport;
        if transports.contains(&transport) || has_port(transport) {
            match carry_out(scenario, &peer, proof, good) {
                Ok(others) => changes.push((proof, others)),
                Err(problem) => broken.push(format!("proof {number} of {problem}")),
            }
        } else {
            broken.extend(unreachable(scenario, transport));
        }
    }
    if compares && changes.len() == proofs.proofs.len() {
        other_changes::compare(scenario, &changes);
    }
    broken
}

/// The other checks that a proof changes.
fn carry_out(
    scenario: &'static Scenario,
    peer: &Peer,
    proof: &Proof,
    good: &mut GoodRuns,
) -> Result<OtherChanges, String> {
    let profile = proof.profile.unwrap_or(Profile::Adaptive);
    let scenario_run = scenario_run(scenario, proof);
    let good = good
        .entry((scenario_run.revision, scenario_run.transport, profile))
        .or_insert_with(|| owned_statuses(&outcome(peer, scenario_run.clone(), profile)));
    let bad = bad_outcome(peer, scenario_run.clone(), profile, proof);
    let mut changed = changes(good, &owned_statuses(&bad));
    let unfounded = unfounded(&bad);
    let found = changed.remove(proof.check).flatten();
    if found == Some(proof.status) && unfounded.is_empty() {
        return Ok(changed);
    }
    let rows: Vec<String> = bad
        .checks
        .iter()
        .map(|check| format!("    {} {} {:?}", check.status, check.id, check.message))
        .collect();
    Err(format!(
        "{scenario_run} under {profile}, {}: not changed to that, but to {found:?}\n  {unfounded:?}\n{}",
        other_changes::heading(proof),
        rows.join("\n")
    ))
}

fn owned_statuses(outcome: &Outcome) -> BTreeMap<String, Status> {
    statuses(outcome).into_iter().map(|(id, status)| (id.to_owned(), status)).collect()
}

/// The differences between the good and the faulty peer; `None` for a check that is no longer made.
///
/// The check of the tools' schemas is made only if there is something to validate, so that it may come and go. That hides no
/// fault, since each must change what its proof lists; `tools` and `of_clients` prove when the check is made.
fn changes(good: &BTreeMap<String, Status>, bad: &BTreeMap<String, Status>) -> OtherChanges {
    let fails = |id: &str| bad.get(id).is_some_and(|status| status.is_failing());
    let ids = good.keys().chain(bad.keys()).filter(|id| **id != TOOL_SCHEMAS || fails(id));
    ids.filter(|id| good.get(*id) != bad.get(*id))
        .map(|id| (id.clone(), bad.get(id).copied()))
        .collect()
}

/// The problem with a proof over a transport that its peer does not have; none if that is the relay of a client, which not every
/// system has.
fn unreachable(scenario: &Scenario, transport: TransportKind) -> Option<String> {
    let is_relay = transport == TransportKind::Stdio && scenario.tested_side == TestedSide::Client;
    let excused = is_relay && !cfg!(unix);
    (!excused).then(|| format!("{}: a proof cannot be carried out over {transport}", scenario.id))
}

/// It is not left out.
pub(crate) fn a_proof_that_cannot_be_carried_out_is_an_error() {
    let scenario = scenarios::find(TestedSide::Server, "ping").expect("ping");
    assert!(unreachable(scenario, TransportKind::Stdio).is_some());
    assert!(unreachable(scenario, TransportKind::Router).is_some());
}

/// The scenario runs of a scenario that need a port: over Streamable HTTP, and of a scenario about HTTP+SSE over that.
fn scenario_runs_with_a_port(scenario: &Scenario) -> Vec<(Revision, TransportKind)> {
    let mut scenario_runs = Vec::new();
    for revision in scenario.revisions.iter() {
        if scenario.transports.contains(TransportKind::Http) {
            scenario_runs.push((revision, TransportKind::Http));
        }
        let is_about_sse = matches!(scenario.transports, Transports::Only(_))
            && scenario.transports.contains(TransportKind::Sse);
        if is_about_sse && TransportKind::Sse.exists_at(revision) {
            scenario_runs.push((revision, TransportKind::Sse));
        }
    }
    scenario_runs
}

/// The problems of a run that should pass: failures, and declared checks that are not SUCCESS although they may fail.
fn problems(scenario_run: &ScenarioRun, profile: Profile, outcome: &Outcome) -> Vec<String> {
    let made = statuses(outcome);
    let mut problems: Vec<String> = outcome
        .checks
        .iter()
        .filter(|check| check.status.is_failing())
        .map(|check| {
            format!(
                "{scenario_run} under {profile}: {} {} {:?}",
                check.status, check.id, check.message
            )
        })
        .collect();
    let may_fail = |spec: &&CheckSpec| {
        let is_made = spec.always && spec.transports.contains(scenario_run.transport);
        is_made && (spec.fails || spec.warns)
    };
    for spec in scenario_run.scenario.checks_at(scenario_run.revision).filter(may_fail) {
        if made.get(&*spec.id) != Some(&Status::Success) {
            problems.push(format!(
                "{scenario_run} under {profile}: {} is {:?}",
                spec.id,
                made.get(&*spec.id)
            ));
        }
    }
    problems
}
