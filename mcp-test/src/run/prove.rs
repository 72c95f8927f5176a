//! Carries out the proofs: each scenario passes on its good peer, and each kind of damage changes what it says it
//! changes, and nothing else.
//!
//! The passing runs go over all cells that need no other program, each proof over one. The checks that no scenario
//! declares, since every one has them, are proven in `everywhere` and `tools` and, for clients, in `of_clients`.

mod everywhere;
#[cfg(feature = "http")]
mod of_clients;
#[cfg(feature = "schema")]
mod tools;

use std::collections::BTreeMap;
use std::time::Duration;

use super::play::{Known, play};
use super::{Cell, Outcome, Plan, Selection, Tested};
use crate::check::{Check, Finding, Origin, Status, TOOL_SCHEMAS, WELL_FORMED};
use crate::scenario::{
    Carriers, Change, Damage, FIXTURE, LEFT_WELL, Leg, Peer, Profile, Proof, Scenario, TASK,
    TOOK_PART,
};
use crate::scenarios;
use crate::server::reference::everything;
use crate::spec::{Revision, requirement};
use crate::transport::CarrierKind;

fn tested(peer: &Peer) -> Tested {
    match peer {
        Peer::Server(server) => server.target().into(),
        Peer::Client(client) => client.target().into(),
    }
}

/// How a peer is reached, or reaches us, as far as that is built in.
fn carriers(peer: &Peer) -> Vec<CarrierKind> {
    let mut carriers = tested(peer).carriers();
    carriers.retain(|carrier| cfg!(feature = "http") || !carrier.is_http());
    carriers
}

fn plan(peer: &Peer, scenario: &'static Scenario, profile: Profile) -> Plan {
    let selection = Selection { scenarios: vec![scenario.id.to_owned()], ..Selection::default() };
    let plan = Plan::build(tested(peer), profile, &selection).expect("a scenario that exists");
    plan.timeout(Duration::from_secs(20))
}

async fn outcome(peer: &Peer, cell: Cell, profile: Profile) -> Outcome {
    play(&plan(peer, cell.scenario, profile), cell, Known::default()).await
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(future)
}

/// The gravest status of each check.
fn statuses(outcome: &Outcome) -> BTreeMap<&str, Status> {
    let mut statuses = BTreeMap::new();
    for check in &outcome.checks {
        let status = statuses.entry(check.id.as_str()).or_insert(check.status);
        *status = check.status.max(*status);
    }
    statuses
}

/// The cell of a proof: the newest revision at which its check exists, in memory, unless it says otherwise; a scenario
/// about HTTP is proven against a service in this process, one for clients by a client in this process.
fn cell(scenario: &'static Scenario, proof: &Proof) -> Cell {
    let check = scenario.check(proof.proves.check);
    let exists = |revision: &Revision| {
        scenario.revisions.contains(*revision)
            && check.is_none_or(|check| check.revisions.contains(*revision))
    };
    let newest = Revision::ALL.into_iter().rev().find(exists);
    Cell {
        scenario,
        revision: proof.revision.or(newest).expect("a revision of the scenario"),
        carrier: proof.carrier.unwrap_or(match (scenario.leg, scenario.carriers) {
            (Leg::Client, _) => CarrierKind::Http,
            (Leg::Server, Carriers::Any) => CarrierKind::Duplex,
            (Leg::Server, Carriers::StreamableHttp) => CarrierKind::Router,
            (Leg::Server, Carriers::Only(carriers)) => carriers[0],
        }),
    }
}

fn damaged(peer: &Peer, damage: &Damage) -> Peer {
    match damage {
        Damage::Fault(fault) => peer.clone().fault(fault.clone()),
        Damage::Peer { make, .. } => make(),
    }
}

