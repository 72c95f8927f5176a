//! The transports over which a scenario applies, or a check can be made.

use crate::transport::TransportKind;

/// The transports over which a scenario applies, or a check can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transports {
    /// All: it tests messages.
    Any,
    /// Those of Streamable HTTP: it tests sessions, headers or streams, which other transports do not have.
    StreamableHttp,
    /// Exactly these.
    Only(&'static [TransportKind]),
}

impl Transports {
    /// Whether the transport is one of them.
    #[must_use]
    pub fn contains(self, transport: TransportKind) -> bool {
        match self {
            Self::Any => true,
            Self::StreamableHttp => transport.is_http(),
            Self::Only(transports) => transports.contains(&transport),
        }
    }
}
