//! The suites of the official conformance suite.

use std::fmt;
use std::str::FromStr;

use super::TestedSide;

/// A suite of the official conformance suite that a scenario belongs to.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Suite {
    /// What every implementation must pass: `active` for servers, where it is the default, and `core` for clients.
    Active,
    /// Scenarios introduced in the newest revision.
    Draft,
    /// Scenarios that the official suite does not run by default.
    Pending,
    /// Extensions of the specification.
    Extensions,
    /// What older revisions did differently.
    Backcompat,
    /// Authorization.
    Auth,
    /// The metadata of authorization.
    Metadata,
    /// How a client asks for scopes.
    Sep835,
    /// Every scenario.
    All,
}

impl Suite {
    /// The suites of a side, in the order in which messages list them.
    #[must_use]
    pub const fn of(tested_side: TestedSide) -> &'static [Self] {
        match tested_side {
            TestedSide::Server => &[Self::Active, Self::All, Self::Draft, Self::Pending],
            TestedSide::Client => &[
                Self::All,
                Self::Active,
                Self::Extensions,
                Self::Backcompat,
                Self::Auth,
                Self::Metadata,
                Self::Draft,
                Self::Sep835,
            ],
            TestedSide::Authorization => &[Self::All],
        }
    }

    /// The name on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Draft => "draft",
            Self::Pending => "pending",
            Self::Extensions => "extensions",
            Self::Backcompat => "backcompat",
            Self::Auth => "auth",
            Self::Metadata => "metadata",
            Self::Sep835 => "sep-835",
            Self::All => "all",
        }
    }

    /// The name that the suite has for a side.
    #[must_use]
    pub const fn name(self, tested_side: TestedSide) -> &'static str {
        match (self, tested_side) {
            (Self::Active, TestedSide::Client) => "core",
            _ => self.as_str(),
        }
    }
}

/// The text is not the name of a suite.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` is not a suite; expected one of {} for servers, one of {} for clients",
    names(TestedSide::Server),
    names(TestedSide::Client)
)]
pub struct UnknownSuite {
    name: String,
}

impl FromStr for Suite {
    type Err = UnknownSuite;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // The names of both sides, as in the official suite, where `core` is an alias of `active`.
        [TestedSide::Server, TestedSide::Client]
            .into_iter()
            .flat_map(|tested_side| {
                Self::of(tested_side).iter().map(move |suite| (suite.name(tested_side), *suite))
            })
            .find(|(name, _)| text.eq_ignore_ascii_case(name))
            .map(|(_, suite)| suite)
            .ok_or_else(|| UnknownSuite { name: text.to_owned() })
    }
}

/// The names of the suites of a side, for a message.
#[doc(hidden)]
pub fn names(tested_side: TestedSide) -> String {
    let names: Vec<&str> =
        Suite::of(tested_side).iter().map(|suite| suite.name(tested_side)).collect();
    names.join(", ")
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
