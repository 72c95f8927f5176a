//! A client that the authorization server knows.

use std::fmt;

use super::redirect_uri;
use crate::jose::{Jwk, KeySet};

/// A client that is registered beforehand: its operator has agreed on an id with the authorization server.
///
/// It may use every grant that the server has; client credentials are for clients with a secret or a key alone.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::oauth::OAuthClient;
///
/// let desktop = OAuthClient::public("desktop").redirect_uri("http://127.0.0.1/callback");
/// let service = OAuthClient::confidential("nightly-job", "a secret of this test");
/// assert!(!format!("{service:?}").contains("a secret"));
/// # drop(desktop);
/// ```
#[derive(Clone)]
#[must_use = "pass it to `AuthorizationServerBuilder::client`"]
pub struct OAuthClient {
    pub(super) id: String,
    pub(super) secret: Option<String>,
    /// The keys that it signs assertions with.
    pub(super) keys: KeySet,
    /// How it may authenticate at the token endpoint.
    pub(super) methods: Vec<AuthenticationMethod>,
    pub(super) redirect_uris: Vec<String>,
    pub(super) grants: Vec<GrantType>,
}

/// How a client authenticates at the token endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthenticationMethod {
    None,
    Basic,
    Post,
    PrivateKeyJwt,
}

/// How a client gets a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantType {
    AuthorizationCode,
    RefreshToken,
    ClientCredentials,
    /// RFC 7523. A server has it only if it trusts an identity provider.
    JwtBearer,
    /// RFC 8693. A server has it only if it is an identity provider.
    TokenExchange,
}

impl AuthenticationMethod {
    pub(super) const ALL: [Self; 4] = [Self::None, Self::Basic, Self::Post, Self::PrivateKeyJwt];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Basic => "client_secret_basic",
            Self::Post => "client_secret_post",
            Self::PrivateKeyJwt => "private_key_jwt",
        }
    }
}

impl GrantType {
    /// Those that every authorization server has.
    pub(super) const ALL: [Self; 3] =
        [Self::AuthorizationCode, Self::RefreshToken, Self::ClientCredentials];

    /// Those that a client with a secret or a key may use, if the server has them.
    fn for_confidential_clients() -> Vec<Self> {
        Self::ALL.into_iter().chain([Self::JwtBearer, Self::TokenExchange]).collect()
    }

    #[doc(hidden)]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AuthorizationCode => "authorization_code",
            Self::RefreshToken => "refresh_token",
            Self::ClientCredentials => "client_credentials",
            Self::JwtBearer => "urn:ietf:params:oauth:grant-type:jwt-bearer",
            Self::TokenExchange => "urn:ietf:params:oauth:grant-type:token-exchange",
        }
    }
}

impl OAuthClient {
    /// A client without a secret, such as a program on the user's machine.
    pub fn public(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            secret: None,
            keys: KeySet::default(),
            methods: vec![AuthenticationMethod::None],
            redirect_uris: Vec::new(),
            grants: vec![
                GrantType::AuthorizationCode,
                GrantType::RefreshToken,
                GrantType::TokenExchange,
            ],
        }
    }

    /// A client with a secret, which it sends in the `Authorization` header or in the form.
    pub fn confidential(id: impl Into<String>, secret: impl Into<String>) -> Self {
        Self {
            secret: Some(secret.into()),
            methods: vec![AuthenticationMethod::Basic, AuthenticationMethod::Post],
            grants: GrantType::for_confidential_clients(),
            ..Self::public(id)
        }
    }

    /// A client that authenticates with assertions, signed with the private part of this key (RFC 7523).
    pub fn with_key(id: impl Into<String>, key: Jwk) -> Self {
        Self {
            keys: KeySet::from_iter([key]),
            methods: vec![AuthenticationMethod::PrivateKeyJwt],
            grants: GrantType::for_confidential_clients(),
            ..Self::public(id)
        }
    }

    /// Adds a redirect URI, which requests must repeat exactly; only the port of a loopback address may differ.
    pub fn redirect_uri(mut self, uri: impl Into<String>) -> Self {
        self.redirect_uris.push(uri.into());
        self
    }

    pub(super) fn may_redirect_to(&self, requested: &str) -> bool {
        self.redirect_uris.iter().any(|uri| redirect_uri::is_registered(uri, requested))
    }

    /// Whether it has neither a secret nor a key.
    pub(super) fn is_public(&self) -> bool {
        self.methods == [AuthenticationMethod::None]
    }

    pub(super) fn may_use(&self, grant: GrantType) -> bool {
        self.grants.contains(&grant)
    }
}

impl fmt::Debug for OAuthClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuthClient")
            .field("id", &self.id)
            .field("redirect_uris", &self.redirect_uris)
            .finish_non_exhaustive()
    }
}
