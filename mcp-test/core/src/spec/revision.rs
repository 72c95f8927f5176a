//! The dated revisions of MCP; `feature`, `method`, `capability` and `error_code` list their differences.

use std::fmt;

/// A dated revision of the specification, ordered by date.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::spec::{Era, Revision};
///
/// assert!(Revision::V2025_03_26 < Revision::V2025_06_18);
/// assert_eq!(Revision::NEWEST.to_string(), "2026-07-28");
/// assert_eq!(Revision::NEWEST_HANDSHAKE.era(), Era::Handshake);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(non_camel_case_types, reason = "a revision is named by its date")]
pub enum Revision {
    /// [2024-11-05](https://modelcontextprotocol.io/specification/2024-11-05): the first revision; stdio and HTTP with SSE.
    V2024_11_05,
    /// [2025-03-26](https://modelcontextprotocol.io/specification/2025-03-26): Streamable HTTP, authorization, batches.
    V2025_03_26,
    /// [2025-06-18](https://modelcontextprotocol.io/specification/2025-06-18): structured content, elicitation; no batches.
    V2025_06_18,
    /// [2025-11-25](https://modelcontextprotocol.io/specification/2025-11-25): tasks, icons, elicitation by URL.
    V2025_11_25,
    /// [2026-07-28](https://modelcontextprotocol.io/specification/2026-07-28): no handshake, no sessions.
    V2026_07_28,
}

/// How two peers agree on a revision and on capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Era {
    /// Once per connection: `initialize`, its result, `notifications/initialized`.
    Handshake,
    /// In the `_meta` of each request; `server/discover` returns the server's capabilities.
    Stateless,
}

impl Revision {
    /// All revisions, oldest first.
    pub const ALL: [Self; 5] = [
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
        Self::V2026_07_28,
    ];

    /// The oldest revision.
    pub const OLDEST: Self = Self::V2024_11_05;

    /// The newest revision.
    pub const NEWEST: Self = Self::V2026_07_28;

    /// The newest revision that starts with `initialize`.
    pub const NEWEST_HANDSHAKE: Self = Self::V2025_11_25;

    /// The date, which names the revision on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// How peers of this revision agree on revision and capabilities.
    pub const fn era(self) -> Era {
        if self.has_handshake() { Era::Handshake } else { Era::Stateless }
    }

    // The `u8` of a set has room for eight revisions.
    pub(super) const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Handshake => "handshake",
            Self::Stateless => "stateless",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_round_trips_through_its_text() {
        for revision in Revision::ALL {
            assert_eq!(revision.to_string().parse(), Ok(revision));
        }
        assert!(Revision::ALL.is_sorted());
    }

    #[test]
    fn the_era_changes_with_2026_07_28() {
        for revision in Revision::ALL {
            let stateless = revision >= Revision::V2026_07_28;
            assert_eq!(revision.era() == Era::Stateless, stateless, "{revision}");
        }
    }
}
