//! What both suites are run on: which server or client, which scenario at which revision, and with which fault.

use std::collections::BTreeMap;

use mcp_test::check::Origin;
use mcp_test::scenario::{Peer, Profile, Proof, ProofFault, Scenario, TestedSide};
use mcp_test::server::Server;
use mcp_test::server::reference::everything;
use mcp_test::spec::Revision;
use mcp_test_suite::scenarios;
use serde::{Deserialize, Serialize};

use super::faults::{
    FaultyScenario, IN_BOTH_ERAS, IN_HANDSHAKE_ERA, IN_STATELESS_ERA, OF_CLIENTS_IN_HANDSHAKE_ERA,
    OF_CLIENTS_IN_STATELESS_ERA,
};

/// A server or a client that both suites test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum TestedPeer {
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
    /// Our reference client, without faults or with one.
    #[serde(rename = "reference-client")]
    ReferenceClient,
    /// The reference client with a fault of a scenario's proofs, or the client that a proof has instead.
    #[serde(rename = "client-proofs")]
    ClientProofs,
    /// A client on rmcp.
    #[serde(rename = "rmcp-client")]
    RmcpClient,
    /// A client on the npm package `@modelcontextprotocol/sdk`.
    #[serde(rename = "typescript-1-client")]
    Typescript1Client,
    /// A client on the npm package `@modelcontextprotocol/client`.
    #[serde(rename = "typescript-2-client")]
    Typescript2Client,
    /// A client on the Python package `mcp`.
    #[serde(rename = "python-client")]
    PythonClient,
}

impl TestedPeer {
    /// All of them.
    pub(super) const ALL: [Self; 11] = [
        Self::Reference,
        Self::Proofs,
        Self::Rmcp,
        Self::Everything,
        Self::Python,
        Self::ReferenceClient,
        Self::ClientProofs,
        Self::RmcpClient,
        Self::Typescript1Client,
        Self::Typescript2Client,
        Self::PythonClient,
    ];

    /// The servers that need neither Node.js nor Python.
    pub(super) const OWN_SERVERS: [Self; 3] = [Self::Reference, Self::Proofs, Self::Rmcp];

    /// The clients that need neither Node.js nor Python.
    pub(super) const OWN_CLIENTS: [Self; 3] =
        [Self::ReferenceClient, Self::ClientProofs, Self::RmcpClient];

    /// The servers that `.ci/peers` installs.
    pub(super) const INSTALLED_SERVERS: [Self; 2] = [Self::Everything, Self::Python];

    /// The clients on packages that `.ci/peers` installs.
    pub(super) const INSTALLED_CLIENTS: [Self; 3] =
        [Self::Typescript1Client, Self::Typescript2Client, Self::PythonClient];

    /// What it is.
    pub(super) fn tested_side(self) -> TestedSide {
        match self {
            Self::Reference | Self::Proofs | Self::Rmcp | Self::Everything | Self::Python => {
                TestedSide::Server
            }
            _ => TestedSide::Client,
        }
    }

    /// Its name in the page.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Reference => "Reference server",
            Self::Proofs => "Servers of the proofs",
            Self::Rmcp => "rmcp",
            Self::Everything => "server-everything",
            Self::Python => "Python SDK",
            Self::ReferenceClient => "Reference client",
            Self::ClientProofs => "Clients of the proofs",
            Self::RmcpClient => "rmcp client",
            Self::Typescript1Client => "TypeScript SDK 1.x client",
            Self::Typescript2Client => "TypeScript SDK 2.x client",
            Self::PythonClient => "Python SDK client",
        }
    }

    /// Whether scenarios of this revision, or of extensions, apply to it.
    fn supports(self, revision: Option<Revision>) -> bool {
        match self {
            Self::Reference | Self::ReferenceClient => true,
            // It has a fault in each of its runs.
            Self::Proofs | Self::ClientProofs => false,
            Self::Rmcp
            | Self::Python
            | Self::RmcpClient
            | Self::Typescript2Client
            | Self::PythonClient => revision.is_some(),
            Self::Everything | Self::Typescript1Client => {
                revision.is_some_and(|it| it <= Revision::NEWEST_HANDSHAKE)
            }
        }
    }
}

/// What distinguishes one run from all others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct RunKey {
    /// What is tested.
    pub(super) peer: TestedPeer,
    /// The id of the scenario.
    pub(super) scenario: String,
    /// The revision that is asked for; empty for an extension, which belongs to none.
    pub(super) revision: String,
    /// The fault in the notation of the command line, or the function in the scenario's file that makes the faulty peer; empty
    /// for a peer without a fault.
    pub(super) fault: String,
}

/// A scenario that both suites run on the same server or client.
#[derive(Debug)]
pub(super) struct SharedRun {
    /// What distinguishes it.
    pub(super) key: RunKey,
    scenario: &'static Scenario,
    fault: Option<ProofFault>,
}

