//! Proofs, as data: which fault of a good peer a scenario must notice, and by which checks.
//!
//! The tests in `suite/tests/proofs` carry them out.

use std::fmt;
use std::time::Duration;

use crate::check::Status;
use crate::client::ScriptedClient;
use crate::server::Server;
use crate::spec::Revision;
use crate::transport::{Fault, TransportKind};

#[cfg(feature = "auth")]
use super::AuthorizationPeer;
use super::Profile;

/// The peer of a proof.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub enum Peer {
    /// A server, for scenarios that test servers.
    Server(Server),
    /// A client, for scenarios that test clients.
    Client(ScriptedClient),
    /// An authorization server, for scenarios that test those.
    #[cfg(feature = "auth")]
    AuthorizationServer(AuthorizationPeer),
}

impl Peer {
    /// The same peer with a fault in what it sends.
    #[must_use]
    pub fn fault(self, fault: Fault) -> Self {
        match self {
            Self::Server(server) => Self::Server(server.faults([fault])),
            Self::Client(client) => Self::Client(client.faults([fault])),
            // Faults are in messages of MCP, of which it sends none.
            #[cfg(feature = "auth")]
            Self::AuthorizationServer(peer) => Self::AuthorizationServer(peer),
        }
    }
}

impl From<Server> for Peer {
    fn from(server: Server) -> Self {
        Self::Server(server)
    }
}

impl From<ScriptedClient> for Peer {
    fn from(client: ScriptedClient) -> Self {
        Self::Client(client)
    }
}

#[cfg(feature = "auth")]
impl From<AuthorizationPeer> for Peer {
    fn from(peer: AuthorizationPeer) -> Self {
        Self::AuthorizationServer(peer)
    }
}

/// What is wrong with the peer of a proof.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub enum ProofFault {
    /// The good peer, with a fault in what it sends.
    Wire(Fault),
    /// Another peer, which misbehaves.
    Peer {
        /// The expression that makes it.
        source: &'static str,
        /// Makes it.
        make: fn() -> Peer,
    },
}

impl From<Fault> for ProofFault {
    fn from(fault: Fault) -> Self {
        Self::Wire(fault)
    }
}

impl fmt::Display for ProofFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wire(fault) => f.write_str(&fault.name()),
            Self::Peer { source, .. } => {
                // On one line, however it is laid out.
                let words: Vec<&str> = source.split_whitespace().collect();
                f.write_str(&words.join(" "))
            }
        }
    }
}

/// One fault, and the check that notices it.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct Proof {
    /// What is wrong with the peer.
    pub fault: ProofFault,
    /// The id of the check that is proven.
    pub check: &'static str,
    /// Its status.
    pub status: Status,
    /// The revision, if not the newest one of the scenario.
    pub revision: Option<Revision>,
    /// The transport, if not the in-memory duplex.
    pub transport: Option<TransportKind>,
    /// The profile, if not `adaptive`.
    pub profile: Option<Profile>,
    /// How long the faulty peer may take to answer `ping`, if not as long as every peer.
    pub prompt: Option<Duration>,
    /// The time-out of the run with the faulty peer, if not that of every run.
    pub timeout: Option<Duration>,
}

impl Proof {
    /// `fault` gives `check` the status FAILURE.
    #[must_use]
    pub fn catches(check: &'static str, fault: impl Into<ProofFault>) -> Self {
        Self::new(check, Status::Failure, fault.into())
    }

    /// `fault` gives `check` the status WARNING.
    #[must_use]
    pub fn warns(check: &'static str, fault: impl Into<ProofFault>) -> Self {
        Self::new(check, Status::Warning, fault.into())
    }

    fn new(check: &'static str, status: Status, fault: ProofFault) -> Self {
        Self {
            fault,
            check,
            status,
            revision: None,
            transport: None,
            profile: None,
            prompt: None,
            timeout: None,
        }
    }

    /// Carries the proof out at another revision.
    #[must_use]
    pub fn at(mut self, revision: Revision) -> Self {
        self.revision = Some(revision);
        self
    }

    /// Carries the proof out over another transport.
    #[must_use]
    pub fn over(mut self, transport: TransportKind) -> Self {
        self.transport = Some(transport);
        self
    }

    /// Carries the proof out by the rules of another profile.
    #[must_use]
    pub fn under(mut self, profile: Profile) -> Self {
        self.profile = Some(profile);
        self
    }

    /// Lets the faulty peer take only this many milliseconds to answer `ping`, so that no proof has to wait for seconds.
    #[must_use]
    pub fn prompt(mut self, milliseconds: u64) -> Self {
        self.prompt = Some(Duration::from_millis(milliseconds));
        self
    }

    /// Gives the run with the faulty peer only this many seconds, since it waits for what never comes.
    #[must_use]
    pub fn timeout(mut self, seconds: u64) -> Self {
        self.timeout = Some(Duration::from_secs(seconds));
        self
    }

    /// Where and by which rules it is carried out, if not as most are: ` at 2025-06-18 over http in profile strict`.
    #[must_use]
    pub fn conditions(&self) -> String {
        let conditions = [
            self.revision.map(|revision| format!(" at {revision}")),
            self.transport.map(|transport| format!(" over {transport}")),
            self.profile.map(|profile| format!(" in profile {profile}")),
        ];
        conditions.into_iter().flatten().collect()
    }
}

/// The good peer on which a scenario passes, and the fault that the scenario notices.
#[doc(hidden)]
#[derive(Clone)]
pub struct Proofs {
    /// Makes the good peer.
    pub peer: fn() -> Peer,
    /// The faults that it notices.
    pub proofs: Vec<Proof>,
}