/// What differs between the good and the damaged peer; a check that is gone counts as INFO.
///
/// The check of the tools' schemas is made where there is something to judge: that it comes or goes is no difference. No
/// fault goes unseen by that, since each must change what its proof claims; and when the check is made, and when not, is
/// proven in `tools` and `of_clients`.
fn changes(good: &Outcome, bad: &Outcome) -> BTreeMap<String, Status> {
    let (good, bad) = (statuses(good), statuses(bad));
    let fails = |id: &str| bad.get(id).is_some_and(|status| status.is_failing());
    let ids = good.keys().chain(bad.keys()).filter(|id| **id != TOOL_SCHEMAS || fails(id));
    ids.filter(|id| good.get(*id) != bad.get(*id))
        .map(|id| ((*id).to_owned(), bad.get(id).copied().unwrap_or(Status::Info)))
        .collect()
}

async fn carry_out(scenario: &'static Scenario, peer: &Peer, proof: &Proof) -> Result<(), String> {
    let profile = proof.profile.unwrap_or(Profile::Adaptive);
    let cell = cell(scenario, proof);
    let good = outcome(peer, cell, profile).await;
    let bad = outcome(&damaged(peer, &proof.damage), cell, profile).await;
    let found = changes(&good, &bad);
    let claimed: BTreeMap<String, Status> = proof
        .changes()
        .into_iter()
        .filter(|change| change.check != TOOL_SCHEMAS || cfg!(feature = "schema"))
        .map(|Change { check, status }| (check.to_owned(), status))
        .collect();
    let unfounded = unfounded(&bad);
    if found == claimed && unfounded.is_empty() {
        return Ok(());
    }
    let rows: Vec<String> = bad
        .checks
        .iter()
        .map(|check| format!("    {} {} {:?}", check.status, check.id, check.message))
        .collect();
    Err(format!(
        "{cell} under {profile}, damaged by {}:\n  claimed {claimed:?}\n  found   {found:?}\n  {unfounded:?}\n{}",
        proof.damage,
        rows.join("\n")
    ))
}

/// What is wrong with how a damaged run is reported: a failure that names no requirement, though it is neither a false
/// one nor about a fixture nor a shape nor a remark of the judge, or one that does not exist, or not at its revision.
fn unfounded(outcome: &Outcome) -> Vec<String> {
    let mut unfounded = Vec::new();
    for check in outcome.checks.iter().filter(|check| check.status.is_failing()) {
        let Some(finding) = &check.finding else {
            unfounded.push(format!("{} fails without a finding", check.id));
            continue;
        };
        let of_fixture = [FIXTURE, TASK].map(Some).contains(&finding.hint.as_deref());
        // The judges remark on what no requirement says, too, and then only as a WARNING.
        let is_of_judge = [WELL_FORMED, TOOL_SCHEMAS].contains(&check.id.as_str());
        let is_remark = is_of_judge && check.status == Status::Warning;
        let about_the_visit = [TOOK_PART, LEFT_WELL].contains(&check.id.as_str());
        let of_shape = finding.shape.is_some();
        let excused =
            check.known_false.is_some() || of_fixture || is_remark || about_the_visit || of_shape;
        if finding.requirements.is_empty() && !excused {
            unfounded.push(format!("{} fails without a requirement: {finding}", check.id));
        }
        let unknown = finding.requirements.iter().filter(|id| requirement::find(id).is_none());
        unfounded.extend(unknown.map(|id| format!("{} cites `{id}`", check.id)));
        let revision = outcome.cell.revision;
        let elsewhere = finding
            .requirements
            .iter()
            .filter_map(|id| requirement::find(id))
            .filter(|found| !found.revisions.contains(revision));
        unfounded.extend(elsewhere.map(|found| {
            format!("{} cites `{found}`, which does not hold at {revision}", check.id)
        }));
    }
    unfounded
}

/// What is wrong with a proof over a carrier that its peer does not have: nothing, if it is one of HTTP, which is not
/// built in.
fn unreachable(scenario: &Scenario, carrier: CarrierKind) -> Option<String> {
    let excused = carrier.is_http() && !cfg!(feature = "http");
    (!excused).then(|| format!("{}: a proof cannot be carried out over {carrier}", scenario.id))
}

#[test]
fn a_proof_that_cannot_be_carried_out_is_no_proof() {
    let scenario = scenarios::find(Leg::Server, "ping").expect("ping");
    assert!(unreachable(scenario, CarrierKind::Stdio).is_some());
    assert_eq!(unreachable(scenario, CarrierKind::Router).is_some(), cfg!(feature = "http"));
}

