//! The proofs: each scenario passes on its good peer, and each kind of damage changes exactly the checks that its proof lists.
//!
//! The passing runs cover all cells that need no other program, each proof covers one. The checks that every scenario has
//! without declaring them are proven in `everywhere`, `tools` and, for clients, `of_clients`.

mod everywhere;
#[cfg(feature = "http")]
mod of_clients;
mod on_shared_connections;
mod table;
#[cfg(feature = "schema")]
mod tools;

use std::collections::BTreeMap;
use std::time::Duration;

use super::cell_run::{CellFacts, run_cell};
use super::{
    Cell, Outcome, Plan, Selection, Tested, requirements_of_common, requirements_of_interruptions,
};
use crate::check::{
    Blame, Check, Demand, Finding, OF_SERVERS_ALONE, Origin, Status, TOOL_SCHEMAS, WELL_FORMED,
};
use crate::scenario::{
    Change, CheckSpec, Damage, Leg, Peer, Profile, Proof, Proofs, Scenario, Transports,
};
use crate::scenarios;
use crate::server::Server;
use crate::server::reference::everything;
use crate::spec::{Revision, requirement};
use crate::transport::{ClientTarget, TransportKind};

fn tested(peer: &Peer) -> Tested {
    match peer {
        Peer::Server(server) => server.target().into(),
        Peer::Client(client) => over_stdio_too(client.target()).into(),
        // Its issuer is not known until it is started.
        #[cfg(feature = "auth")]
        Peer::AuthorizationServer(_) => {
            crate::scenario::AuthorizationTarget::new("http://127.0.0.1").into()
        }
    }
}

/// The client also over stdio, where the relay that it starts is this program.
#[cfg(all(unix, feature = "cli"))]
fn over_stdio_too(client: ClientTarget) -> ClientTarget {
    // What the test harness prints must not be on the output of the relay, which is therefore descriptor 3.
    let script = r#"exec 3>&1 >/dev/null; exec "$@""#;
    let program = std::env::current_exe().expect("its path").to_string_lossy().into_owned();
    let test = "cli::relay_of_proofs::serves";
    let arguments = ["-c", script, "sh", &program, "--ignored", "--exact", "--nocapture", test];
    let transports = client.transports().into_iter().chain([TransportKind::Stdio]);
    let client = client.over(transports.collect::<Vec<_>>());
    client.server_program("/bin/sh").server_arguments(arguments)
}

#[cfg(not(all(unix, feature = "cli")))]
fn over_stdio_too(client: ClientTarget) -> ClientTarget {
    client
}

/// The transports of a peer, as far as they are compiled in.
fn transports(peer: &Peer) -> Vec<TransportKind> {
    let mut transports = tested(peer).transports();
    transports.retain(|transport| cfg!(feature = "http") || !transport.is_http());
    transports
}

fn plan(peer: &Peer, scenario: &Scenario, profile: Profile) -> Plan {
    let selection = Selection { scenarios: vec![scenario.id.to_string()], ..Selection::default() };
    let plan = Plan::build(tested(peer), profile, &selection).expect("a scenario that exists");
    plan.timeout(Duration::from_secs(20))
}

async fn outcome(peer: &Peer, cell: Cell, profile: Profile) -> Outcome {
    run_on(peer, plan(peer, &cell.scenario, profile), cell).await
}

/// Runs a cell; over the network against the server on a port of its own.
async fn run_on(peer: &Peer, mut plan: Plan, cell: Cell) -> Outcome {
    #[cfg(feature = "http")]
    if let (Peer::Server(server), true) = (peer, has_port(cell.transport)) {
        let listening = server.listen(("127.0.0.1", 0)).await.expect("a free port");
        plan.target = target_at(server, &listening, cell.transport).into();
        let outcome = run_cell(&plan, cell, CellFacts::default()).await;
        listening.end().await;
        return outcome;
    }
    #[cfg(feature = "auth")]
    if let Peer::AuthorizationServer(peer) = peer {
        let (_server, target) = peer.start().await.expect("a free port");
        plan.target = target.into();
        return run_cell(&plan, cell, CellFacts::default()).await;
    }
    // Without HTTP there is no port to run on.
    let _ = (peer, &mut plan);
    run_cell(&plan, cell, CellFacts::default()).await
}

