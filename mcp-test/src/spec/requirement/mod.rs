//! What the specification demands, sentence by sentence: the requirements that checks cite.
//!
//! The requirements are text files beside this one, a file for each area. A file starts with `#` lines; a requirement is
//! a line with its id, level, who is bound, revisions and how it shows, and below it, indented, its page and texts:
//!
//! ```text
//! discover.implement | MUST | server | 2026-07-28 | wire
//!   page      server/discover
//!   says      Every 2026-07-28 server answers `server/discover`.
//!   probe     Send server/discover with valid _meta as the very first message; expect a result.
//!   violation Replies -32601 (or nothing) to server/discover.
//!   aliases   versioning.discover-implemented
//! ```
//!
//! Ids stay when texts change. Where two ids turned out to say the same, one of them became an alias of the other.

mod files;
mod parse;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use super::{Revision, Revisions};

/// Something the specification demands of a peer.
///
/// ```
/// use mcp_test::spec::{Level, Revision, requirement};
///
/// let requirement = requirement::find("ping.result-empty").ok_or("unknown id")?;
/// assert_eq!(requirement.level, Level::Must);
/// println!("{}: {}", requirement.id, requirement.link(Revision::V2025_11_25));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Requirement {
    /// The id: area, dot, name.
    pub id: &'static str,
    /// Other ids for the same demand.
    pub aliases: Vec<&'static str>,
    /// The revisions that make it.
    pub revisions: Revisions,
    /// How strong it is.
    pub level: Level,
    /// Who must keep it.
    pub who: Who,
    /// Where it stands, for [`url`](super::url).
    pub page: &'static str,
    /// The demand, in our words.
    pub says: &'static str,
    /// Where it shows.
    pub testable: Testable,
    /// How to find out whether it is kept.
    pub probe: &'static str,
    /// What a peer that breaks it does.
    pub violation: &'static str,
}

/// How strong a requirement is, in the words of RFC 2119.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Who {
    /// The client.
    Client,
    /// The server.
    Server,
    /// Client and server.
    Both,
    /// The authorization server.
    AuthorizationServer,
}

/// Where it shows whether a requirement is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Testable {
    /// In the messages of any peer.
    Wire,
    /// In the messages of a peer that has the feature or the fixture for it.
    NeedsFixture,
    /// In the process: its output, its signals, its end.
    Process,
    /// Nowhere a test can look.
    No,
}

impl Level {
    /// Whether breaking it is an error rather than a matter of quality.
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

    const ALL: [Self; 5] = [Self::Must, Self::MustNot, Self::Should, Self::ShouldNot, Self::May];
}

impl Who {
    /// `client`, `server`, `both` or `authorization-server`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
            Self::Both => "both",
            Self::AuthorizationServer => "authorization-server",
        }
    }

    const ALL: [Self; 4] = [Self::Client, Self::Server, Self::Both, Self::AuthorizationServer];
}

impl Testable {
    /// `wire`, `needs-fixture`, `process` or `no`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Wire => "wire",
            Self::NeedsFixture => "needs-fixture",
            Self::Process => "process",
            Self::No => "no",
        }
    }

    const ALL: [Self; 4] = [Self::Wire, Self::NeedsFixture, Self::Process, Self::No];
}

impl Requirement {
    /// The address of the text at `revision`, or at the newest revision that has the requirement.
    pub fn link(&self, revision: Revision) -> String {
        super::page::url_within(self.page, self.revisions, revision)
    }

    /// The part of the id before the dot, which names the file too.
    pub fn area(&self) -> &'static str {
        self.id.split_once('.').map_or(self.id, |(area, _)| area)
    }

    fn mentions(&self, word: &str) -> bool {
        let texts = [
            self.id,
            self.page,
            self.says,
            self.probe,
            self.violation,
            self.level.as_str(),
            self.who.as_str(),
            self.testable.as_str(),
        ];
        texts
            .into_iter()
            .chain(self.aliases.iter().copied())
            .chain(self.revisions.iter().map(Revision::as_str))
            .any(|text| text.to_lowercase().contains(word))
    }
}

struct Registry {
    requirements: Vec<Requirement>,
    by_id: HashMap<&'static str, usize>,
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let mut requirements = Vec::new();
    for (file, text) in files::FILES {
        match parse::file(file, text) {
            Ok(read) => requirements.extend(read),
            // The files are part of the binary, and a unit test reads them all.
            Err(error) => unreachable!("{error}"),
        }
    }
    let ids = |(index, requirement): (usize, &Requirement)| {
        let ids: Vec<_> =
            [requirement.id].into_iter().chain(requirement.aliases.iter().copied()).collect();
        ids.into_iter().map(move |id| (id, index))
    };
    let by_id = requirements.iter().enumerate().flat_map(ids).collect();
    Registry { requirements, by_id }
});

/// All requirements, by area.
pub fn all() -> &'static [Requirement] {
    &REGISTRY.requirements
}

/// The requirement with that id or alias.
pub fn find(id: &str) -> Option<&'static Requirement> {
    let index = *REGISTRY.by_id.get(id)?;
    REGISTRY.requirements.get(index)
}

/// What a report says of a requirement: id, level and demand, and in a second line, indented, its address at `revision`.
///
/// Of an id that is unknown, the id.
///
/// ```
/// use mcp_test::spec::{Revision, requirement};
///
/// let citation = requirement::cite("ping.result-empty", Revision::V2025_11_25);
/// assert!(citation.starts_with("ping.result-empty (MUST) "));
/// assert!(citation.contains("\n  https://modelcontextprotocol.io/specification/2025-11-25/"));
/// ```
pub fn cite(id: &str, revision: Revision) -> String {
    match find(id) {
        Some(requirement) => {
            let (id, level, says) = (requirement.id, requirement.level, requirement.says);
            format!("{id} ({level}) {says}\n  {}", requirement.link(revision))
        }
        None => id.to_owned(),
    }
}

/// The requirements that have every word of `filter`, in whatever case, in their ids, page, texts, level, who or
/// revisions.
///
/// ```
/// use mcp_test::spec::{Who, requirement};
///
/// let found = requirement::search("ping empty 2025-11-25");
/// assert!(found.iter().any(|requirement| requirement.who == Who::Both));
/// ```
pub fn search(filter: &str) -> Vec<&'static Requirement> {
    let filter = filter.to_lowercase();
    let words: Vec<&str> = filter.split_whitespace().collect();
    all().iter().filter(|requirement| words.iter().all(|word| requirement.mentions(word))).collect()
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for Testable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