#[test]
fn only_a_fixture_and_advice_stand_without_a_requirement() {
    let server = everything().into();
    let ping = scenarios::find(Leg::Server, "ping").expect("ping");
    let newest = Revision::NEWEST_HANDSHAKE;
    let cell = Cell { scenario: ping, revision: newest, carrier: CarrierKind::Duplex };
    let mut outcome = block_on(outcome(&server, cell, Profile::Adaptive));
    let mut complaints = |id: &str, finding: Finding| {
        outcome.checks = vec![Check::from_finding(id, Origin::Own, finding)];
        unfounded(&outcome).len()
    };
    let wrong = |hint: &str| Finding::peer("it is wrong").hint(hint);
    assert_eq!(complaints("ping", wrong("try again")), 1);
    assert_eq!(complaints("ping", wrong("try again").should()), 1);
    assert_eq!(complaints("ping", wrong(FIXTURE)), 0);
    assert_eq!(complaints(WELL_FORMED, wrong("nothing is said of it")), 1);
    assert_eq!(complaints(WELL_FORMED, wrong("nothing is said of it").should()), 0);
}

#[test]
fn every_proof_changes_exactly_what_it_says() {
    let mut broken = Vec::new();
    for scenario in scenarios::all() {
        let proofs = (scenario.proofs)();
        let peer = (proofs.peer)();
        let carriers = carriers(&peer);
        for (number, proof) in (1..).zip(&proofs.proofs) {
            let carrier = cell(scenario, proof).carrier;
            if carriers.contains(&carrier) {
                let proven = block_on(carry_out(scenario, &peer, proof));
                let complaint = |complaint| format!("proof {number} of {complaint}");
                broken.extend(proven.map_err(complaint).err());
            } else {
                broken.extend(unreachable(scenario, carrier));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
}

#[test]
fn every_scenario_passes_on_its_good_peer_on_all_cells() {
    let mut broken = Vec::new();
    for scenario in scenarios::all() {
        let peer = ((scenario.proofs)().peer)();
        for revision in scenario.revisions.iter() {
            let carriers = carriers(&peer);
            for carrier in carriers.into_iter().filter(|it| scenario.carriers.contains(*it)) {
                for profile in Profile::ALL {
                    let cell = Cell { scenario, revision, carrier };
                    let outcome = block_on(outcome(&peer, cell, profile));
                    broken.extend(complaints(cell, profile, &outcome));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[cfg(feature = "http")]
#[test]
fn every_scenario_passes_over_a_real_socket() {
    let broken = block_on(async {
        let mut broken = Vec::new();
        for scenario in scenarios::all() {
            let peer = ((scenario.proofs)().peer)();
            let Peer::Server(server) = &peer else { continue };
            let listening = server.listen(("127.0.0.1", 0)).await.expect("a free port");
            for revision in scenario.revisions.iter() {
                let cell = Cell { scenario, revision, carrier: CarrierKind::Http };
                let mut plan = plan(&peer, scenario, Profile::Strict);
                plan.target = crate::transport::Target::url(listening.url()).into();
                let outcome = play(&plan, cell, Known::default()).await;
                broken.extend(complaints(cell, Profile::Strict, &outcome));
            }
            listening.end().await;
        }
        broken
    });
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// What is wrong with a run that should pass: a failure, or a declared check that was not made with success.
fn complaints(cell: Cell, profile: Profile, outcome: &Outcome) -> Vec<String> {
    let made = statuses(outcome);
    let mut complaints: Vec<String> = outcome
        .checks
        .iter()
        .filter(|check| check.status.is_failing())
        .map(|check| {
            format!("{cell} under {profile}: {} {} {:?}", check.status, check.id, check.message)
        })
        .collect();
    for spec in cell.scenario.checks_at(cell.revision).filter(|spec| spec.always) {
        if made.get(spec.id) != Some(&Status::Success) {
            complaints.push(format!(
                "{cell} under {profile}: {} is {:?}",
                spec.id,
                made.get(spec.id)
            ));
        }
    }
    complaints
}