/// Whether a transport needs a server that listens on a port.
fn has_port(transport: TransportKind) -> bool {
    cfg!(feature = "http") && matches!(transport, TransportKind::Http | TransportKind::Sse)
}

#[cfg(feature = "http")]
fn target_at(
    server: &Server,
    listening: &crate::server::HttpListener,
    transport: TransportKind,
) -> crate::transport::Target {
    use crate::transport::Target;
    let target = match transport {
        TransportKind::Sse => Target::sse(listening.sse_url()),
        _ => Target::url(listening.url()),
    };
    #[cfg(feature = "auth")]
    if let Some(tokens) = server.target().test_tokens() {
        return target.protected(tokens.clone());
    }
    let _ = server;
    target
}

/// The outcome of the damaged peer of a proof.
async fn bad_outcome(peer: &Peer, cell: Cell, profile: Profile, proof: &Proof) -> Outcome {
    let peer = damaged(peer, &proof.damage);
    let mut plan = plan(&peer, &cell.scenario, profile);
    plan.prompt = proof.prompt.unwrap_or(plan.prompt);
    plan.timeout = proof.timeout.unwrap_or(plan.timeout);
    run_on(&peer, plan, cell).await
}

/// The outcome of a scenario that is not among the built-in ones.
fn run_alone(
    scenario: &'static Scenario,
    server: Server,
    revision: Revision,
    profile: Profile,
) -> Outcome {
    let cell = Cell { scenario: scenario.into(), revision, transport: TransportKind::Duplex };
    let ping = scenarios::find(Leg::Server, "ping").expect("ping");
    let plan = plan(&server.into(), ping, profile);
    block_on(run_cell(&plan, cell, CellFacts::default()))
}

/// The built-in scenarios; with `MCP_TEST_PROVE=PART`, those whose ids contain that.
fn proven() -> impl Iterator<Item = &'static Scenario> {
    let part = std::env::var("MCP_TEST_PROVE").unwrap_or_default();
    scenarios::all().filter(move |scenario| scenario.id.contains(&part))
}

fn proofs(scenario: &Scenario) -> Proofs {
    (scenario.proofs.expect("a built-in scenario has proofs"))()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(future)
}

/// The most severe status of each check.
fn statuses(outcome: &Outcome) -> BTreeMap<&str, Status> {
    let mut statuses = BTreeMap::new();
    for check in &outcome.checks {
        let status = statuses.entry(check.id.as_str()).or_insert(check.status);
        *status = check.status.max(*status);
    }
    statuses
}

/// The cell of a proof. By default, it has the newest revision at which the check exists, and a transport in memory; a scenario
/// about HTTP is proven against a service in this process, one for clients with a client in this process.
fn cell(scenario: &'static Scenario, proof: &Proof) -> Cell {
    let check = scenario.check(proof.proves.check);
    let exists = |revision: &Revision| {
        scenario.revisions.contains(*revision)
            && check.is_none_or(|check| check.revisions.contains(*revision))
    };
    let newest = Revision::ALL.into_iter().rev().find(exists);
    Cell {
        scenario: scenario.into(),
        revision: proof.revision.or(newest).expect("a revision of the scenario"),
        transport: proof.transport.unwrap_or(match (scenario.leg, scenario.transports) {
            (Leg::Client | Leg::Authorization, _) => TransportKind::Http,
            (Leg::Server, Transports::Any) => TransportKind::Duplex,
            (Leg::Server, Transports::StreamableHttp) => TransportKind::Router,
            (Leg::Server, Transports::Only(transports)) => transports[0],
        }),
    }
}

fn damaged(peer: &Peer, damage: &Damage) -> Peer {
    match damage {
        Damage::Fault(fault) => peer.clone().fault(fault.clone()),
        Damage::Peer { make, .. } => make(),
    }
}

/// The differences between the good and the damaged peer; a check that is no longer made counts as INFO.
///
/// The check of the tools' schemas is made only if there is something to validate, so that it may come and go. That hides no
/// fault, since each must change what its proof lists; `tools` and `of_clients` prove when the check is made.
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
    let good = outcome(peer, cell.clone(), profile).await;
    let bad = bad_outcome(peer, cell.clone(), profile, proof).await;
    let found = changes(&good, &bad);
    let claimed: BTreeMap<String, Status> = proof
        .changes()
        .into_iter()
        // Without the feature `schema` that check does not exist.
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