impl SharedRun {
    fn new(
        peer: TestedPeer,
        scenario: &'static Scenario,
        revision: Option<Revision>,
        fault: Option<ProofFault>,
    ) -> Self {
        let key = RunKey {
            peer,
            scenario: scenario.id.to_string(),
            revision: revision.map(|it| it.to_string()).unwrap_or_default(),
            fault: fault.as_ref().map(ToString::to_string).unwrap_or_default(),
        };
        Self { key, scenario, fault }
    }

    /// Whether a client has to sign in.
    pub(super) fn signs_in(&self) -> bool {
        self.key.scenario.starts_with("auth/")
    }

    /// The reference server, or that of the proofs, in the form that this run tests.
    pub(super) fn reference_server(&self) -> Server {
        let is_of_proof = self.key.peer == TestedPeer::Proofs;
        let good = match self.scenario.proofs.filter(|_| is_of_proof) {
            Some(proofs) => (proofs().peer)(),
            None => everything().into(),
        };
        let peer = match &self.fault {
            None => good,
            Some(ProofFault::Wire(fault)) => good.fault(fault.clone()),
            Some(ProofFault::Peer { make, .. }) => make(),
        };
        match peer {
            Peer::Server(server) => server,
            _ => panic!("{} tests servers", self.scenario.id),
        }
    }
}

/// All runs on these peers, in order.
pub(super) fn on(peers: &[TestedPeer]) -> Vec<SharedRun> {
    let mut runs = Vec::new();
    for peer in peers {
        for scenario in scenarios(peer.tested_side()) {
            let revisions = revisions(scenario).into_iter().filter(|it| peer.supports(*it));
            runs.extend(revisions.map(|it| SharedRun::new(*peer, scenario, it, None)));
            if [TestedPeer::Proofs, TestedPeer::ClientProofs].contains(peer) {
                runs.extend(of_proofs(*peer, scenario));
            }
        }
        runs.extend(of_lists(*peer));
    }
    // A fault may prove several checks.
    let runs: BTreeMap<RunKey, SharedRun> =
        runs.into_iter().map(|run| (run.key.clone(), run)).collect();
    runs.into_values().collect()
}

/// The scenarios of the official suite for servers, or for clients.
pub(super) fn scenarios(tested_side: TestedSide) -> impl Iterator<Item = &'static Scenario> {
    scenarios::all().filter(move |it| it.tested_side == tested_side && it.official.is_some())
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
fn of_proofs(peer: TestedPeer, scenario: &'static Scenario) -> impl Iterator<Item = SharedRun> {
    let proofs = scenario.proofs.expect("a built-in scenario has proofs")().proofs;
    proofs.into_iter().filter_map(move |proof| {
        let check = scenario.check(proof.check)?;
        let is_of_suite = check.origin == Origin::Official;
        // Most of these servers lack what is tested; these clients do not use what is tested, which only official rules judge.
        let is_tried =
            proof.profile != Some(Profile::Strict) || peer.tested_side() == TestedSide::Client;
        let exists = |it: &Revision| check.revisions.contains(*it) && may_run_at(&proof, *it);
        let revisions = revisions(scenario).into_iter().rev();
        let revision = revisions.into_iter().find(|it| it.as_ref().is_none_or(exists))?;
        let run = || SharedRun::new(peer, scenario, revision, Some(proof.fault.clone()));
        (is_of_suite && is_tried).then(run)
    })
}

/// Whether a proof holds at a revision.
fn may_run_at(proof: &Proof, revision: Revision) -> bool {
    proof.revision.is_none_or(|it| it == revision)
}

/// The runs of the lists of faults.
fn of_lists(peer: TestedPeer) -> Vec<SharedRun> {
    let (handshake, stateless) = (Revision::V2025_11_25, Revision::V2026_07_28);
    let lists: &[(&[FaultyScenario], Revision)] = match peer {
        TestedPeer::Reference => &[
            (IN_BOTH_ERAS, handshake),
            (IN_HANDSHAKE_ERA, handshake),
            (IN_BOTH_ERAS, stateless),
            (IN_STATELESS_ERA, stateless),
        ],
        TestedPeer::ReferenceClient => {
            &[(OF_CLIENTS_IN_HANDSHAKE_ERA, handshake), (OF_CLIENTS_IN_STATELESS_ERA, stateless)]
        }
        _ => &[],
    };
    let run = |revision, (scenario, fault): &FaultyScenario| {
        let scenario = scenarios::find(peer.tested_side(), scenario).expect("a scenario");
        let is_extension = revisions(scenario).contains(&None);
        let fault = fault.parse().unwrap_or_else(|why| panic!("{fault}: {why}"));
        let revision = (!is_extension).then_some(revision);
        SharedRun::new(peer, scenario, revision, Some(ProofFault::Wire(fault)))
    };
    let faulty = lists.iter().flat_map(|(list, revision)| list.iter().map(|it| (*revision, it)));
    faulty.map(|(revision, it)| run(revision, it)).collect()
}
