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
pub(crate) struct Behavior {
    /// The path of its issuer: empty, or such as `/tenant1`.
    pub(crate) path: &'static str,
    /// Where its metadata is.
    pub(crate) metadata: MetadataAt,
    /// The issuer in its metadata, if that is not its own.
    pub(crate) stated_issuer: Option<&'static str>,
    /// What stands before the paths of its endpoints.
    pub(crate) endpoints: &'static str,
    /// Other URLs that its metadata name for its endpoints.
    pub(crate) stated_endpoints: StatedEndpoints,
    /// What the URL of its authorization endpoint ends with: more of a path, and a query.
    pub(crate) authorization_suffix: Option<String>,
    /// Where its metadata say that its keys, its documentation and its policies are.
    pub(crate) linked_documents: Option<String>,
    /// Whether clients can register.
    pub(crate) registers: bool,
    /// Whether it refuses every registration, because of the redirect URI.
    pub(crate) refuses_registration: bool,
    /// The id that each registered client gets, if it is not made up.
    pub(crate) client_id: Option<&'static str>,
    /// Whether it says that the URL of a metadata document may be a client id.
    pub(crate) takes_metadata_documents: bool,
    /// How clients may authenticate at the token endpoint.
    pub(crate) methods: &'static [AuthenticationMethod],
    pub(crate) grants: &'static [GrantType],
    pub(crate) scopes: &'static [&'static str],
    /// The scopes that it grants, of those that are asked for; `None` stands for all.
    pub(crate) granted: Option<&'static [&'static str]>,
    /// How long its access tokens are valid, as it says.
    pub(crate) lifetime: Duration,
    /// Whether it issues refresh tokens, a new one with each access token.
    pub(crate) refreshes: bool,
    /// Whether it says that its authorization responses have `iss`.
    pub(crate) states_iss: bool,
    /// The `iss` of its authorization responses.
    pub(crate) iss: SentIssuer,
    /// Whether it says that it supports PKCE.
    pub(crate) states_pkce: bool,
    /// Whether its authorization responses have another `state` than the request.
    pub(crate) changes_state: bool,
    /// The description of the error by which it refuses every authorization request.
    pub(crate) denies: Option<&'static str>,
    /// The algorithms of proofs of possession that it says it verifies; none, if it binds no tokens.
    pub(crate) dpop: &'static [&'static str],
    /// The nonce that it demands in proofs.
    pub(crate) nonce: Option<&'static str>,
    /// The assertions that it verifies, which decide nothing by themselves.
    pub(crate) assertions: Option<VerifiedAssertions>,
    /// Whether it is the identity provider of an organization, whose token endpoint exchanges tokens.
    pub(crate) is_identity_provider: bool,
    /// Answers a token request in its own way; `None` leaves it to the server.
    pub(crate) answers_token: Option<Arc<AnswersToken>>,
}

/// Answers a token request.
pub(crate) type AnswersToken =
    dyn Fn(&TokenRequest, &TokenIssuer<'_>) -> Option<Result<Value, OAuthError>> + Send + Sync;

/// Who answers a token request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenIssuer<'a> {
    pub(crate) issuer: &'a str,
    pub(crate) key: &'a SigningKey,
}

/// URLs that metadata name instead of those of the endpoints.
#[derive(Debug, Clone, Default)]
pub(crate) struct StatedEndpoints {
    pub(crate) authorization: Option<String>,
    pub(crate) token: Option<String>,
    pub(crate) registration: Option<String>,
}

/// Where the metadata of an authorization server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetadataAt {
    /// Where RFC 8414 has it, before the path of the issuer.
    OAuth,
    /// Where OpenID Connect has it, after the path of the issuer.
    OpenId,
    Nowhere,
}

/// The `iss` of an authorization response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SentIssuer {
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