/// The failures of a damaged run without a valid citation: they must cite a requirement that exists at the revision, and of
/// which `mcp-test explain` says so, unless they are false failures, about a fixture, or a remark of the judge.
fn unfounded(outcome: &Outcome) -> Vec<String> {
    let mut unfounded = Vec::new();
    for check in outcome.checks.iter().filter(|check| check.status.is_failing()) {
        let Some(finding) = &check.finding else {
            unfounded.push(format!("{} fails without a finding", check.id));
            continue;
        };
        // A fixture or a snapshot is an agreement with the test, not with MCP.
        let of_fixture = [Demand::Fixture, Demand::Snapshot].contains(&finding.demand);
        // The judges also remark on what no requirement covers, as a WARNING, and on what is beyond the bounds of mcp-test.
        let is_of_judge = [WELL_FORMED, TOOL_SCHEMAS].contains(&check.id.as_str());
        let is_remark =
            is_of_judge && (check.status == Status::Warning || finding.blame == Blame::Environment);
        let excused = check.known_false.is_some() || of_fixture || is_remark;
        if finding.requirements.is_empty() && !excused {
            unfounded.push(format!("{} fails without a requirement: {finding}", check.id));
        }
        let unknown = finding.requirements.iter().filter(|id| requirement::find(id).is_none());
        unfounded.extend(unknown.map(|id| format!("{} cites `{id}`", check.id)));
        let why = check.known_false.as_deref().filter(|why| !is_clause(why));
        unfounded.extend(why.map(|why| format!("{} is allowed because \"{why}\"", check.id)));
        let unexplained =
            finding.requirements.iter().filter(|id| !is_explained(outcome, check, id));
        unfounded.extend(unexplained.map(|id| format!("{} cites {id} unexplained", check.id)));
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

/// Whether a text reads as the end of "but the specification allows it: …".
fn is_clause(why: &str) -> bool {
    let (first, last) = (why.chars().next(), why.chars().next_back());
    let begins = first.is_some_and(|first| first == '`' || first.is_lowercase());
    // What "it", "this" or "the specification" is, the sentence has said already.
    let repeats = ["it ", "this ", "the specification "].iter().any(|word| why.starts_with(word));
    begins && !repeats && last != Some('.')
}

/// Whether `mcp-test explain` names the check for this requirement.
fn is_explained(outcome: &Outcome, check: &Check, id: &str) -> bool {
    let is_it = |other: &str| requirement::find(other) == requirement::find(id);
    match outcome.cell.scenario.check(&check.id) {
        Some(spec) => {
            spec.requirements.iter().copied().any(is_it)
                || requirements_of_interruptions().any(is_it)
        }
        None => {
            let is_excluded = outcome.cell.scenario.leg == Leg::Client
                && OF_SERVERS_ALONE.iter().any(|rule| is_it(rule.id()));
            !is_excluded && requirements_of_common(&check.id).into_iter().any(is_it)
        }
    }
}

/// The problem with a proof over a transport that its peer does not have; none if that is HTTP or the relay of a client, and not
/// compiled in.
fn unreachable(scenario: &Scenario, transport: TransportKind) -> Option<String> {
    let excused = match transport {
        TransportKind::Duplex => false,
        TransportKind::Stdio => scenario.leg == Leg::Client && !cfg!(all(unix, feature = "cli")),
        _ => !cfg!(feature = "http"),
    };
    (!excused).then(|| format!("{}: a proof cannot be carried out over {transport}", scenario.id))
}

#[test]
fn a_proof_that_cannot_be_carried_out_is_an_error() {
    let scenario = scenarios::find(Leg::Server, "ping").expect("ping");
    assert!(unreachable(scenario, TransportKind::Stdio).is_some());
    assert_eq!(unreachable(scenario, TransportKind::Router).is_some(), cfg!(feature = "http"));
}

#[test]
fn only_fixtures_and_remarks_need_no_requirement() {
    let server = everything().into();
    let ping = scenarios::find(Leg::Server, "ping").expect("ping");
    let newest = Revision::NEWEST_HANDSHAKE;
    let cell = Cell { scenario: ping.into(), revision: newest, transport: TransportKind::Duplex };
    let mut outcome = block_on(outcome(&server, cell, Profile::Adaptive));
    let mut problems = |id: &str, finding: Finding| {
        outcome.checks = vec![Check::from_finding(id, Origin::Own, finding)];
        unfounded(&outcome).len()
    };
    let wrong = |hint: &str| Finding::peer("it is wrong").hint(hint);
    assert_eq!(problems("ping", wrong("try again")), 1);
    assert_eq!(problems("ping", wrong("try again").should()), 1);
    let of_fixture = Finding { demand: Demand::Fixture, ..wrong("rename it") };
    assert_eq!(problems("ping", of_fixture), 0);
    assert_eq!(problems(WELL_FORMED, wrong("nothing is said of it")), 1);
    assert_eq!(problems(WELL_FORMED, wrong("nothing is said of it").should()), 0);
}

#[test]
fn every_proof_changes_exactly_what_it_lists() {
    let mut broken = Vec::new();
    for scenario in proven() {
        let proofs = proofs(scenario);
        let peer = (proofs.peer)();
        let transports = transports(&peer);
        for (number, proof) in (1..).zip(&proofs.proofs) {
            let transport = cell(scenario, proof).transport;
            if transports.contains(&transport) || has_port(transport) {
                let proven = block_on(carry_out(scenario, &peer, proof));
                let problem = |problem| format!("proof {number} of {problem}");
                broken.extend(proven.map_err(problem).err());
            } else {
                broken.extend(unreachable(scenario, transport));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
}

#[test]
fn every_scenario_passes_on_its_good_peer_on_all_cells() {
    let mut broken = Vec::new();
    for scenario in proven() {
        let peer = (proofs(scenario).peer)();
        let revisions: Vec<Revision> = scenario.revisions.iter().collect();
        for revision in revisions.iter().copied() {
            let transports = transports(&peer);
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
                    let cell = Cell { scenario: scenario.into(), revision, transport };
                    let outcome = block_on(outcome(&peer, cell.clone(), profile));
                    broken.extend(problems(&cell, profile, &outcome));
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
        for scenario in proven() {
            let peer = (proofs(scenario).peer)();
            let Peer::Server(server) = &peer else { continue };
            let listening = server.listen(("127.0.0.1", 0)).await.expect("a free port");
            for (revision, transport) in cells_with_a_port(scenario) {
                let cell = Cell { scenario: scenario.into(), revision, transport };
                let mut plan = plan(&peer, scenario, Profile::Strict);
                plan.target = target_at(server, &listening, transport).into();
                let outcome = run_cell(&plan, cell.clone(), CellFacts::default()).await;
                broken.extend(problems(&cell, Profile::Strict, &outcome));
            }
            listening.end().await;
        }
        broken
    });
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The cells of a scenario that need a port: over Streamable HTTP, and of a scenario about HTTP+SSE over that.
#[cfg(feature = "http")]
fn cells_with_a_port(scenario: &Scenario) -> Vec<(Revision, TransportKind)> {
    let mut cells = Vec::new();
    for revision in scenario.revisions.iter() {
        if scenario.transports.contains(TransportKind::Http) {
            cells.push((revision, TransportKind::Http));
        }
        let is_about_sse = matches!(scenario.transports, Transports::Only(_))
            && scenario.transports.contains(TransportKind::Sse);
        if is_about_sse && TransportKind::Sse.exists_at(revision) {
            cells.push((revision, TransportKind::Sse));
        }
    }
    cells
}

/// The problems of a run that should pass: failures, and declared checks that are not SUCCESS although they may fail.
fn problems(cell: &Cell, profile: Profile, outcome: &Outcome) -> Vec<String> {
    let made = statuses(outcome);
    let mut problems: Vec<String> = outcome
        .checks
        .iter()
        .filter(|check| check.status.is_failing())
        .map(|check| {
            format!("{cell} under {profile}: {} {} {:?}", check.status, check.id, check.message)
        })
        .collect();
    let may_fail = |spec: &&CheckSpec| {
        let is_made = spec.always && spec.transports.contains(cell.transport);
        is_made && (spec.fails || spec.warns)
    };
    for spec in cell.scenario.checks_at(cell.revision).filter(may_fail) {
        if made.get(&*spec.id) != Some(&Status::Success) {
            problems.push(format!(
                "{cell} under {profile}: {} is {:?}",
                spec.id,
                made.get(&*spec.id)
            ));
        }
    }
    problems
}
