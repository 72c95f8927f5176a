//! Access tokens for a protected server under test, by the role that each has in tests.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// What an access token is for in tests of a protected server.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::transport::TokenRole;
///
/// assert_eq!("other-audience".parse(), Ok(TokenRole::OtherAudience));
/// let error = "admin".parse::<TokenRole>().unwrap_err().to_string();
/// assert_eq!(error, "expected `user`, `other-user`, `expired`, `other-audience` or `no-scope`");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum TokenRole {
    /// It is sent with every request, except where a test sends another or none.
    User,
    /// It is valid, and of another user.
    OtherUser,
    /// It has expired.
    Expired,
    /// It is for another server.
    OtherAudience,
    /// It is valid, and has none of the scopes that the server demands.
    NoScope,
}

/// The text is not the name of a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected `user`, `other-user`, `expired`, `other-audience` or `no-scope`")]
pub struct UnknownTokenRole;

impl TokenRole {
    /// Every role.
    pub const ALL: [Self; 5] =
        [Self::User, Self::OtherUser, Self::Expired, Self::OtherAudience, Self::NoScope];

    /// The name, as in `--token ROLE=VALUE`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::OtherUser => "other-user",
            Self::Expired => "expired",
            Self::OtherAudience => "other-audience",
            Self::NoScope => "no-scope",
        }
    }
}

impl fmt::Display for TokenRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for TokenRole {
    type Err = UnknownTokenRole;

    fn from_str(text: &str) -> Result<Self, UnknownTokenRole> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or(UnknownTokenRole)
    }
}

/// Access tokens, at most one for each role; `Debug` shows only the roles.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct TokensByRole(BTreeMap<TokenRole, String>);

impl TokensByRole {
    /// Sets the token of a role, and returns the one that it had.
    pub fn set(&mut self, role: TokenRole, token: impl Into<String>) -> Option<String> {
        self.0.insert(role, token.into())
    }

    /// The token of a role.
    #[must_use]
    pub fn get(&self, role: TokenRole) -> Option<&str> {
        self.0.get(&role).map(String::as_str)
    }

    /// The roles that have a token.
    pub fn roles(&self) -> impl Iterator<Item = TokenRole> {
        self.0.keys().copied()
    }
}

impl fmt::Debug for TokensByRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.roles()).finish()
    }
}
