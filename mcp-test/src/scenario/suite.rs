//! The suites of the official conformance suite: which scenarios are run together.

use std::fmt;
use std::str::FromStr;

use super::{Leg, Scenario};

/// A suite of the official conformance suite that a scenario belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Suite {
    /// What every implementation has to pass: `active` for servers, where it is the default, and `core` for clients.
    Active,
    /// Scenarios introduced in the newest revision.
    Draft,
    /// Scenarios that the official suite does not run by default.
    Pending,
    /// Extensions of the specification.
    Extensions,
    /// What older revisions did otherwise.
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
    /// The suites of a side, in the order in which they are told.
    #[must_use]
    pub const fn of(leg: Leg) -> &'static [Self] {
        match leg {
            Leg::Server => &[Self::Active, Self::All, Self::Draft, Self::Pending],
            Leg::Client => &[
                Self::All,
                Self::Active,
                Self::Extensions,
                Self::Backcompat,
                Self::Auth,
                Self::Metadata,
                Self::Draft,
                Self::Sep835,
            ],
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
    pub const fn name(self, leg: Leg) -> &'static str {
        match (self, leg) {
            (Self::Active, Leg::Client) => "core",
            _ => self.as_str(),
        }
    }

    /// Whether the suite contains `scenario`.
    #[must_use]
    pub fn selects(self, scenario: &Scenario) -> bool {
        self == Self::All
            || scenario.official.is_some_and(|official| official.suites.contains(&self))
    }
}

/// The text names no suite.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` is no suite; for servers there are {}, for clients {}",
    names(Leg::Server),
    names(Leg::Client)
)]
pub struct UnknownSuite {
    name: String,
}

impl FromStr for Suite {
    type Err = UnknownSuite;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.to_ascii_lowercase().as_str() {
            "active" | "core" => Ok(Self::Active),
            "draft" => Ok(Self::Draft),
            "pending" => Ok(Self::Pending),
            "extensions" => Ok(Self::Extensions),
            "backcompat" => Ok(Self::Backcompat),
            "auth" => Ok(Self::Auth),
            "metadata" => Ok(Self::Metadata),
            "sep-835" => Ok(Self::Sep835),
            "all" => Ok(Self::All),
            _ => Err(UnknownSuite { name: text.to_owned() }),
        }
    }
}

/// The names of the suites of a side, for a message.
pub(crate) fn names(leg: Leg) -> String {
    let names: Vec<&str> = Suite::of(leg).iter().map(|suite| suite.name(leg)).collect();
    names.join(", ")
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
