//! What a run tests: a server, or a client.

use crate::scenario::Leg;
use crate::transport::{ClientTarget, Target, TransportKind};

/// The server or client under test.
#[derive(Debug, Clone)]
pub enum Tested {
    /// A server; we are its client.
    Server(Target),
    /// A client; we are its server.
    Client(ClientTarget),
}

impl Tested {
    /// Its side.
    #[must_use]
    pub const fn leg(&self) -> Leg {
        match self {
            Self::Server(_) => Leg::Server,
            Self::Client(_) => Leg::Client,
        }
    }

    /// Its name in reports.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::Server(target) => target.label(),
            Self::Client(target) => target.label(),
        }
    }

    /// Its name in reports where it is used over one transport; without one, over its first.
    #[must_use]
    pub(crate) fn label_over(&self, transport: Option<TransportKind>) -> String {
        match self {
            Self::Server(target) => target.label_over(transport),
            Self::Client(target) => target.label(),
        }
    }

    /// How it can be reached, or can reach us.
    #[must_use]
    pub fn transports(&self) -> Vec<TransportKind> {
        match self {
            Self::Server(target) => target.transports(),
            Self::Client(target) => target.transports(),
        }
    }
}

impl From<Target> for Tested {
    fn from(target: Target) -> Self {
        Self::Server(target)
    }
}

impl From<ClientTarget> for Tested {
    fn from(target: ClientTarget) -> Self {
        Self::Client(target)
    }
}
