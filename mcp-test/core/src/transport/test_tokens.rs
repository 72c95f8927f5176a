//! The tokens for tests of a protected server: a good one, and one for each thing that can be wrong with a token.
//!
//! Only the interface: who issues them is not known here.

use std::fmt::{self, Debug};
use std::future;
use std::sync::Arc;

use futures_util::future::{BoxFuture, LocalBoxFuture};

use super::authorizer::{AuthorizedExchange, Authorizer};
use super::{Connection, TokenRole, TokensByRole};
use crate::jose::SigningKey;

/// What a token of a test is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TokenKind {
    /// That of a user who may do everything.
    User,
    /// That of another user who may do everything.
    OtherUser,
    /// One that has expired.
    Expired,
    /// One that will be valid later.
    NotYetValid,
    /// One for a server of somebody else.
    OtherAudience,
    /// One for another server of the same host.
    SiblingAudience,
    /// One that names no server.
    NoAudience,
    /// One that names another issuer, although it is signed by the trusted one.
    OtherIssuer,
    /// One of the trusted issuer by its claims, signed with a key that the issuer does not have.
    UnknownKey,
    /// One without scopes.
    NoScope,
}

/// A token that is bound to a key (RFC 9449).
#[derive(Clone)]
pub struct BoundToken {
    #[doc(hidden)]
    pub text: String,
    #[doc(hidden)]
    pub key: Arc<SigningKey>,
}

/// The tokens for tests of a protected server, which also authorize the ordinary requests of a run.
pub trait TestTokens: Authorizer {
    /// Asks the server at a URL, to which this is a connection, what tokens it demands.
    fn prepare<'a>(&'a self, url: &'a str, connection: &'a Connection) -> LocalBoxFuture<'a, ()>;

    /// A token for the server at a URL; `None` if nobody has issued such a one.
    fn token(&self, kind: TokenKind, url: &str) -> Option<String>;

    /// A token for the server at a URL that is bound to a key; `None` if nobody can issue one.
    fn bound_token(&self, url: &str) -> Option<BoundToken>;

    /// The headers of a request with a token, and with a proof if the server demands tokens that are bound to a key.
    fn authorize(&self, token: &str, method: &str, url: &str) -> Vec<(String, String)>;

    /// Whether the server names proofs of possession in its metadata.
    fn supports_proofs(&self) -> bool;

    /// The issuer, if the tokens are made for the test.
    fn issuer(&self) -> Option<&str>;

    /// The service that the server calls.
    fn downstream(&self) -> Option<Arc<dyn Downstream>>;
}

/// A service that the server under test calls, which keeps what it receives.
pub trait Downstream: Debug + Send + Sync {
    /// How many requests it has received.
    fn requests(&self) -> usize;

    /// Whether a request that it has received contains this text, in its URL, its headers or its body.
    fn has_received(&self, text: &str) -> bool;
}

impl TokenKind {
    /// The role by which an operator can give it; only an issuer can make those without one.
    #[doc(hidden)]
    pub const fn role(self) -> Option<TokenRole> {
        match self {
            Self::User => Some(TokenRole::User),
            Self::OtherUser => Some(TokenRole::OtherUser),
            Self::Expired => Some(TokenRole::Expired),
            Self::OtherAudience => Some(TokenRole::OtherAudience),
            Self::NoScope => Some(TokenRole::NoScope),
            Self::NotYetValid
            | Self::SiblingAudience
            | Self::NoAudience
            | Self::OtherIssuer
            | Self::UnknownKey => None,
        }
    }
}

/// Tokens that an operator has given by role; without any, what needs none can be tested.
#[derive(Default)]
pub struct GivenTokens {
    tokens: TokensByRole,
    downstream: Option<Arc<dyn Downstream>>,
}

impl GivenTokens {
    /// These tokens.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn new(tokens: TokensByRole) -> Self {
        Self { tokens, downstream: None }
    }

    /// Has the server call this service.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn calling(mut self, downstream: Arc<dyn Downstream>) -> Self {
        self.downstream = Some(downstream);
        self
    }
}

impl Authorizer for GivenTokens {
    fn headers(&self, method: &str, url: &str) -> Vec<(String, String)> {
        let user = self.tokens.get(TokenRole::User);
        user.map(|token| self.authorize(token, method, url)).unwrap_or_default()
    }

    fn responded<'a>(&'a self, _: AuthorizedExchange<'a>) -> BoxFuture<'a, bool> {
        Box::pin(future::ready(false))
    }
}

impl TestTokens for GivenTokens {
    fn prepare<'a>(&'a self, _: &'a str, _: &'a Connection) -> LocalBoxFuture<'a, ()> {
        Box::pin(future::ready(()))
    }

    fn token(&self, kind: TokenKind, _: &str) -> Option<String> {
        self.tokens.get(kind.role()?).map(str::to_owned)
    }

    fn bound_token(&self, _: &str) -> Option<BoundToken> {
        None
    }

    fn authorize(&self, token: &str, _: &str, _: &str) -> Vec<(String, String)> {
        vec![("Authorization".to_owned(), format!("Bearer {token}"))]
    }

    fn supports_proofs(&self) -> bool {
        false
    }

    fn issuer(&self) -> Option<&str> {
        None
    }

    fn downstream(&self) -> Option<Arc<dyn Downstream>> {
        self.downstream.clone()
    }
}

impl Debug for GivenTokens {
    /// Without the tokens.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tokens.fmt(f)
    }
}

impl Debug for BoundToken {
    /// Without the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundToken").field("key", &self.key).finish_non_exhaustive()
    }
}
