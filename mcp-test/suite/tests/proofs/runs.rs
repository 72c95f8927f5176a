//! Runs of scenarios on good and on faulty peers.

use std::collections::BTreeMap;
use std::time::Duration;

use mcp_test_core::check::Status;
use mcp_test_core::clock::virtual_time;
use mcp_test_core::run::execution::{ScenarioRunFacts, run_scenario};
use mcp_test_core::run::{Outcome, Plan, ScenarioRun, Selection, Tested};
use mcp_test_core::scenario::{
    AuthorizationTarget, Peer, Profile, Proof, ProofFault, Proofs, Scenario, TestedSide, Transports,
};
use mcp_test_core::server::{HttpListener, Server};
use mcp_test_core::spec::Revision;
use mcp_test_core::transport::{ClientTarget, Target, TransportKind};
use mcp_test_suite::scenarios;

/// What a peer is for a run.
pub(crate) fn tested(peer: &Peer) -> Tested {
    match peer {
        Peer::Server(server) => server.target().into(),
        Peer::Client(client) => over_stdio_too(client.target()).into(),
        // Its issuer is not known until it is started.
        Peer::AuthorizationServer(_) => AuthorizationTarget::new("http://127.0.0.1").into(),
    }
}

/// The client also over stdio, where the relay that it starts is this program.
fn over_stdio_too(client: ClientTarget) -> ClientTarget {
    if !cfg!(unix) {
        return client;
    }
    let transports = client.transports().into_iter().chain([TransportKind::Stdio]);
    let client = client.over(transports.collect::<Vec<_>>());
    client.server_program(std::env::current_exe().expect("its path"))
}

pub(crate) fn plan(peer: &Peer, scenario: &Scenario, profile: Profile) -> Plan {
    // The plan says nothing about a scenario of these tests that it would not say about a built-in one.
    let planned = scenarios::find(scenario.tested_side, &scenario.id);
    let id = planned.map_or("ping", |it| &it.id).to_owned();
    let selection = Selection { scenarios: vec![id], ..Selection::default() };
    let plan = Plan::build(scenarios::all(), tested(peer), profile, &selection)
        .expect("a scenario that exists");
    plan.timeout(Duration::from_secs(20))
}

pub(crate) fn outcome(peer: &Peer, scenario_run: ScenarioRun, profile: Profile) -> Outcome {
    run_on(peer, plan(peer, &scenario_run.scenario, profile), scenario_run)
}

/// Runs a scenario run: in memory in virtual time, over the network against the server on a port of its own.
fn run_on(peer: &Peer, plan: Plan, scenario_run: ScenarioRun) -> Outcome {
    match (peer, scenario_run.transport) {
        (Peer::Server(_), TransportKind::Duplex | TransportKind::Router) => {
            virtual_time::block_on(run_scenario(&plan, scenario_run, ScenarioRunFacts::default()))
        }
        _ => block_on(run_in_real_time(peer, plan, scenario_run)),
    }
}

async fn run_in_real_time(peer: &Peer, mut plan: Plan, scenario_run: ScenarioRun) -> Outcome {
    if let (Peer::Server(server), true) = (peer, has_port(scenario_run.transport)) {
        let listening = server.listen(("127.0.0.1", 0)).await.expect("a free port");
        plan.target = target_at(server, &listening, scenario_run.transport).into();
        let outcome = run_scenario(&plan, scenario_run, ScenarioRunFacts::default()).await;
        listening.end().await;
        return outcome;
    }
    if let Peer::AuthorizationServer(peer) = peer {
        let (_server, target) = peer.start().await.expect("a free port");
        plan.target = target.into();
        return run_scenario(&plan, scenario_run, ScenarioRunFacts::default()).await;
    }
    run_scenario(&plan, scenario_run, ScenarioRunFacts::default()).await
}

/// Whether a transport needs a server that listens on a port.
pub(crate) fn has_port(transport: TransportKind) -> bool {
    matches!(transport, TransportKind::Http | TransportKind::Sse)
}

pub(crate) fn target_at(
    server: &Server,
    listening: &HttpListener,
    transport: TransportKind,
) -> Target {
    let target = match transport {
        TransportKind::Sse => Target::sse(listening.sse_url()),
        _ => Target::url(listening.url()),
    };
    if let Some(tokens) = server.target().test_tokens() {
        return target.protected(tokens.clone());
    }
    target
}

/// The outcome of the faulty peer of a proof.
pub(crate) fn bad_outcome(
    peer: &Peer,
    scenario_run: ScenarioRun,
    profile: Profile,
    proof: &Proof,
) -> Outcome {
    let peer = faulty_peer(peer, &proof.fault);
    let mut plan = plan(&peer, &scenario_run.scenario, profile);
    plan.prompt = proof.prompt.unwrap_or(plan.prompt);
    plan.timeout = proof.timeout.unwrap_or(plan.timeout);
    run_on(&peer, plan, scenario_run)
}

/// The outcome of a scenario that is not among the built-in ones.
pub(crate) fn run_alone(
    scenario: &'static Scenario,
    server: Server,
    revision: Revision,
    profile: Profile,
) -> Outcome {
    let scenario_run =
        ScenarioRun { scenario: scenario.into(), revision, transport: TransportKind::Duplex };
    outcome(&server.into(), scenario_run, profile)
}

pub(crate) fn proofs(scenario: &Scenario) -> Proofs {
    (scenario.proofs.expect("a built-in scenario has proofs"))()
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(future)
}

/// The most severe status of each check.
pub(crate) fn statuses(outcome: &Outcome) -> BTreeMap<&str, Status> {
    let mut statuses = BTreeMap::new();
    for check in &outcome.checks {
        let status = statuses.entry(check.id.as_str()).or_insert(check.status);
        *status = check.status.max(*status);
    }
    statuses
}

/// The scenario run of a proof. By default, it has the newest revision at which the check exists, and a transport in memory; a scenario
/// about HTTP is proven against a service in this process, one for clients with a client in this process.
pub(crate) fn scenario_run(scenario: &'static Scenario, proof: &Proof) -> ScenarioRun {
    let check = scenario.check(proof.check);
    let exists = |revision: &Revision| {
        scenario.revisions.contains(*revision)
            && check.is_none_or(|check| check.revisions.contains(*revision))
    };
    let newest = Revision::ALL.into_iter().rev().find(exists);
    ScenarioRun {
        scenario: scenario.into(),
        revision: proof.revision.or(newest).expect("a revision of the scenario"),
        transport: proof.transport.unwrap_or(match (scenario.tested_side, scenario.transports) {
            (TestedSide::Client | TestedSide::Authorization, _) => TransportKind::Http,
            (TestedSide::Server, Transports::Any) => TransportKind::Duplex,
            (TestedSide::Server, Transports::StreamableHttp) => TransportKind::Router,
            (TestedSide::Server, Transports::Only(transports)) => transports[0],
        }),
    }
}

pub(crate) fn faulty_peer(peer: &Peer, fault: &ProofFault) -> Peer {
    match fault {
        ProofFault::Wire(fault) => peer.clone().fault(fault.clone()),
        ProofFault::Peer { make, .. } => make(),
    }
}
