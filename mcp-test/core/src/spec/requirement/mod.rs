//! The normative requirements of the specification, and a few of mcp-test, which checks cite.
//!
//! They are written in one text file per area, from which the build script makes a constant for each: `ping.result-empty` is
//! [`Requirement::PING_RESULT_EMPTY`]. A file starts with `#` comments. A requirement is a line with its id, level,
//! bound party, revisions and testability, followed by its page and texts, indented:
//!
//! ```text
//! discover.implement | MUST | server | 2026-07-28.. | wire
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

mod known;
mod model;
#[cfg(test)]
mod parse;
#[cfg(test)]
mod tests;

use super::{Revision, Revisions};

pub use known::{KnownViolation, KnownViolations, UnknownRequirement};
pub use model::{BoundParty, Level, Requirement, Source, Testability};

// `ALL`, `BY_ID` and the constants of `Requirement`, from `build.rs`.
include!(concat!(env!("OUT_DIR"), "/requirements.rs"));

/// All requirements, grouped by area.
pub fn all() -> impl Iterator<Item = &'static Requirement> {
    ALL.iter()
}

/// The requirement with that id or alias.
pub fn find(id: &str) -> Option<&'static Requirement> {
    let found = BY_ID.binary_search_by_key(&id, |(id, _)| id).ok()?;
    ALL.get(usize::from(BY_ID[found].1))
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
