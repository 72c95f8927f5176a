//! A requirement and its properties.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::spec::{Revision, Revisions, Side};

/// A requirement of the specification, or one of mcp-test.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::spec::{Level, Requirement, Revision, requirement};
///
/// let requirement = Requirement::PING_RESULT_EMPTY;
/// assert_eq!(requirement.level, Level::Must);
/// assert_eq!(requirement::find("ping.result-empty"), Some(requirement));
/// println!("{}: {:?}", requirement.id, requirement.link(Revision::V2025_11_25));
/// ```
pub struct Requirement {
    /// The id, such as `ping.result-empty`: an area, a dot, a name.
    pub id: &'static str,
    /// Other ids for the same requirement.
    pub aliases: &'static [&'static str],
    /// The revisions that have it.
    pub revisions: Revisions,
    /// Its level, such as MUST.
    pub level: Level,
    /// Who is bound by it.
    pub binds: BoundParty,
    /// Who states it.
    pub source: Source,
    /// The requirement in our words.
    pub text: &'static str,
    /// How it can be tested.
    pub testable: Testability,
    /// How to test it.
    pub probe: &'static str,
    /// What a peer that violates it does.
    pub violation: &'static str,
    /// Why no check stands for it, although a server, or only a client, is bound by it.
    pub unchecked: Option<&'static str>,
    /// Why no check of clients stands for it, where one of servers does.
    pub unchecked_of_clients: Option<&'static str>,
}

/// Who states a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// The specification.
    Specification {
        /// The page that states it, for [`url`](crate::spec::url).
        page: &'static str,
    },
    /// mcp-test: no page of the specification states it.
    McpTest {
        /// Why it is required nevertheless.
        reason: &'static str,
    },
}

/// The level of a requirement, in the words of RFC 2119.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Level {
    Must,
    MustNot,
    Should,
    ShouldNot,
    May,
}

/// Who is bound by a requirement.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BoundParty {
    /// The client.
    Client,
    /// The server.
    Server,
    /// Client and server.
    Both,
    /// The authorization server.
    AuthorizationServer,
}

/// Where a violation of a requirement is observable.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Testability {
    /// In the messages of any peer.
    Wire,
    /// In the messages of a peer that has the necessary feature or fixture.
    NeedsFixture,
    /// In the behavior of its process: output, signals, exit.
    Process,
    /// Nowhere that a test can observe.
    No,
}

impl Level {
    /// Whether it is a MUST or a MUST NOT.
    pub const fn is_must(self) -> bool {
        matches!(self, Self::Must | Self::MustNot)
    }

    /// The word of RFC 2119.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::MustNot => "MUST NOT",
            Self::Should => "SHOULD",
            Self::ShouldNot => "SHOULD NOT",
            Self::May => "MAY",
        }
    }
}

impl BoundParty {
    /// `client`, `server`, `both` or `authorization-server`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
            Self::Both => "both",
            Self::AuthorizationServer => "authorization-server",
        }
    }
}

impl Testability {
    /// `wire`, `needs-fixture`, `process` or `no`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Wire => "wire",
            Self::NeedsFixture => "needs-fixture",
            Self::Process => "process",
            Self::No => "no",
        }
    }
}

impl Requirement {
    /// The page of the specification that states it, for [`url`](crate::spec::url); one of mcp-test has none.
    pub const fn page(&self) -> Option<&'static str> {
        match self.source {
            Source::Specification { page } => Some(page),
            Source::McpTest { .. } => None,
        }
    }

    /// Why mcp-test requires it, if the specification does not.
    pub const fn reason(&self) -> Option<&'static str> {
        match self.source {
            Source::Specification { .. } => None,
            Source::McpTest { reason } => Some(reason),
        }
    }

    /// Whether the revision has it.
    pub const fn applies_at(&self, revision: Revision) -> bool {
        self.revisions.contains(revision)
    }

    /// The first of these requirements that the revision has; the last of them, if it has none.
    pub const fn first_at(revision: Revision, requirements: &[&'static Self]) -> &'static Self {
        let mut index = 0;
        // A loop with an index, because `for` is not available in a constant function.
        while index + 1 < requirements.len() && !requirements[index].applies_at(revision) {
            index += 1;
        }
        requirements[index]
    }

    /// Why no check of this side stands for it, if its row says so.
    pub fn why_unchecked(&self, side: Side) -> Option<&'static str> {
        match side {
            Side::Server => self.unchecked,
            Side::Client => self.unchecked_of_clients.or(self.unchecked),
        }
    }

    /// The URL of its text at `revision`, or at the newest revision that has the requirement.
    pub fn link(&self, revision: Revision) -> Option<String> {
        self.page().map(|page| crate::spec::page::url_within(page, self.revisions, revision))
    }

    /// The requirement in a report: id, level and text, and on a second, indented line its URL at `revision`, or why mcp-test
    /// requires it.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::spec::{Requirement, Revision};
    ///
    /// let citation = Requirement::PING_RESULT_EMPTY.cite(Revision::V2025_11_25);
    /// assert!(citation.starts_with("ping.result-empty (MUST) "));
    /// assert!(citation.contains("\n  https://modelcontextprotocol.io/specification/2025-11-25/"));
    /// ```
    pub fn cite(&self, revision: Revision) -> String {
        let source = match self.source {
            Source::Specification { .. } => self.link(revision).unwrap_or_default(),
            Source::McpTest { reason } => format!("required by mcp-test: {reason}"),
        };
        format!("{} ({}) {}\n  {source}", self.id, self.level, self.text)
    }

    /// The part of the id before the dot, which is also the name of its file.
    pub fn area(&self) -> &'static str {
        self.id.split_once('.').map_or(self.id, |(area, _)| area)
    }

    /// Whether any of its ids, texts or properties contains `word`, which is in lower case.
    pub(super) fn mentions(&self, word: &str) -> bool {
        // Without an index: the registry is searched once, for a person who waits at a terminal.
        let texts = [
            self.id,
            self.page().or(self.reason()).unwrap_or_default(),
            self.text,
            self.probe,
            self.violation,
            self.level.as_str(),
            self.binds.as_str(),
            self.testable.as_str(),
        ];
        texts
            .into_iter()
            .chain(self.aliases.iter().copied())
            .chain(self.revisions.iter().map(Revision::as_str))
            .any(|text| text.to_lowercase().contains(word))
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id)
    }
}

impl fmt::Debug for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.id, f)
    }
}

// The id identifies a requirement.
impl PartialEq for Requirement {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Requirement {}

impl PartialOrd for Requirement {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Requirement {
    fn cmp(&self, other: &Self) -> Ordering {
        self.id.cmp(other.id)
    }
}

impl Hash for Requirement {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for BoundParty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for Testability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
