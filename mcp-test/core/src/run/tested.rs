//! What a run tests: a server, a client, or an authorization server.

#[cfg(feature = "auth")]
use crate::scenario::AuthorizationTarget;
use crate::scenario::TestedSide;
use crate::spec::KnownViolation;
use crate::transport::{ClientTarget, Target, TransportKind};

/// The server, client or authorization server under test.
#[derive(Debug, Clone)]
pub enum Tested {
    /// A server; we are its client.
    Server(Target),
    /// A client; we are its server.
    Client(ClientTarget),
    /// An authorization server; we are its client.
    #[cfg(feature = "auth")]
    AuthorizationServer(AuthorizationTarget),
}

impl Tested {
    /// Its side.
    #[must_use]
    pub const fn tested_side(&self) -> TestedSide {
        match self {
            Self::Server(_) => TestedSide::Server,
            Self::Client(_) => TestedSide::Client,
            #[cfg(feature = "auth")]
            Self::AuthorizationServer(_) => TestedSide::Authorization,
        }
    }

    /// How often the program of a server was started for a connection over standard streams.
    pub(super) fn program_starts(&self) -> usize {
        match self {
            Self::Server(target) => target.program_starts(),
            _ => 0,
        }
    }

    /// The requirements that it is known to break; only servers name any.
    #[doc(hidden)]
    #[must_use]
    pub fn known_violations(&self) -> Vec<KnownViolation> {
        match self {
            Self::Server(target) => target.known_violations().to_vec(),
            _ => Vec::new(),
        }
    }

    /// Its name in reports.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::Server(target) => target.label(),
            Self::Client(target) => target.label(),
            #[cfg(feature = "auth")]
            Self::AuthorizationServer(target) => target.label(),
        }
    }

    /// Its name in reports where it is used over one transport; without one, over its first.
    #[must_use]
    #[doc(hidden)]
    pub fn label_over(&self, transport: Option<TransportKind>) -> String {
        match self {
            Self::Server(target) => target.label_over(transport),
            _ => self.label(),
        }
    }

    /// Whether it is a server with tokens for tests as a protected one.
    pub(super) fn is_protected(&self) -> bool {
        #[cfg(feature = "auth")]
        if let Self::Server(target) = self {
            return target.test_tokens().is_some();
        }
        false
    }

    /// How it can be reached, or can reach us.
    #[must_use]
    pub fn transports(&self) -> Vec<TransportKind> {
        match self {
            Self::Server(target) => target.transports(),
            Self::Client(target) => target.transports(),
            #[cfg(feature = "auth")]
            Self::AuthorizationServer(_) => vec![TransportKind::Http],
        }
    }
}

impl From<Target> for Tested {
    fn from(target: Target) -> Self {
        Self::Server(target)
    }
}

#[cfg(feature = "auth")]
impl From<AuthorizationTarget> for Tested {
    fn from(target: AuthorizationTarget) -> Self {
        Self::AuthorizationServer(target)
    }
}

impl From<ClientTarget> for Tested {
    fn from(target: ClientTarget) -> Self {
        Self::Client(target)
    }
}
