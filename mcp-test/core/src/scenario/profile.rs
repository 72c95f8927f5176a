//! Profiles: the rules by which a run is judged.

use std::fmt;
use std::str::FromStr;

use super::TestedSide;
use crate::check::{Check, Origin, Status};

/// The rules by which a run is judged.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::scenario::Profile;
///
/// assert_eq!("adaptive".parse(), Ok(Profile::Adaptive));
/// assert_eq!(Profile::Strict.to_string(), "strict");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Profile {
    /// The rules of the official conformance suite; its false failures are kept, and marked.
    Official,
    /// The specification; what the peer does not offer is skipped.
    Adaptive,
    /// The specification; what the peer does not offer fails, and so does a WARNING.
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

    /// Whether a check counts towards exit code and baseline.
    ///
    /// In profile `official` a check of ours counts only if the official ones mean nothing without it: when a client took no
    /// part in a scenario. In `adaptive` a failure of ours that cites no requirement does not count: it is about a fixture.
    #[must_use]
    pub fn counts(self, check: &Check) -> bool {
        match (self, check.origin) {
            (_, Origin::Official) | (Self::Strict, _) => true,
            (Self::Official, Origin::Own | Origin::User) => check.binding,
            (Self::Adaptive, Origin::Own) => check.binding || check.is_founded(),
            (Self::Adaptive, Origin::User) => true,
        }
    }

    /// Whether a check counts against the peer; one that fails as expected does not.
    #[must_use]
    pub fn fails(self, tested_side: TestedSide, check: &Check) -> bool {
        self.counts(check)
            && check.known.is_empty()
            && match check.status {
                Status::Failure => true,
                Status::Warning => match self {
                    // The official suite exits with 1 on warnings about clients, and with 0 on those about servers.
                    Self::Official => tested_side == TestedSide::Client,
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

/// The text is not the name of a profile.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a profile; expected official, adaptive or strict")]
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
    use crate::spec::Requirement;

    #[test]
    fn profiles_decide_about_warnings_and_own_checks() {
        let warning = Check::new("a", Origin::Official, Status::Warning);
        let own = Check::from_finding(
            "b",
            Origin::Own,
            Finding::peer("x").requires(Requirement::PING_RESULT_EMPTY),
        );
        let failing = |check: &Check, tested_side| {
            Profile::ALL.map(|profile| profile.fails(tested_side, check))
        };
        assert_eq!(failing(&warning, TestedSide::Server), [false, false, true]);
        assert_eq!(failing(&warning, TestedSide::Client), [true, false, true]);
        assert_eq!(failing(&own, TestedSide::Server), [false, true, true]);
        assert_eq!(Profile::ALL.map(|profile| profile.counts(&own)), [false, true, true]);
        let user = Check::from_finding("c", Origin::User, Finding::peer("x"));
        assert_eq!(failing(&user, TestedSide::Server), [false, true, true]);
    }

    #[test]
    fn a_failure_of_ours_without_a_requirement_counts_only_in_strict() {
        let counts = |finding| {
            let own = Check::from_finding("b", Origin::Own, finding);
            Profile::ALL.map(|profile| profile.counts(&own))
        };
        assert_eq!(counts(Finding::peer("another text")), [false, false, true]);
        assert_eq!(
            counts(Finding::peer("x").requires(Requirement::PING_RESULT_EMPTY)),
            [false, true, true]
        );
        // What is not the peer's fault ends the run otherwise.
        assert_eq!(counts(Finding::harness("a bug")), [false, true, true]);
        let passed = Check::new("b", Origin::Own, Status::Success);
        assert_eq!(Profile::ALL.map(|profile| profile.counts(&passed)), [false, true, true]);
    }

    #[test]
    fn an_unknown_name_is_an_error_with_the_known_ones() {
        let error = "lenient".parse::<Profile>().unwrap_err();
        insta::assert_snapshot!(error, @"`lenient` is not a profile; expected official, adaptive or strict");
    }
}
