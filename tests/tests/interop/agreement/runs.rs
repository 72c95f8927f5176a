//! What both suites are run on: which server, which scenario at which revision, and with which fault.

use std::collections::BTreeMap;

use mcp_test::check::Origin;
use mcp_test::scenario::{Damage, Leg, Peer, Profile, Proof, Scenario};
use mcp_test::scenarios;
use mcp_test::server::Server;
use mcp_test::server::reference::everything;
use mcp_test::spec::Revision;
use serde::{Deserialize, Serialize};

use super::faults::{FaultyScenario, IN_BOTH_ERAS, IN_HANDSHAKE_ERA, IN_STATELESS_ERA};

/// A server that both suites test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum TestedServer {
    /// Our reference server, without faults or with one.
    #[serde(rename = "reference")]
    Reference,
    /// The server of a scenario's proofs, with a fault, or the server that a proof has instead: mostly the reference server, but
    /// with quicker tasks, or with event streams.
    #[serde(rename = "proofs")]
    Proofs,
    /// A server on rmcp, in this process.
    #[serde(rename = "rmcp")]
    Rmcp,
    /// The everything server of the MCP project, from npm.
    #[serde(rename = "server-everything")]
    Everything,
    /// A server on the Python package `mcp`.
    #[serde(rename = "python")]
    Python,
}

impl TestedServer {
    /// All of them.
    pub(super) const ALL: [Self; 5] =
        [Self::Reference, Self::Proofs, Self::Rmcp, Self::Everything, Self::Python];

    /// Those that need neither Node.js nor Python.
    pub(super) const IN_THIS_PROCESS: [Self; 3] = [Self::Reference, Self::Proofs, Self::Rmcp];

    /// Those that `.ci/peers` installs.
    pub(super) const INSTALLED: [Self; 2] = [Self::Everything, Self::Python];

    /// Its name in the page.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Reference => "Reference server",
            Self::Proofs => "Servers of the proofs",
            Self::Rmcp => "rmcp",
            Self::Everything => "server-everything",
            Self::Python => "Python SDK",
        }
    }

    /// Whether scenarios of this revision, or of extensions, apply to it.
    fn supports(self, revision: Option<Revision>) -> bool {
        match self {
            Self::Reference => true,
            // It has a fault in each of its runs.
            Self::Proofs => false,
            Self::Rmcp | Self::Python => revision.is_some(),
            Self::Everything => revision.is_some_and(|it| it <= Revision::NEWEST_HANDSHAKE),
        }
    }
}

/// What distinguishes one run from all others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct RunKey {
    /// The server.
    pub(super) server: TestedServer,
    /// The id of the scenario.
    pub(super) scenario: String,
    /// The revision that is asked for; empty for an extension, which belongs to none.
    pub(super) revision: String,
    /// The fault in the notation of the command line, or the function in the scenario's file that makes the faulty server; empty
    /// for a server without a fault.
    pub(super) fault: String,
}

/// A scenario that both suites run on the same server.
#[derive(Debug)]
pub(super) struct SharedRun {
    /// What distinguishes it.
    pub(super) key: RunKey,
    scenario: &'static Scenario,
    damage: Option<Damage>,
}

impl SharedRun {
    fn new(
        server: TestedServer,
        scenario: &'static Scenario,
        revision: Option<Revision>,
        damage: Option<Damage>,
    ) -> Self {
        let key = RunKey {
            server,
            scenario: scenario.id.to_string(),
            revision: revision.map(|it| it.to_string()).unwrap_or_default(),
            fault: damage.as_ref().map(ToString::to_string).unwrap_or_default(),
        };
        Self { key, scenario, damage }
    }

    /// The reference server, or that of the proofs, in the form that this run tests.
    pub(super) fn reference_server(&self) -> Server {
        let is_of_proof = self.key.server == TestedServer::Proofs;
        let good = match self.scenario.proofs.filter(|_| is_of_proof) {
            Some(proofs) => (proofs().peer)(),
            None => everything().into(),
        };
        let peer = match &self.damage {
            None => good,
            Some(Damage::Fault(fault)) => good.fault(fault.clone()),
            Some(Damage::Peer { make, .. }) => make(),
        };
        match peer {
            Peer::Server(server) => server,
            Peer::Client(_) => panic!("{} tests servers", self.scenario.id),
        }
    }
}

/// All runs on these servers, in order.
pub(super) fn on(servers: &[TestedServer]) -> Vec<SharedRun> {
    let mut runs = Vec::new();
    for scenario in scenarios() {
        for server in servers {
            let revisions = revisions(scenario).into_iter().filter(|it| server.supports(*it));
            runs.extend(revisions.map(|it| SharedRun::new(*server, scenario, it, None)));
        }
        if servers.contains(&TestedServer::Proofs) {
            runs.extend(of_proofs(scenario));
        }
    }
    if servers.contains(&TestedServer::Reference) {
        runs.extend(of_faults(&[IN_BOTH_ERAS, IN_HANDSHAKE_ERA], Revision::V2025_11_25));
        runs.extend(of_faults(&[IN_BOTH_ERAS, IN_STATELESS_ERA], Revision::V2026_07_28));
    }
    // A fault may prove several checks.
    let runs: BTreeMap<RunKey, SharedRun> =
        runs.into_iter().map(|run| (run.key.clone(), run)).collect();
    runs.into_values().collect()
}

/// The scenarios for servers of the official suite.
pub(super) fn scenarios() -> impl Iterator<Item = &'static Scenario> {
    scenarios::all().filter(|it| it.leg == Leg::Server && it.official.is_some())
}

/// The revisions that the official suite can be asked to run a scenario at; `None` for an extension.
fn revisions(scenario: &Scenario) -> Vec<Option<Revision>> {
    match scenario.official {
        Some(official) if official.is_extension() => vec![None],
        Some(official) => official.revisions.iter().map(Some).collect(),
        None => Vec::new(),
    }
}

/// The faults that are proven to give an official check a status, each at the newest revision at which it does.
fn of_proofs(scenario: &'static Scenario) -> impl Iterator<Item = SharedRun> {
    let proofs = scenario.proofs.expect("a built-in scenario has proofs")().proofs;
    proofs.into_iter().filter_map(move |proof| {
        let check = scenario.check(proof.proves.check)?;
        let is_of_suite = check.origin == Origin::Official;
        let exists = |it: &Revision| check.revisions.contains(*it) && may_run_at(&proof, *it);
        let revisions = revisions(scenario).into_iter().rev();
        let revision = revisions.into_iter().find(|it| it.as_ref().is_none_or(exists))?;
        let run =
            || SharedRun::new(TestedServer::Proofs, scenario, revision, Some(proof.damage.clone()));
        (is_of_suite && proof.profile != Some(Profile::Strict)).then(run)
    })
}

/// Whether a proof holds at a revision.
fn may_run_at(proof: &Proof, revision: Revision) -> bool {
    proof.revision.is_none_or(|it| it == revision)
}

/// The runs of lists of faults.
fn of_faults<'a>(
    lists: &'a [&[FaultyScenario]],
    revision: Revision,
) -> impl Iterator<Item = SharedRun> + 'a {
    lists.iter().copied().flatten().map(move |(scenario, fault)| {
        let scenario = scenarios::find(Leg::Server, scenario).expect("a scenario for servers");
        let is_extension = revisions(scenario).contains(&None);
        let fault = fault.parse().unwrap_or_else(|why| panic!("{fault}: {why}"));
        SharedRun::new(
            TestedServer::Reference,
            scenario,
            (!is_extension).then_some(revision),
            Some(Damage::Fault(fault)),
        )
    })
}
