//! By whose rules a run is judged.
//!
//! The table of profiles in one place: everything that differs between them is a method here.

use std::fmt;
use std::str::FromStr;

use super::{Leg, Scenario};
use crate::check::{Check, Origin, Status};
use crate::spec::Revision;

/// By whose rules a run is judged.
///
/// ```
/// use mcp_test::scenario::Profile;
///
/// assert_eq!("adaptive".parse(), Ok(Profile::Adaptive));
/// assert_eq!(Profile::Strict.to_string(), "strict");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Profile {
    /// By the rules of the official conformance suite; what it gets wrong is kept, and marked.
    Official,
    /// By the specification; what the peer does not offer is skipped.
    Adaptive,
    /// By the specification; what the peer does not offer fails, and so does a WARNING.
    Strict,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 3] = [Self::Official, Self::Adaptive, Self::Strict];

    /// The name on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Official => "official",
            Self::Adaptive => "adaptive",
            Self::Strict => "strict",
        }
    }

    /// The profile that holds for one scenario at one revision: where the official suite has no opinion, `official`
    /// gives way to `adaptive`.
    #[must_use]
    pub fn at(self, scenario: &Scenario, revision: Revision) -> Self {
        match self {
            Self::Official if scenario.official.is_some() && !scenario.is_official_at(revision) => {
                Self::Adaptive
            }
            other => other,
        }
    }

    /// Whether a check counts towards exit code and baseline.
    ///
    /// In profile `official` a check of ours counts only where the official ones would say nothing without it: when a
    /// client took no part in a scenario.
    #[must_use]
    pub fn counts(self, check: &Check) -> bool {
        self != Self::Official || check.origin == Origin::Official || check.binding
    }

    /// Whether a check is held against the peer.
    #[must_use]
    pub fn fails(self, leg: Leg, check: &Check) -> bool {
        self.counts(check)
            && match check.status {
                Status::Failure => true,
                Status::Warning => match self {
                    Self::Official => leg == Leg::Client,
                    Self::Adaptive => false,
                    Self::Strict => true,
                },
                Status::Success | Status::Skipped | Status::Info => false,
            }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The text names no profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no profile; there are official, adaptive and strict")]
pub struct UnknownProfile(String);

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|profile| profile.as_str() == text)
            .ok_or_else(|| UnknownProfile(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Finding;

    #[test]
    fn a_warning_and_a_check_of_our_own_count_by_the_table() {
        let warning = Check::new("a", Origin::Official, Status::Warning);
        let own = Check::from_finding("b", Origin::Own, Finding::peer("x"));
        let failing = |check: &Check, leg| Profile::ALL.map(|profile| profile.fails(leg, check));
        assert_eq!(failing(&warning, Leg::Server), [false, false, true]);
        assert_eq!(failing(&warning, Leg::Client), [true, false, true]);
        assert_eq!(failing(&own, Leg::Server), [false, true, true]);
        assert_eq!(Profile::ALL.map(|profile| profile.counts(&own)), [false, true, true]);
    }

    #[test]
    fn an_unknown_name_is_told_the_known_ones() {
        let error = "lenient".parse::<Profile>().unwrap_err();
        insta::assert_snapshot!(error, @"`lenient` is no profile; there are official, adaptive and strict");
    }
}
