//! The side under test.

use std::fmt;

use crate::spec::Side;

/// Which side is under test.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TestedSide {
    /// A server; mcp-test is its client.
    Server,
    /// A client; mcp-test is its server.
    Client,
    /// An authorization server; mcp-test is a client that signs in there.
    Authorization,
}

impl TestedSide {
    /// Every side.
    pub const ALL: [Self; 3] = [Self::Server, Self::Client, Self::Authorization];

    /// The word in commands, baselines and directory names.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
            Self::Authorization => "authorization",
        }
    }

    /// Which side of MCP is tested; an authorization server is none.
    #[must_use]
    pub const fn side(self) -> Option<Side> {
        match self {
            Self::Server => Some(Side::Server),
            Self::Client => Some(Side::Client),
            Self::Authorization => None,
        }
    }

    /// What is tested, in words, with its article.
    #[must_use]
    pub const fn with_article(self) -> &'static str {
        match self {
            Self::Server => "a server",
            Self::Client => "a client",
            Self::Authorization => "an authorization server",
        }
    }

    /// What is tested, in words.
    #[must_use]
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
            Self::Authorization => "authorization server",
        }
    }
}

impl fmt::Display for TestedSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
