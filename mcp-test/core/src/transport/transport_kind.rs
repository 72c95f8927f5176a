//! The kinds of transports.

use std::fmt;
use std::str::FromStr;

use crate::spec::Revision;

/// A kind of transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TransportKind {
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

impl TransportKind {
    /// Every transport.
    pub const ALL: [Self; 5] = [Self::Duplex, Self::Stdio, Self::Http, Self::Router, Self::Sse];

    /// The word used in names, options and attributes.
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

    /// Whether the transport is Streamable HTTP.
    #[must_use]
    pub const fn is_http(self) -> bool {
        matches!(self, Self::Http | Self::Router)
    }

    /// Whether messages are lines over a pair of byte streams.
    #[must_use]
    pub const fn is_lines(self) -> bool {
        matches!(self, Self::Duplex | Self::Stdio)
    }

    /// Whether the revision has the transport: 2024-11-05 has HTTP+SSE, later ones have Streamable HTTP.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::{spec::Revision, transport::TransportKind};
    ///
    /// assert!(!TransportKind::Http.exists_at(Revision::V2024_11_05));
    /// assert!(TransportKind::Sse.exists_at(Revision::V2024_11_05));
    /// assert!(TransportKind::Duplex.exists_at(Revision::V2024_11_05));
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

impl fmt::Display for TransportKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A word that does not name a transport.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown transport `{0}`; expected duplex, stdio, http, router or sse")]
pub struct UnknownTransport(String);

impl FromStr for TransportKind {
    type Err = UnknownTransport;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == word)
            .ok_or_else(|| UnknownTransport(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::TransportKind;

    #[test]
    fn every_kind_round_trips_through_its_word() {
        for kind in TransportKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
        insta::assert_snapshot!("tcp".parse::<TransportKind>().unwrap_err(), @"unknown transport `tcp`; expected duplex, stdio, http, router or sse");
    }
}
