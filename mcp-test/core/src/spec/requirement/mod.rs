//! The normative requirements of the specification, and a few of mcp-test, which checks cite.
//!
//! They are read from one text file per area. A file starts with `#` comments. A requirement is a line with its id, level,
//! bound party, revisions and testability, followed by its page and texts, indented:
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
//! `unchecked` says why no check stands for a requirement: what would have to be seen for it. `unchecked-client` says so of
//! clients only, where both sides are bound and a check of servers exists.
//!
//! What a peer under test must do although no page says so is in `mcp-test.req`; there `reason` stands instead of `page`.
//!
//! Ids are stable. Where two ids turned out to name the same requirement, one of them is an alias of the other.

mod files;
mod known;
mod model;
mod parse;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::OnceLock;

use self::files::FILES;
use super::Revision;

pub use known::{KnownViolation, KnownViolations, UnknownRequirement};
pub use model::{BoundParty, Level, Requirement, Source, Testability};

/// The area of the requirements of mcp-test.
const AREA_OF_MCP_TEST: &str = "mcp-test";

/// The requirements of one file.
struct Area {
    requirements: Vec<Requirement>,
    by_id: HashMap<&'static str, usize>,
}

impl Area {
    /// The area of the file at this index. Each is parsed on first use: a run cites few areas, and parsing all of them would be
    /// almost half of the work of a short run.
    fn at(index: usize) -> &'static Self {
        static AREAS: [OnceLock<Area>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];
        AREAS[index].get_or_init(|| {
            let (file, text) = FILES[index];
            // The files are embedded in the binary, and a unit test parses all of them.
            let requirements =
                parse::file(file, text).unwrap_or_else(|error| unreachable!("{error}"));
            let ids = requirements.iter().map(|requirement| requirement.id);
            let by_id = ids.zip(0..).collect();
            Self { requirements, by_id }
        })
    }

    /// The area of this name.
    fn named(name: &str) -> Option<&'static Self> {
        let area = |(file, _): &(&'static str, &str)| file.trim_end_matches(".req");
        FILES.binary_search_by_key(&name, area).ok().map(Self::at)
    }
}

/// All requirements, grouped by area.
pub fn all() -> impl Iterator<Item = &'static Requirement> {
    (0..FILES.len()).flat_map(|index| &Area::at(index).requirements)
}

/// The requirements of an area; none if there is no such area.
pub fn of_area(name: &str) -> &'static [Requirement] {
    Area::named(name).map_or(&[], |area| &area.requirements)
}

/// The requirement with that id or alias.
pub fn find(id: &str) -> Option<&'static Requirement> {
    let (area, _) = id.split_once('.')?;
    let found = Area::named(area).and_then(|it| it.requirements.get(*it.by_id.get(id)?));
    // The requirement of an alias may belong to any area.
    found.or_else(|| all().find(|requirement| requirement.aliases.contains(&id)))
}

/// Formats a requirement for a report: id, level and text, and on a second, indented line its URL at `revision`, or why
/// mcp-test requires it.
///
/// An unknown id is returned as it is.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::spec::{Revision, requirement};
///
/// let citation = requirement::cite("ping.result-empty", Revision::V2025_11_25);
/// assert!(citation.starts_with("ping.result-empty (MUST) "));
/// assert!(citation.contains("\n  https://modelcontextprotocol.io/specification/2025-11-25/"));
/// ```
pub fn cite(id: &str, revision: Revision) -> String {
    match find(id) {
        Some(requirement) => {
            let (id, level, text) = (requirement.id, requirement.level, requirement.text);
            let source = match requirement.source {
                Source::Specification { .. } => requirement.link(revision).unwrap_or_default(),
                Source::McpTest { reason } => format!("required by mcp-test: {reason}"),
            };
            format!("{id} ({level}) {text}\n  {source}")
        }
        None => id.to_owned(),
    }
}

/// The requirements that contain every word of `filter`, ignoring case, in their ids, page, texts, level, bound party or
/// revisions.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::spec::{BoundParty, requirement};
///
/// let found = requirement::search("ping empty 2025-11-25");
/// assert!(found.iter().any(|requirement| requirement.binds == BoundParty::Both));
/// ```
pub fn search(filter: &str) -> Vec<&'static Requirement> {
    let filter = filter.to_lowercase();
    let words: Vec<&str> = filter.split_whitespace().collect();
    all().filter(|requirement| words.iter().all(|word| requirement.mentions(word))).collect()
}
