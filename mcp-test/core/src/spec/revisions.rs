//! Sets of revisions, and parsing of revisions and ranges such as `2025-06-18..`.

use std::fmt;
use std::str::FromStr;

use super::{Revision, SpecError};

/// A set of revisions.
///
/// Its text is a comma-separated list of revisions and ranges, or `all` or `none`. Both ends of a range belong to it, and
/// either may be omitted.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::spec::{Revision, Revisions};
///
/// const SESSIONS: Revisions = Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25);
/// assert!(SESSIONS.contains(Revision::V2025_06_18));
/// assert_eq!("2025-03-26..2025-11-25".parse(), Ok(SESSIONS));
/// assert_eq!(Revisions::from(Revision::V2025_06_18).to_string(), "2025-06-18..");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Revisions(u8);

impl Revisions {
    /// `first` and every newer revision.
    pub const fn from(first: Revision) -> Self {
        Self::between(first, Revision::NEWEST)
    }

    /// `last` and every older revision.
    pub const fn until(last: Revision) -> Self {
        Self::between(Revision::OLDEST, last)
    }

    /// `first`, `last` and the revisions between them; empty if `first` is newer than `last`.
    pub const fn between(first: Revision, last: Revision) -> Self {
        let mut bits = 0;
        let mut index = first as usize;
        // A loop with an index, because `for` is not available in a constant function.
        while index <= last as usize {
            bits |= Revision::ALL[index].bit();
            index += 1;
        }
        Self(bits)
    }

    /// This revision alone.
    pub const fn only(revision: Revision) -> Self {
        Self(revision.bit())
    }

    /// All revisions.
    pub const fn all() -> Self {
        Self::from(Revision::OLDEST)
    }

    /// No revision.
    pub const fn none() -> Self {
        Self(0)
    }

    /// Whether `revision` is in the set.
    pub const fn contains(self, revision: Revision) -> bool {
        self.0 & revision.bit() != 0
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many revisions are in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The revisions in either set.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The revisions in both sets.
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The revisions of the set, oldest first.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Revision> {
        Revision::ALL.into_iter().filter(move |revision| self.contains(*revision))
    }

    /// The oldest revision of the set.
    pub fn oldest(self) -> Option<Revision> {
        self.iter().next()
    }

    /// The newest revision of the set.
    pub fn newest(self) -> Option<Revision> {
        self.iter().next_back()
    }

    /// The set as runs of consecutive revisions.
    fn runs(self) -> Vec<(Revision, Revision)> {
        let mut runs: Vec<(Revision, Revision)> = Vec::new();
        for revision in self.iter() {
            match runs.last_mut() {
                Some((_, last)) if *last as u8 + 1 == revision as u8 => *last = revision,
                _ => runs.push((revision, revision)),
            }
        }
        runs
    }
}

impl FromIterator<Revision> for Revisions {
    fn from_iter<I: IntoIterator<Item = Revision>>(revisions: I) -> Self {
        revisions.into_iter().fold(Self::none(), |set, revision| set.union(Self::only(revision)))
    }
}

impl fmt::Display for Revisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs: Vec<String> = self
            .runs()
            .into_iter()
            .map(|(first, last)| {
                if first == last {
                    first.to_string()
                } else if last == Revision::NEWEST {
                    format!("{first}..")
                } else {
                    format!("{first}..{last}")
                }
            })
            .collect();
        if runs.is_empty() { f.pad("none") } else { f.pad(&runs.join(", ")) }
    }
}

impl fmt::Debug for Revisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Revisions({self})")
    }
}

impl FromStr for Revision {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        Self::ALL
            .into_iter()
            .find(|revision| revision.as_str() == text)
            .ok_or_else(|| SpecError::UnknownRevision(text.to_owned()))
    }
}

impl FromStr for Revisions {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        match text.trim() {
            "all" => return Ok(Self::all()),
            "none" => return Ok(Self::none()),
            _ => {}
        }
        text.split(',')
            .try_fold(Self::none(), |set, part| parse_part(part.trim()).map(|part| set.union(part)))
    }
}

fn parse_part(text: &str) -> Result<Revisions, SpecError> {
    let Some((first, last)) = text.split_once("..") else {
        return text.parse().map(Revisions::only);
    };
    let end = |text: &str, absent| match text.trim() {
        "" => Ok(absent),
        text => text.parse::<Revision>(),
    };
    let first = end(first, Revision::OLDEST)?;
    let last = end(last, Revision::NEWEST)?;
    if first > last {
        return Err(SpecError::ReversedRange { text: text.to_owned(), first, last });
    }
    Ok(Revisions::between(first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_round_trips_through_its_text() {
        for bits in 0..=Revisions::all().0 {
            let set = Revisions(bits);
            assert_eq!(set.to_string().parse(), Ok(set), "{set}");
            assert_eq!(set.iter().collect::<Revisions>(), set);
            assert_eq!(set.len(), set.iter().count());
        }
    }

    #[test]
    fn ranges_are_displayed_in_their_shortest_form() {
        let shown = |text: &str| text.parse::<Revisions>().map(|set| set.to_string());
        let good = |text: &str| Ok::<_, SpecError>(text.to_owned());
        assert_eq!(shown("all"), good("2024-11-05.."));
        assert_eq!(shown(".."), good("2024-11-05.."));
        assert_eq!(shown("..2025-03-26"), good("2024-11-05..2025-03-26"));
        let newest = Revision::NEWEST.as_str();
        assert_eq!(shown(&format!("{newest}..")), good(newest));
        assert_eq!(shown("2026-07-28,2024-11-05"), good("2024-11-05, 2026-07-28"));
        assert_eq!(shown("none"), good("none"));
    }

    #[test]
    fn the_oldest_and_newest_revision_are_found() {
        let set = Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25);
        assert_eq!(set.oldest(), Some(Revision::V2025_03_26));
        assert_eq!(set.newest(), Some(Revision::V2025_11_25));
        assert_eq!(Revisions::none().newest(), None);
        let reversed = Revisions::between(Revision::V2025_11_25, Revision::V2025_03_26);
        assert!(reversed.is_empty());
    }

    #[test]
    fn an_unknown_revision_is_refused_with_a_list_of_revisions() {
        let error = "2025-06-19".parse::<Revision>().unwrap_err();
        insta::assert_snapshot!(error, @"`2025-06-19` is not a revision of MCP; the revisions are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28");
        assert!(" 2025-06-18".parse::<Revision>().is_err());
    }

    #[test]
    fn invalid_ranges_are_refused() {
        let error = |text: &str| text.parse::<Revisions>().unwrap_err();
        insta::assert_snapshot!(error("2025-11-25..2025-03-26"), @"the range `2025-11-25..2025-03-26` is empty: 2025-11-25 is newer than 2025-03-26");
        assert_eq!(error(""), SpecError::UnknownRevision(String::new()));
        assert_eq!(error("2025-06-18..2025"), SpecError::UnknownRevision("2025".to_owned()));
        assert_eq!(error("2025-06-18,,"), SpecError::UnknownRevision(String::new()));
    }
}
