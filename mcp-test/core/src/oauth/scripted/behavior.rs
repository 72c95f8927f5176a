//! What a scripted authorization server has and does.

use std::sync::Arc;
use std::time::Duration;

use super::{TokenRequest, VerifiedAssertions};
use crate::jose::SigningKey;
use crate::json::Value;
use crate::oauth::access_token;
use crate::oauth::client::{AuthenticationMethod, GrantType};
use crate::oauth::oauth_error::OAuthError;

/// What a scripted authorization server has and does.
#[derive(Clone)]
pub struct Behavior {
    /// The path of its issuer: empty, or such as `/tenant1`.
    #[doc(hidden)]
    pub path: &'static str,
    /// Where its metadata is.
    #[doc(hidden)]
    pub metadata: MetadataAt,
    /// The issuer in its metadata, if that is not its own.
    #[doc(hidden)]
    pub stated_issuer: Option<&'static str>,
    /// What stands before the paths of its endpoints.
    #[doc(hidden)]
    pub endpoints: &'static str,
    /// Other URLs that its metadata names for its endpoints.
    #[doc(hidden)]
    pub stated_endpoints: StatedEndpoints,
    /// What the URL of its authorization endpoint ends with: more of a path, and a query.
    #[doc(hidden)]
    pub authorization_suffix: Option<String>,
    /// Where its metadata says that its keys, its documentation and its policies are.
    #[doc(hidden)]
    pub linked_documents: Option<String>,
    /// Whether clients can register.
    #[doc(hidden)]
    pub registers: bool,
    /// Whether it refuses every registration, because of the redirect URI.
    #[doc(hidden)]
    pub refuses_registration: bool,
    /// The id that each registered client gets, if it is not made up.
    #[doc(hidden)]
    pub client_id: Option<&'static str>,
    /// Whether it says that the URL of a metadata document may be a client id.
    #[doc(hidden)]
    pub takes_metadata_documents: bool,
    /// How clients may authenticate at the token endpoint.
    #[doc(hidden)]
    pub methods: &'static [AuthenticationMethod],
    #[doc(hidden)]
    pub grants: &'static [GrantType],
    #[doc(hidden)]
    pub scopes: &'static [&'static str],
    /// The scopes that it grants, of those that are asked for; `None` stands for all.
    #[doc(hidden)]
    pub granted: Option<&'static [&'static str]>,
    /// How long its access tokens are valid, as it says.
    #[doc(hidden)]
    pub lifetime: Duration,
    /// Whether it issues refresh tokens, a new one with each access token.
    #[doc(hidden)]
    pub refreshes: bool,
    /// Whether it says that its authorization responses have `iss`.
    #[doc(hidden)]
    pub states_iss: bool,
    /// The `iss` of its authorization responses.
    #[doc(hidden)]
    pub iss: SentIssuer,
    /// Whether it says that it supports PKCE.
    #[doc(hidden)]
    pub states_pkce: bool,
    /// Whether its authorization responses have another `state` than the request.
    #[doc(hidden)]
    pub changes_state: bool,
    /// The description of the error by which it refuses every authorization request.
    #[doc(hidden)]
    pub denies: Option<&'static str>,
    /// The algorithms of proofs of possession that it says it verifies; none, if it binds no tokens.
    #[doc(hidden)]
    pub dpop: &'static [&'static str],
    /// The nonce that it demands in proofs.
    #[doc(hidden)]
    pub nonce: Option<&'static str>,
    /// The assertions that it verifies, which decide nothing by themselves.
    #[doc(hidden)]
    pub assertions: Option<VerifiedAssertions>,
    /// Whether it is the identity provider of an organization, whose token endpoint exchanges tokens.
    #[doc(hidden)]
    pub is_identity_provider: bool,
    /// Answers a token request in its own way; `None` leaves it to the server.
    #[doc(hidden)]
    pub answers_token: Option<Arc<AnswersToken>>,
}

/// Answers a token request.
pub type AnswersToken =
    dyn Fn(&TokenRequest, &TokenIssuer<'_>) -> Option<Result<Value, OAuthError>> + Send + Sync;

/// Who answers a token request.
#[derive(Debug, Clone, Copy)]
pub struct TokenIssuer<'a> {
    #[doc(hidden)]
    pub issuer: &'a str,
    #[doc(hidden)]
    pub key: &'a SigningKey,
}

/// URLs that metadata names instead of those of the endpoints.
#[derive(Debug, Clone, Default)]
pub struct StatedEndpoints {
    #[doc(hidden)]
    pub authorization: Option<String>,
    #[doc(hidden)]
    pub token: Option<String>,
    #[doc(hidden)]
    pub registration: Option<String>,
}

/// Where the metadata of an authorization server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetadataAt {
    /// Where RFC 8414 has it, before the path of the issuer.
    OAuth,
    /// Where OpenID Connect has it, after the path of the issuer.
    OpenId,
    Nowhere,
}

/// The `iss` of an authorization response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentIssuer {
    /// The one in its metadata.
    Own,
    None,
    Other(&'static str),
    /// Its own with a slash at the end, which is another URL.
    WithSlash,
}

impl Default for Behavior {
    fn default() -> Self {
        Self {
            path: "",
            metadata: MetadataAt::OAuth,
            stated_issuer: None,
            endpoints: "",
            stated_endpoints: StatedEndpoints::default(),
            authorization_suffix: None,
            linked_documents: None,
            registers: true,
            refuses_registration: false,
            client_id: None,
            takes_metadata_documents: false,
            methods: &[AuthenticationMethod::None],
            grants: &[GrantType::AuthorizationCode, GrantType::RefreshToken],
            scopes: &[],
            granted: None,
            lifetime: access_token::LIFETIME,
            refreshes: false,
            states_iss: true,
            iss: SentIssuer::Own,
            states_pkce: true,
            changes_state: false,
            denies: None,
            dpop: &[],
            nonce: None,
            assertions: None,
            is_identity_provider: false,
            answers_token: None,
        }
    }
}
