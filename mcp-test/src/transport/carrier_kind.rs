//! The five ways in which messages reach a peer.

use std::fmt;
use std::str::FromStr;

use crate::spec::Revision;

/// How the messages of a connection are carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CarrierKind {
    /// Lines over an in-memory pipe, the peer in this process.
    Duplex,
    /// Lines over standard input and output of a child process.
    Stdio,
    /// Streamable HTTP over the network.
    Http,
    /// Streamable HTTP against a tower service in this process, without a port.
    Router,
    /// The HTTP+SSE of 2024-11-05 over the network: an event stream from the server, and POSTs to it.
    Sse,
}

impl CarrierKind {
    /// Every carrier.
    pub const ALL: [Self; 5] = [Self::Duplex, Self::Stdio, Self::Http, Self::Router, Self::Sse];

    /// The word used in cell names, options and attributes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Duplex => "duplex",
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::Router => "router",
            Self::Sse => "sse",
        }
    }

    /// Whether the carrier speaks Streamable HTTP.
    #[must_use]
    pub const fn is_http(self) -> bool {
        matches!(self, Self::Http | Self::Router)
    }

    /// Whether messages are lines over a pair of byte streams.
    #[must_use]
    pub const fn is_lines(self) -> bool {
        matches!(self, Self::Duplex | Self::Stdio)
    }

    /// Whether the revision describes what the carrier does: 2024-11-05 has HTTP+SSE, the later ones Streamable HTTP.
    ///
    /// ```
    /// use mcp_test::{spec::Revision, transport::CarrierKind};
    ///
    /// assert!(!CarrierKind::Http.exists_at(Revision::V2024_11_05));
    /// assert!(CarrierKind::Sse.exists_at(Revision::V2024_11_05));
    /// assert!(CarrierKind::Duplex.exists_at(Revision::V2024_11_05));
    /// ```
    #[must_use]
    pub const fn exists_at(self, revision: Revision) -> bool {
        match self {
            Self::Duplex | Self::Stdio => true,
            Self::Http | Self::Router => revision.has_streamable_http(),
            Self::Sse => !revision.has_streamable_http(),
        }
    }
}

impl fmt::Display for CarrierKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A word that names no carrier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no transport: expected one of duplex, stdio, http, router, sse")]
pub struct UnknownCarrier(String);

impl FromStr for CarrierKind {
    type Err = UnknownCarrier;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == word)
            .ok_or_else(|| UnknownCarrier(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::CarrierKind;

    #[test]
    fn every_carrier_is_read_back_from_its_word() {
        for kind in CarrierKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
        insta::assert_snapshot!("tcp".parse::<CarrierKind>().unwrap_err(), @"`tcp` is no transport: expected one of duplex, stdio, http, router, sse");
    }
}
