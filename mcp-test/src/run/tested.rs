//! What a run tests: a server, or a client.

use crate::scenario::Leg;
use crate::transport::{CarrierKind, ClientTarget, Target};

/// What is tested.
#[derive(Debug, Clone)]
pub enum Tested {
    /// A server; we are its client.
    Server(Target),
    /// A client; we are its server.
    Client(ClientTarget),
}

impl Tested {
    /// The side that it is.
    #[must_use]
    pub const fn leg(&self) -> Leg {
        match self {
            Self::Server(_) => Leg::Server,
            Self::Client(_) => Leg::Client,
        }
    }

    /// What reports call it.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::Server(target) => target.label(),
            Self::Client(target) => target.label(),
        }
    }

    /// How it can be reached, or can reach us.
    #[must_use]
    pub fn carriers(&self) -> Vec<CarrierKind> {
        match self {
            Self::Server(target) => target.carriers(),
            Self::Client(_) => vec![CarrierKind::Http],
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
